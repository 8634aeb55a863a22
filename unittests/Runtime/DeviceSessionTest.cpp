//===- DeviceSessionTest.cpp - Tests of models for devices ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModel.h"
#include "TestUtil.h"

#include <numeric>

using namespace gnn::test;

static SessionPtr openModel(const gnn_model &model) {
  gnn_session *session = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_session_create(&model, nullptr, &session, &error), GNN_OK)
      << error.message;
  return SessionPtr(session);
}

//===----------------------------------------------------------------------===//
// Graphs and edges
//===----------------------------------------------------------------------===//

/// What a run of WeightedSumModel takes and gives.
struct DeviceSumRun {
  GraphPtr graph;
  std::vector<float> x, w;
  gnn_tensor tensors[2] = {};
  OwnedTensor outputs[2];

  DeviceSumRun(GraphPtr built, std::vector<float> features,
               std::vector<float> weights)
      : graph(std::move(built)), x(std::move(features)), w(std::move(weights)) {
    tensors[0] = tensorOf(x, {static_cast<int64_t>(x.size())});
    tensors[1] = tensorOf(w, {static_cast<int64_t>(w.size())});
  }

  gnn_status run(gnn_session *session, gnn_error *error) {
    return runSession(session, graph.get(), tensors, outputs, error);
  }
};

TEST(DeviceSession, PermutesEdgeTensorsThereAndBack) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  // Edges 0 -> 1, 2 -> 0, 1 -> 1, 0 -> 0 in the caller's order.
  DeviceSumRun run(makeGraph(3, 2, {0, 2, 1, 0}, {1, 0, 1, 0}), {1, 2, 3},
                   {1, 10, 100, 1000});
  ASSERT_SUCCESS(run.run(session.get(), &error));
  EXPECT_EQ(valuesOf<float>(run.outputs[0]), (std::vector<float>{1030, 201}));
  EXPECT_EQ(valuesOf<float>(run.outputs[1]),
            (std::vector<float>{10, 100, 1000, 10000}));
  // Outputs are the host's, and outlive the session.
  session.reset();
  static_cast<float *>(run.outputs[0].data)[0] = 1;
}

TEST(DeviceSession, ServesGraphsOfEverySize) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  for (int64_t nodes : {3, 50, 0, 1, 7}) {
    std::vector<int64_t> numbers(static_cast<size_t>(nodes));
    std::iota(numbers.rbegin(), numbers.rend(), 0);
    std::vector<float> weights(numbers.begin(), numbers.end());
    DeviceSumRun run(makeGraph(nodes, nodes, numbers, numbers),
                     std::vector<float>(numbers.size(), 2.0f), weights);
    ASSERT_SUCCESS(run.run(session.get(), &error));
    std::vector<float> expected(numbers.size());
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = 2 * static_cast<float>(i);
    EXPECT_EQ(valuesOf<float>(run.outputs[0]), expected);
  }
  DeviceSumRun run(makeGraph(1, 2, {}, {}), {1}, {});
  ASSERT_SUCCESS(run.run(session.get(), &error));
  EXPECT_EQ(valuesOf<float>(run.outputs[0]), (std::vector<float>{0, 0}));
  EXPECT_EQ(shapeOf(run.outputs[1]), std::vector<int64_t>{0});
}

static int64_t countRequests(const SessionPtr &session) {
  return gnn_session_memory_usage(session.get()).system_requests;
}

TEST(DeviceSession, CopiesGraphsOnce) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  DeviceSumRun first(makeGraph(2, 2, {0, 1}, {1, 0}), {1, 2}, {1, 10});
  DeviceSumRun second(makeGraph(2, 2, {1, 1}, {1, 0}), {1, 2}, {1, 10});
  auto run = [&](DeviceSumRun &which) {
    int64_t before = countRequests(session);
    gnn_error error = {};
    EXPECT_EQ(which.run(session.get(), &error), GNN_OK) << error.message;
    return countRequests(session) - before;
  };
  // Two inputs and two results, and the two arrays of the graph.
  EXPECT_EQ(run(first), 6);
  EXPECT_EQ(run(second), 6);
  EXPECT_EQ(run(first), 4);
  EXPECT_EQ(run(second), 4);
  EXPECT_EQ(valuesOf<float>(first.outputs[0]), (std::vector<float>{20, 1}));
  EXPECT_EQ(valuesOf<float>(second.outputs[0]), (std::vector<float>{20, 2}));
}

TEST(DeviceSession, DoesNotTakeAGraphForAnEarlierOne) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  for (int64_t i = 0; i < 20; ++i) {
    // The allocator likes to give what was freed last.
    DeviceSumRun run(makeGraph(2, 2, {i % 2}, {0}), {1, 2}, {10});
    ASSERT_SUCCESS(run.run(session.get(), &error));
    EXPECT_EQ(valuesOf<float>(run.outputs[0]),
              (std::vector<float>{i % 2 ? 20.0f : 10.0f, 0}));
  }
}

TEST(DeviceSession, KeepsSomeGraphsOnly) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  std::vector<std::unique_ptr<DeviceSumRun>> runs;
  for (int64_t i = 0; i < 100; ++i) {
    runs.push_back(std::make_unique<DeviceSumRun>(makeGraph(2, 2, {i % 2}, {0}),
                                                  std::vector<float>{1, 2},
                                                  std::vector<float>{10}));
    ASSERT_SUCCESS(runs.back()->run(session.get(), &error));
  }
  // 16 bytes each, and 64 for arrays without elements.
  int64_t held = gnn_session_memory_usage(session.get()).bytes_held;
  EXPECT_EQ(held, 64 + 65 * 16);
  // The last are there, the first are not.
  int64_t before = countRequests(session);
  ASSERT_SUCCESS(runs.back()->run(session.get(), &error));
  EXPECT_EQ(countRequests(session) - before, 4);
  before = countRequests(session);
  ASSERT_SUCCESS(runs.front()->run(session.get(), &error));
  EXPECT_EQ(countRequests(session) - before, 6);
  // Destroyed ones are forgotten with the next run.
  runs.resize(1);
  ASSERT_SUCCESS(runs.front()->run(session.get(), &error));
  held = gnn_session_memory_usage(session.get()).bytes_held;
  EXPECT_EQ(held, 64 + 16);
}

TEST(DeviceSession, PassesGraphsOfAllTopologies) {
  // (complete, block-diagonal) -> sizes of the one, last pointers of the other.
  DeviceModel fake(
      {graphPort("c", GNN_TOPOLOGY_COMPLETE, true),
       graphPort("b", GNN_TOPOLOGY_BLOCK_DIAGONAL, true)},
      {tensorPort("y", GNN_INT32, {4})},
      [](void **arguments, gnn_memory *memory) {
        auto y = MemRef<int32_t, 1>::make(memory, {4});
        auto destinations =
            static_cast<int32_t>(*static_cast<int64_t *>(arguments[1]));
        auto sources =
            static_cast<int32_t>(*static_cast<int64_t *>(arguments[2]));
        launch(memory, 0, {1, 1, 1, 1, 1, 1},
               {&destinations, &sources,
                static_cast<void *>(&memref<int32_t, 1>(arguments[3]).aligned),
                static_cast<void *>(&memref<int32_t, 1>(arguments[4]).aligned),
                static_cast<void *>(&y.aligned)});
        memref<int32_t, 1>(arguments[0]) = y;
      },
      {[](gnn_emulated_thread *, void **parameters) {
        int32_t *y = parameter<int32_t *>(parameters, 4);
        y[0] = parameter<int32_t>(parameters, 0);
        y[1] = parameter<int32_t>(parameters, 1);
        y[2] = parameter<int32_t *>(parameters, 2)[2];
        y[3] = parameter<int32_t *>(parameters, 3)[2];
      }});
  SessionPtr session = openModel(fake.model);
  gnn_graph *graphs[2] = {};
  ASSERT_SUCCESS(
      gnn_graph_regular(GNN_TOPOLOGY_COMPLETE, 3, 5, 0, &graphs[0], &error));
  GraphPtr complete(graphs[0]);
  std::vector<int32_t> sources = {0, 1, 4}, destinations = {0, 2, 7};
  gnn_tensor sourceTensor = tensorOf(sources, {3});
  gnn_tensor destinationTensor = tensorOf(destinations, {3});
  ASSERT_SUCCESS(gnn_graph_block_diagonal(&sourceTensor, &destinationTensor,
                                          &graphs[1], &error));
  GraphPtr blocks(graphs[1]);
  OwnedTensor output;
  ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 2, nullptr, 0, &output,
                                 1, &error));
  EXPECT_EQ(valuesOf<int32_t>(output), (std::vector<int32_t>{5, 3, 7, 4}));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A kernel that doubles: (in, out), one thread per element.
static void doubleElement(gnn_emulated_thread *thread, void **parameters) {
  parameter<float *>(parameters, 1)[thread->thread[0]] =
      2 * parameter<float *>(parameters, 0)[thread->thread[0]];
}

/// Runs a model that takes the matrix ("a" float32 [-1, -1]).
class DeviceResults : public testing::Test {
protected:
  std::vector<float> input = {1, 2, 3, 4, 5, 6};

  gnn_status run(const std::vector<gnn_port> &outputPorts,
                 void (*invoke)(void **, gnn_memory *), gnn_tensor *outputs,
                 gnn_error *error) {
    DeviceModel fake({tensorPort("a", GNN_FLOAT32, {-1, -1})}, outputPorts,
                     invoke, {doubleElement});
    SessionPtr session = openModel(fake.model);
    gnn_tensor tensor = tensorOf(input, {2, 3});
    gnn_status status = gnn_session_run(session.get(), nullptr, 0, &tensor, 1,
                                        outputs, outputPorts.size(), error);
    // Inputs and results are the device's no more, those of failed runs too.
    EXPECT_EQ(gnn_session_memory_usage(session.get()).bytes_held, 64);
    return status;
  }
};

const gnn_port matrix = tensorPort("y", GNN_FLOAT32, {-1, -1});

TEST_F(DeviceResults, ThatAreInputsAreCopied) {
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {matrix},
      [](void **arguments, gnn_memory *) {
        memref<float, 2>(arguments[0]) = memref<float, 2>(arguments[1]);
      },
      &output, &error));
  EXPECT_EQ(valuesOf<float>(output), input);
}

TEST_F(DeviceResults, ThatAreViewsAreMadeDense) {
  OwnedTensor outputs[3];
  gnn_tensor results[3] = {};
  // The transpose, the last row backwards, and the last column, of one block.
  ASSERT_SUCCESS(run(
      {matrix, matrix, matrix},
      [](void **arguments, gnn_memory *memory) {
        auto &a = memref<float, 2>(arguments[1]);
        auto y = MemRef<float, 2>::make(memory, {2, 3});
        launch(
            memory, 0, {1, 1, 1, 6, 1, 1},
            {static_cast<void *>(&a.aligned), static_cast<void *>(&y.aligned)});
        auto *results = static_cast<MemRef<float, 2> *>(arguments[0]);
        results[0] = results[1] = results[2] = y;
        results[0].sizes[0] = results[0].strides[1] = 3;
        results[0].sizes[1] = 2;
        results[0].strides[0] = 1;
        results[1].sizes[0] = 1;
        results[1].offset = 5;
        results[1].strides[1] = -1;
        results[2].sizes[1] = 1;
        results[2].offset = 2;
      },
      results, &error));
  for (int i = 0; i < 3; ++i)
    static_cast<gnn_tensor &>(outputs[i]) = results[i];
  EXPECT_EQ(shapeOf(outputs[0]), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(valuesOf<float>(outputs[0]),
            (std::vector<float>{2, 8, 4, 10, 6, 12}));
  EXPECT_EQ(valuesOf<float>(outputs[1]), (std::vector<float>{12, 10, 8}));
  EXPECT_EQ(valuesOf<float>(outputs[2]), (std::vector<float>{6, 12}));
}

TEST_F(DeviceResults, MayDependOnWhatIsRead) {
  OwnedTensor output;
  // As many columns as the second element says.
  ASSERT_SUCCESS(run(
      {matrix},
      [](void **arguments, gnn_memory *memory) {
        auto &a = memref<float, 2>(arguments[1]);
        float columns = 0;
        memory->read(memory, &columns, a.aligned + 1, sizeof(columns));
        memref<float, 2>(arguments[0]) = a;
        memref<float, 2>(arguments[0]).sizes[1] = static_cast<int64_t>(columns);
      },
      &output, &error));
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{1, 2, 4, 5}));
}

TEST_F(DeviceResults, OfTheWrongShapeAreRefused) {
  gnn_tensor output = {};
  EXPECT_FAILURE(GNN_MISMATCH, "has returned output 'y' of shape [2, 3]",
                 run(
                     {tensorPort("y", GNN_FLOAT32, {-1, 4})},
                     [](void **arguments, gnn_memory *memory) {
                       memref<float, 2>(arguments[0]) =
                           MemRef<float, 2>::make(memory, {2, 3});
                     },
                     &output, &error));
  EXPECT_EQ(output.data, nullptr);
}

TEST_F(DeviceResults, OfFailedRunsAreNotGiven) {
  gnn_tensor outputs[2] = {};
  EXPECT_FAILURE(
      GNN_DEVICE_ERROR, "kernel 'kernel0' has written outside of a block of 24",
      run(
          {matrix, matrix},
          [](void **arguments, gnn_memory *memory) {
            auto &a = memref<float, 2>(arguments[1]);
            auto *results = static_cast<MemRef<float, 2> *>(arguments[0]);
            results[0] = MemRef<float, 2>::make(memory, {2, 3});
            launch(memory, 0, {1, 1, 1, 9, 1, 1},
                   {static_cast<void *>(&a.aligned),
                    static_cast<void *>(&a.aligned)});
            // The rest does nothing.
            EXPECT_EQ(memory->allocate(memory, 24), nullptr);
            float value = 1;
            memory->read(memory, &value, a.aligned, sizeof(value));
            EXPECT_EQ(value, 0);
            memory->release(memory, nullptr);
            results[1] = results[0];
          },
          outputs, &error));
  EXPECT_EQ(outputs[0].data, nullptr);
  EXPECT_EQ(outputs[1].data, nullptr);
}

TEST_F(DeviceResults, OutsideOfTheDeviceAreRefused) {
  gnn_tensor output = {};
  EXPECT_FAILURE(GNN_DEVICE_ERROR, "24 bytes were to be copied from where",
                 run(
                     {matrix},
                     [](void **arguments, gnn_memory *) {
                       static float constant[6] = {};
                       auto &y = memref<float, 2>(arguments[0]);
                       y = memref<float, 2>(arguments[1]);
                       y.allocated = y.aligned = constant;
                       y.allocated = nullptr;
                     },
                     &output, &error));
  EXPECT_EQ(output.data, nullptr);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

class DeviceWeights : public FolderTest {
protected:
  std::vector<float> values = {1, 2, 3, 4};
  // The last three, doubled.
  DeviceModel fake{
      {weightPort("w", GNN_FLOAT32, {3}, 4)},
      {tensorPort("y", GNN_FLOAT32, {3})},
      [](void **arguments, gnn_memory *memory) {
        auto y = MemRef<float, 1>::make(memory, {3});
        launch(memory, 0, {1, 1, 1, 3, 1, 1},
               {static_cast<void *>(&memref<float, 1>(arguments[1]).aligned),
                static_cast<void *>(&y.aligned)});
        memref<float, 1>(arguments[0]) = y;
      },
      {doubleElement}};

  void SetUp() override {
    FolderTest::SetUp();
    fake.model.weight_bytes = 16;
    fake.model.weight_hash = gnn_weight_hash(values.data(), 16);
  }

  std::string writeWeights() {
    return write("w", std::string(reinterpret_cast<char *>(values.data()), 16));
  }

  void expectRun(const char *file) {
    gnn_session *session = nullptr;
    ASSERT_SUCCESS(gnn_session_create(&fake.model, file, &session, &error));
    SessionPtr owner(session);
    for (int i = 0; i < 2; ++i) {
      OwnedTensor output;
      ASSERT_SUCCESS(
          gnn_session_run(session, nullptr, 0, nullptr, 0, &output, 1, &error));
      EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{4, 6, 8}));
    }
  }
};

TEST_F(DeviceWeights, MayLieInAFile) { expectRun(writeWeights().c_str()); }

TEST_F(DeviceWeights, MayLieInTheModel) {
  fake.model.weights = values.data();
  expectRun(nullptr);
}

TEST_F(DeviceWeights, ThatAreInTheModelCannotBeReplaced) {
  fake.model.weights = values.data();
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "has its weights embedded",
                 gnn_session_create(&fake.model, writeWeights().c_str(),
                                    &session, &error));
}

TEST_F(DeviceWeights, ThatAreMissingAreAskedFor) {
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "needs its weights file of 16 bytes",
                 gnn_session_create(&fake.model, nullptr, &session, &error));
}
