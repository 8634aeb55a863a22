//===- RoundTF32.cpp - Rounding to 19 bits of float32 -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTF32.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

/// Half of what the last place is worth, and what is left after it.
static constexpr int32_t kHalf = 0x1000;
static constexpr int32_t kMask = ~0x1FFF;

Value gnn::roundToTF32(OpBuilder &b, Location loc, Value value) {
  auto constant = [&](int32_t bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(bits));
  };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  Value sum = arith::AddIOp::create(b, loc, bits, constant(kHalf));
  Value kept = arith::AndIOp::create(b, loc, sum, constant(kMask));
  Value rounded = arith::BitcastOp::create(b, loc, value.getType(), kept);
  // The sum may run over into the sign.
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(b, loc, isNaN, value, rounded);
}

Value gnn::getRoundedToTF32(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || !value.getType().isF32())
    return Value();
  Value source = select.getTrueValue();
  auto isNaN = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto rounded = select.getFalseValue().getDefiningOp<arith::BitcastOp>();
  auto kept =
      rounded ? rounded.getIn().getDefiningOp<arith::AndIOp>() : nullptr;
  auto sum = kept ? kept.getLhs().getDefiningOp<arith::AddIOp>() : nullptr;
  auto bits = sum ? sum.getLhs().getDefiningOp<arith::BitcastOp>() : nullptr;
  APInt half, mask;
  if (!isNaN || isNaN.getPredicate() != arith::CmpFPredicate::UNO ||
      isNaN.getLhs() != source || isNaN.getRhs() != source || !bits ||
      bits.getIn() != source ||
      !matchPattern(sum.getRhs(), m_ConstantInt(&half)) ||
      !matchPattern(kept.getRhs(), m_ConstantInt(&mask)) ||
      half.getSExtValue() != kHalf || mask.getSExtValue() != kMask)
    return Value();
  return source;
}
