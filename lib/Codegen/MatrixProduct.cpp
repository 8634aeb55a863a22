//===- MatrixProduct.cpp - Contractions of two matrices ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

/// The argument of a body that `value` is, extended at most.
static BlockArgument getFactor(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return dyn_cast<BlockArgument>(value);
}

bool gnn::addsProducts(linalg::LinalgOp op) {
  // A contraction of MLIR's may have any function of one operand around its
  // factors.
  if (!linalg::isaContractionOpInterface(op))
    return false;
  Block *body = op.getBlock();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  bool isLeft = sum.getLhs() == body->getArgument(2);
  if (!isLeft && sum.getRhs() != body->getArgument(2))
    return false;
  auto product =
      (isLeft ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  BlockArgument a = getFactor(product.getLhs()),
                b = getFactor(product.getRhs());
  return a && b && a.getOwner() == body && b.getOwner() == body &&
         a.getArgNumber() + b.getArgNumber() == 1;
}

FailureOr<MatrixProduct> gnn::matchMatrixProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !addsProducts(op))
    return failure();
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || !dims->batch.empty() || dims->m.size() != 1 ||
      dims->n.size() != 1 || dims->k.size() != 1)
    return failure();
  unsigned left = dims->m[0], right = dims->n[0], k = dims->k[0];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MLIRContext *context = op.getContext();
  auto is = [&](AffineMap map, unsigned first, unsigned second) {
    return map == AffineMap::get(3, 0,
                                 {getAffineDimExpr(first, context),
                                  getAffineDimExpr(second, context)},
                                 context);
  };
  // What is last in the result are columns.
  bool isSwapped = is(maps[2], right, left);
  unsigned row = isSwapped ? right : left, column = isSwapped ? left : right;
  OpOperand *a = op.getDpsInputOperand(isSwapped ? 1 : 0);
  OpOperand *b = op.getDpsInputOperand(isSwapped ? 0 : 1);
  Value c = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(b->get().getType());
  if (!is(op.getMatchingIndexingMap(b), k, column) ||
      !is(maps[2], row, column) || type.isDynamicDim(1) ||
      type.getDimSize(1) == 0 || !isa<FloatType>(type.getElementType()) ||
      getElementTypeOrSelf(a->get()) != type.getElementType() ||
      !isa<FloatType>(getElementTypeOrSelf(c)))
    return failure();
  unsigned factorBits = type.getElementTypeBitWidth();
  unsigned productBits = getElementTypeOrSelf(c).getIntOrFloatBitWidth();
  if (factorBits > productBits)
    return failure();
  // A product that starts from zero need not read the zeros.
  auto fill = c.getDefiningOp<linalg::FillOp>();
  bool startsFromZero =
      fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return MatrixProduct{a->get(),
                       b,
                       startsFromZero ? fill.getOutputs()[0] : c,
                       is(op.getMatchingIndexingMap(a), k, row),
                       startsFromZero,
                       factorBits < productBits};
}

bool gnn::canRoundFactors(const MatrixProduct &product) {
  // Transposed or not, it is the second dimension that has to be known.
  auto type = cast<RankedTensorType>(product.a.getType());
  return getElementTypeOrSelf(product.c).isF32() && !type.isDynamicDim(1);
}

int64_t gnn::getTileColumns(int64_t width, int64_t columns,
                            int64_t narrowColumns) {
  return narrowColumns && width % narrowColumns == 0 ? narrowColumns : columns;
}

RankedTensorType gnn::getPackedType(RankedTensorType type, int64_t columns) {
  int64_t numTiles = llvm::divideCeil(type.getDimSize(1), columns);
  return RankedTensorType::get({numTiles, type.getDimSize(0), columns},
                               type.getElementType());
}

Value gnn::unpackColumns(OpBuilder &builder, Location loc, Value packed,
                         RankedTensorType type) {
  int64_t columns = cast<RankedTensorType>(packed.getType()).getDimSize(2);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  OpFoldResult innerTile = builder.getIndexAttr(columns);
  return linalg::UnPackOp::create(builder, loc, packed, empty,
                                  /*innerDimsPos=*/{1}, innerTile,
                                  /*outerDimsPerm=*/{1, 0})
      ->getResult(0);
}

Value gnn::getPackedColumns(Value b, int64_t columns) {
  auto unpack = b.getDefiningOp<linalg::UnPackOp>();
  if (!unpack || unpack.getInnerDimsPos() != ArrayRef<int64_t>{1} ||
      unpack.getOuterDimsPerm() != ArrayRef<int64_t>{1, 0} ||
      unpack.getStaticInnerTiles() != ArrayRef<int64_t>{columns})
    return Value();
  return unpack.getSource();
}

RankedTensorType gnn::getPairsType(RankedTensorType type, int64_t columns,
                                   int64_t depthMultiple) {
  int64_t numTiles = llvm::divideCeil(type.getDimSize(1), columns);
  int64_t numPairs = llvm::alignTo(type.getDimSize(0), depthMultiple) / 2;
  return RankedTensorType::get({numTiles, numPairs, columns, 2},
                               BFloat16Type::get(type.getContext()));
}

Value gnn::unpackPairs(OpBuilder &builder, Location loc, Value pairs,
                       RankedTensorType type) {
  auto pairsType = cast<RankedTensorType>(pairs.getType());
  int64_t columns = pairsType.getDimSize(2);
  int64_t height = type.getDimSize(0), width = type.getDimSize(1);
  // Rows of zeros that fill the last pair alone are left out by the op.
  int64_t stored = 2 * pairsType.getDimSize(1);
  bool isPadded = stored > height + 1;
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{isPadded ? stored : height, width},
      builder.getBF16Type());
  SmallVector<OpFoldResult> innerTiles{builder.getIndexAttr(columns),
                                       builder.getIndexAttr(2)};
  Value unpacked = linalg::UnPackOp::create(builder, loc, pairs, empty,
                                            /*innerDimsPos=*/{1, 0}, innerTiles,
                                            /*outerDimsPerm=*/{1, 0})
                       ->getResult(0);
  if (!isPadded)
    return unpacked;
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{builder.getIndexAttr(height),
                                  builder.getIndexAttr(width)};
  return tensor::ExtractSliceOp::create(builder, loc, unpacked, offsets, sizes,
                                        strides);
}

Value gnn::getPairs(Value b, int64_t columns, int64_t depthMultiple) {
  auto type = cast<RankedTensorType>(b.getType());
  if (auto slice = b.getDefiningOp<tensor::ExtractSliceOp>();
      slice && llvm::all_of(slice.getMixedOffsets(), isZeroInteger) &&
      slice.hasUnitStride())
    b = slice.getSource();
  auto unpack = b.getDefiningOp<linalg::UnPackOp>();
  if (!unpack || unpack.getInnerDimsPos() != ArrayRef<int64_t>{1, 0} ||
      unpack.getOuterDimsPerm() != ArrayRef<int64_t>{1, 0} ||
      unpack.getStaticInnerTiles() != ArrayRef<int64_t>{columns, 2} ||
      !type.hasStaticShape() ||
      unpack.getSource().getType() !=
          getPairsType(type, columns, depthMultiple))
    return Value();
  return unpack.getSource();
}

/// Rows of a tile a little smaller than one of `tileRows`: some of these fill
/// what others leave of `numRows`, but for one row or a few. 0 if there is
/// none.
static int64_t getSmallerTile(int64_t tileRows) {
  for (int64_t parts : {3, 4})
    if (tileRows % parts == 0 && tileRows > parts)
      return tileRows - tileRows / parts;
  return 0;
}

/// Of `numRows` rows, as many as tiles of `tileRows` compute if tiles of
/// `smallRows` compute the rest: both together the fewest rows that there can
/// be. None if the rows fill no tile.
static Value emitWholeTiles(OpBuilder &b, Location loc, Value numRows,
                            int64_t tileRows, int64_t smallRows) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // Each small tile instead of a large one takes `part` rows less. Small ones
  // have all but one of the parts of a large one.
  int64_t part = tileRows - smallRows, numParts = tileRows / part;
  Value parts = arith::CeilDivUIOp::create(b, loc, numRows, constant(part));
  Value numSmall = arith::RemUIOp::create(
      b, loc, arith::MulIOp::create(b, loc, parts, constant(numParts - 1)),
      constant(numParts));
  Value ofSmall = arith::MulIOp::create(b, loc, numSmall, constant(smallRows));
  Value all = arith::MulIOp::create(b, loc, parts, constant(part));
  Value isEnough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, all, ofSmall);
  Value fillsTile = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          numRows, constant(tileRows));
  Value whole = arith::SelectOp::create(
      b, loc, arith::AndIOp::create(b, loc, isEnough, fillsTile),
      arith::SubIOp::create(b, loc, all, ofSmall), constant(0));
  return arith::MinUIOp::create(b, loc, whole, numRows);
}

Value gnn::emitRowTiles(
    OpBuilder &b, Location loc, Value numRows, int64_t tileRows,
    bool startsFromZero, bool mixesTiles, Value block,
    llvm::function_ref<Value(OpBuilder &, Value, Value, int64_t)> emitTile) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto emitLoop = [&](Value begin, Value end, int64_t rows, Value target,
                      Value last) {
    return scf::ForOp::create(
               b, loc, begin, end, arith::ConstantIndexOp::create(b, loc, rows),
               target,
               [&](OpBuilder &bb, Location, Value row, ValueRange args) {
                 if (last)
                   row = arith::MinUIOp::create(bb, loc, row, last);
                 scf::YieldOp::create(bb, loc,
                                      emitTile(bb, row, args[0], rows));
               })
        .getResult(0);
  };
  if (std::optional<int64_t> known = getConstantIntValue(numRows)) {
    // Tiles differ by one row at most: a small one would wait for its few
    // accumulators.
    int64_t numTiles = llvm::divideCeil(*known, tileRows);
    int64_t rows = numTiles ? llvm::divideCeil(*known, numTiles) : 1;
    int64_t numLarge = *known - numTiles * (rows - 1);
    int64_t begin = 0;
    for (auto [count, tile] : {std::pair(numLarge, rows),
                               std::pair(numTiles - numLarge, rows - 1)}) {
      Value first = arith::ConstantIndexOp::create(b, loc, begin);
      begin += count * tile;
      if (count == 1)
        block = emitTile(b, first, block, tile);
      else if (count)
        block = emitLoop(first, arith::ConstantIndexOp::create(b, loc, begin),
                         tile, block, Value());
    }
    return block;
  }
  // Rows that fill no tile are left to smaller ones. Where nothing is added up,
  // the last tile may compute rows of the one before once more instead, and
  // smaller tiles are for blocks that have too few rows. So that these rows are
  // few, tiles of two sizes may be mixed.
  Value begin = zero;
  if (int64_t small = getSmallerTile(tileRows);
      small && startsFromZero && mixesTiles) {
    Value largeRows = arith::ConstantIndexOp::create(b, loc, tileRows);
    Value smallRows = arith::ConstantIndexOp::create(b, loc, small);
    Value whole = emitWholeTiles(b, loc, numRows, tileRows, small);
    block = emitLoop(zero, whole, tileRows, block,
                     arith::SubIOp::create(b, loc, numRows, largeRows));
    // Fewer than a large tile: a small one, and still smaller ones.
    auto reaches = [&](Value rows) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, numRows,
                                   rows);
    };
    Value few =
        arith::SelectOp::create(b, loc, reaches(smallRows), smallRows, zero);
    begin = arith::SelectOp::create(b, loc, reaches(largeRows), numRows, few);
    block = emitLoop(whole, begin, small, block,
                     arith::SubIOp::create(b, loc, numRows, smallRows));
    tileRows = std::max<int64_t>(tileRows / 3, 1);
  }
  for (;; tileRows = std::max<int64_t>(tileRows / 3, 1)) {
    if (tileRows == 1)
      return emitLoop(begin, numRows, 1, block, Value());
    Value rows = arith::ConstantIndexOp::create(b, loc, tileRows);
    Value end, last;
    if (startsFromZero) {
      Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                           numRows, rows);
      end = arith::SelectOp::create(b, loc, enough, numRows, begin);
      last = arith::SubIOp::create(b, loc, numRows, rows);
    } else {
      Value left = arith::SubIOp::create(b, loc, numRows, begin);
      Value count = arith::DivUIOp::create(b, loc, left, rows);
      end = arith::AddIOp::create(b, loc, begin,
                                  arith::MulIOp::create(b, loc, count, rows));
    }
    block = emitLoop(begin, end, tileRows, block, last);
    begin = end;
  }
}
