//===- Tensor.h - What the runtime shares about tensors ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_TENSOR_H
#define GNN_RUNTIME_TENSOR_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// Room for a printed shape, "[9223372036854775807, ...]".
struct ShapeText {
  char text[GNN_MAX_RANK * 22 + 3];
};
ShapeText printShape(int32_t rank, const int64_t *shape);

/// Elements and bytes of a shape; false if an extent is negative or a product
/// overflows.
bool shapeSize(gnn_dtype dtype, int32_t rank, const int64_t *shape,
               int64_t &elements, int64_t &bytes);

/// Refuses descriptions that are not a tensor: an unknown dtype or rank, a
/// negative extent, missing or misaligned data. `what` names it in messages.
gnn_status checkTensor(const gnn_tensor *tensor, const char *what,
                       gnn_error *error);

/// As checkTensor, and wants integers of rank `rank`.
gnn_status checkIndexTensor(const gnn_tensor *tensor, int32_t rank,
                            const char *what, gnn_error *error);

/// Calls `body` with a typed pointer to int32 or int64 data.
template <typename Callable>
gnn_status withIntegers(const gnn_tensor *tensor, Callable &&body) {
  if (tensor->dtype == GNN_INT32)
    return body(static_cast<const int32_t *>(tensor->data));
  return body(static_cast<const int64_t *>(tensor->data));
}

/// gnn_tensor_allocate without the zeros.
gnn_status allocateTensor(gnn_dtype dtype, int32_t rank, const int64_t *shape,
                          gnn_tensor *tensor, gnn_error *error);

/// destination[i] = source[permutation[i]] for rows of `rowBytes` bytes.
void gatherRows(void *destination, const void *source, int64_t rowBytes,
                const int32_t *permutation, int64_t rows);

} // namespace gnn::rt

#endif // GNN_RUNTIME_TENSOR_H
