//===- Batch.cpp - A graph and the batch it holds ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batch.h"

#include "../Error.h"
#include "../Tensor.h"

#include <cinttypes>
#include <cmath>

using namespace gnn;
using namespace gnn::rt;

static gnn_status readWeights(const gnn_tensor *edgeWeight, Batch &batch,
                              gnn_error *error) {
  if (gnn_status status = checkTensor(edgeWeight, "edge_weight", error))
    return status;
  if (edgeWeight->dtype != GNN_FLOAT32 || edgeWeight->rank != 1 ||
      edgeWeight->shape[0] != batch.numEdges)
    return fail(error, GNN_INVALID_ARGUMENT,
                "edge_weight is %s of shape %s, but must be float32 of shape "
                "[%" PRId64 "], a number for each edge",
                gnn_dtype_name(edgeWeight->dtype),
                printShape(edgeWeight->rank, edgeWeight->shape).text,
                batch.numEdges);
  batch.weights = static_cast<const float *>(edgeWeight->data);
  for (int64_t i = 0; i < batch.numEdges; ++i)
    if (!(batch.weights[i] >= 0) || std::isinf(batch.weights[i]))
      return fail(error, GNN_INVALID_ARGUMENT,
                  "edge_weight[%" PRId64 "] is %g, but encodings need finite "
                  "weights of at least 0",
                  i, static_cast<double>(batch.weights[i]));
  return GNN_OK;
}

/// Fills `nodes` from pointers, and refuses edges between graphs.
static gnn_status readPointers(const gnn_tensor *pointers, Batch &batch,
                               gnn_error *error) {
  if (gnn_status status = checkIndexTensor(pointers, 1, "node_pointers", error))
    return status;
  int64_t count = pointers->shape[0];
  if (count < 1)
    return fail(error, GNN_INVALID_ARGUMENT,
                "node_pointers is empty, but must begin with 0");
  if (!batch.nodes.allocate(count))
    return failMemory(error, "the graphs of a batch", count * 8);
  withIntegers(pointers, [&](const auto *values) {
    for (int64_t i = 0; i < count; ++i)
      batch.nodes[i] = values[i];
    return GNN_OK;
  });
  batch.numGraphs = count - 1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t least = i ? batch.nodes[i - 1] : 0;
    int64_t most = i ? batch.numNodes : 0;
    if (batch.nodes[i] < least || batch.nodes[i] > most)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "node_pointers[%" PRId64 "] is %" PRId64
                  ", but pointers ascend from 0 to the number of nodes, "
                  "%" PRId64,
                  i, batch.nodes[i], batch.numNodes);
  }
  if (batch.nodes[count - 1] != batch.numNodes)
    return fail(error, GNN_INVALID_ARGUMENT,
                "the graphs of the batch have %" PRId64
                " nodes, but there are %" PRId64,
                batch.nodes[count - 1], batch.numNodes);
  for (int64_t g = 0; g < batch.numGraphs; ++g)
    for (int64_t i = batch.nodes[g]; i < batch.nodes[g + 1]; ++i)
      for (int64_t e = batch.rows[i]; e < batch.rows[i + 1]; ++e)
        if (batch.columns[e] < batch.nodes[g] ||
            batch.columns[e] >= batch.nodes[g + 1])
          return fail(error, GNN_INVALID_ARGUMENT,
                      "edge %" PRId64 " leads from node %d to node %" PRId64
                      ", which are in different graphs of the batch",
                      batch.getPlace(e), batch.columns[e], i);
  return GNN_OK;
}

gnn_status rt::readBatch(const gnn_graph *graph, const gnn_tensor *edgeWeight,
                         const gnn_tensor *nodePointers, Batch &batch,
                         gnn_error *error) {
  if (!graph)
    return failNull(error, "gnn_encode", "graph");
  if (gnn_graph_topology(graph) != GNN_TOPOLOGY_CSR)
    return fail(error, GNN_UNSUPPORTED,
                "encodings need a graph that lists its edges, not a %s graph",
                gnn_topology_name(gnn_graph_topology(graph)));
  batch.numNodes = gnn_graph_num_destinations(graph);
  if (gnn_graph_num_sources(graph) != batch.numNodes)
    return fail(error, GNN_INVALID_ARGUMENT,
                "encodings need a graph of one kind of nodes, but there are "
                "%" PRId64 " sources and %" PRId64 " destinations",
                gnn_graph_num_sources(graph), batch.numNodes);
  batch.numEdges = gnn_graph_num_edges(graph);
  batch.rows = gnn_graph_row_pointers(graph);
  batch.columns = gnn_graph_column_indices(graph);
  batch.permutation = gnn_graph_edge_permutation(graph);
  if (edgeWeight)
    if (gnn_status status = readWeights(edgeWeight, batch, error))
      return status;
  if (nodePointers)
    return readPointers(nodePointers, batch, error);
  if (!batch.nodes.allocateZeroed(2))
    return failMemory(error, "the graphs of a batch", 16);
  batch.nodes[1] = batch.numNodes;
  return GNN_OK;
}
