//===- PackPairs.cpp - Rows of matrices in pairs, rounded -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackPairs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

Value gnn::roundVector(OpBuilder &b, Location loc, Value a) {
  auto type = cast<VectorType>(a.getType());
  if (type.getElementType().isBF16())
    return a;
  return arith::TruncFOp::create(b, loc, type.clone(b.getBF16Type()), a);
}

Value PairPacker::constant(OpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value PairPacker::read(OpBuilder &b, Value row, Value column, int64_t size) {
  Type elementType = getElementTypeOrSelf(source);
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  Value vector = vector::TransferReadOp::create(
      b, loc, VectorType::get({size}, elementType), source,
      ValueRange{row, column}, padding, ArrayRef<bool>{true});
  return roundVector(b, loc, vector);
}

Value PairPacker::emitBuffer(OpBuilder &b, int64_t numPairs, int64_t columns) {
  int64_t numTiles = llvm::divideCeil(width, columns);
  auto type =
      RankedTensorType::get({numTiles, numPairs, 2 * columns}, b.getBF16Type());
  return bufferization::AllocTensorOp::create(b, loc, type, ValueRange{});
}

/// Elements of two vectors in turns. They move as integers, since few targets
/// have instructions that shuffle bfloat16.
Value PairPacker::interleave(OpBuilder &b, Value even, Value odd) {
  auto type = cast<VectorType>(even.getType());
  VectorType bits = type.clone(b.getI16Type());
  auto toBits = [&](Value vector) {
    return arith::BitcastOp::create(b, loc, bits, vector);
  };
  Value both = vector::InterleaveOp::create(b, loc, toBits(even), toBits(odd));
  auto result = VectorType::get({2 * type.getDimSize(0)}, b.getBF16Type());
  return arith::BitcastOp::create(b, loc, result, both);
}

/// Rows `row` and the one after it, which is zero if the pair is not whole.
Value PairPacker::emitPair(OpBuilder &b, Value row, Value pair, bool isWhole,
                           Value target) {
  int64_t columns = cast<RankedTensorType>(target.getType()).getDimSize(2) / 2;
  Value next = arith::AddIOp::create(b, loc, row, constant(b, 1));
  auto emitVector = [&](OpBuilder &bb, Value tile, Value first, int64_t offset,
                        int64_t size, Value into) -> Value {
    Value column = arith::AddIOp::create(bb, loc, first, constant(bb, offset));
    Value even = read(bb, row, column, size);
    Value odd = isWhole ? read(bb, next, column, size)
                        : arith::ConstantOp::create(
                              bb, loc, bb.getZeroAttr(even.getType()));
    Value both = interleave(bb, even, odd);
    return vector::TransferWriteOp::create(
               bb, loc, both, into,
               ValueRange{tile, pair, constant(bb, 2 * offset)},
               ArrayRef<bool>{true})
        .getResult();
  };
  auto emitTile = [&](OpBuilder &bb, Value tile, Value first, int64_t size,
                      Value into) {
    for (int64_t done = 0; done < size; done += vectorWidth)
      into = emitVector(bb, tile, first, done,
                        std::min(vectorWidth, size - done), into);
    return into;
  };
  int64_t numWhole = width / columns;
  if (numWhole)
    target = scf::ForOp::create(
                 b, loc, constant(b, 0), constant(b, numWhole), constant(b, 1),
                 target,
                 [&](OpBuilder &bb, Location, Value tile, ValueRange args) {
                   Value first = arith::MulIOp::create(bb, loc, tile,
                                                       constant(bb, columns));
                   scf::YieldOp::create(
                       bb, loc, emitTile(bb, tile, first, columns, args[0]));
                 })
                 .getResult(0);
  if (width % columns)
    target = emitTile(b, constant(b, numWhole), constant(b, numWhole * columns),
                      width % columns, target);
  return target;
}

Value PairPacker::emitRowPairs(OpBuilder &b, Value first, Value count,
                               Value target, bool isEven) {
  Value one = constant(b, 1), two = constant(b, 2);
  auto emitLoop = [&](Value begin, Value end, bool isWhole, Value into) {
    return scf::ForOp::create(
               b, loc, begin, end, one, into,
               [&](OpBuilder &bb, Location, Value pair, ValueRange args) {
                 Value row = arith::AddIOp::create(
                     bb, loc, first, arith::MulIOp::create(bb, loc, pair, two));
                 scf::YieldOp::create(
                     bb, loc, emitPair(bb, row, pair, isWhole, args[0]));
               })
        .getResult(0);
  };
  Value whole = arith::DivUIOp::create(b, loc, count, two);
  target = emitLoop(constant(b, 0), whole, /*isWhole=*/true, target);
  std::optional<int64_t> known = getConstantIntValue(count);
  if (isEven || (known && *known % 2 == 0))
    return target;
  return emitLoop(whole, arith::CeilDivUIOp::create(b, loc, count, two),
                  /*isWhole=*/false, target);
}

Value PairPacker::emitZeroPairs(OpBuilder &b, Value begin, Value end,
                                Value target) {
  auto type = cast<RankedTensorType>(target.getType());
  Value zeros = arith::ConstantOp::create(
      b, loc,
      b.getZeroAttr(VectorType::get({type.getDimSize(2)}, b.getBF16Type())));
  return scf::ForOp::create(
             b, loc, begin, end, constant(b, 1), target,
             [&](OpBuilder &bb, Location, Value pair, ValueRange args) {
               Value into = args[0];
               for (int64_t tile = 0; tile < type.getDimSize(0); ++tile)
                 into =
                     vector::TransferWriteOp::create(
                         bb, loc, zeros, into,
                         ValueRange{constant(bb, tile), pair, constant(bb, 0)},
                         ArrayRef<bool>{true})
                         .getResult();
               scf::YieldOp::create(bb, loc, into);
             })
      .getResult(0);
}

Value PairPacker::emitTransposed(OpBuilder &b, Value first, Value count,
                                 Value end, Value target) {
  constexpr int64_t side = 16;
  Type elementType = getElementTypeOrSelf(source);
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  Value step = constant(b, side);
  auto emitLoop = [&](Value begin, Value limit, bool isWhole, Value into) {
    return scf::ForOp::create(
               b, loc, begin, limit, step, into,
               [&](OpBuilder &bb, Location, Value k, ValueRange args) {
                 Value next = args[0];
                 Value row = arith::AddIOp::create(bb, loc, first, k);
                 for (int64_t f = 0; f < width; f += side) {
                   int64_t size = std::min(side, width - f);
                   Value column = constant(bb, f);
                   Value square = vector::TransferReadOp::create(
                       bb, loc, VectorType::get({side, size}, elementType),
                       source, ValueRange{row, column}, padding,
                       ArrayRef<bool>{isWhole, true});
                   Value turned = vector::TransposeOp::create(
                       bb, loc, square, ArrayRef<int64_t>{1, 0});
                   next = vector::TransferWriteOp::create(
                              bb, loc, roundVector(bb, loc, turned), next,
                              ValueRange{column, k}, ArrayRef<bool>{true, true})
                              .getResult();
                 }
                 scf::YieldOp::create(bb, loc, next);
               })
        .getResult(0);
  };
  Value whole = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, count, step), step);
  target = emitLoop(constant(b, 0), whole, /*isWhole=*/true, target);
  return emitLoop(whole, end, /*isWhole=*/false, target);
}

Value PairPacker::emitRows(OpBuilder &b, Value first, Value count,
                           Value target) {
  auto targetType = cast<RankedTensorType>(target.getType());
  bool isTiled = targetType.getRank() == 4;
  int64_t tileRows = isTiled ? targetType.getDimSize(2) : 1;
  int64_t tileColumns = targetType.getShape().back();
  int64_t depth = isTiled ? targetType.getDimSize(1) * tileColumns
                          : targetType.getDimSize(1);
  int64_t step = 2 * vectorWidth;
  assert((!isTiled || tileColumns % step == 0) && "vectors lie in one tile");
  auto write = [&](OpBuilder &bb, Value vector, Value row, Value column,
                   Value into) {
    SmallVector<Value> indices{row, column};
    if (isTiled) {
      Value height = constant(bb, tileRows),
            columns = constant(bb, tileColumns);
      indices = {bb.createOrFold<arith::DivUIOp>(loc, row, height),
                 bb.createOrFold<arith::DivUIOp>(loc, column, columns),
                 bb.createOrFold<arith::RemUIOp>(loc, row, height),
                 bb.createOrFold<arith::RemUIOp>(loc, column, columns)};
    }
    return vector::TransferWriteOp::create(bb, loc, vector, into, indices,
                                           ArrayRef<bool>{true})
        .getResult();
  };
  auto emitRow = [&](OpBuilder &bb, Value row, Value into) {
    Value sourceRow = arith::AddIOp::create(bb, loc, first, row);
    int64_t whole = width / step * step;
    if (whole)
      into = scf::ForOp::create(
                 bb, loc, constant(bb, 0), constant(bb, whole),
                 constant(bb, step), into,
                 [&](OpBuilder &bbb, Location, Value k, ValueRange args) {
                   Value vector = read(bbb, sourceRow, k, step);
                   scf::YieldOp::create(bbb, loc,
                                        write(bbb, vector, row, k, args[0]));
                 })
                 .getResult(0);
    if (whole < width) {
      Value k = constant(bb, whole);
      into = write(bb, read(bb, sourceRow, k, width - whole), row, k, into);
    }
    if (width < depth) {
      auto type = VectorType::get({depth - width}, bb.getBF16Type());
      Value zeros = arith::ConstantOp::create(bb, loc, bb.getZeroAttr(type));
      into = write(bb, zeros, row, constant(bb, width), into);
    }
    return into;
  };
  return scf::ForOp::create(
             b, loc, constant(b, 0), count, constant(b, 1), target,
             [&](OpBuilder &bb, Location, Value row, ValueRange args) {
               scf::YieldOp::create(bb, loc, emitRow(bb, row, args[0]));
             })
      .getResult(0);
}
