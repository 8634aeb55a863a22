//===- SortToSCF.cpp - Sorting edges by destination -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeSort.h"
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

using EdgeEnds = std::pair<Value, Value>;
using EdgeLoopBody = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Location, Value edge, EdgeEnds ends, ValueRange state)>;
/// Emits a loop over all edges that carries `state`; the body gets each edge's
/// number, new destination and new source.
using EdgeLoop = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Location, ArrayRef<Value> state, EdgeLoopBody)>;

/// Stable counting sort of edges by their new destination into a csr graph.
static void sortEdges(PatternRewriter &rewriter, Operation *op,
                      RankedTensorType indexTensor, Value numRows,
                      Value numSources, Value numEdges, ArrayRef<Value> tensors,
                      EdgeLoop edgeLoop) {
  Location loc = op->getLoc();
  Value zero = emitConstant(rewriter, loc, 0),
        one = emitConstant(rewriter, loc, 1);
  Value size = emitAddIndex(rewriter, loc, numRows, one);
  Value empty = emitEmptyRows(rewriter, loc, size, indexTensor);
  Value zeroIndex = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(indexTensor.getElementType(), 0));
  Value counts =
      linalg::FillOp::create(rewriter, loc, zeroIndex, empty).getResult(0);
  // counts[d + 1] = edges into d, then their prefix sum: the row pointers.
  counts = edgeLoop(rewriter, loc, {counts},
                    [&](OpBuilder &b, Location l, Value, EdgeEnds ends,
                        ValueRange state) -> SmallVector<Value> {
                      Value slot = emitAddIndex(b, l, ends.first, one);
                      Value count = loadIndex(b, l, state[0], slot);
                      return {storeIndex(b, l, emitAddIndex(b, l, count, one),
                                         state[0], slot)};
                    })
               .front();
  auto prefix = scf::ForOp::create(
      rewriter, loc, zero, numRows, one, ValueRange{counts},
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        Value slot = emitAddIndex(b, l, row, one);
        Value sum = emitAddIndex(b, l, loadIndex(b, l, args[0], row),
                                 loadIndex(b, l, args[0], slot));
        scf::YieldOp::create(b, l, storeIndex(b, l, sum, args[0], slot));
      });
  Value rowPointers = prefix.getResult(0);

  // The next free place of each row starts as a copy of the row pointers.
  SmallVector<Value> state{rowPointers,
                           emitEmptyRows(rewriter, loc, numEdges, indexTensor)};
  for (Value tensor : tensors)
    state.push_back(emitEmptyRows(rewriter, loc, numEdges,
                                  cast<RankedTensorType>(tensor.getType())));
  SmallVector<Value> sorted =
      edgeLoop(rewriter, loc, state,
               [&](OpBuilder &b, Location l, Value edge, EdgeEnds ends,
                   ValueRange args) -> SmallVector<Value> {
                 Value place = loadIndex(b, l, args[0], ends.first);
                 SmallVector<Value> next(args);
                 next[0] = storeIndex(b, l, emitAddIndex(b, l, place, one),
                                      args[0], ends.first);
                 next[1] = storeIndex(b, l, ends.second, args[1], place);
                 for (auto [i, tensor] : llvm::enumerate(tensors))
                   next[2 + i] =
                       copyRow(b, l, tensor, edge, args[2 + i], place);
                 return next;
               });
  replaceGraph(rewriter, op, {rowPointers, sorted[1], numSources},
               ArrayRef<Value>(sorted).drop_front(2));
}

/// The same side by side, of edges whose new ends are in tensors.
static void sortEdgesSideBySide(PatternRewriter &rewriter, Operation *op,
                                Value destinations, Value sources,
                                Value numRows, Value numSources,
                                ArrayRef<Value> tensors) {
  Location loc = op->getLoc();
  EdgeSort order(rewriter, loc, destinations);
  Type indexType = cast<RankedTensorType>(sources.getType()).getElementType();
  Value size =
      emitAddIndex(rewriter, loc, numRows, emitConstant(rewriter, loc, 1));
  Value rowPointers = emitNumbers(rewriter, loc, size, indexType,
                                  [&](OpBuilder &b, Location l, Value row) {
                                    return order.emitNumBefore(b, l, row);
                                  });
  Value columns =
      emitNumbers(rewriter, loc, order.getNumEdges(), indexType,
                  [&](OpBuilder &b, Location l, Value place) {
                    return loadIndex(b, l, sources, order.getEdge(b, l, place));
                  });
  SmallVector<Value> sorted;
  for (Value tensor : tensors) {
    auto type = cast<RankedTensorType>(tensor.getType());
    Value empty = emitEmptyRows(rewriter, loc, order.getNumEdges(), type);
    auto loop = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{order.getNumEdges()}, empty,
        /*mapping=*/std::nullopt,
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value edge = order.getEdge(b, l, args[0]);
          emitParallelInsert(b, l, {emitRowSlice(b, l, tensor, {edge})},
                             args[1],
                             {getRowSlice(b, type, {args[0]}, {}, {})});
        });
    sorted.push_back(loop.getResult(0));
  }
  replaceGraph(rewriter, op, {rowPointers, columns, numSources}, sorted);
}

namespace {
struct LowerToCSR : public OpRewritePattern<ToCSROp> {
  LowerToCSR(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(ToCSROp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    Value destinations = parts.getParts()[0], sources = parts.getParts()[1];
    Value numEdges = tensor::DimOp::create(rewriter, loc, destinations, 0);
    SmallVector<Value> tensors =
        getEdgeTensors(rewriter, loc, op.getGraph(), op.getEdges());
    if (inParallel) {
      sortEdgesSideBySide(rewriter, op, destinations, sources,
                          parts.getParts()[2], parts.getParts()[3], tensors);
      return success();
    }
    sortEdges(
        rewriter, op, cast<RankedTensorType>(sources.getType()),
        parts.getParts()[2], parts.getParts()[3], numEdges, tensors,
        [&](OpBuilder &b, Location l, ArrayRef<Value> state,
            EdgeLoopBody body) {
          auto loop = scf::ForOp::create(
              b, l, emitConstant(b, l, 0), numEdges, emitConstant(b, l, 1),
              state,
              [&](OpBuilder &bb, Location ll, Value edge, ValueRange args) {
                EdgeEnds ends{loadIndex(bb, ll, destinations, edge),
                              loadIndex(bb, ll, sources, edge)};
                scf::YieldOp::create(bb, ll, body(bb, ll, edge, ends, args));
              });
          return SmallVector<Value>(loop.getResults());
        });
    return success();
  }

private:
  bool inParallel;
};

struct LowerReverse : public OpRewritePattern<ReverseOp> {
  LowerReverse(MLIRContext *context, bool inParallel, bool parallelEdges)
      : OpRewritePattern(context), inParallel(inParallel),
        parallelEdges(parallelEdges) {}

  /// Where the sources of a row are a range, those of its reverse are too:
  /// edge i <- j of the reverse has the value of edge j <- i.
  void replaceContiguous(PatternRewriter &rewriter, ReverseOp op,
                         ArrayRef<Value> parts) const {
    Location loc = op.getLoc();
    GNNGraphType type = op.getResult().getType();
    auto reversed = MakeGraphOp::create(rewriter, loc, type,
                                        ValueRange{parts[1], parts[0]});
    SmallVector<Value> results{reversed};
    if (!op.getEdges().empty()) {
      RowAccess rows(rewriter, loc, reversed.getGraph(), parallelEdges);
      RowAccess columns(rewriter, loc, op.getGraph(), parallelEdges);
      for (Value tensor :
           getEdgeTensors(rewriter, loc, op.getGraph(), op.getEdges())) {
        auto edges =
            cast<EdgesType>(op.getResultEdges()[results.size() - 1].getType());
        Value transposed = emitEdgeRows(
            rewriter, loc, rows, type, edges, parallelEdges,
            [&](OpBuilder &b, Location l, Value row, Value position) {
              return emitRowSlice(b, l, tensor,
                                  columns.getEdgeIndices(b, l, position, row));
            });
        results.push_back(EdgesFromTensorOp::create(rewriter, loc, edges,
                                                    reversed, transposed));
      }
    }
    rewriter.replaceOp(op, results);
  }

  LogicalResult matchAndRewrite(ReverseOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    auto partsOp = GraphPartsOp::create(rewriter, loc, op.getGraph());
    SmallVector<Value> parts(partsOp.getParts());
    if (graph.hasContiguousRows()) {
      replaceContiguous(rewriter, op, parts);
      return success();
    }
    SmallVector<Value> tensors =
        getEdgeTensors(rewriter, loc, op.getGraph(), op.getEdges());
    if (graph.getTopology() == Topology::COO) {
      replaceGraph(rewriter, op, {parts[1], parts[0], parts[3], parts[2]},
                   tensors);
      return success();
    }
    Value zero = emitConstant(rewriter, loc, 0),
          one = emitConstant(rewriter, loc, 1);
    Value size = tensor::DimOp::create(rewriter, loc, parts[0], 0);
    Value numDestinations = arith::SubIOp::create(rewriter, loc, size, one);
    Value numEdges = tensor::DimOp::create(rewriter, loc, parts[1], 0);
    if (inParallel) {
      Value rows = RowAccess(rewriter, loc, op.getGraph(), inParallel)
                       .emitRowsOfEdges(rewriter, loc, numEdges);
      sortEdgesSideBySide(rewriter, op, parts[1], rows, parts[2],
                          numDestinations, tensors);
      return success();
    }
    sortEdges(
        rewriter, op, cast<RankedTensorType>(parts[1].getType()), parts[2],
        numDestinations, numEdges, tensors,
        [&](OpBuilder &b, Location l, ArrayRef<Value> state,
            EdgeLoopBody body) {
          auto rows = scf::ForOp::create(
              b, l, zero, numDestinations, one, state,
              [&](OpBuilder &bb, Location ll, Value row, ValueRange args) {
                Value begin = loadIndex(bb, ll, parts[0], row);
                Value end =
                    loadIndex(bb, ll, parts[0], emitAddIndex(bb, ll, row, one));
                auto edges = scf::ForOp::create(
                    bb, ll, begin, end, one, args,
                    [&](OpBuilder &c, Location cl, Value edge,
                        ValueRange inner) {
                      EdgeEnds ends{loadIndex(c, cl, parts[1], edge), row};
                      scf::YieldOp::create(c, cl,
                                           body(c, cl, edge, ends, inner));
                    });
                scf::YieldOp::create(bb, ll, edges.getResults());
              });
          return SmallVector<Value>(rows.getResults());
        });
    return success();
  }

private:
  bool inParallel, parallelEdges;
};
} // namespace

void gnn::populateSortToSCFPatterns(RewritePatternSet &patterns,
                                    bool inParallel, bool parallelEdges) {
  patterns.add<LowerToCSR>(patterns.getContext(), inParallel);
  patterns.add<LowerReverse>(patterns.getContext(), inParallel, parallelEdges);
}
