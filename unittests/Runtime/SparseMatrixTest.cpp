//===- SparseMatrixTest.cpp - Tests of matrices as graphs -----------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "TestUtil.h"

#include "gnn/Runtime/Batches.h"

#include <cmath>

using namespace gnn::test;

TEST(SparseMatrix, ListsWhatIsNotZero) {
  float nan = std::nanf("");
  std::vector<float> elements = {0, 2, 0, -0.0F, 0, 0, 3, 0, nan};
  gnn_tensor matrix = tensorOf(elements, {3, 3});
  gnn_graph *made = nullptr;
  OwnedTensor values;
  ASSERT_SUCCESS(gnn_graph_from_matrix(&matrix, &made, &values, &error));
  GraphPtr graph(made);
  EXPECT_EQ(gnn_graph_topology(made), GNN_TOPOLOGY_CSR);
  EXPECT_EQ(gnn_graph_num_sources(made), 3);
  EXPECT_EQ(rowPointers(made), (std::vector<int32_t>{0, 1, 1, 3}));
  EXPECT_EQ(columnIndices(made), (std::vector<int32_t>{1, 0, 2}));
  std::vector<float> kept = valuesOf<float>(values);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0], 2);
  EXPECT_EQ(kept[1], 3);
  EXPECT_TRUE(std::isnan(kept[2]));
}

TEST(SparseMatrix, ConvertsAndMayBeEmpty) {
  std::vector<int64_t> elements = {0, 7};
  for (int64_t rows : {1, 0}) {
    gnn_tensor matrix = tensorOf(elements, {rows, 2});
    gnn_graph *made = nullptr;
    OwnedTensor values;
    ASSERT_SUCCESS(gnn_graph_from_matrix(&matrix, &made, &values, &error));
    GraphPtr graph(made);
    EXPECT_EQ(gnn_graph_num_destinations(made), rows);
    EXPECT_EQ(valuesOf<float>(values),
              rows ? std::vector<float>{7} : std::vector<float>());
  }
}

TEST(SparseMatrix, GathersRows) {
  // Edges into 0: 2, 1; into 1: none; into 2: 0. They come unsorted.
  GraphPtr matrix = makeGraph(3, 3, {0, 2, 1}, {2, 0, 0});
  std::vector<float> elements = {5, 6, 7};
  gnn_tensor values = tensorOf(elements, {3});
  const int32_t rows[] = {2, 1, 0, 2};
  gnn_graph *made = nullptr;
  OwnedTensor gathered;
  ASSERT_SUCCESS(gnn_graph_gather_rows(matrix.get(), &values, rows, 4, &made,
                                       &gathered, &error));
  GraphPtr graph(made);
  EXPECT_EQ(gnn_graph_num_sources(made), 3);
  EXPECT_EQ(rowPointers(made), (std::vector<int32_t>{0, 1, 1, 3, 4}));
  EXPECT_EQ(columnIndices(made), (std::vector<int32_t>{0, 2, 1, 0}));
  EXPECT_EQ(valuesOf<float>(gathered), (std::vector<float>{5, 6, 7, 5}));
}

TEST(SparseMatrix, RefusesWhatIsNone) {
  std::vector<float> elements(4);
  gnn_tensor vector = tensorOf(elements, {4});
  gnn_graph *made = nullptr;
  OwnedTensor values;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "matrix has shape [4], but must have shape [N, F]",
                 gnn_graph_from_matrix(&vector, &made, &values, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'values'",
                 gnn_graph_from_matrix(&vector, &made, nullptr, &error));
  GraphPtr matrix = makeGraph(2, 2, {0}, {1});
  gnn_tensor one = tensorOf(elements, {1});
  const int32_t rows[] = {0, 2};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "indices[1] is 2, but there are 2 rows, numbered from 0",
                 gnn_graph_gather_rows(matrix.get(), &one, rows, 2, &made,
                                       &values, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "-1 rows cannot be gathered",
                 gnn_graph_gather_rows(matrix.get(), &one, rows, -1, &made,
                                       &values, &error));
  gnn_graph *complete = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 2, 2, 0, &complete, &error));
  GraphPtr owner(complete);
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT,
      "a sparse matrix is a csr graph, but this one is complete",
      gnn_graph_gather_rows(complete, &one, rows, 1, &made, &values, &error));
  EXPECT_EQ(made, nullptr);
}

static gnn_port matrixPort(int64_t columns) {
  gnn_port port = graphPort("x", GNN_TOPOLOGY_CSR, /*bipartite=*/true);
  port.rank = 2;
  port.shape[0] = -1;
  port.shape[1] = columns;
  port.axis = GNN_AXIS_DESTINATION;
  return port;
}

static void doNothing(void **, gnn_memory *) {}

TEST(SparseMatrix, MustFitTheModel) {
  FakeModel fake({graphPort("graph", GNN_TOPOLOGY_CSR), matrixPort(4),
                  tensorPort("x.data", GNN_FLOAT32, {-1}, GNN_AXIS_EDGE, 1)},
                 {tensorPort("y", GNN_FLOAT32, {1}, GNN_AXIS_FIXED)},
                 doNothing);
  gnn_session *opened = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&fake.model, nullptr, &opened, &error));
  SessionPtr session(opened);
  GraphPtr graph = makeGraph(3, 3, {0}, {1});
  std::vector<float> elements = {1, 2};
  gnn_tensor values = tensorOf(elements, {2}), result;
  auto expect = [&](const char *text, const GraphPtr &matrix) {
    const gnn_graph *graphs[] = {graph.get(), matrix.get()};
    EXPECT_FAILURE(
        GNN_MISMATCH, text,
        gnn_session_run(opened, graphs, 2, &values, 1, &result, 1, &error));
  };
  expect("sparse matrix 'x' has 5 columns, but the model takes 4",
         makeGraph(5, 3, {0, 1}, {1, 1}));
  expect("sparse matrix 'x' has 2 rows, but the graph has 3 destination nodes",
         makeGraph(4, 2, {0, 1}, {1, 1}));
  expect("input 'x.data' has 2 rows, but the graph has 1 edges",
         makeGraph(4, 3, {0}, {1}));
}

TEST(SparseMatrix, IsABipartiteList) {
  gnn_port ports[] = {matrixPort(4), matrixPort(0), matrixPort(4)};
  ports[0].bipartite = 0;
  ports[2].rank = 1;
  for (const gnn_port &port : ports) {
    FakeModel fake({graphPort("graph", GNN_TOPOLOGY_CSR), port},
                   {tensorPort("y", GNN_FLOAT32, {1}, GNN_AXIS_FIXED)},
                   doNothing);
    gnn_session *session = nullptr;
    EXPECT_FAILURE(GNN_FORMAT_ERROR,
                   "port 'x' is no sparse matrix, but has a shape",
                   gnn_session_create(&fake.model, nullptr, &session, &error));
  }
}
