//===- DeviceTensorTest.cpp - Tests of tensors on devices -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

using namespace gnn::test;

/// Options of sessions whose outputs stay.
static gnn_session_options keepOutputs() {
  gnn_session_options options = gnn_session_default_options();
  options.device_outputs = 1;
  return options;
}

static SessionPtr openModel(const gnn_model &model) {
  return openSession(model, keepOutputs());
}

/// The elements of a tensor on the device of `session`.
static std::vector<float> readFrom(const SessionPtr &session,
                                   const gnn_tensor &tensor) {
  EXPECT_EQ(tensor.place, GNN_DEVICE);
  OwnedTensor copy;
  gnn_error error = {};
  EXPECT_EQ(gnn_session_read(session.get(), &tensor, &copy, &error), GNN_OK)
      << error.message;
  EXPECT_EQ(shapeOf(copy), shapeOf(tensor));
  return valuesOf<float>(copy);
}

//===----------------------------------------------------------------------===//
// Runs on what earlier ones have left
//===----------------------------------------------------------------------===//

TEST(DeviceTensor, IsInputOfTheNextRun) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  EXPECT_STREQ(gnn_session_device_name(session.get()), "emulated");
  // Edges 1 -> 1, 0 -> 1, 1 -> 0, which the graph has in another order.
  GraphPtr graph = makeGraph(2, 2, {1, 0, 1}, {1, 1, 0});
  const gnn_graph *graphs[] = {graph.get()};
  std::vector<float> x = {1, 2}, w = {1, 2, 3};
  gnn_tensor tensors[] = {tensorOf(x, {2}), tensorOf(w, {3})};
  OwnedTensor first[2], second[2];
  gnn_tensor results[2];
  ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, tensors, 2, results,
                                 2, &error));
  for (int i = 0; i < 2; ++i)
    static_cast<gnn_tensor &>(first[i]) = results[i];
  EXPECT_EQ(readFrom(session, first[0]), (std::vector<float>{6, 4}));
  EXPECT_EQ(readFrom(session, first[1]), (std::vector<float>{10, 20, 30}));
  // Nodes go in as they are, edges by way of the host.
  ASSERT_SUCCESS(
      gnn_session_run(session.get(), graphs, 1, first, 2, results, 2, &error));
  for (int i = 0; i < 2; ++i)
    static_cast<gnn_tensor &>(second[i]) = results[i];
  EXPECT_EQ(readFrom(session, second[0]), (std::vector<float>{120, 160}));
  EXPECT_EQ(readFrom(session, second[1]), (std::vector<float>{100, 200, 300}));
  // Tensors outlive the session.
  session.reset();
}

/// (x, out): whether x begins where kernels can copy 16 bytes at once.
static void noteAlignment(gnn_emulated_thread *, void **parameters) {
  auto address = reinterpret_cast<uintptr_t>(parameter<float *>(parameters, 0));
  float *out = parameter<float *>(parameters, 1);
  out[0] = address % 16 == 0;
  out[1] = parameter<float *>(parameters, 0)[0];
}

TEST(DeviceTensor, IsCopiedToWhereKernelsCanReadIt) {
  DeviceModel fake({tensorPort("x", GNN_FLOAT32, {-1})},
                   {tensorPort("y", GNN_FLOAT32, {-1})},
                   [](void **arguments, gnn_memory *memory) {
                     auto &x = memref<float, 1>(arguments[1]);
                     auto &y = memref<float, 1>(arguments[0]);
                     y = MemRef<float, 1>::tryToMake(memory, {2});
                     launch(memory, 0, {1, 1, 1, 1, 1, 1},
                            {static_cast<void *>(&x.aligned),
                             static_cast<void *>(&y.aligned)});
                   },
                   {noteAlignment});
  SessionPtr session = openModel(fake.model);
  std::vector<float> x = {7};
  gnn_tensor tensor = tensorOf(x, {1});
  OwnedTensor first, second;
  ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &tensor, 1, &first,
                                 1, &error));
  EXPECT_EQ(readFrom(session, first), (std::vector<float>{1, 7}));
  // The second element of it.
  int64_t shape[] = {1};
  gnn_tensor rest = gnn_tensor_borrow_device(
      static_cast<float *>(first.data) + 1, GNN_FLOAT32, 1, shape);
  ASSERT_SUCCESS(
      gnn_session_run(session.get(), nullptr, 0, &rest, 1, &second, 1, &error));
  EXPECT_EQ(readFrom(session, second), (std::vector<float>{1, 7}));
}

TEST(DeviceTensor, MayBeEmpty) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  GraphPtr graph = makeGraph(0, 0, {}, {});
  const gnn_graph *graphs[] = {graph.get()};
  std::vector<float> none;
  gnn_tensor tensors[] = {tensorOf(none, {0}), tensorOf(none, {0})};
  for (int run = 0; run < 2; ++run) {
    gnn_tensor results[2];
    ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, tensors, 2,
                                   results, 2, &error));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(readFrom(session, results[i]), none);
      gnn_tensor_release(&tensors[i]);
      tensors[i] = results[i];
    }
  }
  for (gnn_tensor &tensor : tensors)
    gnn_tensor_release(&tensor);
}

//===----------------------------------------------------------------------===//
// What results become
//===----------------------------------------------------------------------===//

/// Runs a model without kernels on a matrix of 2 x 3.
class DeviceOutputs : public testing::Test {
protected:
  std::vector<float> input = {1, 2, 3, 4, 5, 6};
  SessionPtr session;

  void run(size_t numOutputs, void (*invoke)(void **, gnn_memory *),
           gnn_tensor *outputs) {
    gnn_port matrix = tensorPort("y", GNN_FLOAT32, {-1, -1});
    DeviceModel fake({tensorPort("a", GNN_FLOAT32, {-1, -1})},
                     std::vector<gnn_port>(numOutputs, matrix), invoke, {});
    session = openModel(fake.model);
    gnn_tensor tensor = tensorOf(input, {2, 3});
    std::vector<gnn_tensor> results(numOutputs);
    ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &tensor, 1,
                                   results.data(), numOutputs, &error));
    std::copy(results.begin(), results.end(), outputs);
  }
};

TEST_F(DeviceOutputs, AreAdoptedWithoutACopy) {
  static void *block;
  gnn_tensor output;
  run(
      1,
      [](void **arguments, gnn_memory *memory) {
        auto &y = memref<float, 2>(arguments[0]);
        y = memref<float, 2>(arguments[1]);
        y.allocated = block = memory->allocate(memory, 28);
        y.aligned = static_cast<float *>(block);
        y.offset = 1;
      },
      &output);
  EXPECT_EQ(output.data, static_cast<float *>(block) + 1);
  gnn_tensor_release(&output);
}

TEST_F(DeviceOutputs, ThatAreInputsAreCopied) {
  gnn_tensor output;
  static void *argument;
  run(
      1,
      [](void **arguments, gnn_memory *) {
        memref<float, 2>(arguments[0]) = memref<float, 2>(arguments[1]);
        argument = static_cast<void *>(memref<float, 2>(arguments[1]).aligned);
      },
      &output);
  EXPECT_NE(output.data, argument);
  EXPECT_EQ(readFrom(session, output), input);
  gnn_tensor_release(&output);
}

TEST_F(DeviceOutputs, ThatAreViewsAreMadeDense) {
  gnn_tensor outputs[2];
  run(
      2,
      [](void **arguments, gnn_memory *) {
        auto *results = static_cast<MemRef<float, 2> *>(arguments[0]);
        results[0] = results[1] = memref<float, 2>(arguments[1]);
        std::swap(results[0].sizes[0], results[0].sizes[1]);
        std::swap(results[0].strides[0], results[0].strides[1]);
        results[1].offset = 3;
        results[1].sizes[0] = 1;
      },
      outputs);
  EXPECT_EQ(readFrom(session, outputs[0]),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(readFrom(session, outputs[1]), (std::vector<float>{4, 5, 6}));
  for (gnn_tensor &output : outputs)
    gnn_tensor_release(&output);
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

TEST(DeviceTensor, IsForModelsOnDevicesOnly) {
  FakeModel cpu({tensorPort("x", GNN_FLOAT32, {-1})}, {},
                [](void **, gnn_memory *) {});
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&cpu.model, nullptr, &session, &error));
  SessionPtr owner(session);
  EXPECT_EQ(gnn_session_device_name(session), nullptr);
  float value = 0;
  int64_t shape[] = {1};
  gnn_tensor tensor = gnn_tensor_borrow_device(&value, GNN_FLOAT32, 1, shape);
  EXPECT_FAILURE(
      GNN_MISMATCH, "input 'x' is on a device, but the model runs on the CPU",
      gnn_session_run(session, nullptr, 0, &tensor, 1, nullptr, 0, &error));
  tensor.place = 2;
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "input 'x' has the unknown place 2",
      gnn_session_run(session, nullptr, 0, &tensor, 1, nullptr, 0, &error));
  tensor.place = GNN_DEVICE;
  OwnedTensor copy;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "cannot be read from a device: the session runs on the CPU",
                 gnn_session_read(session, &tensor, &copy, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "is not in the host's memory",
                 gnn_tensor_convert(&tensor, GNN_FLOAT64, &copy, &error));
}

TEST(DeviceTensor, IsReadFromDevicesOnly) {
  WeightedSumModel fake;
  SessionPtr session = openModel(fake.model);
  std::vector<float> values = {1};
  gnn_tensor tensor = tensorOf(values, {1});
  OwnedTensor copy;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "it is in the host's memory",
                 gnn_session_read(session.get(), &tensor, &copy, &error));
  tensor.place = GNN_DEVICE;
  EXPECT_FAILURE(GNN_DEVICE_ERROR, "4 bytes were to be copied from where",
                 gnn_session_read(session.get(), &tensor, &copy, &error));
  EXPECT_EQ(copy.data, nullptr);
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'session'",
                 gnn_session_read(nullptr, &tensor, &copy, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'tensor'",
                 gnn_session_read(session.get(), nullptr, &copy, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'copy'",
                 gnn_session_read(session.get(), &tensor, nullptr, &error));
}

TEST(DeviceTensor, IsCheckedAgainstLimits) {
  gnn_port ids = tensorPort("ids", GNN_INT32, {-1});
  ids.limit = 3;
  DeviceModel fake({ids}, {tensorPort("y", GNN_INT32, {-1})},
                   [](void **arguments, gnn_memory *) {
                     memref<int32_t, 1>(arguments[0]) =
                         memref<int32_t, 1>(arguments[1]);
                   },
                   {});
  SessionPtr session = openModel(fake.model);
  std::vector<int32_t> values = {2, 0, 1};
  gnn_tensor onHost = tensorOf(values, {3});
  OwnedTensor output, again;
  ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &onHost, 1, &output,
                                 1, &error));
  ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &output, 1, &again,
                                 1, &error));
  // Of the emulated device, only this test knows where its memory is.
  static_cast<int32_t *>(again.data)[2] = 3;
  EXPECT_FAILURE(GNN_MISMATCH,
                 "input 'ids' has 3 in row 2, but the model takes numbers from "
                 "0 to 2",
                 gnn_session_run(session.get(), nullptr, 0, &again, 1, &output,
                                 1, &error));
}

TEST(SessionOptions, ThatAreImpossibleAreRefused) {
  FakeModel cpu({}, {}, [](void **, gnn_memory *) {});
  WeightedSumModel fake;
  gnn_session *session = nullptr;
  auto expect = [&](const char *text, const gnn_model &model,
                    const gnn_session_options *options) {
    EXPECT_FAILURE(GNN_INVALID_ARGUMENT, text,
                   gnn_session_create_with(&model, options, &session, &error));
    EXPECT_EQ(session, nullptr);
  };
  const char *text = "model 'fake' was compiled for the CPU, so its session "
                     "has no device";
  gnn_session_options options = keepOutputs();
  expect(text, cpu.model, &options);
  options = gnn_session_default_options();
  options.device = 0;
  expect(text, cpu.model, &options);
  options.device = -2;
  expect("-2 is no number of a GPU", fake.model, &options);
  expect("NULL as 'options'", fake.model, nullptr);
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "NULL as 'options'",
      gnn_session_open_with(GNN_TEST_LIBRARY, nullptr, &session, &error));
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

namespace {
class CudaTensor : public CudaFixture {};
} // namespace

TEST_F(CudaTensor, StaysOnTheGPU) {
  graph = makeGraph(2, 2, {1, 0, 0}, {0, 0, 1}); // in CSR order
  SessionPtr session = open(keepOutputs());
  EXPECT_STREQ(gnn_session_device_name(session.get()), "Fake 0");
  ASSERT_SUCCESS(run(session.get(), &error));
  size_t length = log().size();
  const gnn_graph *graphs[] = {graph.get()};
  gnn_tensor results[2];
  ASSERT_SUCCESS(gnn_session_run(session.get(), graphs, 1, outputs, 2, results,
                                 2, &error));
  EXPECT_EQ(logSince(length), "cuMemAlloc_v2 80\ncuMemAlloc_v2 80\n"
                              "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
                              "cuStreamSynchronize\n");
  length = log().size();
  EXPECT_EQ(readFrom(session, results[1]),
            (std::vector<float>{1000, 100, 1000}));
  EXPECT_EQ(logSince(length), "cuMemcpyDtoHAsync_v2 12\ncuStreamSynchronize\n");
  for (gnn_tensor &result : results)
    gnn_tensor_release(&result);
  // Others outlive the session, and with them what they need of the GPU.
  session.reset();
  EXPECT_EQ(log().find("cuModuleUnload"), std::string::npos);
}

TEST_F(CudaTensor, IsCopiedOnTheGPU) {
  fake.model.invoke = [](void **arguments, gnn_memory *) {
    auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
    results[0] = memref<float, 1>(arguments[4]);
    results[1] = memref<float, 1>(arguments[5]);
  };
  graph = makeGraph(2, 2, {1, 0, 0}, {0, 0, 1});
  SessionPtr session = open(keepOutputs());
  ASSERT_SUCCESS(run(session.get(), &error));
  EXPECT_EQ(readFrom(session, outputs[0]), x);
  EXPECT_EQ(readFrom(session, outputs[1]), w);
  EXPECT_NE(log().find("cuMemcpyDtoDAsync_v2 8\ncuMemAlloc_v2 64\n"
                       "cuMemcpyDtoDAsync_v2 12\n"),
            std::string::npos)
      << log();
  ScopedVariable settings("FAKE_CUDA", "cuMemcpyDtoDAsync_v2=1");
  EXPECT_FAILURE(GNN_DEVICE_ERROR, "failed to copy an output: error 1",
                 run(session.get(), &error));
}

TEST_F(CudaTensor, WorksInTheCallersStream) {
  graph = makeGraph(2, 2, {1, 0, 0}, {0, 0, 1});
  char stream = 0;
  gnn_session_options options = keepOutputs();
  options.stream = &stream;
  SessionPtr session = open(options);
  EXPECT_EQ(log().find("cuStreamCreate"), std::string::npos);
  size_t length = log().size();
  ASSERT_SUCCESS(run(session.get(), &error));
  // Nothing waits but who reads.
  EXPECT_EQ(logSince(length).find("cuStreamSynchronize"), std::string::npos);
  EXPECT_EQ(readFrom(session, outputs[0]), (std::vector<float>{21, 10}));
  EXPECT_NE(logSince(length).find("cuStreamSynchronize of another"),
            std::string::npos);
  // With outputs on the host, a run waits.
  options.device_outputs = 0;
  session = open(options);
  length = log().size();
  ASSERT_SUCCESS(run(session.get(), &error));
  EXPECT_NE(logSince(length).find("cuStreamSynchronize of another"),
            std::string::npos);
  session.reset();
  EXPECT_EQ(log().find("cuStreamDestroy"), std::string::npos);
}

TEST_F(CudaTensor, IsOnTheGPUThatTheOptionsName) {
  ScopedVariable settings("FAKE_CUDA", "devices=3");
  ScopedVariable variable("GNN_DEVICE", "2");
  gnn_session_options options = gnn_session_default_options();
  options.device = 1;
  SessionPtr session = open(options);
  EXPECT_STREQ(gnn_session_device_name(session.get()), "Fake 1");
}
