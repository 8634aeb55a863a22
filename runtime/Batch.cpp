//===- Batch.cpp - Batch vectors --------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Tensor.h"

#include <cinttypes>

using namespace gnn;
using namespace gnn::rt;

template <typename Integer>
static gnn_status countSegments(const Integer *batch, int64_t count,
                                int64_t numSegments, gnn_tensor *pointers,
                                gnn_error *error) {
  for (int64_t i = 0; i < count; ++i) {
    if (batch[i] < 0)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "batch[%" PRId64 "] is %" PRId64
                  ", but segment numbers start at 0",
                  i, static_cast<int64_t>(batch[i]));
    if (i && batch[i] < batch[i - 1])
      return fail(error, GNN_INVALID_ARGUMENT,
                  "batch[%" PRId64 "] is %" PRId64 ", less than %" PRId64
                  " before it, but segment numbers must ascend",
                  i, static_cast<int64_t>(batch[i]),
                  static_cast<int64_t>(batch[i - 1]));
  }
  int64_t last = count ? static_cast<int64_t>(batch[count - 1]) : -1;
  // More segments than nodes are allowed, but hardly ever meant.
  if (numSegments < 0 && last >= count)
    return fail(error, GNN_INVALID_ARGUMENT,
                "batch[%" PRId64 "] is %" PRId64 ", but there are %" PRId64
                " nodes; number graphs from 0, or say how many there are "
                "(num_graphs)",
                count - 1, last, count);
  if (numSegments < 0)
    numSegments = last + 1;
  if (numSegments >= INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "the batch has %" PRId64
                " segments, but at most 2147483646 are supported",
                numSegments);
  if (last >= numSegments)
    return fail(error, GNN_INVALID_ARGUMENT,
                "batch[%" PRId64 "] is %" PRId64 ", but there are %" PRId64
                " segment%s, numbered from 0",
                count - 1, last, numSegments, numSegments == 1 ? "" : "s");
  int64_t shape[1] = {numSegments + 1};
  gnn_tensor result;
  if (gnn_status status = allocateTensor(GNN_INT32, 1, shape, &result, error))
    return status;
  int32_t *values = static_cast<int32_t *>(result.data);
  int64_t node = 0;
  for (int64_t s = 0; s <= numSegments; ++s) {
    while (node < count && batch[node] < s)
      ++node;
    values[s] = static_cast<int32_t>(node);
  }
  *pointers = result;
  return GNN_OK;
}

gnn_status gnn_batch_to_pointers(const gnn_tensor *batch, int64_t numSegments,
                                 gnn_tensor *pointers, gnn_error *error) {
  if (!pointers)
    return failNull(error, __func__, "pointers");
  if (gnn_status status = checkIndexTensor(batch, 1, "batch", error))
    return status;
  if (numSegments < -1)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a batch cannot have %" PRId64
                " segments; give 0 or more, or -1 to count them",
                numSegments);
  if (batch->shape[0] > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "the batch has %" PRId64 " nodes, but node numbers are 32 bits "
                "wide, so at most 2147483647 are supported",
                batch->shape[0]);
  return withIntegers(batch, [&](const auto *values) {
    return countSegments(values, batch->shape[0], numSegments, pointers, error);
  });
}
