//===- EdgeTensors.cpp - Edge values as the tensors that hold them --------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeTensors.h"

using namespace mlir;
using namespace gnn;

EdgeFunction gnn::withEdgeTensors(OpBuilder &builder, Location loc, Value graph,
                                  EdgeFunction function) {
  for (Value &operand : function.operands) {
    auto type = dyn_cast<EdgesType>(operand.getType());
    if (!type)
      continue;
    operand = EdgesToTensorOp::create(
        builder, loc, type.getTensorType(cast<GNNGraphType>(graph.getType())),
        graph, operand);
  }
  return function;
}

/// Of what is given for each row: a 0 among the features.
static bool hasNoElements(Type type) {
  if (auto edges = dyn_cast<EdgesType>(type))
    return llvm::is_contained(edges.getShape(), 0);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 &&
         llvm::is_contained(tensor.getShape().drop_front(), 0);
}

LogicalResult gnn::verifyRowsHaveElements(Operation *scope) {
  WalkResult result = scope->walk([](Operation *op) {
    // gnn.update takes no slices.
    if (!isa_and_nonnull<GNNDialect>(op->getDialect()) || isa<UpdateOp>(op))
      return WalkResult::advance();
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (hasNoElements(type)) {
          op->emitOpError() << "has rows without elements, " << type
                            << ", which have no code; leave this value out";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

SmallVector<int64_t> gnn::getResultShape(const EdgeFunction &function) {
  SmallVector<int64_t> sizes(function.getNumLoops(), 1);
  for (auto [value, map] : llvm::zip(function.operands, function.operandMaps)) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      continue;
    // Features are the last dimensions, whatever leads to an edge's.
    ArrayRef<int64_t> shape = tensor.getShape().take_back(map.getNumResults());
    for (auto [expr, size] : llvm::zip(map.getResults(), shape))
      sizes[cast<AffineDimExpr>(expr).getPosition()] = size;
  }
  SmallVector<int64_t> shape;
  for (AffineExpr expr : function.resultMap.getResults())
    shape.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  return shape;
}

FinishMaps::FinishMaps(ArrayRef<utils::IteratorType> iterators)
    : iterators(iterators) {
  for (utils::IteratorType iterator : iterators) {
    positions.push_back(numParallel);
    numParallel += iterator == utils::IteratorType::parallel;
  }
}

bool FinishMaps::reads(AffineMap map) const {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return iterators[cast<AffineDimExpr>(expr).getPosition()] ==
           utils::IteratorType::parallel;
  });
}

AffineMap FinishMaps::get(AffineMap map) const {
  SmallVector<AffineExpr> loops;
  for (unsigned position : positions)
    loops.push_back(getAffineDimExpr(position, map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, numParallel, 0);
}

SmallVector<utils::IteratorType> FinishMaps::getIterators() const {
  return SmallVector<utils::IteratorType>(numParallel,
                                          utils::IteratorType::parallel);
}
