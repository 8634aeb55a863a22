//===- ScalarEmitter.cpp - Scalar arithmetic of lowerings -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarEmitter.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;

Value gnn::emitScalar(OpBuilder &builder, Location loc, Type type,
                      double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value gnn::emitAdd(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value gnn::emitMul(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MulFOp::create(builder, loc, a, b);
  return arith::MulIOp::create(builder, loc, a, b);
}

Value gnn::emitMultiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                           Value c) {
  constexpr auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(builder, loc, a, b, contract);
  return arith::AddFOp::create(builder, loc, product, c, contract);
}

Value gnn::emitMax(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MaximumFOp::create(builder, loc, a, b);
  if (a.getType().isInteger(1))
    return arith::OrIOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value gnn::emitMin(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (a.getType().isInteger(1))
    return arith::AndIOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

Value gnn::emitSoftmaxShift(OpBuilder &builder, Location loc, Value maximum) {
  Type type = maximum.getType();
  Value lowest =
      emitScalar(builder, loc, type, -std::numeric_limits<double>::infinity());
  Value isMasked = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, maximum, lowest);
  return arith::SelectOp::create(builder, loc, isMasked,
                                 emitScalar(builder, loc, type, 0), maximum);
}

Value gnn::emitShiftedExp(OpBuilder &builder, Location loc, Value value,
                          Value shift) {
  return emitExpOfNegative(builder, loc,
                           arith::SubFOp::create(builder, loc, value, shift));
}

Value gnn::emitExpOfNegative(OpBuilder &builder, Location loc, Value value) {
  auto exp = math::ExpOp::create(builder, loc, value);
  exp->setAttr(GNNDialect::kNeverPositiveAttr, builder.getUnitAttr());
  return exp;
}

Value gnn::emitRanksBefore(OpBuilder &builder, Location loc, Value a, Value b) {
  Value isLarger =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGT, a, b);
  Value isNumber =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
  return arith::AndIOp::create(builder, loc, isLarger, isNumber);
}

OnlineSoftmaxStep gnn::emitOnlineSoftmaxStep(OpBuilder &builder, Location loc,
                                             Value maximum, Value sum,
                                             Value score) {
  OnlineSoftmaxStep step;
  step.maximum = arith::MaximumFOp::create(builder, loc, maximum, score);
  Value shift = emitSoftmaxShift(builder, loc, step.maximum);
  step.correction = emitShiftedExp(builder, loc, maximum, shift);
  step.weight = emitShiftedExp(builder, loc, score, shift);
  step.sum = arith::AddFOp::create(
      builder, loc, arith::MulFOp::create(builder, loc, sum, step.correction),
      step.weight);
  return step;
}

OnlineSoftmaxStep gnn::emitOnlineSoftmaxMerge(OpBuilder &builder, Location loc,
                                              Value maximum, Value sum,
                                              Value otherMaximum,
                                              Value otherSum) {
  OnlineSoftmaxStep step;
  step.maximum = emitMax(builder, loc, maximum, otherMaximum);
  Value shift = emitSoftmaxShift(builder, loc, step.maximum);
  step.correction = emitShiftedExp(builder, loc, maximum, shift);
  step.weight = emitShiftedExp(builder, loc, otherMaximum, shift);
  Value earlier = emitMul(builder, loc, sum, step.correction);
  Value other = emitMul(builder, loc, otherSum, step.weight);
  step.sum = emitAdd(builder, loc, earlier, other);
  return step;
}

Value gnn::emitNormalized(OpBuilder &builder, Location loc, Value numerator,
                          Value sum) {
  Value zero = emitScalar(builder, loc, sum.getType(), 0);
  Value isEmpty =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, zero);
  Value quotient = arith::DivFOp::create(builder, loc, numerator, sum);
  return arith::SelectOp::create(builder, loc, isEmpty, zero, quotient);
}
