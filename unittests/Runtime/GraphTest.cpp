//===- GraphTest.cpp - Tests of graphs with listed edges --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace gnn::test;

//===----------------------------------------------------------------------===//
// Coordinate lists
//===----------------------------------------------------------------------===//

TEST(GraphFromCOO, SortsByDestinationStably) {
  //               0  1  2  3  4  5
  GraphPtr graph = makeGraph(4, 3, {3, 0, 2, 1, 0, 3}, {2, 0, 2, 0, 2, 0});
  EXPECT_EQ(gnn_graph_topology(graph.get()), GNN_TOPOLOGY_CSR);
  EXPECT_EQ(gnn_graph_num_sources(graph.get()), 4);
  EXPECT_EQ(gnn_graph_num_destinations(graph.get()), 3);
  EXPECT_EQ(gnn_graph_num_edges(graph.get()), 6);
  EXPECT_EQ(rowPointers(graph.get()), (std::vector<int32_t>{0, 3, 3, 6}));
  EXPECT_EQ(columnIndices(graph.get()),
            (std::vector<int32_t>{0, 1, 3, 3, 2, 0}));
  const int32_t *permutation = gnn_graph_edge_permutation(graph.get());
  ASSERT_NE(permutation, nullptr);
  EXPECT_EQ(std::vector<int32_t>(permutation, permutation + 6),
            (std::vector<int32_t>{1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(gnn_graph_num_segments(graph.get()), 0);
  EXPECT_EQ(gnn_graph_source_pointers(graph.get()), nullptr);
  EXPECT_EQ(gnn_graph_window(graph.get()), 0);
}

TEST(GraphFromCOO, SortedEdgesNeedNoPermutation) {
  GraphPtr graph = makeGraph(3, 3, {2, 0, 1}, {0, 1, 1});
  EXPECT_EQ(gnn_graph_edge_permutation(graph.get()), nullptr);
  EXPECT_EQ(columnIndices(graph.get()), (std::vector<int32_t>{2, 0, 1}));
  EXPECT_EQ(rowPointers(graph.get()), (std::vector<int32_t>{0, 1, 3, 3}));
}

TEST(GraphFromCOO, TakesInt32) {
  std::vector<int32_t> edges = {1, 0, 1, 0};
  gnn_tensor tensor = tensorOf(edges, {2, 2});
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  GraphPtr owner(graph);
  EXPECT_EQ(columnIndices(graph), (std::vector<int32_t>{0, 1}));
}

TEST(GraphFromCOO, KeepsDuplicatesAndSelfLoops) {
  GraphPtr graph = makeGraph(2, 2, {1, 1, 0, 1}, {1, 0, 0, 1});
  EXPECT_EQ(rowPointers(graph.get()), (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(columnIndices(graph.get()), (std::vector<int32_t>{1, 0, 1, 1}));
}

TEST(GraphFromCOO, TakesNoEdgesAndNoNodes) {
  GraphPtr isolated = makeGraph(5, 2, {}, {});
  EXPECT_EQ(gnn_graph_num_edges(isolated.get()), 0);
  EXPECT_EQ(rowPointers(isolated.get()), (std::vector<int32_t>{0, 0, 0}));
  GraphPtr empty = makeGraph(0, 0, {}, {});
  EXPECT_EQ(rowPointers(empty.get()), (std::vector<int32_t>{0}));
  GraphPtr oneNode = makeGraph(1, 1, {0}, {0});
  EXPECT_EQ(columnIndices(oneNode.get()), (std::vector<int32_t>{0}));
}

TEST(GraphFromCOO, AgreesWithAStableSort) {
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed)
  for (int64_t numEdges : {1, 10, 1000}) {
    std::vector<int64_t> sources, destinations;
    for (int64_t i = 0; i < numEdges; ++i) {
      sources.push_back(static_cast<int64_t>(random() % 50));
      destinations.push_back(static_cast<int64_t>(random() % 30));
    }
    std::vector<int32_t> order(static_cast<size_t>(numEdges));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      int64_t first = destinations[static_cast<size_t>(a)];
      int64_t second = destinations[static_cast<size_t>(b)];
      return first != second ? first < second : a < b;
    });
    GraphPtr graph = makeGraph(50, 30, sources, destinations);
    const int32_t *permutation = gnn_graph_edge_permutation(graph.get());
    if (permutation) {
      EXPECT_EQ(std::vector<int32_t>(permutation, permutation + numEdges),
                order);
    } else {
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
    const int32_t *columns = gnn_graph_column_indices(graph.get());
    for (size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ(columns[i], sources[static_cast<size_t>(order[i])]);
  }
}

TEST(GraphFromCOO, RefusesIndicesOutOfRange) {
  gnn_graph *graph = nullptr;
  std::vector<int64_t> edges = {0, 1, 0, 2};
  gnn_tensor tensor = tensorOf(edges, {2, 2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "edge_index[1][1] is 2, but the graph has 2 destination nodes "
                 "(0..1)",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  edges = {0, -1, 0, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "edge_index[0][1] is -1",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  edges = {0, 0, INT64_MIN, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "edge_index[1][0] is -9223372036854775808",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  // Beyond 32 bits, where a careless conversion would give node 0.
  edges = {INT64_C(1) << 32, 0, 0, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "edge_index[0][0] is 4294967296",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  edges = {0, 0, 0, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "the graph has no source nodes",
                 gnn_graph_from_coo(0, 2, &tensor, &graph, &error));
  EXPECT_EQ(graph, nullptr);
}

TEST(GraphFromCOO, RefusesWrongTensors) {
  gnn_graph *graph = nullptr;
  std::vector<float> floats(4);
  gnn_tensor tensor = tensorOf(floats, {2, 2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "edge_index is float32, but must be int32 or int64",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  std::vector<int64_t> edges(6);
  tensor = tensorOf(edges, {6});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "shape [6], but must have rank 2",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  tensor = tensorOf(edges, {3, 2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "[3, 2], but must have shape [2, E]",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "edge_index is NULL",
                 gnn_graph_from_coo(2, 2, nullptr, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'graph'",
                 gnn_graph_from_coo(2, 2, &tensor, nullptr, &error));
}

TEST(GraphFromCOO, RefusesImpossibleSizes) {
  gnn_graph *graph = nullptr;
  std::vector<int64_t> edges(2);
  gnn_tensor tensor = tensorOf(edges, {2, 1});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "-1 source nodes",
                 gnn_graph_from_coo(-1, 2, &tensor, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "-3 destination nodes",
                 gnn_graph_from_coo(2, -3, &tensor, &graph, &error));
  EXPECT_FAILURE(
      GNN_UNSUPPORTED, "at most 2147483647",
      gnn_graph_from_coo(INT64_C(1) << 31, 2, &tensor, &graph, &error));
  // The data is not read before the count is refused.
  tensor.shape[1] = INT64_C(1) << 31;
  EXPECT_FAILURE(GNN_UNSUPPORTED, "2147483648 edges",
                 gnn_graph_from_coo(2, 2, &tensor, &graph, &error));
}

//===----------------------------------------------------------------------===//
// Compressed rows
//===----------------------------------------------------------------------===//

struct CSR {
  std::vector<int64_t> rows;
  std::vector<int32_t> columns;
  gnn_graph *graph = nullptr;

  gnn_status build(int64_t numSources, gnn_error *error) {
    gnn_tensor rowTensor = tensorOf(rows, {static_cast<int64_t>(rows.size())});
    gnn_tensor columnTensor =
        tensorOf(columns, {static_cast<int64_t>(columns.size())});
    return gnn_graph_from_csr(numSources, &rowTensor, &columnTensor, &graph,
                              error);
  }
};

TEST(GraphFromCSR, CopiesWhatIsValid) {
  CSR csr{{0, 2, 2, 3}, {4, 0, 4}};
  ASSERT_SUCCESS(csr.build(5, &error));
  GraphPtr graph(csr.graph);
  csr.columns = {};
  csr.rows = {};
  EXPECT_EQ(gnn_graph_num_sources(graph.get()), 5);
  EXPECT_EQ(gnn_graph_num_destinations(graph.get()), 3);
  EXPECT_EQ(rowPointers(graph.get()), (std::vector<int32_t>{0, 2, 2, 3}));
  EXPECT_EQ(columnIndices(graph.get()), (std::vector<int32_t>{4, 0, 4}));
  EXPECT_EQ(gnn_graph_edge_permutation(graph.get()), nullptr);
}

TEST(GraphFromCSR, TakesNoNodes) {
  CSR csr{{0}, {}};
  ASSERT_SUCCESS(csr.build(0, &error));
  GraphPtr graph(csr.graph);
  EXPECT_EQ(gnn_graph_num_destinations(graph.get()), 0);
  EXPECT_NE(gnn_graph_column_indices(graph.get()), nullptr);
}

TEST(GraphFromCSR, RefusesWhatIsInconsistent) {
  CSR csr{{}, {}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "row_pointers is empty",
                 csr.build(2, &error));
  csr = {{1, 2}, {0, 0}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "row_pointers[0] is 1, but must be 0",
                 csr.build(2, &error));
  csr = {{0, 2, 1}, {0}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "row_pointers[2] is 1, less than 2",
                 csr.build(2, &error));
  csr = {{0, 1, 2}, {0, 0, 0}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "row_pointers ends in 2, but column_indices has 3",
                 csr.build(2, &error));
  csr = {{0, 1, 2}, {0, 2}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "column_indices[1] is 2, but the graph has 2 source nodes",
                 csr.build(2, &error));
  csr = {{0, 1, 2}, {-1, 0}};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "column_indices[0] is -1",
                 csr.build(2, &error));
  csr = {{0, INT64_C(1) << 32}, {0}};
  EXPECT_FAILURE(GNN_UNSUPPORTED, "row_pointers[1] is 4294967296",
                 csr.build(2, &error));
  EXPECT_EQ(csr.graph, nullptr);
}

TEST(GraphFromCSR, RefusesWrongTensors) {
  gnn_graph *graph = nullptr;
  std::vector<double> floats(2);
  std::vector<int32_t> ints(2);
  gnn_tensor wrong = tensorOf(floats, {2}), right = tensorOf(ints, {2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "row_pointers is float64",
                 gnn_graph_from_csr(2, &wrong, &right, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "column_indices is float64",
                 gnn_graph_from_csr(2, &right, &wrong, &graph, &error));
  gnn_tensor matrix = tensorOf(ints, {2, 1});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "rank 1",
                 gnn_graph_from_csr(2, &right, &matrix, &graph, &error));
}

//===----------------------------------------------------------------------===//
// Edge values
//===----------------------------------------------------------------------===//

TEST(PermuteEdges, FollowsTheGraph) {
  GraphPtr graph = makeGraph(2, 3, {0, 1, 0, 1}, {2, 1, 0, 1});
  std::vector<float> values = {0, 1, 10, 11, 20, 21, 30, 31};
  gnn_tensor tensor = tensorOf(values, {4, 2});
  OwnedTensor permuted;
  ASSERT_SUCCESS(
      gnn_graph_permute_edges(graph.get(), &tensor, &permuted, &error));
  EXPECT_EQ(shapeOf(permuted), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(valuesOf<float>(permuted),
            (std::vector<float>{20, 21, 10, 11, 30, 31, 0, 1}));
}

TEST(PermuteEdges, TakesAnyWidthOfRows) {
  GraphPtr graph = makeGraph(2, 2, {0, 1}, {1, 0});
  std::vector<uint8_t> bytes = {1, 0};
  gnn_tensor tensor = tensorOf(bytes, {2});
  OwnedTensor permutedBytes, permutedWords, permutedNothing;
  ASSERT_SUCCESS(
      gnn_graph_permute_edges(graph.get(), &tensor, &permutedBytes, &error));
  EXPECT_EQ(valuesOf<uint8_t>(permutedBytes), (std::vector<uint8_t>{0, 1}));
  std::vector<double> words = {1, 2};
  tensor = tensorOf(words, {2, 1, 1});
  ASSERT_SUCCESS(
      gnn_graph_permute_edges(graph.get(), &tensor, &permutedWords, &error));
  EXPECT_EQ(valuesOf<double>(permutedWords), (std::vector<double>{2, 1}));
  tensor = tensorOf(words, {2, 0});
  ASSERT_SUCCESS(
      gnn_graph_permute_edges(graph.get(), &tensor, &permutedNothing, &error));
  EXPECT_EQ(shapeOf(permutedNothing), (std::vector<int64_t>{2, 0}));
}

TEST(PermuteEdges, CopiesWhereTheOrderDidNotChange) {
  GraphPtr graph = makeGraph(2, 2, {0, 1}, {0, 1});
  std::vector<int32_t> values = {5, 6};
  gnn_tensor tensor = tensorOf(values, {2});
  OwnedTensor permuted;
  ASSERT_SUCCESS(
      gnn_graph_permute_edges(graph.get(), &tensor, &permuted, &error));
  EXPECT_NE(permuted.data, tensor.data);
  EXPECT_EQ(valuesOf<int32_t>(permuted), values);
}

TEST(PermuteEdges, RefusesWrongNumbersOfRows) {
  GraphPtr graph = makeGraph(2, 2, {0, 1}, {1, 0});
  std::vector<float> values(3);
  gnn_tensor tensor = tensorOf(values, {3});
  gnn_tensor permuted = {};
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT,
      "shape [3], but needs one row for each of the "
      "graph's 2 edges",
      gnn_graph_permute_edges(graph.get(), &tensor, &permuted, &error));
  tensor = tensorOf(values, {});
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "shape []",
      gnn_graph_permute_edges(graph.get(), &tensor, &permuted, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'graph'",
                 gnn_graph_permute_edges(nullptr, &tensor, &permuted, &error));
}
