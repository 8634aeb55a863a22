//===- LowerRoundedProducts.cpp - Products of bfloat16 ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackPairs.h"
#include "RoundedProduct.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERROUNDEDPRODUCTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

Value RoundedProductEmitter::getRest(OpBuilder &b, OpFoldResult done,
                                     OpFoldResult end, OpFoldResult size) {
  AffineExpr d0, d1, s0;
  bindDims(b.getContext(), d0, d1);
  bindSymbols(b.getContext(), s0);
  AffineMap map = AffineMap::get(2, 1, {s0, d1 - d0}, b.getContext());
  return getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineMin(b, loc, map, {done, end, size}));
}

/// Rows of an iteration of the parallel loop: of `rowBlock`, as many as leave
/// enough iterations.
OpFoldResult RoundedProductEmitter::getStep(OpBuilder &b,
                                            OpFoldResult numRows) {
  if (rowBlock <= options.rowBlock)
    return b.getIndexAttr(rowBlock);
  Value multiple = constant(b, 2 * kMatrixTile);
  Value rows = getValueOrCreateConstantIndexOp(b, loc, numRows);
  Value each = b.createOrFold<arith::CeilDivUIOp>(
      loc, rows, constant(b, options.minBlocks));
  Value whole = b.createOrFold<arith::MulIOp>(
      loc, b.createOrFold<arith::CeilDivUIOp>(loc, each, multiple), multiple);
  Value most =
      b.createOrFold<arith::MinUIOp>(loc, whole, constant(b, rowBlock));
  return getAsOpFoldResult(
      b.createOrFold<arith::MaxUIOp>(loc, most, constant(b, options.rowBlock)));
}

/// A tile that other blocks share, or memory of this one.
Value RoundedProductEmitter::emitTile(OpBuilder &b, Value first, Value count,
                                      int64_t numRows, TileForm form,
                                      ArrayRef<int64_t> shape,
                                      SharedFactors::EmitTile emit) {
  auto type = RankedTensorType::get(shape, b.getBF16Type());
  Value exact = getExact(product.a);
  if (options.shareFactors)
    if (Value tile =
            shared.getTile(b, loc, exact, first, numRows, form, type, emit))
      return tile;
  Value buffer =
      bufferization::AllocTensorOp::create(b, loc, type, ValueRange{});
  return emit(b, exact, first, count, buffer);
}

/// Rows of the first factor are rounded before they are multiplied by all
/// columns.
Value RoundedProductEmitter::emitRowBlock(OpBuilder &b, Value firstRow,
                                          Value resultRow, Value numRows,
                                          Value block) {
  int64_t depth = cast<RankedTensorType>(product.a.getType()).getDimSize(1);
  int64_t numPairs = llvm::alignTo(depth, depthMultiple) / 2;
  SmallVector<int64_t> shape{rowBlock, 2 * numPairs};
  if (options.matrixTiles)
    shape = {rowBlock / kMatrixTile, numPairs / kMatrixTile, kMatrixTile,
             2 * kMatrixTile};
  Value rows = emitTile(
      b, firstRow, numRows, rowBlock, TileForm::Rows, shape,
      [&](OpBuilder &bb, Value source, Value first, Value count, Value into) {
        return PairPacker(loc, source, options.vectorWidth)
            .emitRows(bb, first, count, into);
      });
  PairedFactors factors{rows, pairs, constant(b, numPairs), resultRow};
  return emitTiles(b, factors, numRows, block);
}

/// Rows of results from `firstRow` of the first factor on, block by block.
Value RoundedProductEmitter::emitRows(OpBuilder &b, Value firstRow,
                                      OpFoldResult numRows, Value block) {
  Value zero = constant(b, 0);
  std::optional<int64_t> known = getConstantIntValue(numRows);
  if (known && *known <= rowBlock)
    return emitRowBlock(b, firstRow, zero, constant(b, *known), block);
  Value end = getValueOrCreateConstantIndexOp(b, loc, numRows);
  return scf::ForOp::create(
             b, loc, zero, end, constant(b, rowBlock), block,
             [&](OpBuilder &bb, Location, Value row, ValueRange args) {
               Value rest = getRest(bb, row, end, bb.getIndexAttr(rowBlock));
               Value next =
                   emitRowBlock(bb, add(bb, firstRow, row), row, rest, args[0]);
               scf::YieldOp::create(bb, loc, next);
             })
      .getResult(0);
}

/// Rows `first` to `first + size` of both factors, at most `most`.
Value RoundedProductEmitter::emitDepthBlock(OpBuilder &b, Value first,
                                            Value size, int64_t most,
                                            Value block) {
  int64_t numPairs = llvm::alignTo(most, depthMultiple) / 2;
  auto rows = cast<RankedTensorType>(product.a.getType()).getDimSize(1);
  PairPacker right(loc, getExact(factor), options.vectorWidth);
  Value two = constant(b, 2), multiple = constant(b, depthMultiple);
  Value end = arith::MulIOp::create(
      b, loc, arith::CeilDivUIOp::create(b, loc, size, multiple), multiple);
  PairedFactors factors;
  factors.firstRow = constant(b, 0);
  factors.numPairs = arith::DivUIOp::create(b, loc, end, two);
  factors.b = pairs;
  if (!pairs) {
    factors.b =
        right.emitRowPairs(b, first, size, right.emitBuffer(b, numPairs, tile));
    if (options.matrixTiles)
      factors.b =
          right.emitZeroPairs(b, arith::CeilDivUIOp::create(b, loc, size, two),
                              factors.numPairs, factors.b);
  }
  if (options.matrixTiles) {
    int64_t numTileRows = llvm::alignTo(rows, 2 * kMatrixTile);
    factors.a = emitTile(
        b, first, size, most, TileForm::Transposed, {numTileRows, 2 * numPairs},
        [&](OpBuilder &bb, Value source, Value row, Value count, Value into) {
          Value last = arith::MulIOp::create(
              bb, loc,
              arith::CeilDivUIOp::create(bb, loc, count,
                                         constant(bb, depthMultiple)),
              constant(bb, depthMultiple));
          return PairPacker(loc, source, options.vectorWidth)
              .emitTransposed(bb, row, count, last, into);
        });
  } else {
    factors.a = emitTile(
        b, first, size, most, TileForm::RowPairs, {1, numPairs, 2 * rows},
        [&](OpBuilder &bb, Value source, Value row, Value count, Value into) {
          return PairPacker(loc, source, options.vectorWidth)
              .emitRowPairs(bb, row, count, into);
        });
  }
  return emitTiles(b, factors, constant(b, rows), block);
}

/// The first factor is transposed: both are read row by row.
Value RoundedProductEmitter::emitTransposed(OpBuilder &b, Value block) {
  OpFoldResult depth = tensor::getMixedSize(b, loc, factor, 0);
  Value zero = constant(b, 0);
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    return emitDepthBlock(b, zero, constant(b, *known), *known, block);
  // Sums go on from one block to the next.
  product.startsFromZero = false;
  Value end = getValueOrCreateConstantIndexOp(b, loc, depth);
  return scf::ForOp::create(
             b, loc, zero, end, constant(b, options.depthBlock), init,
             [&](OpBuilder &bb, Location, Value first, ValueRange args) {
               Value rest =
                   getRest(bb, first, end, bb.getIndexAttr(options.depthBlock));
               Value next =
                   emitDepthBlock(bb, first, rest, options.depthBlock, args[0]);
               scf::YieldOp::create(bb, loc, next);
             })
      .getResult(0);
}

/// Pairs of the second factor in the form in which they are loaded.
void RoundedProductEmitter::readPairs(OpBuilder &b) {
  if (pairs) {
    pairs = tensor::CollapseShapeOp::create(
        b, loc, pairs, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
    return;
  }
  if (product.isTransposed || type.isDynamicDim(0))
    return;
  PairPacker packer(loc, getExact(factor), options.vectorWidth);
  int64_t depth = type.getDimSize(0);
  int64_t numPairs = llvm::alignTo(depth, depthMultiple) / 2;
  pairs = packer.emitRowPairs(b, constant(b, 0), constant(b, depth),
                              packer.emitBuffer(b, numPairs, tile));
  int64_t filled = llvm::divideCeil(depth, 2);
  if (filled < numPairs)
    pairs = packer.emitZeroPairs(b, constant(b, filled), constant(b, numPairs),
                                 pairs);
}

Value RoundedProductEmitter::emitSerial(OpBuilder &b) {
  readPairs(b);
  if (product.isTransposed)
    return emitTransposed(b, product.c);
  return emitRows(b, constant(b, 0), tensor::getMixedSize(b, loc, product.c, 0),
                  product.c);
}

Value RoundedProductEmitter::emitParallel(OpBuilder &b) {
  // A sum over nodes is not divided among threads.
  if (product.isTransposed)
    return emitSerial(b);
  readPairs(b);
  OpFoldResult numRows = tensor::getMixedSize(b, loc, product.c, 0);
  OpFoldResult step = getStep(b, numRows);
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{numRows}, ArrayRef<OpFoldResult>{step},
      ValueRange{product.c}, /*mapping=*/std::nullopt,
      [&](OpBuilder &bb, Location, ValueRange args) {
        Value rest = getRest(bb, args[0], numRows, step);
        SmallVector<OpFoldResult> offsets{args[0], bb.getIndexAttr(0)};
        SmallVector<OpFoldResult> sizes{getAsOpFoldResult(rest),
                                        bb.getIndexAttr(width)};
        SmallVector<OpFoldResult> strides(2, bb.getIndexAttr(1));
        Value block = tensor::ExtractSliceOp::create(bb, loc, args[1], offsets,
                                                     sizes, strides);
        block = emitRowBlock(bb, args[0], constant(bb, 0), rest, block);
        auto inParallel = scf::InParallelOp::create(bb, loc);
        bb.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(bb, loc, block, args[1], offsets,
                                              sizes, strides);
      });
  return loop.getResult(0);
}

namespace {
struct LowerRoundedProductsPass
    : public gnn::impl::LowerRoundedProductsPassBase<LowerRoundedProductsPass> {
  using LowerRoundedProductsPassBase::LowerRoundedProductsPassBase;

  void runOnOperation() override {
    if (rowBlock < 1 || largeRowBlock < 1 || minBlocks < 1 || depthBlock < 2 ||
        depthBlock % 2 || rowTile < 1 || columnVectors < 1 || vectorWidth < 1) {
      getOperation()->emitError()
          << "tile sizes must be at least 1, and of the sum even";
      return signalPassFailure();
    }
    int64_t side = 2 * kMatrixTile;
    if (matrixTiles &&
        (rowBlock % side || largeRowBlock % side || depthBlock % side ||
         nearDepth % side || nearDepth < side ||
         columnVectors * vectorWidth != side)) {
      getOperation()->emitError()
          << "matrix tiles take blocks of a multiple of " << side
          << " and columns of " << side;
      return signalPassFailure();
    }
    LowerRoundedProductsPassOptions options{
        rowBlock,    largeRowBlock, largeFactor,   minBlocks,   depthBlock,
        nearDepth,   rowTile,       columnVectors, vectorWidth, dotProducts,
        matrixTiles, mixTiles,      shareFactors};
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    SharedFactors shared;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (failed(product) || !product->isRounded ||
          !getElementTypeOrSelf(product->b->get()).isBF16() ||
          !canRoundFactors(*product))
        continue;
      SmallVector<Value> factors = op.getDpsInputs();
      RoundedProductEmitter emitter(op, *product, options, shared);
      rewriter.setInsertionPoint(op);
      bool isNested(op->getParentOfType<scf::ForallOp>());
      rewriter.replaceOp(op, isNested ? emitter.emitSerial(rewriter)
                                      : emitter.emitParallel(rewriter));
      // What was seen through.
      for (Value factor : factors)
        while (Operation *source = factor.getDefiningOp()) {
          if (!isOpTriviallyDead(source))
            break;
          factor = source->getNumOperands() ? source->getOperand(0) : Value();
          rewriter.eraseOp(source);
          if (!factor)
            break;
        }
    }
  }
};
} // namespace
