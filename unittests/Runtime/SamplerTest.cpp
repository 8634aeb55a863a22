//===- SamplerTest.cpp - Tests of parts of graphs ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../runtime/Philox.h"
#include "FakeModel.h"
#include "TestUtil.h"
#include "gnn/Runtime/Batches.h"

#include <algorithm>
#include <map>
#include <set>

using namespace gnn::test;
using gnn::rt::NodeRandom;
using gnn::rt::philox;

using SamplerPtr = std::unique_ptr<gnn_sampler, Destroy<gnn_sampler_destroy>>;
using SubgraphPtr =
    std::unique_ptr<gnn_subgraph, Destroy<gnn_subgraph_destroy>>;
using Edge = std::pair<int64_t, int64_t>;

static SamplerPtr makeSampler(const GraphPtr &graph) {
  gnn_sampler *sampler = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_sampler_create(graph.get(), &sampler, &error), GNN_OK)
      << error.message;
  return SamplerPtr(sampler);
}

static gnn_sampling samplingOf(const std::vector<int64_t> &fanOuts,
                               uint64_t seed = 0, bool replace = false) {
  gnn_sampling sampling = {};
  sampling.fan_outs = fanOuts.data();
  sampling.num_hops = fanOuts.size();
  sampling.seed = seed;
  sampling.replace = replace;
  return sampling;
}

static SubgraphPtr sample(const SamplerPtr &sampler, std::vector<int64_t> seeds,
                          const std::vector<int64_t> &fanOuts,
                          uint64_t seed = 0, bool replace = false) {
  gnn_tensor tensor = tensorOf(seeds, {static_cast<int64_t>(seeds.size())});
  gnn_sampling sampling = samplingOf(fanOuts, seed, replace);
  gnn_subgraph *subgraph = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_sampler_neighbors(sampler.get(), &tensor, &sampling, &subgraph,
                                  &error),
            GNN_OK)
      << error.message;
  return SubgraphPtr(subgraph);
}

static std::vector<int32_t> nodesOf(const SubgraphPtr &part) {
  const int32_t *nodes = gnn_subgraph_nodes(part.get());
  return {nodes,
          nodes + gnn_graph_num_destinations(gnn_subgraph_graph(part.get()))};
}

static std::vector<int32_t> edgesOf(const SubgraphPtr &part) {
  const int32_t *edges = gnn_subgraph_edges(part.get());
  return {edges, edges + gnn_graph_num_edges(gnn_subgraph_graph(part.get()))};
}

namespace {
/// A random graph with its edges in the order they were given.
struct RandomGraph {
  std::vector<int64_t> sources, destinations;
  GraphPtr graph;

  RandomGraph(int64_t numNodes, int64_t numEdges) {
    for (int64_t e = 0; e < numEdges; ++e) {
      NodeRandom random(7, static_cast<uint32_t>(e), 0);
      sources.push_back(random.below(static_cast<uint32_t>(numNodes)));
      destinations.push_back(random.below(static_cast<uint32_t>(numNodes)));
    }
    graph = makeGraph(numNodes, numNodes, sources, destinations);
  }
};
} // namespace

/// Wants every edge of the part to be the edge of the graph that it says it is.
static void expectEdgesOf(const RandomGraph &whole, const SubgraphPtr &part) {
  std::vector<int32_t> nodes = nodesOf(part), edges = edgesOf(part);
  const gnn_graph *graph = gnn_subgraph_graph(part.get());
  std::vector<int32_t> rows = rowPointers(graph),
                       columns = columnIndices(graph);
  EXPECT_EQ(std::set<int32_t>(nodes.begin(), nodes.end()).size(), nodes.size());
  for (size_t row = 0; row < nodes.size(); ++row)
    for (int32_t e = rows[row]; e < rows[row + 1]; ++e) {
      EXPECT_EQ(whole.sources[edges[e]], nodes[columns[e]]);
      EXPECT_EQ(whole.destinations[edges[e]], nodes[row]);
      if (e > rows[row])
        EXPECT_LE(edges[e - 1], edges[e]);
    }
}

TEST(Philox, KnownAnswers) {
  // From the authors' Random123 distribution.
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
}

TEST(Sampler, TakesAllNeighborsInOrder) {
  // 0 <- 3, 0 <- 1, 1 <- 2, 2 <- 0, 4 alone; listed out of order.
  GraphPtr graph = makeGraph(5, 5, {2, 3, 1, 0}, {1, 0, 0, 2});
  SamplerPtr sampler = makeSampler(graph);
  SubgraphPtr part = sample(sampler, {4, 0}, {-1, -1});
  EXPECT_EQ(nodesOf(part), (std::vector<int32_t>{4, 0, 3, 1, 2}));
  EXPECT_EQ(edgesOf(part), (std::vector<int32_t>{1, 2, 0}));
  const gnn_graph *result = gnn_subgraph_graph(part.get());
  // Node 2 is of the last hop, so its in-edge is not there.
  EXPECT_EQ(rowPointers(result), (std::vector<int32_t>{0, 0, 2, 2, 3, 3}));
  EXPECT_EQ(columnIndices(result), (std::vector<int32_t>{2, 3, 4}));
  EXPECT_EQ(gnn_graph_edge_permutation(result), nullptr);
}

TEST(Sampler, NoHopsNoSeeds) {
  GraphPtr graph = makeGraph(3, 3, {0, 1}, {1, 2});
  SamplerPtr sampler = makeSampler(graph);
  EXPECT_EQ(nodesOf(sample(sampler, {2, 1}, {})), (std::vector<int32_t>{2, 1}));
  SubgraphPtr none = sample(sampler, {}, {-1});
  EXPECT_TRUE(nodesOf(none).empty());
  EXPECT_NE(gnn_graph_column_indices(gnn_subgraph_graph(none.get())), nullptr);
  EXPECT_EQ(nodesOf(sample(sampler, {2}, {0, -1})), (std::vector<int32_t>{2}));
}

TEST(Sampler, DrawsDifferentEdgesUpToTheFanOut) {
  RandomGraph whole(50, 800);
  SamplerPtr sampler = makeSampler(whole.graph);
  SubgraphPtr part = sample(sampler, {3, 40, 7}, {5, 3});
  expectEdgesOf(whole, part);
  std::vector<int32_t> nodes = nodesOf(part);
  EXPECT_EQ(std::vector<int32_t>(nodes.begin(), nodes.begin() + 3),
            (std::vector<int32_t>{3, 40, 7}));
  std::vector<int32_t> edges = edgesOf(part);
  EXPECT_EQ(std::set<int32_t>(edges.begin(), edges.end()).size(), edges.size());
  std::vector<int32_t> rows = rowPointers(gnn_subgraph_graph(part.get()));
  std::vector<int32_t> wholeRows = rowPointers(whole.graph.get());
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(rows[i + 1] - rows[i],
              std::min(5, wholeRows[nodes[i] + 1] - wholeRows[nodes[i]]));
  for (size_t i = 3; i < nodes.size(); ++i)
    EXPECT_LE(rows[i + 1] - rows[i], 3);
}

TEST(Sampler, DrawsEveryPairEquallyOften) {
  // Five in-edges, two of which are drawn: ten pairs.
  GraphPtr graph = makeGraph(6, 6, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0});
  SamplerPtr sampler = makeSampler(graph);
  std::map<std::vector<int32_t>, int> counts;
  for (int seed = 0; seed < 20000; ++seed)
    ++counts[edgesOf(sample(sampler, {0}, {2}, static_cast<uint64_t>(seed)))];
  EXPECT_EQ(counts.size(), 10u);
  // 2000 times each, with a standard deviation of about 42.
  for (const auto &[pair, count] : counts)
    EXPECT_NEAR(count, 2000, 200);
}

TEST(Sampler, WithReplacementDrawsTheFanOut) {
  RandomGraph whole(20, 60);
  SamplerPtr sampler = makeSampler(whole.graph);
  SubgraphPtr part = sample(sampler, {1, 2, 3}, {9}, 5, /*replace=*/true);
  expectEdgesOf(whole, part);
  std::vector<int32_t> rows = rowPointers(gnn_subgraph_graph(part.get()));
  std::vector<int32_t> wholeRows = rowPointers(whole.graph.get());
  for (int32_t i = 0; i < 3; ++i)
    EXPECT_EQ(rows[i + 1] - rows[i],
              wholeRows[i + 2] == wholeRows[i + 1] ? 0 : 9);
}

TEST(Sampler, DependsOnSeedAndNodeAlone) {
  RandomGraph whole(30, 900);
  SamplerPtr sampler = makeSampler(whole.graph);
  std::vector<int32_t> alone = edgesOf(sample(sampler, {4}, {6}, 1));
  EXPECT_EQ(alone, edgesOf(sample(makeSampler(whole.graph), {4}, {6}, 1)));
  EXPECT_NE(alone, edgesOf(sample(sampler, {4}, {6}, 2)));
  std::vector<int32_t> later = edgesOf(sample(sampler, {9, 4}, {6}, 1));
  EXPECT_EQ(alone, std::vector<int32_t>(later.end() - 6, later.end()));
}

TEST(Sampler, InducedHasAllEdgesAmongTheNodes) {
  RandomGraph whole(12, 60);
  SamplerPtr sampler = makeSampler(whole.graph);
  std::vector<int32_t> wanted = {5, 0, 7, 9};
  gnn_tensor nodes = tensorOf(wanted, {4});
  gnn_subgraph *raw = nullptr;
  ASSERT_SUCCESS(gnn_sampler_induced(sampler.get(), &nodes, &raw, &error));
  SubgraphPtr part(raw);
  EXPECT_EQ(nodesOf(part), wanted);
  expectEdgesOf(whole, part);
  auto isWanted = [&](int64_t node) {
    return std::find(wanted.begin(), wanted.end(), node) != wanted.end();
  };
  int64_t expected = 0;
  for (size_t e = 0; e < whole.sources.size(); ++e)
    expected += isWanted(whole.sources[e]) && isWanted(whole.destinations[e]);
  EXPECT_EQ(static_cast<int64_t>(edgesOf(part).size()), expected);
}

TEST(Sampler, SampledGraphsLackOutEdges) {
  FakeModel fake({graphPort("graph", GNN_TOPOLOGY_CSR),
                  tensorPort("x", GNN_FLOAT32, {-1}, GNN_AXIS_SOURCE)},
                 {tensorPort("y", GNN_FLOAT32, {-1}, GNN_AXIS_DESTINATION)},
                 [](void **arguments, gnn_memory *) {
                   constexpr int x = 4; // behind the parts of the graph
                   memref<float, 1>(arguments[0]) =
                       memref<float, 1>(arguments[x]);
                 });
  GraphPtr graph = makeGraph(3, 3, {0, 1, 2}, {1, 2, 0});
  SamplerPtr sampler = makeSampler(graph);
  std::vector<int64_t> nodes = {0, 1, 2};
  gnn_tensor all = tensorOf(nodes, {3});
  gnn_subgraph *raw = nullptr;
  ASSERT_SUCCESS(gnn_sampler_induced(sampler.get(), &all, &raw, &error));
  SubgraphPtr cluster(raw), sampled = sample(sampler, nodes, {-1});
  std::vector<float> values = {1, 2, 3};
  gnn_tensor x[] = {tensorOf(values, {3})};
  OwnedTensor y[1];
  for (bool readsOutEdges : {false, true}) {
    fake.model.reads_out_edges = readsOutEdges;
    SessionPtr session = openSession(fake.model);
    ASSERT_SUCCESS(runSession(session.get(), graph.get(), x, y, &error));
    ASSERT_SUCCESS(runSession(session.get(), gnn_subgraph_graph(cluster.get()),
                              x, y, &error));
    if (!readsOutEdges)
      ASSERT_SUCCESS(runSession(
          session.get(), gnn_subgraph_graph(sampled.get()), x, y, &error));
    else
      EXPECT_FAILURE(GNN_MISMATCH, "lacks edges out of its nodes",
                     runSession(session.get(),
                                gnn_subgraph_graph(sampled.get()), x, y,
                                &error));
  }
}

TEST(Sampler, RefusesOtherGraphs) {
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_CAUSAL, 4, 4, 0, &graph, &error));
  GraphPtr causal(graph), wide = makeGraph(3, 2, {2}, {1});
  gnn_sampler *sampler = nullptr;
  EXPECT_FAILURE(GNN_UNSUPPORTED,
                 "sampling needs a graph that lists its edges (csr), but this "
                 "is a causal graph",
                 gnn_sampler_create(causal.get(), &sampler, &error));
  EXPECT_FAILURE(GNN_UNSUPPORTED,
                 "sampling needs a graph whose sources are its destinations, "
                 "but this one has 3 sources and 2 destinations",
                 gnn_sampler_create(wide.get(), &sampler, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'graph'",
                 gnn_sampler_create(nullptr, &sampler, &error));
  EXPECT_EQ(sampler, nullptr);
}

TEST(Sampler, RefusesSeedsAndStaysUsable) {
  GraphPtr graph = makeGraph(3, 3, {0, 1}, {1, 2});
  SamplerPtr sampler = makeSampler(graph);
  gnn_subgraph *part = nullptr;
  std::vector<int64_t> fanOuts = {-1};
  gnn_sampling sampling = samplingOf(fanOuts);
  auto run = [&](std::vector<int64_t> seeds, gnn_error &error) {
    gnn_tensor tensor = tensorOf(seeds, {static_cast<int64_t>(seeds.size())});
    return gnn_sampler_neighbors(sampler.get(), &tensor, &sampling, &part,
                                 &error);
  };
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "node 3 is wanted, but the graph has 3 nodes",
                 run({2, 3}, error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "node -1 is wanted", run({-1}, error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "node 2 is wanted twice",
                 run({2, 0, 2}, error));
  fanOuts[0] = -2;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "-2 neighbours cannot be drawn at hop 0",
                 run({2}, error));
  EXPECT_EQ(part, nullptr);
  // Nothing of the failures is left.
  EXPECT_EQ(nodesOf(sample(sampler, {2}, {-1, -1})),
            (std::vector<int32_t>{2, 1, 0}));
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// Two cliques of `size` nodes with one edge between them, all edges in one
/// direction.
static GraphPtr makeCliques(int64_t size) {
  std::vector<int64_t> sources = {0}, destinations = {size};
  for (int64_t clique = 0; clique < 2; ++clique)
    for (int64_t i = 0; i < size; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        sources.push_back(clique * size + i);
        destinations.push_back(clique * size + j);
      }
  return makeGraph(2 * size, 2 * size, sources, destinations);
}

TEST(Partition, FindsCliques) {
  GraphPtr graph = makeCliques(20);
  OwnedTensor parts;
  ASSERT_SUCCESS(gnn_graph_partition(graph.get(), 2, &parts, &error));
  std::vector<int32_t> values = valuesOf<int32_t>(parts);
  ASSERT_EQ(values.size(), 40u);
  EXPECT_EQ(std::set<int32_t>(values.begin(), values.begin() + 20).size(), 1u);
  EXPECT_EQ(std::set<int32_t>(values.begin() + 20, values.end()).size(), 1u);
  EXPECT_NE(values.front(), values.back());
}

TEST(Partition, OnePartAllPartsNoNodes) {
  GraphPtr graph = makeCliques(3), empty = makeGraph(0, 0, {}, {});
  OwnedTensor one, all, none;
  ASSERT_SUCCESS(gnn_graph_partition(graph.get(), 1, &one, &error));
  EXPECT_EQ(valuesOf<int32_t>(one), std::vector<int32_t>(6, 0));
  ASSERT_SUCCESS(gnn_graph_partition(graph.get(), 6, &all, &error));
  EXPECT_EQ(valuesOf<int32_t>(all), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  ASSERT_SUCCESS(gnn_graph_partition(empty.get(), 1, &none, &error));
  EXPECT_EQ(shapeOf(none), std::vector<int64_t>{0});
}

TEST(Partition, WithoutEdgesAndNearlyAllParts) {
  GraphPtr graph = makeGraph(9, 9, {}, {}), cliques = makeCliques(5);
  OwnedTensor parts, many;
  ASSERT_SUCCESS(gnn_graph_partition(graph.get(), 3, &parts, &error));
  for (int32_t part : valuesOf<int32_t>(parts)) {
    EXPECT_GE(part, 0);
    EXPECT_LT(part, 3);
  }
  ASSERT_SUCCESS(gnn_graph_partition(cliques.get(), 9, &many, &error));
  for (int32_t part : valuesOf<int32_t>(many)) {
    EXPECT_GE(part, 0);
    EXPECT_LT(part, 9);
  }
}

TEST(Partition, Refuses) {
  GraphPtr graph = makeCliques(3), wide = makeGraph(3, 2, {2}, {1});
  OwnedTensor parts;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "a graph cannot be divided into 0 parts; give 1 or more",
                 gnn_graph_partition(graph.get(), 0, &parts, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "a graph of 6 nodes cannot be divided into 7 parts; give at "
                 "most as many as there are nodes",
                 gnn_graph_partition(graph.get(), 7, &parts, &error));
  EXPECT_FAILURE(GNN_UNSUPPORTED,
                 "partitioning needs a graph whose sources are its "
                 "destinations",
                 gnn_graph_partition(wide.get(), 2, &parts, &error));
  EXPECT_EQ(parts.data, nullptr);
}
