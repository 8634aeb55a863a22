//===- DeviceModel.h - Models for devices, written by hand ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_DEVICEMODEL_H
#define GNN_UNITTESTS_RUNTIME_DEVICEMODEL_H

#include "FakeModel.h"

#include <string>

namespace gnn::test {

/// What a kernel takes.
template <typename T>
T &parameter(void **parameters, int index) {
  return *static_cast<T *>(parameters[index]);
}

/// Launches a kernel as compiled code does.
inline void launch(gnn_memory *memory, int32_t kernel,
                   std::initializer_list<int64_t> dimensions,
                   std::vector<void *> parameters) {
  memory->launch(memory, kernel, dimensions.begin(), 0, parameters.data());
}

/// A model with kernels, "kernel0", "kernel1", ..., to be emulated.
struct DeviceModel : FakeModel {
  using Emulate = void (*)(gnn_emulated_thread *, void **);

  std::vector<std::string> names;
  std::vector<gnn_kernel> kernels;
  gnn_device_code code = {};

  DeviceModel(std::vector<gnn_port> inputPorts,
              std::vector<gnn_port> outputPorts,
              void (*invoke)(void **, gnn_memory *),
              const std::vector<Emulate> &emulated)
      : FakeModel(std::move(inputPorts), std::move(outputPorts), invoke) {
    for (size_t i = 0; i < emulated.size(); ++i)
      names.push_back("kernel" + std::to_string(i));
    for (size_t i = 0; i < emulated.size(); ++i)
      kernels.push_back({names[i].c_str(), 0, emulated[i]});
    code.chip = "emulated";
    code.num_kernels = static_cast<int64_t>(kernels.size());
    code.kernels = kernels.data();
    model.target = GNN_TARGET_GPU_EMULATED;
    model.device = &code;
  }
};

/// (rows, columns, x, weights, out, scaled): one block per row.
inline void sumRow(gnn_emulated_thread *thread, void **parameters) {
  uint32_t row = thread->block[0];
  const int32_t *rows = parameter<int32_t *>(parameters, 0);
  const int32_t *columns = parameter<int32_t *>(parameters, 1);
  const float *x = parameter<float *>(parameters, 2);
  const float *weights = parameter<float *>(parameters, 3);
  float sum = 0;
  for (int32_t e = rows[row]; e < rows[row + 1]; ++e) {
    sum += weights[e] * x[columns[e]];
    parameter<float *>(parameters, 5)[e] = 10 * weights[e];
  }
  parameter<float *>(parameters, 4)[row] = sum;
}

/// (csr, x [sources], w [edges]) -> the sum of weighted neighbours
/// [destinations], and the edges' weights times 10 in CSR order.
struct WeightedSumModel : DeviceModel {
  WeightedSumModel()
      : DeviceModel({graphPort("g", GNN_TOPOLOGY_CSR, /*bipartite=*/true),
                     tensorPort("x", GNN_FLOAT32, {-1}, GNN_AXIS_SOURCE),
                     tensorPort("w", GNN_FLOAT32, {-1}, GNN_AXIS_EDGE)},
                    {tensorPort("out", GNN_FLOAT32, {-1}, GNN_AXIS_DESTINATION),
                     tensorPort("scaled", GNN_FLOAT32, {-1}, GNN_AXIS_EDGE)},
                    invokeSum, {sumRow}) {}

  static void invokeSum(void **arguments, gnn_memory *memory) {
    auto &rows = memref<int32_t, 1>(arguments[1]);
    auto &columns = memref<int32_t, 1>(arguments[2]);
    auto &x = memref<float, 1>(arguments[4]);
    auto &weights = memref<float, 1>(arguments[5]);
    auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
    results[0] = MemRef<float, 1>::tryToMake(memory, {rows.sizes[0] - 1});
    results[1] = MemRef<float, 1>::tryToMake(memory, {columns.sizes[0]});
    launch(memory, 0, {rows.sizes[0] - 1, 1, 1, 1, 1, 1},
           {static_cast<void *>(&rows.aligned),
            static_cast<void *>(&columns.aligned),
            static_cast<void *>(&x.aligned),
            static_cast<void *>(&weights.aligned),
            static_cast<void *>(&results[0].aligned),
            static_cast<void *>(&results[1].aligned)});
  }
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_RUNTIME_DEVICEMODEL_H
