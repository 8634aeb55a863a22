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

/// `  x: float32 [nodes of graph 0, 34]`
static void writePort(const PortInfo &port, raw_ostream &os) {
  os << "     " << port.name << ": ";
  if (port.kind == GNN_PORT_GRAPH) {
    os << gnn_topology_name(port.topology) << " graph";
    if (!port.shape.empty())
      os << ", a sparse matrix of " << port.shape.back() << " columns";
    if (port.topology == GNN_TOPOLOGY_WINDOW)
      os << " of window " << port.window;
    if (!port.path.empty()) {
      os << ", composed of graphs ";
      interleaveComma(port.path, os);
    }
    if (port.limit)
      os << " of at most " << port.limit << " nodes"
         << (port.topology == GNN_TOPOLOGY_BLOCK_DIAGONAL ? " a segment" : "");
    os << "\n";
    return;
  }
  os << gnn_dtype_name(port.dtype) << " [";
  interleaveComma(llvm::seq<size_t>(0, port.shape.size()), os, [&](size_t i) {
    if (port.shape[i] >= 0)
      os << port.shape[i];
    else if (i > 0 || port.axis == GNN_AXIS_ANY)
      os << "any";
    else
      os << getAxisName(port.axis) << " of graph " << port.graph;
  });
  os << "]";
  if (port.limit)
    os << ", each from 0 to " << port.limit - 1;
  if (!port.limits.empty()) {
    os << ", of each column from 0 to ";
    interleaveComma(port.limits, os, [&](int32_t limit) { os << limit - 1; });
  }
  os << "\n";
}

/// What the comment at the top says.
static std::string describe(const ModelInfo &info, bool externalWeights) {
  std::string text;
  raw_string_ostream os(text);
  os << "Model '" << info.name << "', written by gnn-compile.\n\n";
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
  // Names in a module may hold what begins or ends a comment.
  for (size_t i = 1; i < text.size(); ++i)
    if (StringRef(text).substr(i - 1, 2) == "/*" ||
        StringRef(text).substr(i - 1, 2) == "*/")
      text.insert(i++, " ");
  return text;
}

void gnn::writeHeader(const ModelInfo &info, bool externalWeights,
                      raw_ostream &os) {
  std::string symbol = info.getSymbolName();
  std::string guard = "GNN_MODEL_" + StringRef(symbol).upper() + "_H";
  os << "/* " << describe(info, externalWeights) << "*/\n#ifndef " << guard
     << "\n#define " << guard << "\n\n"
     << "#include \"gnn/Runtime/Runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "extern const gnn_model " << symbol << "_model;\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
}
