//===- Batch.h - A graph and the batch it holds -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ENCODINGS_BATCH_H
#define GNN_RUNTIME_ENCODINGS_BATCH_H

#include "../Array.h"

#include "gnn/Runtime/Encodings.h"

namespace gnn::rt {

/// A listed graph, checked, with the parts that encodings read.
struct Batch {
  int64_t numNodes = 0;
  int64_t numEdges = 0;
  int64_t numGraphs = 1;
  /// In-edges of each node, sources of edges, and their places in the caller's
  /// list (null: the same).
  const int32_t *rows = nullptr;
  const int32_t *columns = nullptr;
  const int32_t *permutation = nullptr;
  /// Where the nodes of each graph begin, and numNodes.
  Array<int64_t> nodes;
  /// By place in `columns`; null without weights.
  const float *weights = nullptr;

  int64_t getPlace(int64_t edge) const {
    return permutation ? permutation[edge] : edge;
  }
  float getWeight(int64_t edge) const {
    return weights ? weights[getPlace(edge)] : 1;
  }
};

/// Checks the arguments that all encodings share, and fills `batch`.
/// `edgeWeight` and `nodePointers` may be null.
gnn_status readBatch(const gnn_graph *graph, const gnn_tensor *edgeWeight,
                     const gnn_tensor *nodePointers, Batch &batch,
                     gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_ENCODINGS_BATCH_H
