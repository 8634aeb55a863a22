//===- Assignment.cpp - Graphs of nodes and their clusters ------*- C++ -*-===//
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
static gnn_status countClusters(const Integer *clusters, int64_t numNodes,
                                int64_t &numClusters, gnn_error *error) {
  int64_t largest = -1;
  for (int64_t i = 0; i < numNodes; ++i) {
    auto cluster = static_cast<int64_t>(clusters[i]);
    if (cluster < 0)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "cluster[%" PRId64 "] is %" PRId64
                  ", but cluster numbers start at 0",
                  i, cluster);
    if (numClusters >= 0 && cluster >= numClusters)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "cluster[%" PRId64 "] is %" PRId64 ", but there are %" PRId64
                  " clusters, numbered from 0",
                  i, cluster, numClusters);
    // More clusters than nodes are allowed, but hardly ever meant.
    if (numClusters < 0 && cluster >= numNodes)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "cluster[%" PRId64 "] is %" PRId64 ", but there are %" PRId64
                  " nodes; number clusters from 0, or say how many there are",
                  i, cluster, numNodes);
    if (cluster > largest)
      largest = cluster;
  }
  if (numClusters < 0)
    numClusters = largest + 1;
  return GNN_OK;
}

gnn_status gnn_graph_from_assignment(const gnn_tensor *assignment,
                                     int64_t numClusters, gnn_graph **graph,
                                     gnn_error *error) {
  if (!graph)
    return failNull(error, __func__, "graph");
  *graph = nullptr;
  if (gnn_status status = checkIndexTensor(assignment, 1, "cluster", error))
    return status;
  if (numClusters < -1)
    return fail(error, GNN_INVALID_ARGUMENT,
                "there cannot be %" PRId64
                " clusters; give 0 or more, or -1 to count them",
                numClusters);
  int64_t numNodes = assignment->shape[0];
  gnn_status status = withIntegers(assignment, [&](const auto *clusters) {
    return countClusters(clusters, numNodes, numClusters, error);
  });
  if (status)
    return status;

  int64_t shape[] = {2, numNodes};
  gnn_tensor edges;
  if (gnn_status allocated = allocateTensor(GNN_INT64, 2, shape, &edges, error))
    return allocated;
  auto *ends = static_cast<int64_t *>(edges.data);
  status = withIntegers(assignment, [&](const auto *clusters) {
    for (int64_t i = 0; i < numNodes; ++i) {
      ends[i] = i;
      ends[numNodes + i] = clusters[i];
    }
    return GNN_OK;
  });
  if (!status)
    status = gnn_graph_from_coo(numNodes, numClusters, &edges, graph, error);
  gnn_tensor_release(&edges);
  return status;
}
