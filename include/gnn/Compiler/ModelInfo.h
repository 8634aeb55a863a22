//===- ModelInfo.h - What a compiled model tells of itself ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_MODELINFO_H
#define GNN_COMPILER_MODELINFO_H

#include "gnn/Runtime/Runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <string>
#include <vector>

namespace gnn {

/// A gnn_port that owns its name.
struct PortInfo {
  std::string name;
  gnn_port_kind kind = GNN_PORT_TENSOR;
  gnn_dtype dtype = GNN_FLOAT32;
  gnn_topology topology = GNN_TOPOLOGY_CSR;
  bool isBipartite = false;
  int64_t window = 0;
  gnn_axis axis = GNN_AXIS_FIXED;
  int32_t graph = 0;
  /// 0: none.
  int32_t limit = 0;
  llvm::SmallVector<int32_t> limits;
  llvm::SmallVector<int64_t> shape;
  /// Of a graph's sources and destinations, or of a tensor's rows.
  llvm::SmallVector<std::string> nodeTypes;
  /// The graphs whose composition a graph is.
  llvm::SmallVector<int32_t> path;
  /// Weights only.
  int64_t offset = 0;
  mlir::ElementsAttr value;
};

/// What gnn_model says, as far as it is known before code is generated.
struct ModelInfo {
  std::string name;
  /// One line per layer.
  std::string layers;
  std::vector<PortInfo> inputs, outputs;
  /// Whether results depend on how nodes are numbered.
  bool readsNodeNumbers = false;
  /// Whether results depend on the edges out of nodes.
  bool readsOutEdges = false;
  int64_t weightBytes = 0;
  uint64_t weightHash = 0;

  /// `name` as a C identifier that no name of the runtime begins with.
  std::string getSymbolName() const;
};

/// The function that a module's caller runs: the only public one. Emits an
/// error and returns null if there is not exactly one.
mlir::func::FuncOp findEntry(mlir::ModuleOp module);

/// Whether what the functions of a module compute depends on how the nodes of a
/// graph are numbered: on a node's position, or on which of two comes first.
bool readsNodeNumbers(mlir::ModuleOp module);

/// Whether what the functions of a module compute depends on the edges out of a
/// node, of a graph that lists its edges: on their number, or because messages
/// travel against them.
bool readsOutEdges(mlir::ModuleOp module);

/// Describes `entry`, whose signature must still have graph types. Emits an
/// error for what cannot be passed through the C interface.
llvm::FailureOr<ModelInfo> describeModel(mlir::func::FuncOp entry);

/// Calls `write` with the bytes of the weights file, one part after the other,
/// each weight at its offset.
void writeWeights(const ModelInfo &info,
                  llvm::function_ref<void(llvm::ArrayRef<char>)> write);
/// All of them at once.
std::vector<char> serializeWeights(const ModelInfo &info);

} // namespace gnn

#endif // GNN_COMPILER_MODELINFO_H
