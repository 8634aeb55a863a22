//===- ReplayTest.cpp - Tests of captured runs ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sessions that replay runs, on the driver of FakeCuda.cpp.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

using namespace gnn::test;

/// Sums twice; the first sums are in memory that only the run itself has.
static void invokeTwice(void **arguments, gnn_memory *memory) {
  WeightedSumModel::invokeSum(arguments, memory);
  auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
  MemRef<float, 1> first = results[0];
  results[0] = MemRef<float, 1>::tryToMake(memory, {first.sizes[0]});
  launch(memory, 0, {first.sizes[0], 1, 1, 1, 1, 1},
         {static_cast<void *>(&memref<int32_t, 1>(arguments[1]).aligned),
          static_cast<void *>(&memref<int32_t, 1>(arguments[2]).aligned),
          static_cast<void *>(&first.aligned),
          static_cast<void *>(&memref<float, 1>(arguments[5]).aligned),
          static_cast<void *>(&results[0].aligned),
          static_cast<void *>(&results[1].aligned)});
  memory->release(memory, static_cast<void *>(first.allocated));
}

namespace {
class Replay : public CudaFixture {
protected:
  gnn_session_options options = gnn_session_default_options();

  void SetUp() override {
    CudaFixture::SetUp();
    options.replay = 1;
  }

  /// What the fixture's graph gives for its weights and any x.
  std::vector<float> sums() const {
    return {x[0] * w[2] + x[1] * w[1], x[0] * w[0]};
  }

  void expectSums(const SessionPtr &session) {
    ASSERT_SUCCESS(run(session.get(), &error));
    EXPECT_EQ(valuesOf<float>(outputs[0]), sums());
  }

  static void expectUsage(const SessionPtr &session, int64_t captures,
                          int64_t replays, const char *obstacle = nullptr) {
    gnn_replay_usage usage = gnn_session_replay_usage(session.get());
    EXPECT_EQ(usage.captures, captures);
    EXPECT_EQ(usage.replays, replays);
    if (obstacle) {
      ASSERT_NE(usage.obstacle, nullptr);
      EXPECT_NE(std::string(usage.obstacle).find(obstacle), std::string::npos)
          << usage.obstacle;
    } else {
      EXPECT_EQ(usage.obstacle, nullptr) << usage.obstacle;
    }
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What is replayed
//===----------------------------------------------------------------------===//

/// A captured run from its launch on: both results are copied back.
#define REPLAYED_RUN                                                           \
  "cuGraphLaunch\n"                                                            \
  "cuStreamSynchronize\n"                                                      \
  "cuMemcpyDtoHAsync_v2 8\n"                                                   \
  "cuStreamSynchronize\n"                                                      \
  "cuMemcpyDtoHAsync_v2 12\n"                                                  \
  "cuStreamSynchronize\n"

TEST_F(Replay, StandsForTheSecondRunAndLaterOnes) {
  SessionPtr session = open(options);
  expectSums(session);
  expectUsage(session, 0, 0);
  size_t length = log().size();
  x = {3, 4};
  expectSums(session);
  EXPECT_EQ(logSince(length), "cuMemcpyHtoDAsync_v2 8\n"
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuStreamCreate 1\n"
                              "cuStreamBeginCapture_v2 2\n"
                              "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
                              "cuStreamEndCapture 1\n"
                              "cuGraphInstantiateWithFlags 0\n"
                              "cuGraphDestroy\n" REPLAYED_RUN);
  expectUsage(session, 1, 0);
  length = log().size();
  x = {5, 6};
  expectSums(session);
  EXPECT_EQ(logSince(length), "cuMemcpyHtoDAsync_v2 8\n"
                              "cuMemcpyHtoDAsync_v2 12\n" REPLAYED_RUN);
  expectUsage(session, 1, 1);
  length = log().size();
  session.reset();
  EXPECT_NE(logSince(length).find("cuGraphExecDestroy"), std::string::npos);
}

TEST_F(Replay, IsOnlyForSessionsThatWantIt) {
  SessionPtr session = open();
  for (int i = 0; i < 3; ++i)
    expectSums(session);
  EXPECT_EQ(log().find("Capture"), std::string::npos);
  expectUsage(session, 0, 0);
}

TEST_F(Replay, IsOfRunsWithTheSameShapes) {
  SessionPtr session = open(options);
  for (int i = 0; i < 3; ++i)
    expectSums(session);
  GraphPtr small = std::move(graph);
  std::vector<float> smallX = x, smallW = w;
  // 40 nodes in a ring: larger copies of inputs, other launches.
  std::vector<int64_t> sources, destinations;
  for (int64_t i = 0; i < 40; ++i) {
    sources.push_back((i + 1) % 40);
    destinations.push_back(i);
  }
  GraphPtr ring = makeGraph(40, 40, sources, destinations);
  std::vector<float> ones(40, 1.0f), sevens(40, 7.0f);
  auto runRing = [&] {
    gnn_tensor tensors[] = {tensorOf(ones, {40}), tensorOf(sevens, {40})};
    ASSERT_SUCCESS(
        runSession(session.get(), ring.get(), tensors, outputs, &error));
    EXPECT_EQ(valuesOf<float>(outputs[0]), sevens);
  };
  runRing();
  expectUsage(session, 1, 1);
  runRing();
  runRing();
  expectUsage(session, 2, 2);
  // Inputs have moved to where there is room for both, and stay there.
  graph = std::move(small);
  for (int i = 0; i < 3; ++i) {
    x[0] = static_cast<float>(i);
    expectSums(session);
    runRing();
  }
  expectUsage(session, 3, 6);
}

TEST_F(Replay, IsOfRunsOnTheSameGraph) {
  SessionPtr session = open(options);
  for (int i = 0; i < 3; ++i)
    expectSums(session);
  // The same sizes, other edges.
  GraphPtr first = std::move(graph);
  graph = makeGraph(2, 2, {0, 0, 0}, {0, 0, 0});
  ASSERT_SUCCESS(run(session.get(), &error));
  EXPECT_EQ(valuesOf<float>(outputs[0]), (std::vector<float>{21, 0}));
  expectUsage(session, 1, 1);
  graph = std::move(first);
  expectSums(session);
  expectUsage(session, 1, 2);
}

TEST_F(Replay, IsOfRunsWithTheSameAddresses) {
  graph = makeGraph(2, 2, {1, 0, 0}, {0, 0, 1}); // in CSR order
  options.device_outputs = 1;
  SessionPtr session = open(options);
  SessionPtr other = open(options);
  // Two tensors on the device, from a session of its own.
  OwnedTensor first[2], second[2];
  gnn_error error = {};
  gnn_tensor tensors[] = {tensorOf(x, {2}), tensorOf(w, {3})};
  ASSERT_EQ(runSession(other.get(), graph.get(), tensors, first, &error),
            GNN_OK);
  x = {10, 20};
  ASSERT_EQ(runSession(other.get(), graph.get(), tensors, second, &error),
            GNN_OK);
  auto expectFrom = [&](const OwnedTensor &nodes,
                        const std::vector<float> &values) {
    gnn_tensor inputs[] = {nodes, tensorOf(w, {3})};
    gnn_tensor results[2] = {};
    const gnn_graph *graphs[] = {graph.get()};
    ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, inputs, 2, results,
                                   2, &error));
    OwnedTensor copy;
    ASSERT_SUCCESS(gnn_session_read(session.get(), &results[0], &copy, &error));
    EXPECT_EQ(valuesOf<float>(copy), values);
    for (gnn_tensor &result : results)
      gnn_tensor_release(&result);
  };
  // first[0] is {21, 10}, second[0] {210, 100}; w is {10, 1, 10}.
  for (int i = 0; i < 3; ++i)
    expectFrom(first[0], {10 * 10 + 21, 210});
  expectUsage(session, 1, 1);
  expectFrom(second[0], {10 * 100 + 210, 2100});
  expectUsage(session, 1, 1);
  expectFrom(first[0], {10 * 10 + 21, 210});
  expectUsage(session, 1, 2);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(Replay, OverwritesNoResultThatACallerHolds) {
  options.device_outputs = 1;
  SessionPtr session = open(options);
  const gnn_graph *graphs[] = {graph.get()};
  OwnedTensor held[6][2];
  for (int i = 0; i < 6; ++i) {
    x[0] = static_cast<float>(i);
    gnn_tensor tensors[] = {tensorOf(x, {2}), tensorOf(w, {3})};
    gnn_tensor results[2] = {};
    ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, tensors, 2,
                                   results, 2, &error));
    for (int j = 0; j < 2; ++j)
      static_cast<gnn_tensor &>(held[i][j]) = results[j];
  }
  // One run after the other was captured, then they were as without.
  expectUsage(session, 2, 0);
  for (int i = 0; i < 6; ++i) {
    OwnedTensor copy;
    ASSERT_SUCCESS(gnn_session_read(session.get(), &held[i][0], &copy, &error));
    x[0] = static_cast<float>(i);
    EXPECT_EQ(valuesOf<float>(copy), sums());
  }
  // Whoever holds the results of one run during the next gets both replayed.
  for (OwnedTensor(&results)[2] : held)
    for (OwnedTensor &result : results)
      gnn_tensor_release(&result);
  for (int i = 0; i < 4; ++i)
    ASSERT_SUCCESS(run(session.get(), &error));
  expectUsage(session, 2, 4);
  // Tensors outlive the session and its captures.
  session.reset();
}

TEST_F(Replay, KeepsItsMemoryFromOthers) {
  fake.model.invoke = invokeTwice;
  SessionPtr session = open(options);
  auto expectTwice = [&] {
    std::vector<float> once = sums();
    std::vector<float> expected = {once[0] * w[2] + once[1] * w[1],
                                   once[0] * w[0]};
    ASSERT_SUCCESS(run(session.get(), &error));
    EXPECT_EQ(valuesOf<float>(outputs[0]), expected);
  };
  for (int i = 0; i < 3; ++i)
    expectTwice();
  expectUsage(session, 1, 1);
  // Graphs stay where they are put. None of them is where the first sums go.
  std::vector<GraphPtr> others;
  GraphPtr first = std::move(graph);
  for (int i = 0; i < 4; ++i) {
    others.push_back(makeGraph(2, 2, {0, 1, 0}, {1, 0, 0}));
    graph = std::move(others.back());
    expectTwice();
    others.back() = std::move(graph);
    graph = std::move(first);
    expectTwice();
    first = std::move(graph);
  }
  expectUsage(session, 1, 5);
  for (GraphPtr &other : others) {
    graph = std::move(other);
    expectTwice();
    other = std::move(graph);
  }
  expectUsage(session, 5, 5);
}

TEST_F(Replay, IsOfTheLastRunsOnly) {
  SessionPtr session = open(options);
  std::vector<GraphPtr> graphs;
  std::vector<float> ones(20, 1.0f), none;
  auto runOn = [&](int64_t nodes) {
    gnn_tensor tensors[] = {tensorOf(ones, {nodes}), tensorOf(none, {0})};
    ASSERT_SUCCESS(runSession(session.get(), graphs[nodes].get(), tensors,
                              outputs, &error));
  };
  for (int64_t nodes = 0; nodes < 10; ++nodes)
    graphs.push_back(makeGraph(nodes, nodes, {}, {}));
  for (int64_t nodes = 9; nodes >= 1; --nodes)
    for (int i = 0; i < 3; ++i)
      runOn(nodes);
  expectUsage(session, 9, 9);
  EXPECT_NE(log().find("cuGraphExecDestroy"), std::string::npos);
  runOn(2);
  expectUsage(session, 9, 10);
  runOn(9); // forgotten
  expectUsage(session, 9, 10);
}

TEST_F(Replay, YieldsItsMemory) {
  SessionPtr session = open(options);
  std::vector<float> ones, none;
  auto runOn = [&](int64_t nodes) {
    ones.assign(static_cast<size_t>(nodes), 1.0f);
    GraphPtr isolated = makeGraph(nodes, nodes, {}, {});
    gnn_tensor tensors[] = {tensorOf(ones, {nodes}), tensorOf(none, {0})};
    ASSERT_SUCCESS(
        runSession(session.get(), isolated.get(), tensors, outputs, &error));
  };
  for (int i = 0; i < 3; ++i)
    runOn(1000);
  expectUsage(session, 1, 1);
  // The graph, x and sums of the next take 5 KiB each, for which there is room
  // without the sums of the captured run.
  ScopedVariable settings("FAKE_CUDA", "memory=19000");
  runOn(1200);
  expectUsage(session, 1, 1, "memory of the device is too short");
  runOn(1000);
  expectUsage(session, 1, 1, "memory of the device is too short");
}

//===----------------------------------------------------------------------===//
// What cannot be captured
//===----------------------------------------------------------------------===//

TEST_F(Replay, IsNotForDriversWithoutGraphs) {
  void *old = dlopen(GNN_TEST_OLD_CUDA, RTLD_NOW);
  ASSERT_NE(old, nullptr) << dlerror();
  addKernel(old);
  setenv("GNN_CUDA_DRIVER", GNN_TEST_OLD_CUDA, 1);
  SessionPtr session = open(options);
  for (int i = 0; i < 3; ++i)
    expectSums(session);
  expectUsage(session, 0, 0,
              "the driver has no function cuStreamBeginCapture_v2");
  session.reset();
  EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(old, "fakeCudaCountLive"))(), 0);
  dlclose(old);
}

//===----------------------------------------------------------------------===//
// Models that look at values
//===----------------------------------------------------------------------===//

TEST_F(Replay, GoesOnIfValuesAreTheSame) {
  fake.model.invoke = [](void **arguments, gnn_memory *memory) {
    auto &rows = memref<int32_t, 1>(arguments[1]);
    int32_t numEdges = 0;
    memory->read(memory, &numEdges, rows.aligned + rows.sizes[0] - 1,
                 sizeof(numEdges));
    if (numEdges == 3)
      WeightedSumModel::invokeSum(arguments, memory);
  };
  SessionPtr session = open(options);
  expectSums(session);
  size_t length = log().size();
  expectSums(session);
  EXPECT_NE(logSince(length).find("cuStreamBeginCapture_v2 2\n"
                                  "cuStreamEndCapture 0\n"
                                  "cuGraphInstantiateWithFlags 0\n"
                                  "cuGraphDestroy\n"
                                  "cuGraphLaunch\n"
                                  "cuMemcpyDtoHAsync_v2 4\n"
                                  "cuStreamSynchronize\n"
                                  "cuStreamBeginCapture_v2 2\n"
                                  "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
                                  "cuStreamEndCapture 1\n"
                                  "cuGraphInstantiateWithFlags 0\n"
                                  "cuGraphDestroy\n"
                                  "cuGraphLaunch\n"),
            std::string::npos)
      << logSince(length);
  length = log().size();
  expectSums(session);
  EXPECT_NE(logSince(length).find("cuGraphLaunch\n"
                                  "cuMemcpyDtoHAsync_v2 4\n"
                                  "cuStreamSynchronize\n"
                                  "cuGraphLaunch\n"),
            std::string::npos)
      << logSince(length);
  expectUsage(session, 1, 1);
  ScopedVariable variable("FAKE_CUDA", "cuMemcpyDtoHAsync_v2=719");
  EXPECT_FAILURE(GNN_DEVICE_ERROR, "failed to give a value: error 719",
                 run(session.get(), &error));
}

TEST_F(Replay, StartsAgainIfValuesAreOthers) {
  // With a negative first feature, everything is done twice.
  fake.model.invoke = [](void **arguments, gnn_memory *memory) {
    float first = 0;
    memory->read(memory, &first, memref<float, 1>(arguments[4]).aligned,
                 sizeof(first));
    (first < 0 ? invokeTwice : WeightedSumModel::invokeSum)(arguments, memory);
  };
  SessionPtr session = open(options);
  for (int i = 0; i < 3; ++i)
    expectSums(session);
  expectUsage(session, 1, 1);
  auto expectTwice = [&](float first) {
    x[0] = first;
    std::vector<float> once = sums();
    ASSERT_SUCCESS(run(session.get(), &error));
    EXPECT_EQ(
        valuesOf<float>(outputs[0]),
        (std::vector<float>{once[0] * w[2] + once[1] * w[1], once[0] * w[0]}));
  };
  // The same arguments, so captured at once.
  expectTwice(-1);
  expectUsage(session, 2, 1);
  expectTwice(-1);
  expectUsage(session, 2, 2);
  x[0] = 1;
  expectSums(session);
  expectUsage(session, 2, 3);
  // Neither capture is of this run, which is as without.
  x[0] = 2;
  expectSums(session);
  expectTwice(-2);
  expectUsage(session, 2, 3);
}

TEST_F(Replay, IsGivenUpWhereItFails) {
  struct {
    const char *settings, *obstacle;
  } cases[] = {
      {"cuStreamCreate#2=3", "failed to make a stream: error 3"},
      {"cuStreamBeginCapture_v2=401", "failed to capture a run: error 401"},
      {"cuLaunchKernel#2=900", "failed to launch a kernel: error 900"},
      {"cuStreamEndCapture=901", "failed to capture a run: error 901"},
      {"cuGraphInstantiateWithFlags=700", "failed to prepare a captured run"}};
  for (const auto &test : cases) {
    find<void()>("fakeCudaReset")();
    addKernel(library);
    ScopedVariable variable("FAKE_CUDA", test.settings);
    SessionPtr session = open(options);
    expectSums(session);
    expectUsage(session, 0, 0);
    for (int i = 0; i < 2; ++i) {
      size_t length = log().size();
      expectSums(session);
      expectUsage(session, 0, 0, test.obstacle);
      // Kernel by kernel, and after the first time without an attempt.
      EXPECT_NE(logSince(length).find("cuLaunchKernel kernel0"),
                std::string::npos);
      EXPECT_EQ(logSince(length).find("cuStreamBeginCapture_v2") ==
                    std::string::npos,
                i > 0 || strstr(test.settings, "cuStreamCreate"));
    }
  }
}

TEST_F(Replay, FailsAsRunsDo) {
  SessionPtr session = open(options);
  for (int i = 0; i < 2; ++i)
    expectSums(session);
  {
    ScopedVariable variable("FAKE_CUDA", "cuGraphLaunch=719");
    EXPECT_FAILURE(GNN_DEVICE_ERROR,
                   "GPU 0 (Fake 0) failed to replay a run: error 719",
                   run(session.get(), &error));
  }
  expectSums(session);
  expectUsage(session, 1, 2);
}

TEST_F(Replay, FailsWhereMemoryIsShort) {
  options.device_outputs = 1;
  SessionPtr session = open(options);
  ASSERT_SUCCESS(run(session.get(), &error));
  {
    // While these results are held, there is no room for others.
    ScopedVariable variable("FAKE_CUDA", "memory=500");
    EXPECT_FAILURE(GNN_OUT_OF_MEMORY, "GPU 0 (Fake 0) has no block of",
                   run(session.get(), &error));
  }
  ASSERT_SUCCESS(run(session.get(), &error));
  expectUsage(session, 0, 0, "has no block of");
}

TEST_F(Replay, GoesOnAfterAnInputThatDidNotFit) {
  SessionPtr session = open(options);
  expectSums(session);
  std::vector<float> ones(1000, 1.0f), none;
  GraphPtr large = makeGraph(1000, 1, {}, {});
  auto runLarge = [&](gnn_error *error) {
    gnn_tensor tensors[] = {tensorOf(ones, {1000}), tensorOf(none, {0})};
    return runSession(session.get(), large.get(), tensors, outputs, error);
  };
  {
    ScopedVariable variable("FAKE_CUDA", "memory=1000");
    EXPECT_FAILURE(GNN_OUT_OF_MEMORY, "has no block of 4000 bytes",
                   runLarge(&error));
  }
  for (int i = 0; i < 3; ++i)
    ASSERT_SUCCESS(runLarge(&error));
  EXPECT_EQ(valuesOf<float>(outputs[0]), std::vector<float>{0});
  expectUsage(session, 1, 1);
}

TEST_F(Replay, IsForGPUsOnly) {
  FakeModel cpu({}, {}, [](void **, gnn_memory *) {});
  WeightedSumModel emulated;
  for (const gnn_model *model : {&cpu.model, &emulated.model}) {
    gnn_session *session = nullptr;
    EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                   std::string("model 'fake' was compiled for target '") +
                       gnn_target_name(gnn_target(model->target)) +
                       "', whose runs cannot be replayed; compile it with "
                       "--target=cuda, or open it without replay",
                   gnn_session_create_with(model, &options, &session, &error));
    EXPECT_EQ(session, nullptr);
  }
  SessionPtr session = open();
  expectUsage(session, 0, 0);
}
