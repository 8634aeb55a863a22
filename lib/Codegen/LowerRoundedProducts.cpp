//===- LowerRoundedProducts.cpp - Products of bfloat16 ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "PackPairs.h"
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

namespace {
/// Both factors in pairs, as register tiles read them.
struct PairedFactors {
  /// tensor<rows x depth>, or transposed tensor<1 x pairs x 2 rows>.
  Value a;
  /// tensor<tiles x pairs x 2 columns>, from the pair `firstPair` on.
  Value b;
  Value numPairs;
  /// Rows of the block of results that row 0 of `a` belongs to.
  Value firstRow;
};

/// Emits one product of bfloat16 as register tiles.
class RoundedProductEmitter {
public:
  RoundedProductEmitter(linalg::LinalgOp op, const MatrixProduct &product,
                        const LowerRoundedProductsPassOptions &options)
      : options(options), loc(op.getLoc()), product(product),
        factor(product.b->get()), init(op.getDpsInits()[0]),
        tile(options.columnVectors * options.vectorWidth),
        pairs(getPairs(factor, tile)),
        type(cast<RankedTensorType>(factor.getType())),
        width(type.getDimSize(1)) {}

  /// As a parallel loop over blocks of rows.
  Value emitParallel(OpBuilder &b);
  /// As loops where it stands.
  Value emitSerial(OpBuilder &b);

private:
  Value constant(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(OpBuilder &b, Value a, Value c) {
    return arith::AddIOp::create(b, loc, a, c);
  }
  /// The smaller of `size` and what is left from `done` to `end`.
  Value getRest(OpBuilder &b, OpFoldResult done, OpFoldResult end,
                int64_t size);
  Value getExact(Value value) {
    Value exact = getConverted<arith::TruncFOp>(value);
    return exact ? exact : value;
  }

  void readPairs(OpBuilder &b);
  Value emitRows(OpBuilder &b, Value firstRow, OpFoldResult numRows,
                 Value block);
  Value emitRowBlock(OpBuilder &b, Value firstRow, Value resultRow,
                     Value numRows, Value block);
  Value emitTransposed(OpBuilder &b, Value block);
  Value emitDepthBlock(OpBuilder &b, Value first, Value size, int64_t most,
                       Value block);
  Value emitTiles(OpBuilder &b, const PairedFactors &factors, Value numRows,
                  Value block);
  Value emitColumns(OpBuilder &b, const PairedFactors &factors, Value numRows,
                    Value block, Value column, int64_t numColumns);
  Value emitKernel(OpBuilder &b, const PairedFactors &factors, Value row,
                   Value column, Value block, int64_t numRows,
                   int64_t numColumns);
  Value emitDot(OpBuilder &b, Value pair, Value row, Value sum);

  const LowerRoundedProductsPassOptions &options;
  Location loc;
  MatrixProduct product;
  /// The second factor.
  Value factor;
  /// What the results are added to.
  Value init;
  /// Columns of a register tile.
  int64_t tile;
  /// The second factor in pairs, if it is stored so.
  Value pairs;
  RankedTensorType type;
  int64_t width;
};
} // namespace

/// `sum` plus the products of a pair of every column: odd first, then even,
/// each rounded once, as VDPBF16PS does.
Value RoundedProductEmitter::emitDot(OpBuilder &b, Value pair, Value row,
                                     Value sum) {
  auto sumType = cast<VectorType>(sum.getType());
  VectorType bits = sumType.clone(b.getI32Type());
  Value spread = vector::BroadcastOp::create(b, loc, bits, pair);
  if (options.dotProducts) {
    Value factors = vector::BitCastOp::create(b, loc, row.getType(), spread);
    return x86vector::DotBF16Op::create(b, loc, sum.getType(), sum, factors,
                                        row);
  }
  Value rowBits = vector::BitCastOp::create(b, loc, bits, row);
  auto get = [&](Value both, bool isOdd) -> Value {
    auto number = [&](int32_t value) {
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(bits, APInt(32, value, true)));
    };
    Value half =
        isOdd ? arith::AndIOp::create(b, loc, both, number(-65536)).getResult()
              : arith::ShLIOp::create(b, loc, both, number(16)).getResult();
    return arith::BitcastOp::create(b, loc, sumType, half);
  };
  for (bool isOdd : {true, false})
    sum = vector::FMAOp::create(b, loc, get(spread, isOdd), get(rowBits, isOdd),
                                sum);
  return sum;
}

/// `numRows` x `numColumns` results: the loop over pairs carries a vector for
/// each row and vector of columns.
Value RoundedProductEmitter::emitKernel(OpBuilder &b,
                                        const PairedFactors &factors, Value row,
                                        Value column, Value block,
                                        int64_t numRows, int64_t numColumns) {
  Type elementType = b.getF32Type();
  auto vectorType = VectorType::get({options.vectorWidth}, elementType);
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  int64_t numVectors = llvm::divideCeil(numColumns, options.vectorWidth);
  SmallVector<Value> columns, resultRows, sourceRows;
  SmallVector<VectorType> types;
  for (int64_t v = 0; v < numVectors; ++v) {
    columns.push_back(add(b, column, constant(b, v * options.vectorWidth)));
    types.push_back(VectorType::get(
        {std::min(options.vectorWidth, numColumns - v * options.vectorWidth)},
        elementType));
  }
  for (int64_t r = 0; r < numRows; ++r) {
    sourceRows.push_back(add(b, row, constant(b, r)));
    resultRows.push_back(add(b, factors.firstRow, sourceRows.back()));
  }
  // The last vector may have room for more columns than there are.
  auto read = [&](int64_t r, int64_t v) -> Value {
    if (product.startsFromZero)
      return zeros;
    Value values = vector::TransferReadOp::create(
        b, loc, types[v], block, ValueRange{resultRows[r], columns[v]}, padding,
        ArrayRef<bool>{true});
    if (types[v] == vectorType)
      return values;
    return vector::InsertStridedSliceOp::create(
        b, loc, values, zeros, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  };
  SmallVector<Value> sums;
  for (int64_t r = 0; r < numRows; ++r)
    for (int64_t v = 0; v < numVectors; ++v)
      sums.push_back(read(r, v));

  Value panel = arith::DivUIOp::create(b, loc, column, constant(b, tile));
  Value zero = constant(b, 0), two = constant(b, 2);
  Value bf16Padding =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(b.getBF16Type()));
  auto load = [&](OpBuilder &bb, Value from, ValueRange indices,
                  int64_t size) -> Value {
    return vector::TransferReadOp::create(
        bb, loc, VectorType::get({size}, bb.getBF16Type()), from, indices,
        bf16Padding, ArrayRef<bool>{true});
  };
  auto loop = scf::ForOp::create(
      b, loc, zero, factors.numPairs, constant(b, 1), sums,
      [&](OpBuilder &bb, Location, Value pair, ValueRange accumulators) {
        SmallVector<Value> rows, next;
        for (int64_t v = 0; v < numVectors; ++v)
          rows.push_back(
              load(bb, factors.b,
                   {panel, pair, constant(bb, 2 * v * options.vectorWidth)},
                   2 * options.vectorWidth));
        for (int64_t r = 0; r < numRows; ++r) {
          SmallVector<Value> indices;
          if (product.isTransposed)
            indices = {zero, pair,
                       arith::MulIOp::create(bb, loc, sourceRows[r], two)};
          else
            indices = {sourceRows[r],
                       arith::MulIOp::create(bb, loc, pair, two)};
          Value elements = load(bb, factors.a, indices, 2);
          Value bits = vector::BitCastOp::create(
              bb, loc, VectorType::get({1}, bb.getI32Type()), elements);
          Value element =
              vector::ExtractOp::create(bb, loc, bits, ArrayRef<int64_t>{0});
          for (int64_t v = 0; v < numVectors; ++v)
            next.push_back(emitDot(bb, element, rows[v],
                                   accumulators[r * numVectors + v]));
        }
        scf::YieldOp::create(bb, loc, next);
      });
  for (int64_t r = 0; r < numRows; ++r)
    for (int64_t v = 0; v < numVectors; ++v) {
      Value sum = loop.getResult(r * numVectors + v);
      if (types[v] != vectorType)
        sum = vector::ExtractStridedSliceOp::create(
            b, loc, sum, ArrayRef<int64_t>{0}, types[v].getShape(),
            ArrayRef<int64_t>{1});
      block = vector::TransferWriteOp::create(
                  b, loc, sum, block, ValueRange{resultRows[r], columns[v]},
                  ArrayRef<bool>{true})
                  .getResult();
    }
  return block;
}

/// All rows of a block for one range of columns.
Value RoundedProductEmitter::emitColumns(OpBuilder &b,
                                         const PairedFactors &factors,
                                         Value numRows, Value block,
                                         Value column, int64_t numColumns) {
  // As many accumulators where a vector holds all columns.
  int64_t tileRows = numColumns <= options.vectorWidth
                         ? options.rowTile * options.columnVectors
                         : options.rowTile;
  Value rowTile = constant(b, tileRows), zero = constant(b, 0);
  auto emitLoop = [&](Value begin, Value end, int64_t size, Value target,
                      Value last) {
    return scf::ForOp::create(
               b, loc, begin, end, constant(b, size), target,
               [&](OpBuilder &bb, Location, Value row, ValueRange args) {
                 if (last)
                   row = arith::MinUIOp::create(bb, loc, row, last);
                 Value next = emitKernel(bb, factors, row, column, args[0],
                                         size, numColumns);
                 scf::YieldOp::create(bb, loc, next);
               })
        .getResult(0);
  };
  std::optional<int64_t> known = getConstantIntValue(numRows);
  if (known && *known % tileRows == 0)
    return emitLoop(zero, numRows, tileRows, block, Value());
  if (!product.startsFromZero) {
    Value whole = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, numRows, rowTile), rowTile);
    block = emitLoop(zero, whole, tileRows, block, Value());
    return emitLoop(whole, numRows, 1, block, Value());
  }
  // As in `gnn-lower-matmul`: the last tile computes some rows once more.
  Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                       numRows, rowTile);
  Value whole = arith::SelectOp::create(b, loc, enough, numRows, zero);
  Value last = arith::SubIOp::create(b, loc, numRows, rowTile);
  block = emitLoop(zero, whole, tileRows, block, last);
  return emitLoop(whole, numRows, 1, block, Value());
}

Value RoundedProductEmitter::emitTiles(OpBuilder &b,
                                       const PairedFactors &factors,
                                       Value numRows, Value block) {
  int64_t whole = width / tile * tile;
  if (whole)
    block = scf::ForOp::create(
                b, loc, constant(b, 0), constant(b, whole), constant(b, tile),
                block,
                [&](OpBuilder &bb, Location, Value column, ValueRange args) {
                  Value next =
                      emitColumns(bb, factors, numRows, args[0], column, tile);
                  scf::YieldOp::create(bb, loc, next);
                })
                .getResult(0);
  if (whole == width)
    return block;
  return emitColumns(b, factors, numRows, block, constant(b, whole),
                     width - whole);
}

Value RoundedProductEmitter::getRest(OpBuilder &b, OpFoldResult done,
                                     OpFoldResult end, int64_t size) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  AffineMap map = AffineMap::get(2, 0, {b.getAffineConstantExpr(size), d1 - d0},
                                 b.getContext());
  return getValueOrCreateConstantIndexOp(
      b, loc, affine::makeComposedFoldedAffineMin(b, loc, map, {done, end}));
}

/// Rows of the first factor are rounded before they are multiplied by all
/// columns.
Value RoundedProductEmitter::emitRowBlock(OpBuilder &b, Value firstRow,
                                          Value resultRow, Value numRows,
                                          Value block) {
  int64_t depth = cast<RankedTensorType>(product.a.getType()).getDimSize(1);
  int64_t numPairs = llvm::divideCeil(depth, 2);
  auto bufferType =
      RankedTensorType::get({options.rowBlock, 2 * numPairs}, b.getBF16Type());
  Value buffer =
      bufferization::AllocTensorOp::create(b, loc, bufferType, ValueRange{});
  PairPacker packer(loc, getExact(product.a), options.vectorWidth);
  PairedFactors factors{packer.emitRows(b, firstRow, numRows, buffer), pairs,
                        constant(b, numPairs), resultRow};
  return emitTiles(b, factors, numRows, block);
}

/// Rows of results from `firstRow` of the first factor on, block by block.
Value RoundedProductEmitter::emitRows(OpBuilder &b, Value firstRow,
                                      OpFoldResult numRows, Value block) {
  Value zero = constant(b, 0);
  std::optional<int64_t> known = getConstantIntValue(numRows);
  if (known && *known <= options.rowBlock)
    return emitRowBlock(b, firstRow, zero, constant(b, *known), block);
  Value end = getValueOrCreateConstantIndexOp(b, loc, numRows);
  return scf::ForOp::create(
             b, loc, zero, end, constant(b, options.rowBlock), block,
             [&](OpBuilder &bb, Location, Value row, ValueRange args) {
               Value rest = getRest(bb, row, end, options.rowBlock);
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
  int64_t numPairs = llvm::divideCeil(most, 2);
  auto rows = cast<RankedTensorType>(product.a.getType()).getDimSize(1);
  PairPacker left(loc, getExact(product.a), options.vectorWidth);
  PairPacker right(loc, getExact(factor), options.vectorWidth);
  PairedFactors factors;
  factors.firstRow = constant(b, 0);
  factors.numPairs = arith::CeilDivUIOp::create(b, loc, size, constant(b, 2));
  factors.a =
      left.emitRowPairs(b, first, size, left.emitBuffer(b, numPairs, rows));
  factors.b = pairs ? pairs
                    : right.emitRowPairs(b, first, size,
                                         right.emitBuffer(b, numPairs, tile));
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
               Value rest = getRest(bb, first, end, options.depthBlock);
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
  pairs = packer.emitRowPairs(
      b, constant(b, 0), constant(b, depth),
      packer.emitBuffer(b, llvm::divideCeil(depth, 2), tile));
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
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{numRows},
      ArrayRef<OpFoldResult>{b.getIndexAttr(options.rowBlock)},
      ValueRange{product.c}, /*mapping=*/std::nullopt,
      [&](OpBuilder &bb, Location, ValueRange args) {
        Value rest = getRest(bb, args[0], numRows, options.rowBlock);
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
    if (rowBlock < 1 || depthBlock < 2 || depthBlock % 2 || rowTile < 1 ||
        columnVectors < 1 || vectorWidth < 1) {
      getOperation()->emitError()
          << "tile sizes must be at least 1, and of the sum even";
      return signalPassFailure();
    }
    LowerRoundedProductsPassOptions options{
        rowBlock, depthBlock, rowTile, columnVectors, vectorWidth, dotProducts};
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (failed(product) || !product->isRounded ||
          !getElementTypeOrSelf(product->b->get()).isBF16() ||
          !canRoundFactors(*product))
        continue;
      SmallVector<Value> factors = op.getDpsInputs();
      RoundedProductEmitter emitter(op, *product, options);
      rewriter.setInsertionPoint(op);
      bool isNested(op->getParentOfType<scf::ForallOp>());
      rewriter.replaceOp(op, isNested ? emitter.emitSerial(rewriter)
                                      : emitter.emitParallel(rewriter));
      // What was seen through.
      for (Value factor : factors)
        if (Operation *source = factor.getDefiningOp();
            source && isOpTriviallyDead(source))
          rewriter.eraseOp(source);
    }
  }
};
} // namespace
