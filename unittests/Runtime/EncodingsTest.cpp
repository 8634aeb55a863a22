//===- EncodingsTest.cpp - Encodings as C programs call them ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers are tested in test/EndToEnd/Encodings.
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Encodings.h"

#include "TestUtil.h"

using namespace gnn::test;

namespace {
class EncodingsTest : public testing::Test {
protected:
  /// 0 - 1 and 2 alone.
  void SetUp() override {
    gnn_tensor edges = tensorOf(pairs, {2, 2});
    ASSERT_SUCCESS(gnn_graph_from_coo(3, 3, &edges, &graph, &error));
  }
  void TearDown() override { gnn_graph_destroy(graph); }

  std::vector<int64_t> pairs{0, 1, 1, 0};
  gnn_graph *graph = nullptr;
  gnn_tensor first = {}, second = {};
};
} // namespace

TEST_F(EncodingsTest, PadsSmallGraphs) {
  std::vector<int32_t> pointers{0, 2, 2, 3};
  gnn_tensor nodes = tensorOf(pointers, {4});
  ASSERT_SUCCESS(
      gnn_encode_laplacian(graph, nullptr, &nodes, 2, &first, &second, &error));
  const auto *values = static_cast<const float *>(second.data);
  EXPECT_EQ(second.shape[0], 3);
  EXPECT_EQ(std::vector<float>(values, values + 6),
            (std::vector<float>{2, 0, 0, 0, 0, 0}));
  gnn_tensor_release(&first);
  gnn_tensor_release(&second);
}

TEST_F(EncodingsTest, GraphWithoutNodes) {
  gnn_graph *empty;
  gnn_tensor edges = tensorOf(pairs, {2, 0});
  ASSERT_SUCCESS(gnn_graph_from_coo(0, 0, &edges, &empty, &error));
  ASSERT_SUCCESS(gnn_encode_laplacian(empty, nullptr, nullptr, 2, &first,
                                      &second, &error));
  EXPECT_EQ(first.shape[0], 0);
  gnn_tensor_release(&first);
  gnn_tensor_release(&second);
  ASSERT_SUCCESS(gnn_encode_random_walk(empty, nullptr, 2, &first, &error));
  EXPECT_EQ(first.shape[0], 0);
  gnn_tensor_release(&first);
  ASSERT_SUCCESS(
      gnn_encode_shortest_paths(empty, nullptr, 2, 2, &first, &second, &error));
  EXPECT_EQ(first.shape[0], 0);
  gnn_tensor_release(&first);
  gnn_tensor_release(&second);
  gnn_graph_destroy(empty);
}

TEST_F(EncodingsTest, RefusesOtherTopologies) {
  gnn_graph *complete;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 3, 0, &complete, &error));
  EXPECT_FAILURE(GNN_UNSUPPORTED,
                 "encodings need a graph that lists its edges, not a complete "
                 "graph",
                 gnn_encode_degrees(complete, &first, &second, &error));
  gnn_graph_destroy(complete);
}

TEST_F(EncodingsTest, RefusesBipartiteGraphs) {
  gnn_graph *other;
  gnn_tensor edges = tensorOf(pairs, {2, 2});
  ASSERT_SUCCESS(gnn_graph_from_coo(2, 3, &edges, &other, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "of one kind of nodes, but there are 2 sources and 3 "
                 "destinations",
                 gnn_encode_random_walk(other, nullptr, 2, &first, &error));
  gnn_graph_destroy(other);
}

TEST_F(EncodingsTest, RefusesFaultyWeights) {
  std::vector<float> weights{1, 2, 3};
  gnn_tensor edgeWeight = tensorOf(weights, {3});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "edge_weight is float32 of shape [3], but must be float32 of "
                 "shape [2]",
                 gnn_encode_random_walk(graph, &edgeWeight, 2, &first, &error));
  edgeWeight = tensorOf(weights, {2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "Laplacian eigenvectors need",
                 gnn_encode_laplacian(graph, &edgeWeight, nullptr, 1, &first,
                                      &second, &error));
}

TEST_F(EncodingsTest, RefusesFaultyPointers) {
  auto encode = [&](std::vector<int32_t> pointers, gnn_error *error) {
    gnn_tensor nodes = tensorOf(pointers, {int64_t(pointers.size())});
    return gnn_encode_shortest_paths(graph, &nodes, 2, 0, &first, nullptr,
                                     error);
  };
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "node_pointers is empty",
                 encode({}, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "node_pointers[1] is 4",
                 encode({0, 4}, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "have 2 nodes, but there are 3",
                 encode({0, 2}, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "from node 1 to node 0, which are in different graphs",
                 encode({0, 1, 3}, &error));
}

TEST_F(EncodingsTest, RefusesFaultyCounts) {
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "the number of eigenvectors must be at least 1",
                 gnn_encode_laplacian(graph, nullptr, nullptr, 0, &first,
                                      &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "the length of walks must be at least 1",
                 gnn_encode_random_walk(graph, nullptr, 0, &first, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "the largest distance must be at least 1",
      gnn_encode_shortest_paths(graph, nullptr, 0, 1, &first, &second, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "the length of paths must be at least 1",
      gnn_encode_shortest_paths(graph, nullptr, 1, 0, &first, &second, &error));
}

TEST_F(EncodingsTest, RefusesFaultySpectra) {
  std::vector<float> numbers(6);
  gnn_tensor vectors = tensorOf(numbers, {gnn_graph_num_sources(graph), 1});
  gnn_tensor values = tensorOf(numbers, {1, 1}),
             wide = tensorOf(numbers, {1, 2});
  ASSERT_SUCCESS(gnn_encode_laplacian_pairs(graph, nullptr, &vectors, &values,
                                            &first, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "values is float32 of shape [1, 2], but must be float32 of "
                 "shape [1, 1]",
                 gnn_encode_laplacian_pairs(graph, nullptr, &vectors, &wide,
                                            &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "vectors is float32 of shape [1, 2]",
                 gnn_encode_laplacian_pairs(graph, nullptr, &wide, &wide,
                                            &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'vectors'",
                 gnn_encode_laplacian_pairs(graph, nullptr, nullptr, &values,
                                            &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'values'",
                 gnn_encode_laplacian_pairs(graph, nullptr, &vectors, nullptr,
                                            &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'pairs'",
                 gnn_encode_laplacian_pairs(graph, nullptr, &vectors, &values,
                                            nullptr, &error));
  gnn_tensor_release(&first);
}

TEST_F(EncodingsTest, RefusesFaultyVirtualNodes) {
  std::vector<int64_t> none, numbers(9);
  gnn_tensor noEdges = tensorOf(none, {2, 0});
  gnn_tensor nine = tensorOf(numbers, {9}), eight = tensorOf(numbers, {8});
  gnn_graph *lonely = nullptr;
  ASSERT_SUCCESS(gnn_graph_from_coo(3, 3, &noEdges, &lonely, &error));
  GraphPtr owner(lonely);
  ASSERT_SUCCESS(gnn_encode_virtual_nodes(lonely, nullptr, 7, &nine, &error));
  EXPECT_EQ(numbers, (std::vector<int64_t>{7, 7, 7, 7, 0, 0, 7, 0, 0}));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "distances are int64 of shape [8], but must be",
                 gnn_encode_virtual_nodes(lonely, nullptr, 7, &eight, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "virtual nodes have none",
                 gnn_encode_virtual_nodes(graph, nullptr, 7, &nine, &error));
}

TEST_F(EncodingsTest, GathersValuesAlongPaths) {
  std::vector<int64_t> places{1, -1, 0, 1};
  std::vector<float> features{1, 2, 3, 4};
  gnn_tensor paths = tensorOf(places, {2, 2});
  gnn_tensor values = tensorOf(features, {2, 2});
  ASSERT_SUCCESS(
      gnn_encode_path_values(&paths, &values, &first, &second, &error));
  ASSERT_EQ(gnn_tensor_size(&first), 8);
  const auto *along = static_cast<const float *>(first.data);
  EXPECT_EQ(std::vector<float>(along, along + 8),
            (std::vector<float>{3, 4, 0, 0, 1, 2, 3, 4}));
  const auto *lengths = static_cast<const int64_t *>(second.data);
  EXPECT_EQ(std::vector<int64_t>(lengths, lengths + 2),
            (std::vector<int64_t>{1, 2}));
  gnn_tensor_release(&first);
  gnn_tensor_release(&second);
}

TEST_F(EncodingsTest, RefusesFaultyPaths) {
  std::vector<int64_t> places{1, 2};
  std::vector<float> features{1, 2};
  gnn_tensor paths = tensorOf(places, {1, 2}), flat = tensorOf(places, {2});
  gnn_tensor values = tensorOf(features, {2});
  gnn_tensor cube = tensorOf(features, {2, 1, 1});
  EXPECT_FAILURE(
      GNN_MISMATCH, "paths name edge 2, but there are values of 2 edges",
      gnn_encode_path_values(&paths, &values, &first, &second, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "paths are int64 with two dimensions",
      gnn_encode_path_values(&flat, &values, &first, &second, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "values of edges are float32",
      gnn_encode_path_values(&paths, &cube, &first, &second, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "NULL as 'values'",
      gnn_encode_path_values(&paths, &values, nullptr, &second, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "NULL as 'lengths'",
      gnn_encode_path_values(&paths, &values, &first, nullptr, &error));
}

TEST_F(EncodingsTest, RefusesNull) {
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'graph'",
                 gnn_encode_degrees(nullptr, &first, &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'in_degrees'",
                 gnn_encode_degrees(graph, nullptr, &second, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'probabilities'",
                 gnn_encode_random_walk(graph, nullptr, 1, nullptr, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'values'",
                 gnn_encode_laplacian(graph, nullptr, nullptr, 1, &first,
                                      nullptr, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'distances'",
                 gnn_encode_shortest_paths(graph, nullptr, 1, 1, nullptr,
                                           &second, &error));
}
