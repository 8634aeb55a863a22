//===- ProductEpilogue.cpp - What follows a product -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductEpilogue.h"
#include "VectorParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

/// Whether an operand is read at the place of the result, or along its row, or
/// has one element for each row or for all.
static bool isReadInPlace(AffineMap map) {
  return map.isIdentity() ||
         (map.getNumResults() <= 1 && map.isProjectedPermutation());
}

/// Whether ops of a body can be ops on vectors, and little code for each vector
/// of a tile.
static bool isCheap(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return op.hasTrait<OpTrait::Vectorizable>() && op.getNumResults() == 1 &&
           op.getNumRegions() == 0 &&
           !isa_and_present<math::MathDialect>(op.getDialect()) &&
           !isa<arith::DivFOp>(op);
  });
}

linalg::GenericOp gnn::getEpilogue(Value value, bool mayConvert) {
  if (!value.hasOneUse())
    return {};
  OpOperand &use = *value.getUses().begin();
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || op->getBlock() != value.getParentBlock() ||
      op.getNumDpsInits() != 1 || !op.isDpsInput(&use) ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getMatchingIndexingMap(&use).isIdentity() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      (!mayConvert && value.getType() != op.getResult(0).getType()))
    return {};
  return op;
}

/// Whether `op`, which reads a product, can be applied to vectors of its sums.
static bool isOfVectors(linalg::GenericOp op) {
  return !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         llvm::all_of(op.getIndexingMapsArray(), isReadInPlace) &&
         llvm::all_of(op.getInputs(),
                      [](Value input) {
                        return isa<RankedTensorType>(input.getType()) &&
                               hasWholeBytes(getElementTypeOrSelf(input));
                      }) &&
         isCheap(*op.getBody());
}

ProductEpilogue ProductEpilogue::match(linalg::LinalgOp product) {
  ProductEpilogue epilogue;
  epilogue.product = product->getResult(0);
  Value value = epilogue.product;
  while (linalg::GenericOp next = getEpilogue(value, /*mayConvert=*/false)) {
    if (!isOfVectors(next))
      break;
    epilogue.ops.push_back(next);
    value = next.getResult(0);
  }
  return epilogue;
}

Value ProductEpilogue::emit(OpBuilder &b, linalg::GenericOp op, Value previous,
                            Value sums, Value row, Value column) const {
  Location loc = op.getLoc();
  auto sumsType = cast<VectorType>(sums.getType());
  auto getVectorType = [&](Type element) {
    return VectorType::get(sumsType.getShape(), element);
  };
  auto spread = [&](Value scalar) -> Value {
    return vector::BroadcastOp::create(b, loc, getVectorType(scalar.getType()),
                                       scalar);
  };
  auto read = [&](OpOperand *operand) -> Value {
    if (operand->get() == previous)
      return sums;
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<Value> indices;
    for (AffineExpr result : map.getResults())
      indices.push_back(
          cast<AffineDimExpr>(result).getPosition() == 0 ? row : column);
    Type element = getElementTypeOrSelf(operand->get());
    if (!map.isFunctionOfDim(1))
      return spread(tensor::ExtractOp::create(b, loc, operand->get(), indices));
    Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    return vector::TransferReadOp::create(b, loc, getVectorType(element),
                                          operand->get(), indices, padding,
                                          ArrayRef<bool>{true});
  };
  DenseMap<Value, Value> vectors;
  for (OpOperand *input : op.getDpsInputOperands())
    vectors[op.getMatchingBlockArgument(input)] = read(input);
  auto lookUp = [&](Value value) {
    Value &known = vectors[value];
    if (!known)
      known = spread(value);
    return known;
  };
  for (Operation &scalar : op.getBody()->without_terminator()) {
    auto operands = llvm::map_to_vector(scalar.getOperands(), lookUp);
    Type type = getVectorType(scalar.getResult(0).getType());
    vectors[scalar.getResult(0)] =
        b.create(scalar.getLoc(), scalar.getName().getIdentifier(), operands,
                 type, scalar.getAttrs())
            ->getResult(0);
  }
  return lookUp(op.getBody()->getTerminator()->getOperand(0));
}

Value ProductEpilogue::emit(OpBuilder &b, Value sums, Value row,
                            Value column) const {
  Value previous = product;
  for (linalg::GenericOp op : ops) {
    sums = emit(b, op, previous, sums, row, column);
    previous = op.getResult(0);
  }
  return sums;
}
