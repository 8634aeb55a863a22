//===- SlopesToMaximum.cpp - Leaky ReLU as the larger value -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SLOPESTOMAXIMUMPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The factor by which `value` is a multiple of `base`, if it is a constant.
static std::optional<APFloat> getFactor(Value value, Value base) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  Value factor = product.getLhs() == base   ? product.getRhs()
                 : product.getRhs() == base ? product.getLhs()
                                            : Value();
  APFloat constant(0.0);
  if (!factor || !matchPattern(factor, m_ConstantFloat(&constant)))
    return std::nullopt;
  return constant;
}

/// Whether `select` is x where x is above 0, and else x times a number above 0
/// and at most 1, so that it is the larger one of both.
static bool isLarger(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      compare.getLhs() != select.getTrueValue() ||
      !matchPattern(compare.getRhs(), m_AnyZeroFloat()))
    return false;
  std::optional<APFloat> factor =
      getFactor(select.getFalseValue(), compare.getLhs());
  if (!factor || !factor->isFiniteNonZero() || factor->isNegative())
    return false;
  APFloat one(factor->getSemantics(), 1);
  return *factor <= one;
}

namespace {
struct SlopesToMaximumPass
    : public gnn::impl::SlopesToMaximumPassBase<SlopesToMaximumPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](arith::SelectOp select) {
      if (!isLarger(select))
        return;
      rewriter.setInsertionPoint(select);
      Value condition = arith::CmpFOp::create(
          rewriter, select.getLoc(), arith::CmpFPredicate::OGT,
          select.getTrueValue(), select.getFalseValue());
      rewriter.modifyOpInPlace(
          select, [&] { select.getConditionMutable().assign(condition); });
      ++numSlopes;
    });
  }
};
} // namespace
