//===- ScalarBuilder.cpp - Short ways to say scalar IR ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBuilder.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

Value ScalarBuilder::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}
Value ScalarBuilder::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::inverse(Value a) { return div(constant(1), a); }
Value ScalarBuilder::max(Value a, Value b) {
  return arith::MaximumFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::min(Value a, Value b) {
  return arith::MinimumFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::abs(Value a) {
  return math::AbsFOp::create(builder, loc, a);
}
Value ScalarBuilder::neg(Value a) {
  return arith::NegFOp::create(builder, loc, a);
}
Value ScalarBuilder::exp(Value a) {
  return math::ExpOp::create(builder, loc, a);
}
Value ScalarBuilder::expOfNegative(Value a) {
  auto exp = math::ExpOp::create(builder, loc, a);
  exp->setAttr(GNNDialect::kNeverPositiveAttr, builder.getUnitAttr());
  return exp;
}
Value ScalarBuilder::expm1(Value a) {
  return math::ExpM1Op::create(builder, loc, a);
}
Value ScalarBuilder::log(Value a) {
  return math::LogOp::create(builder, loc, a);
}
Value ScalarBuilder::log1pOfUnit(Value a) {
  auto log = math::Log1pOp::create(builder, loc, a);
  log->setAttr(GNNDialect::kUnitIntervalAttr, builder.getUnitAttr());
  return log;
}
Value ScalarBuilder::sqrt(Value a) {
  return math::SqrtOp::create(builder, loc, a);
}
Value ScalarBuilder::sin(Value a) {
  return math::SinOp::create(builder, loc, a);
}
Value ScalarBuilder::cos(Value a) {
  return math::CosOp::create(builder, loc, a);
}
Value ScalarBuilder::tanh(Value a) {
  return math::TanhOp::create(builder, loc, a);
}
Value ScalarBuilder::erf(Value a) {
  return math::ErfOp::create(builder, loc, a);
}
Value ScalarBuilder::isPositive(Value a) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a,
                               constant(0));
}
Value ScalarBuilder::isNaN(Value a) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
}
Value ScalarBuilder::isZero(Value a) {
  if (auto type = dyn_cast<IntegerType>(a.getType())) {
    Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                                 zero);
  }
  if (!isa<FloatType>(a.getType()))
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, a,
        arith::ConstantOp::create(builder, loc,
                                  builder.getZeroAttr(a.getType())));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a,
                               constant(0));
}
Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value ScalarBuilder::relu(Value a) { return max(a, constant(0)); }
Value ScalarBuilder::clip(Value a, double low, double high) {
  return min(max(a, constant(low)), constant(high));
}
Value ScalarBuilder::leakyReLU(Value a, Value slope) {
  return select(isPositive(a), a, mul(slope, a));
}
Value ScalarBuilder::decay(Value a) { return expOfNegative(neg(abs(a))); }
Value ScalarBuilder::sigmoid(Value a) {
  Value decayed = decay(a);
  return div(select(isPositive(a), constant(1), decayed),
             add(decayed, constant(1)));
}
Value ScalarBuilder::logSigmoid(Value a) {
  Value negative = select(isPositive(a), constant(0), a);
  return sub(negative, log1pOfUnit(decay(a)));
}
Value ScalarBuilder::hardSigmoid(Value a) {
  return div(clip(add(a, constant(3)), 0, 6), constant(6));
}
Value ScalarBuilder::geluTanh(Value a) {
  Value cube = mul(mul(a, a), a);
  Value sum = add(a, mul(constant(0.044715), cube));
  Value inner = tanh(mul(constant(0.79788456080286535588), sum));
  return mul(mul(constant(0.5), a), add(constant(1), inner));
}
Value ScalarBuilder::gelu(Value a) {
  Value inner = erf(mul(a, constant(0.70710678118654752440)));
  return mul(mul(constant(0.5), a), add(constant(1), inner));
}
Value ScalarBuilder::elu(Value a, double alpha, double width) {
  Value negative = mul(constant(alpha), expm1(div(a, constant(width))));
  return select(isPositive(a), a, negative);
}
Value ScalarBuilder::silu(Value a) { return mul(a, sigmoid(a)); }
Value ScalarBuilder::softplus(Value a, double beta, double threshold) {
  Value scaled = mul(a, constant(beta));
  Value positive = select(isPositive(scaled), scaled, constant(0));
  Value sum = add(positive, log1pOfUnit(decay(scaled)));
  Value soft = div(sum, constant(beta));
  // From here on the logarithm is less than half of the last place of the sum.
  if (threshold >= 17)
    return soft;
  return select(isPositive(sub(scaled, constant(threshold))), a, soft);
}
Value ScalarBuilder::mish(Value a) {
  // With e = exp(a), tanh(log(1 + e)) is e (e + 2) / (e (e + 2) + 2). Where e
  // is above 1, numerator and denominator are divided by its square.
  Value decayed = decay(a);
  Value two = constant(2);
  Value above = isPositive(a);
  Value numerator = select(above, add(mul(two, decayed), constant(1)),
                           mul(decayed, add(decayed, two)));
  Value rest = select(above, mul(two, mul(decayed, decayed)), two);
  return mul(a, div(numerator, add(numerator, rest)));
}

Value ScalarBuilder::indexConstant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value ScalarBuilder::index(NodeSide side) {
  return IndexOp::create(builder, loc, side);
}
Value ScalarBuilder::featureIndex(char letter) {
  assert(loops.contains(letter) && "no loop of this letter");
  return FeatureIndexOp::create(builder, loc, loops.find(letter));
}
Value ScalarBuilder::toIndex(Value integer) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    integer);
}
Value ScalarBuilder::toFloat(Value integer) {
  if (integer.getType().isIndex())
    integer =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), integer);
  return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
}
Value ScalarBuilder::mulIndex(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::addIndex(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::subIndex(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::absIndex(Value a) {
  return math::AbsIOp::create(builder, loc, a);
}
Value ScalarBuilder::clamp(Value index, int64_t low, int64_t high) {
  Value atLeast =
      arith::MaxSIOp::create(builder, loc, index, indexConstant(low));
  return arith::MinSIOp::create(builder, loc, atLeast, indexConstant(high));
}
Value ScalarBuilder::lookup(Value table, ValueRange indices) {
  return tensor::ExtractOp::create(builder, loc, table, indices);
}
Value ScalarBuilder::isSelfLoop() {
  Value i = index(NodeSide::Destination);
  Value j = index(NodeSide::Source);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, i, j);
}
Value ScalarBuilder::isFromLater() {
  Value i = index(NodeSide::Destination);
  Value j = index(NodeSide::Source);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, j, i);
}
