//===- EdgeOperands.cpp - Operands of fused edge functions -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

SmallVector<EdgeOperand> gnn::getEdgeOperands(const EdgeFunction &function) {
  SmallVector<EdgeOperand> operands;
  for (auto [value, role, map, argument] :
       llvm::zip(function.operands, function.roles, function.operandMaps,
                 function.body->getArguments()))
    operands.push_back({value, role, map, argument});
  return operands;
}

GroupedOperands::GroupedOperands(ArrayRef<EdgeOperand> operands) {
  auto take = [&](OperandRole role, SmallVector<Value> &group) {
    for (const EdgeOperand &operand : operands) {
      if (operand.role != role)
        continue;
      group.push_back(operand.value);
      maps.push_back(operand.map);
      arguments.push_back(operand.argument);
    }
  };
  take(OperandRole::Destination, dst);
  take(OperandRole::Source, src);
  take(OperandRole::Edge, edge);
  take(OperandRole::Uniform, uniform);
}

ArrayAttr GroupedOperands::getMaps(Builder &builder,
                                   AffineMap resultMap) const {
  SmallVector<AffineMap> all(maps);
  all.push_back(resultMap);
  return builder.getAffineMapArrayAttr(all);
}

Block *GroupedOperands::createBlock(OpBuilder &builder, Region &region,
                                    IRMapping &mapping) const {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (ArrayRef<Value> group :
       {ArrayRef(dst), ArrayRef(src), ArrayRef(edge), ArrayRef(uniform)})
    for (Value operand : group) {
      auto edges = dyn_cast<EdgesType>(operand.getType());
      types.push_back(edges ? edges.getElementType()
                            : getElementTypeOrSelf(operand.getType()));
      locations.push_back(operand.getLoc());
    }
  Block *block = builder.createBlock(&region, {}, types, locations);
  for (auto [from, to] : llvm::zip(arguments, block->getArguments()))
    if (from)
      mapping.map(from, to);
  return block;
}

SmallVector<Operation *> gnn::getProductChain(Value factor, Value value) {
  SmallVector<Operation *> chain;
  while (factor != value) {
    if (!factor.hasOneUse())
      return {};
    auto product = dyn_cast<arith::MulFOp>(*factor.getUsers().begin());
    if (!product)
      return {};
    chain.push_back(product);
    factor = product.getResult();
  }
  return chain;
}
