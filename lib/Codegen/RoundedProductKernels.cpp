//===- RoundedProductKernels.cpp - Register tiles of bfloat16 ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundedProduct.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace gnn;

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
  if (options.matrixTiles)
    return emitMatrixColumns(b, factors, numRows, block, column, numColumns);
  // As many accumulators where a vector holds all columns.
  int64_t tileRows = numColumns <= options.vectorWidth
                         ? options.rowTile * options.columnVectors
                         : options.rowTile;
  return emitRowTiles(
      b, loc, numRows, tileRows, product.startsFromZero,
      /*mixesTiles=*/options.mixTiles && numColumns == tile && width > tile,
      block, [&](OpBuilder &bb, Value row, Value target, int64_t rows) {
        return emitKernel(bb, factors, row, column, target, rows, numColumns);
      });
}

/// Two by two matrices of 16 x 16 sums: the loop over 16 pairs carries them.
Value RoundedProductEmitter::emitMatrixKernel(OpBuilder &b,
                                              const PairedFactors &factors,
                                              Value row, Value column,
                                              Value firstPair, Value endPair,
                                              std::optional<SumsPlace> from,
                                              SumsPlace to) {
  constexpr int64_t side = kMatrixTile;
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
  auto sumType = VectorType::get({side, side}, f32);
  auto factorType = VectorType::get({side, 2 * side}, bf16);
  auto pairsType = VectorType::get({side, side, 2}, bf16);
  auto read = [&](OpBuilder &bb, VectorType vector, Value from,
                  ValueRange indices) -> Value {
    Value padding = arith::ConstantOp::create(
        bb, loc, bb.getZeroAttr(vector.getElementType()));
    return vector::TransferReadOp::create(bb, loc, vector, from, indices,
                                          padding, ArrayRef<bool>{true, true});
  };
  auto at = [&](Value first, int64_t part) {
    return add(b, first, constant(b, part * side));
  };
  SmallVector<Value> sums;
  for (int64_t i : {0, 1})
    for (int64_t j : {0, 1})
      sums.push_back(
          from ? read(b, sumType, from->tensor,
                      {at(from->row, i), at(from->column, j)})
               : arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType))
                     .getResult());
  bool isTiled = cast<ShapedType>(factors.a.getType()).getRank() == 4;
  Value rows[] = {at(row, 0), at(row, 1)};
  Value panel = arith::DivUIOp::create(b, loc, column, constant(b, tile));
  AffineExpr m, n, k, v;
  bindDims(b.getContext(), m, n, k, v);
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<SmallVector<AffineExpr, 4>>{{m, k, v}, {k, n, v}, {m, n}},
      b.getContext());
  SmallVector<Attribute> iterators;
  for (auto iterator :
       {vector::IteratorType::parallel, vector::IteratorType::parallel,
        vector::IteratorType::reduction, vector::IteratorType::reduction})
    iterators.push_back(
        vector::IteratorTypeAttr::get(b.getContext(), iterator));
  Value zero = constant(b, 0), tileSide = constant(b, side);
  auto loop = scf::ForOp::create(
      b, loc, firstPair, endPair, tileSide, sums,
      [&](OpBuilder &bb, Location, Value pair, ValueRange accumulators) {
        Value depth = arith::MulIOp::create(bb, loc, pair, constant(bb, 2));
        Value left[2], right[2];
        for (int64_t i : {0, 1}) {
          SmallVector<Value> place{rows[i], depth};
          if (isTiled)
            place = {arith::DivUIOp::create(bb, loc, rows[i], tileSide),
                     arith::DivUIOp::create(bb, loc, pair, tileSide), zero,
                     zero};
          left[i] = vector::ShapeCastOp::create(
              bb, loc, pairsType, read(bb, factorType, factors.a, place));
          right[i] = vector::ShapeCastOp::create(
              bb, loc, pairsType,
              read(bb, factorType, factors.b,
                   {panel, pair, constant(bb, 2 * side * i)}));
        }
        SmallVector<Value> next;
        for (int64_t i : {0, 1})
          for (int64_t j : {0, 1})
            next.push_back(vector::ContractionOp::create(
                bb, loc, left[i], right[j], accumulators[2 * i + j],
                bb.getAffineMapArrayAttr(maps), bb.getArrayAttr(iterators)));
        scf::YieldOp::create(bb, loc, next);
      });
  for (int64_t i : {0, 1})
    for (int64_t j : {0, 1})
      to.tensor = vector::TransferWriteOp::create(
                      b, loc, loop.getResult(2 * i + j), to.tensor,
                      ValueRange{at(to.row, i), at(to.column, j)},
                      ArrayRef<bool>{true, true})
                      .getResult();
  return to.tensor;
}

/// Rows of tiles up to `end` for one range of columns, some pairs at a time:
/// what these take of the second factor stays in the first cache while all
/// tiles meet it. Until the last ones, sums wait in memory.
Value RoundedProductEmitter::emitDepthBlocks(OpBuilder &b,
                                             const PairedFactors &factors,
                                             Value end, Value block,
                                             Value column, int64_t numPairs) {
  int64_t numBlocks = llvm::divideCeil(2 * numPairs, options.nearDepth);
  int64_t size =
      llvm::alignTo(llvm::divideCeil(numPairs, numBlocks), kMatrixTile);
  Value zero = constant(b, 0), side = constant(b, tile);
  Value sums = bufferization::AllocTensorOp::create(
      b, loc, RankedTensorType::get({rowBlock, tile}, b.getF32Type()),
      ValueRange{});
  for (int64_t first = 0; first < numPairs; first += size) {
    bool isLast = first + size >= numPairs;
    Value begin = constant(b, first),
          endPair = constant(b, std::min(first + size, numPairs));
    Value results =
        scf::ForOp::create(
            b, loc, zero, end, side, isLast ? block : sums,
            [&](OpBuilder &bb, Location, Value row, ValueRange args) {
              std::optional<SumsPlace> from;
              if (first > 0)
                from = {isLast ? sums : args[0], row, zero};
              SumsPlace to{args[0], row, zero};
              if (isLast)
                to = {args[0], add(bb, factors.firstRow, row), column};
              Value next = emitMatrixKernel(bb, factors, row, column, begin,
                                            endPair, from, to);
              scf::YieldOp::create(bb, loc, next);
            })
            .getResult(0);
    (isLast ? block : sums) = results;
  }
  return block;
}

/// Results of which some are there alone: all are computed, and those copied.
Value RoundedProductEmitter::emitPartialMatrix(OpBuilder &b,
                                               const PairedFactors &factors,
                                               Value row, Value numRows,
                                               Value column, int64_t numColumns,
                                               Value block) {
  Type f32 = b.getF32Type();
  Value zero = constant(b, 0),
        padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(f32));
  Value buffer = bufferization::AllocTensorOp::create(
      b, loc, RankedTensorType::get({2 * kMatrixTile, 2 * kMatrixTile}, f32),
      ValueRange{});
  buffer = emitMatrixKernel(b, factors, row, column, zero, factors.numPairs,
                            /*from=*/std::nullopt, {buffer, zero, zero});
  Value rest = arith::MinUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, numRows, row), constant(b, tile));
  auto copy = [&](OpBuilder &bb, Value r, Value into) {
    Value resultRow = add(bb, factors.firstRow, add(bb, row, r));
    for (int64_t done = 0; done < numColumns; done += options.vectorWidth) {
      auto vector = VectorType::get(
          {std::min(options.vectorWidth, numColumns - done)}, f32);
      Value offset = constant(bb, done), place = add(bb, column, offset);
      auto read = [&](Value from, ValueRange indices) -> Value {
        return vector::TransferReadOp::create(bb, loc, vector, from, indices,
                                              padding, ArrayRef<bool>{true});
      };
      Value sums = read(buffer, {r, offset});
      if (!product.startsFromZero)
        sums = arith::AddFOp::create(bb, loc, read(into, {resultRow, place}),
                                     sums);
      into = vector::TransferWriteOp::create(bb, loc, sums, into,
                                             ValueRange{resultRow, place},
                                             ArrayRef<bool>{true})
                 .getResult();
    }
    return into;
  };
  return scf::ForOp::create(
             b, loc, zero, rest, constant(b, 1), block,
             [&](OpBuilder &bb, Location, Value r, ValueRange args) {
               scf::YieldOp::create(bb, loc, copy(bb, r, args[0]));
             })
      .getResult(0);
}

/// All rows of a block for one range of columns, by matrices.
Value RoundedProductEmitter::emitMatrixColumns(OpBuilder &b,
                                               const PairedFactors &factors,
                                               Value numRows, Value block,
                                               Value column,
                                               int64_t numColumns) {
  Value side = constant(b, tile), zero = constant(b, 0);
  Value whole = zero;
  if (numColumns == tile) {
    whole = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, numRows, side), side);
    std::optional<int64_t> numPairs = getConstantIntValue(factors.numPairs);
    if (numPairs && 2 * *numPairs > options.nearDepth &&
        !product.isTransposed && product.startsFromZero)
      block = emitDepthBlocks(b, factors, whole, block, column, *numPairs);
    else
      block =
          scf::ForOp::create(
              b, loc, zero, whole, side, block,
              [&](OpBuilder &bb, Location, Value row, ValueRange args) {
                SumsPlace to{args[0], add(bb, factors.firstRow, row), column};
                std::optional<SumsPlace> from;
                if (!product.startsFromZero)
                  from = to;
                Value next = emitMatrixKernel(bb, factors, row, column, zero,
                                              factors.numPairs, from, to);
                scf::YieldOp::create(bb, loc, next);
              })
              .getResult(0);
  }
  std::optional<int64_t> known = getConstantIntValue(numRows);
  if (numColumns == tile && known && *known % tile == 0)
    return block;
  return scf::ForOp::create(
             b, loc, whole, numRows, side, block,
             [&](OpBuilder &bb, Location, Value row, ValueRange args) {
               Value next = emitPartialMatrix(bb, factors, row, numRows, column,
                                              numColumns, args[0]);
               scf::YieldOp::create(bb, loc, next);
             })
      .getResult(0);
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
