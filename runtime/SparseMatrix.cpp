//===- SparseMatrix.cpp - Matrices as graphs of their elements --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Batches.h"

#include "Array.h"
#include "Error.h"
#include "Graph.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// Releases a tensor at the end of a scope.
struct TensorOwner {
  gnn_tensor tensor = {};
  TensorOwner() = default;
  TensorOwner(const TensorOwner &) = delete;
  TensorOwner &operator=(const TensorOwner &) = delete;
  ~TensorOwner() { gnn_tensor_release(&tensor); }
};
} // namespace

/// Makes the graph and hands `values` over with it.
static gnn_status finish(int64_t numColumns, Array<int32_t> &pointers,
                         Array<int32_t> &columns, TensorOwner &values,
                         gnn_graph **graph, gnn_tensor *resultValues,
                         gnn_error *error) {
  int64_t numPointers = pointers.size(), numValues = columns.size();
  gnn_tensor rows =
      gnn_tensor_borrow(pointers.data(), GNN_INT32, 1, &numPointers);
  gnn_tensor indices =
      gnn_tensor_borrow(columns.data(), GNN_INT32, 1, &numValues);
  if (gnn_status status =
          gnn_graph_from_csr(numColumns, &rows, &indices, graph, error))
    return status;
  *resultValues = values.tensor;
  values.tensor = {};
  return GNN_OK;
}

static gnn_status failSize(gnn_error *error) {
  return fail(error, GNN_UNSUPPORTED,
              "the matrix has more than 2147483647 elements that are not 0, "
              "which is what a graph can have of edges");
}

gnn_status gnn_graph_from_matrix(const gnn_tensor *matrix, gnn_graph **graph,
                                 gnn_tensor *values, gnn_error *error) {
  if (!graph || !values)
    return failNull(error, __func__, graph ? "values" : "graph");
  *graph = nullptr;
  if (gnn_status status = checkTensor(matrix, "matrix", error))
    return status;
  if (matrix->rank != 2)
    return fail(error, GNN_INVALID_ARGUMENT,
                "matrix has shape %s, but must have shape [N, F]",
                printShape(matrix->rank, matrix->shape).text);
  TensorOwner converted;
  if (matrix->dtype != GNN_FLOAT32) {
    if (gnn_status status =
            gnn_tensor_convert(matrix, GNN_FLOAT32, &converted.tensor, error))
      return status;
    matrix = &converted.tensor;
  }
  const auto *elements = static_cast<const float *>(matrix->data);
  int64_t numRows = matrix->shape[0], numColumns = matrix->shape[1];
  int64_t size = numRows * numColumns;
  int64_t numValues = size - std::count(elements, elements + size, 0.0F);
  if (numValues > INT32_MAX)
    return failSize(error);
  Array<int32_t> pointers, columns;
  TensorOwner kept;
  if (!pointers.allocate(numRows + 1) || !columns.allocate(numValues))
    return failMemory(error, "a sparse matrix", (numRows + numValues) * 4);
  if (gnn_status status =
          allocateTensor(GNN_FLOAT32, 1, &numValues, &kept.tensor, error))
    return status;
  auto *result = static_cast<float *>(kept.tensor.data);
  int32_t next = 0;
  pointers[0] = 0;
  for (int64_t row = 0; row < numRows; ++row) {
    for (int64_t column = 0; column < numColumns; ++column) {
      float element = elements[row * numColumns + column];
      if (element == 0)
        continue;
      columns[next] = static_cast<int32_t>(column);
      result[next++] = element;
    }
    pointers[row + 1] = next;
  }
  return finish(numColumns, pointers, columns, kept, graph, values, error);
}

gnn_status gnn_graph_gather_rows(const gnn_graph *matrix,
                                 const gnn_tensor *values,
                                 const int32_t *indices, int64_t count,
                                 gnn_graph **gathered,
                                 gnn_tensor *gatheredValues, gnn_error *error) {
  if (!gathered || !gatheredValues)
    return failNull(error, __func__, gathered ? "gathered_values" : "gathered");
  *gathered = nullptr;
  if (!matrix || (count > 0 && !indices))
    return failNull(error, __func__, matrix ? "indices" : "matrix");
  if (matrix->topology != GNN_TOPOLOGY_CSR)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a sparse matrix is a csr graph, but this one is %s",
                gnn_topology_name(matrix->topology));
  if (count < 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%" PRId64 " rows cannot be gathered; give 0 or more", count);
  int64_t numValues = 0;
  for (int64_t i = 0; i < count; ++i) {
    int32_t row = indices[i];
    if (row < 0 || row >= matrix->numDestinations)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "indices[%" PRId64 "] is %d, but there are %" PRId64
                  " rows, numbered from 0",
                  i, row, matrix->numDestinations);
    numValues += matrix->rowPointers[row + 1] - matrix->rowPointers[row];
  }
  if (numValues > INT32_MAX)
    return failSize(error);
  Array<int32_t> pointers, columns, positions;
  if (!pointers.allocate(count + 1) || !columns.allocate(numValues) ||
      !positions.allocate(numValues))
    return failMemory(error, "a sparse matrix", (count + 2 * numValues) * 4);
  const int32_t *permutation = matrix->edgePermutation.data();
  int32_t next = 0;
  pointers[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    for (int32_t e = matrix->rowPointers[indices[i]],
                 end = matrix->rowPointers[indices[i] + 1];
         e < end; ++e) {
      columns[next] = matrix->columnIndices[e];
      positions[next++] = permutation ? permutation[e] : e;
    }
    pointers[i + 1] = next;
  }
  TensorOwner kept;
  if (gnn_status status = gnn_tensor_gather(values, positions.data(), numValues,
                                            &kept.tensor, error))
    return status;
  return finish(matrix->numSources, pointers, columns, kept, gathered,
                gatheredValues, error);
}
