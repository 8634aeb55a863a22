//===- TensorTest.cpp - Tests of tensors and errors -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <cmath>
#include <limits>

using namespace gnn::test;

// A value that only C callers can pass without a cast.
static gnn_dtype unknownDtype(int value) {
  return static_cast<gnn_dtype>(value);
}

TEST(Tensor, DtypesHaveSizesAndNames) {
  EXPECT_EQ(gnn_dtype_size(GNN_FLOAT32), 4u);
  EXPECT_EQ(gnn_dtype_size(GNN_FLOAT64), 8u);
  EXPECT_EQ(gnn_dtype_size(GNN_INT32), 4u);
  EXPECT_EQ(gnn_dtype_size(GNN_INT64), 8u);
  EXPECT_EQ(gnn_dtype_size(GNN_BOOL), 1u);
  EXPECT_STREQ(gnn_dtype_name(GNN_FLOAT32), "float32");
  EXPECT_STREQ(gnn_dtype_name(GNN_BOOL), "bool");
  auto bad = unknownDtype(7);
  EXPECT_EQ(gnn_dtype_size(bad), 0u);
  EXPECT_STREQ(gnn_dtype_name(bad), "unknown");
}

TEST(Tensor, AllocatesZeroedAndAligned) {
  OwnedTensor tensor;
  const int64_t shape[] = {3, 5};
  ASSERT_SUCCESS(gnn_tensor_allocate(GNN_FLOAT32, 2, shape, &tensor, &error));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % 64, 0u);
  EXPECT_EQ(shapeOf(tensor), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(valuesOf<float>(tensor), std::vector<float>(15, 0.0f));
  gnn_tensor_release(&tensor);
  EXPECT_EQ(tensor.data, nullptr);
  EXPECT_EQ(tensor.release, nullptr);
  gnn_tensor_release(&tensor); // an empty tensor may be released again
  gnn_tensor_release(nullptr);
}

TEST(Tensor, ScalarsAndEmptyTensorsHaveSizes) {
  OwnedTensor scalar, empty;
  ASSERT_SUCCESS(gnn_tensor_allocate(GNN_INT64, 0, nullptr, &scalar, &error));
  EXPECT_EQ(gnn_tensor_size(&scalar), 1);
  const int64_t shape[] = {0, 7};
  ASSERT_SUCCESS(gnn_tensor_allocate(GNN_INT64, 2, shape, &empty, &error));
  EXPECT_EQ(gnn_tensor_size(&empty), 0);
}

TEST(Tensor, RefusesImpossibleShapes) {
  gnn_tensor tensor;
  const int64_t negative[] = {3, -1};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "[3, -1]",
                 gnn_tensor_allocate(GNN_INT32, 2, negative, &tensor, &error));
  const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "2^63",
                 gnn_tensor_allocate(GNN_INT32, 2, huge, &tensor, &error));
  // Elements beside a zero must have strides that fit, too.
  const int64_t hugeEmpty[] = {INT64_C(1) << 40, INT64_C(1) << 40, 0};
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "2^63",
                 gnn_tensor_allocate(GNN_INT32, 3, hugeEmpty, &tensor, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "rank 9",
                 gnn_tensor_allocate(GNN_INT32, 9, huge, &tensor, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "shape is NULL",
                 gnn_tensor_allocate(GNN_INT32, 1, nullptr, &tensor, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "unknown dtype 9",
      gnn_tensor_allocate(unknownDtype(9), 1, negative, &tensor, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'tensor'",
                 gnn_tensor_allocate(GNN_INT32, 0, nullptr, nullptr, &error));
}

TEST(Tensor, ReportsThatMemoryIsShort) {
  gnn_tensor tensor;
  const int64_t shape[] = {INT64_C(1) << 60};
  EXPECT_FAILURE(GNN_OUT_OF_MEMORY, "4611686018427387904",
                 gnn_tensor_allocate(GNN_INT32, 1, shape, &tensor, &error));
  EXPECT_EQ(tensor.data, nullptr);
}

TEST(Tensor, ErrorsAreOptional) {
  gnn_tensor tensor;
  EXPECT_EQ(gnn_tensor_allocate(GNN_INT32, -1, nullptr, &tensor, nullptr),
            GNN_INVALID_ARGUMENT);
}

TEST(Tensor, LongMessagesAreCutAndStayOnOneLine) {
  std::string path = "/nowhere/\n" + std::string(5000, 'x');
  gnn_archive *archive;
  gnn_error error = {};
  EXPECT_EQ(gnn_archive_read(path.c_str(), &archive, &error), GNN_IO_ERROR);
  std::string message = error.message;
  EXPECT_LT(message.size(), sizeof(error.message));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

template <typename To, typename From>
static std::vector<To> convert(std::vector<From> values) {
  gnn_tensor tensor = tensorOf(values, {static_cast<int64_t>(values.size())});
  OwnedTensor converted;
  gnn_error error = {};
  EXPECT_EQ(gnn_tensor_convert(&tensor, dtypeOf<To>(), &converted, &error),
            GNN_OK)
      << error.message;
  return valuesOf<To>(converted);
}

template <typename To, typename From>
static void expectRefused(From value, const std::string &reason) {
  std::vector<From> values = {0, 1, value, 0};
  gnn_tensor tensor = tensorOf(values, {2, 2});
  gnn_tensor converted = {};
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, reason,
      gnn_tensor_convert(&tensor, dtypeOf<To>(), &converted, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "tensor[1][0] ",
      gnn_tensor_convert(&tensor, dtypeOf<To>(), &converted, &error));
  EXPECT_EQ(converted.data, nullptr);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

TEST(TensorConvert, KeepsValuesThatFit) {
  EXPECT_EQ((convert<int64_t, int32_t>({INT32_MIN, 0, INT32_MAX})),
            (std::vector<int64_t>{INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ((convert<int32_t, int64_t>({INT32_MIN, 0, INT32_MAX})),
            (std::vector<int32_t>{INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ((convert<int32_t, double>({-2147483648.0, 2147483647.0, -0.0})),
            (std::vector<int32_t>{INT32_MIN, INT32_MAX, 0}));
  EXPECT_EQ((convert<int64_t, double>({-9223372036854775808.0})),
            (std::vector<int64_t>{INT64_MIN}));
  EXPECT_EQ((convert<float, double>({1e38, -1e-50, 0.5})),
            (std::vector<float>{1e38f, -0.0f, 0.5f}));
  EXPECT_EQ((convert<float, uint8_t>({0, 1})), (std::vector<float>{0, 1}));
  EXPECT_EQ((convert<uint8_t, double>({0, 1})), (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ((convert<float, int64_t>({16777217})),
            (std::vector<float>{16777216}));
  EXPECT_EQ((convert<double, float>({})), std::vector<double>());
}

TEST(TensorConvert, KeepsInfinitiesAndNaNsOfFloats) {
  std::vector<float> values =
      convert<float, double>({infinity, -infinity, notANumber});
  EXPECT_TRUE(std::isinf(values[0]) && values[0] > 0);
  EXPECT_TRUE(std::isinf(values[1]) && values[1] < 0);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(TensorConvert, RefusesValuesThatDoNotFit) {
  expectRefused<int32_t, int64_t>(INT64_C(2147483648), "out of range");
  expectRefused<int32_t, int64_t>(INT64_C(-2147483649), "-2147483649");
  expectRefused<int32_t, double>(2147483648.0, "out of range");
  expectRefused<int64_t, double>(9223372036854775808.0, "out of range");
  expectRefused<int64_t, float>(9223372036854775808.0f, "out of range");
  expectRefused<int64_t, double>(0.5, "not integral");
  expectRefused<int64_t, double>(notANumber, "not finite");
  expectRefused<int32_t, double>(-infinity, "not finite");
  expectRefused<float, double>(1e39, "out of range");
  expectRefused<uint8_t, int32_t>(2, "0 or 1");
  expectRefused<uint8_t, double>(notANumber, "0 or 1");
}

TEST(TensorConvert, CopiesEvenWithoutAChange) {
  std::vector<float> values = {1, 2};
  gnn_tensor tensor = tensorOf(values, {2, 1});
  OwnedTensor converted;
  ASSERT_SUCCESS(gnn_tensor_convert(&tensor, GNN_FLOAT32, &converted, &error));
  EXPECT_NE(converted.data, tensor.data);
  EXPECT_EQ(shapeOf(converted), shapeOf(tensor));
  EXPECT_EQ(valuesOf<float>(converted), values);
}

TEST(TensorConvert, RefusesMalformedTensors) {
  std::vector<double> values(4);
  gnn_tensor converted;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "the tensor is NULL",
                 gnn_tensor_convert(nullptr, GNN_INT32, &converted, &error));
  gnn_tensor tensor = tensorOf(values, {3});
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'converted'",
                 gnn_tensor_convert(&tensor, GNN_INT32, nullptr, &error));
  EXPECT_FAILURE(
      GNN_INVALID_ARGUMENT, "unknown dtype 5",
      gnn_tensor_convert(&tensor, unknownDtype(5), &converted, &error));
  tensor.data = reinterpret_cast<char *>(values.data()) + 4;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "not aligned to 8 bytes",
                 gnn_tensor_convert(&tensor, GNN_INT32, &converted, &error));
  tensor.data = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "its data is NULL",
                 gnn_tensor_convert(&tensor, GNN_INT32, &converted, &error));
  tensor.rank = 9;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "rank 9",
                 gnn_tensor_convert(&tensor, GNN_INT32, &converted, &error));
}
