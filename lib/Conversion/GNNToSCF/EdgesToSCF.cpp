//===- EdgesToSCF.cpp - Row loops for ops over edges ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "LongRows.h"
#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Values per edge
//===----------------------------------------------------------------------===//

namespace {
struct LowerMessage : public OpRewritePattern<MessageOp> {
  LowerMessage(MLIRContext *context, bool sideBySide)
      : OpRewritePattern(context), sideBySide(sideBySide) {}

  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    RowAccess rows(rewriter, loc, op.getGraph(), sideBySide);
    EdgeFunction function =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction());
    Value filled = emitEdgeRows(
        rewriter, loc, rows, graph, op.getResult().getType(), sideBySide,
        [&](OpBuilder &b, Location l, Value row, Value position) {
          return emitEdgeValue(b, l, function,
                               rows.getEdge(b, l, row, position));
        });
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, op.getResult().getType(),
                                                   op.getGraph(), filled);
    return success();
  }

private:
  bool sideBySide;
};

/// The softmax of the scores in each row.
class EdgeSoftmax {
public:
  EdgeSoftmax(const RowAccess &rows, EdgesType edges, Value scores)
      : rows(rows), edges(edges), scores(scores), shape(edges.getShape()) {}

  EdgesType getEdgesType() const { return edges; }
  /// Maximum and sum of rows.
  RowAccumulation getStatistics() const;
  /// The weight of an edge, from those of its row.
  Value emitWeight(OpBuilder &b, Location loc, Value row, Value position,
                   ValueRange statistics) const;

private:
  AffineMap getIdentity(OpBuilder &b) const {
    return b.getMultiDimIdentityMap(shape.size());
  }
  Value readScore(OpBuilder &b, Location loc, Value row, Value position) const {
    return emitRowSlice(b, loc, scores,
                        rows.getEdgeIndices(b, loc, row, position));
  }

  const RowAccess &rows;
  EdgesType edges;
  Value scores;
  ArrayRef<int64_t> shape;
};
} // namespace

RowAccumulation EdgeSoftmax::getStatistics() const {
  RowAccumulation result;
  result.emitInitial = [this](OpBuilder &b, Location l) {
    auto zero = cast<TypedAttr>(b.getZeroAttr(edges.getElementType()));
    auto lowest = b.getFloatAttr(edges.getElementType(),
                                 -std::numeric_limits<double>::infinity());
    return SmallVector<Value>{emitFilled(b, l, shape, lowest),
                              emitFilled(b, l, shape, zero)};
  };
  result.emitStep = [this](OpBuilder &b, Location l, Value row, Value position,
                           ValueRange state) {
    return emitElementwise(b, l, shape, readScore(b, l, row, position),
                           {getIdentity(b)}, state,
                           [](OpBuilder &s, Location sl, ValueRange v) {
                             OnlineSoftmaxStep step =
                                 emitOnlineSoftmaxStep(s, sl, v[1], v[2], v[0]);
                             return SmallVector<Value>{step.maximum, step.sum};
                           });
  };
  result.emitMerged = [this](OpBuilder &b, Location l, ValueRange first,
                             ValueRange second) {
    return emitElementwise(
        b, l, shape, second, {getIdentity(b), getIdentity(b)}, first,
        [](OpBuilder &s, Location sl, ValueRange v) {
          OnlineSoftmaxStep step =
              emitOnlineSoftmaxMerge(s, sl, v[2], v[3], v[0], v[1]);
          return SmallVector<Value>{step.maximum, step.sum};
        });
  };
  return result;
}

Value EdgeSoftmax::emitWeight(OpBuilder &b, Location loc, Value row,
                              Value position, ValueRange statistics) const {
  AffineMap identity = getIdentity(b);
  Value score = readScore(b, loc, row, position);
  Value out = tensor::EmptyOp::create(b, loc, shape, edges.getElementType());
  return emitElementwise(b, loc, shape, {score, statistics[0], statistics[1]},
                         {identity, identity, identity}, out,
                         [](OpBuilder &s, Location sl, ValueRange v) {
                           Value shift = emitSoftmaxShift(s, sl, v[1]);
                           Value weight = emitShiftedExp(s, sl, v[0], shift);
                           return SmallVector<Value>{
                               emitNormalized(s, sl, weight, v[2])};
                         })
      .front();
}

namespace {
struct LowerEdgeSoftmax : public OpRewritePattern<EdgeSoftmaxOp> {
  LowerEdgeSoftmax(MLIRContext *context, const EdgeLoopOptions &options)
      : OpRewritePattern(context), options(options) {}

  LogicalResult matchAndRewrite(EdgeSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    EdgesType edges = op.getScores().getType();
    RowAccess rows(rewriter, loc, op.getGraph(), options.parallelEdges);
    Value scores =
        EdgesToTensorOp::create(rewriter, loc, edges.getTensorType(graph),
                                op.getGraph(), op.getScores());
    EdgeSoftmax softmax(rows, edges, scores);
    Value weights = options.parallelEdges
                        ? emitEdgesAtOnce(rewriter, loc, rows, graph, softmax)
                        : emitRows(rewriter, loc, rows, graph, softmax);
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getGraph(),
                                                   weights);
    return success();
  }

private:
  /// Maximum and sum in one pass over each row, weights in a second.
  static Value emitRows(OpBuilder &builder, Location loc, const RowAccess &rows,
                        GNNGraphType graph, const EdgeSoftmax &softmax) {
    Value empty =
        emitEdgeTensor(builder, loc, rows, graph, softmax.getEdgesType());
    auto type = cast<RankedTensorType>(empty.getType());
    RowAccumulation statistics = softmax.getStatistics();
    LongRows wholeRows(builder, loc, rows, statistics, /*edges=*/0);
    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [begin, end] = rows.getRange(b, l, row);
      SmallVector<Value> state = wholeRows.emitRow(b, l, row, begin, end);
      EdgeRow part =
          getEdgeRow(b, l, rows, type, graph.hasDenseEdges(), row, begin, end);
      Value weights = emitEdgeWrites(
          b, l, part, part.extract(b, l, outputs[0]), begin, end,
          [&](OpBuilder &bb, Location ll, Value position) {
            return softmax.emitWeight(bb, ll, row, position, state);
          });
      part.insert(b, l, weights, outputs[0]);
    };
    return emitRowLoop(builder, loc, rows, empty, emitRow).front();
  }

  /// Maxima and sums of all rows are stored for the weights of all edges.
  Value emitEdgesAtOnce(OpBuilder &builder, Location loc, const RowAccess &rows,
                        GNNGraphType graph, const EdgeSoftmax &softmax) const {
    RowAccumulation accumulation = softmax.getStatistics();
    LongRows longRows(builder, loc, rows, accumulation,
                      getPartSize(rows, options.longRowEdges));
    EdgesType edges = softmax.getEdgesType();
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, edges.getShape());
    auto type = RankedTensorType::get(shape, edges.getElementType());
    SmallVector<Value> outputs{emitNodeTensor(builder, loc, rows, type),
                               emitNodeTensor(builder, loc, rows, type)};
    SmallVector<Value> statistics = emitRowLoop(
        builder, loc, rows, outputs,
        [&](OpBuilder &b, Location l, Value row, ValueRange args) {
          auto [begin, end] = rows.getRange(b, l, row);
          SliceParameters slice = getRowSlice(b, type, {row}, {}, {});
          emitParallelInsert(b, l, longRows.emitRow(b, l, row, begin, end),
                             args, {slice, slice});
        });
    return emitEdgeRows(
        builder, loc, rows, graph, edges, /*sideBySide=*/true,
        [&](OpBuilder &b, Location l, Value row, Value position) {
          SmallVector<Value> ofRow;
          for (Value values : statistics)
            ofRow.push_back(emitRowSlice(b, l, values, {row}));
          return softmax.emitWeight(b, l, row, position, ofRow);
        });
  }

  EdgeLoopOptions options;
};
} // namespace

void gnn::populateEdgesToSCFPatterns(RewritePatternSet &patterns,
                                     const EdgeLoopOptions &options) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LowerMessage>(context, options.parallelEdges);
  patterns.add<LowerEdgeSoftmax>(context, options);
}
