//===- Model.h - What the runtime knows about compiled models ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_MODEL_H
#define GNN_RUNTIME_MODEL_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// Refuses models of another ABI version, or whose description contradicts
/// itself. Does not look at fallbacks.
gnn_status checkModel(const gnn_model *model, gnn_error *error);

/// Replaces a model by the first of itself and its fallbacks whose features the
/// machine has, or by the one for `targetCPU`, if that is not NULL. Refuses
/// models for other machines.
gnn_status chooseVersion(const gnn_model *&model, const char *targetCPU,
                         gnn_error *error);

/// Whether a graph port stands for a matrix that lists its elements.
inline bool isSparseMatrix(const gnn_port &port) {
  return port.kind == GNN_PORT_GRAPH && port.rank == 2;
}

/// Whether the weights of a model are not in its library.
inline bool needsWeightsFile(const gnn_model &model) {
  return model.weight_bytes && !model.weights;
}

/// The contents of a weights file, mapped read-only.
class MappedWeights {
public:
  MappedWeights() = default;
  MappedWeights(const MappedWeights &) = delete;
  MappedWeights &operator=(const MappedWeights &) = delete;
  ~MappedWeights();

  /// Maps the file and compares size and hash with what `model` wants.
  gnn_status map(const char *path, const gnn_model &model, gnn_error *error);

  char *data() const { return mapped; }
  int64_t size() const { return numBytes; }

private:
  char *mapped = nullptr;
  int64_t numBytes = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_MODEL_H
