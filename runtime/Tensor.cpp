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

static constexpr size_t Alignment = 64;

size_t gnn_dtype_size(gnn_dtype DType) {
  switch (static_cast<int>(DType)) {
  case GNN_FLOAT32:
  case GNN_INT32:
    return 4;
  case GNN_FLOAT64:
  case GNN_INT64:
    return 8;
  case GNN_BOOL:
    return 1;
  }
  return 0;
}

const char *gnn_dtype_name(gnn_dtype DType) {
  switch (static_cast<int>(DType)) {
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
  }
  return "unknown";
}

ShapeText rt::printShape(int32_t Rank, const int64_t *Shape) {
  ShapeText Result;
  size_t Used = 0;
  Result.Text[Used++] = '[';
  for (int32_t I = 0; I < Rank && I < GNN_MAX_RANK; ++I)
    Used += static_cast<size_t>(
        snprintf(Result.Text + Used, sizeof(Result.Text) - Used, "%s%" PRId64,
                 I ? ", " : "", Shape[I]));
  snprintf(Result.Text + Used, sizeof(Result.Text) - Used, "]");
  return Result;
}

bool rt::shapeSize(gnn_dtype DType, int32_t Rank, const int64_t *Shape,
                   int64_t &Elements, int64_t &Bytes) {
  // Extents beside a zero may be anything, as in NumPy, but their product must
  // still be representable for strides to be.
  int64_t NonZero = 1;
  bool Empty = false;
  for (int32_t I = 0; I < Rank; ++I) {
    if (Shape[I] < 0)
      return false;
    Empty |= Shape[I] == 0;
    if (Shape[I] && __builtin_mul_overflow(NonZero, Shape[I], &NonZero))
      return false;
  }
  Elements = Empty ? 0 : NonZero;
  return !__builtin_mul_overflow(
             NonZero, static_cast<int64_t>(gnn_dtype_size(DType)), &Bytes) &&
         (Bytes = Empty ? 0 : Bytes, true);
}

int64_t gnn_tensor_size(const gnn_tensor *Tensor) {
  int64_t Elements, Bytes;
  if (!Tensor || Tensor->rank < 0 || Tensor->rank > GNN_MAX_RANK ||
      !shapeSize(Tensor->dtype, Tensor->rank, Tensor->shape, Elements, Bytes))
    return -1;
  return Elements;
}

static gnn_status checkShape(gnn_dtype DType, int32_t Rank,
                             const int64_t *Shape, const char *What,
                             gnn_error *Error, int64_t &Elements,
                             int64_t &Bytes) {
  if (gnn_dtype_size(DType) == 0)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has the unknown dtype %d; a gnn_dtype is 0 to %d", What,
                static_cast<int>(DType), static_cast<int>(GNN_BOOL));
  if (Rank < 0 || Rank > GNN_MAX_RANK)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has rank %d, but a rank is 0 to %d", What, Rank,
                GNN_MAX_RANK);
  if (Rank && !Shape)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has rank %d, but its shape is NULL", What, Rank);
  for (int32_t I = 0; I < Rank; ++I)
    if (Shape[I] < 0)
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "%s has shape %s, but extents cannot be negative", What,
                  printShape(Rank, Shape).Text);
  if (!shapeSize(DType, Rank, Shape, Elements, Bytes))
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, which is more than 2^63 bytes", What,
                printShape(Rank, Shape).Text);
  return GNN_OK;
}

gnn_status rt::checkTensor(const gnn_tensor *Tensor, const char *What,
                           gnn_error *Error) {
  if (!Tensor)
    return fail(Error, GNN_INVALID_ARGUMENT, "%s is NULL", What);
  int64_t Elements, Bytes;
  if (gnn_status Status = checkShape(Tensor->dtype, Tensor->rank, Tensor->shape,
                                     What, Error, Elements, Bytes))
    return Status;
  if (Elements && !Tensor->data)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, but its data is NULL", What,
                printShape(Tensor->rank, Tensor->shape).Text);
  size_t Size = gnn_dtype_size(Tensor->dtype);
  if (reinterpret_cast<uintptr_t>(Tensor->data) % Size)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s is %s, but its data is not aligned to %d bytes", What,
                gnn_dtype_name(Tensor->dtype), static_cast<int>(Size));
  return GNN_OK;
}

gnn_status rt::checkIndexTensor(const gnn_tensor *Tensor, int32_t Rank,
                                const char *What, gnn_error *Error) {
  if (gnn_status Status = checkTensor(Tensor, What, Error))
    return Status;
  if (Tensor->dtype != GNN_INT32 && Tensor->dtype != GNN_INT64)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s is %s, but must be int32 or int64", What,
                gnn_dtype_name(Tensor->dtype));
  if (Tensor->rank != Rank)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s has shape %s, but must have rank %d", What,
                printShape(Tensor->rank, Tensor->shape).Text, Rank);
  return GNN_OK;
}

static gnn_status allocate(gnn_dtype DType, int32_t Rank, const int64_t *Shape,
                           bool Zeroed, gnn_tensor *Tensor, gnn_error *Error) {
  *Tensor = gnn_tensor();
  int64_t Elements, Bytes;
  if (gnn_status Status = checkShape(DType, Rank, Shape, "a new tensor", Error,
                                     Elements, Bytes))
    return Status;
  void *Data = nullptr;
  if (Bytes <= PTRDIFF_MAX - static_cast<int64_t>(Alignment)) {
    size_t Rounded = (static_cast<size_t>(Bytes) + Alignment - 1) &
                     ~static_cast<size_t>(Alignment - 1);
    Data = aligned_alloc(Alignment, Rounded ? Rounded : Alignment);
  }
  if (!Data)
    return failMemory(Error, "a tensor", Bytes);
  if (Zeroed)
    memset(Data, 0, static_cast<size_t>(Bytes));
  *Tensor = gnn_tensor_borrow(Data, DType, Rank, Shape);
  Tensor->release = free;
  Tensor->owner = Data;
  return GNN_OK;
}

gnn_status rt::allocateTensor(gnn_dtype DType, int32_t Rank,
                              const int64_t *Shape, gnn_tensor *Tensor,
                              gnn_error *Error) {
  return allocate(DType, Rank, Shape, /*Zeroed=*/false, Tensor, Error);
}

gnn_status gnn_tensor_allocate(gnn_dtype DType, int32_t Rank,
                               const int64_t *Shape, gnn_tensor *Tensor,
                               gnn_error *Error) {
  if (!Tensor)
    return failNull(Error, __func__, "tensor");
  return allocate(DType, Rank, Shape, /*Zeroed=*/true, Tensor, Error);
}

gnn_tensor gnn_tensor_borrow(void *Data, gnn_dtype DType, int32_t Rank,
                             const int64_t *Shape) {
  gnn_tensor Tensor = gnn_tensor();
  Tensor.data = Data;
  Tensor.dtype = DType;
  Tensor.rank = Rank;
  for (int32_t I = 0; Shape && I < Rank && I < GNN_MAX_RANK; ++I)
    Tensor.shape[I] = Shape[I];
  return Tensor;
}

void gnn_tensor_release(gnn_tensor *Tensor) {
  if (!Tensor)
    return;
  if (Tensor->release)
    Tensor->release(Tensor->owner);
  *Tensor = gnn_tensor();
}

// A constant row size lets memcpy become a plain load and store.
template <size_t Constant>
static void gather(char *Destination, const char *Source, size_t RowBytes,
                   const int32_t *Permutation, int64_t Rows) {
  const size_t Bytes = Constant ? Constant : RowBytes;
  for (int64_t I = 0; I < Rows; ++I)
    memcpy(Destination + static_cast<size_t>(I) * Bytes,
           Source + static_cast<size_t>(Permutation[I]) * Bytes, Bytes);
}

void rt::gatherRows(void *Destination, const void *Source, int64_t RowBytes,
                    const int32_t *Permutation, int64_t Rows) {
  if (RowBytes == 0)
    return;
  auto *Gather = RowBytes == 4   ? gather<4>
                 : RowBytes == 8 ? gather<8>
                                 : gather<0>;
  Gather(static_cast<char *>(Destination), static_cast<const char *>(Source),
         static_cast<size_t>(RowBytes), Permutation, Rows);
}
