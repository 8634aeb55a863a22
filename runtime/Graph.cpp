//===- Graph.cpp - Immutable graphs -----------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "Error.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// Destroys a graph under construction unless it is handed over.
struct GraphOwner {
  gnn_graph *graph;
  explicit GraphOwner(gnn_graph *graph) : graph(graph) {}
  GraphOwner(const GraphOwner &) = delete;
  GraphOwner &operator=(const GraphOwner &) = delete;
  ~GraphOwner() { delete graph; }
  gnn_graph *operator->() { return graph; }
  gnn_status handOver(gnn_graph **result) {
    *result = graph;
    graph = nullptr;
    return GNN_OK;
  }
};

/// Room for "34 source nodes (0..33)".
struct RangeText {
  char text[80];
};
} // namespace

static RangeText printRange(int64_t count, const char *kind) {
  RangeText result;
  if (count == 0)
    snprintf(result.text, sizeof(result.text), "no %s nodes", kind);
  else
    snprintf(result.text, sizeof(result.text),
             "%" PRId64 " %s node%s (0..%" PRId64 ")", count, kind,
             count == 1 ? "" : "s", count - 1);
  return result;
}

static gnn_status checkNodeCount(int64_t count, const char *kind,
                                 gnn_error *error) {
  if (count < 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a graph cannot have %" PRId64 " %s nodes; give 0 or more",
                count, kind);
  if (count > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "the graph has %" PRId64 " %s nodes, but node numbers are 32 "
                "bits wide, so at most 2147483647 are supported",
                count, kind);
  return GNN_OK;
}

static gnn_status checkEdgeCount(int64_t count, gnn_error *error) {
  if (count > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "the graph has %" PRId64 " edges, but edge numbers are 32 bits "
                "wide, so at most 2147483647 are supported",
                count);
  return GNN_OK;
}

static gnn_status failGraphMemory(gnn_error *error, int64_t nodes,
                                  int64_t edges) {
  return fail(error, GNN_OUT_OF_MEMORY,
              "out of memory: a graph of %" PRId64 " nodes and %" PRId64
              " edges does not fit",
              nodes, edges);
}

//===----------------------------------------------------------------------===//
// Coordinate lists
//===----------------------------------------------------------------------===//

template <typename Integer>
static gnn_status failIndex(gnn_error *error, int row, int64_t edge,
                            Integer index, int64_t count, const char *kind) {
  return fail(
      error, GNN_INVALID_ARGUMENT,
      "edge_index[%d][%" PRId64 "] is %" PRId64 ", but the graph has %s", row,
      edge, static_cast<int64_t>(index), printRange(count, kind).text);
}

/// A stable counting sort by destination.
template <typename Integer>
static gnn_status sortEdges(gnn_graph &graph, const Integer *sources,
                            const Integer *destinations, gnn_error *error) {
  int64_t numRows = graph.numDestinations, numEdges = graph.numEdges;
  if (!graph.rowPointers.allocateZeroed(numRows + 1) ||
      !graph.columnIndices.allocate(numEdges))
    return failGraphMemory(error, numRows, numEdges);

  int32_t *rows = graph.rowPointers.data();
  int32_t *columns = graph.columnIndices.data();
  bool sorted = true;
  Integer previous = 0;
  for (int64_t e = 0; e < numEdges; ++e) {
    Integer source = sources[e], destination = destinations[e];
    if (source < 0 || source >= graph.numSources)
      return failIndex(error, 0, e, source, graph.numSources, "source");
    if (destination < 0 || destination >= numRows)
      return failIndex(error, 1, e, destination, numRows, "destination");
    columns[e] = static_cast<int32_t>(source);
    ++rows[destination + 1];
    sorted &= destination >= previous;
    previous = destination;
  }
  for (int64_t i = 0; i < numRows; ++i)
    rows[i + 1] += rows[i];
  if (sorted)
    return GNN_OK;

  if (!graph.edgePermutation.allocate(numEdges))
    return failGraphMemory(error, numRows, numEdges);
  int32_t *permutation = graph.edgePermutation.data();
  // rows[d] serves as the place of the next edge to d, which ends at the first
  // place of d + 1; shifting by one restores the pointers.
  for (int64_t e = 0; e < numEdges; ++e) {
    int32_t place = rows[destinations[e]]++;
    permutation[place] = static_cast<int32_t>(e);
    columns[place] = static_cast<int32_t>(sources[e]);
  }
  for (int64_t i = numRows; i > 0; --i)
    rows[i] = rows[i - 1];
  rows[0] = 0;
  return GNN_OK;
}

gnn_status gnn_graph_from_coo(int64_t numSources, int64_t numDestinations,
                              const gnn_tensor *edgeIndex, gnn_graph **graph,
                              gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  if (gnn_status status = checkNodeCount(numSources, "source", error))
    return status;
  if (gnn_status status = checkNodeCount(numDestinations, "destination", error))
    return status;
  if (gnn_status status = checkIndexTensor(edgeIndex, 2, "edge_index", error))
    return status;
  if (edgeIndex->shape[0] != 2)
    return fail(error, GNN_INVALID_ARGUMENT,
                "edge_index has shape %s, but must have shape [2, E]",
                printShape(2, edgeIndex->shape).text);
  int64_t numEdges = edgeIndex->shape[1];
  if (gnn_status status = checkEdgeCount(numEdges, error))
    return status;

  GraphOwner result(new (std::nothrow) gnn_graph);
  if (!result.graph)
    return failGraphMemory(error, numDestinations, numEdges);
  result->numSources = numSources;
  result->numDestinations = numDestinations;
  result->numEdges = numEdges;
  gnn_status status = withIntegers(edgeIndex, [&](const auto *indices) {
    const auto *destinations = numEdges ? indices + numEdges : indices;
    return sortEdges(*result.graph, indices, destinations, error);
  });
  return status ? status : result.handOver(graph);
}

//===----------------------------------------------------------------------===//
// Compressed rows
//===----------------------------------------------------------------------===//

/// Copies pointers that ascend from 0; `what` names them in messages.
static gnn_status copyPointers(const gnn_tensor *pointers, const char *what,
                               const char *kind, Array<int32_t> &result,
                               gnn_error *error) {
  if (gnn_status status = checkIndexTensor(pointers, 1, what, error))
    return status;
  int64_t count = pointers->shape[0];
  if (count == 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%s is empty, but must hold at least the first pointer, 0",
                what);
  if (gnn_status status = checkNodeCount(count - 1, kind, error))
    return status;
  if (!result.allocate(count))
    return failMemory(error, what, count * 4);
  return withIntegers(pointers, [&](const auto *values) {
    if (values[0] != 0)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "%s[0] is %" PRId64 ", but must be 0", what,
                  static_cast<int64_t>(values[0]));
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = values[i];
      if (i && value < values[i - 1])
        return fail(error, GNN_INVALID_ARGUMENT,
                    "%s[%" PRId64 "] is %" PRId64 ", less than %" PRId64
                    " before it, but pointers must ascend",
                    what, i, value, static_cast<int64_t>(values[i - 1]));
      if (value > INT32_MAX)
        return fail(error, GNN_UNSUPPORTED,
                    "%s[%" PRId64 "] is %" PRId64
                    ", but at most 2147483647 is supported",
                    what, i, value);
      result[i] = static_cast<int32_t>(value);
    }
    return GNN_OK;
  });
}

gnn_status gnn_graph_from_csr(int64_t numSources, const gnn_tensor *rowPointers,
                              const gnn_tensor *columnIndices,
                              gnn_graph **graph, gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  if (gnn_status status = checkNodeCount(numSources, "source", error))
    return status;
  if (gnn_status status =
          checkIndexTensor(columnIndices, 1, "column_indices", error))
    return status;
  int64_t numEdges = columnIndices->shape[0];
  if (gnn_status status = checkEdgeCount(numEdges, error))
    return status;

  GraphOwner result(new (std::nothrow) gnn_graph);
  if (!result.graph)
    return failGraphMemory(error, 0, numEdges);
  if (gnn_status status =
          copyPointers(rowPointers, "row_pointers", "destination",
                       result->rowPointers, error))
    return status;
  int64_t numRows = result->rowPointers.size() - 1;
  if (result->rowPointers[numRows] != numEdges)
    return fail(error, GNN_INVALID_ARGUMENT,
                "row_pointers ends in %d, but column_indices has %" PRId64
                " entries; the two must agree",
                result->rowPointers[numRows], numEdges);
  if (!result->columnIndices.allocate(numEdges))
    return failGraphMemory(error, numRows, numEdges);
  gnn_status status = withIntegers(columnIndices, [&](const auto *values) {
    for (int64_t e = 0; e < numEdges; ++e) {
      if (values[e] < 0 || values[e] >= numSources)
        return fail(error, GNN_INVALID_ARGUMENT,
                    "column_indices[%" PRId64 "] is %" PRId64
                    ", but the graph has %s",
                    e, static_cast<int64_t>(values[e]),
                    printRange(numSources, "source").text);
      result->columnIndices[e] = static_cast<int32_t>(values[e]);
    }
    return GNN_OK;
  });
  if (status)
    return status;
  result->numSources = numSources;
  result->numDestinations = numRows;
  result->numEdges = numEdges;
  return result.handOver(graph);
}

//===----------------------------------------------------------------------===//
// Regular graphs
//===----------------------------------------------------------------------===//

gnn_status gnn_graph_regular(gnn_topology topology, int64_t numSources,
                             int64_t numDestinations, int64_t window,
                             gnn_graph **graph, gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  if (topology != GNN_TOPOLOGY_COMPLETE && topology != GNN_TOPOLOGY_CAUSAL &&
      topology != GNN_TOPOLOGY_WINDOW)
    return fail(error, GNN_INVALID_ARGUMENT,
                "topology %d is not complete (%d), causal (%d) or window (%d)",
                static_cast<int>(topology), GNN_TOPOLOGY_COMPLETE,
                GNN_TOPOLOGY_CAUSAL, GNN_TOPOLOGY_WINDOW);
  if (gnn_status status = checkNodeCount(numSources, "source", error))
    return status;
  if (gnn_status status = checkNodeCount(numDestinations, "destination", error))
    return status;
  if (topology != GNN_TOPOLOGY_COMPLETE && numSources != numDestinations)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a %s graph has as many sources as destinations, but was given "
                "%" PRId64 " and %" PRId64,
                topology == GNN_TOPOLOGY_CAUSAL ? "causal" : "window",
                numSources, numDestinations);
  if (topology == GNN_TOPOLOGY_WINDOW && window < 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a window cannot be %" PRId64 " wide; give 0 or more", window);

  gnn_graph *result = new (std::nothrow) gnn_graph;
  if (!result)
    return failGraphMemory(error, numSources, 0);
  result->topology = topology;
  result->numSources = numSources;
  result->numDestinations = numDestinations;
  int64_t n = numSources;
  if (topology == GNN_TOPOLOGY_COMPLETE) {
    result->numEdges = n * numDestinations;
  } else if (topology == GNN_TOPOLOGY_CAUSAL) {
    result->numEdges = n * (n + 1) / 2;
  } else {
    // N pairs at distance 0 and 2 * (N - k) at each distance k up to width.
    int64_t w = std::min(window, n ? n - 1 : 0);
    result->numEdges = n + 2 * w * n - w * (w + 1);
    result->window = window;
  }
  *graph = result;
  return GNN_OK;
}

gnn_status gnn_graph_block_diagonal(const gnn_tensor *sourcePointers,
                                    const gnn_tensor *destinationPointers,
                                    gnn_graph **graph, gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  GraphOwner result(new (std::nothrow) gnn_graph);
  if (!result.graph)
    return failGraphMemory(error, 0, 0);
  result->topology = GNN_TOPOLOGY_BLOCK_DIAGONAL;
  if (gnn_status status = copyPointers(sourcePointers, "source_pointers",
                                       "source", result->sourcePointers, error))
    return status;
  if (gnn_status status =
          copyPointers(destinationPointers, "destination_pointers",
                       "destination", result->destinationPointers, error))
    return status;
  const Array<int32_t> &sources = result->sourcePointers;
  const Array<int32_t> &destinations = result->destinationPointers;
  int64_t segments = sources.size() - 1;
  if (destinations.size() != sources.size())
    return fail(error, GNN_INVALID_ARGUMENT,
                "source_pointers has %" PRId64
                " segments, but destination_pointers has %" PRId64
                "; the two must agree",
                segments, destinations.size() - 1);
  // The sum is at most the product of the totals, which are below 2^31 each.
  for (int64_t s = 0; s < segments; ++s)
    result->numEdges +=
        static_cast<int64_t>(sources[s + 1] - sources[s]) *
        static_cast<int64_t>(destinations[s + 1] - destinations[s]);
  result->numSources = sources[segments];
  result->numDestinations = destinations[segments];
  return result.handOver(graph);
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

void gnn_graph_destroy(gnn_graph *graph) { delete graph; }

gnn_graph::~gnn_graph() {
  if (GraphIdentity *own = identity.load(std::memory_order_acquire)) {
    own->isAlive.store(false, std::memory_order_release);
    own->drop();
  }
}

void GraphIdentity::drop() {
  if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

GraphIdentity *rt::retainIdentity(const gnn_graph &graph) {
  GraphIdentity *identity = graph.identity.load(std::memory_order_acquire);
  if (!identity) {
    auto *made = new (std::nothrow) GraphIdentity;
    if (!made)
      return nullptr;
    // Another thread that runs a model on the graph may have been faster.
    if (graph.identity.compare_exchange_strong(identity, made,
                                               std::memory_order_acq_rel))
      identity = made;
    else
      delete made;
  }
  identity->references.fetch_add(1, std::memory_order_relaxed);
  return identity;
}

const char *gnn_topology_name(gnn_topology topology) {
  static const char *const names[] = {"csr", "complete", "causal", "window",
                                      "block-diagonal"};
  return topology >= 0 && topology <= GNN_TOPOLOGY_BLOCK_DIAGONAL
             ? names[topology]
             : "unknown";
}

gnn_topology gnn_graph_topology(const gnn_graph *graph) {
  return graph->topology;
}

int64_t gnn_graph_num_sources(const gnn_graph *graph) {
  return graph->numSources;
}

int64_t gnn_graph_num_destinations(const gnn_graph *graph) {
  return graph->numDestinations;
}

int64_t gnn_graph_num_edges(const gnn_graph *graph) { return graph->numEdges; }

int64_t gnn_graph_window(const gnn_graph *graph) { return graph->window; }

const int32_t *gnn_graph_row_pointers(const gnn_graph *graph) {
  return graph->rowPointers.data();
}

const int32_t *gnn_graph_column_indices(const gnn_graph *graph) {
  return graph->columnIndices.data();
}

const int32_t *gnn_graph_edge_permutation(const gnn_graph *graph) {
  return graph->edgePermutation.data();
}

int64_t gnn_graph_num_segments(const gnn_graph *graph) {
  return graph->topology == GNN_TOPOLOGY_BLOCK_DIAGONAL
             ? graph->sourcePointers.size() - 1
             : 0;
}

const int32_t *gnn_graph_source_pointers(const gnn_graph *graph) {
  return graph->sourcePointers.data();
}

const int32_t *gnn_graph_destination_pointers(const gnn_graph *graph) {
  return graph->destinationPointers.data();
}

//===----------------------------------------------------------------------===//
// Edge values
//===----------------------------------------------------------------------===//

gnn_status gnn_graph_permute_edges(const gnn_graph *graph,
                                   const gnn_tensor *values,
                                   gnn_tensor *permuted, gnn_error *error) {
  if (!permuted)
    return failNull(error, __func__, "permuted");
  // `permuted` may be `values`; it is written only at the end.
  if (!graph)
    return failNull(error, __func__, "graph");
  if (gnn_status status = checkTensor(values, "values", error))
    return status;
  int64_t rows = graph->numEdges;
  if (values->rank == 0 || values->shape[0] != rows)
    return fail(error, GNN_INVALID_ARGUMENT,
                "values has shape %s, but needs one row for each of the "
                "graph's %" PRId64 " edges",
                printShape(values->rank, values->shape).text, rows);
  gnn_tensor result;
  if (gnn_status status = allocateTensor(values->dtype, values->rank,
                                         values->shape, &result, error))
    return status;
  int64_t elements, bytes;
  shapeSize(values->dtype, values->rank, values->shape, elements, bytes);
  if (bytes) {
    if (const int32_t *permutation = graph->edgePermutation.data())
      gatherRows(result.data, values->data, bytes / rows, permutation, rows);
    else
      memcpy(result.data, values->data, static_cast<size_t>(bytes));
  }
  *permuted = result;
  return GNN_OK;
}
