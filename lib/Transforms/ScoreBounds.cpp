//===- ScoreBounds.cpp - How much an edge can score -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/ScoreBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Emits bounds of values of a region; without a builder, only finds out
/// whether there are some.
class BoundEmitter {
public:
  BoundEmitter(const EdgeFunction &score, OpBuilder *builder, Location loc,
               ScoreBounds::ArgumentRange getRange, Value reduced,
               std::optional<bool> reducesUpper)
      : score(score), builder(builder), loc(loc), getRange(getRange),
        reduced(reduced), reducesUpper(reducesUpper) {}

  /// What `value` is at most, or at least. Null if that is not known.
  Value bound(Value value, bool upper);
  std::optional<bool> getReducedSide() const { return reducesUpper; }

private:
  template <typename Op>
  Value emit(Value a, Value b) {
    if (!a || !b || !builder)
      return a ? b : a;
    return Op::create(*builder, loc, a, b);
  }
  Value emitNegative(Value a) {
    return a && builder ? arith::NegFOp::create(*builder, loc, a).getResult()
                        : a;
  }
  /// The larger one, or the smaller one; NaN if one is.
  Value emitExtreme(Value a, Value b, bool larger) {
    return larger ? emit<arith::MaximumFOp>(a, b)
                  : emit<arith::MinimumFOp>(a, b);
  }
  Value boundArgument(BlockArgument argument, bool upper);
  Value boundReduced(bool upper);
  Value boundSquare(Value factor, bool upper);
  Value boundProduct(arith::MulFOp op, bool upper);
  Value boundChoice(arith::SelectOp op, bool upper);
  /// Whether `condition` holds for all of the ranges, where that is known.
  Value emitCertain(Value condition);

  const EdgeFunction &score;
  OpBuilder *builder;
  Location loc;
  ScoreBounds::ArgumentRange getRange;
  Value reduced;
  std::optional<bool> reducesUpper;
};
} // namespace

/// What is reduced has one bound, that which is asked for first.
Value BoundEmitter::boundReduced(bool upper) {
  if (!reducesUpper)
    reducesUpper = upper;
  if (*reducesUpper != upper)
    return {};
  return builder ? reduced : score.getAccumulated();
}

Value BoundEmitter::boundArgument(BlockArgument argument, bool upper) {
  if (argument == score.getAccumulator())
    return boundReduced(upper);
  if (score.roles[argument.getArgNumber()] == OperandRole::Edge)
    return {};
  if (!builder)
    return argument;
  Interval range = getRange(argument);
  return upper ? range.high : range.low;
}

Value BoundEmitter::boundSquare(Value factor, bool upper) {
  Value low = bound(factor, /*upper=*/false);
  Value high = bound(factor, /*upper=*/true);
  if (!low || !high || !builder)
    return low ? high : low;
  Value farthest;
  if (upper) {
    farthest = emitExtreme(emitNegative(low), high, /*larger=*/true);
  } else {
    Value nearest = emitExtreme(low, emitNegative(high), /*larger=*/true);
    Value zero = arith::ConstantOp::create(
        *builder, loc,
        cast<TypedAttr>(builder->getZeroAttr(nearest.getType())));
    farthest = emitExtreme(nearest, zero, /*larger=*/true);
  }
  return emit<arith::MulFOp>(farthest, farthest);
}

Value BoundEmitter::boundProduct(arith::MulFOp op, bool upper) {
  if (op.getLhs() == op.getRhs())
    return boundSquare(op.getLhs(), upper);
  // Products of rows become matrix products, which round once what they add up.
  if (isa<BlockArgument>(op.getLhs()) && isa<BlockArgument>(op.getRhs()))
    return {};
  SmallVector<Value> products;
  for (bool left : {false, true})
    for (bool right : {false, true})
      products.push_back(emit<arith::MulFOp>(bound(op.getLhs(), left),
                                             bound(op.getRhs(), right)));
  Value extreme = products.front();
  for (Value product : ArrayRef(products).drop_front())
    extreme = emitExtreme(extreme, product, upper);
  return extreme;
}

Value BoundEmitter::emitCertain(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OGT)
    return {};
  // The larger side at its least is above the other at its most.
  Value least = bound(compare.getLhs(), /*upper=*/false);
  Value most = bound(compare.getRhs(), /*upper=*/true);
  if (!least || !most || !builder)
    return {};
  return arith::CmpFOp::create(*builder, loc, arith::CmpFPredicate::OGT, least,
                               most);
}

Value BoundEmitter::boundChoice(arith::SelectOp op, bool upper) {
  Value taken = bound(op.getTrueValue(), upper);
  Value either =
      emitExtreme(taken, bound(op.getFalseValue(), upper), /*larger=*/upper);
  if (!taken || !either || !builder)
    return either;
  Value isCertain = emitCertain(op.getCondition());
  return isCertain
             ? arith::SelectOp::create(*builder, loc, isCertain, taken, either)
             : either;
}

Value BoundEmitter::bound(Value value, bool upper) {
  if (!isa<FloatType>(value.getType()))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &score.body->front())
      return boundArgument(argument, upper);
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentRegion() != score.body)
    return value;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp op) -> Value {
        return builder ? builder->clone(*op)->getResult(0) : value;
      })
      .Case([&](ReducedOp) { return boundReduced(upper); })
      .Case([&](arith::AddFOp op) {
        return emit<arith::AddFOp>(bound(op.getLhs(), upper),
                                   bound(op.getRhs(), upper));
      })
      .Case([&](arith::SubFOp op) {
        return emit<arith::SubFOp>(bound(op.getLhs(), upper),
                                   bound(op.getRhs(), !upper));
      })
      .Case([&](arith::NegFOp op) {
        return emitNegative(bound(op.getOperand(), !upper));
      })
      .Case([&](arith::MulFOp op) { return boundProduct(op, upper); })
      .Case([&](arith::MaximumFOp op) {
        return emit<arith::MaximumFOp>(bound(op.getLhs(), upper),
                                       bound(op.getRhs(), upper));
      })
      .Case([&](arith::MinimumFOp op) {
        return emit<arith::MinimumFOp>(bound(op.getLhs(), upper),
                                       bound(op.getRhs(), upper));
      })
      .Case([&](arith::SelectOp op) { return boundChoice(op, upper); })
      .Default([](Operation *) { return Value(); });
}

ScoreBounds::ScoreBounds(const EdgeFunction &score) : score(score) {
  Location loc = score.body->getLoc();
  auto getNone = [](BlockArgument) { return Interval(); };
  BoundEmitter all(score, nullptr, loc, getNone, Value(),
                   score.hasReduction() ? std::optional<bool>() : true);
  if (!all.bound(score.getYieldedValue(), /*upper=*/true))
    return;
  if (!score.hasReduction()) {
    isBounded = true;
    return;
  }
  // A score that does not read what is reduced has no bound of it to ask for.
  reducesUpper = all.getReducedSide().value_or(true);
  BoundEmitter step(score, nullptr, loc, getNone, Value(), reducesUpper);
  isBounded = step.bound(score.getAccumulated(), reducesUpper) != nullptr;
}

Value ScoreBounds::emitStep(OpBuilder &builder, Location loc,
                            ArgumentRange getRange, Value accumulator) const {
  return BoundEmitter(score, &builder, loc, getRange, accumulator, reducesUpper)
      .bound(score.getAccumulated(), reducesUpper);
}

Value ScoreBounds::emitFinish(OpBuilder &builder, Location loc,
                              ArgumentRange getRange, Value reduced) const {
  return BoundEmitter(score, &builder, loc, getRange, reduced, reducesUpper)
      .bound(score.getYieldedValue(), /*upper=*/true);
}

bool gnn::readsOnlySelfLoops(TopKGraphOp op) {
  WalkResult result = op.getBody().walk([](IndexOp index) {
    bool isCompared = llvm::all_of(index->getUsers(), isSelfLoopTest);
    return isCompared ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}
