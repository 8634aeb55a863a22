//===- Partition.cpp - Dividing graphs into clusters ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Batches.h"

#include "Error.h"
#include "Graph.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <metis.h>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// Neighbours in either direction, as METIS wants them: each once, in ascending
/// order, and no node its own.
struct Adjacency {
  Array<idx_t> pointers;
  Array<idx_t> neighbors;
};
} // namespace

static_assert(sizeof(idx_t) >= sizeof(int32_t),
              "nodes and edges of a graph are numbered in 32 bits");

/// Calls `body` with every edge in both directions, self loops left out.
template <typename Callable>
static void forEachDirection(const gnn_graph &graph, Callable &&body) {
  for (int64_t node = 0; node < graph.numDestinations; ++node)
    for (int64_t e = graph.rowPointers[node]; e < graph.rowPointers[node + 1];
         ++e)
      if (int64_t source = graph.columnIndices[e]; source != node) {
        body(node, source);
        body(source, node);
      }
}

static gnn_status makeAdjacency(const gnn_graph &graph, Adjacency &result,
                                gnn_error *error) {
  int64_t numNodes = graph.numDestinations;
  // Twice the edges may be more than an idx_t counts, and is only known to fit
  // when duplicates are gone.
  Array<int64_t> begins;
  if (!begins.allocateZeroed(numNodes + 1) ||
      !result.pointers.allocate(numNodes + 1))
    return failMemory(error, "a partition", numNodes * 16);
  forEachDirection(graph, [&](int64_t from, int64_t) { ++begins[from + 1]; });
  for (int64_t i = 0; i < numNodes; ++i)
    begins[i + 1] += begins[i];
  int64_t numDirections = begins[numNodes];
  if (!result.neighbors.allocate(numDirections))
    return failMemory(error, "a partition",
                      numDirections * static_cast<int64_t>(sizeof(idx_t)));
  // begins[i] is moved to the end of i's neighbours, the beginning of i + 1's.
  forEachDirection(graph, [&](int64_t from, int64_t to) {
    result.neighbors[begins[from]++] = static_cast<idx_t>(to);
  });
  int64_t kept = 0, begin = 0;
  for (int64_t i = 0; i < numNodes; ++i) {
    idx_t *first = result.neighbors.data() + begin;
    idx_t *last = result.neighbors.data() + begins[i];
    begin = begins[i];
    result.pointers[i] = static_cast<idx_t>(kept);
    std::sort(first, last);
    idx_t *end = std::unique(first, last);
    std::copy(first, end, result.neighbors.data() + kept);
    kept += end - first;
    if (kept > INT32_MAX)
      return fail(error, GNN_UNSUPPORTED,
                  "the graph has more than 2147483647 pairs of neighbours, but "
                  "METIS counts them in 32 bits; divide it by other means");
  }
  result.pointers[numNodes] = static_cast<idx_t>(kept);
  return GNN_OK;
}

/// Each of `numParts` parts, fewer than there are nodes, has a node or more.
static gnn_status callMetis(Adjacency &adjacency, int64_t numNodes,
                            int64_t numParts, int32_t *parts,
                            gnn_error *error) {
  auto nodes = static_cast<idx_t>(numNodes);
  auto wanted = static_cast<idx_t>(numParts);
  idx_t constraints = 1, cut = 0, options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  // Whatever the library's default: the same parts every time.
  options[METIS_OPTION_SEED] = 1;
  Array<idx_t> result;
  if (!result.allocateZeroed(numNodes))
    return failMemory(error, "a partition", numNodes * 4);
  int code = METIS_PartGraphKway(
      &nodes, &constraints, adjacency.pointers.data(),
      adjacency.neighbors.data(), nullptr, nullptr, nullptr, &wanted, nullptr,
      nullptr, options, &cut, result.data());
  if (code == METIS_ERROR_MEMORY)
    return failMemory(error, "METIS", numNodes * 4);
  if (code != METIS_OK)
    return fail(error, GNN_UNSUPPORTED,
                "METIS cannot divide the graph into %" PRId64
                " parts; it reports error %d",
                numParts, code);
  for (int64_t i = 0; i < numNodes; ++i)
    parts[i] = static_cast<int32_t>(result[i]);
  return GNN_OK;
}

gnn_status gnn_graph_partition(const gnn_graph *graph, int64_t numParts,
                               gnn_tensor *parts, gnn_error *error) {
  if (!parts)
    return failNull(error, __func__, "parts");
  if (!graph)
    return failNull(error, __func__, "graph");
  if (gnn_status status = checkSquareList(graph, "partitioning", error))
    return status;
  int64_t numNodes = graph->numDestinations;
  if (numParts < 1)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a graph cannot be divided into %" PRId64
                " parts; give 1 or more",
                numParts);
  if (numParts > std::max<int64_t>(numNodes, 1))
    return fail(error, GNN_INVALID_ARGUMENT,
                "a graph of %" PRId64 " node%s cannot be divided into %" PRId64
                " parts; give at most as many as there are nodes",
                numNodes, numNodes == 1 ? "" : "s", numParts);
  gnn_tensor result;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT32, 1, &numNodes, &result, error))
    return status;
  auto *values = static_cast<int32_t *>(result.data);
  gnn_status status = GNN_OK;
  // METIS divides by the logarithm of the number of parts.
  if (numParts == numNodes) {
    for (int64_t i = 0; i < numNodes; ++i)
      values[i] = static_cast<int32_t>(i);
  } else if (numParts > 1) {
    Adjacency adjacency;
    status = makeAdjacency(*graph, adjacency, error);
    if (!status)
      status = callMetis(adjacency, numNodes, numParts, values, error);
  }
  if (status)
    gnn_tensor_release(&result);
  else
    *parts = result;
  return status;
}
