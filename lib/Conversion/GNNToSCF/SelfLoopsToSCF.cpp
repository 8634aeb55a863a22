//===- SelfLoopsToSCF.cpp - Adding and dropping self loops ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

namespace {
/// What to do with each row when edges are copied to a new csr.
struct SelfLoopRewrite {
  bool dropsLoops;
  bool appendsLoop;
  /// Take the value of the last loop dropped instead of the fill.
  bool reusesValue;
};
} // namespace

namespace {
/// Where a new loop's values come from: the last loop dropped from its row, or
/// the fill if that number is the number of edges.
struct LoopOrigin {
  Value row, lastLoop, numEdges;
};
} // namespace

/// Appends the loop of a row to `state` (position, columns, edge values).
static SmallVector<Value> appendLoop(OpBuilder &b, Location loc,
                                     SmallVector<Value> state,
                                     const LoopOrigin &origin,
                                     ValueRange tensors, ValueRange fills,
                                     bool reusesValue) {
  Value position = state[0];
  state[1] = storeIndex(b, loc, origin.row, state[1], position);
  for (auto [i, tensor, fill] : llvm::enumerate(tensors, fills)) {
    Value target = state[2 + i];
    if (!reusesValue) {
      state[2 + i] = copyRow(b, loc, fill, origin.row, target, position);
      continue;
    }
    Value hasLoop = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          origin.lastLoop, origin.numEdges);
    Value edgeTensor = tensor, fillTensor = fill;
    auto choice = scf::IfOp::create(
        b, loc, hasLoop,
        [&](OpBuilder &c, Location cl) {
          Value copied =
              copyRow(c, cl, edgeTensor, origin.lastLoop, target, position);
          scf::YieldOp::create(c, cl, copied);
        },
        [&](OpBuilder &c, Location cl) {
          Value copied =
              copyRow(c, cl, fillTensor, origin.row, target, position);
          scf::YieldOp::create(c, cl, copied);
        });
    state[2 + i] = choice.getResult(0);
  }
  state[0] = emitAddIndex(b, loc, position, emitConstant(b, loc, 1));
  return state;
}

/// Copies a csr graph row by row, dropping and appending self loops. Rows are
/// written one after the other, so the loop is sequential; it runs once per
/// call and touches each edge once.
static void rewriteSelfLoops(PatternRewriter &rewriter, Operation *op,
                             TypedValue<GNNGraphType> graph, ValueRange edges,
                             ValueRange fills, SelfLoopRewrite what) {
  Location loc = op->getLoc();
  auto parts = GraphPartsOp::create(rewriter, loc, graph);
  Value rowPointers = parts.getParts()[0], columns = parts.getParts()[1];
  Value numSources = parts.getParts()[2];
  auto indexTensor = cast<RankedTensorType>(columns.getType());
  SmallVector<Value> tensors = getEdgeTensors(rewriter, loc, graph, edges);
  Value zero = emitConstant(rewriter, loc, 0),
        one = emitConstant(rewriter, loc, 1);
  Value size = tensor::DimOp::create(rewriter, loc, rowPointers, 0);
  Value numRows = arith::SubIOp::create(rewriter, loc, size, one);
  Value numEdges = tensor::DimOp::create(rewriter, loc, columns, 0);
  Value capacity = what.appendsLoop
                       ? emitAddIndex(rewriter, loc, numEdges, numRows)
                       : numEdges;

  Value newRows = emitEmptyRows(rewriter, loc, size, indexTensor);
  newRows = storeIndex(rewriter, loc, zero, newRows, zero);
  SmallVector<Value> state{newRows, zero,
                           emitEmptyRows(rewriter, loc, capacity, indexTensor)};
  for (Value tensor : tensors)
    state.push_back(emitEmptyRows(rewriter, loc, capacity,
                                  cast<RankedTensorType>(tensor.getType())));

  auto rows = scf::ForOp::create(
      rewriter, loc, zero, numRows, one, state,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        Value next = emitAddIndex(b, l, row, one);
        Value begin = loadIndex(b, l, rowPointers, row);
        Value end = loadIndex(b, l, rowPointers, next);
        // Position and arrays, then the number of the last loop dropped (the
        // number of edges if there was none).
        SmallVector<Value> init(args.drop_front());
        init.push_back(numEdges);
        auto copy = scf::ForOp::create(
            b, l, begin, end, one, init,
            [&](OpBuilder &bb, Location ll, Value edge, ValueRange inner) {
              Value column = loadIndex(bb, ll, columns, edge);
              auto copyEdge = [&](OpBuilder &c, Location cl) {
                SmallVector<Value> copied(inner);
                copied[1] = storeIndex(c, cl, column, inner[1], inner[0]);
                for (auto [i, tensor] : llvm::enumerate(tensors))
                  copied[2 + i] =
                      copyRow(c, cl, tensor, edge, inner[2 + i], inner[0]);
                copied[0] = emitAddIndex(c, cl, inner[0], one);
                scf::YieldOp::create(c, cl, copied);
              };
              if (!what.dropsLoops) {
                copyEdge(bb, ll);
                return;
              }
              Value isLoop = arith::CmpIOp::create(
                  bb, ll, arith::CmpIPredicate::eq, column, row);
              auto choice = scf::IfOp::create(
                  bb, ll, isLoop,
                  [&](OpBuilder &c, Location cl) {
                    SmallVector<Value> dropped(inner);
                    dropped.back() = edge;
                    scf::YieldOp::create(c, cl, dropped);
                  },
                  copyEdge);
              scf::YieldOp::create(bb, ll, choice.getResults());
            });
        SmallVector<Value> after(copy.getResults().drop_back());
        if (what.appendsLoop) {
          LoopOrigin origin{row, copy.getResults().back(), numEdges};
          auto append = [&](OpBuilder &c, Location cl) {
            return appendLoop(c, cl, after, origin, tensors, fills,
                              what.reusesValue);
          };
          if (!graph.getType().getBipartite()) {
            after = append(b, l);
          } else {
            // A destination has a loop if there is a source of its number.
            Value hasSource = arith::CmpIOp::create(
                b, l, arith::CmpIPredicate::slt, row, numSources);
            auto choice = scf::IfOp::create(
                b, l, hasSource,
                [&](OpBuilder &c, Location cl) {
                  scf::YieldOp::create(c, cl, append(c, cl));
                },
                [&](OpBuilder &c, Location cl) {
                  scf::YieldOp::create(c, cl, after);
                });
            after.assign(choice.getResults().begin(),
                         choice.getResults().end());
          }
        }
        SmallVector<Value> yielded{storeIndex(b, l, after[0], args[0], next)};
        llvm::append_range(yielded, after);
        scf::YieldOp::create(b, l, yielded);
      });
  Value total = rows.getResult(1);
  SmallVector<Value> newTensors;
  for (Value tensor : rows.getResults().drop_front(3))
    newTensors.push_back(truncateRows(rewriter, loc, tensor, total));
  Value newColumns = truncateRows(rewriter, loc, rows.getResult(2), total);
  replaceGraph(rewriter, op, {rows.getResult(0), newColumns, numSources},
               newTensors);
}

/// The rows of `fill` on self loops, `edges` on all other edges.
static Value emitLoopChoice(PatternRewriter &rewriter, Location loc,
                            Value graph, Value edges, Value fill) {
  auto type = cast<EdgesType>(edges.getType());
  unsigned rank = type.getShape().size();
  Attribute map = AffineMapAttr::get(rewriter.getMultiDimIdentityMap(rank));
  auto message = MessageOp::create(
      rewriter, loc, type, graph, /*dst=*/fill, /*src=*/ValueRange{},
      /*edge=*/edges, /*uniform=*/ValueRange{},
      rewriter.getArrayAttr({map, map, map}),
      rewriter.getStrArrayAttr(SmallVector<StringRef>(rank, "parallel")));
  OpBuilder::InsertionGuard guard(rewriter);
  Type element = type.getElementType();
  Block *block = rewriter.createBlock(&message.getBody(), {},
                                      {element, element}, {loc, loc});
  Value isLoop = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq,
      IndexOp::create(rewriter, loc, NodeSide::Destination),
      IndexOp::create(rewriter, loc, NodeSide::Source));
  Value chosen = arith::SelectOp::create(
      rewriter, loc, isLoop, block->getArgument(0), block->getArgument(1));
  YieldOp::create(rewriter, loc, chosen);
  return message.getResult();
}

namespace {
struct LowerAddSelfLoops : public OpRewritePattern<AddSelfLoopsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getGraph().getType().getTopology() == Topology::CSR) {
      bool keeps = op.getMode() == SelfLoopMode::Keep;
      rewriteSelfLoops(
          rewriter, op, op.getGraph(), op.getEdges(), op.getFill(),
          {!keeps, /*appendsLoop=*/true, op.getMode() == SelfLoopMode::Reuse});
      return success();
    }
    // Every other topology has its loops: their values may change, and the
    // type.
    SmallVector<Value> edges(op.getEdges());
    if (op.getMode() == SelfLoopMode::Replace)
      for (auto [value, fill] : llvm::zip(edges, op.getFill()))
        value =
            emitLoopChoice(rewriter, op.getLoc(), op.getGraph(), value, fill);
    auto parts = GraphPartsOp::create(rewriter, op.getLoc(), op.getGraph());
    replaceGraph(rewriter, op, parts.getParts(),
                 getEdgeTensors(rewriter, op.getLoc(), op.getGraph(), edges));
    return success();
  }
};

struct LowerRemoveSelfLoops : public OpRewritePattern<RemoveSelfLoopsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RemoveSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    rewriteSelfLoops(rewriter, op, op.getGraph(), op.getEdges(), ValueRange{},
                     {/*dropsLoops=*/true, /*appendsLoop=*/false,
                      /*reusesValue=*/false});
    return success();
  }
};
} // namespace

void gnn::populateSelfLoopsToSCFPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAddSelfLoops, LowerRemoveSelfLoops>(patterns.getContext());
}
