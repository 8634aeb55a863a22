//===- FakeModel.h - Models written by hand ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stand-ins for compiled models: functions in the calling convention of
// docs/abi.md, and descriptions of them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_FAKEMODEL_H
#define GNN_UNITTESTS_RUNTIME_FAKEMODEL_H

#include "gnn/Runtime/Runtime.h"

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace gnn::test {

/// MLIR's descriptor of a strided array.
template <typename T, int Rank>
struct MemRef {
  void *allocated;
  T *aligned;
  int64_t offset;
  int64_t sizes[Rank];
  int64_t strides[Rank];

  /// Allocates as compiled code does: with room in front to align by.
  static MemRef make(gnn_memory *memory, std::initializer_list<int64_t> sizes) {
    MemRef result = tryToMake(memory, sizes);
    if (!result.aligned)
      abort();
    return result;
  }

  /// The same without values where there is no memory, as of a device after a
  /// failure.
  static MemRef tryToMake(gnn_memory *memory,
                          std::initializer_list<int64_t> sizes) {
    MemRef result = {};
    int64_t count = 1;
    int rank = 0;
    for (int64_t size : sizes) {
      result.sizes[rank++] = size;
      count *= size;
    }
    int64_t stride = 1;
    for (int i = Rank - 1; i >= 0; --i) {
      result.strides[i] = stride;
      stride *= result.sizes[i];
    }
    result.allocated =
        memory->allocate(memory, count * static_cast<int64_t>(sizeof(T)) + 64);
    if (!result.allocated)
      return result;
    auto address = reinterpret_cast<uintptr_t>(result.allocated);
    result.aligned = reinterpret_cast<T *>(
        static_cast<char *>(result.allocated) + (64 - address % 64));
    return result;
  }
};

template <typename T, int Rank>
MemRef<T, Rank> &memref(void *argument) {
  return *static_cast<MemRef<T, Rank> *>(argument);
}

inline gnn_port tensorPort(const char *name, gnn_dtype dtype,
                           const std::vector<int64_t> &shape,
                           gnn_axis axis = GNN_AXIS_ANY, int32_t graph = 0) {
  gnn_port port = {};
  port.name = name;
  port.kind = GNN_PORT_TENSOR;
  port.dtype = dtype;
  port.rank = static_cast<int32_t>(shape.size());
  port.axis = axis;
  port.graph = graph;
  for (size_t i = 0; i < shape.size(); ++i)
    port.shape[i] = shape[i];
  return port;
}

inline gnn_port graphPort(const char *name, gnn_topology topology,
                          bool bipartite = false, int64_t window = 0) {
  gnn_port port = {};
  port.name = name;
  port.kind = GNN_PORT_GRAPH;
  port.topology = topology;
  port.bipartite = bipartite;
  port.window = window;
  return port;
}

inline gnn_port weightPort(const char *name, gnn_dtype dtype,
                           const std::vector<int64_t> &shape, int64_t offset) {
  gnn_port port = tensorPort(name, dtype, shape);
  port.kind = GNN_PORT_WEIGHT;
  port.offset = offset;
  return port;
}

/// A model with the ports it points to.
struct FakeModel {
  std::vector<gnn_port> inputs;
  std::vector<gnn_port> outputs;
  gnn_model model = {};

  FakeModel(std::vector<gnn_port> inputPorts, std::vector<gnn_port> outputPorts,
            void (*invoke)(void **, gnn_memory *))
      : inputs(std::move(inputPorts)), outputs(std::move(outputPorts)) {
    model.abi_version = GNN_ABI_VERSION;
    model.num_inputs = static_cast<uint32_t>(inputs.size());
    model.num_outputs = static_cast<uint32_t>(outputs.size());
    model.inputs = inputs.data();
    model.outputs = outputs.data();
    model.name = "fake";
    model.layers = "";
    model.target_cpu = "generic";
    model.required_features = "";
    model.invoke = invoke;
  }
  FakeModel(const FakeModel &) = delete;
  FakeModel &operator=(const FakeModel &) = delete;
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_RUNTIME_FAKEMODEL_H
