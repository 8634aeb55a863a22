//===- TopKToSCF.cpp - The largest scores of a row --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

/// Whether score `a` comes before `b`: it is larger, or the only NaN.
static Value emitRanksBefore(OpBuilder &builder, Location loc, Value a,
                             Value b) {
  Value isLarger =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGT, a, b);
  Value isNumber =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
  return arith::AndIOp::create(builder, loc, isLarger, isNumber);
}

namespace {
/// Selects among the edges of one row. All features go through the same steps
/// side by side, so every step is a choice and none a branch.
class RowSelection {
public:
  RowSelection(EdgesType edges, int64_t k, const EdgeRow &part, Value begin,
               Value end)
      : elementType(edges.getElementType()), shape(edges.getShape()), k(k),
        part(part), begin(begin), end(end) {}

  /// `scores` with -inf for all that are not selected.
  Value emit(OpBuilder &b, Location loc, Value scores) const;

private:
  /// The k largest scores in order, from [k, features] of -inf.
  Value emitLargest(OpBuilder &b, Location loc, Value scores) const;
  /// How many of the scores equal to `threshold` are among `largest`.
  Value emitNumTies(OpBuilder &b, Location loc, Value largest,
                    Value threshold) const;
  Value readLargest(OpBuilder &b, Location loc, Value largest, Value i) const {
    return emitRowSlice(b, loc, largest, {i});
  }
  /// min(k, `count`).
  Value limit(OpBuilder &b, Location loc, Value count) const {
    return arith::MinSIOp::create(
        b, loc, arith::ConstantIndexOp::create(b, loc, k), count);
  }

  Type elementType;
  ArrayRef<int64_t> shape;
  int64_t k;
  const EdgeRow &part;
  Value begin, end;
};
} // namespace

Value RowSelection::emitLargest(OpBuilder &b, Location loc,
                                Value scores) const {
  SmallVector<int64_t> listShape{k};
  llvm::append_range(listShape, shape);
  Value empty = emitFilled(
      b, loc, listShape,
      b.getFloatAttr(elementType, -std::numeric_limits<double>::infinity()));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = emitOne(b, loc);
  auto loop = scf::ForOp::create(
      b, loc, begin, end, one, ValueRange{empty},
      [&](OpBuilder &eb, Location el, Value position, ValueRange lists) {
        // Each place takes the better one and hands on the other. Edges before
        // this one fill as many places at most.
        Value before = arith::SubIOp::create(eb, el, position, begin);
        Value count = limit(eb, el, arith::AddIOp::create(eb, el, before, one));
        Value score = part.read(eb, el, scores, position);
        auto insertion = scf::ForOp::create(
            eb, el, zero, count, one, ValueRange{lists[0], score},
            [&](OpBuilder &pb, Location pl, Value place, ValueRange state) {
              Value old = readLargest(pb, pl, state[0], place);
              // Both are updated where they lie.
              SmallVector<Value> sorted = emitElementwise(
                  pb, pl, shape, {}, {}, {old, state[1]},
                  [](OpBuilder &s, Location sl, ValueRange v) {
                    Value isBetter = emitRanksBefore(s, sl, v[1], v[0]);
                    return SmallVector<Value>{
                        arith::SelectOp::create(s, sl, isBetter, v[1], v[0]),
                        arith::SelectOp::create(s, sl, isBetter, v[0], v[1])};
                  });
              SliceParameters slice =
                  getRowSlice(pb, cast<RankedTensorType>(state[0].getType()),
                              {place}, {}, {});
              Value list = tensor::InsertSliceOp::create(
                  pb, pl, sorted[0], state[0], slice.offsets, slice.sizes,
                  slice.strides);
              scf::YieldOp::create(pb, pl, ValueRange{list, sorted[1]});
            });
        scf::YieldOp::create(eb, el, insertion.getResult(0));
      });
  return loop.getResult(0);
}

Value RowSelection::emitNumTies(OpBuilder &b, Location loc, Value largest,
                                Value threshold) const {
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value count = limit(b, loc, arith::SubIOp::create(b, loc, end, begin));
  // k, less one for each that is before the threshold.
  Value init = emitFilled(b, loc, shape, b.getI32IntegerAttr(int32_t(k)));
  auto loop = scf::ForOp::create(
      b, loc, zero, count, emitOne(b, loc), ValueRange{init},
      [&](OpBuilder &pb, Location pl, Value place, ValueRange counts) {
        Value score = readLargest(pb, pl, largest, place);
        SmallVector<Value> next = emitElementwise(
            pb, pl, shape, {score, threshold}, {identity, identity}, counts,
            [](OpBuilder &s, Location sl, ValueRange v) {
              Value isBefore = emitRanksBefore(s, sl, v[0], v[1]);
              Value step =
                  arith::ExtSIOp::create(s, sl, v[2].getType(), isBefore);
              return SmallVector<Value>{emitAdd(s, sl, v[2], step)};
            });
        scf::YieldOp::create(pb, pl, next);
      });
  return loop.getResult(0);
}

Value RowSelection::emit(OpBuilder &b, Location loc, Value scores) const {
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  Value largest = emitLargest(b, loc, scores);
  Value last = arith::ConstantIndexOp::create(b, loc, k - 1);
  Value threshold = readLargest(b, loc, largest, last);
  Value numTies = emitNumTies(b, loc, largest, threshold);
  auto loop = scf::ForOp::create(
      b, loc, begin, end, emitOne(b, loc), ValueRange{scores, numTies},
      [&](OpBuilder &eb, Location el, Value position, ValueRange state) {
        Value score = part.read(eb, el, state[0], position);
        Value empty = tensor::EmptyOp::create(eb, el, shape, elementType);
        SmallVector<Value> next = emitElementwise(
            eb, el, shape, {score, threshold}, {identity, identity},
            {empty, state[1]}, [&](OpBuilder &s, Location sl, ValueRange v) {
              Value zero = emitScalar(s, sl, v[3].getType(), 0);
              Value isBefore = emitRanksBefore(s, sl, v[0], v[1]);
              Value isAfter = emitRanksBefore(s, sl, v[1], v[0]);
              Value hasPlace = arith::CmpIOp::create(
                  s, sl, arith::CmpIPredicate::sgt, v[3], zero);
              Value truth = emitScalar(s, sl, isAfter.getType(), 1);
              Value isTie = arith::AndIOp::create(
                  s, sl, arith::XOrIOp::create(s, sl, isAfter, truth),
                  hasPlace);
              Value isKept = arith::OrIOp::create(s, sl, isBefore, isTie);
              Value lowest = emitScalar(
                  s, sl, elementType, -std::numeric_limits<double>::infinity());
              Value kept = arith::SelectOp::create(s, sl, isKept, v[0], lowest);
              // One place less, unless the score is no tie.
              Value isOther = arith::OrIOp::create(s, sl, isBefore, isAfter);
              Value step = arith::ExtSIOp::create(
                  s, sl, v[3].getType(),
                  arith::XOrIOp::create(s, sl, isOther, truth));
              return SmallVector<Value>{kept, emitAdd(s, sl, v[3], step)};
            });
        Value written = part.write(eb, el, next[0], state[0], position);
        scf::YieldOp::create(eb, el, ValueRange{written, next[1]});
      });
  return loop.getResult(0);
}

namespace {
struct LowerEdgeTopK : public OpRewritePattern<EdgeTopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(EdgeTopKOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    EdgesType edges = op.getScores().getType();
    RankedTensorType type = edges.getTensorType(graph);
    RowAccess rows(rewriter, loc, op.getGraph());
    // What is dropped is overwritten where it lies: rows do not share scores.
    Value scores = EdgesToTensorOp::create(rewriter, loc, type, op.getGraph(),
                                           op.getScores());
    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [begin, end] = rows.getRange(b, l, row);
      EdgeRow part =
          getEdgeRow(b, l, rows, type, graph.hasDenseEdges(), row, begin, end);
      RowSelection selection(edges, op.getK(), part, begin, end);
      Value kept = selection.emit(b, l, part.extract(b, l, outputs[0]));
      part.insert(b, l, kept, outputs[0]);
    };
    Value selected = emitRowLoop(rewriter, loc, rows, scores, emitRow).front();
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getGraph(),
                                                   selected);
    return success();
  }
};
} // namespace

void gnn::populateTopKToSCFPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerEdgeTopK>(patterns.getContext());
}
