//===- Alignment.cpp - Where rows of arrays begin ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <numeric>

using namespace mlir;
using namespace gnn;

/// The same of an expression of indices.
static bool isMultiple(AffineExpr expression, AffineMap map, ValueRange indices,
                       int64_t size) {
  if (expression.isMultipleOf(size))
    return true;
  auto isOwnMultiple = [&](AffineExpr own) {
    return isMultiple(own, map, indices, size);
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return gnn::isMultiple(indices[dim.getPosition()], size);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return gnn::isMultiple(indices[map.getNumDims() + symbol.getPosition()],
                           size);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (expression.getKind() == AffineExprKind::Add)
    return isOwnMultiple(binary.getLHS()) && isOwnMultiple(binary.getRHS());
  return expression.getKind() == AffineExprKind::Mul &&
         (isOwnMultiple(binary.getLHS()) || isOwnMultiple(binary.getRHS()));
}

bool gnn::isMultiple(OpFoldResult index, int64_t size) {
  if (auto value = dyn_cast<Value>(index))
    return isMultiple(value, size);
  return *getConstantIntValue(index) % size == 0;
}

/// A loop's index is where it begins, and some steps further.
static bool isMultiple(BlockArgument index, int64_t size) {
  auto loop = dyn_cast<LoopLikeOpInterface>(index.getOwner()->getParentOp());
  std::optional<SmallVector<Value>> variables;
  if (loop)
    variables = loop.getLoopInductionVars();
  if (!variables)
    return false;
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  for (auto [i, variable] : llvm::enumerate(*variables))
    if (variable == index)
      return lower && steps && isMultiple((*lower)[i], size) &&
             isMultiple((*steps)[i], size);
  return false;
}

bool gnn::isMultiple(Value index, int64_t size) {
  if (size == 1)
    return true;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue() % size == 0;
  if (auto argument = dyn_cast<BlockArgument>(index))
    return ::isMultiple(argument, size);
  Operation *op = index.getDefiningOp();
  auto isOwnMultiple = [&](Value value) { return isMultiple(value, size); };
  if (isa<arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), isOwnMultiple);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinUIOp>(op))
    return llvm::all_of(op->getOperands(), isOwnMultiple);
  auto areMultiples = [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr result) {
      return ::isMultiple(result, map, op->getOperands(), size);
    });
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return areMultiples(apply.getAffineMap());
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return areMultiples(least.getAffineMap());
  return false;
}

/// Whether `count` times `stride` elements surely are a multiple of `size`.
static bool isMultiple(OpFoldResult count, int64_t stride, int64_t size) {
  int64_t known = ShapedType::isDynamic(stride) ? 1 : std::gcd(stride, size);
  return isMultiple(count, size / known);
}

static SmallVector<int64_t> getStrides(Value memref) {
  return cast<MemRefType>(memref.getType()).getStridesAndOffset().first;
}

int64_t gnn::getAlignment(Value memref, int64_t most) {
  OpFoldResult one = IntegerAttr::get(IndexType::get(memref.getContext()), 1);
  auto divide = [&](OpFoldResult count, int64_t stride) {
    while (most > 1 && !::isMultiple(count, stride, most))
      most /= 2;
  };
  SmallVector<int64_t> strides = getStrides(memref);
  if (strides.empty() || strides.back() != 1)
    return 1;
  for (auto [size, stride] :
       llvm::zip(cast<MemRefType>(memref.getType()).getShape(),
                 ArrayRef(strides).drop_back()))
    if (size != 1)
      divide(one, stride);
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      for (auto [begin, stride] :
           llvm::zip(view.getMixedOffsets(), getStrides(view.getSource())))
        divide(begin, stride);
    } else if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp,
                    memref::CastOp>(op)) {
      break;
    }
    memref = op->getOperand(0);
  }
  bool isShifted = memref.getDefiningOp<memref::ViewOp>() != nullptr;
  int64_t offset =
      cast<MemRefType>(memref.getType()).getStridesAndOffset().second;
  divide(one, isShifted ? ShapedType::kDynamic : offset);
  return most;
}

void gnn::storeTogether(OpBuilder &b, Location loc, ValueRange elements,
                        Value memref, ValueRange indices) {
  if (elements.size() == 1) {
    memref::StoreOp::create(b, loc, elements[0], memref, indices);
    return;
  }
  auto count = static_cast<int64_t>(elements.size());
  auto type = VectorType::get(count, elements[0].getType());
  Value vector = vector::FromElementsOp::create(b, loc, type, elements);
  vector::StoreOp::create(
      b, loc, vector, memref, indices, /*nontemporal=*/false,
      llvm::MaybeAlign(count * type.getElementTypeBitWidth() / 8));
}
