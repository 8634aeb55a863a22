//===- ComposeTest.cpp - Tests of graphs along paths ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <random>
#include <set>

using namespace gnn::test;

static GraphPtr compose(const GraphPtr &first, const GraphPtr &second) {
  gnn_graph *result = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_graph_compose(first.get(), second.get(), &result, &error),
            GNN_OK)
      << error.message;
  return GraphPtr(result);
}

TEST(GraphCompose, ListsEachPairOnceInOrder) {
  // Authors 0..3 write papers 0..2; duplicates and several ways are one edge.
  GraphPtr writes = makeGraph(4, 3, {3, 0, 1, 0, 0, 2}, {0, 0, 1, 1, 1, 2});
  GraphPtr cites = makeGraph(3, 2, {0, 1, 1, 0}, {1, 1, 1, 1});
  GraphPtr both = compose(writes, cites);
  EXPECT_EQ(gnn_graph_topology(both.get()), GNN_TOPOLOGY_CSR);
  EXPECT_EQ(gnn_graph_num_sources(both.get()), 4);
  EXPECT_EQ(gnn_graph_num_destinations(both.get()), 2);
  EXPECT_EQ(rowPointers(both.get()), (std::vector<int32_t>{0, 0, 3}));
  EXPECT_EQ(columnIndices(both.get()), (std::vector<int32_t>{0, 1, 3}));
  EXPECT_EQ(gnn_graph_edge_permutation(both.get()), nullptr);
}

TEST(GraphCompose, TakesGraphsWithoutNodesOrEdges) {
  GraphPtr none = makeGraph(0, 3, {}, {});
  GraphPtr edges = makeGraph(3, 2, {0, 2}, {1, 0});
  GraphPtr both = compose(none, edges);
  EXPECT_EQ(gnn_graph_num_sources(both.get()), 0);
  EXPECT_EQ(gnn_graph_num_edges(both.get()), 0);
  EXPECT_EQ(rowPointers(both.get()), (std::vector<int32_t>{0, 0, 0}));
}

TEST(GraphCompose, IsTheProductOfRandomMatrices) {
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed)
  const int64_t sizes[] = {30, 17, 23};
  auto draw = [&](int64_t sources, int64_t destinations) {
    std::vector<int64_t> from(70), to(70);
    for (int i = 0; i < 70; ++i) {
      from[i] = random() % sources;
      to[i] = random() % destinations;
    }
    return std::pair(from, to);
  };
  auto [a, b] = draw(sizes[0], sizes[1]);
  auto [c, d] = draw(sizes[1], sizes[2]);
  std::vector<std::set<int32_t>> expected(sizes[2]);
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < c.size(); ++j)
      if (b[i] == c[j])
        expected[d[j]].insert(static_cast<int32_t>(a[i]));
  GraphPtr both = compose(makeGraph(sizes[0], sizes[1], a, b),
                          makeGraph(sizes[1], sizes[2], c, d));
  std::vector<int32_t> rows{0}, columns;
  for (const std::set<int32_t> &row : expected) {
    columns.insert(columns.end(), row.begin(), row.end());
    rows.push_back(static_cast<int32_t>(columns.size()));
  }
  EXPECT_EQ(rowPointers(both.get()), rows);
  EXPECT_EQ(columnIndices(both.get()), columns);
}

TEST(GraphCompose, RefusesWhatDoesNotFit) {
  GraphPtr first = makeGraph(2, 3, {0}, {1}),
           second = makeGraph(2, 2, {0}, {1});
  gnn_graph *result = nullptr;
  EXPECT_FAILURE(GNN_MISMATCH,
                 "the first graph has 3 destination nodes, but the second one "
                 "has 2 source nodes",
                 gnn_graph_compose(first.get(), second.get(), &result, &error));
  gnn_graph *complete = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 3, 0, &complete, &error));
  GraphPtr owner(complete);
  EXPECT_FAILURE(GNN_UNSUPPORTED,
                 "gnn_graph_compose takes csr graphs, but its second one is "
                 "complete",
                 gnn_graph_compose(first.get(), complete, &result, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "first",
                 gnn_graph_compose(nullptr, second.get(), &result, &error));
  EXPECT_EQ(result, nullptr);
}
