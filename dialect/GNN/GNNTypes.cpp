//===- GNNTypes.cpp - Graph and edge types ----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

#define GET_TYPEDEF_CLASSES
#include "gnn/Dialect/GNN/GNNTypes.cpp.inc"

void GNNDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "gnn/Dialect/GNN/GNNTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// GNNGraphType
//===----------------------------------------------------------------------===//

Type GNNGraphType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<Topology> topology = symbolizeTopology(keyword);
  if (!topology) {
    parser.emitError(loc) << "unknown topology '" << keyword
                          << "'; expected csr, coo, complete, causal, "
                             "window<W> or block_diagonal";
    return {};
  }
  int64_t window = 0;
  if (*topology == Topology::Window &&
      (parser.parseLess() || parser.parseInteger(window) ||
       parser.parseGreater()))
    return {};
  bool bipartite = false, symmetric = false, selfLoops = false, sorted = false;
  unsigned indexWidth = 32;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc propertyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "bipartite")
      bipartite = true;
    else if (keyword == "symmetric")
      symmetric = true;
    else if (keyword == "self_loops")
      selfLoops = true;
    else if (keyword == "sorted")
      sorted = true;
    else if (keyword == "i32")
      indexWidth = 32;
    else if (keyword == "i64")
      indexWidth = 64;
    else {
      parser.emitError(propertyLoc)
          << "unknown graph property '" << keyword
          << "'; expected bipartite, symmetric, self_loops, sorted, i32 or i64";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GNNGraphType>(loc, parser.getContext(), *topology,
                                         window, bipartite, symmetric,
                                         selfLoops, sorted, indexWidth);
}

void GNNGraphType::print(AsmPrinter &printer) const {
  printer << "<" << stringifyTopology(getTopology());
  if (getTopology() == Topology::Window)
    printer << "<" << getWindow() << ">";
  if (getBipartite())
    printer << ", bipartite";
  if (getSymmetric())
    printer << ", symmetric";
  if (getSelfLoops())
    printer << ", self_loops";
  if (getSorted())
    printer << ", sorted";
  if (getIndexWidth() != 32)
    printer << ", i" << getIndexWidth();
  printer << ">";
}

LogicalResult GNNGraphType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Topology topology, int64_t window,
                                   bool bipartite, bool symmetric,
                                   bool selfLoops, bool /*sorted*/,
                                   unsigned indexWidth) {
  // Sums with numbers of nodes stay within 64 bits.
  constexpr int64_t maxWindow = std::numeric_limits<int32_t>::max();
  if (topology == Topology::Window && (window < 0 || window > maxWindow))
    return emitError() << "the window must be at least 0 and at most "
                       << maxWindow << ", got " << window;
  if (topology != Topology::Window && window != 0)
    return emitError() << "only a window graph has a window";
  if (indexWidth != 32 && indexWidth != 64)
    return emitError() << "indices must be i32 or i64, got i" << indexWidth;
  if (bipartite && symmetric)
    return emitError() << "a bipartite graph cannot be symmetric";
  if (bipartite && selfLoops)
    return emitError() << "a bipartite graph has no self loops";
  if (bipartite &&
      (topology == Topology::Causal || topology == Topology::Window))
    return emitError() << "a " << stringifyTopology(topology)
                       << " graph compares positions of the same nodes and "
                          "cannot be bipartite";
  if (symmetric && topology == Topology::Causal)
    return emitError() << "a causal graph cannot be symmetric";
  return success();
}

SmallVector<Type> GNNGraphType::getPartTypes() const {
  Type index = IndexType::get(getContext());
  Type indices = RankedTensorType::get({ShapedType::kDynamic}, getIndexType());
  switch (getTopology()) {
  case Topology::CSR:
    return {indices, indices, index};
  case Topology::COO:
    return {indices, indices, index, index};
  case Topology::Complete:
  case Topology::Causal:
  case Topology::Window:
    return {index, index};
  case Topology::BlockDiagonal:
    return {indices, indices};
  }
  llvm_unreachable("covered switch");
}

GNNGraphType GNNGraphType::withSelfLoops(bool selfLoops) const {
  return GNNGraphType::get(getContext(), getTopology(), getWindow(),
                           getBipartite(), getSymmetric(), selfLoops,
                           getSorted(), getIndexWidth());
}

//===----------------------------------------------------------------------===//
// EdgesType
//===----------------------------------------------------------------------===//

Type EdgesType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<EdgesType>(loc, parser.getContext(), shape,
                                      elementType);
}

void EdgesType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ">";
}

LogicalResult EdgesType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType) {
  if (!isa<FloatType>(elementType) && !elementType.isSignlessInteger())
    return emitError() << "an edge holds floats or signless integers, got "
                       << elementType;
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) || size < 0)
      return emitError() << "the shape of an edge value must be static";
  return success();
}

RankedTensorType EdgesType::getTensorType(GNNGraphType graph) const {
  SmallVector<int64_t> shape(graph.hasDenseEdges() ? 2 : 1,
                             ShapedType::kDynamic);
  llvm::append_range(shape, getShape());
  return RankedTensorType::get(shape, getElementType());
}
