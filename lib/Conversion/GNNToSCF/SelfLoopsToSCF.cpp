//===- SelfLoopsToSCF.cpp - Adding and dropping self loops ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Slices.h"
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

/// Appends the loop of a row to `state` (position, columns if there are any,
/// edge values).
static SmallVector<Value> appendLoop(OpBuilder &b, Location loc,
                                     SmallVector<Value> state,
                                     const LoopOrigin &origin,
                                     ValueRange tensors, ValueRange fills,
                                     bool reusesValue) {
  Value position = state[0];
  size_t firstValue = state.size() - tensors.size();
  if (firstValue > 1)
    state[1] = storeIndex(b, loc, origin.row, state[1], position);
  for (auto [i, tensor, fill] : llvm::enumerate(tensors, fills)) {
    Value &target = state[firstValue + i];
    if (!reusesValue) {
      target = copyRow(b, loc, fill, origin.row, target, position);
      continue;
    }
    Value hasLoop = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          origin.lastLoop, origin.numEdges);
    Value edgeTensor = tensor, fillTensor = fill, before = target;
    auto choice = scf::IfOp::create(
        b, loc, hasLoop,
        [&](OpBuilder &c, Location cl) {
          Value copied =
              copyRow(c, cl, edgeTensor, origin.lastLoop, before, position);
          scf::YieldOp::create(c, cl, copied);
        },
        [&](OpBuilder &c, Location cl) {
          Value copied =
              copyRow(c, cl, fillTensor, origin.row, before, position);
          scf::YieldOp::create(c, cl, copied);
        });
    target = choice.getResult(0);
  }
  state[0] = emitAddIndex(b, loc, position, emitConstant(b, loc, 1));
  return state;
}

/// Whether a self loop is appended to a row; null if one always is.
static Value emitHasNewLoop(OpBuilder &b, Location loc, GNNGraphType type,
                            Value row, Value numSources) {
  if (!type.getBipartite())
    return nullptr;
  // A destination has a loop if there is a source of its number.
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row,
                               numSources);
}

namespace {
/// A csr graph, the values of its edges and those of new loops, and what is to
/// be done with them.
struct LoopedGraph {
  GNNGraphType type;
  SmallVector<Value> parts, tensors, fills;
  SelfLoopRewrite what;
  /// Whether columns are copied, and not the values alone.
  bool copiesColumns = true;

  /// Entries of the row pointer.
  Value getSize(OpBuilder &b, Location loc) const {
    return tensor::DimOp::create(b, loc, parts[0], 0);
  }
  Value getNumRows(OpBuilder &b, Location loc) const {
    return arith::SubIOp::create(b, loc, getSize(b, loc),
                                 emitConstant(b, loc, 1));
  }
  /// Arrays for the columns and the values of so many edges.
  SmallVector<Value> emitArrays(OpBuilder &b, Location loc,
                                Value numEdges) const {
    SmallVector<Value> arrays;
    if (copiesColumns)
      arrays.push_back(emitEmptyRows(
          b, loc, numEdges, cast<RankedTensorType>(parts[1].getType())));
    for (Value tensor : tensors)
      arrays.push_back(emitEmptyRows(b, loc, numEdges,
                                     cast<RankedTensorType>(tensor.getType())));
    return arrays;
  }
};
} // namespace

/// How many edges each row will have, then a 0.
static Value emitRowSizes(PatternRewriter &rewriter, Location loc,
                          const LoopedGraph &graph) {
  Value zero = emitConstant(rewriter, loc, 0);
  Value one = emitConstant(rewriter, loc, 1);
  Value size = graph.getSize(rewriter, loc);
  Value numRows = graph.getNumRows(rewriter, loc);
  Value empty = emitEmptyRows(
      rewriter, loc, size,
      RankedTensorType::get({ShapedType::kDynamic}, rewriter.getIndexType()));
  return emitParallelRanges(
      rewriter, loc, size, one, empty,
      [&](OpBuilder &b, Location l, Value row, Value, Value target) {
        Value next =
            arith::MinSIOp::create(b, l, emitAddIndex(b, l, row, one), numRows);
        Value begin = loadIndex(b, l, graph.parts[0], row);
        Value end = loadIndex(b, l, graph.parts[0], next);
        Value count = arith::SubIOp::create(b, l, end, begin);
        if (graph.what.dropsLoops) {
          auto kept = scf::ForOp::create(
              b, l, begin, end, one, zero,
              [&](OpBuilder &bb, Location ll, Value edge, ValueRange args) {
                Value column = loadIndex(bb, ll, graph.parts[1], edge);
                Value isKept = arith::CmpIOp::create(
                    bb, ll, arith::CmpIPredicate::ne, column, row);
                Value added =
                    arith::SelectOp::create(bb, ll, isKept, one, zero);
                scf::YieldOp::create(bb, ll,
                                     emitAddIndex(bb, ll, args[0], added));
              });
          count = kept.getResult(0);
        }
        if (graph.what.appendsLoop) {
          Value isRow = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne,
                                              row, numRows);
          if (Value has = emitHasNewLoop(b, l, graph.type, row, graph.parts[2]))
            isRow = arith::AndIOp::create(b, l, isRow, has);
          Value added = arith::SelectOp::create(b, l, isRow, one, zero);
          count = emitAddIndex(b, l, count, added);
        }
        return storeIndex(b, l, count, target, zero);
      });
}

/// Copies the edges of a row, and appends its loop, to arrays from a position
/// on. Returns the position after them, and the arrays.
static SmallVector<Value> copyRowEdges(OpBuilder &b, Location l, Value row,
                                       const LoopedGraph &graph, Value position,
                                       ValueRange arrays) {
  Value one = emitConstant(b, l, 1);
  Value begin = loadIndex(b, l, graph.parts[0], row);
  Value end = loadIndex(b, l, graph.parts[0], emitAddIndex(b, l, row, one));
  Value numEdges = tensor::DimOp::create(b, l, graph.parts[1], 0);
  // Position and arrays, then the number of the last loop dropped (the number
  // of edges if there was none).
  SmallVector<Value> init{position};
  llvm::append_range(init, arrays);
  init.push_back(numEdges);
  auto copy = scf::ForOp::create(
      b, l, begin, end, one, init,
      [&](OpBuilder &bb, Location ll, Value edge, ValueRange inner) {
        Value column = loadIndex(bb, ll, graph.parts[1], edge);
        auto copyEdge = [&](OpBuilder &c, Location cl) {
          SmallVector<Value> copied(inner);
          size_t next = 1;
          if (graph.copiesColumns) {
            copied[1] = storeIndex(c, cl, column, inner[1], inner[0]);
            ++next;
          }
          for (Value tensor : graph.tensors) {
            copied[next] = copyRow(c, cl, tensor, edge, inner[next], inner[0]);
            ++next;
          }
          copied[0] = emitAddIndex(c, cl, inner[0], one);
          scf::YieldOp::create(c, cl, copied);
        };
        if (!graph.what.dropsLoops) {
          copyEdge(bb, ll);
          return;
        }
        Value isLoop = arith::CmpIOp::create(bb, ll, arith::CmpIPredicate::eq,
                                             column, row);
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
  if (graph.what.appendsLoop) {
    LoopOrigin origin{row, copy.getResults().back(), numEdges};
    auto append = [&](OpBuilder &c, Location cl) {
      return appendLoop(c, cl, after, origin, graph.tensors, graph.fills,
                        graph.what.reusesValue);
    };
    Value has = emitHasNewLoop(b, l, graph.type, row, graph.parts[2]);
    if (!has) {
      after = append(b, l);
    } else {
      auto choice = scf::IfOp::create(
          b, l, has,
          [&](OpBuilder &c, Location cl) {
            scf::YieldOp::create(c, cl, append(c, cl));
          },
          [&](OpBuilder &c, Location cl) {
            scf::YieldOp::create(c, cl, after);
          });
      after.assign(choice.getResults().begin(), choice.getResults().end());
    }
  }
  return after;
}

namespace {
/// The parts of a graph and the values of its edges.
struct GraphArrays {
  Value rows;
  /// Columns first.
  SmallVector<Value> edges;
};
} // namespace

/// Copies row after row, which touches each edge once.
static GraphArrays copyInOrder(PatternRewriter &rewriter, Location loc,
                               const LoopedGraph &graph) {
  Value zero = emitConstant(rewriter, loc, 0);
  Value one = emitConstant(rewriter, loc, 1);
  Value numRows = graph.getNumRows(rewriter, loc);
  Value capacity = tensor::DimOp::create(rewriter, loc, graph.parts[1], 0);
  if (graph.what.appendsLoop)
    capacity = emitAddIndex(rewriter, loc, capacity, numRows);
  Value newRows =
      emitEmptyRows(rewriter, loc, graph.getSize(rewriter, loc),
                    cast<RankedTensorType>(graph.parts[0].getType()));
  SmallVector<Value> state{storeIndex(rewriter, loc, zero, newRows, zero),
                           zero};
  llvm::append_range(state, graph.emitArrays(rewriter, loc, capacity));
  auto loop = scf::ForOp::create(
      rewriter, loc, zero, numRows, one, state,
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        SmallVector<Value> after =
            copyRowEdges(b, l, row, graph, args[1], args.drop_front(2));
        Value next = emitAddIndex(b, l, row, one);
        SmallVector<Value> yielded{storeIndex(b, l, after[0], args[0], next)};
        llvm::append_range(yielded, after);
        scf::YieldOp::create(b, l, yielded);
      });
  GraphArrays arrays{loop.getResult(0), {}};
  for (Value array : loop.getResults().drop_front(2))
    arrays.edges.push_back(extractRows(
        rewriter, loc, array, rewriter.getIndexAttr(0), loop.getResult(1)));
  return arrays;
}

/// Copies rows side by side to where `rows` has them begin.
static SmallVector<Value> copyRows(PatternRewriter &rewriter, Location loc,
                                   const LoopedGraph &graph, Value rows,
                                   Value numEdges) {
  auto copyRow = [&](OpBuilder &b, Location l, Value row, ValueRange ranges) {
    SmallVector<Value> after =
        copyRowEdges(b, l, row, graph, emitConstant(b, l, 0), ranges);
    after.erase(after.begin());
    return after;
  };
  // As what reads the new graph counts them, so that both loops are seen to
  // take the same rows.
  Value numRows = arith::SubIOp::create(
      rewriter, loc, tensor::DimOp::create(rewriter, loc, rows, 0),
      emitConstant(rewriter, loc, 1));
  return emitRowRanges(rewriter, loc, numRows, rows,
                       graph.emitArrays(rewriter, loc, numEdges), copyRow);
}

/// Counts what each row will have, then copies all rows side by side.
static GraphArrays copyInParallel(PatternRewriter &rewriter, Location loc,
                                  const LoopedGraph &graph) {
  auto [rows, total] =
      emitPrefixSums(rewriter, loc, emitRowSizes(rewriter, loc, graph),
                     cast<RankedTensorType>(graph.parts[0].getType()));
  return {rows, copyRows(rewriter, loc, graph, rows, total)};
}

/// Copies the graph alone, which is done once for all runs on it, and then the
/// values of its edges.
static GraphArrays copyApart(PatternRewriter &rewriter, Location loc,
                             const LoopedGraph &graph) {
  LoopedGraph bare = graph, values = graph;
  bare.tensors.clear();
  bare.fills.clear();
  values.copiesColumns = false;
  GraphArrays arrays = copyInOrder(rewriter, loc, bare);
  if (graph.tensors.empty())
    return arrays;
  Value numEdges =
      tensor::DimOp::create(rewriter, loc, arrays.edges.front(), 0);
  llvm::append_range(arrays.edges,
                     copyRows(rewriter, loc, values, arrays.rows, numEdges));
  return arrays;
}

/// Copies a csr graph, dropping and appending self loops.
static void rewriteSelfLoops(PatternRewriter &rewriter, Operation *op,
                             TypedValue<GNNGraphType> graph, ValueRange edges,
                             ValueRange fills, SelfLoopRewrite what,
                             bool inParallel) {
  Location loc = op->getLoc();
  auto parts = GraphPartsOp::create(rewriter, loc, graph);
  LoopedGraph looped{graph.getType(),
                     llvm::to_vector_of<Value>(parts.getParts()),
                     getEdgeTensors(rewriter, loc, graph, edges),
                     llvm::to_vector(fills), what};
  GraphArrays arrays = inParallel ? copyInParallel(rewriter, loc, looped)
                                  : copyApart(rewriter, loc, looped);
  replaceGraph(rewriter, op,
               {arrays.rows, arrays.edges.front(), looped.parts[2]},
               ArrayRef(arrays.edges).drop_front());
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
  LowerAddSelfLoops(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(AddSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getGraph().getType().getTopology() == Topology::CSR) {
      bool keeps = op.getMode() == SelfLoopMode::Keep;
      rewriteSelfLoops(
          rewriter, op, op.getGraph(), op.getEdges(), op.getFill(),
          {!keeps, /*appendsLoop=*/true, op.getMode() == SelfLoopMode::Reuse},
          inParallel);
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

private:
  bool inParallel;
};

struct LowerRemoveSelfLoops : public OpRewritePattern<RemoveSelfLoopsOp> {
  LowerRemoveSelfLoops(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(RemoveSelfLoopsOp op,
                                PatternRewriter &rewriter) const override {
    rewriteSelfLoops(rewriter, op, op.getGraph(), op.getEdges(), ValueRange{},
                     {/*dropsLoops=*/true, /*appendsLoop=*/false,
                      /*reusesValue=*/false},
                     inParallel);
    return success();
  }

private:
  bool inParallel;
};
} // namespace

void gnn::populateSelfLoopsToSCFPatterns(RewritePatternSet &patterns,
                                         bool inParallel) {
  patterns.add<LowerAddSelfLoops, LowerRemoveSelfLoops>(patterns.getContext(),
                                                        inParallel);
}
