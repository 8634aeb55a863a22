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
  char Text[GNN_MAX_RANK * 22 + 3];
};
ShapeText printShape(int32_t Rank, const int64_t *Shape);

/// Elements and bytes of a shape; false if an extent is negative or a product
/// overflows.
bool shapeSize(gnn_dtype DType, int32_t Rank, const int64_t *Shape,
               int64_t &Elements, int64_t &Bytes);

/// Refuses descriptions that are not a tensor: an unknown dtype or rank, a
/// negative extent, missing or misaligned data. `What` names it in messages.
gnn_status checkTensor(const gnn_tensor *Tensor, const char *What,
                       gnn_error *Error);

/// As checkTensor, and wants integers of rank `Rank`.
gnn_status checkIndexTensor(const gnn_tensor *Tensor, int32_t Rank,
                            const char *What, gnn_error *Error);

/// gnn_tensor_allocate without the zeros.
gnn_status allocateTensor(gnn_dtype DType, int32_t Rank, const int64_t *Shape,
                          gnn_tensor *Tensor, gnn_error *Error);

/// Destination[i] = Source[Permutation[i]] for rows of `RowBytes` bytes.
void gatherRows(void *Destination, const void *Source, int64_t RowBytes,
                const int32_t *Permutation, int64_t Rows);

} // namespace gnn::rt

#endif // GNN_RUNTIME_TENSOR_H
