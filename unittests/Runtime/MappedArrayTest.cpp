//===- MappedArrayTest.cpp - Tests of mapped arrays -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include "gnn/Runtime/Batches.h"

#include <cstring>

using namespace gnn::test;

/// The bytes of an .npy file.
template <typename T>
static std::string npy(const std::string &descr, const std::string &shape,
                       const std::vector<T> &values,
                       const char *fortranOrder = "False") {
  std::string text = "{'descr': '" + descr +
                     "', 'fortran_order': " + fortranOrder +
                     ", 'shape': " + shape + ", }";
  text += std::string(64 - (text.size() + 11) % 64, ' ') + "\n";
  std::string result("\x93NUMPY\x01\x00", 8);
  result += static_cast<char>(text.size() & 0xFF);
  result += static_cast<char>(text.size() >> 8);
  result += text;
  return result.append(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(T));
}

class MappedArrayTest : public FolderTest {
protected:
  void expectRefused(gnn_status status, const std::string &message,
                     const std::string &contents) {
    std::string file = write("bad.npy", contents);
    OwnedTensor tensor;
    EXPECT_FAILURE(status, message,
                   gnn_tensor_map(file.c_str(), &tensor, &error));
    EXPECT_EQ(tensor.data, nullptr);
  }
};

TEST_F(MappedArrayTest, Maps) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::string file = write("x.npy", npy("<f4", "(3, 2)", values));
  OwnedTensor tensor;
  ASSERT_SUCCESS(gnn_tensor_map(file.c_str(), &tensor, &error));
  EXPECT_EQ(shapeOf(tensor), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(valuesOf<float>(tensor), values);
}

TEST_F(MappedArrayTest, MapsNothing) {
  std::string file =
      write("x.npy", npy("<i8", "(0, 5)", std::vector<int64_t>()));
  OwnedTensor tensor;
  ASSERT_SUCCESS(gnn_tensor_map(file.c_str(), &tensor, &error));
  EXPECT_EQ(shapeOf(tensor), (std::vector<int64_t>{0, 5}));
}

TEST_F(MappedArrayTest, GathersRows) {
  std::vector<int64_t> values(6000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i);
  std::string file = write("x.npy", npy("<i8", "(3000, 2)", values));
  OwnedTensor tensor, gathered;
  ASSERT_SUCCESS(gnn_tensor_map(file.c_str(), &tensor, &error));
  // More rows than are gathered between giving memory back.
  std::vector<int32_t> indices(2500);
  for (int32_t i = 0; i < 2500; ++i)
    indices[i] = 2999 - i;
  ASSERT_SUCCESS(
      gnn_tensor_gather(&tensor, indices.data(), 2500, &gathered, &error));
  EXPECT_EQ(shapeOf(gathered), (std::vector<int64_t>{2500, 2}));
  std::vector<int64_t> rows = valuesOf<int64_t>(gathered);
  for (int64_t i = 0; i < 2500; ++i) {
    ASSERT_EQ(rows[2 * i], 2 * (2999 - i));
    ASSERT_EQ(rows[2 * i + 1], 2 * (2999 - i) + 1);
  }
}

TEST_F(MappedArrayTest, GatherRefuses) {
  std::vector<float> values = {1, 2, 3};
  gnn_tensor tensor = tensorOf(values, {3}), scalar = tensorOf(values, {});
  std::vector<int32_t> good = {2, 2}, bad = {0, 3};
  OwnedTensor gathered;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "indices[1] is 3, but there are 3 rows",
                 gnn_tensor_gather(&tensor, bad.data(), 2, &gathered, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "rank 0",
                 gnn_tensor_gather(&scalar, good.data(), 2, &gathered, &error));
  EXPECT_EQ(gathered.data, nullptr);
  ASSERT_SUCCESS(gnn_tensor_gather(&tensor, good.data(), 2, &gathered, &error));
  EXPECT_EQ(valuesOf<float>(gathered), (std::vector<float>{3, 3}));
}

TEST_F(MappedArrayTest, RefusesWhatItCannotMap) {
  std::vector<float> values = {1, 2, 3, 4};
  expectRefused(GNN_FORMAT_ERROR, "too short for a NumPy array", "");
  expectRefused(GNN_FORMAT_ERROR, "is no NumPy array", std::string(80, 'x'));
  expectRefused(GNN_FORMAT_ERROR,
                "has shape [5] of float32, but 16 bytes of data",
                npy("<f4", "(5,)", values));
  expectRefused(GNN_UNSUPPORTED, "is in Fortran order",
                npy("<f4", "(2, 2)", values, "True"));
  expectRefused(GNN_UNSUPPORTED, "holds text or dates",
                npy("<U1", "(4,)", values));
  expectRefused(GNN_UNSUPPORTED, "is uint8 and holds 128",
                npy("|u1", "(16,)", values));
  std::string whole = npy("<f4", "(4,)", values);
  expectRefused(GNN_FORMAT_ERROR, "has a header of", whole.substr(0, 40));
  std::string skewed = whole;
  skewed.erase(skewed.size() - 16 - 2, 1); // a blank of the header
  --skewed[8];
  expectRefused(GNN_UNSUPPORTED, "write it with numpy.save", skewed);

  OwnedTensor tensor;
  EXPECT_FAILURE(GNN_IO_ERROR, "No such file",
                 gnn_tensor_map(path("none.npy").c_str(), &tensor, &error));
  EXPECT_FAILURE(GNN_IO_ERROR, "not a regular file",
                 gnn_tensor_map(folder.c_str(), &tensor, &error));
}
