//===- SkipRescaling.cpp - Sums whose factor is one are left alone --------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warp.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_SKIPRESCALINGPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct SkipRescalingPass
    : public gnn::impl::SkipRescalingPassBase<SkipRescalingPass> {
  using SkipRescalingPassBase::SkipRescalingPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (loop->getParentOfType<gpu::LaunchOp>() && hasWholeWarps(loop))
        skipProducts(loop);
  }

private:
  static bool hasWholeWarps(scf::ForOp loop);
  void skipProducts(scf::ForOp loop);
};
} // namespace

/// Do all lanes of a warp come to the loop's body together? They do if they
/// exchange something there.
bool SkipRescalingPass::hasWholeWarps(scf::ForOp loop) {
  return llvm::any_of(loop.getOps<gpu::ShuffleOp>(), [](gpu::ShuffleOp op) {
    return getConstantIntValue(op.getWidth()) == kWarp;
  });
}

static bool isCarried(Value value, scf::ForOp loop) {
  return llvm::is_contained(loop.getRegionIterArgs(), value);
}

/// x - y of a factor exp(x - y) by which sums are multiplied that belong to the
/// maximum x so far, to make them belong to y; NULL for other values.
static Value getExponent(Value factor, scf::ForOp loop) {
  auto exp = factor.getDefiningOp<math::ExpOp>();
  if (!exp || exp->getBlock() != loop.getBody() || !exp.getType().isF32())
    return nullptr;
  auto difference = exp.getOperand().getDefiningOp<arith::SubFOp>();
  return difference && isCarried(difference.getLhs(), loop) ? exp.getOperand()
                                                            : nullptr;
}

void SkipRescalingPass::skipProducts(scf::ForOp loop) {
  SmallVector<arith::MulFOp> products;
  llvm::SmallSetVector<Value, 4> exponents;
  for (auto product : loop.getOps<arith::MulFOp>()) {
    if (!isCarried(product.getLhs(), loop))
      continue;
    if (Value exponent = getExponent(product.getRhs(), loop)) {
      products.push_back(product);
      exponents.insert(exponent);
    }
  }
  if (static_cast<int64_t>(products.size()) < minProducts)
    return;

  // All factors are known where the last one is, and nothing that reads a
  // product is before it.
  Operation *last = products.front().getRhs().getDefiningOp();
  for (arith::MulFOp product : products)
    if (Operation *factor = product.getRhs().getDefiningOp();
        last->isBeforeInBlock(factor))
      last = factor;
  for (arith::MulFOp product : products)
    for (Operation *user : product->getUsers())
      if (loop.getBody()->findAncestorOpInBlock(*user)->isBeforeInBlock(last))
        return;

  Location loc = products.front().getLoc();
  OpBuilder b(&getContext());
  b.setInsertionPointAfter(last);
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0.0F));
  Value mine;
  for (Value exponent : exponents) {
    // So that NaN counts.
    Value moved = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                        exponent, zero);
    mine = mine ? arith::OrIOp::create(b, loc, mine, moved).getResult() : moved;
  }
  Value anyMoved = gpu::SubgroupReduceOp::create(
      b, loc, mine, gpu::AllReduceOperation::OR, /*uniform=*/true);
  SmallVector<Type> types(products.size(), b.getF32Type());
  auto conditional = scf::IfOp::create(b, loc, types, anyMoved,
                                       /*withElseRegion=*/true);
  SmallVector<Value> scaled, same;
  for (auto [product, result] :
       llvm::zip_equal(products, conditional.getResults())) {
    product.replaceAllUsesWith(result);
    product->moveBefore(conditional.thenBlock(),
                        conditional.thenBlock()->end());
    scaled.push_back(product);
    same.push_back(product.getLhs());
  }
  b.setInsertionPointToEnd(conditional.thenBlock());
  scf::YieldOp::create(b, loc, scaled);
  b.setInsertionPointToEnd(conditional.elseBlock());
  scf::YieldOp::create(b, loc, same);
  numProducts += products.size();
}
