//===- EdgeSort.cpp - Sorting edges side by side ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeSort.h"
#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

/// Numbers of a part that are sorted by counting.
static constexpr int64_t logPart = 6;

static Value subtract(OpBuilder &b, Location loc, Value left, Value right) {
  return arith::SubIOp::create(b, loc, left, right);
}
static Value multiply(OpBuilder &b, Location loc, Value left, Value right) {
  return arith::MulIOp::create(b, loc, left, right);
}
static Value isLess(OpBuilder &b, Location loc, Value left, Value right) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, left, right);
}

static Value convertIndex(OpBuilder &builder, Location loc, Value index,
                          Type type) {
  if (type.isIndex())
    return index;
  if (!isa<FloatType>(type))
    return arith::IndexCastOp::create(builder, loc, type, index);
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  return arith::SIToFPOp::create(builder, loc, type, integer);
}

Value gnn::emitNumbers(OpBuilder &builder, Location loc, Value size, Type type,
                       PlaceBody body) {
  Value empty = tensor::EmptyOp::create(builder, loc, OpFoldResult(size), type);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{empty.getType()}, ValueRange{},
             ValueRange{empty},
             ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(1)},
             utils::IteratorType::parallel,
             [&](OpBuilder &b, Location l, ValueRange) {
               Value index = body(b, l, linalg::IndexOp::create(b, l, 0));
               linalg::YieldOp::create(b, l, convertIndex(b, l, index, type));
             })
      .getResult(0);
}

/// Fills `output` with `numbers`, each at a place of its own.
static Value emitPlaced(
    OpBuilder &builder, Location loc, Value size, Value numbers, Value output,
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value)> getPlace) {
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{size}, output,
      /*mapping=*/std::nullopt, [&](OpBuilder &b, Location l, ValueRange args) {
        Value number = loadIndex(b, l, numbers, args[0]);
        Value place = getPlace(b, l, args[0], number);
        SliceParameters slice;
        slice.offsets = {place};
        slice.sizes = slice.strides = {b.getIndexAttr(1)};
        Value entry = tensor::ExtractSliceOp::create(
            b, l, args[1], slice.offsets, slice.sizes, slice.strides);
        Value filled = storeIndex(b, l, number, entry, emitConstant(b, l, 0));
        emitParallelInsert(b, l, {filled}, args[1], {slice});
      });
  return loop.getResult(0);
}

/// Sorts each part: a number's place is how many of its part are less.
static Value emitSortedParts(OpBuilder &builder, Location loc, Value size,
                             Value numbers, Value output) {
  return emitPlaced(
      builder, loc, size, numbers, output,
      [&](OpBuilder &b, Location l, Value index, Value number) {
        Value part = emitConstant(b, l, int64_t(1) << logPart);
        Value rest = arith::RemUIOp::create(b, l, index, part);
        Value first = subtract(b, l, index, rest);
        Value last =
            arith::MinUIOp::create(b, l, emitAddIndex(b, l, first, part), size);
        auto loop = scf::ForOp::create(
            b, l, first, last, emitConstant(b, l, 1), first,
            [&](OpBuilder &c, Location cl, Value other, ValueRange place) {
              Value before =
                  isLess(c, cl, loadIndex(c, cl, numbers, other), number);
              Value step =
                  arith::IndexCastUIOp::create(c, cl, c.getIndexType(), before);
              scf::YieldOp::create(c, cl, emitAddIndex(c, cl, place[0], step));
            });
        return loop.getResult(0);
      });
}

/// Merges sorted parts of `width` numbers, two and two: a number's place is
/// that in its own part, and how many of the other one are less.
static Value emitMergedParts(OpBuilder &builder, Location loc, Value size,
                             Value width, Value numbers, Value output) {
  return emitPlaced(
      builder, loc, size, numbers, output,
      [&](OpBuilder &b, Location l, Value index, Value number) {
        Value one = emitConstant(b, l, 1);
        Value part = arith::DivUIOp::create(b, l, index, width);
        Value other = arith::XOrIOp::create(b, l, part, one);
        Value first =
            arith::MinUIOp::create(b, l, multiply(b, l, other, width), size);
        Value last = arith::MinUIOp::create(
            b, l, emitAddIndex(b, l, first, width), size);
        Value end = emitBisection(
            b, l, first, last, [&](OpBuilder &c, Location cl, Value place) {
              return isLess(c, cl, loadIndex(c, cl, numbers, place), number);
            });
        Value pair = arith::MinUIOp::create(b, l, part, other);
        Value begin = multiply(b, l, pair, width);
        Value ofPart = subtract(b, l, index, multiply(b, l, part, width));
        return emitAddIndex(b, l, emitAddIndex(b, l, begin, ofPart),
                            subtract(b, l, end, first));
      });
}

/// How often parts are merged and merged again until one is left.
static Value emitNumPasses(OpBuilder &b, Location loc, Value size) {
  Value one = emitConstant(b, loc, 1);
  Value last = subtract(b, loc, arith::MaxUIOp::create(b, loc, size, one), one);
  Value parts =
      arith::ShRUIOp::create(b, loc, last, emitConstant(b, loc, logPart));
  Value bits = arith::IndexCastOp::create(b, loc, b.getI64Type(), parts);
  Value zeros = math::CountLeadingZerosOp::create(b, loc, bits);
  Value levels =
      subtract(b, loc, emitConstant(b, loc, 64),
               arith::IndexCastOp::create(b, loc, b.getIndexType(), zeros));
  return arith::CeilDivUIOp::create(b, loc, levels, emitConstant(b, loc, 2));
}

EdgeSort::EdgeSort(OpBuilder &builder, Location loc, Value keys)
    : numEdges(tensor::DimOp::create(builder, loc, keys, 0)) {
  Type index = builder.getIndexType();
  Value numbers = emitNumbers(
      builder, loc, numEdges, index, [&](OpBuilder &b, Location l, Value edge) {
        Value key = loadIndex(b, l, keys, edge);
        return emitAddIndex(b, l, multiply(b, l, key, numEdges), edge);
      });
  auto emitEmpty = [&]() -> Value {
    return tensor::EmptyOp::create(builder, loc, OpFoldResult(numEdges), index);
  };
  Value parts = emitSortedParts(builder, loc, numEdges, numbers, emitEmpty());
  // There and back, so that two arrays are enough.
  Value width = emitConstant(builder, loc, int64_t(1) << logPart);
  auto loop = scf::ForOp::create(
      builder, loc, emitConstant(builder, loc, 0),
      emitNumPasses(builder, loc, numEdges), emitConstant(builder, loc, 1),
      ValueRange{parts, emitEmpty(), width},
      [&](OpBuilder &b, Location l, Value, ValueRange state) {
        Value two = emitConstant(b, l, 2);
        Value twice = multiply(b, l, state[2], two);
        Value there =
            emitMergedParts(b, l, numEdges, state[2], state[0], state[1]);
        Value back = emitMergedParts(b, l, numEdges, twice, there, state[0]);
        scf::YieldOp::create(
            b, l, ValueRange{back, there, multiply(b, l, twice, two)});
      });
  sorted = loop.getResult(0);
}

Value EdgeSort::getEdge(OpBuilder &builder, Location loc, Value place) const {
  return arith::RemUIOp::create(
      builder, loc, loadIndex(builder, loc, sorted, place), numEdges);
}

Value EdgeSort::emitNumBefore(OpBuilder &builder, Location loc,
                              Value key) const {
  Value bound = multiply(builder, loc, key, numEdges);
  return emitBisection(builder, loc, emitConstant(builder, loc, 0), numEdges,
                       [&](OpBuilder &b, Location l, Value place) {
                         return isLess(b, l, loadIndex(b, l, sorted, place),
                                       bound);
                       });
}
