//===- TopKToSCF.cpp - The largest scores of a row --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEmitter.h"
#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

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
/// Selects among the edges of all rows, each of them on its own: an edge is
/// kept if fewer than k of its row rank before it.
class EdgeSelection {
public:
  EdgeSelection(const RowAccess &rows, Value scores, bool isDense, int64_t k)
      : rows(rows), scores(scores), isDense(isDense), k(k) {}

  Value emit(OpBuilder &builder, Location loc) const;

private:
  /// How many rank before the score at `indices`, or k if these are more.
  Value emitNumBefore(OpBuilder &b, Location loc, Value row, Value position,
                      ValueRange features, Value score) const;

  const RowAccess &rows;
  Value scores;
  bool isDense;
  int64_t k;
};
} // namespace

Value EdgeSelection::emitNumBefore(OpBuilder &b, Location loc, Value row,
                                   Value position, ValueRange features,
                                   Value score) const {
  std::pair<Value, Value> range = rows.getRange(b, loc, row);
  Value begin = range.first, end = range.second;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value most = arith::ConstantIndexOp::create(b, loc, k);
  if (isDense) {
    // A pair that is no edge has nothing before it.
    Value isAfter = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                          position, begin);
    Value isBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, position, end);
    Value isEdge = arith::AndIOp::create(b, loc, isAfter, isBefore);
    end = arith::SelectOp::create(b, loc, isEdge, end, begin);
  }
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{b.getIndexType(), b.getIndexType()},
      ValueRange{begin, zero},
      [&](OpBuilder &c, Location l, ValueRange state) {
        Value isInRow = arith::CmpIOp::create(c, l, arith::CmpIPredicate::slt,
                                              state[0], end);
        Value isFew = arith::CmpIOp::create(c, l, arith::CmpIPredicate::slt,
                                            state[1], most);
        Value goesOn = arith::AndIOp::create(c, l, isInRow, isFew);
        scf::ConditionOp::create(c, l, goesOn, state);
      },
      [&](OpBuilder &c, Location l, ValueRange state) {
        SmallVector<Value> place = rows.getEdgeIndices(c, l, row, state[0]);
        llvm::append_range(place, features);
        Value other = tensor::ExtractOp::create(c, l, scores, place);
        Value isBefore = emitRanksBefore(c, l, other, score);
        Value isAfter = emitRanksBefore(c, l, score, other);
        Value isEarlier = arith::CmpIOp::create(c, l, arith::CmpIPredicate::slt,
                                                state[0], position);
        // Of equal scores the earlier one.
        Value no = emitScalar(c, l, isAfter.getType(), 0);
        Value isEarlierTie =
            arith::SelectOp::create(c, l, isAfter, no, isEarlier);
        Value counts = arith::OrIOp::create(c, l, isBefore, isEarlierTie);
        Value step =
            arith::IndexCastUIOp::create(c, l, c.getIndexType(), counts);
        Value next = arith::AddIOp::create(c, l, state[0], emitOne(c, l));
        scf::YieldOp::create(c, l,
                             ValueRange{next, emitAdd(c, l, state[1], step)});
      });
  return loop.getResult(1);
}

Value EdgeSelection::emit(OpBuilder &builder, Location loc) const {
  auto type = cast<RankedTensorType>(scores.getType());
  unsigned rank = type.getRank(), leading = isDense ? 2 : 1;
  Value numEdges, rowsOfEdges;
  if (!isDense) {
    numEdges = tensor::DimOp::create(builder, loc, scores, 0);
    rowsOfEdges = rows.emitRowsOfEdges(builder, loc, numEdges);
  }
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, scores);
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, scores, empty,
             ArrayRef<AffineMap>{identity, identity},
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location l, ValueRange v) {
               SmallVector<Value> indices;
               for (unsigned i = 0; i < rank; ++i)
                 indices.push_back(linalg::IndexOp::create(b, l, i));
               Value row = indices[0], position = indices[leading - 1];
               if (!isDense) {
                 row = loadIndex(b, l, rowsOfEdges, row);
                 position = rows.getPosition(b, l, row, position);
               }
               Value before =
                   emitNumBefore(b, l, row, position,
                                 ArrayRef(indices).drop_front(leading), v[0]);
               Value most = arith::ConstantIndexOp::create(b, l, k);
               Value isKept = arith::CmpIOp::create(
                   b, l, arith::CmpIPredicate::slt, before, most);
               Value lowest =
                   emitScalar(b, l, type.getElementType(),
                              -std::numeric_limits<double>::infinity());
               Value kept = arith::SelectOp::create(b, l, isKept, v[0], lowest);
               linalg::YieldOp::create(b, l, kept);
             })
      .getResult(0);
}

namespace {
struct LowerEdgeTopK : public OpRewritePattern<EdgeTopKOp> {
  LowerEdgeTopK(MLIRContext *context, bool sideBySide)
      : OpRewritePattern(context), sideBySide(sideBySide) {}

  LogicalResult matchAndRewrite(EdgeTopKOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    EdgesType edges = op.getScores().getType();
    RankedTensorType type = edges.getTensorType(graph);
    RowAccess rows(rewriter, loc, op.getGraph(), sideBySide);
    Value scores = EdgesToTensorOp::create(rewriter, loc, type, op.getGraph(),
                                           op.getScores());
    bool isDense = graph.hasDenseEdges();
    Value selected = sideBySide
                         ? EdgeSelection(rows, scores, isDense, op.getK())
                               .emit(rewriter, loc)
                         : emitRows(rewriter, loc, rows, scores, isDense, op);
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getGraph(),
                                                   selected);
    return success();
  }

private:
  /// What is dropped is overwritten where it lies: rows do not share scores.
  static Value emitRows(OpBuilder &builder, Location loc, const RowAccess &rows,
                        Value scores, bool isDense, EdgeTopKOp op) {
    auto type = cast<RankedTensorType>(scores.getType());
    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [begin, end] = rows.getRange(b, l, row);
      EdgeRow part = getEdgeRow(b, l, rows, type, isDense, row, begin, end);
      RowSelection selection(op.getScores().getType(), op.getK(), part, begin,
                             end);
      Value kept = selection.emit(b, l, part.extract(b, l, outputs[0]));
      part.insert(b, l, kept, outputs[0]);
    };
    return emitRowLoop(builder, loc, rows, scores, emitRow).front();
  }

  bool sideBySide;
};
} // namespace

void gnn::populateTopKToSCFPatterns(RewritePatternSet &patterns,
                                    bool parallelEdges) {
  patterns.add<LowerEdgeTopK>(patterns.getContext(), parallelEdges);
}
