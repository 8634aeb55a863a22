//===- RowDistribution.cpp - What one lane does of a row --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDistribution.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace gnn;

static constexpr unsigned heads = RowLayout::heads;
static constexpr unsigned features = RowLayout::features;

Operation *gnn::getCombiner(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  BlockArgument before = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (op.getNumDpsInits() != 1 || !before.hasOneUse() ||
      *before.user_begin() != combiner)
    return nullptr;
  return isa<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp>(combiner)
             ? combiner
             : nullptr;
}

static OpOperand &getTerm(linalg::LinalgOp op, Operation *combiner) {
  bool isSecond =
      combiner->getOperand(0) == op.getBlock()->getArguments().back();
  return combiner->getOpOperand(isSecond ? 1 : 0);
}

Value gnn::createNeutral(OpBuilder &b, Location loc, Operation *combiner) {
  auto type = cast<FloatType>(combiner->getResult(0).getType());
  // Positive zero would change a sum of negative zeros.
  APFloat value = APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true);
  if (!isa<arith::AddFOp>(combiner))
    value = APFloat::getInf(type.getFloatSemantics(),
                            /*Negative=*/isa<arith::MaximumFOp>(combiner));
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value gnn::conjoin(OpBuilder &b, Location loc, Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(b, loc, left, right);
}

//===----------------------------------------------------------------------===//
// Elements of a lane
//===----------------------------------------------------------------------===//

RowDistribution::Axes
RowDistribution::getLoopAxes(linalg::LinalgOp op,
                             utils::IteratorType kind) const {
  Axes axes = 0;
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == kind)
      if (std::optional<unsigned> axis = layout.find(op.getOperation(), i))
        axes |= Axes(1) << *axis;
  return axes;
}

bool RowDistribution::liesAlong(Axes axes, unsigned side) const {
  for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis)
    if (has(axes, axis) && layout.getAxis(axis).side == side)
      return true;
  return false;
}

int64_t RowDistribution::getNumSlots(Axes axes) const {
  int64_t total = 1;
  for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis)
    if (has(axes, axis))
      total *= layout.getAxis(axis).slots;
  return total;
}

Value RowDistribution::getElement(ArrayRef<Value> elements, Axes axes,
                                  const Slot &slot) const {
  int64_t number = 0;
  for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis)
    if (has(axes, axis))
      number = number * layout.getAxis(axis).slots + slot[axis];
  return elements[number];
}

void RowDistribution::forEachSlot(
    Axes axes, function_ref<void(const Slot &)> visit) const {
  int64_t total = getNumSlots(axes);
  for (int64_t number = 0; number < total; ++number) {
    Slot slot(layout.getNumAxes(), 0);
    int64_t rest = number;
    for (unsigned axis = layout.getNumAxes(); axis-- > 0;)
      if (has(axes, axis)) {
        slot[axis] = rest % layout.getAxis(axis).slots;
        rest /= layout.getAxis(axis).slots;
      }
    visit(slot);
  }
}

void RowDistribution::createIndices(Location loc, Value lane) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  if (layout.getNumLanes(heads) > 1 && layout.getNumLanes(features) > 1) {
    Value perHead = constant(layout.getLaneStride(heads));
    laneAlong[features] = arith::RemUIOp::create(rewriter, loc, lane, perHead);
    laneAlong[heads] = arith::DivUIOp::create(rewriter, loc, lane, perHead);
  } else {
    bool isAlongHeads = layout.getNumLanes(heads) > 1;
    laneAlong[isAlongHeads ? heads : features] = lane;
    laneAlong[isAlongHeads ? features : heads] = constant(0);
  }
  laneAlong[RowLayout::whole] = constant(0);
  for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis) {
    const LaneAxis &own = layout.getAxis(axis);
    auto &indicesOfSlots = indices.emplace_back();
    auto &thereOfSlots = isThere.emplace_back();
    Value lane = laneAlong[own.side];
    if (own.vector > 1)
      lane = arith::MulIOp::create(rewriter, loc, lane, constant(own.slots));
    int64_t step = own.vector > 1 ? 1 : own.lanes;
    int64_t last = (own.lanes - 1) * (own.vector > 1 ? own.slots : 1);
    Value first, there;
    for (int64_t slot = 0; slot < own.slots; ++slot) {
      // All of a vector is there, or nothing of it.
      if (slot % own.vector == 0) {
        first =
            arith::AddIOp::create(rewriter, loc, lane, constant(slot * step));
        there = nullptr;
        if (last + slot * step + own.vector > own.size) {
          there =
              arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                    first, constant(own.size));
          first = arith::MinUIOp::create(rewriter, loc, first,
                                         constant(own.size - own.vector));
        }
      }
      indicesOfSlots.push_back(arith::AddIOp::create(
          rewriter, loc, first, constant(slot % own.vector)));
      thereOfSlots.push_back(there);
    }
  }
}

Value RowDistribution::getIndex(Location loc, std::optional<unsigned> axis,
                                const Slot &slot) {
  if (axis)
    return indices[*axis][slot[*axis]];
  return arith::ConstantIndexOp::create(rewriter, loc, 0);
}

OpFoldResult RowDistribution::remap(OpFoldResult value) const {
  auto dynamic = dyn_cast<Value>(value);
  return dynamic ? OpFoldResult(mapping.lookupOrDefault(dynamic)) : value;
}

/// Whether a lane has an element in a slot; null if it surely has.
Value RowDistribution::isInside(Location loc, Axes axes, const Slot &slot) {
  Value inside;
  for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis)
    if (has(axes, axis))
      inside = conjoin(rewriter, loc, inside, isThere[axis][slot[axis]]);
  return inside;
}

/// The elements of a lane in a tensor in memory, whose last dimension is the
/// axis `innermost`; `getPlace` says where the element of a slot is.
SmallVector<Value>
RowDistribution::read(Location loc, Value source, Axes axes,
                      std::optional<unsigned> innermost,
                      function_ref<SmallVector<Value>(const Slot &)> getPlace) {
  Type elementType = getElementTypeOrSelf(source);
  int64_t size = innermost ? layout.getAxis(*innermost).vector : 1;
  SmallVector<Value> elements;
  // By their first elements: another axis may be the one that changes fastest.
  std::map<Slot, Value> vectors;
  forEachSlot(axes, [&](const Slot &slot) {
    if (size == 1) {
      elements.push_back(
          tensor::ExtractOp::create(rewriter, loc, source, getPlace(slot)));
      return;
    }
    int64_t number = slot[*innermost] % size;
    Slot first = slot;
    first[*innermost] -= number;
    Value &vector = vectors[first];
    if (!vector)
      vector = vector::TransferReadOp::create(
          rewriter, loc, VectorType::get({size}, elementType), source,
          getPlace(slot), /*padding=*/std::nullopt, ArrayRef<bool>{true});
    elements.push_back(
        vector::ExtractOp::create(rewriter, loc, vector, number));
  });
  return elements;
}

/// A lane's elements of a tensor in which anything may be: zeros, which are
/// dropped where nothing reads them.
SmallVector<Value> RowDistribution::getUnspecified(Value tensor, Axes axes) {
  Value zero = arith::ConstantOp::create(
      rewriter, tensor.getLoc(),
      rewriter.getZeroAttr(getElementTypeOrSelf(tensor)));
  return SmallVector<Value>(getNumSlots(axes), zero);
}

/// A lane's elements of a tensor from outside of the loop.
SmallVector<Value> RowDistribution::load(OpOperand &operand) {
  Value source = operand.get();
  Location loc = operand.getOwner()->getLoc();
  Axes axes = getAxes(operand);
  SmallVector<Value> elements;
  if (source.getDefiningOp<tensor::EmptyOp>())
    return getUnspecified(source, axes);
  if (auto fill = source.getDefiningOp<linalg::FillOp>()) {
    elements.assign(getNumSlots(axes), fill.value());
    return elements;
  }
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  std::optional<unsigned> innermost;
  if (rank > 0)
    innermost = layout.find(operand, rank - 1);
  return read(loc, mapping.lookupOrDefault(source), axes, innermost,
              [&](const Slot &slot) {
                SmallVector<Value> place;
                for (int64_t i = 0; i < rank; ++i)
                  place.push_back(getIndex(loc, layout.find(operand, i), slot));
                return place;
              });
}

SmallVector<Value> RowDistribution::getElements(OpOperand &operand) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return {mapping.lookupOrDefault(operand.get())};
  if (layout.isShared(operand.get()))
    return elementsOf.lookup(operand.get());
  return load(operand);
}

/// Shares out `elements` among values in their order.
void RowDistribution::setElements(ValueRange values, ValueRange elements) {
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType())) {
      mapping.map(value, elements.front());
      elements = elements.drop_front();
      continue;
    }
    int64_t number = getNumSlots(getAxes(value));
    elementsOf[value] = llvm::to_vector(elements.take_front(number));
    elements = elements.drop_front(number);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void RowDistribution::emit(Block &block) {
  for (Operation &op : block.without_terminator())
    emit(op);
}

void RowDistribution::emit(Operation &op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(slice);
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
    return emitLinalg(linalg);
  // The same elements, in a tensor of another rank.
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    elementsOf[insert.getResult()] = getElements(insert.getSourceMutable());
    return;
  }
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitFor(inner);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (isa<tensor::EmptyOp>(op)) {
    Value tensor = op.getResult(0);
    elementsOf[tensor] = getUnspecified(tensor, getAxes(tensor));
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    if (layout.isShared(extract.getTensor())) {
      mapping.map(extract.getResult(),
                  elementsOf.lookup(extract.getTensor()).front());
      return;
    }
  rewriter.clone(op, mapping);
}

/// A row of a tensor in memory: a lane reads what it has of it.
void RowDistribution::emitSlice(tensor::ExtractSliceOp slice) {
  Location loc = slice.getLoc();
  Value source = mapping.lookupOrDefault(slice.getSource());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  AffineExpr x, offset, stride;
  bindSymbols(rewriter.getContext(), x, offset, stride);
  Value result = slice.getResult();
  std::optional<unsigned> innermost;
  int64_t last = slice.getSourceType().getRank() - 1;
  if (!dropped.test(last) && isOneInteger(slice.getMixedStrides()[last]))
    innermost = layout.find(result, slice.getType().getRank() - 1);
  auto getPlace = [&](const Slot &slot) {
    SmallVector<Value> place;
    unsigned dimension = 0;
    for (auto [i, first, by] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
      OpFoldResult index = remap(first);
      std::optional<unsigned> axis;
      if (!dropped.test(i))
        axis = layout.find(result, dimension++);
      if (axis)
        index = affine::makeComposedFoldedAffineApply(
            rewriter, loc, x * stride + offset,
            {indices[*axis][slot[*axis]], index, remap(by)});
      place.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, index));
    }
    return place;
  };
  elementsOf[result] = read(loc, source, getAxes(result), innermost, getPlace);
}

/// Clones the body for one element of the op's loops, but for one of its ops.
void RowDistribution::emitBody(linalg::LinalgOp op, const Slot &slot,
                               ArrayRef<SmallVector<Value>> operands,
                               Operation *skipped) {
  Block *body = op.getBlock();
  for (auto [operand, elements] :
       llvm::zip_equal(op->getOpOperands(), operands))
    mapping.map(body->getArgument(operand.getOperandNumber()),
                getElement(elements, getAxes(operand), slot));
  for (Operation &inner : body->without_terminator()) {
    if (&inner == skipped)
      continue;
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (!index) {
      rewriter.clone(inner, mapping);
      continue;
    }
    mapping.map(index.getResult(),
                getIndex(op.getLoc(),
                         layout.find(op.getOperation(), index.getDim()), slot));
  }
}

void RowDistribution::emitLinalg(linalg::LinalgOp op) {
  SmallVector<SmallVector<Value>> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(getElements(operand));
  if (op.getNumReductionLoops() > 0)
    return emitReduction(op, operands);
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  forEachSlot(
      getLoopAxes(op, utils::IteratorType::parallel), [&](const Slot &slot) {
        emitBody(op, slot, operands, nullptr);
        for (auto [elements, yielded] : llvm::zip_equal(
                 results, op.getBlock()->getTerminator()->getOperands()))
          elements.push_back(mapping.lookupOrDefault(yielded));
      });
  for (auto [result, elements] : llvm::zip_equal(op->getResults(), results))
    elementsOf[result] = std::move(elements);
}

Value RowDistribution::combine(linalg::LinalgOp op, Operation *combiner,
                               Value before, Value term) {
  IRMapping operands;
  operands.map(op.getBlock()->getArguments().back(), before);
  operands.map(getTerm(op, combiner).get(), term);
  return rewriter.clone(*combiner, operands)->getResult(0);
}

/// A lane adds up what it has, then lanes exchange their sums: with the lane
/// whose number differs in one bit, from the highest bit to the lowest. All of
/// them come to the same sum. `gpu.subgroup_reduce` is not for this: its
/// clusters shuffle among a whole warp, of which other rows' lanes may be
/// elsewhere.
void RowDistribution::emitReduction(linalg::LinalgOp op,
                                    ArrayRef<SmallVector<Value>> operands) {
  Location loc = op.getLoc();
  Operation *combiner = getCombiner(op);
  Value term = getTerm(op, combiner).get();
  Axes parallel = getLoopAxes(op, utils::IteratorType::parallel);
  Axes reduced = getLoopAxes(op, utils::IteratorType::reduction);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, value, 32);
  };
  SmallVector<Value> results;
  forEachSlot(parallel, [&](const Slot &outer) {
    Value partial;
    forEachSlot(reduced, [&](const Slot &inner) {
      // Neither has the other's axes.
      Slot slot(outer);
      for (unsigned axis = 0; axis < layout.getNumAxes(); ++axis)
        slot[axis] += inner[axis];
      emitBody(op, slot, operands, combiner);
      Value own = mapping.lookupOrDefault(term);
      if (Value inside = isInside(loc, reduced, slot))
        own = arith::SelectOp::create(rewriter, loc, inside, own,
                                      createNeutral(rewriter, loc, combiner));
      partial = partial ? combine(op, combiner, partial, own) : own;
    });
    for (unsigned side : {heads, features}) {
      if (!liesAlong(reduced, side))
        continue;
      for (int64_t n = layout.getNumLanes(side) / 2; n > 0; n /= 2) {
        auto other = gpu::ShuffleOp::create(
            rewriter, loc, partial, constant(n * layout.getLaneStride(side)),
            constant(layout.getNumLanes()), gpu::ShuffleMode::XOR);
        partial = combine(op, combiner, partial, other.getShuffleResult());
      }
    }
    Value before = getElement(operands.back(), parallel, outer);
    results.push_back(combine(op, combiner, before, partial));
  });
  elementsOf[op->getResult(0)] = std::move(results);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void RowDistribution::emitYield(Block &block) {
  Operation *yield = block.getTerminator();
  SmallVector<Value> elements;
  for (OpOperand &operand : yield->getOpOperands())
    llvm::append_range(elements, getElements(operand));
  scf::YieldOp::create(rewriter, yield->getLoc(), elements);
}

void RowDistribution::emitFor(scf::ForOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> init;
  for (OpOperand &operand : op.getInitArgsMutable())
    llvm::append_range(init, getElements(operand));
  auto lanes = scf::ForOp::create(
      rewriter, loc, mapping.lookupOrDefault(op.getLowerBound()),
      mapping.lookupOrDefault(op.getUpperBound()),
      mapping.lookupOrDefault(op.getStep()), init,
      [](OpBuilder &, Location, Value, ValueRange) {});
  mapping.map(op.getInductionVar(), lanes.getInductionVar());
  setElements(ValueRange(op.getRegionIterArgs()),
              ValueRange(lanes.getRegionIterArgs()));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(lanes.getBody());
  emit(*op.getBody());
  emitYield(*op.getBody());
  setElements(op.getResults(), lanes.getResults());
}

void RowDistribution::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    bool isTensor = isa<RankedTensorType>(result.getType());
    types.append(isTensor ? getNumSlots(getAxes(result)) : 1,
                 getElementTypeOrSelf(result));
  }
  auto lanes = scf::IfOp::create(
      rewriter, op.getLoc(), types, mapping.lookupOrDefault(op.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), lanes->getRegions()))
    if (!from.empty()) {
      rewriter.setInsertionPointToEnd(&to.front());
      emit(from.front());
      emitYield(from.front());
    }
  setElements(op.getResults(), lanes.getResults());
}
