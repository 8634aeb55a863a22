//===- DistributeRows.cpp - A row for some lanes of a warp ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDistribution.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_DISTRIBUTEROWSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static constexpr unsigned heads = RowLayout::heads;
static constexpr unsigned features = RowLayout::features;

/// Sums and maxima are what lanes can compute together.
bool RowDistribution::isPossible() {
  WalkResult walk = loop->walk([&](linalg::LinalgOp op) {
    Axes parallel = getLoopAxes(op, utils::IteratorType::parallel);
    for (OpOperand &init : op.getDpsInitsMutable())
      if (getAxes(init) != parallel)
        return WalkResult::interrupt();
    if (op.getNumReductionLoops() == 0)
      return WalkResult::advance();
    Operation *combiner = getCombiner(op);
    return combiner && combiner->getResult(0).getType().isF32()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted() &&
         llvm::all_of(loop.getTerminator().getYieldingOps(), [](Operation &op) {
           return cast<tensor::ParallelInsertSliceOp>(op).hasUnitStride();
         });
}

/// How many elements a lane has whose slots are next to each other.
OpFoldResult RowDistribution::getNumLeft(const LaneAxis &axis, Location loc) {
  AffineExpr x, zero = rewriter.getAffineConstantExpr(0);
  bindSymbols(rewriter.getContext(), x);
  AffineMap left = AffineMap::get(0, 1, {x * -axis.slots + axis.size, zero},
                                  rewriter.getContext());
  OpFoldResult some = affine::makeComposedFoldedAffineMax(
      rewriter, loc, left, {laneAlong[axis.side]});
  AffineMap least =
      AffineMap::get(0, 1, {x, rewriter.getAffineConstantExpr(axis.slots)},
                     rewriter.getContext());
  return affine::makeComposedFoldedAffineMin(rewriter, loc, least, {some});
}

/// A lane writes every so many elements of a row, or vectors of them. What all
/// lanes along an axis have alike, the first one of them writes, and the others
/// nothing.
void RowDistribution::emitInsert(tensor::ParallelInsertSliceOp insert,
                                 scf::ForallOp lanes) {
  Location loc = insert.getLoc();
  OpOperand &operand = insert.getSourceMutable();
  Value source = insert.getSource();
  Axes axes = getAxes(source);
  auto output = cast<BlockArgument>(insert.getDest());
  Value dest = lanes.getRegionIterArgs()
                   [loop.getTiedOpOperand(output)->getOperandNumber() -
                    loop.getOutputsMutable().begin()->getOperandNumber()];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };

  Value writes;
  for (unsigned side : {heads, features})
    if (!liesAlong(axes, side) && layout.getNumLanes(side) > 1)
      writes =
          conjoin(rewriter, loc, writes,
                  arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        laneAlong[side], constant(0)));

  AffineExpr x, y;
  bindSymbols(rewriter.getContext(), x, y);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<std::optional<unsigned>> axisOf;
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  unsigned dimension = 0;
  for (auto [i, offset] : llvm::enumerate(insert.getMixedOffsets())) {
    std::optional<unsigned> axis;
    if (!dropped.test(i))
      axis = layout.find(source, dimension++);
    axisOf.push_back(axis);
    offset = remap(offset);
    OpFoldResult size = rewriter.getIndexAttr(1), stride = size;
    if (axis) {
      const LaneAxis &own = layout.getAxis(*axis);
      bool isTogether = own.vector > 1;
      AffineExpr first = x * (isTogether ? own.slots : 1);
      offset = affine::makeComposedFoldedAffineApply(
          rewriter, loc, first + y, {laneAlong[own.side], offset});
      size = rewriter.getIndexAttr(own.slots);
      if (!own.isExact())
        size = isTogether
                   ? getNumLeft(own, loc)
                   : affine::makeComposedFoldedAffineApply(
                         rewriter, loc, (x * -1 + own.size).ceilDiv(own.lanes),
                         {laneAlong[own.side]});
      stride = rewriter.getIndexAttr(isTogether ? 1 : own.lanes);
    }
    if (i == 0 && writes)
      size =
          arith::SelectOp::create(
              rewriter, loc, writes,
              getValueOrCreateConstantIndexOp(rewriter, loc, size), constant(0))
              .getResult();
    offsets.push_back(offset);
    sizes.push_back(size);
    strides.push_back(stride);
  }

  Value part = tensor::ExtractSliceOp::create(rewriter, loc, dest, offsets,
                                              sizes, strides);
  SmallVector<Value> elements = getElements(operand);
  std::optional<unsigned> innermost =
      axisOf.empty() ? std::nullopt : axisOf.back();
  int64_t size = innermost ? layout.getAxis(*innermost).vector : 1;
  forEachSlot(axes, [&](const Slot &slot) {
    if (innermost && slot[*innermost] % size != 0)
      return;
    SmallVector<Value> place;
    for (std::optional<unsigned> axis : axisOf)
      place.push_back(constant(axis ? slot[*axis] : 0));
    SmallVector<Value> together;
    Slot next(slot);
    for (int64_t i = 0; i < size; ++i) {
      together.push_back(getElement(elements, axes, next));
      if (innermost)
        ++next[*innermost];
    }
    auto write = [&](OpBuilder &b, Location l) -> Value {
      if (size == 1)
        return tensor::InsertOp::create(b, l, together[0], part, place);
      Value vector = vector::FromElementsOp::create(
          b, l, VectorType::get({size}, together[0].getType()), together);
      return vector::TransferWriteOp::create(b, l, vector, part, place,
                                             ArrayRef<bool>{true})
          .getResult();
    };
    Value guard = conjoin(rewriter, loc, writes, isInside(loc, axes, slot));
    if (!guard) {
      part = write(rewriter, loc);
      return;
    }
    part =
        scf::IfOp::create(
            rewriter, loc, guard,
            [&](OpBuilder &b, Location l) {
              scf::YieldOp::create(b, l, write(b, l));
            },
            [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, part); })
            .getResult(0);
  });
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(lanes.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, loc, part, dest, offsets,
                                        sizes, strides);
}

void RowDistribution::run() {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<OpFoldResult> lower = loop.getMixedLowerBound();
  SmallVector<OpFoldResult> upper = loop.getMixedUpperBound();
  SmallVector<OpFoldResult> steps = loop.getMixedStep();
  lower.push_back(rewriter.getIndexAttr(0));
  upper.push_back(rewriter.getIndexAttr(layout.getNumLanes()));
  steps.push_back(rewriter.getIndexAttr(1));
  auto lanes = scf::ForallOp::create(rewriter, loc, lower, upper, steps,
                                     loop.getOutputs(), std::nullopt);
  for (auto [from, to] :
       llvm::zip(loop.getInductionVars(), lanes.getInductionVars()))
    mapping.map(from, to);
  for (auto [from, to] :
       llvm::zip_equal(loop.getRegionIterArgs(), lanes.getRegionIterArgs()))
    mapping.map(from, to);
  rewriter.setInsertionPoint(lanes.getTerminator());
  createIndices(loc, lanes.getInductionVars().back());
  emit(*loop.getBody());
  for (Operation &op : loop.getTerminator().getYieldingOps())
    emitInsert(cast<tensor::ParallelInsertSliceOp>(op), lanes);
  rewriter.replaceOp(loop, lanes.getResults());
}

namespace {
struct DistributeRowsPass
    : public gnn::impl::DistributeRowsPassBase<DistributeRowsPass> {
  using DistributeRowsPassBase::DistributeRowsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (!loop->getParentOfType<scf::ForallOp>())
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops) {
      FailureOr<RowLayout> layout =
          RowLayout::find(loop, maxLanes, maxElements, maxVector);
      if (failed(layout))
        continue;
      RowDistribution distribution(loop, std::move(*layout));
      if (!distribution.isPossible())
        continue;
      distribution.run();
      ++numDistributed;
    }
  }
};
} // namespace
