//===- AssignmentTest.cpp - Tests of graphs of nodes and clusters ---------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace gnn::test;

/// The graph of these clusters, or null.
template <typename T>
static GraphPtr assign(std::vector<T> clusters, int64_t numClusters) {
  gnn_tensor tensor = tensorOf(clusters, {int64_t(clusters.size())});
  gnn_graph *graph = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_graph_from_assignment(&tensor, numClusters, &graph, &error),
            GNN_OK)
      << error.message;
  return GraphPtr(graph);
}

TEST(Assignment, GathersTheNodesOfACluster) {
  // Cluster 2 is empty, and those of cluster 0 are not side by side.
  GraphPtr graph = assign<int64_t>({3, 0, 1, 0, 0}, -1);
  EXPECT_EQ(gnn_graph_topology(graph.get()), GNN_TOPOLOGY_CSR);
  EXPECT_EQ(gnn_graph_num_sources(graph.get()), 5);
  EXPECT_EQ(gnn_graph_num_destinations(graph.get()), 4);
  const int32_t *rows = gnn_graph_row_pointers(graph.get());
  EXPECT_EQ(std::vector<int32_t>(rows, rows + 5),
            (std::vector<int32_t>{0, 3, 4, 4, 5}));
  const int32_t *columns = gnn_graph_column_indices(graph.get());
  EXPECT_EQ(std::vector<int32_t>(columns, columns + 5),
            (std::vector<int32_t>{1, 3, 4, 2, 0}));
}

TEST(Assignment, TakesTheNumberOfClusters) {
  GraphPtr graph = assign<int32_t>({1, 0}, 7);
  EXPECT_EQ(gnn_graph_num_destinations(graph.get()), 7);
  EXPECT_EQ(gnn_graph_num_edges(graph.get()), 2);
}

TEST(Assignment, MayHaveNoNodes) {
  GraphPtr none = assign<int64_t>({}, -1);
  EXPECT_EQ(gnn_graph_num_destinations(none.get()), 0);
  GraphPtr empty = assign<int64_t>({}, 3);
  EXPECT_EQ(gnn_graph_num_destinations(empty.get()), 3);
}

TEST(Assignment, RefusesNumbersThatNameNoCluster) {
  gnn_graph *graph = nullptr;
  std::vector<int64_t> negative{0, -1}, large{0, 5, 1};
  gnn_tensor tensor = tensorOf(negative, {2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "cluster[1] is -1, but cluster numbers start at 0",
                 gnn_graph_from_assignment(&tensor, -1, &graph, &error));
  tensor = tensorOf(large, {3});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "cluster[1] is 5, but there are 5 clusters, numbered from 0",
                 gnn_graph_from_assignment(&tensor, 5, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "cluster[1] is 5, but there are 3 nodes; number clusters from "
                 "0, or say how many there are",
                 gnn_graph_from_assignment(&tensor, -1, &graph, &error));
  EXPECT_EQ(graph, nullptr);
}

TEST(Assignment, RefusesWhatIsNoVectorOfIntegers) {
  gnn_graph *graph = nullptr;
  std::vector<float> floats{0, 1};
  gnn_tensor tensor = tensorOf(floats, {2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "cluster",
                 gnn_graph_from_assignment(&tensor, -1, &graph, &error));
  std::vector<int64_t> matrix{0, 1};
  tensor = tensorOf(matrix, {2, 1});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "cluster",
                 gnn_graph_from_assignment(&tensor, -1, &graph, &error));
  tensor = tensorOf(matrix, {2});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "there cannot be -2 clusters; give 0 or more, or -1 to count "
                 "them",
                 gnn_graph_from_assignment(&tensor, -2, &graph, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "graph",
                 gnn_graph_from_assignment(&tensor, -1, nullptr, &error));
}
