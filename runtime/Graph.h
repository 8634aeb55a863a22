//===- Graph.h - What the runtime knows of a graph --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_GRAPH_H
#define GNN_RUNTIME_GRAPH_H

#include "Array.h"

#include "gnn/Runtime/Runtime.h"

#include <atomic>

namespace gnn::rt {

/// Tells a graph from all others, also after it was destroyed: as long as
/// somebody keeps its identity, no other graph has the same.
struct GraphIdentity {
  std::atomic<int64_t> references{1};
  std::atomic<bool> isAlive{true};

  void drop();
};

} // namespace gnn::rt

struct gnn_graph {
  gnn_topology topology = GNN_TOPOLOGY_CSR;
  int64_t numSources = 0;
  int64_t numDestinations = 0;
  int64_t numEdges = 0;
  int64_t window = 0;
  gnn::rt::Array<int32_t> rowPointers;
  gnn::rt::Array<int32_t> columnIndices;
  /// Unallocated: the order did not change.
  gnn::rt::Array<int32_t> edgePermutation;
  gnn::rt::Array<int32_t> sourcePointers;
  gnn::rt::Array<int32_t> destinationPointers;
  /// Drawn from another graph: it has in-edges of its nodes, but of the edges
  /// out of them only those that were drawn by other nodes.
  bool isSampled = false;
  /// Made when somebody asks for it.
  mutable std::atomic<gnn::rt::GraphIdentity *> identity{nullptr};

  gnn_graph() = default;
  ~gnn_graph();
};

namespace gnn::rt {

/// The identity of a graph, to be dropped; NULL if memory is short.
GraphIdentity *retainIdentity(const gnn_graph &graph);

/// Refuses graphs that do not list their edges or whose sources are not their
/// destinations; `purpose` says in messages what needs them.
gnn_status checkSquareList(const gnn_graph *graph, const char *purpose,
                           gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_GRAPH_H
