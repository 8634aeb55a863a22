//===- Header.cpp - C headers of compiled models ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Compiler.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gnn;

static StringRef getAxisName(gnn_axis axis) {
  switch (axis) {
  case GNN_AXIS_SOURCE:
    return "sources";
  case GNN_AXIS_DESTINATION:
    return "destinations";
  case GNN_AXIS_EDGE:
    return "edges";
  case GNN_AXIS_FIXED:
  case GNN_AXIS_ANY:
    return "any";
  }
  llvm_unreachable("unknown axis");
}

static StringRef getDTypeName(gnn_dtype dtype) {
  switch (dtype) {
  case GNN_FLOAT32:
    return "float32";
  case GNN_FLOAT64:
    return "float64";
  case GNN_INT32:
    return "int32";
  case GNN_INT64:
    return "int64";
  case GNN_BOOL:
    return "bool";
  }
  llvm_unreachable("unknown dtype");
}

static StringRef getTopologyName(gnn_topology topology) {
  switch (topology) {
  case GNN_TOPOLOGY_CSR:
    return "csr";
  case GNN_TOPOLOGY_COMPLETE:
    return "complete";
  case GNN_TOPOLOGY_CAUSAL:
    return "causal";
  case GNN_TOPOLOGY_WINDOW:
    return "window";
  case GNN_TOPOLOGY_BLOCK_DIAGONAL:
    return "block-diagonal";
  }
  llvm_unreachable("unknown topology");
}

/// `  x: float32 [nodes of graph 0, 34]`
static void writePort(const PortInfo &port, raw_ostream &os) {
  os << "     " << port.name << ": ";
  if (port.kind == GNN_PORT_GRAPH) {
    os << getTopologyName(port.topology) << " graph";
    if (port.topology == GNN_TOPOLOGY_WINDOW)
      os << " of window " << port.window;
    os << "\n";
    return;
  }
  os << getDTypeName(port.dtype) << " [";
  interleaveComma(llvm::seq<size_t>(0, port.shape.size()), os, [&](size_t i) {
    if (port.shape[i] >= 0)
      os << port.shape[i];
    else if (i > 0 || port.axis == GNN_AXIS_ANY)
      os << "any";
    else
      os << getAxisName(port.axis) << " of graph " << port.graph;
  });
  os << "]\n";
}

void gnn::writeHeader(const ModelInfo &info, bool externalWeights,
                      raw_ostream &os) {
  std::string symbol = info.getSymbolName();
  std::string guard = "GNN_MODEL_" + StringRef(symbol).upper() + "_H";
  os << "/* Model '" << info.name << "', written by gnn-compile.\n\n";
  os << "   Graphs, in the order of gnn_session_run's `graphs`:\n";
  for (const PortInfo &port : info.inputs)
    if (port.kind == GNN_PORT_GRAPH)
      writePort(port, os);
  os << "   Tensors, in the order of its `tensors`:\n";
  for (const PortInfo &port : info.inputs)
    if (port.kind == GNN_PORT_TENSOR)
      writePort(port, os);
  os << "   Outputs:\n";
  for (const PortInfo &port : info.outputs)
    writePort(port, os);
  if (externalWeights)
    os << "   Weights: a file of " << info.weightBytes << " bytes.\n";
  os << "*/\n#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"gnn/Runtime/Runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "extern const gnn_model " << symbol << "_model;\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
}
