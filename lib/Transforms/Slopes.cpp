//===- Slopes.cpp - Leaky ReLUs ---------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/Slopes.h"
#include "mlir/IR/Matchers.h"

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

std::optional<Slope> gnn::getSlope(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT ||
      compare.getLhs() != select.getTrueValue() ||
      !matchPattern(compare.getRhs(), m_AnyZeroFloat()))
    return std::nullopt;
  std::optional<APFloat> factor =
      getFactor(select.getFalseValue(), compare.getLhs());
  if (!factor || !factor->isFiniteNonZero() || factor->isNegative() ||
      *factor > APFloat(factor->getSemantics(), 1))
    return std::nullopt;
  return Slope{compare.getLhs(), *factor};
}
