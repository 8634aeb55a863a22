//===- Graph.cpp - Immutable graphs -----------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "Error.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>

using namespace gnn;
using namespace gnn::rt;

struct gnn_graph {
  gnn_topology Topology = GNN_TOPOLOGY_CSR;
  int64_t NumSources = 0;
  int64_t NumDestinations = 0;
  int64_t NumEdges = 0;
  int64_t Window = 0;
  Array<int32_t> RowPointers;
  Array<int32_t> ColumnIndices;
  Array<int32_t> EdgePermutation; // unallocated: the order did not change
  Array<int32_t> SourcePointers;
  Array<int32_t> DestinationPointers;
};

namespace {
/// Destroys a graph under construction unless it is handed over.
struct GraphOwner {
  gnn_graph *Graph;
  explicit GraphOwner(gnn_graph *Graph) : Graph(Graph) {}
  GraphOwner(const GraphOwner &) = delete;
  GraphOwner &operator=(const GraphOwner &) = delete;
  ~GraphOwner() { delete Graph; }
  gnn_graph *operator->() { return Graph; }
  gnn_status handOver(gnn_graph **Result) {
    *Result = Graph;
    Graph = nullptr;
    return GNN_OK;
  }
};

/// Room for "34 source nodes (0..33)".
struct RangeText {
  char Text[80];
};
} // namespace

static RangeText printRange(int64_t Count, const char *Kind) {
  RangeText Result;
  if (Count == 0)
    snprintf(Result.Text, sizeof(Result.Text), "no %s nodes", Kind);
  else
    snprintf(Result.Text, sizeof(Result.Text),
             "%" PRId64 " %s node%s (0..%" PRId64 ")", Count, Kind,
             Count == 1 ? "" : "s", Count - 1);
  return Result;
}

static gnn_status checkNodeCount(int64_t Count, const char *Kind,
                                 gnn_error *Error) {
  if (Count < 0)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "a graph cannot have %" PRId64 " %s nodes; give 0 or more",
                Count, Kind);
  if (Count > INT32_MAX)
    return fail(Error, GNN_UNSUPPORTED,
                "the graph has %" PRId64 " %s nodes, but node numbers are 32 "
                "bits wide, so at most 2147483647 are supported",
                Count, Kind);
  return GNN_OK;
}

static gnn_status checkEdgeCount(int64_t Count, gnn_error *Error) {
  if (Count > INT32_MAX)
    return fail(Error, GNN_UNSUPPORTED,
                "the graph has %" PRId64 " edges, but edge numbers are 32 bits "
                "wide, so at most 2147483647 are supported",
                Count);
  return GNN_OK;
}

static gnn_status failGraphMemory(gnn_error *Error, int64_t Nodes,
                                  int64_t Edges) {
  return fail(Error, GNN_OUT_OF_MEMORY,
              "out of memory: a graph of %" PRId64 " nodes and %" PRId64
              " edges does not fit",
              Nodes, Edges);
}

/// Calls `Body` with a typed pointer to int32 or int64 data.
template <typename Callable>
static gnn_status withIntegers(const gnn_tensor *Tensor, Callable &&Body) {
  if (Tensor->dtype == GNN_INT32)
    return Body(static_cast<const int32_t *>(Tensor->data));
  return Body(static_cast<const int64_t *>(Tensor->data));
}

//===----------------------------------------------------------------------===//
// Coordinate lists
//===----------------------------------------------------------------------===//

template <typename Integer>
static gnn_status failIndex(gnn_error *Error, int Row, int64_t Edge,
                            Integer Index, int64_t Count, const char *Kind) {
  return fail(
      Error, GNN_INVALID_ARGUMENT,
      "edge_index[%d][%" PRId64 "] is %" PRId64 ", but the graph has %s", Row,
      Edge, static_cast<int64_t>(Index), printRange(Count, Kind).Text);
}

/// A stable counting sort by destination.
template <typename Integer>
static gnn_status sortEdges(gnn_graph &Graph, const Integer *Sources,
                            const Integer *Destinations, gnn_error *Error) {
  int64_t NumRows = Graph.NumDestinations, NumEdges = Graph.NumEdges;
  if (!Graph.RowPointers.allocateZeroed(NumRows + 1) ||
      !Graph.ColumnIndices.allocate(NumEdges))
    return failGraphMemory(Error, NumRows, NumEdges);

  int32_t *Rows = Graph.RowPointers.data();
  int32_t *Columns = Graph.ColumnIndices.data();
  bool Sorted = true;
  Integer Previous = 0;
  for (int64_t E = 0; E < NumEdges; ++E) {
    Integer Source = Sources[E], Destination = Destinations[E];
    if (Source < 0 || Source >= Graph.NumSources)
      return failIndex(Error, 0, E, Source, Graph.NumSources, "source");
    if (Destination < 0 || Destination >= NumRows)
      return failIndex(Error, 1, E, Destination, NumRows, "destination");
    Columns[E] = static_cast<int32_t>(Source);
    ++Rows[Destination + 1];
    Sorted &= Destination >= Previous;
    Previous = Destination;
  }
  for (int64_t I = 0; I < NumRows; ++I)
    Rows[I + 1] += Rows[I];
  if (Sorted)
    return GNN_OK;

  if (!Graph.EdgePermutation.allocate(NumEdges))
    return failGraphMemory(Error, NumRows, NumEdges);
  int32_t *Permutation = Graph.EdgePermutation.data();
  // Rows[d] serves as the place of the next edge to d, which ends at the first
  // place of d + 1; shifting by one restores the pointers.
  for (int64_t E = 0; E < NumEdges; ++E) {
    int32_t Place = Rows[Destinations[E]]++;
    Permutation[Place] = static_cast<int32_t>(E);
    Columns[Place] = static_cast<int32_t>(Sources[E]);
  }
  for (int64_t I = NumRows; I > 0; --I)
    Rows[I] = Rows[I - 1];
  Rows[0] = 0;
  return GNN_OK;
}

gnn_status gnn_graph_from_coo(int64_t NumSources, int64_t NumDestinations,
                              const gnn_tensor *EdgeIndex, gnn_graph **Graph,
                              gnn_error *Error) {
  if (!Graph)
    return failNull(Error, __func__, "graph");
  *Graph = nullptr;
  if (gnn_status Status = checkNodeCount(NumSources, "source", Error))
    return Status;
  if (gnn_status Status = checkNodeCount(NumDestinations, "destination", Error))
    return Status;
  if (gnn_status Status = checkIndexTensor(EdgeIndex, 2, "edge_index", Error))
    return Status;
  if (EdgeIndex->shape[0] != 2)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "edge_index has shape %s, but must have shape [2, E]",
                printShape(2, EdgeIndex->shape).Text);
  int64_t NumEdges = EdgeIndex->shape[1];
  if (gnn_status Status = checkEdgeCount(NumEdges, Error))
    return Status;

  GraphOwner Result(new (std::nothrow) gnn_graph);
  if (!Result.Graph)
    return failGraphMemory(Error, NumDestinations, NumEdges);
  Result->NumSources = NumSources;
  Result->NumDestinations = NumDestinations;
  Result->NumEdges = NumEdges;
  gnn_status Status = withIntegers(EdgeIndex, [&](const auto *Indices) {
    const auto *Destinations = NumEdges ? Indices + NumEdges : Indices;
    return sortEdges(*Result.Graph, Indices, Destinations, Error);
  });
  return Status ? Status : Result.handOver(Graph);
}

//===----------------------------------------------------------------------===//
// Compressed rows
//===----------------------------------------------------------------------===//

/// Copies pointers that ascend from 0; `What` names them in messages.
static gnn_status copyPointers(const gnn_tensor *Pointers, const char *What,
                               const char *Kind, Array<int32_t> &Result,
                               gnn_error *Error) {
  if (gnn_status Status = checkIndexTensor(Pointers, 1, What, Error))
    return Status;
  int64_t Count = Pointers->shape[0];
  if (Count == 0)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "%s is empty, but must hold at least the first pointer, 0",
                What);
  if (gnn_status Status = checkNodeCount(Count - 1, Kind, Error))
    return Status;
  if (!Result.allocate(Count))
    return failMemory(Error, What, Count * 4);
  return withIntegers(Pointers, [&](const auto *Values) {
    if (Values[0] != 0)
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "%s[0] is %" PRId64 ", but must be 0", What,
                  static_cast<int64_t>(Values[0]));
    for (int64_t I = 0; I < Count; ++I) {
      int64_t Value = Values[I];
      if (I && Value < Values[I - 1])
        return fail(Error, GNN_INVALID_ARGUMENT,
                    "%s[%" PRId64 "] is %" PRId64 ", less than %" PRId64
                    " before it, but pointers must ascend",
                    What, I, Value, static_cast<int64_t>(Values[I - 1]));
      if (Value > INT32_MAX)
        return fail(Error, GNN_UNSUPPORTED,
                    "%s[%" PRId64 "] is %" PRId64
                    ", but at most 2147483647 is supported",
                    What, I, Value);
      Result[I] = static_cast<int32_t>(Value);
    }
    return GNN_OK;
  });
}

gnn_status gnn_graph_from_csr(int64_t NumSources, const gnn_tensor *RowPointers,
                              const gnn_tensor *ColumnIndices,
                              gnn_graph **Graph, gnn_error *Error) {
  if (!Graph)
    return failNull(Error, __func__, "graph");
  *Graph = nullptr;
  if (gnn_status Status = checkNodeCount(NumSources, "source", Error))
    return Status;
  if (gnn_status Status =
          checkIndexTensor(ColumnIndices, 1, "column_indices", Error))
    return Status;
  int64_t NumEdges = ColumnIndices->shape[0];
  if (gnn_status Status = checkEdgeCount(NumEdges, Error))
    return Status;

  GraphOwner Result(new (std::nothrow) gnn_graph);
  if (!Result.Graph)
    return failGraphMemory(Error, 0, NumEdges);
  if (gnn_status Status =
          copyPointers(RowPointers, "row_pointers", "destination",
                       Result->RowPointers, Error))
    return Status;
  int64_t NumRows = Result->RowPointers.size() - 1;
  if (Result->RowPointers[NumRows] != NumEdges)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "row_pointers ends in %d, but column_indices has %" PRId64
                " entries; the two must agree",
                Result->RowPointers[NumRows], NumEdges);
  if (!Result->ColumnIndices.allocate(NumEdges))
    return failGraphMemory(Error, NumRows, NumEdges);
  gnn_status Status = withIntegers(ColumnIndices, [&](const auto *Values) {
    for (int64_t E = 0; E < NumEdges; ++E) {
      if (Values[E] < 0 || Values[E] >= NumSources)
        return fail(Error, GNN_INVALID_ARGUMENT,
                    "column_indices[%" PRId64 "] is %" PRId64
                    ", but the graph has %s",
                    E, static_cast<int64_t>(Values[E]),
                    printRange(NumSources, "source").Text);
      Result->ColumnIndices[E] = static_cast<int32_t>(Values[E]);
    }
    return GNN_OK;
  });
  if (Status)
    return Status;
  Result->NumSources = NumSources;
  Result->NumDestinations = NumRows;
  Result->NumEdges = NumEdges;
  return Result.handOver(Graph);
}

//===----------------------------------------------------------------------===//
// Regular graphs
//===----------------------------------------------------------------------===//

gnn_status gnn_graph_regular(gnn_topology Topology, int64_t NumSources,
                             int64_t NumDestinations, int64_t Window,
                             gnn_graph **Graph, gnn_error *Error) {
  if (!Graph)
    return failNull(Error, __func__, "graph");
  *Graph = nullptr;
  if (Topology != GNN_TOPOLOGY_COMPLETE && Topology != GNN_TOPOLOGY_CAUSAL &&
      Topology != GNN_TOPOLOGY_WINDOW)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "topology %d is not complete (%d), causal (%d) or window (%d)",
                static_cast<int>(Topology), GNN_TOPOLOGY_COMPLETE,
                GNN_TOPOLOGY_CAUSAL, GNN_TOPOLOGY_WINDOW);
  if (gnn_status Status = checkNodeCount(NumSources, "source", Error))
    return Status;
  if (gnn_status Status = checkNodeCount(NumDestinations, "destination", Error))
    return Status;
  if (Topology != GNN_TOPOLOGY_COMPLETE && NumSources != NumDestinations)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "a %s graph has as many sources as destinations, but was given "
                "%" PRId64 " and %" PRId64,
                Topology == GNN_TOPOLOGY_CAUSAL ? "causal" : "window",
                NumSources, NumDestinations);
  if (Topology == GNN_TOPOLOGY_WINDOW && Window < 0)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "a window cannot be %" PRId64 " wide; give 0 or more", Window);

  gnn_graph *Result = new (std::nothrow) gnn_graph;
  if (!Result)
    return failGraphMemory(Error, NumSources, 0);
  Result->Topology = Topology;
  Result->NumSources = NumSources;
  Result->NumDestinations = NumDestinations;
  int64_t N = NumSources;
  if (Topology == GNN_TOPOLOGY_COMPLETE) {
    Result->NumEdges = N * NumDestinations;
  } else if (Topology == GNN_TOPOLOGY_CAUSAL) {
    Result->NumEdges = N * (N + 1) / 2;
  } else {
    // N pairs at distance 0 and 2 * (N - k) at each distance k up to W.
    int64_t W = std::min(Window, N ? N - 1 : 0);
    Result->NumEdges = N + 2 * W * N - W * (W + 1);
    Result->Window = Window;
  }
  *Graph = Result;
  return GNN_OK;
}

gnn_status gnn_graph_block_diagonal(const gnn_tensor *SourcePointers,
                                    const gnn_tensor *DestinationPointers,
                                    gnn_graph **Graph, gnn_error *Error) {
  if (!Graph)
    return failNull(Error, __func__, "graph");
  *Graph = nullptr;
  GraphOwner Result(new (std::nothrow) gnn_graph);
  if (!Result.Graph)
    return failGraphMemory(Error, 0, 0);
  Result->Topology = GNN_TOPOLOGY_BLOCK_DIAGONAL;
  if (gnn_status Status = copyPointers(SourcePointers, "source_pointers",
                                       "source", Result->SourcePointers, Error))
    return Status;
  if (gnn_status Status =
          copyPointers(DestinationPointers, "destination_pointers",
                       "destination", Result->DestinationPointers, Error))
    return Status;
  const Array<int32_t> &Sources = Result->SourcePointers;
  const Array<int32_t> &Destinations = Result->DestinationPointers;
  int64_t Segments = Sources.size() - 1;
  if (Destinations.size() != Sources.size())
    return fail(Error, GNN_INVALID_ARGUMENT,
                "source_pointers has %" PRId64
                " segments, but destination_pointers has %" PRId64
                "; the two must agree",
                Segments, Destinations.size() - 1);
  // The sum is at most the product of the totals, which are below 2^31 each.
  for (int64_t S = 0; S < Segments; ++S)
    Result->NumEdges +=
        static_cast<int64_t>(Sources[S + 1] - Sources[S]) *
        static_cast<int64_t>(Destinations[S + 1] - Destinations[S]);
  Result->NumSources = Sources[Segments];
  Result->NumDestinations = Destinations[Segments];
  return Result.handOver(Graph);
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

void gnn_graph_destroy(gnn_graph *Graph) { delete Graph; }

gnn_topology gnn_graph_topology(const gnn_graph *Graph) {
  return Graph->Topology;
}

int64_t gnn_graph_num_sources(const gnn_graph *Graph) {
  return Graph->NumSources;
}

int64_t gnn_graph_num_destinations(const gnn_graph *Graph) {
  return Graph->NumDestinations;
}

int64_t gnn_graph_num_edges(const gnn_graph *Graph) { return Graph->NumEdges; }

int64_t gnn_graph_window(const gnn_graph *Graph) { return Graph->Window; }

const int32_t *gnn_graph_row_pointers(const gnn_graph *Graph) {
  return Graph->RowPointers.data();
}

const int32_t *gnn_graph_column_indices(const gnn_graph *Graph) {
  return Graph->ColumnIndices.data();
}

const int32_t *gnn_graph_edge_permutation(const gnn_graph *Graph) {
  return Graph->EdgePermutation.data();
}

int64_t gnn_graph_num_segments(const gnn_graph *Graph) {
  return Graph->Topology == GNN_TOPOLOGY_BLOCK_DIAGONAL
             ? Graph->SourcePointers.size() - 1
             : 0;
}

const int32_t *gnn_graph_source_pointers(const gnn_graph *Graph) {
  return Graph->SourcePointers.data();
}

const int32_t *gnn_graph_destination_pointers(const gnn_graph *Graph) {
  return Graph->DestinationPointers.data();
}

//===----------------------------------------------------------------------===//
// Edge values and batches
//===----------------------------------------------------------------------===//

gnn_status gnn_graph_permute_edges(const gnn_graph *Graph,
                                   const gnn_tensor *Values,
                                   gnn_tensor *Permuted, gnn_error *Error) {
  if (!Permuted)
    return failNull(Error, __func__, "permuted");
  // `Permuted` may be `Values`; it is written only at the end.
  if (!Graph)
    return failNull(Error, __func__, "graph");
  if (gnn_status Status = checkTensor(Values, "values", Error))
    return Status;
  int64_t Rows = Graph->NumEdges;
  if (Values->rank == 0 || Values->shape[0] != Rows)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "values has shape %s, but needs one row for each of the "
                "graph's %" PRId64 " edges",
                printShape(Values->rank, Values->shape).Text, Rows);
  gnn_tensor Result;
  if (gnn_status Status = allocateTensor(Values->dtype, Values->rank,
                                         Values->shape, &Result, Error))
    return Status;
  int64_t Elements, Bytes;
  shapeSize(Values->dtype, Values->rank, Values->shape, Elements, Bytes);
  if (Bytes) {
    if (const int32_t *Permutation = Graph->EdgePermutation.data())
      gatherRows(Result.data, Values->data, Bytes / Rows, Permutation, Rows);
    else
      memcpy(Result.data, Values->data, static_cast<size_t>(Bytes));
  }
  *Permuted = Result;
  return GNN_OK;
}

template <typename Integer>
static gnn_status countSegments(const Integer *Batch, int64_t Count,
                                int64_t NumSegments, gnn_tensor *Pointers,
                                gnn_error *Error) {
  for (int64_t I = 0; I < Count; ++I) {
    if (Batch[I] < 0)
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "batch[%" PRId64 "] is %" PRId64
                  ", but segment numbers start at 0",
                  I, static_cast<int64_t>(Batch[I]));
    if (I && Batch[I] < Batch[I - 1])
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "batch[%" PRId64 "] is %" PRId64 ", less than %" PRId64
                  " before it, but segment numbers must ascend",
                  I, static_cast<int64_t>(Batch[I]),
                  static_cast<int64_t>(Batch[I - 1]));
  }
  int64_t Last = Count ? static_cast<int64_t>(Batch[Count - 1]) : -1;
  if (NumSegments < 0)
    NumSegments = Last < INT64_MAX ? Last + 1 : INT64_MAX;
  if (NumSegments >= INT32_MAX)
    return fail(Error, GNN_UNSUPPORTED,
                "the batch has %" PRId64
                " segments, but at most 2147483646 are supported",
                NumSegments);
  if (Last >= NumSegments)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "batch[%" PRId64 "] is %" PRId64 ", but there are %" PRId64
                " segments, numbered from 0",
                Count - 1, Last, NumSegments);
  int64_t Shape[1] = {NumSegments + 1};
  gnn_tensor Result;
  if (gnn_status Status = allocateTensor(GNN_INT32, 1, Shape, &Result, Error))
    return Status;
  int32_t *Values = static_cast<int32_t *>(Result.data);
  int64_t Node = 0;
  for (int64_t S = 0; S <= NumSegments; ++S) {
    while (Node < Count && Batch[Node] < S)
      ++Node;
    Values[S] = static_cast<int32_t>(Node);
  }
  *Pointers = Result;
  return GNN_OK;
}

gnn_status gnn_batch_to_pointers(const gnn_tensor *Batch, int64_t NumSegments,
                                 gnn_tensor *Pointers, gnn_error *Error) {
  if (!Pointers)
    return failNull(Error, __func__, "pointers");
  if (gnn_status Status = checkIndexTensor(Batch, 1, "batch", Error))
    return Status;
  if (NumSegments < -1)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "a batch cannot have %" PRId64
                " segments; give 0 or more, or -1 to count them",
                NumSegments);
  if (gnn_status Status = checkNodeCount(Batch->shape[0], "batch", Error))
    return Status;
  return withIntegers(Batch, [&](const auto *Values) {
    return countSegments(Values, Batch->shape[0], NumSegments, Pointers, Error);
  });
}
