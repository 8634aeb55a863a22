//===- GraphArrays.cpp - Arrays that graphs are made of ----------*- C++
//-*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphArrays.h"
#include "Slices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

Value gnn::emitConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value gnn::emitAddIndex(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value gnn::emitIndexCast(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

Value gnn::loadIndex(OpBuilder &builder, Location loc, Value tensor,
                     Value index) {
  return emitIndexCast(
      builder, loc,
      tensor::ExtractOp::create(builder, loc, tensor, ValueRange{index}));
}

Value gnn::storeIndex(OpBuilder &builder, Location loc, Value value,
                      Value tensor, Value index) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  return tensor::InsertOp::create(builder, loc, value, tensor,
                                  ValueRange{index});
}

Value gnn::emitEmptyRows(OpBuilder &builder, Location loc, Value rows,
                         RankedTensorType type) {
  SmallVector<OpFoldResult> shape{rows};
  for (int64_t size : type.getShape().drop_front())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
}

void gnn::replaceGraph(PatternRewriter &rewriter, Operation *op,
                       ValueRange parts, ValueRange tensors) {
  Location loc = op->getLoc();
  Value graph =
      MakeGraphOp::create(rewriter, loc, op->getResultTypes().front(), parts);
  SmallVector<Value> results{graph};
  for (auto [tensor, type] :
       llvm::zip(tensors, llvm::drop_begin(op->getResultTypes())))
    results.push_back(
        EdgesFromTensorOp::create(rewriter, loc, type, graph, tensor));
  rewriter.replaceOp(op, results);
}

Value gnn::emitParallelRanges(
    OpBuilder &builder, Location loc, Value size, Value step, Value output,
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value, Value)>
        body) {
  OpFoldResult lower = builder.getIndexAttr(0), upper = size,
               by = getAsOpFoldResult(step);
  auto loop = scf::ForallOp::create(
      builder, loc, lower, upper, by, output, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value last = arith::MinSIOp::create(
            b, l, emitAddIndex(b, l, args[0], step), size);
        OpFoldResult number =
            arith::SubIOp::create(b, l, last, args[0]).getResult();
        emitParallelRows(b, l, args.drop_front(), args[0], number,
                         [&](ValueRange parts) {
                           return SmallVector<Value>{
                               body(b, l, args[0], last, parts.front())};
                         });
      });
  return loop.getResult(0);
}

SmallVector<Value>
gnn::emitRowRanges(OpBuilder &builder, Location loc, Value numRows,
                   Value rowPointer, ValueRange outputs,
                   llvm::function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                         Value, ValueRange)>
                       body) {
  OpFoldResult lower = builder.getIndexAttr(0), upper = numRows,
               by = builder.getIndexAttr(1);
  auto loop = scf::ForallOp::create(
      builder, loc, lower, upper, by, outputs, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value row = args[0];
        Value next = emitAddIndex(b, l, row, emitConstant(b, l, 1));
        Value first = loadIndex(b, l, rowPointer, row);
        Value last = loadIndex(b, l, rowPointer, next);
        OpFoldResult number =
            arith::SubIOp::create(b, l, last, first).getResult();
        emitParallelRows(
            b, l, args.drop_front(), first, number,
            [&](ValueRange parts) { return body(b, l, row, parts); });
      });
  return loop.getResults();
}

/// Prefix sums one by one, and their total.
static std::pair<Value, Value> emitSerialPrefixSums(OpBuilder &builder,
                                                    Location loc, Value values,
                                                    RankedTensorType type) {
  Value zero = emitConstant(builder, loc, 0),
        one = emitConstant(builder, loc, 1);
  Value size = tensor::DimOp::create(builder, loc, values, 0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, size, one,
      ValueRange{emitEmptyRows(builder, loc, size, type), zero},
      [&](OpBuilder &b, Location l, Value i, ValueRange args) {
        Value stored = storeIndex(b, l, args[1], args[0], i);
        Value value = loadIndex(b, l, values, i);
        scf::YieldOp::create(
            b, l, ValueRange{stored, emitAddIndex(b, l, args[1], value)});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Sums of ranges first, then their own prefix sums, of ranges again `levels`
/// times, and then all entries.
static std::pair<Value, Value>
emitPrefixSumsOfRanges(OpBuilder &builder, Location loc, Value values,
                       RankedTensorType type, unsigned levels) {
  if (levels == 0)
    return emitSerialPrefixSums(builder, loc, values, type);
  constexpr int64_t entries = 64;
  Value zero = emitConstant(builder, loc, 0),
        one = emitConstant(builder, loc, 1);
  Value step = emitConstant(builder, loc, entries);
  Value size = tensor::DimOp::create(builder, loc, values, 0);
  Value numRanges = arith::CeilDivUIOp::create(builder, loc, size, step);
  auto indices = cast<RankedTensorType>(values.getType());
  Value sums = emitParallelRanges(
      builder, loc, numRanges, one,
      emitEmptyRows(builder, loc, numRanges, indices),
      [&](OpBuilder &b, Location l, Value range, Value, Value target) {
        Value first = arith::MulIOp::create(b, l, range, step);
        Value last =
            arith::MinSIOp::create(b, l, emitAddIndex(b, l, first, step), size);
        auto sum = scf::ForOp::create(
            b, l, first, last, one, zero,
            [&](OpBuilder &bb, Location ll, Value i, ValueRange args) {
              Value value = loadIndex(bb, ll, values, i);
              scf::YieldOp::create(bb, ll,
                                   emitAddIndex(bb, ll, args[0], value));
            });
        return storeIndex(b, l, sum.getResult(0), target, zero);
      });
  auto [starts, total] =
      emitPrefixSumsOfRanges(builder, loc, sums, indices, levels - 1);
  Value firstOfRanges = starts;
  Value prefix = emitParallelRanges(
      builder, loc, size, step, emitEmptyRows(builder, loc, size, type),
      [&](OpBuilder &b, Location l, Value first, Value last, Value target) {
        Value range = arith::DivUIOp::create(b, l, first, step);
        Value start = loadIndex(b, l, firstOfRanges, range);
        auto fill = scf::ForOp::create(
            b, l, first, last, one, ValueRange{target, start},
            [&](OpBuilder &bb, Location ll, Value i, ValueRange args) {
              Value slot = arith::SubIOp::create(bb, ll, i, first);
              Value stored = storeIndex(bb, ll, args[1], args[0], slot);
              Value value = loadIndex(bb, ll, values, i);
              scf::YieldOp::create(
                  bb, ll,
                  ValueRange{stored, emitAddIndex(bb, ll, args[1], value)});
            });
        return fill.getResult(0);
      });
  return {prefix, total};
}

std::pair<Value, Value> gnn::emitPrefixSums(OpBuilder &builder, Location loc,
                                            Value values,
                                            RankedTensorType type) {
  return emitPrefixSumsOfRanges(builder, loc, values, type, /*levels=*/2);
}

Value gnn::emitBisection(
    OpBuilder &builder, Location loc, Value first, Value last,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> isBefore) {
  Type index = builder.getIndexType();
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{index, index}, ValueRange{first, last},
      [](OpBuilder &b, Location l, ValueRange bounds) {
        Value isOpen = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult,
                                             bounds[0], bounds[1]);
        scf::ConditionOp::create(b, l, isOpen, bounds);
      },
      [&](OpBuilder &b, Location l, ValueRange bounds) {
        Value one = emitConstant(b, l, 1);
        Value sum = emitAddIndex(b, l, bounds[0], bounds[1]);
        Value middle = arith::ShRUIOp::create(b, l, sum, one);
        Value next = emitAddIndex(b, l, middle, one);
        Value condition = isBefore(b, l, middle);
        Value low = arith::SelectOp::create(b, l, condition, next, bounds[0]);
        Value high =
            arith::SelectOp::create(b, l, condition, bounds[1], middle);
        scf::YieldOp::create(b, l, ValueRange{low, high});
      });
  return loop.getResult(0);
}
