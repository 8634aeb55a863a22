//===- AttentionToLinalg.cpp - Attention by tiles ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "AttentionTiler.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

/// Whether a value is its source's row as it is.
static bool isRow(const EdgeFunction &function) {
  return function.operands.size() == 1 &&
         function.roles[0] == OperandRole::Source &&
         function.getYieldedValue() == function.body->getArgument(0) &&
         function.operandMaps[0].isIdentity() &&
         function.resultMap.isIdentity();
}

AttentionTiler::AttentionTiler(PatternRewriter &rewriter, AttentionOp op,
                               const AttentionTileSizes &sizes)
    : op(op), loc(op.getLoc()), rewriter(rewriter),
      graph(op.getGraph().getType()),
      score(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getScoreFunction())),
      value(
          withEdgeTensors(rewriter, loc, op.getGraph(), op.getValueFunction())),
      elementType(score.getResultElementType()), hasRowValues(isRow(value)),
      useLanes(sizes.lanes && canUseLanes()),
      leading(useLanes ? LeadingLoops::sourcesFirst()
                       : LeadingLoops::forEdges()),
      rowTile(useLanes ? sizes.lanes : sizes.rows), columnTile(sizes.columns) {
  auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
  numDestinations = parts.getParts()[0];
  numSources = parts.getParts()[1];
}

bool AttentionTiler::canUseLanes() {
  if (!hasRowValues || !op.getWeightMap().isProjectedPermutation())
    return false;
  // Rows of a table that a pair chooses are read along features.
  return !score.hasReduction() ||
         llvm::none_of(score.getComputation(score.getAccumulated()),
                       llvm::IsaPred<tensor::ExtractOp>);
}

AttentionFunctions AttentionTiler::getHead(OpBuilder &b, ValueRange head) {
  AttentionFunctions functions{getDenseFunction(score, leading),
                               getDenseFunction(value, leading),
                               op.getWeightMap()};
  if (!useLanes)
    return functions;
  for (auto [scoreLoop, valueLoop, index] :
       llvm::zip(score.resultMap.getResults(), op.getWeightMap().getResults(),
                 head)) {
    functions.score =
        fixFeatureLoop(b, loc, functions.score,
                       cast<AffineDimExpr>(scoreLoop).getPosition(), index);
    functions.value =
        fixFeatureLoop(b, loc, functions.value,
                       cast<AffineDimExpr>(valueLoop).getPosition(), index);
  }
  functions.weightMap =
      AffineMap::get(functions.value.resultShape.size(), 0, b.getContext());
  return functions;
}

Value AttentionTiler::emitRowTile(OpBuilder &b, AttentionFunctions functions,
                                  DenseBlock block) {
  if (useLanes) {
    block.destinationExtent = b.getIndexAttr(rowTile);
    block.maxSources = columnTile;
    functions.score = packDestinations(b, loc, functions.score, block, rowTile);
  }
  auto zero = cast<TypedAttr>(b.getZeroAttr(elementType));
  auto lowest =
      b.getFloatAttr(elementType, -std::numeric_limits<double>::infinity());
  OpFoldResult numRows = block.getDestinationExtent();
  auto filled = [&](ArrayRef<int64_t> shape, TypedAttr init) {
    return emitFill(b, loc, init,
                    emitEmpty(b, loc, {numRows}, shape, elementType));
  };
  ArrayRef<int64_t> scoreShape = functions.score.resultShape;
  ArrayRef<int64_t> valueShape = functions.value.resultShape;
  SmallVector<OpFoldResult> extents{numRows};
  llvm::append_range(extents,
                     getAsIndexOpFoldResult(b.getContext(), valueShape));
  if (useLanes)
    std::rotate(extents.begin(), extents.begin() + 1, extents.end());
  Value accumulator = emitFill(
      b, loc, zero, tensor::EmptyOp::create(b, loc, extents, elementType));
  SmallVector<Value> init{filled(scoreShape, lowest), filled(scoreShape, zero),
                          accumulator};
  auto [begin, end] = getColumns(b, block);
  Value last = end;
  auto loop = scf::ForOp::create(
      b, loc, begin, end, arith::ConstantIndexOp::create(b, loc, columnTile),
      init, [&](OpBuilder &bb, Location, Value column, ValueRange state) {
        DenseBlock tile = block;
        tile.firstSource = column;
        tile.numSources = tileSize(bb, column, last, columnTile);
        AttentionFunctions step = functions;
        if (useLanes)
          step.score = packDestinations(bb, loc, step.score, tile, rowTile);
        step.score = sliceToBlock(bb, loc, step.score, tile);
        scf::YieldOp::create(bb, loc, emitTileStep(bb, step, tile, state));
      });
  Value rows =
      updateAccumulator(b, functions, loop.getResult(1), loop.getResult(2),
                        [&](OpBuilder &bb, ValueRange v) {
                          return emitNormalized(bb, loc, v[1], v[0]);
                        });
  if (!useLanes)
    return rows;
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, valueShape.size()));
  permutation.insert(permutation.begin(), valueShape.size());
  Value empty = emitEmpty(b, loc, {numRows}, valueShape, elementType);
  return linalg::TransposeOp::create(b, loc, rows, empty, permutation)
      ->getResult(0);
}

Value AttentionTiler::emit() {
  OpBuilder &b = rewriter;
  SmallVector<int64_t> valueShape = getResultShape(value);
  Value output = emitEmpty(b, loc, {OpFoldResult(numDestinations)}, valueShape,
                           elementType);
  // Heads are outside: all tiles of a head read the same sources.
  SmallVector<int64_t> heads;
  if (useLanes)
    heads = getResultShape(score);
  SmallVector<OpFoldResult> begins(heads.size() + 1, b.getIndexAttr(0));
  SmallVector<OpFoldResult> ends =
      getAsIndexOpFoldResult(b.getContext(), heads);
  SmallVector<OpFoldResult> steps(heads.size(), b.getIndexAttr(1));
  ends.push_back(numDestinations);
  steps.push_back(b.getIndexAttr(rowTile));
  auto loop = scf::ForallOp::create(
      b, loc, begins, ends, steps, ValueRange{output},
      /*mapping=*/std::nullopt, [&](OpBuilder &bb, Location, ValueRange args) {
        ValueRange head = args.take_front(heads.size());
        Value firstRow = args[heads.size()], shared = args.back();
        DenseBlock block;
        block.firstDestination = firstRow;
        block.numDestinations =
            tileSize(bb, firstRow, numDestinations, rowTile);
        Value tile = emitRowTile(bb, getHead(bb, head), block);
        emitInsertion(bb, tile, shared, block, head);
      });
  return loop.getResult(0);
}

/// Puts the rows of a tile, of one head or of all, into the result.
void AttentionTiler::emitInsertion(OpBuilder &b, Value tile, Value shared,
                                   const DenseBlock &block, ValueRange head) {
  auto toSizes = [&](ArrayRef<int64_t> shape) {
    SmallVector<OpFoldResult> sizes{block.numDestinations};
    llvm::append_range(sizes, getAsIndexOpFoldResult(b.getContext(), shape));
    return sizes;
  };
  SmallVector<OpFoldResult> sizes = toSizes(getResultShape(value));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  if (useLanes) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<OpFoldResult> tileOffsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> tileStrides(type.getRank(), b.getIndexAttr(1));
    tile = tensor::ExtractSliceOp::create(b, loc, tile, tileOffsets,
                                          toSizes(type.getShape().drop_front()),
                                          tileStrides);
  }
  offsets[0] = block.firstDestination;
  if (!head.empty())
    for (auto [expr, index] : llvm::zip(op.getWeightMap().getResults(), head)) {
      unsigned dimension = cast<AffineDimExpr>(expr).getPosition() + 1;
      offsets[dimension] = index;
      sizes[dimension] = b.getIndexAttr(1);
    }
  auto inParallel = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(inParallel.getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, tile, shared, offsets, sizes,
                                        strides);
}

namespace {
struct TileAttention : public OpRewritePattern<AttentionOp> {
  TileAttention(MLIRContext *context, const AttentionTileSizes &sizes)
      : OpRewritePattern(context), sizes(sizes) {}

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGraph().getType().hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    AttentionTiler tiler(rewriter, op, sizes);
    rewriter.replaceOp(op, tiler.emit());
    return success();
  }

  AttentionTileSizes sizes;
};
} // namespace

void gnn::populateAttentionToLinalgPatterns(RewritePatternSet &patterns,
                                            const AttentionTileSizes &sizes) {
  patterns.add<TileAttention>(patterns.getContext(), sizes);
}
