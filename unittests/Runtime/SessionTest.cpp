//===- SessionTest.cpp - Tests of running models ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "TestUtil.h"

#include <numeric>

using namespace gnn::test;

/// Opens a model that must be right.
static SessionPtr openModel(const gnn_model &model) {
  gnn_session *session = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_session_create(&model, nullptr, &session, &error), GNN_OK)
      << error.message;
  return SessionPtr(session);
}

//===----------------------------------------------------------------------===//
// The sum of weighted neighbours
//===----------------------------------------------------------------------===//

/// (csr, x [sources, 2], w [edges]) -> out [destinations, 2], and the edges'
/// weights times 10 in CSR order.
static void invokeSum(void **arguments, gnn_memory *memory) {
  auto &rows = memref<int32_t, 1>(arguments[1]);
  auto &columns = memref<int32_t, 1>(arguments[2]);
  int64_t numSources = *static_cast<int64_t *>(arguments[3]);
  auto &x = memref<float, 2>(arguments[4]);
  auto &weights = memref<float, 1>(arguments[5]);
  int64_t numRows = rows.sizes[0] - 1;
  EXPECT_EQ(x.sizes[0], numSources);
  EXPECT_EQ(x.strides[0], 2);
  EXPECT_EQ(weights.sizes[0], columns.sizes[0]);

  auto out = MemRef<float, 2>::make(memory, {numRows, 2});
  auto scaled = MemRef<float, 1>::make(memory, {columns.sizes[0]});
  for (int64_t i = 0; i < numRows; ++i) {
    float *row = out.aligned + 2 * i;
    row[0] = row[1] = 0;
    for (int32_t e = rows.aligned[i]; e < rows.aligned[i + 1]; ++e) {
      const float *source =
          x.aligned + static_cast<ptrdiff_t>(2) * columns.aligned[e];
      row[0] += weights.aligned[e] * source[0];
      row[1] += weights.aligned[e] * source[1];
      scaled.aligned[e] = 10 * weights.aligned[e];
    }
  }
  char *results = static_cast<char *>(arguments[0]);
  memref<float, 2>(results) = out;
  memref<float, 1>(results + sizeof(out)) = scaled;
}

struct SumModel : FakeModel {
  SumModel()
      : FakeModel(
            {graphPort("g", GNN_TOPOLOGY_CSR, /*bipartite=*/true),
             tensorPort("x", GNN_FLOAT32, {-1, 2}, GNN_AXIS_SOURCE),
             tensorPort("w", GNN_FLOAT32, {-1}, GNN_AXIS_EDGE)},
            {tensorPort("out", GNN_FLOAT32, {-1, 2}, GNN_AXIS_DESTINATION),
             tensorPort("scaled", GNN_FLOAT32, {-1}, GNN_AXIS_EDGE)},
            invokeSum) {}
};

/// What a run of SumModel takes and gives.
struct SumRun {
  GraphPtr graph;
  std::vector<float> x, w;
  gnn_tensor tensors[2] = {};
  const gnn_graph *graphs[1] = {};
  OwnedTensor outputs[2];

  SumRun(GraphPtr built, std::vector<float> features,
         std::vector<float> weights)
      : graph(std::move(built)), x(std::move(features)), w(std::move(weights)) {
    tensors[0] = tensorOf(x, {static_cast<int64_t>(x.size() / 2), 2});
    tensors[1] = tensorOf(w, {static_cast<int64_t>(w.size())});
    graphs[0] = graph.get();
  }

  gnn_status run(gnn_session *session, gnn_error *error) {
    return runSession(session, graphs[0], tensors, outputs, error);
  }
};

TEST(Session, PermutesEdgeTensorsThereAndBack) {
  SumModel fake;
  SessionPtr session = openModel(fake.model);
  EXPECT_EQ(gnn_session_model(session.get()), &fake.model);
  // Edges 0 -> 1, 2 -> 0, 1 -> 1, 0 -> 0 in the caller's order.
  SumRun run(makeGraph(3, 2, {0, 2, 1, 0}, {1, 0, 1, 0}), {1, 2, 3, 4, 5, 6},
             {1, 10, 100, 1000});
  ASSERT_SUCCESS(run.run(session.get(), &error));
  EXPECT_EQ(shapeOf(run.outputs[0]), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(valuesOf<float>(run.outputs[0]),
            (std::vector<float>{1050, 2060, 301, 402}));
  EXPECT_EQ(valuesOf<float>(run.outputs[1]),
            (std::vector<float>{10, 100, 1000, 10000}));
  EXPECT_EQ(run.w, (std::vector<float>{1, 10, 100, 1000}));
}

TEST(Session, ServesGraphsOfEverySize) {
  SumModel fake;
  SessionPtr session = openModel(fake.model);
  for (int64_t nodes : {3, 50, 0, 1, 7}) {
    std::vector<int64_t> sources, destinations;
    std::vector<float> weights, expected(static_cast<size_t>(2 * nodes));
    for (int64_t i = nodes; i-- > 0;) {
      sources.push_back(i);
      destinations.push_back(i);
      weights.push_back(static_cast<float>(i));
      expected[static_cast<size_t>(2 * i)] = static_cast<float>(i);
      expected[static_cast<size_t>(2 * i + 1)] = static_cast<float>(i);
    }
    SumRun run(makeGraph(nodes, nodes, sources, destinations),
               std::vector<float>(static_cast<size_t>(2 * nodes), 1.0f),
               weights);
    ASSERT_SUCCESS(run.run(session.get(), &error));
    EXPECT_EQ(valuesOf<float>(run.outputs[0]), expected);
    for (float &weight : weights)
      weight *= 10;
    EXPECT_EQ(valuesOf<float>(run.outputs[1]), weights);
  }
}

TEST(Session, TakesGraphsWithoutEdges) {
  SumModel fake;
  SessionPtr session = openModel(fake.model);
  SumRun run(makeGraph(1, 2, {}, {}), {1, 2}, {});
  ASSERT_SUCCESS(run.run(session.get(), &error));
  EXPECT_EQ(valuesOf<float>(run.outputs[0]), std::vector<float>(4, 0.0f));
  EXPECT_EQ(shapeOf(run.outputs[1]), std::vector<int64_t>{0});
}

//===----------------------------------------------------------------------===//
// Mismatches
//===----------------------------------------------------------------------===//

class SessionMismatch : public testing::Test {
protected:
  SumModel fake;
  SessionPtr session = openModel(fake.model);
  SumRun run{makeGraph(3, 2, {0, 2}, {1, 0}), {1, 2, 3, 4, 5, 6}, {1, 2}};

  void expect(gnn_status status, const char *text) {
    EXPECT_FAILURE(status, text, run.run(session.get(), &error));
  }
};

TEST_F(SessionMismatch, OfCounts) {
  gnn_tensor outputs[2] = {};
  auto call = [&](size_t graphs, size_t tensors, size_t results,
                  gnn_error *error) {
    return gnn_session_run(session.get(), run.graphs, graphs, run.tensors,
                           tensors, outputs, results, error);
  };
  EXPECT_FAILURE(GNN_MISMATCH,
                 "model 'fake' has 1 graph input, but 0 were passed",
                 call(0, 2, 2, &error));
  EXPECT_FAILURE(GNN_MISMATCH, "has 2 tensor inputs, but 1 was passed",
                 call(1, 1, 2, &error));
  EXPECT_FAILURE(GNN_MISMATCH, "has 2 outputs, but 3 were passed",
                 call(1, 2, 3, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL was passed",
                 gnn_session_run(session.get(), run.graphs, 1, nullptr, 2,
                                 outputs, 2, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'session'",
                 gnn_session_run(nullptr, run.graphs, 1, run.tensors, 2,
                                 outputs, 2, &error));
}

TEST_F(SessionMismatch, OfGraphs) {
  run.graphs[0] = nullptr;
  expect(GNN_INVALID_ARGUMENT, "graph 'g' is NULL");
  gnn_graph *complete = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 2, 0, &complete, &error));
  GraphPtr owner(complete);
  run.graphs[0] = complete;
  expect(GNN_MISMATCH, "graph 'g' is a complete graph, but the model was "
                       "compiled for csr graphs");
}

TEST_F(SessionMismatch, OfSquareGraphs) {
  fake.inputs[0].bipartite = 0;
  expect(GNN_MISMATCH, "has 3 source and 2 destination nodes");
}

TEST_F(SessionMismatch, OfWindows) {
  FakeModel window({graphPort("g", GNN_TOPOLOGY_WINDOW, false, 4)}, {},
                   [](void **, gnn_memory *) {});
  SessionPtr windowSession = openModel(window.model);
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_WINDOW, 3, 3, 2, &graph, &error));
  GraphPtr owner(graph);
  const gnn_graph *graphs[] = {graph};
  EXPECT_FAILURE(GNN_MISMATCH,
                 "has window 2, but the model was compiled for window 4",
                 gnn_session_run(windowSession.get(), graphs, 1, nullptr, 0,
                                 nullptr, 0, &error));
}

TEST(Session, ChecksThatInputsAgreeOnTheNodesOfAType) {
  gnn_port writes = graphPort("author__writes__paper", GNN_TOPOLOGY_COMPLETE,
                              /*bipartite=*/true);
  writes.node_types[0] = "author";
  writes.node_types[1] = "paper";
  gnn_port cites = graphPort("paper__cites__paper", GNN_TOPOLOGY_COMPLETE);
  cites.node_types[0] = cites.node_types[1] = "paper";
  gnn_port rows = tensorPort("x/paper", GNN_FLOAT32, {-1});
  rows.node_types[0] = "paper";
  FakeModel fake({writes, cites, rows}, {}, [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  auto run = [&](int64_t citing, size_t numRows, gnn_error *error) {
    gnn_graph *first = nullptr, *second = nullptr;
    EXPECT_EQ(gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 2, 3, 0, &first, error),
              GNN_OK);
    EXPECT_EQ(gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, citing, citing, 0,
                                &second, error),
              GNN_OK);
    GraphPtr firstOwner(first), secondOwner(second);
    const gnn_graph *graphs[] = {first, second};
    std::vector<float> x(numRows);
    gnn_tensor tensor = tensorOf(x, {static_cast<int64_t>(numRows)});
    return gnn_session_run(session.get(), graphs, 2, &tensor, 1, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(3, 3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "'paper__cites__paper' has 4 nodes of type 'paper', but "
                 "'author__writes__paper' has 3; the two must agree",
                 run(4, 3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "'x/paper' has 2 nodes of type 'paper', but "
                 "'author__writes__paper' has 3; the two must agree",
                 run(3, 2, &error));
}

TEST(Session, ChecksThatABatchHasTheNodesOfItsGraph) {
  gnn_port batch = graphPort("batch", GNN_TOPOLOGY_COMPLETE, true);
  batch.axis = GNN_AXIS_DESTINATION;
  batch.graph = 0;
  FakeModel fake({graphPort("g", GNN_TOPOLOGY_COMPLETE), batch}, {},
                 [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  auto run = [&](int64_t nodes, gnn_error *error) {
    gnn_graph *graph = nullptr, *pool = nullptr;
    EXPECT_EQ(gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 3, 0, &graph, error),
              GNN_OK);
    EXPECT_EQ(
        gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, nodes, 1, 0, &pool, error),
        GNN_OK);
    GraphPtr graphOwner(graph), poolOwner(pool);
    const gnn_graph *graphs[] = {graph, pool};
    return gnn_session_run(session.get(), graphs, 2, nullptr, 0, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "graph 'batch' has 4 source nodes, but graph 0 has 3 "
                 "destination nodes, which must be the same",
                 run(4, &error));
}

TEST(Session, ChecksThatNodesAreInBatchesAndClusters) {
  gnn_port batch = graphPort("batch", GNN_TOPOLOGY_BLOCK_DIAGONAL, true);
  gnn_port cluster = graphPort("cluster", GNN_TOPOLOGY_CSR, true);
  batch.axis = cluster.axis = GNN_AXIS_DESTINATION;
  FakeModel fake({graphPort("graph", GNN_TOPOLOGY_COMPLETE), batch, cluster},
                 {}, [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  auto run = [&](int64_t numInBatch, int64_t numInClusters, gnn_error *error) {
    std::vector<int64_t> nodes{0, numInBatch}, pools{0, 1}, zeros(10);
    gnn_tensor sources = tensorOf(nodes, {2}),
               destinations = tensorOf(pools, {2});
    gnn_tensor clusters = tensorOf(zeros, {numInClusters});
    gnn_graph *graph = nullptr, *pool = nullptr, *assigned = nullptr;
    EXPECT_EQ(gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 3, 0, &graph, error),
              GNN_OK);
    EXPECT_EQ(gnn_graph_block_diagonal(&sources, &destinations, &pool, error),
              GNN_OK);
    EXPECT_EQ(gnn_graph_from_assignment(&clusters, 1, &assigned, error),
              GNN_OK);
    GraphPtr graphOwner(graph), poolOwner(pool), assignedOwner(assigned);
    const gnn_graph *graphs[] = {graph, pool, assigned};
    return gnn_session_run(session.get(), graphs, 3, nullptr, 0, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(3, 3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "graph 'batch' has 4 source nodes, but graph 0 has 3 "
                 "destination nodes, which must be the same",
                 run(4, 3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "graph 'cluster' has 2 source nodes, but graph 0 has 3 "
                 "destination nodes, which must be the same",
                 run(3, 2, &error));
}

TEST(Session, ChecksNumbersAgainstTheirLimit) {
  for (gnn_dtype dtype : {GNN_INT32, GNN_INT64}) {
    gnn_port ids = tensorPort("ids", dtype, {-1, 2});
    ids.limit = 10;
    FakeModel fake({ids}, {}, [](void **, gnn_memory *) {});
    SessionPtr session = openModel(fake.model);
    int32_t narrow[] = {0, 9, 3, 4};
    int64_t wide[] = {0, 9, 3, 4};
    int64_t shape[] = {2, 2};
    gnn_tensor tensor = gnn_tensor_borrow(
        dtype == GNN_INT32 ? static_cast<void *>(narrow) : wide, dtype, 2,
        shape);
    auto run = [&](gnn_error *error) {
      return gnn_session_run(session.get(), nullptr, 0, &tensor, 1, nullptr, 0,
                             error);
    };
    ASSERT_SUCCESS(run(&error));
    narrow[2] = 10;
    wide[2] = 10;
    EXPECT_FAILURE(GNN_MISMATCH,
                   "input 'ids' has 10 in row 1, but the model takes numbers "
                   "from 0 to 9",
                   run(&error));
    narrow[2] = -1;
    wide[2] = -1;
    EXPECT_FAILURE(GNN_MISMATCH, "input 'ids' has -1 in row 1", run(&error));
    tensor.shape[0] = 0;
    ASSERT_SUCCESS(run(&error));
  }
}

TEST(Session, ChecksNumbersAgainstTheLimitOfTheirColumn) {
  gnn_port ids = tensorPort("ids", GNN_INT64, {-1, 2});
  int32_t limits[] = {10, 3};
  ids.limits = limits;
  ids.num_limits = 2;
  FakeModel fake({ids}, {}, [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  int64_t numbers[] = {9, 2, 0, 1};
  int64_t shape[] = {2, 2};
  gnn_tensor tensor = gnn_tensor_borrow(numbers, GNN_INT64, 2, shape);
  auto run = [&](gnn_error *error) {
    return gnn_session_run(session.get(), nullptr, 0, &tensor, 1, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(&error));
  numbers[3] = 3;
  EXPECT_FAILURE(GNN_MISMATCH,
                 "input 'ids' has 3 in row 1, column 1, but the model takes "
                 "numbers from 0 to 2 there",
                 run(&error));
  numbers[0] = -1;
  EXPECT_FAILURE(GNN_MISMATCH, "input 'ids' has -1 in row 0, column 0",
                 run(&error));
  tensor.shape[0] = 0;
  ASSERT_SUCCESS(run(&error));
}

TEST(Session, ChecksSegmentsAgainstTheirLimit) {
  gnn_port port = graphPort("g", GNN_TOPOLOGY_BLOCK_DIAGONAL);
  port.limit = 3;
  FakeModel fake({port}, {}, [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  auto run = [&](int32_t last, gnn_error *error) {
    int32_t pointers[] = {0, 3, 5, last};
    int64_t shape[] = {4};
    gnn_tensor tensor = gnn_tensor_borrow(pointers, GNN_INT32, 1, shape);
    gnn_graph *graph = nullptr;
    EXPECT_EQ(gnn_graph_block_diagonal(&tensor, &tensor, &graph, error),
              GNN_OK);
    GraphPtr owner(graph);
    const gnn_graph *graphs[] = {graph};
    return gnn_session_run(session.get(), graphs, 1, nullptr, 0, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(8, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "segment 2 of graph 'g' has 4 nodes, but the model takes at "
                 "most 3",
                 run(9, &error));
}

TEST(Session, ChecksNodesAgainstTheirLimit) {
  gnn_port port = graphPort("g", GNN_TOPOLOGY_COMPLETE);
  port.limit = 3;
  FakeModel fake({port}, {}, [](void **, gnn_memory *) {});
  SessionPtr session = openModel(fake.model);
  auto run = [&](int64_t nodes, gnn_error *error) {
    gnn_graph *graph = nullptr;
    EXPECT_EQ(gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, nodes, nodes, 0, &graph,
                                error),
              GNN_OK);
    GraphPtr owner(graph);
    const gnn_graph *graphs[] = {graph};
    return gnn_session_run(session.get(), graphs, 1, nullptr, 0, nullptr, 0,
                           error);
  };
  ASSERT_SUCCESS(run(3, &error));
  EXPECT_FAILURE(GNN_MISMATCH,
                 "graph 'g' has 4 nodes, but the model takes at most 3",
                 run(4, &error));
}

TEST_F(SessionMismatch, OfRows) {
  run.tensors[0].shape[0] = 2;
  expect(GNN_MISMATCH,
         "input 'x' has 2 rows, but the graph has 3 source nodes");
  run.tensors[0].shape[0] = 3;
  run.tensors[1].shape[0] = 1;
  expect(GNN_MISMATCH, "input 'w' has 1 rows, but the graph has 2 edges");
}

TEST_F(SessionMismatch, OfWidths) {
  run.tensors[0].shape[1] = 1;
  expect(GNN_MISMATCH, "input 'x' has shape [3, 1], but the model takes "
                       "[-1, 2]");
}

TEST_F(SessionMismatch, OfRanksAndDtypes) {
  run.tensors[0].rank = 1;
  expect(GNN_MISMATCH, "shape [3], but the model takes 2 dimensions");
  run.tensors[0].rank = 2;
  run.tensors[0].dtype = GNN_INT32;
  expect(GNN_MISMATCH, "input 'x' is int32, but the model takes float32");
}

TEST_F(SessionMismatch, OfMalformedTensors) {
  run.tensors[0].data = nullptr;
  expect(GNN_INVALID_ARGUMENT, "input 'x' has shape [3, 2], but its data is "
                               "NULL");
  run.tensors[0].rank = 100;
  expect(GNN_INVALID_ARGUMENT, "rank 100");
}

//===----------------------------------------------------------------------===//
// Arguments of other topologies
//===----------------------------------------------------------------------===//

TEST(Session, FlattensRegularGraphs) {
  FakeModel fake({graphPort("g", GNN_TOPOLOGY_COMPLETE, true)},
                 {tensorPort("sizes", GNN_INT64, {2})},
                 [](void **arguments, gnn_memory *memory) {
                   auto sizes = MemRef<int64_t, 1>::make(memory, {2});
                   sizes.aligned[0] = *static_cast<int64_t *>(arguments[1]);
                   sizes.aligned[1] = *static_cast<int64_t *>(arguments[2]);
                   memref<int64_t, 1>(arguments[0]) = sizes;
                 });
  SessionPtr session = openModel(fake.model);
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 5, 0, &graph, &error));
  GraphPtr owner(graph);
  const gnn_graph *graphs[] = {graph};
  OwnedTensor output;
  ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, nullptr, 0, &output,
                                 1, &error));
  // Destinations come first.
  EXPECT_EQ(valuesOf<int64_t>(output), (std::vector<int64_t>{5, 3}));
}

TEST(Session, FlattensBlockDiagonalGraphs) {
  FakeModel fake({graphPort("g", GNN_TOPOLOGY_BLOCK_DIAGONAL, true)},
                 {tensorPort("ends", GNN_INT32, {-1})},
                 [](void **arguments, gnn_memory *memory) {
                   auto ends = MemRef<int32_t, 1>::make(memory, {4});
                   for (int i = 0; i < 2; ++i) {
                     auto &pointers = memref<int32_t, 1>(arguments[1 + i]);
                     ends.aligned[2 * i] =
                         static_cast<int32_t>(pointers.sizes[0]);
                     ends.aligned[2 * i + 1] = pointers.aligned[2];
                   }
                   memref<int32_t, 1>(arguments[0]) = ends;
                 });
  SessionPtr session = openModel(fake.model);
  std::vector<int32_t> sources = {0, 1, 4}, destinations = {0, 2, 7};
  gnn_tensor sourceTensor = tensorOf(sources, {3});
  gnn_tensor destinationTensor = tensorOf(destinations, {3});
  gnn_graph *graph = nullptr;
  ASSERT_SUCCESS(gnn_graph_block_diagonal(&sourceTensor, &destinationTensor,
                                          &graph, &error));
  GraphPtr owner(graph);
  const gnn_graph *graphs[] = {graph};
  OwnedTensor output;
  ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, nullptr, 0, &output,
                                 1, &error));
  EXPECT_EQ(valuesOf<int32_t>(output), (std::vector<int32_t>{3, 7, 3, 4}));
}

TEST(Session, ReportsThatMemoryIsShort) {
  FakeModel fake({tensorPort("n", GNN_INT64, {})},
                 {tensorPort("y", GNN_FLOAT32, {-1})},
                 [](void **arguments, gnn_memory *memory) {
                   int64_t count = *memref<int64_t, 0>(arguments[1]).aligned;
                   memref<float, 1>(arguments[0]) =
                       MemRef<float, 1>::make(memory, {count});
                 });
  SessionPtr session = openModel(fake.model);
  std::vector<int64_t> count = {int64_t(1) << 56};
  gnn_tensor input = tensorOf(count, {});
  OwnedTensor output;
  EXPECT_FAILURE(GNN_OUT_OF_MEMORY,
                 "out of memory: what the model computes needs "
                 "288230376151711808 bytes",
                 gnn_session_run(session.get(), nullptr, 0, &input, 1, &output,
                                 1, &error));
  count[0] = 2;
  ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &input, 1, &output,
                                 1, &error));
  EXPECT_EQ(output.shape[0], 2);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(Threads, AreSetWithinBounds) {
  int32_t before = gnn_num_threads();
  EXPECT_GE(before, 1);
  ASSERT_SUCCESS(gnn_set_num_threads(3, &error));
  EXPECT_EQ(gnn_num_threads(), 3);
  for (int32_t wrong : {0, -1, INT32_MAX})
    EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "threads; give 1 to",
                   gnn_set_num_threads(wrong, &error));
  EXPECT_EQ(gnn_num_threads(), 3);
  ASSERT_SUCCESS(gnn_set_num_threads(before, &error));
}

/// A model whose runs take as long as they have threads, which it tells.
struct CrowdedModel : FakeModel {
  CrowdedModel()
      : FakeModel({tensorPort("x", GNN_FLOAT32, {})},
                  {tensorPort("threads", GNN_INT32, {})},
                  [](void **arguments, gnn_memory *memory) {
                    using Clock = std::chrono::steady_clock;
                    Clock::time_point start = Clock::now();
                    int32_t threads = gnn_num_threads();
                    while (Clock::now() - start <
                           std::chrono::microseconds(20 * threads))
                      ;
                    auto &result = memref<int32_t, 0>(arguments[0]);
                    result = MemRef<int32_t, 0>::make(memory, {});
                    *result.aligned = threads;
                  }) {}

  static int32_t run(gnn_session *session) {
    std::vector<float> x = {0};
    gnn_tensor input = tensorOf(x, {});
    OwnedTensor output;
    EXPECT_EQ(
        gnn_session_run(session, nullptr, 0, &input, 1, &output, 1, nullptr),
        GNN_OK);
    return valuesOf<int32_t>(output).front();
  }
};

TEST(Threads, AreFewerWhereTheseAreFaster) {
  int32_t before = gnn_num_threads();
  ASSERT_SUCCESS(gnn_set_num_threads(2, &error));
  CrowdedModel fake;
  SessionPtr session = openModel(fake.model);
  EXPECT_EQ(gnn_session_threads(session.get()), 0);
  EXPECT_EQ(CrowdedModel::run(session.get()), 2);
  EXPECT_EQ(gnn_session_threads(session.get()), 2);
  // Other programs may disturb a trial or two.
  for (int i = 0; i < 5000; ++i)
    if (CrowdedModel::run(session.get()) == 1 && i % 100 == 0)
      break;
  EXPECT_EQ(CrowdedModel::run(session.get()), 1);
  EXPECT_EQ(gnn_session_threads(session.get()), 1);
  // Of a run, not of the program.
  EXPECT_EQ(gnn_num_threads(), 2);
  ASSERT_SUCCESS(gnn_set_num_threads(before, &error));
}

TEST(Threads, AreAllWhereThatIsWanted) {
  int32_t before = gnn_num_threads();
  ASSERT_SUCCESS(gnn_set_num_threads(2, &error));
  CrowdedModel fake;
  gnn_session_options options = gnn_session_default_options();
  options.all_threads = 1;
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(
      gnn_session_create_with(&fake.model, &options, &session, &error));
  SessionPtr owner(session);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(CrowdedModel::run(session), 2);
  ASSERT_SUCCESS(gnn_set_num_threads(before, &error));
}
