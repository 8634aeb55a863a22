//===- Flattener.cpp - The arguments of compiled code -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattener.h"

using namespace gnn::rt;

GraphArrays gnn::rt::getArrays(const gnn_graph &graph) {
  GraphArrays arrays;
  switch (gnn_graph_topology(&graph)) {
  case GNN_TOPOLOGY_CSR:
    arrays.data[0] = gnn_graph_row_pointers(&graph);
    arrays.data[1] = gnn_graph_column_indices(&graph);
    arrays.counts[0] = gnn_graph_num_destinations(&graph) + 1;
    arrays.counts[1] = gnn_graph_num_edges(&graph);
    break;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL:
    arrays.data[0] = gnn_graph_destination_pointers(&graph);
    arrays.data[1] = gnn_graph_source_pointers(&graph);
    arrays.counts[0] = arrays.counts[1] = gnn_graph_num_segments(&graph) + 1;
    break;
  case GNN_TOPOLOGY_COMPLETE:
  case GNN_TOPOLOGY_CAUSAL:
  case GNN_TOPOLOGY_WINDOW:
    break;
  }
  return arrays;
}

void Flattener::addArray(const void *data, gnn_dtype dtype, int32_t rank,
                         const int64_t *shape) {
  // The code gets it as a pointer to what it must not write to.
  void *elements = data ? const_cast<void *>(data) : nothing;
  Descriptor(next, rank).set(elements, shape);
  push(next);
  next += descriptorWords(rank);
  int64_t numElements, bytes;
  shapeSize(dtype, rank, shape, numElements, bytes);
  const char *begin = static_cast<const char *>(elements);
  session.lent[session.lent.size()] = {begin, begin + bytes};
  session.lent.setSize(session.lent.size() + 1);
}

void Flattener::addValue(const int64_t *words, int32_t rank) {
  int64_t numWords = rank < 0 ? 1 : descriptorWords(rank);
  memcpy(next, words, static_cast<size_t>(numWords) * sizeof(int64_t));
  if (rank >= 0) {
    const auto *block = static_cast<char *>(Descriptor(next, rank).allocated());
    session.lent[session.lent.size()] = {block, block};
    session.lent.setSize(session.lent.size() + 1);
  }
  push(next);
  next += numWords;
}

void Flattener::addGraph(const gnn_graph &graph, const GraphArrays &arrays) {
  gnn_topology topology = gnn_graph_topology(&graph);
  if (topology == GNN_TOPOLOGY_CSR || topology == GNN_TOPOLOGY_BLOCK_DIAGONAL)
    for (int i = 0; i < 2; ++i)
      addArray(arrays.data[i], GNN_INT32, 1, &arrays.counts[i]);
  else
    addSize(gnn_graph_num_destinations(&graph));
  if (topology != GNN_TOPOLOGY_BLOCK_DIAGONAL)
    addSize(gnn_graph_num_sources(&graph));
}
