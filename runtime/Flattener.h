//===- Flattener.h - The arguments of compiled code -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_FLATTENER_H
#define GNN_RUNTIME_FLATTENER_H

#include "Session.h"

namespace gnn::rt {

/// What a graph lists, in the order of its arguments: a CSR graph row pointers
/// and column indices, a block-diagonal one destination and source pointers.
struct GraphArrays {
  const int32_t *data[2] = {};
  int64_t counts[2] = {};
};

GraphArrays getArrays(const gnn_graph &graph);

/// Lays arguments out in a session's memory, as docs/abi.md describes them.
class Flattener {
public:
  /// `nothing` is the data of arrays without elements.
  Flattener(gnn_session &session, void *nothing)
      : session(session), next(session.argumentWords.data()), nothing(nothing) {
    session.lent.setSize(0);
    push(session.resultWords.data());
  }

  /// `arrays` may be copies of the graph's.
  void addGraph(const gnn_graph &graph, const GraphArrays &arrays);
  void addArray(const void *data, gnn_dtype dtype, int32_t rank,
                const int64_t *shape);
  /// A value that a preparation has made: its descriptor, or a number if `rank`
  /// is -1.
  void addValue(const int64_t *words, int32_t rank);

private:
  void push(void *argument) { session.arguments[numArguments++] = argument; }

  void addSize(int64_t size) {
    *next = size;
    push(next++);
  }

  gnn_session &session;
  int64_t *next;
  void *nothing;
  int64_t numArguments = 0;
};

/// Makes arguments of a run's inputs. `getArrays(graph)`, `getData(port,
/// tensor)` and `weights` say where the code is to find each.
template <typename GetArrays, typename GetData>
void addInputs(Flattener &flat, const gnn_model &model,
               const gnn_graph *const *graphs, const gnn_tensor *tensors,
               const char *weights, GetArrays getArrays, GetData getData) {
  int64_t graphIndex = 0, tensorIndex = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      const gnn_graph &graph = *graphs[graphIndex++];
      flat.addGraph(graph, getArrays(graph));
    } else if (port.kind == GNN_PORT_WEIGHT) {
      flat.addArray(weights + port.offset, static_cast<gnn_dtype>(port.dtype),
                    port.rank, port.shape);
    } else {
      const gnn_tensor &tensor = tensors[tensorIndex++];
      flat.addArray(getData(port, tensor), tensor.dtype, tensor.rank,
                    tensor.shape);
    }
  }
}

} // namespace gnn::rt

#endif // GNN_RUNTIME_FLATTENER_H
