//===- Binder.h - A model's inputs from the arrays of a file ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_RUNNER_BINDER_H
#define GNN_RUNTIME_RUNNER_BINDER_H

#include "gnn/Runtime/Runner.h"

#include "Batches.h"

#include <map>
#include <string>

namespace gnn::runner {

/// Makes graphs and tensors in the order of a model's inputs.
class Binder {
public:
  Binder(const gnn_model &model, gnn_archive &file, const std::string &path,
         bool makeTensors, Inputs &result, gnn_error *error)
      : model(model), file(file), path(path), makeTensors(makeTensors),
        result(result), error(error) {}

  gnn_status bind();

private:
  const gnn_tensor *find(const char *name) const {
    return gnn_archive_find(&file, name);
  }
  gnn_status dropPadding();
  gnn_status findSentences(const gnn_tensor &mask, TensorHolder &pointers);
  gnn_status findTokens(const gnn_tensor &mask, gnn_tensor &pointers,
                        std::vector<int32_t> &tokens);
  gnn_status gatherTokens(const gnn_tensor &mask,
                          const std::vector<int32_t> &tokens);
  gnn_status bindGraph(const gnn_port &port, int32_t number);
  gnn_status bindTensor(const gnn_port &port);
  void noteUnread();
  void noteZeros(const gnn_port &port, const gnn_tensor &tensor);
  gnn_status bindMatrix(const gnn_port &port, gnn_graph **graph);
  gnn_status makeMatrix(const gnn_port &port, gnn_graph **graph,
                        TensorHolder &values);
  gnn_status makeListed(const gnn_port &port, int32_t number,
                        gnn_graph **graph);
  gnn_status composePath(const gnn_port &port, gnn_graph **graph);
  bool showsEdges(int64_t numSources, int64_t numDestinations) const;
  gnn_status makeComplete(int64_t numSources, int64_t numDestinations,
                          gnn_graph **graph);
  gnn_status makeAssignment(const gnn_port &port, gnn_graph **graph);
  gnn_status makeBlockDiagonal(const gnn_port &port, int32_t number,
                               gnn_graph **graph);
  gnn_status makeSegments(const gnn_port &port, int32_t number,
                          TensorHolder &pointers);
  gnn_status makeTypedBlocks(const gnn_port &port, gnn_graph **graph);
  gnn_status takePointers(const gnn_tensor &ready, const gnn_tensor *batch,
                          const gnn_port &square, int32_t nodesOf,
                          TensorHolder &pointers);
  gnn_status countNodes(const gnn_port &port, int32_t number, gnn_axis axis,
                        int64_t &count);
  bool countRows(const gnn_port &port, int64_t &count) const;
  const char *findRowType(const gnn_port &port) const;
  gnn_status countTypedNodes(const char *type, int64_t &count);
  gnn_status countBothSides(const gnn_port &port, int32_t number,
                            int64_t &numSources, int64_t &numDestinations);
  /// What an array of this name is called for a graph: `edge_index`, or
  /// `edge_index/author__writes__paper` where nodes have types.
  static std::string nameArray(const char *array, const gnn_port &port) {
    return port.node_types[0] ? std::string(array) + "/" + port.name : array;
  }
  int32_t findSquareGraph(int32_t otherwise) const;
  gnn_status readCount(const char *name, int64_t &count, bool &found);
  gnn_status missing(const char *name, const char *purpose);
  gnn_status nameFile(const gnn_port &port, gnn_status status);

  const gnn_model &model;
  gnn_archive &file;
  const std::string &path;
  bool makeTensors;
  Inputs &result;
  gnn_error *error;
  /// Where the values of a graph that is a sparse matrix are.
  std::map<int32_t, size_t> matrixOf;
};

} // namespace gnn::runner

#endif // GNN_RUNTIME_RUNNER_BINDER_H
