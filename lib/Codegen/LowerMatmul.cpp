//===- LowerMatmul.cpp - Matrix products as vector kernels -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "ProductEpilogue.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERMATMULPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Emits one matrix product as register tiles.
class MatmulEmitter {
public:
  MatmulEmitter(Location loc, const MatrixProduct &product,
                const ProductEpilogue &epilogue,
                const LowerMatmulPassOptions &options)
      : options(options), loc(loc), product(product), epilogue(epilogue),
        factor(product.b->get()),
        width(cast<RankedTensorType>(factor.getType()).getDimSize(1)),
        tile(getTileColumns(width, options.columnVectors * options.vectorWidth,
                            options.narrowVectors * options.vectorWidth)),
        packed(getPackedColumns(factor, tile)),
        elementType(getElementTypeOrSelf(factor)) {}

  /// As a parallel loop over blocks of rows.
  Value emitParallel(OpBuilder &builder);
  /// As loops where it stands.
  Value emitSerial(OpBuilder &builder);

private:
  Value constant(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(OpBuilder &b, Value a, Value c) {
    return arith::AddIOp::create(b, loc, a, c);
  }
  Value emitRowBlock(OpBuilder &b, Value firstRow, Value numRows, Value block);
  Value emitColumns(OpBuilder &b, Value firstRow, Value numRows, Value block,
                    Value column, int64_t numColumns);
  Value emitKernel(OpBuilder &b, Value firstRow, Value row, Value column,
                   Value block, int64_t numRows, int64_t numColumns);
  Value emitStep(OpBuilder &b, Value numRows);
  int64_t getRowBlock() const;
  int64_t getTileRows(Value numRows, int64_t numColumns) const;

  const LowerMatmulPassOptions &options;
  Location loc;
  MatrixProduct product;
  /// What becomes of sums before they are stored.
  const ProductEpilogue &epilogue;
  /// The second factor.
  Value factor;
  int64_t width;
  /// Columns of a register tile.
  int64_t tile;
  /// What the second factor is read from if its tiles are stored one after the
  /// other.
  Value packed;
  Type elementType;
  /// Emitted outside of all loops.
  Value depth;
};
} // namespace

/// `numRows` x `numColumns` results: the k loop carries a vector for each row
/// and vector of columns.
Value MatmulEmitter::emitKernel(OpBuilder &b, Value firstRow, Value row,
                                Value column, Value block, int64_t numRows,
                                int64_t numColumns) {
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  SmallVector<int64_t> widths;
  for (int64_t done = 0; done < numColumns; done += options.vectorWidth)
    widths.push_back(std::min(options.vectorWidth, numColumns - done));
  SmallVector<Value> columns, offsets, blockRows;
  for (unsigned v = 0; v < widths.size(); ++v) {
    offsets.push_back(constant(b, v * options.vectorWidth));
    columns.push_back(add(b, column, offsets.back()));
  }
  for (int64_t r = 0; r < numRows; ++r)
    blockRows.push_back(add(b, row, constant(b, r)));
  Value panel;
  if (packed)
    panel = arith::DivUIOp::create(b, loc, column, constant(b, tile));
  auto getType = [&](unsigned v) {
    return VectorType::get({widths[v]}, elementType);
  };
  auto load = [&](OpBuilder &bb, Value k, unsigned v) -> Value {
    SmallVector<Value> indices{k, columns[v]};
    if (packed)
      indices = {panel, k, offsets[v]};
    return vector::TransferReadOp::create(bb, loc, getType(v),
                                          packed ? packed : factor, indices,
                                          padding, ArrayRef<bool>{true});
  };

  SmallVector<Value> init;
  for (int64_t r = 0; r < numRows; ++r)
    for (unsigned v = 0; v < widths.size(); ++v)
      init.push_back(
          product.startsFromZero
              ? arith::ConstantOp::create(b, loc, b.getZeroAttr(getType(v)))
                    .getResult()
              : vector::TransferReadOp::create(
                    b, loc, getType(v), block,
                    ValueRange{blockRows[r], columns[v]}, padding,
                    ArrayRef<bool>{true})
                    .getResult());
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), depth, constant(b, 1), init,
      [&](OpBuilder &bb, Location, Value k, ValueRange accumulators) {
        SmallVector<Value> loaded, next;
        for (unsigned v = 0; v < widths.size(); ++v)
          loaded.push_back(load(bb, k, v));
        for (int64_t r = 0; r < numRows; ++r) {
          Value source = add(bb, firstRow, blockRows[r]);
          SmallVector<Value> indices{source, k};
          if (product.isTransposed)
            std::swap(indices[0], indices[1]);
          Value element =
              tensor::ExtractOp::create(bb, loc, product.a, indices);
          for (unsigned v = 0; v < widths.size(); ++v) {
            Value spread =
                vector::BroadcastOp::create(bb, loc, getType(v), element);
            next.push_back(
                vector::FMAOp::create(bb, loc, spread, loaded[v],
                                      accumulators[r * widths.size() + v]));
          }
        }
        scf::YieldOp::create(bb, loc, next);
      });
  for (int64_t r = 0; r < numRows; ++r)
    for (unsigned v = 0; v < widths.size(); ++v) {
      Value done = epilogue.emit(b, loop.getResult(r * widths.size() + v),
                                 add(b, firstRow, blockRows[r]), columns[v]);
      block = vector::TransferWriteOp::create(
                  b, loc, done, block, ValueRange{blockRows[r], columns[v]},
                  ArrayRef<bool>{true})
                  .getResult();
    }
  return block;
}

/// A multiply-add takes four cycles, in which two units begin eight. As many
/// accumulators would do if none of them were ever late.
static constexpr int64_t minAccumulators = 10;

/// Fewer vectors of columns leave accumulators for more rows. Twice as many are
/// enough to keep the units for products busy. Few rows are divided evenly if
/// that leaves accumulators enough, so that all tiles are one loop.
int64_t MatmulEmitter::getTileRows(Value numRows, int64_t numColumns) const {
  int64_t vectors = llvm::divideCeil(numColumns, options.vectorWidth);
  int64_t most = std::min(options.rowTile * options.columnVectors / vectors,
                          2 * options.rowTile);
  std::optional<int64_t> known = getConstantIntValue(numRows);
  if (known && *known < 4 * most)
    for (int64_t rows = most;
         3 * rows >= 2 * most && rows * vectors >= minAccumulators; --rows)
      if (*known % rows == 0)
        return rows;
  return most;
}

/// All rows of a block for one range of columns.
Value MatmulEmitter::emitColumns(OpBuilder &b, Value firstRow, Value numRows,
                                 Value block, Value column,
                                 int64_t numColumns) {
  // Where all columns are in one tile, or what is left of them, few rows take
  // little time.
  return emitRowTiles(
      b, loc, numRows, getTileRows(numRows, numColumns), product.startsFromZero,
      /*mixesTiles=*/options.mixTiles && numColumns == tile && width > tile,
      block, [&](OpBuilder &bb, Value row, Value target, int64_t rows) {
        return emitKernel(bb, firstRow, row, column, target, rows, numColumns);
      });
}

/// All columns of a block of rows.
Value MatmulEmitter::emitRowBlock(OpBuilder &b, Value firstRow, Value numRows,
                                  Value block) {
  int64_t whole = width / tile * tile;
  if (whole) {
    auto loop = scf::ForOp::create(
        b, loc, constant(b, 0), constant(b, whole), constant(b, tile),
        ValueRange{block},
        [&](OpBuilder &bb, Location, Value column, ValueRange args) {
          Value next =
              emitColumns(bb, firstRow, numRows, args[0], column, tile);
          scf::YieldOp::create(bb, loc, next);
        });
    block = loop.getResult(0);
  }
  if (whole == width)
    return block;
  return emitColumns(b, firstRow, numRows, block, constant(b, whole),
                     width - whole);
}

Value MatmulEmitter::emitSerial(OpBuilder &builder) {
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, product.c, 0);
  depth = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, factor, 0));
  return emitRowBlock(builder, constant(builder, 0),
                      getValueOrCreateConstantIndexOp(builder, loc, numRows),
                      product.c);
}

/// A factor that the caches do not hold is read again for each block of rows.
/// Where all columns are one tile, rows need not be kept for the next one.
int64_t MatmulEmitter::getRowBlock() const {
  auto type = cast<RankedTensorType>(factor.getType());
  if (width <= tile)
    return std::max<int64_t>(options.rowBlock / 2, 1);
  bool isLarge = type.hasStaticShape() &&
                 type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
                     options.largeFactor;
  return isLarge ? options.largeRowBlock : options.rowBlock;
}

/// Rows of an iteration of the parallel loop: whole tiles, and an even number
/// of iterations, of which two threads have equal shares, or one for few rows.
Value MatmulEmitter::emitStep(OpBuilder &b, Value numRows) {
  auto divide = [&](Value value, Value by) {
    return b.createOrFold<arith::CeilDivUIOp>(loc, value, by);
  };
  int64_t rowBlock = getRowBlock();
  int64_t tileRows = getTileRows(numRows, std::min(width, tile));
  Value few = constant(b, std::max<int64_t>(options.rowBlock / 2, 1));
  Value numPairs = b.createOrFold<arith::MaxUIOp>(
      loc, constant(b, 1), divide(numRows, constant(b, 2 * rowBlock)));
  // Large blocks are no reason to leave processors without one.
  if (rowBlock > options.rowBlock) {
    Value ofSmall = divide(numRows, constant(b, 2 * options.rowBlock));
    Value enough = b.createOrFold<arith::MinUIOp>(
        loc, ofSmall, constant(b, options.minBlocks / 2));
    numPairs = b.createOrFold<arith::MaxUIOp>(loc, numPairs, enough);
  }
  Value ofPair = divide(numRows, numPairs);
  Value numTiles = divide(ofPair, constant(b, 2 * tileRows));
  Value even =
      b.createOrFold<arith::MulIOp>(loc, numTiles, constant(b, tileRows));
  Value isOne = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule,
                                              numRows, few);
  return b.createOrFold<arith::SelectOp>(loc, isOne, few, even);
}

Value MatmulEmitter::emitParallel(OpBuilder &builder) {
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, product.c, 0);
  depth = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, factor, 0));
  OpFoldResult step = getAsOpFoldResult(emitStep(
      builder, getValueOrCreateConstantIndexOp(builder, loc, numRows)));
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{numRows}, ArrayRef<OpFoldResult>{step},
      ValueRange{product.c}, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location, ValueRange args) {
        AffineExpr d0, s0, s1;
        bindDims(b.getContext(), d0);
        bindSymbols(b.getContext(), s0, s1);
        AffineMap map = AffineMap::get(1, 2, {s1, s0 - d0}, b.getContext());
        OpFoldResult size = affine::makeComposedFoldedAffineMin(
            b, loc, map, {OpFoldResult(args[0]), numRows, step});
        Value sizeValue = getValueOrCreateConstantIndexOp(b, loc, size);
        SmallVector<OpFoldResult> offsets{args[0], b.getIndexAttr(0)};
        SmallVector<OpFoldResult> sizes{size, b.getIndexAttr(width)};
        SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
        Value block = tensor::ExtractSliceOp::create(b, loc, args[1], offsets,
                                                     sizes, strides);
        block = emitRowBlock(b, args[0], sizeValue, block);
        auto inParallel = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(b, loc, block, args[1], offsets,
                                              sizes, strides);
      });
  return loop.getResult(0);
}

namespace {
struct LowerMatmulPass
    : public gnn::impl::LowerMatmulPassBase<LowerMatmulPass> {
  using LowerMatmulPassBase::LowerMatmulPassBase;

  void runOnOperation() override {
    if (rowBlock < 1 || rowTile < 1 || columnVectors < 1 || vectorWidth < 1 ||
        largeRowBlock < 1 || minBlocks < 1 || narrowVectors < 0) {
      getOperation()->emitError() << "tile sizes must be at least 1";
      return signalPassFailure();
    }
    LowerMatmulPassOptions options{
        rowBlock,      largeRowBlock, largeFactor, minBlocks, rowTile,
        columnVectors, narrowVectors, vectorWidth, mixTiles,  applyEpilogues};
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (succeeded(product) && !product->isRounded)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      bool isNested(op->getParentOfType<scf::ForallOp>());
      ProductEpilogue epilogue;
      if (applyEpilogues)
        epilogue = ProductEpilogue::match(op);
      linalg::LinalgOp last = epilogue.empty() ? op : epilogue.getLast();
      MatmulEmitter emitter(op.getLoc(), *product, epilogue, options);
      rewriter.setInsertionPoint(last);
      rewriter.replaceOp(last, isNested ? emitter.emitSerial(rewriter)
                                        : emitter.emitParallel(rewriter));
    }
    unpackRest(rewriter);
  }

private:
  /// Packed factors that something else reads as well.
  void unpackRest(IRRewriter &rewriter) {
    SmallVector<linalg::UnPackOp> unpacks;
    getOperation()->walk([&](linalg::UnPackOp op) { unpacks.push_back(op); });
    for (linalg::UnPackOp op : unpacks) {
      if (op->use_empty()) {
        rewriter.eraseOp(op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      if (failed(linalg::lowerUnPack(rewriter, op))) {
        op.emitOpError("is of a kind that is not lowered");
        return signalPassFailure();
      }
    }
  }
};
} // namespace
