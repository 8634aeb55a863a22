//===- MatrixProductOp.cpp - Products for tensor cores or not ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProductOp.h"
#include "../RoundTF32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

namespace {
enum class Rounding { None, Extended, TF32 };
} // namespace

/// The argument of the body that a factor is, and how it is rounded.
static std::pair<BlockArgument, Rounding> getFactor(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {argument, Rounding::None};
  if (auto extended = value.getDefiningOp<arith::ExtFOp>())
    return {dyn_cast<BlockArgument>(extended.getIn()), Rounding::Extended};
  if (Value source = getRoundedToTF32(value))
    return {dyn_cast<BlockArgument>(source), Rounding::TF32};
  return {BlockArgument(), Rounding::None};
}

static bool isSupported(Type factor, Rounding rounding) {
  return rounding == Rounding::Extended ? factor.isF16() || factor.isBF16()
                                        : factor.isF32();
}

/// The loop that indexes the last dimension.
static std::optional<unsigned> getLastLoop(AffineMap map) {
  if (map.getNumResults() == 0 || !map.isProjectedPermutation())
    return std::nullopt;
  return map.getDimPosition(map.getNumResults() - 1);
}

/// Finds the loops, and which factor is which.
static LogicalResult findLoops(MatrixProductOp &found) {
  linalg::LinalgOp op = found.op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto columns = getLastLoop(maps[2]);
  if (!columns || maps[2].getNumResults() + 1 != op.getNumLoops())
    return failure();
  found.depthLoop = reductions[0];
  found.columnLoop = *columns;
  found.cMap = maps[2];
  for (unsigned i = 0; i < 2; ++i) {
    auto last = getLastLoop(maps[i]);
    if (last == found.depthLoop && !maps[i].isFunctionOfDim(*columns)) {
      found.a = op.getDpsInputs()[i];
      found.aMap = maps[i];
    } else if (last == columns && maps[i].isFunctionOfDim(found.depthLoop)) {
      found.b = op.getDpsInputs()[i];
      found.bMap = maps[i];
    }
  }
  if (!found.a || !found.b)
    return failure();
  bool hasRows = false;
  for (AffineExpr result : found.cMap.getResults().drop_back()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (!found.aMap.isFunctionOfDim(loop) || found.bMap.isFunctionOfDim(loop)) {
      found.outerLoops.push_back(loop);
      continue;
    }
    if (hasRows)
      return failure();
    hasRows = true;
    found.rowLoop = loop;
  }
  return success(hasRows);
}

FailureOr<MatrixProductOp> gnn::matchMatrixProductOp(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() < 3 || op.getNumReductionLoops() != 1)
    return failure();
  Block *body = op.getBlock();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || !sum.getType().isF32())
    return failure();
  bool isLeft = sum.getLhs() == body->getArgument(2);
  if (!isLeft && sum.getRhs() != body->getArgument(2))
    return failure();
  Value term = isLeft ? sum.getRhs() : sum.getLhs();
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product)
    return failure();
  auto [first, rounding] = getFactor(product.getLhs());
  auto [second, otherRounding] = getFactor(product.getRhs());
  if (!first || !second || first == second || rounding != otherRounding ||
      first.getType() != second.getType() ||
      first.getArgNumber() + second.getArgNumber() != 1 ||
      !isSupported(first.getType(), rounding))
    return failure();
  MatrixProductOp found;
  found.op = op;
  found.c = op.getDpsInits()[0];
  found.isTF32 = rounding == Rounding::TF32;
  if (failed(findLoops(found)))
    return failure();
  return found;
}
