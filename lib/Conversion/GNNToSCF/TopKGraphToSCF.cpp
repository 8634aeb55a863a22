//===- TopKGraphToSCF.cpp - Graphs of the largest scores --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/RankedRows.h"
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
/// The best edges of a row so far, in order.
struct BestEdges {
  /// Their scores, -inf behind the last, and their sources.
  Value scores, sources;
  Value number;
};

/// Keeps the best edges of a row in lists of `k` entries.
class EdgeRanking {
public:
  EdgeRanking(const RowAccess &rows, const EdgeFunction &score, int64_t k)
      : rows(rows), score(score), k(k) {}

  /// The best edges of `row` in lists that take the place of `best`, whose
  /// scores are all -inf.
  BestEdges emitRow(OpBuilder &b, Location loc, Value row,
                    BestEdges best) const;

private:
  /// `best` with an edge in its place, which there is.
  BestEdges emitInsertion(OpBuilder &b, Location loc, BestEdges best,
                          Value value, Value source) const;

  const RowAccess &rows;
  const EdgeFunction &score;
  int64_t k;
};
} // namespace

static Value loadScore(OpBuilder &b, Location loc, Value scores, Value place) {
  return tensor::ExtractOp::create(b, loc, scores, place);
}

BestEdges EdgeRanking::emitInsertion(OpBuilder &b, Location loc, BestEdges best,
                                     Value value, Value source) const {
  Value zero = emitConstant(b, loc, 0), one = emitConstant(b, loc, 1);
  Value last = emitConstant(b, loc, k - 1);
  Value lowest = arith::MinSIOp::create(b, loc, best.number, last);
  // From the end on: each place takes what is before it if the edge comes
  // before that, the edge if it comes before what is here, or stays.
  auto loop = scf::ForOp::create(
      b, loc, zero, emitAddIndex(b, loc, lowest, one), one,
      ValueRange{best.scores, best.sources},
      [&](OpBuilder &pb, Location l, Value step, ValueRange lists) {
        Value place = arith::SubIOp::create(pb, l, lowest, step);
        Value isFirst =
            arith::CmpIOp::create(pb, l, arith::CmpIPredicate::eq, place, zero);
        Value before = arith::SelectOp::create(
            pb, l, isFirst, zero, arith::SubIOp::create(pb, l, place, one));
        Value scoreBefore = loadScore(pb, l, lists[0], before);
        Value scoreHere = loadScore(pb, l, lists[0], place);
        Value no = emitScalar(pb, l, pb.getI1Type(), 0);
        Value moves = arith::SelectOp::create(
            pb, l, isFirst, no, emitRanksBefore(pb, l, value, scoreBefore));
        Value takes = emitRanksBefore(pb, l, value, scoreHere);
        auto choose = [&](Value beforeIt, Value here, Value itself) {
          Value kept = arith::SelectOp::create(pb, l, takes, itself, here);
          return arith::SelectOp::create(pb, l, moves, beforeIt, kept)
              .getResult();
        };
        Value sourceBefore = loadIndex(pb, l, lists[1], before);
        Value sourceHere = loadIndex(pb, l, lists[1], place);
        Value scores = tensor::InsertOp::create(
            pb, l, choose(scoreBefore, scoreHere, value), lists[0], place);
        Value sources = storeIndex(
            pb, l, choose(sourceBefore, sourceHere, source), lists[1], place);
        scf::YieldOp::create(pb, l, ValueRange{scores, sources});
      });
  Value number = arith::MinSIOp::create(
      b, loc, emitAddIndex(b, loc, best.number, one), emitConstant(b, loc, k));
  return {loop.getResult(0), loop.getResult(1), number};
}

BestEdges EdgeRanking::emitRow(OpBuilder &b, Location loc, Value row,
                               BestEdges best) const {
  auto [begin, end] = rows.getRange(b, loc, row);
  auto loop = scf::ForOp::create(
      b, loc, begin, end, emitOne(b, loc),
      ValueRange{best.scores, best.sources, best.number},
      [&](OpBuilder &eb, Location l, Value position, ValueRange state) {
        EdgePosition edge = rows.getEdge(eb, l, row, position);
        Value value = tensor::ExtractOp::create(
            eb, l, emitEdgeValue(eb, l, score, edge), ValueRange());
        // Nothing is before an edge without a score, which is none.
        Value worst = loadScore(eb, l, state[0], emitConstant(eb, l, k - 1));
        Value isBetter = emitRanksBefore(eb, l, value, worst);
        auto insertion = scf::IfOp::create(
            eb, l, isBetter,
            [&](OpBuilder &c, Location cl) {
              BestEdges next = emitInsertion(
                  c, cl, {state[0], state[1], state[2]}, value, edge.source);
              scf::YieldOp::create(
                  c, cl, ValueRange{next.scores, next.sources, next.number});
            },
            [&](OpBuilder &c, Location cl) {
              scf::YieldOp::create(c, cl, state);
            });
        scf::YieldOp::create(eb, l, insertion.getResults());
      });
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// Row by row.
static RankedRows emitRankedRows(OpBuilder &builder, Location loc,
                                 const RowAccess &rows,
                                 const EdgeFunction &score, Type sourceType,
                                 int64_t k) {
  EdgeRanking ranking(rows, score, k);
  Type elementType = score.getResultElementType();
  auto getListType = [&](Type type) {
    return RankedTensorType::get({ShapedType::kDynamic, k}, type);
  };
  RankedTensorType scoreType = getListType(elementType);
  RankedTensorType sourcesType = getListType(sourceType);
  auto numbersType =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getIndexType());
  RankedRows empty =
      emitEmptyRanks(builder, loc, rows.getNumDestinations(), sourceType, k);
  SmallVector<Value> outputs{emitNodeTensor(builder, loc, rows, scoreType),
                             empty.sources, empty.numbers};
  SmallVector<Value> results = emitRowLoop(
      builder, loc, rows, outputs,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        auto fill = [&](Value output, Type type, double value) {
          return linalg::FillOp::create(b, l, emitScalar(b, l, type, value),
                                        emitRowSlice(b, l, output, {row}))
              .getResult(0);
        };
        // All of a list is copied, also what means nothing.
        BestEdges best{fill(args[0], elementType,
                            -std::numeric_limits<double>::infinity()),
                       fill(args[1], sourceType, 0), emitConstant(b, l, 0)};
        best = ranking.emitRow(b, l, row, best);
        Value number =
            tensor::FromElementsOp::create(b, l, ValueRange{best.number});
        SmallVector<SliceParameters> slices;
        for (RankedTensorType type : {scoreType, sourcesType, numbersType})
          slices.push_back(getRowSlice(b, type, {row}, {}, {}));
        emitParallelInsert(b, l, {best.scores, best.sources, number}, args,
                           slices);
      });
  return {results[1], results[2]};
}

namespace {
struct LowerTopKGraph : public OpRewritePattern<TopKGraphOp> {
  LowerTopKGraph(MLIRContext *context, bool sideBySide)
      : OpRewritePattern(context), sideBySide(sideBySide) {}

  LogicalResult matchAndRewrite(TopKGraphOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowAccess rows(rewriter, loc, op.getGraph(), sideBySide);
    EdgeFunction score =
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction());
    RankedRows ranked =
        emitRankedRows(rewriter, loc, rows, score,
                       op.getGraph().getType().getIndexType(), op.getK());
    replaceByRankedRows(rewriter, op, ranked, rows.getNumSources());
    return success();
  }

private:
  bool sideBySide;
};
} // namespace

void gnn::populateTopKGraphToSCFPatterns(RewritePatternSet &patterns,
                                         bool parallelEdges) {
  patterns.add<LowerTopKGraph>(patterns.getContext(), parallelEdges);
}
