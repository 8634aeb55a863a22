//===- Laplacian.cpp - Laplacian eigenvectors -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batch.h"
#include "EigenSolver.h"

#include "../Error.h"
#include "../Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>

using namespace gnn;
using namespace gnn::rt;

namespace {
class LaplacianEncoder {
public:
  LaplacianEncoder(const Batch &batch, int64_t count, gnn_error *error)
      : batch(batch), count(count), error(error) {}

  gnn_status encode(float *vectors, float *values);

private:
  gnn_status collectEntries(int64_t graph);
  gnn_status checkSymmetry(int64_t graph);
  void normalize(int64_t graph);
  gnn_status encodeGraph(int64_t graph, float *vectors, float *values);
  gnn_status failOneWay(int64_t source, int64_t destination);

  const Batch &batch;
  int64_t count;
  gnn_error *error;
  /// Edges between different nodes of one graph, then its Laplacian.
  Array<MatrixEntry> entries;
  Array<double> degrees, solverValues, solverVectors;
};
} // namespace

/// Reads the edges of a graph, sorted, duplicates added up, without loops.
gnn_status LaplacianEncoder::collectEntries(int64_t graph) {
  int64_t first = batch.nodes[graph], last = batch.nodes[graph + 1];
  entries.setSize(0);
  if (!entries.reserve(batch.rows[last] - batch.rows[first] + last - first))
    return failMemory(error, "a Laplacian", batch.numEdges * 24);
  for (int64_t i = first; i < last; ++i) {
    int64_t begin = entries.size();
    for (int64_t e = batch.rows[i]; e < batch.rows[i + 1]; ++e)
      if (batch.columns[e] != i)
        (void)entries.push({i - first, batch.columns[e] - first,
                            static_cast<double>(batch.getWeight(e))});
    std::sort(entries.begin() + begin, entries.end(),
              [](const MatrixEntry &a, const MatrixEntry &b) {
                return a.column < b.column;
              });
    int64_t size = begin;
    for (int64_t k = begin; k < entries.size(); ++k) {
      if (size > begin && entries[size - 1].column == entries[k].column)
        entries[size - 1].value += entries[k].value;
      else
        entries[size++] = entries[k];
    }
    entries.setSize(size);
  }
  return GNN_OK;
}

gnn_status LaplacianEncoder::failOneWay(int64_t source, int64_t destination) {
  return fail(error, GNN_INVALID_ARGUMENT,
              "Laplacian eigenvectors need an undirected graph, but the edges "
              "from node %" PRId64 " to node %" PRId64
              " and those back differ in number or weight",
              source, destination);
}

gnn_status LaplacianEncoder::checkSymmetry(int64_t graph) {
  int64_t first = batch.nodes[graph];
  for (const MatrixEntry &entry : entries) {
    // Entries are sorted by row and column.
    const MatrixEntry *back =
        std::lower_bound(entries.begin(), entries.end(), entry,
                         [](const MatrixEntry &a, const MatrixEntry &sought) {
                           return a.row != sought.column
                                      ? a.row < sought.column
                                      : a.column < sought.row;
                         });
    bool exists = back != entries.end() && back->row == entry.column &&
                  back->column == entry.row;
    if (!exists || std::abs(back->value - entry.value) >
                       1e-6 * std::max(back->value, entry.value))
      return failOneWay(first + entry.column, first + entry.row);
  }
  return GNN_OK;
}

/// Makes the Laplacian of the edges.
void LaplacianEncoder::normalize(int64_t graph) {
  int64_t size = batch.nodes[graph + 1] - batch.nodes[graph];
  std::fill(degrees.begin(), degrees.begin() + size, 0.0);
  for (const MatrixEntry &entry : entries)
    degrees[entry.row] += entry.value;
  for (int64_t i = 0; i < size; ++i)
    degrees[i] = degrees[i] > 0 ? 1 / std::sqrt(degrees[i]) : 0;
  int64_t edge = entries.size();
  // From behind, where there is room for the diagonal.
  entries.setSize(edge + size);
  MatrixEntry *end = entries.end();
  for (int64_t i = size - 1; i >= 0; --i) {
    bool needsDiagonal = true;
    while (edge > 0 && entries[edge - 1].row == i) {
      MatrixEntry entry = entries[edge - 1];
      if (needsDiagonal && entry.column < i) {
        *--end = {i, i, 1};
        needsDiagonal = false;
      }
      entry.value *= -degrees[i] * degrees[entry.column];
      *--end = entry;
      --edge;
    }
    if (needsDiagonal)
      *--end = {i, i, 1};
  }
}

/// Eigenvectors have no sign of their own. Components that differ by rounding
/// count as equal, so that the choice does not depend on it.
static double getSign(const double *vector, int64_t size) {
  double largest = 0;
  for (int64_t i = 0; i < size; ++i)
    largest = std::max(largest, std::abs(vector[i]));
  for (int64_t i = 0; i < size; ++i)
    if (std::abs(vector[i]) >= (1 - 1e-6) * largest)
      return vector[i] < 0 ? -1 : 1;
  return 1;
}

gnn_status LaplacianEncoder::encodeGraph(int64_t graph, float *vectors,
                                         float *values) {
  int64_t first = batch.nodes[graph];
  int64_t size = batch.nodes[graph + 1] - first;
  int64_t found = std::min(count + 1, size);
  if (found < 2)
    return GNN_OK;
  if (gnn_status status = collectEntries(graph))
    return status;
  if (gnn_status status = checkSymmetry(graph))
    return status;
  normalize(graph);
  if (!solverValues.allocate(found) || !solverVectors.allocate(found * size))
    return failMemory(error, "eigenvectors", found * size * 8);
  switch (findSmallestEigenpairs(size, entries.data(), entries.size(), found,
                                 solverValues.data(), solverVectors.data())) {
  case EigenStatus::Solved:
    break;
  case EigenStatus::OutOfMemory:
    return fail(error, GNN_OUT_OF_MEMORY,
                "out of memory: the eigenvectors of a graph with %" PRId64
                " nodes do not fit",
                size);
  case EigenStatus::NotConverged:
    return fail(error, GNN_UNSUPPORTED,
                "the search for %" PRId64 " eigenvectors of a graph with "
                "%" PRId64 " nodes does not converge; ask for fewer",
                count, size);
  }
  for (int64_t v = 1; v < found; ++v) {
    const double *vector = solverVectors.data() + v * size;
    double sign = getSign(vector, size);
    for (int64_t i = 0; i < size; ++i)
      vectors[(first + i) * count + v - 1] =
          static_cast<float>(sign * vector[i]);
    values[graph * count + v - 1] = static_cast<float>(solverValues[v]);
  }
  return GNN_OK;
}

gnn_status LaplacianEncoder::encode(float *vectors, float *values) {
  if (!degrees.allocate(batch.numNodes))
    return failMemory(error, "degrees", batch.numNodes * 8);
  for (int64_t graph = 0; graph < batch.numGraphs; ++graph)
    if (gnn_status status = encodeGraph(graph, vectors, values))
      return status;
  return GNN_OK;
}

gnn_status gnn_encode_laplacian(const gnn_graph *graph,
                                const gnn_tensor *edge_weight,
                                const gnn_tensor *node_pointers, int64_t count,
                                gnn_tensor *vectors, gnn_tensor *values,
                                gnn_error *error) {
  if (!vectors)
    return failNull(error, __func__, "vectors");
  if (!values)
    return failNull(error, __func__, "values");
  if (count < 1 || count >= INT32_MAX)
    return fail(error, GNN_INVALID_ARGUMENT,
                "the number of eigenvectors must be at least 1 and below 2^31, "
                "got %" PRId64,
                count);
  Batch batch;
  if (gnn_status status =
          readBatch(graph, edge_weight, node_pointers, batch, error))
    return status;
  gnn_tensor rows = {}, numbers = {};
  int64_t shape[2] = {batch.numNodes, count};
  if (gnn_status status =
          gnn_tensor_allocate(GNN_FLOAT32, 2, shape, &rows, error))
    return status;
  shape[0] = batch.numGraphs;
  gnn_status status =
      gnn_tensor_allocate(GNN_FLOAT32, 2, shape, &numbers, error);
  if (!status)
    status = LaplacianEncoder(batch, count, error)
                 .encode(static_cast<float *>(rows.data),
                         static_cast<float *>(numbers.data));
  if (status) {
    gnn_tensor_release(&rows);
    gnn_tensor_release(&numbers);
    return status;
  }
  *vectors = rows;
  *values = numbers;
  return GNN_OK;
}

static gnn_status checkSpectrum(const gnn_tensor *tensor, const char *what,
                                int64_t numRows, int64_t count,
                                gnn_error *error) {
  if (gnn_status status = checkTensor(tensor, what, error))
    return status;
  if (tensor->dtype == GNN_FLOAT32 && tensor->rank == 2 &&
      tensor->shape[0] == numRows && tensor->shape[1] == count)
    return GNN_OK;
  return fail(error, GNN_INVALID_ARGUMENT,
              "%s is %s of shape %s, but must be float32 of shape [%" PRId64
              ", %" PRId64 "]",
              what, gnn_dtype_name(tensor->dtype),
              printShape(tensor->rank, tensor->shape).text, numRows, count);
}

gnn_status gnn_encode_laplacian_pairs(const gnn_graph *graph,
                                      const gnn_tensor *node_pointers,
                                      const gnn_tensor *vectors,
                                      const gnn_tensor *values,
                                      gnn_tensor *pairs, gnn_error *error) {
  if (!vectors)
    return failNull(error, __func__, "vectors");
  if (!values)
    return failNull(error, __func__, "values");
  if (!pairs)
    return failNull(error, __func__, "pairs");
  Batch batch;
  if (gnn_status status =
          readBatch(graph, /*edgeWeight=*/nullptr, node_pointers, batch, error))
    return status;
  int64_t count = vectors->rank == 2 ? vectors->shape[1] : 0;
  if (gnn_status status =
          checkSpectrum(vectors, "vectors", batch.numNodes, count, error))
    return status;
  if (gnn_status status =
          checkSpectrum(values, "values", batch.numGraphs, count, error))
    return status;
  gnn_tensor result = {};
  int64_t shape[3] = {batch.numNodes, count, 2};
  if (gnn_status status =
          gnn_tensor_allocate(GNN_FLOAT32, 3, shape, &result, error))
    return status;
  const auto *entry = static_cast<const float *>(vectors->data);
  const auto *value = static_cast<const float *>(values->data);
  auto *to = static_cast<float *>(result.data);
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t numVectors = batch.nodes[g + 1] - batch.nodes[g] - 1;
    for (int64_t i = batch.nodes[g]; i < batch.nodes[g + 1]; ++i)
      for (int64_t k = 0; k < count; ++k) {
        bool isThere = k < numVectors;
        *to++ = isThere ? entry[i * count + k] : NAN;
        *to++ = isThere ? value[g * count + k] : NAN;
      }
  }
  *pairs = result;
  return GNN_OK;
}
