//===- Tensor.cpp - Dense arrays --------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "Error.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

static constexpr size_t alignment = 64;

size_t gnn_dtype_size(gnn_dtype dtype) {
  switch (static_cast<int>(dtype)) {
  case GNN_FLOAT32:
  case GNN_INT32:
    return 4;
  case GNN_FLOAT64:
  case GNN_INT64:
    return 8;
  case GNN_BOOL:
    return 1;
  default:
    return 0;
  }
}

const char *gnn_dtype_name(gnn_dtype dtype) {
  switch (static_cast<int>(dtype)) {
  case GNN_FLOAT32:
    return "float32";
  case GNN_FLOAT64:
    return "float64";
  case GNN_INT32:
    return "int32";
  case GNN_INT64:
    return "int64";
  case GNN_BOOL:
    return "bool";
  default:
    return "unknown";
  }
}

ShapeText rt::printShape(int32_t rank, const int64_t *shape) {
  ShapeText result;
  size_t used = 0;
  result.text[used++] = '[';
  for (int32_t i = 0; i < rank && i < GNN_MAX_RANK; ++i)
    used += static_cast<size_t>(
        snprintf(result.text + used, sizeof(result.text) - used, "%s%" PRId64,
                 i ? ", " : "", shape[i]));
  snprintf(result.text + used, sizeof(result.text) - used, "]");
  return result;
}

bool rt::shapeSize(gnn_dtype dtype, int32_t rank, const int64_t *shape,
                   int64_t &elements, int64_t &bytes) {
  // Extents beside a zero may be anything, as in NumPy, but their product must
  // still be representable for strides to be.
  int64_t nonZero = 1;
  bool empty = false;
  for (int32_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return false;
    empty |= shape[i] == 0;
    if (shape[i] && __builtin_mul_overflow(nonZero, shape[i], &nonZero))
      return false;
  }
  elements = empty ? 0 : nonZero;
  return !__builtin_mul_overflow(
             nonZero, static_cast<int64_t>(gnn_dtype_size(dtype)), &bytes) &&
         (bytes = empty ? 0 : bytes, true);
}

int64_t gnn_tensor_size(const gnn_tensor *tensor) {
  int64_t elements = 0, bytes = 0;
  if (!tensor || tensor->rank < 0 || tensor->rank > GNN_MAX_RANK ||
      !shapeSize(tensor->dtype, tensor->rank, tensor->shape, elements, bytes))
    return -1;
  return elements;
}

static gnn_status checkShape(gnn_dtype dtype, int32_t rank,
                             const int64_t *shape, const char *what,
                             gnn_error *error, int64_t &elements,
                             int64_t &bytes) {
  if (gnn_dtype_size(dtype) == 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has the unknown dtype %d; a gnn_dtype is 0 to %d", what,
                static_cast<int>(dtype), static_cast<int>(GNN_BOOL));
  if (rank < 0 || rank > GNN_MAX_RANK)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has rank %d, but a rank is 0 to %d", what, rank,
                GNN_MAX_RANK);
  if (rank && !shape)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has rank %d, but its shape is NULL", what, rank);
  for (int32_t i = 0; i < rank; ++i)
    if (shape[i] < 0)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "%s has shape %s, but extents cannot be negative", what,
                  printShape(rank, shape).text);
  if (!shapeSize(dtype, rank, shape, elements, bytes))
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, which is more than 2^63 bytes", what,
                printShape(rank, shape).text);
  return GNN_OK;
}

gnn_status rt::checkTensor(const gnn_tensor *tensor, const char *what,
                           gnn_error *error) {
  if (!tensor)
    return fail(error, GNN_INVALID_ARGUMENT, "%s is NULL", what);
  if (tensor->place != GNN_HOST)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s is not in the host's memory, but must be", what);
  int64_t elements = 0, bytes = 0;
  if (gnn_status status = checkShape(tensor->dtype, tensor->rank, tensor->shape,
                                     what, error, elements, bytes))
    return status;
  if (elements && !tensor->data)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, but its data is NULL", what,
                printShape(tensor->rank, tensor->shape).text);
  size_t size = gnn_dtype_size(tensor->dtype);
  if (size && reinterpret_cast<uintptr_t>(tensor->data) % size != 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s is %s, but its data is not aligned to %d bytes", what,
                gnn_dtype_name(tensor->dtype), static_cast<int>(size));
  return GNN_OK;
}

gnn_status rt::checkIndexTensor(const gnn_tensor *tensor, int32_t rank,
                                const char *what, gnn_error *error) {
  if (gnn_status status = checkTensor(tensor, what, error))
    return status;
  if (tensor->dtype != GNN_INT32 && tensor->dtype != GNN_INT64)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s is %s, but must be int32 or int64", what,
                gnn_dtype_name(tensor->dtype));
  if (tensor->rank != rank)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, but must have rank %d", what,
                printShape(tensor->rank, tensor->shape).text, rank);
  return GNN_OK;
}

static gnn_status allocate(gnn_dtype dtype, int32_t rank, const int64_t *shape,
                           bool zeroed, gnn_tensor *tensor, gnn_error *error) {
  *tensor = gnn_tensor();
  int64_t elements = 0, bytes = 0;
  if (gnn_status status = checkShape(dtype, rank, shape, "a new tensor", error,
                                     elements, bytes))
    return status;
  void *data = nullptr;
  if (bytes <= PTRDIFF_MAX - static_cast<int64_t>(alignment)) {
    size_t rounded = (static_cast<size_t>(bytes) + alignment - 1) &
                     ~static_cast<size_t>(alignment - 1);
    data = aligned_alloc(alignment, rounded ? rounded : alignment);
  }
  if (!data)
    return failMemory(error, "a tensor", bytes);
  if (zeroed)
    memset(data, 0, static_cast<size_t>(bytes));
  *tensor = gnn_tensor_borrow(data, dtype, rank, shape);
  tensor->release = free;
  tensor->owner = data;
  return GNN_OK;
}

gnn_status rt::allocateTensor(gnn_dtype dtype, int32_t rank,
                              const int64_t *shape, gnn_tensor *tensor,
                              gnn_error *error) {
  return allocate(dtype, rank, shape, /*Zeroed=*/false, tensor, error);
}

gnn_status gnn_tensor_allocate(gnn_dtype dtype, int32_t rank,
                               const int64_t *shape, gnn_tensor *tensor,
                               gnn_error *error) {
  if (!tensor)
    return failNull(error, __func__, "tensor");
  return allocate(dtype, rank, shape, /*Zeroed=*/true, tensor, error);
}

gnn_tensor gnn_tensor_borrow(void *data, gnn_dtype dtype, int32_t rank,
                             const int64_t *shape) {
  gnn_tensor tensor = gnn_tensor();
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = rank;
  for (int32_t i = 0; shape && i < rank && i < GNN_MAX_RANK; ++i)
    tensor.shape[i] = shape[i];
  return tensor;
}

gnn_tensor gnn_tensor_borrow_device(void *data, gnn_dtype dtype, int32_t rank,
                                    const int64_t *shape) {
  gnn_tensor tensor = gnn_tensor_borrow(data, dtype, rank, shape);
  tensor.place = GNN_DEVICE;
  return tensor;
}

void gnn_tensor_release(gnn_tensor *tensor) {
  if (!tensor)
    return;
  if (tensor->release)
    tensor->release(tensor->owner);
  *tensor = gnn_tensor();
}

// A constant row size lets memcpy become a plain load and store.
template <size_t Constant>
static void gather(char *destination, const char *source, size_t rowBytes,
                   const int32_t *permutation, int64_t rows) {
  const size_t bytes = Constant ? Constant : rowBytes;
  for (int64_t i = 0; i < rows; ++i)
    memcpy(destination + static_cast<size_t>(i) * bytes,
           source + static_cast<size_t>(permutation[i]) * bytes, bytes);
}

void rt::gatherRows(void *destination, const void *source, int64_t rowBytes,
                    const int32_t *permutation, int64_t rows) {
  if (rowBytes == 0)
    return;
  auto *gatherBytes = rowBytes == 4   ? gather<4>
                      : rowBytes == 8 ? gather<8>
                                      : gather<0>;
  gatherBytes(static_cast<char *>(destination),
              static_cast<const char *>(source), static_cast<size_t>(rowBytes),
              permutation, rows);
}
