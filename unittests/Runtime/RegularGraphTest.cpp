//===- RegularGraphTest.cpp - Tests of implicit graphs and batches --------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace gnn::test;

/// Counts the edges one by one.
static int64_t countEdges(gnn_topology topology, int64_t sources,
                          int64_t destinations, int64_t window) {
  int64_t count = 0;
  for (int64_t d = 0; d < destinations; ++d)
    for (int64_t s = 0; s < sources; ++s)
      count += topology == GNN_TOPOLOGY_COMPLETE ? 1
               : topology == GNN_TOPOLOGY_CAUSAL ? s <= d
                                                 : std::abs(s - d) <= window;
  return count;
}

TEST(RegularGraph, CountsItsEdges) {
  for (gnn_topology topology :
       {GNN_TOPOLOGY_COMPLETE, GNN_TOPOLOGY_CAUSAL, GNN_TOPOLOGY_WINDOW})
    for (int64_t nodes : {0, 1, 2, 7})
      for (int64_t window : {0, 1, 3, 6, 100}) {
        gnn_graph *graph = nullptr;
        ASSERT_SUCCESS(
            gnn_graph_regular(topology, nodes, nodes, window, &graph, &error));
        GraphPtr owner(graph);
        EXPECT_EQ(gnn_graph_topology(graph), topology);
        EXPECT_EQ(gnn_graph_num_edges(graph),
                  countEdges(topology, nodes, nodes, window))
            << "topology " << topology << ", " << nodes << " nodes, window "
            << window;
        EXPECT_EQ(gnn_graph_window(graph),
                  topology == GNN_TOPOLOGY_WINDOW ? window : 0);
        EXPECT_EQ(gnn_graph_row_pointers(graph), nullptr);
        EXPECT_EQ(gnn_graph_column_indices(graph), nullptr);
      }
}

TEST(RegularGraph, CompleteMayBeBipartite) {
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 5, 0, &graph, &error));
  GraphPtr owner(graph);
  EXPECT_EQ(gnn_graph_num_sources(graph), 3);
  EXPECT_EQ(gnn_graph_num_destinations(graph), 5);
  EXPECT_EQ(gnn_graph_num_edges(graph), 15);
}

TEST(RegularGraph, CountsDoNotOverflow) {
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(gnn_graph_regular(GNN_TOPOLOGY_WINDOW, INT32_MAX, INT32_MAX,
                                   INT64_MAX, &graph, &error));
  GraphPtr window(graph);
  EXPECT_EQ(gnn_graph_num_edges(graph), INT64_C(2147483647) * 2147483647);
  ASSERT_SUCCESS(gnn_graph_regular(GNN_TOPOLOGY_CAUSAL, INT32_MAX, INT32_MAX, 0,
                                   &graph, &error));
  GraphPtr causal(graph);
  EXPECT_EQ(gnn_graph_num_edges(graph), INT64_C(2147483647) * 1073741824);
}

TEST(RegularGraph, RefusesImpossibleGraphs) {
  gnn_graph *graph = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "topology 0 is not complete",
                 gnn_graph_regular(GNN_TOPOLOGY_CSR, 2, 2, 0, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "-1 source nodes",
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, -1, 2, 0, &graph, &error));
  EXPECT_FAILURE(GNN_UNSUPPORTED, "4294967296 destination nodes",
                 gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 1, INT64_C(1) << 32,
                                   0, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "a causal graph has as many sources",
      gnn_graph_regular(GNN_TOPOLOGY_CAUSAL, 2, 3, 0, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "a window graph has as many sources",
      gnn_graph_regular(GNN_TOPOLOGY_WINDOW, 2, 3, 0, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "a window cannot be -1 wide",
      gnn_graph_regular(GNN_TOPOLOGY_WINDOW, 2, 2, -1, &graph, &error));
  EXPECT_EQ(graph, nullptr);
}

//===----------------------------------------------------------------------===//
// Block-diagonal graphs
//===----------------------------------------------------------------------===//

TEST(BlockDiagonalGraph, KeepsItsSegments) {
  std::vector<int64_t> sources = {0, 2, 2, 5};
  std::vector<int32_t> destinations = {0, 3, 4, 4};
  gnn_tensor sourceTensor = tensorOf(sources, {4});
  gnn_tensor destinationTensor = tensorOf(destinations, {4});
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(gnn_graph_block_diagonal(&sourceTensor, &destinationTensor,
                                          &graph, &error));
  GraphPtr owner(graph);
  EXPECT_EQ(gnn_graph_topology(graph), GNN_TOPOLOGY_BLOCK_DIAGONAL);
  EXPECT_EQ(gnn_graph_num_segments(graph), 3);
  EXPECT_EQ(gnn_graph_num_sources(graph), 5);
  EXPECT_EQ(gnn_graph_num_destinations(graph), 4);
  EXPECT_EQ(gnn_graph_num_edges(graph), 2 * 3);
  EXPECT_EQ(gnn_graph_source_pointers(graph)[3], 5);
  EXPECT_EQ(gnn_graph_destination_pointers(graph)[1], 3);
}

TEST(BlockDiagonalGraph, TakesNoSegments) {
  std::vector<int32_t> zero = {0};
  gnn_tensor tensor = tensorOf(zero, {1});
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(gnn_graph_block_diagonal(&tensor, &tensor, &graph, &error));
  GraphPtr owner(graph);
  EXPECT_EQ(gnn_graph_num_segments(graph), 0);
  EXPECT_EQ(gnn_graph_num_sources(graph), 0);
}

TEST(BlockDiagonalGraph, RefusesWrongPointers) {
  std::vector<int32_t> good = {0, 2, 3}, shorter = {0, 3}, falling = {0, 3, 2};
  gnn_tensor goodTensor = tensorOf(good, {3});
  gnn_tensor shorterTensor = tensorOf(shorter, {2});
  gnn_tensor fallingTensor = tensorOf(falling, {3});
  gnn_graph *graph = nullptr;
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT,
      "source_pointers has 2 segments, but destination_pointers has "
      "1",
      gnn_graph_block_diagonal(&goodTensor, &shorterTensor, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "destination_pointers[2] is 2",
      gnn_graph_block_diagonal(&goodTensor, &fallingTensor, &graph, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "source_pointers is NULL",
      gnn_graph_block_diagonal(nullptr, &goodTensor, &graph, &error));
  EXPECT_EQ(graph, nullptr);
}

//===----------------------------------------------------------------------===//
// Batch vectors
//===----------------------------------------------------------------------===//

static std::vector<int32_t> pointersOf(std::vector<int64_t> batch,
                                       int64_t segments) {
  gnn_tensor tensor = tensorOf(batch, {static_cast<int64_t>(batch.size())});
  OwnedTensor pointers;
  gnn_error error = {};
  EXPECT_EQ(gnn_batch_to_pointers(&tensor, segments, &pointers, &error), GNN_OK)
      << error.message;
  return valuesOf<int32_t>(pointers);
}

TEST(Batch, BecomesPointers) {
  EXPECT_EQ(pointersOf({0, 0, 1, 1, 1}, -1), (std::vector<int32_t>{0, 2, 5}));
  EXPECT_EQ(pointersOf({1, 3, 3, 3}, -1),
            (std::vector<int32_t>{0, 0, 1, 1, 4}));
  EXPECT_EQ(pointersOf({1, 3}, 4), (std::vector<int32_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(pointersOf({0, 1}, 4), (std::vector<int32_t>{0, 1, 2, 2, 2}));
  EXPECT_EQ(pointersOf({}, -1), (std::vector<int32_t>{0}));
  EXPECT_EQ(pointersOf({}, 2), (std::vector<int32_t>{0, 0, 0}));
}

TEST(Batch, RefusesWrongVectors) {
  std::vector<int64_t> batch = {0, 1, 0};
  gnn_tensor tensor = tensorOf(batch, {3}), pointers = {};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "batch[2] is 0, less than 1",
                 gnn_batch_to_pointers(&tensor, -1, &pointers, &error));
  batch = {-1, 0, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "batch[0] is -1",
                 gnn_batch_to_pointers(&tensor, -1, &pointers, &error));
  batch = {0, 1, 2};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "batch[2] is 2, but there are 2 segments",
                 gnn_batch_to_pointers(&tensor, 2, &pointers, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "-2 segments",
                 gnn_batch_to_pointers(&tensor, -2, &pointers, &error));
  EXPECT_FAILURE(GNN_UNSUPPORTED, "at most 2147483646",
                 gnn_batch_to_pointers(&tensor, INT32_MAX, &pointers, &error));
  batch = {0, 1, 3};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "batch[2] is 3, but there are 3 nodes",
                 gnn_batch_to_pointers(&tensor, -1, &pointers, &error));
  batch = {0, 1, INT64_MAX};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "but there are 3 nodes",
                 gnn_batch_to_pointers(&tensor, -1, &pointers, &error));
  std::vector<float> floats(3);
  tensor = tensorOf(floats, {3});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "batch is float32",
                 gnn_batch_to_pointers(&tensor, -1, &pointers, &error));
  EXPECT_EQ(pointers.data, nullptr);
}
