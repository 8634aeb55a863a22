//===- ResultTest.cpp - Tests of what models return -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "TestUtil.h"

#include <cstring>

using namespace gnn::test;

/// Runs a model that takes the tensors ("a" float32 [-1, -1], ...).
class Results : public testing::Test {
protected:
  std::vector<float> input = {1, 2, 3, 4, 5, 6};

  gnn_status run(const std::vector<gnn_port> &outputPorts,
                 void (*invoke)(void **, gnn_memory *), gnn_tensor *outputs,
                 gnn_error *error) {
    FakeModel fake({tensorPort("a", GNN_FLOAT32, {-1, -1})}, outputPorts,
                   invoke);
    gnn_session *session = nullptr;
    if (gnn_status status =
            gnn_session_create(&fake.model, nullptr, &session, error))
      return status;
    SessionPtr owner(session);
    gnn_tensor tensor = tensorOf(input, {2, 3});
    return gnn_session_run(session, nullptr, 0, &tensor, 1, outputs,
                           outputPorts.size(), error);
  }
};

const gnn_port matrix = tensorPort("y", GNN_FLOAT32, {-1, -1});
const gnn_port vector = tensorPort("z", GNN_FLOAT32, {-1});

TEST_F(Results, AreAdoptedWithoutACopy) {
  static void *allocated;
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {matrix},
      [](void **arguments, gnn_memory *memory) {
        auto result = MemRef<float, 2>::make(memory, {2, 2});
        memset(result.aligned, 0, 16);
        allocated = result.allocated;
        memref<float, 2>(arguments[0]) = result;
      },
      &output, &error));
  EXPECT_EQ(output.owner, allocated);
  EXPECT_NE(output.data, allocated);
  EXPECT_EQ(valuesOf<float>(output), std::vector<float>(4, 0.0f));
}

TEST_F(Results, ThatAreInputsAreCopied) {
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {matrix},
      [](void **arguments, gnn_memory * /*memory*/) {
        memref<float, 2>(arguments[0]) = memref<float, 2>(arguments[1]);
      },
      &output, &error));
  EXPECT_NE(output.data, input.data());
  EXPECT_EQ(valuesOf<float>(output), input);
}

TEST_F(Results, ThatAreViewsOfInputsAreCopied) {
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {vector},
      [](void **arguments, gnn_memory * /*memory*/) {
        // The second column.
        auto &a = memref<float, 2>(arguments[1]);
        memref<float, 1>(arguments[0]) = {
            a.allocated, a.aligned, 1, {a.sizes[0]}, {a.strides[0]}};
      },
      &output, &error));
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{2, 5}));
}

TEST_F(Results, ThatAreConstantsAreCopied) {
  static float constant[] = {7, 8};
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {vector},
      [](void **arguments, gnn_memory * /*memory*/) {
        // What memref.get_global becomes.
        memref<float, 1>(arguments[0]) = {
            reinterpret_cast<void *>(0xdeadbeef), constant, 0, {2}, {1}};
      },
      &output, &error));
  EXPECT_NE(output.data, constant);
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{7, 8}));
}

TEST_F(Results, OfTheSameMemoryAreSeparated) {
  OwnedTensor outputs[2];
  gnn_tensor raw[2] = {};
  ASSERT_SUCCESS(run(
      {vector, vector},
      [](void **arguments, gnn_memory *memory) {
        auto result = MemRef<float, 1>::make(memory, {2});
        result.aligned[0] = 1;
        result.aligned[1] = 2;
        auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
        results[0] = result;
        results[1] = result;
      },
      raw, &error));
  static_cast<gnn_tensor &>(outputs[0]) = raw[0];
  static_cast<gnn_tensor &>(outputs[1]) = raw[1];
  EXPECT_NE(outputs[0].data, outputs[1].data);
  EXPECT_EQ(valuesOf<float>(outputs[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(valuesOf<float>(outputs[1]), (std::vector<float>{1, 2}));
}

TEST_F(Results, WithStridesBecomeDense) {
  OwnedTensor output;
  ASSERT_SUCCESS(run(
      {tensorPort("y", GNN_FLOAT32, {2, 2, 3})},
      [](void **arguments, gnn_memory *memory) {
        // A transposed block of a larger array.
        auto whole = MemRef<float, 1>::make(memory, {100});
        for (int i = 0; i < 100; ++i)
          whole.aligned[i] = static_cast<float>(i);
        memref<float, 3>(arguments[0]) = {
            whole.allocated, whole.aligned, 5, {2, 2, 3}, {1, 30, 10}};
      },
      &output, &error));
  EXPECT_EQ(valuesOf<float>(output),
            (std::vector<float>{5, 15, 25, 35, 45, 55, 6, 16, 26, 36, 46, 56}));
}

TEST_F(Results, MayBeScalarsOrEmpty) {
  OwnedTensor scalar, empty;
  ASSERT_SUCCESS(run(
      {tensorPort("s", GNN_FLOAT64, {})},
      [](void **arguments, gnn_memory *memory) {
        auto one = MemRef<double, 1>::make(memory, {1});
        one.aligned[0] = 2.5;
        // A descriptor of rank 0 has no sizes and strides.
        memcpy(arguments[0], &one, 24);
      },
      &scalar, &error));
  EXPECT_EQ(valuesOf<double>(scalar), std::vector<double>{2.5});
  ASSERT_SUCCESS(run(
      {matrix},
      [](void **arguments, gnn_memory *memory) {
        memref<float, 2>(arguments[0]) = MemRef<float, 2>::make(memory, {0, 3});
      },
      &empty, &error));
  EXPECT_EQ(shapeOf(empty), (std::vector<int64_t>{0, 3}));
}

TEST_F(Results, OfEdgesWithStridesReturnToTheCallersOrder) {
  // The second half of each row of [edges, 4], in CSR order.
  FakeModel fake({graphPort("g", GNN_TOPOLOGY_CSR)},
                 {tensorPort("y", GNN_FLOAT32, {-1, 2}, GNN_AXIS_EDGE)},
                 [](void **arguments, gnn_memory *memory) {
                   auto whole = MemRef<float, 2>::make(memory, {3, 4});
                   for (int i = 0; i < 12; ++i)
                     whole.aligned[i] = static_cast<float>(i);
                   whole.offset = 2;
                   whole.sizes[1] = 2;
                   memref<float, 2>(arguments[0]) = whole;
                 });
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&fake.model, nullptr, &session, &error));
  SessionPtr owner(session);
  GraphPtr graph = makeGraph(3, 3, {0, 0, 0}, {2, 0, 1});
  const gnn_graph *graphs[] = {graph.get()};
  OwnedTensor output;
  ASSERT_SUCCESS(
      gnn_session_run(session, graphs, 1, nullptr, 0, &output, 1, &error));
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{10, 11, 2, 3, 6, 7}));
}

TEST_F(Results, OfTheWrongShapeAreRefusedAndFreed) {
  gnn_tensor outputs[2] = {};
  EXPECT_FAILURE(GNN_MISMATCH, "output 'w' of shape [3] where [2] was expected",
                 run(
                     {vector, tensorPort("w", GNN_FLOAT32, {2})},
                     [](void **arguments, gnn_memory *memory) {
                       auto *results =
                           static_cast<MemRef<float, 1> *>(arguments[0]);
                       results[0] = MemRef<float, 1>::make(memory, {2});
                       results[1] = MemRef<float, 1>::make(memory, {3});
                     },
                     outputs, &error));
  EXPECT_EQ(outputs[0].data, nullptr);
  EXPECT_EQ(outputs[1].data, nullptr);
}

TEST_F(Results, WithoutMemoryAreRefused) {
  gnn_tensor output = {};
  EXPECT_FAILURE(GNN_MISMATCH, "no memory for output 'z'",
                 run(
                     {vector},
                     [](void **arguments, gnn_memory * /*memory*/) {
                       memref<float, 1>(arguments[0]).sizes[0] = 3;
                     },
                     &output, &error));
  EXPECT_FAILURE(GNN_MISMATCH, "output 'z' of shape [-3]",
                 run(
                     {vector},
                     [](void **arguments, gnn_memory * /*memory*/) {
                       memref<float, 1>(arguments[0]).sizes[0] = -3;
                     },
                     &output, &error));
  EXPECT_EQ(output.data, nullptr);
}
