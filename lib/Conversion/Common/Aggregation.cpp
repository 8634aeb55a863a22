//===- Aggregation.cpp - Accumulators of aggregators ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aggregation.h"
#include "ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;

Aggregation::Aggregation(ArrayAttr attributes, Type elementType)
    : elementType(elementType) {
  for (auto attribute : attributes.getAsRange<AggregatorAttr>()) {
    aggregators.push_back(attribute.getValue());
    switch (attribute.getValue()) {
    case Aggregator::Sum:
    case Aggregator::Mean:
      need(Accumulator::Sum);
      break;
    case Aggregator::Var:
    case Aggregator::Std:
      need(Accumulator::Sum);
      need(Accumulator::SumOfSquares);
      break;
    case Aggregator::Max:
      need(Accumulator::Maximum);
      break;
    case Aggregator::Min:
      need(Accumulator::Minimum);
      break;
    case Aggregator::Mul:
      need(Accumulator::Product);
      break;
    case Aggregator::Softmax:
      need(Accumulator::SoftmaxMaximum);
      need(Accumulator::SoftmaxSum);
      need(Accumulator::SoftmaxWeighted);
      break;
    }
  }
}

void Aggregation::need(Accumulator accumulator) {
  if (!llvm::is_contained(accumulators, accumulator))
    accumulators.push_back(accumulator);
}

unsigned Aggregation::find(Accumulator accumulator) const {
  return std::distance(accumulators.begin(),
                       llvm::find(accumulators, accumulator));
}

/// The largest (or smallest) value of a type: identity of min (or max).
static TypedAttr getExtreme(Type type, bool largest) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, APFloat::getInf(floatType.getFloatSemantics(), !largest));
  // Of booleans, true is the larger one.
  if (type.isInteger(1))
    return IntegerAttr::get(type, largest ? 1 : 0);
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, largest ? APInt::getSignedMaxValue(width)
                                        : APInt::getSignedMinValue(width));
}

SmallVector<TypedAttr> Aggregation::getInitialValues() const {
  Builder builder(elementType.getContext());
  auto zero = cast<TypedAttr>(builder.getZeroAttr(elementType));
  SmallVector<TypedAttr> values;
  for (Accumulator accumulator : accumulators) {
    switch (accumulator) {
    case Accumulator::Sum:
    case Accumulator::SumOfSquares:
    case Accumulator::SoftmaxSum:
    case Accumulator::SoftmaxWeighted:
      values.push_back(zero);
      break;
    case Accumulator::Product:
      values.push_back(
          isa<FloatType>(elementType)
              ? cast<TypedAttr>(builder.getFloatAttr(elementType, 1.0))
              : builder.getIntegerAttr(elementType, 1));
      break;
    case Accumulator::Maximum:
    case Accumulator::SoftmaxMaximum:
      values.push_back(getExtreme(elementType, /*largest=*/false));
      break;
    case Accumulator::Minimum:
      values.push_back(getExtreme(elementType, /*largest=*/true));
      break;
    }
  }
  return values;
}

bool Aggregation::hasOnlySums() const {
  return llvm::all_of(accumulators, [](Accumulator accumulator) {
    return accumulator == Accumulator::Sum ||
           accumulator == Accumulator::SumOfSquares;
  });
}

unsigned Aggregation::getNumRegisters() const {
  return accumulators.size() +
         llvm::count_if(accumulators, [](Accumulator accumulator) {
           return accumulator == Accumulator::Maximum ||
                  accumulator == Accumulator::Minimum;
         });
}

bool Aggregation::hasSoftmax() const {
  return llvm::is_contained(accumulators, Accumulator::SoftmaxMaximum);
}

SmallVector<Value> Aggregation::accumulate(OpBuilder &builder, Location loc,
                                           ValueRange values, Value value,
                                           Value softmaxShift) const {
  SmallVector<Value> next(values);
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    switch (accumulator) {
    case Accumulator::Sum:
      next[i] = emitAdd(builder, loc, values[i], value);
      break;
    case Accumulator::SumOfSquares:
      next[i] =
          emitAdd(builder, loc, values[i], emitMul(builder, loc, value, value));
      break;
    case Accumulator::Product:
      next[i] = emitMul(builder, loc, values[i], value);
      break;
    case Accumulator::Maximum:
      next[i] = emitMax(builder, loc, values[i], value);
      break;
    case Accumulator::Minimum:
      next[i] = emitMin(builder, loc, values[i], value);
      break;
    case Accumulator::SoftmaxMaximum: {
      unsigned sum = find(Accumulator::SoftmaxSum);
      unsigned weighted = find(Accumulator::SoftmaxWeighted);
      if (softmaxShift) {
        Value weight = emitShiftedExp(builder, loc, value, softmaxShift);
        next[sum] = emitAdd(builder, loc, values[sum], weight);
        next[weighted] = emitAdd(builder, loc, values[weighted],
                                 emitMul(builder, loc, weight, value));
        break;
      }
      OnlineSoftmaxStep step =
          emitOnlineSoftmaxStep(builder, loc, values[i], values[sum], value);
      next[i] = step.maximum;
      next[sum] = step.sum;
      next[weighted] =
          emitAdd(builder, loc,
                  emitMul(builder, loc, values[weighted], step.correction),
                  emitMul(builder, loc, step.weight, value));
      break;
    }
    case Accumulator::SoftmaxSum:
    case Accumulator::SoftmaxWeighted:
      break; // Together with the maximum.
    }
  }
  return next;
}

SmallVector<Value> Aggregation::merge(OpBuilder &builder, Location loc,
                                      ValueRange first,
                                      ValueRange second) const {
  SmallVector<Value> merged(first);
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    switch (accumulator) {
    case Accumulator::Sum:
    case Accumulator::SumOfSquares:
      merged[i] = emitAdd(builder, loc, first[i], second[i]);
      break;
    case Accumulator::Product:
      merged[i] = emitMul(builder, loc, first[i], second[i]);
      break;
    case Accumulator::Maximum:
      merged[i] = emitMax(builder, loc, first[i], second[i]);
      break;
    case Accumulator::Minimum:
      merged[i] = emitMin(builder, loc, first[i], second[i]);
      break;
    case Accumulator::SoftmaxMaximum: {
      Value larger = emitMax(builder, loc, first[i], second[i]);
      Value shift = emitSoftmaxShift(builder, loc, larger);
      Value scale = emitShiftedExp(builder, loc, first[i], shift);
      Value otherScale = emitShiftedExp(builder, loc, second[i], shift);
      merged[i] = larger;
      for (Accumulator scaled :
           {Accumulator::SoftmaxSum, Accumulator::SoftmaxWeighted}) {
        unsigned k = find(scaled);
        merged[k] =
            emitAdd(builder, loc, emitMul(builder, loc, first[k], scale),
                    emitMul(builder, loc, second[k], otherScale));
      }
      break;
    }
    case Accumulator::SoftmaxSum:
    case Accumulator::SoftmaxWeighted:
      break; // Together with the maximum.
    }
  }
  return merged;
}

SmallVector<Value> Aggregation::finish(OpBuilder &builder, Location loc,
                                       ValueRange values, Value degree) const {
  Value zeroIndex = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        degree, zeroIndex);
  Value zero = emitScalar(builder, loc, elementType, 0);
  // By the degree, at least 1: an empty sum stays 0. It is one division for all
  // features.
  Value inverse;
  if (isa<FloatType>(elementType)) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value clamped = arith::MaxSIOp::create(builder, loc, degree, one);
    Value integer =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), clamped);
    Value count = arith::SIToFPOp::create(builder, loc, elementType, integer);
    inverse = arith::DivFOp::create(
        builder, loc, emitScalar(builder, loc, elementType, 1), count);
  }
  auto emitMean = [&](Accumulator accumulator) -> Value {
    return arith::MulFOp::create(builder, loc, values[find(accumulator)],
                                 inverse);
  };
  auto emitVariance = [&]() -> Value {
    Value mean = emitMean(Accumulator::Sum);
    Value square = arith::MulFOp::create(builder, loc, mean, mean);
    return arith::SubFOp::create(builder, loc,
                                 emitMean(Accumulator::SumOfSquares), square);
  };
  SmallVector<Value> results;
  for (Aggregator aggregator : aggregators) {
    switch (aggregator) {
    case Aggregator::Sum:
      results.push_back(values[find(Accumulator::Sum)]);
      break;
    case Aggregator::Mean:
      results.push_back(emitMean(Accumulator::Sum));
      break;
    case Aggregator::Mul:
      results.push_back(values[find(Accumulator::Product)]);
      break;
    case Aggregator::Max:
    case Aggregator::Min: {
      Value extreme =
          values[find(aggregator == Aggregator::Max ? Accumulator::Maximum
                                                    : Accumulator::Minimum)];
      results.push_back(
          arith::SelectOp::create(builder, loc, isEmpty, zero, extreme));
      break;
    }
    case Aggregator::Var:
      results.push_back(emitVariance());
      break;
    case Aggregator::Std: {
      Value variance = emitVariance();
      Value threshold = emitScalar(builder, loc, elementType, 1e-5);
      // Unordered: a NaN is kept.
      Value isLarge = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UGT, variance, threshold);
      Value root = math::SqrtOp::create(builder, loc, variance);
      results.push_back(
          arith::SelectOp::create(builder, loc, isLarge, root, zero));
      break;
    }
    case Aggregator::Softmax:
      results.push_back(emitNormalized(
          builder, loc, values[find(Accumulator::SoftmaxWeighted)],
          values[find(Accumulator::SoftmaxSum)]));
      break;
    }
  }
  return results;
}
