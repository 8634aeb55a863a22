//===- FuseRowLoops.cpp - One loop over rows for several ops ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEROWLOOPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether what `map` says of a loop nest is a row for each iteration of the
/// outermost loop.
static bool hasRows(AffineMap map) {
  if (map.getNumResults() == 0 || !map.isProjectedPermutation())
    return false;
  return cast<AffineDimExpr>(map.getResult(0)).getPosition() == 0;
}

/// Whether `op` makes rows, as many as a graph has nodes or edges, each of a
/// size that is known.
static bool makesRows(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() == 0 ||
      op.getIteratorTypesArray()[0] != utils::IteratorType::parallel)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return ShapedType::isDynamic(ranges[0]) &&
         llvm::all_of(ArrayRef(ranges).drop_front(),
                      [](int64_t range) { return range > 0; }) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return hasRows(op.getMatchingIndexingMap(&init));
         });
}

/// Elements of a row of a tensor of rows, 0 if that is not known.
static int64_t getRowElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 ||
      llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return 0;
  return ShapedType::getNumElements(type.getShape().drop_front());
}

static int64_t getRowBytes(Value value) {
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return element.isIntOrFloat()
             ? getRowElements(value) *
                   llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 0;
}

namespace {
/// Ops on rows of which the last one alone is read by others.
struct RowGroup {
  /// The last one first.
  llvm::SetVector<Operation *> ops;

  explicit RowGroup(linalg::LinalgOp last) { ops.insert(last); }

  /// Whether `op` makes rows that no other op reads than those here, and these
  /// only where they make the same row.
  bool feeds(linalg::LinalgOp op) const {
    return !op->use_empty() && makesRows(op) &&
           llvm::all_of(op->getUses(), [&](OpOperand &use) {
             auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
             return user && ops.contains(user) &&
                    hasRows(user.getMatchingIndexingMap(&use));
           });
  }

  /// Whether all rows are few enough bytes for a thread's stack.
  bool fits(int64_t maxRowBytes) const {
    return llvm::all_of(ops, [&](Operation *op) {
      return llvm::all_of(op->getResults(), [&](Value result) {
        return getRowBytes(result) <= maxRowBytes;
      });
    });
  }

  /// Whether there are computations of single numbers of rows of at most as
  /// many elements, which several rows share a register for.
  bool computesNumbers(int64_t maxElements) const {
    bool hasNumbers = false;
    int64_t elements = 0;
    for (Operation *op : ops) {
      hasNumbers |= cast<linalg::LinalgOp>(op).getNumLoops() == 1;
      for (Value operand : op->getOperands())
        elements = std::max(elements, getRowElements(operand));
    }
    return hasNumbers && elements <= maxElements;
  }

  /// Whether one loop reads or writes fewer rows of some elements than several
  /// do. Single numbers of rows are left to vectors of several rows.
  bool savesRows(int64_t minElements) const {
    bool hasReduction = false;
    llvm::SmallDenseMap<Value, unsigned> readers;
    bool storesFewer = false;
    for (Operation *op : ops) {
      auto linalgOp = cast<linalg::LinalgOp>(op);
      hasReduction |= linalgOp.getNumReductionLoops() > 0;
      for (OpOperand *input : linalgOp.getDpsInputOperands()) {
        Value value = input->get();
        if (!hasRows(linalgOp.getMatchingIndexingMap(input)) ||
            getRowElements(value) < minElements)
          continue;
        storesFewer |= ops.contains(value.getDefiningOp());
        ++readers[value];
      }
    }
    return hasReduction &&
           (storesFewer || llvm::any_of(readers, [](const auto &reader) {
              return reader.second > 1;
            }));
  }
};
} // namespace

namespace {
/// Emits some rows of what the ops of a group make.
class RowEmitter {
public:
  RowEmitter(IRRewriter &rewriter, const RowGroup &group)
      : rewriter(rewriter), group(group) {}

  /// Rows from `first` on, `count` of them. What the last op makes is written
  /// to `places`, as many rows of what it would have written to.
  SmallVector<Value> emit(OpFoldResult first, int64_t count, ValueRange places);

  /// The ops that were emitted, but for fills.
  ArrayRef<linalg::LinalgOp> getOps() const { return emitted; }

private:
  linalg::LinalgOp emitOp(linalg::LinalgOp op, OpFoldResult first,
                          int64_t count, ValueRange places);

  IRRewriter &rewriter;
  const RowGroup &group;
  llvm::DenseMap<Value, Value> rows;
  SmallVector<linalg::LinalgOp> emitted;
};
} // namespace

linalg::LinalgOp RowEmitter::emitOp(linalg::LinalgOp op, OpFoldResult first,
                                    int64_t count, ValueRange places) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ranges.front() = count;
  SmallVector<OpFoldResult> offsets(ranges.size(), rewriter.getIndexAttr(0));
  offsets.front() = first;
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op.getOperation())
          .getTiledImplementation(
              rewriter, offsets,
              getAsIndexOpFoldResult(op.getContext(), ranges));
  assert(succeeded(tiled) && "rows of structured ops can be tiled");
  auto tile = cast<linalg::LinalgOp>(tiled->tiledOps.front());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tile);
  for (auto [operand, tileOperand] :
       llvm::zip_equal(op->getOpOperands(), tile->getOpOperands())) {
    Value value = operand.get();
    bool isPlace = !places.empty() && op.isDpsInit(&operand);
    if (Value row =
            isPlace ? places[operand.getOperandNumber() - op.getNumDpsInputs()]
                    : rows.lookup(value)) {
      tileOperand.set(row);
    } else if (value.getDefiningOp<tensor::EmptyOp>()) {
      auto type = cast<RankedTensorType>(tileOperand.get().getType());
      tileOperand.set(tensor::EmptyOp::create(
          rewriter, op.getLoc(), type.getShape(), type.getElementType()));
    }
  }
  for (Operation *slice : tiled->generatedSlices)
    if (slice->use_empty())
      rewriter.eraseOp(slice);
  return tile;
}

SmallVector<Value> RowEmitter::emit(OpFoldResult first, int64_t count,
                                    ValueRange places) {
  rows.clear();
  emitted.clear();
  Operation *last = group.ops.front();
  for (Operation *each : llvm::reverse(group.ops)) {
    auto op = cast<linalg::LinalgOp>(each);
    SmallVector<Value> written;
    for (auto [number, init] : llvm::enumerate(op.getDpsInits())) {
      Value place = each == last ? places[number] : Value();
      if (auto fill = init.getDefiningOp<linalg::FillOp>();
          fill && makesRows(fill)) {
        linalg::LinalgOp filled = emitOp(
            fill, first, count, place ? ValueRange(place) : ValueRange());
        place = filled->getResult(0);
        if (each != last)
          rows[init] = place;
      }
      if (each == last)
        written.push_back(place);
    }
    linalg::LinalgOp tile = emitOp(op, first, count, written);
    for (auto [result, row] :
         llvm::zip_equal(op->getResults(), tile->getResults()))
      rows[result] = row;
    emitted.push_back(tile);
  }
  return SmallVector<Value>(emitted.back()->getResults());
}

/// Where rows of a tensor are: `count` of them from `first` on.
static tensor::ExtractSliceOp emitSlice(OpBuilder &builder, Value tensor,
                                        OpFoldResult first,
                                        OpFoldResult count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets.front() = first;
  sizes.front() = count;
  return tensor::ExtractSliceOp::create(builder, tensor.getLoc(), tensor,
                                        offsets, sizes, strides);
}

namespace {
struct FuseRowLoopsPass
    : public gnn::impl::FuseRowLoopsPassBase<FuseRowLoopsPass> {
  using FuseRowLoopsPassBase::FuseRowLoopsPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1) {
      getOperation().emitError("vector-width must be at least 1");
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      Operation *parent = block->getParentOp();
      if (!isa<linalg::LinalgOp, scf::ForallOp>(parent) &&
          !parent->getParentOfType<scf::ForallOp>())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      fuseInBlock(rewriter, *block);
  }

private:
  void fuseInBlock(IRRewriter &rewriter, Block &block) {
    SmallVector<linalg::LinalgOp> ops(block.getOps<linalg::LinalgOp>());
    SmallVector<RowGroup> groups;
    llvm::SmallPtrSet<Operation *, 8> taken;
    for (unsigned last = ops.size(); last-- > 0;) {
      if (taken.contains(ops[last]) || !makesRows(ops[last]))
        continue;
      RowGroup group(ops[last]);
      for (linalg::LinalgOp op : llvm::reverse(ArrayRef(ops).take_front(last)))
        if (!isa<linalg::FillOp>(op) && group.feeds(op))
          group.ops.insert(op);
      if (group.ops.size() == 1 || !group.savesRows(minElements) ||
          !group.fits(maxRowBytes))
        continue;
      taken.insert_range(group.ops);
      groups.push_back(std::move(group));
    }
    for (RowGroup &group : groups)
      fuse(rewriter, group);
  }

  void fuse(IRRewriter &rewriter, const RowGroup &group);
  /// A row at a time, in place of rows of `places`, which begin with `first`.
  SmallVector<Value> emitLoop(IRRewriter &rewriter, const RowGroup &group,
                              Value first, Value count, ValueRange places);
  /// A register of numbers of rows at a time.
  SmallVector<Value> emitBlock(IRRewriter &rewriter, const RowGroup &group,
                               Value first, ValueRange places);
};
} // namespace

SmallVector<Value> FuseRowLoopsPass::emitLoop(IRRewriter &rewriter,
                                              const RowGroup &group,
                                              Value first, Value count,
                                              ValueRange places) {
  Location loc = group.ops.front()->getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(
      rewriter, loc, zero, count, one, places,
      [&](OpBuilder &, Location, Value row, ValueRange carried) {
        AffineExpr a, b;
        bindDims(rewriter.getContext(), a, b);
        OpFoldResult number = affine::makeComposedFoldedAffineApply(
            rewriter, loc, a + b, {first, row});
        OpFoldResult single = rewriter.getIndexAttr(1);
        SmallVector<Value> slices, results;
        for (Value place : carried)
          slices.push_back(emitSlice(rewriter, place, row, single));
        RowEmitter emitter(rewriter, group);
        SmallVector<Value> made = emitter.emit(number, 1, slices);
        for (auto [value, place, slice] :
             llvm::zip_equal(made, carried, slices)) {
          auto where = slice.getDefiningOp<tensor::ExtractSliceOp>();
          results.push_back(tensor::InsertSliceOp::create(
              rewriter, loc, value, place, where.getMixedOffsets(),
              where.getMixedSizes(), where.getMixedStrides()));
        }
        scf::YieldOp::create(rewriter, loc, results);
      });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> FuseRowLoopsPass::emitBlock(IRRewriter &rewriter,
                                               const RowGroup &group,
                                               Value first, ValueRange places) {
  Location loc = group.ops.front()->getLoc();
  SmallVector<Value> whole;
  for (Value place : places)
    whole.push_back(castRows(rewriter, loc, place, vectorWidth));
  RowEmitter emitter(rewriter, group);
  SmallVector<Value> results = emitter.emit(first, vectorWidth, whole);
  for (Value &result : results)
    result = castRows(rewriter, loc, result, ShapedType::kDynamic);
  // Features of several rows make no vector.
  for (linalg::LinalgOp op : emitter.getOps()) {
    if (op.getNumLoops() == 1)
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    SmallVector<int64_t> sizes(op.getNumLoops(), 0);
    sizes.front() = 1;
    fillInLoop(rewriter, tileLoops(rewriter, op, sizes,
                                   scf::SCFTilingOptions::LoopType::ForOp));
  }
  return results;
}

void FuseRowLoopsPass::fuse(IRRewriter &rewriter, const RowGroup &group) {
  auto last = cast<linalg::LinalgOp>(group.ops.front());
  Location loc = last.getLoc();
  rewriter.setInsertionPoint(last);
  SmallVector<Value> outputs;
  for (Value init : last.getDpsInits()) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    outputs.push_back(fill && makesRows(fill) ? fill.getOutputs()[0] : init);
  }
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult numRows =
      tensor::getMixedSize(rewriter, loc, outputs.front(), 0);
  bool isBlock = vectorWidth > 1 && group.computesNumbers(maxBlockElements);
  OpFoldResult step = rewriter.getIndexAttr(isBlock ? vectorWidth : 1);
  auto loop = scf::ForallOp::create(rewriter, loc, ArrayRef(zero),
                                    ArrayRef(numRows), ArrayRef(step), outputs,
                                    /*mapping=*/std::nullopt);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(0);
  OpFoldResult count = rewriter.getIndexAttr(1);
  if (isBlock) {
    AffineExpr place, end;
    bindDims(rewriter.getContext(), place);
    bindSymbols(rewriter.getContext(), end);
    count = affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(
            1, 1, {rewriter.getAffineConstantExpr(vectorWidth), end - place},
            rewriter.getContext()),
        {first, numRows});
  }
  SmallVector<Value> places, results;
  for (Value output : loop.getRegionIterArgs())
    places.push_back(emitSlice(rewriter, output, first, count));
  if (isBlock) {
    Value size = getValueOrCreateConstantIndexOp(rewriter, loc, count);
    Value isWhole = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, size,
        arith::ConstantIndexOp::create(rewriter, loc, vectorWidth));
    auto choice =
        scf::IfOp::create(rewriter, loc, ValueRange(places).getTypes(), isWhole,
                          /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(rewriter, loc,
                         emitBlock(rewriter, group, first, places));
    rewriter.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(rewriter, loc,
                         emitLoop(rewriter, group, first, size, places));
    llvm::append_range(results, choice.getResults());
  } else {
    RowEmitter emitter(rewriter, group);
    results = emitter.emit(first, 1, places);
  }
  rewriter.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [value, output, place] :
       llvm::zip_equal(results, loop.getRegionIterArgs(), places)) {
    auto where = place.getDefiningOp<tensor::ExtractSliceOp>();
    tensor::ParallelInsertSliceOp::create(
        rewriter, loc, value, output, where.getMixedOffsets(),
        where.getMixedSizes(), where.getMixedStrides());
  }
  rewriter.replaceOp(last, loop.getResults());
  for (Operation *op : ArrayRef(group.ops.getArrayRef()).drop_front())
    rewriter.eraseOp(op);
  ++numFused;
}
