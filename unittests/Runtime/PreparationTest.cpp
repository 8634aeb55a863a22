//===- PreparationTest.cpp - Tests of what is kept for graphs ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sessions that keep what a model computes from graphs alone, on the CPU and on
// the driver of FakeCuda.cpp.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

using namespace gnn::test;

namespace {
/// Its output is the degree of each destination, times x. There are two
/// preparations: the first makes a number, 2, of nothing, the second the
/// degrees and the number of edges, which it takes from the device where there
/// is one.
struct DegreeModel : FakeModel {
  gnn_prepared_value two = {-1, 8};
  gnn_prepared_value values[2] = {{1, 4}, {-1, 8}};
  int32_t graphs[1] = {0};
  gnn_preparation preparations[2] = {{nullptr, 0, 1, &two, computeTwo},
                                     {graphs, 1, 2, values, computeDegrees}};

  DegreeModel()
      : FakeModel({graphPort("g", GNN_TOPOLOGY_CSR, /*bipartite=*/true),
                   tensorPort("x", GNN_FLOAT32, {-1}, GNN_AXIS_DESTINATION)},
                  {tensorPort("out", GNN_FLOAT32, {-1}, GNN_AXIS_DESTINATION)},
                  invoke) {
    model.num_preparations = 2;
    model.preparations = preparations;
  }

  struct Words {
    MemRef<float, 1> degrees;
    int64_t numEdges;
  };

  static void computeTwo(void **arguments, gnn_memory *) {
    *static_cast<int64_t *>(arguments[0]) = 2;
  }

  static void computeDegrees(void **arguments, gnn_memory *memory) {
    EXPECT_EQ(*static_cast<int64_t *>(arguments[5]), 2);
    auto &rows = memref<int32_t, 1>(arguments[1]);
    auto &words = *static_cast<Words *>(arguments[0]);
    int64_t numRows = rows.sizes[0] - 1;
    words.degrees = MemRef<float, 1>::make(memory, {numRows});
    for (int64_t i = 0; i < numRows; ++i)
      words.degrees.aligned[i] =
          static_cast<float>(rows.aligned[i + 1] - rows.aligned[i]);
    words.numEdges = rows.aligned[numRows];
  }

  static void invoke(void **arguments, gnn_memory *memory) {
    auto &x = memref<float, 1>(arguments[4]);
    int64_t two = *static_cast<int64_t *>(arguments[5]);
    auto &degrees = memref<float, 1>(arguments[6]);
    auto &columns = memref<int32_t, 1>(arguments[2]);
    EXPECT_EQ(*static_cast<int64_t *>(arguments[7]), columns.sizes[0]);
    auto &result = *static_cast<MemRef<float, 1> *>(arguments[0]);
    result = MemRef<float, 1>::make(memory, {x.sizes[0]});
    for (int64_t i = 0; i < x.sizes[0]; ++i)
      result.aligned[i] =
          degrees.aligned[i] * x.aligned[i] * static_cast<float>(two) / 2;
  }
};

class Preparation : public testing::Test {
protected:
  DegreeModel fake;
  std::vector<float> x = {10, 20};
  OwnedTensor outputs[1];

  SessionPtr open(bool recompute = false) {
    gnn_session_options options = gnn_session_default_options();
    options.recompute = recompute;
    return openSession(fake.model, options);
  }

  void expectRun(const SessionPtr &session, const GraphPtr &graph,
                 const std::vector<float> &expected) {
    gnn_tensor tensors[] = {tensorOf(x, {2})};
    ASSERT_SUCCESS(
        runSession(session.get(), graph.get(), tensors, outputs, &error));
    EXPECT_EQ(valuesOf<float>(outputs[0]), expected);
  }

  static void expectUsage(const SessionPtr &session, int64_t computations,
                          int64_t bytes) {
    gnn_preparation_usage usage = gnn_session_preparation_usage(session.get());
    EXPECT_EQ(usage.computations, computations);
    EXPECT_EQ(usage.bytes_held, bytes);
    EXPECT_EQ(usage.seconds > 0, computations > 0);
  }
};
} // namespace

TEST_F(Preparation, IsComputedOnceForAGraph) {
  SessionPtr session = open();
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  expectUsage(session, 0, 0);
  for (int i = 0; i < 3; ++i) {
    x[0] = static_cast<float>(i);
    expectRun(session, graph, {x[0] * 2, 20});
    expectUsage(session, 2, 8);
  }
}

TEST_F(Preparation, OfWeightsIsForAllGraphs) {
  SessionPtr session = open();
  GraphPtr first = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  GraphPtr second = makeGraph(2, 2, {0, 1}, {1, 1});
  for (int i = 0; i < 2; ++i) {
    expectRun(session, first, {20, 20});
    expectRun(session, second, {0, 40});
    expectUsage(session, 3, 16);
  }
}

TEST_F(Preparation, GoesWithItsGraph) {
  SessionPtr session = open();
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  expectRun(session, graph, {20, 20});
  for (int i = 1; i < 4; ++i) {
    // Its memory may be that of the graph before it.
    graph.reset();
    graph = makeGraph(2, 2, {0}, {i % 2});
    expectRun(session, graph, {i % 2 ? 0.0f : 10.0f, i % 2 ? 20.0f : 0.0f});
    expectUsage(session, 2 + i, 8);
  }
}

TEST_F(Preparation, IsKeptForSoManyGraphs) {
  SessionPtr session = open();
  std::vector<GraphPtr> graphs;
  for (int i = 0; i < 70; ++i) {
    graphs.push_back(makeGraph(2, 2, {0, 1, 0}, {1, 0, 0}));
    expectRun(session, graphs.back(), {20, 20});
  }
  // 64 entries, of which one is that of weights, and that of the last run.
  expectUsage(session, 71, 64 * 8);
  expectRun(session, graphs.back(), {20, 20});
  EXPECT_EQ(gnn_session_preparation_usage(session.get()).computations, 71);
  expectRun(session, graphs.front(), {20, 20});
  EXPECT_EQ(gnn_session_preparation_usage(session.get()).computations, 72);
}

TEST_F(Preparation, IsNotKeptWhereThatIsNotWanted) {
  SessionPtr session = open(/*recompute=*/true);
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  for (int i = 1; i < 3; ++i) {
    expectRun(session, graph, {20, 20});
    expectUsage(session, 2 * i, 0);
  }
}

TEST_F(Preparation, IsOfOneSession) {
  SessionPtr first = open(), second = open();
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  expectRun(first, graph, {20, 20});
  expectRun(second, graph, {20, 20});
  first.reset();
  expectRun(second, graph, {20, 20});
  expectUsage(second, 2, 8);
}

TEST_F(Preparation, IsPartOfTheSessionsMemory) {
  SessionPtr session = open();
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  expectRun(session, graph, {20, 20});
  gnn_tensor_release(&outputs[0]);
  EXPECT_GE(gnn_session_memory_usage(session.get()).bytes_held, 8);
}

TEST_F(Preparation, ThatMemoryIsShortForIsNotKept) {
  static int64_t count;
  count = int64_t(1) << 56;
  fake.preparations[1].compute = [](void **arguments, gnn_memory *memory) {
    auto tooMany = MemRef<float, 1>::make(memory, {count});
    memory->release(memory, tooMany.allocated);
    DegreeModel::computeDegrees(arguments, memory);
  };
  SessionPtr session = open();
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  gnn_tensor tensors[] = {tensorOf(x, {2})};
  EXPECT_FAILURE(
      GNN_OUT_OF_MEMORY, "out of memory: what is kept for graphs needs",
      runSession(session.get(), graph.get(), tensors, outputs, &error));
  count = 1;
  expectRun(session, graph, {20, 20});
}

TEST_F(Preparation, ThatIsMalformedIsRefused) {
  auto expectRefused = [&](const std::string &text) {
    gnn_session *session = nullptr;
    EXPECT_FAILURE(GNN_FORMAT_ERROR, text,
                   gnn_session_create(&fake.model, nullptr, &session, &error));
    EXPECT_EQ(session, nullptr);
  };
  fake.model.preparations = nullptr;
  expectRefused("its preparations are missing");
  fake.model.preparations = fake.preparations;
  fake.preparations[1].compute = nullptr;
  expectRefused("a preparation lacks code, values or graphs");
  fake.preparations[1].compute = DegreeModel::computeDegrees;
  fake.graphs[0] = 1;
  expectRefused("a preparation refers to a graph that is not there");
  fake.graphs[0] = 0;
  fake.values[0].rank = 9;
  expectRefused("a preparation has a value of impossible rank or size");
}

TEST_F(Preparation, OfAnotherLayoutIsRefused) {
  fake.model.abi_version = 8;
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_UNSUPPORTED, "the model has ABI version 8",
                 gnn_session_create(&fake.model, nullptr, &session, &error));
}

//===----------------------------------------------------------------------===//
// On a device
//===----------------------------------------------------------------------===//

namespace {
/// The model of CudaFixture.h, with weights of edges times the number of edges,
/// which is read from the device, as the code for self loops does.
class DevicePreparation : public CudaFixture {
protected:
  gnn_prepared_value values[2] = {{1, 4}, {-1, 8}};
  int32_t graphs[1] = {0};
  gnn_preparation preparation = {graphs, 1, 2, values, compute};

  void SetUp() override {
    CudaFixture::SetUp();
    fake.model.num_preparations = 1;
    fake.model.preparations = &preparation;
    fake.model.invoke = invoke;
  }

  struct Words {
    MemRef<float, 1> sums;
    int64_t numEdges;
  };

  static void compute(void **arguments, gnn_memory *memory) {
    auto &rows = memref<int32_t, 1>(arguments[1]);
    auto &words = *static_cast<Words *>(arguments[0]);
    words.sums = MemRef<float, 1>::make(memory, {rows.sizes[0]});
    int32_t numEdges = 0;
    memory->read(memory, &numEdges, rows.aligned + rows.sizes[0] - 1, 4);
    words.numEdges = numEdges;
  }

  static void invoke(void **arguments, gnn_memory *memory) {
    auto &columns = memref<int32_t, 1>(arguments[2]);
    EXPECT_EQ(*static_cast<int64_t *>(arguments[7]), columns.sizes[0]);
    WeightedSumModel::invokeSum(arguments, memory);
  }

  static int64_t countComputations(const SessionPtr &session) {
    return gnn_session_preparation_usage(session.get()).computations;
  }
};
} // namespace

TEST_F(DevicePreparation, LetsReplaysDoWithoutReading) {
  gnn_session_options options = gnn_session_default_options();
  options.replay = 1;
  SessionPtr session = open(options);
  expectRun(session);
  EXPECT_NE(log().find("cuMemcpyDtoHAsync_v2 4\n"), std::string::npos);
  expectRun(session);
  size_t length = log().size();
  expectRun(session);
  EXPECT_EQ(gnn_session_replay_usage(session.get()).replays, 1);
  // One launch, and nothing waits before the results are there.
  EXPECT_EQ(logSince(length), "cuMemcpyHtoDAsync_v2 8\n"
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuGraphLaunch\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 8\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 12\n"
                              "cuStreamSynchronize\n");
  EXPECT_EQ(countComputations(session), 1);
}

TEST_F(DevicePreparation, IsForgottenAfterAFailedRun) {
  SessionPtr session = open();
  {
    ScopedVariable variable("FAKE_CUDA", "cuLaunchKernel=719");
    EXPECT_FAILURE(GNN_DEVICE_ERROR, "kernel0", run(session.get(), &error));
  }
  gnn_preparation_usage usage = gnn_session_preparation_usage(session.get());
  EXPECT_EQ(usage.bytes_held, 0);
  expectRun(session);
  EXPECT_EQ(countComputations(session), 2);
}

TEST_F(DevicePreparation, ReportsItsFailures) {
  SessionPtr session = open();
  {
    ScopedVariable variable("FAKE_CUDA", "cuMemcpyDtoHAsync_v2=700");
    EXPECT_FAILURE(GNN_DEVICE_ERROR, "to give a value",
                   run(session.get(), &error));
  }
  expectRun(session);
}

TEST_F(DevicePreparation, GivesWayWhereMemoryIsShort) {
  SessionPtr session = open();
  // Blocks of 4 KiB: x and the sums, and for each graph itself and its values.
  ScopedVariable settings("FAKE_CUDA", "memory=22000");
  std::vector<float> ones(1000, 1.0f), none;
  auto runOn = [&](const GraphPtr &isolated) {
    gnn_tensor tensors[] = {tensorOf(ones, {1000}), tensorOf(none, {0})};
    ASSERT_SUCCESS(
        runSession(session.get(), isolated.get(), tensors, outputs, &error));
  };
  GraphPtr first = makeGraph(1000, 1000, {}, {});
  runOn(first);
  runOn(first);
  EXPECT_EQ(countComputations(session), 1);
  // There is room for the next one's without the first one's. What the first
  // try has computed is thrown away as well.
  GraphPtr second = makeGraph(1000, 1000, {}, {});
  runOn(second);
  EXPECT_EQ(countComputations(session), 3);
  EXPECT_EQ(gnn_session_preparation_usage(session.get()).bytes_held, 4004);
}
