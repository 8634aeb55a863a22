//===- GraphToSCF.cpp - Loops that make graphs from graphs ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

static Value toIndex(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

static Value loadIndex(OpBuilder &builder, Location loc, Value tensor,
                       Value index) {
  return toIndex(
      builder, loc,
      tensor::ExtractOp::create(builder, loc, tensor, ValueRange{index}));
}

static Value storeIndex(OpBuilder &builder, Location loc, Value value,
                        Value tensor, Value index) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  return tensor::InsertOp::create(builder, loc, value, tensor,
                                  ValueRange{index});
}

/// Copies the row of an edge tensor at `from` to row `to` of `target`.
static Value copyRow(OpBuilder &builder, Location loc, Value source, Value from,
                     Value target, Value to) {
  Value row = emitRowSlice(builder, loc, source, {from});
  SliceParameters slice =
      getRowSlice(builder, cast<RankedTensorType>(target.getType()), {to},
                  std::nullopt, {});
  return tensor::InsertSliceOp::create(builder, loc, row, target, slice.offsets,
                                       slice.sizes, slice.strides);
}

static Value emitEmptyRows(OpBuilder &builder, Location loc, Value rows,
                           RankedTensorType type) {
  SmallVector<OpFoldResult> shape{rows};
  for (int64_t size : type.getShape().drop_front())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
}

/// The tensors of edge values that a graph-rewriting op carries.
static SmallVector<Value> getEdgeTensors(OpBuilder &builder, Location loc,
                                         TypedValue<GNNGraphType> graph,
                                         ValueRange edges) {
  SmallVector<Value> tensors;
  for (Value value : edges)
    tensors.push_back(EdgesToTensorOp::create(
        builder, loc,
        cast<EdgesType>(value.getType()).getTensorType(graph.getType()), graph,
        value));
  return tensors;
}

/// Replaces such an op by a graph made of `parts` and edge values in `tensors`.
static void replaceGraph(PatternRewriter &rewriter, Operation *op,
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

/// Keeps the first `size` rows.
static Value truncateRows(OpBuilder &builder, Location loc, Value tensor,
                          Value size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{size};
  for (int64_t extent : type.getShape().drop_front())
    sizes.push_back(builder.getIndexAttr(extent));
  return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets,
                                        sizes, strides);
}

//===----------------------------------------------------------------------===//
// Self loops
//===----------------------------------------------------------------------===//

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
  state[0] = add(b, loc, position, constant(b, loc, 1));
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
  Value zero = constant(rewriter, loc, 0), one = constant(rewriter, loc, 1);
  Value size = tensor::DimOp::create(rewriter, loc, rowPointers, 0);
  Value numRows = arith::SubIOp::create(rewriter, loc, size, one);
  Value numEdges = tensor::DimOp::create(rewriter, loc, columns, 0);
  Value capacity =
      what.appendsLoop ? add(rewriter, loc, numEdges, numRows) : numEdges;

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
        Value next = add(b, l, row, one);
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
                copied[0] = add(c, cl, inner[0], one);
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
    // Every other topology has its loops; only the type may change.
    if (!op.getEdges().empty() && op.getMode() == SelfLoopMode::Replace)
      return rewriter.notifyMatchFailure(
          op, "values of dense loops are replaced by canonicalisation");
    auto parts = GraphPartsOp::create(rewriter, op.getLoc(), op.getGraph());
    replaceGraph(
        rewriter, op, parts.getParts(),
        getEdgeTensors(rewriter, op.getLoc(), op.getGraph(), op.getEdges()));
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

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

using EdgeEnds = std::pair<Value, Value>;
using EdgeLoopBody = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Location, Value edge, EdgeEnds ends, ValueRange state)>;
/// Emits a loop over all edges that carries `state`; the body gets each edge's
/// number, new destination and new source.
using EdgeLoop = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Location, SmallVector<Value> state, EdgeLoopBody)>;

/// Stable counting sort of edges by their new destination into a csr graph.
static void sortEdges(PatternRewriter &rewriter, Operation *op,
                      RankedTensorType indexTensor, Value numRows,
                      Value numSources, Value numEdges, ArrayRef<Value> tensors,
                      EdgeLoop edgeLoop) {
  Location loc = op->getLoc();
  Value zero = constant(rewriter, loc, 0), one = constant(rewriter, loc, 1);
  Value size = add(rewriter, loc, numRows, one);
  Value empty = emitEmptyRows(rewriter, loc, size, indexTensor);
  Value zeroIndex = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(indexTensor.getElementType(), 0));
  Value counts =
      linalg::FillOp::create(rewriter, loc, zeroIndex, empty).getResult(0);
  // counts[d + 1] = edges into d, then their prefix sum: the row pointers.
  counts = edgeLoop(rewriter, loc, {counts},
                    [&](OpBuilder &b, Location l, Value, EdgeEnds ends,
                        ValueRange state) -> SmallVector<Value> {
                      Value slot = add(b, l, ends.first, one);
                      Value count = loadIndex(b, l, state[0], slot);
                      return {storeIndex(b, l, add(b, l, count, one), state[0],
                                         slot)};
                    })
               .front();
  auto prefix = scf::ForOp::create(
      rewriter, loc, zero, numRows, one, ValueRange{counts},
      [&](OpBuilder &b, Location l, Value row, ValueRange args) {
        Value slot = add(b, l, row, one);
        Value sum = add(b, l, loadIndex(b, l, args[0], row),
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
  SmallVector<Value> sorted = edgeLoop(
      rewriter, loc, state,
      [&](OpBuilder &b, Location l, Value edge, EdgeEnds ends,
          ValueRange args) -> SmallVector<Value> {
        Value place = loadIndex(b, l, args[0], ends.first);
        SmallVector<Value> next(args);
        next[0] = storeIndex(b, l, add(b, l, place, one), args[0], ends.first);
        next[1] = storeIndex(b, l, ends.second, args[1], place);
        for (auto [i, tensor] : llvm::enumerate(tensors))
          next[2 + i] = copyRow(b, l, tensor, edge, args[2 + i], place);
        return next;
      });
  replaceGraph(rewriter, op, {rowPointers, sorted[1], numSources},
               ArrayRef<Value>(sorted).drop_front(2));
}

namespace {
struct LowerToCSR : public OpRewritePattern<ToCSROp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ToCSROp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    Value destinations = parts.getParts()[0], sources = parts.getParts()[1];
    Value numEdges = tensor::DimOp::create(rewriter, loc, destinations, 0);
    SmallVector<Value> tensors =
        getEdgeTensors(rewriter, loc, op.getGraph(), op.getEdges());
    sortEdges(
        rewriter, op, cast<RankedTensorType>(sources.getType()),
        parts.getParts()[2], parts.getParts()[3], numEdges, tensors,
        [&](OpBuilder &b, Location l, SmallVector<Value> state,
            EdgeLoopBody body) {
          auto loop = scf::ForOp::create(
              b, l, constant(b, l, 0), numEdges, constant(b, l, 1), state,
              [&](OpBuilder &bb, Location ll, Value edge, ValueRange args) {
                EdgeEnds ends{loadIndex(bb, ll, destinations, edge),
                              loadIndex(bb, ll, sources, edge)};
                scf::YieldOp::create(bb, ll, body(bb, ll, edge, ends, args));
              });
          return SmallVector<Value>(loop.getResults());
        });
    return success();
  }
};

struct LowerReverse : public OpRewritePattern<ReverseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReverseOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    auto partsOp = GraphPartsOp::create(rewriter, loc, op.getGraph());
    SmallVector<Value> parts(partsOp.getParts());
    if (graph.hasContiguousRows()) {
      replaceGraph(rewriter, op, {parts[1], parts[0]}, {});
      return success();
    }
    SmallVector<Value> tensors =
        getEdgeTensors(rewriter, loc, op.getGraph(), op.getEdges());
    if (graph.getTopology() == Topology::COO) {
      replaceGraph(rewriter, op, {parts[1], parts[0], parts[3], parts[2]},
                   tensors);
      return success();
    }
    Value zero = constant(rewriter, loc, 0), one = constant(rewriter, loc, 1);
    Value size = tensor::DimOp::create(rewriter, loc, parts[0], 0);
    Value numDestinations = arith::SubIOp::create(rewriter, loc, size, one);
    Value numEdges = tensor::DimOp::create(rewriter, loc, parts[1], 0);
    sortEdges(
        rewriter, op, cast<RankedTensorType>(parts[1].getType()), parts[2],
        numDestinations, numEdges, tensors,
        [&](OpBuilder &b, Location l, SmallVector<Value> state,
            EdgeLoopBody body) {
          auto rows = scf::ForOp::create(
              b, l, zero, numDestinations, one, state,
              [&](OpBuilder &bb, Location ll, Value row, ValueRange args) {
                Value begin = loadIndex(bb, ll, parts[0], row);
                Value end = loadIndex(bb, ll, parts[0], add(bb, ll, row, one));
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
};

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

struct LowerNumNodes : public OpRewritePattern<NumNodesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NumNodesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isSource = op.getSide() == NodeSide::Source;
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    Value result;
    switch (op.getGraph().getType().getTopology()) {
    case Topology::CSR:
      result = parts.getParts()[2];
      if (!isSource) {
        Value size =
            tensor::DimOp::create(rewriter, loc, parts.getParts()[0], 0);
        result = arith::SubIOp::create(rewriter, loc, size,
                                       constant(rewriter, loc, 1));
      }
      break;
    case Topology::COO:
      result = parts.getParts()[isSource ? 3 : 2];
      break;
    case Topology::Complete:
    case Topology::Causal:
    case Topology::Window:
      result = parts.getParts()[isSource ? 1 : 0];
      break;
    case Topology::BlockDiagonal: {
      Value pointers = parts.getParts()[isSource ? 1 : 0];
      Value size = tensor::DimOp::create(rewriter, loc, pointers, 0);
      result = loadIndex(rewriter, loc, pointers,
                         arith::SubIOp::create(rewriter, loc, size,
                                               constant(rewriter, loc, 1)));
      break;
    }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerNumEdges : public OpRewritePattern<NumEdgesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NumEdgesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getGraph().getType().getTopology() == Topology::COO) {
      auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
      rewriter.replaceOpWithNewOp<tensor::DimOp>(op, parts.getParts()[0], 0);
      return success();
    }
    RowAccess rows(rewriter, loc, op.getGraph());
    rewriter.replaceOp(op, rows.getNumEdges(rewriter, loc));
    return success();
  }
};

struct LowerDegree : public OpRewritePattern<DegreeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DegreeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    Type elementType = op.getType().getElementType();
    if (graph.getTopology() == Topology::COO ||
        (op.getSide() == NodeSide::Source &&
         (graph.isListed() || graph.getTopology() == Topology::Causal)))
      return lowerByCounting(op, rewriter);
    // The out-degree of a source is the in-degree in the reversed graph.
    TypedValue<GNNGraphType> counted = op.getGraph();
    if (op.getSide() == NodeSide::Source)
      counted = ReverseOp::create(rewriter, loc, TypeRange{graph}, counted,
                                  ValueRange{})
                    .getResult();
    RowAccess rows(rewriter, loc, counted);
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, OpFoldResult(rows.getNumDestinations()), elementType);
    AffineMap identity = rewriter.getMultiDimIdentityMap(1);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{op.getType()}, ValueRange{}, ValueRange{empty},
        ArrayRef<AffineMap>{identity}, utils::IteratorType::parallel,
        [&](OpBuilder &b, Location l, ValueRange) {
          Value row = linalg::IndexOp::create(b, l, 0);
          auto [begin, end] = rows.getRange(b, l, row);
          Value degree = arith::SubIOp::create(b, l, end, begin);
          linalg::YieldOp::create(b, l, convert(b, l, degree, elementType));
        });
    return success();
  }

private:
  static Value convert(OpBuilder &builder, Location loc, Value index,
                       Type type) {
    if (isa<FloatType>(type)) {
      Value integer =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
      return arith::SIToFPOp::create(builder, loc, type, integer);
    }
    return arith::IndexCastOp::create(builder, loc, type, index);
  }

  /// Where no formula gives the count: one pass over the edges.
  static LogicalResult lowerByCounting(DegreeOp op, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    GNNGraphType graph = op.getGraph().getType();
    bool isSource = op.getSide() == NodeSide::Source;
    Type elementType = op.getType().getElementType();
    Value numNodes =
        NumNodesOp::create(rewriter, loc, op.getSide(), op.getGraph());
    auto parts = GraphPartsOp::create(rewriter, loc, op.getGraph());
    if (graph.getTopology() == Topology::Causal) {
      // Destinations j, j + 1, ... see source j.
      Value empty = tensor::EmptyOp::create(
          rewriter, loc, OpFoldResult(numNodes), elementType);
      rewriter.replaceOpWithNewOp<linalg::GenericOp>(
          op, TypeRange{op.getType()}, ValueRange{}, ValueRange{empty},
          ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(1)},
          utils::IteratorType::parallel,
          [&](OpBuilder &b, Location l, ValueRange) {
            Value degree = arith::SubIOp::create(
                b, l, parts.getParts()[0], linalg::IndexOp::create(b, l, 0));
            linalg::YieldOp::create(b, l, convert(b, l, degree, elementType));
          });
      return success();
    }
    Value keys = parts.getParts()[graph.getTopology() == Topology::CSR ? 1
                                  : isSource                           ? 1
                                                                       : 0];
    Value zero = emitScalar(rewriter, loc, elementType, 0);
    Value one = emitScalar(rewriter, loc, elementType, 1);
    Value empty = tensor::EmptyOp::create(rewriter, loc, OpFoldResult(numNodes),
                                          elementType);
    Value counts =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    Value numEdges = tensor::DimOp::create(rewriter, loc, keys, 0);
    auto loop = scf::ForOp::create(
        rewriter, loc, constant(rewriter, loc, 0), numEdges,
        constant(rewriter, loc, 1), ValueRange{counts},
        [&](OpBuilder &b, Location l, Value edge, ValueRange args) {
          Value node = loadIndex(b, l, keys, edge);
          Value count =
              tensor::ExtractOp::create(b, l, args[0], ValueRange{node});
          Value next = tensor::InsertOp::create(b, l, emitAdd(b, l, count, one),
                                                args[0], ValueRange{node});
          scf::YieldOp::create(b, l, next);
        });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};
} // namespace

void gnn::populateGraphToSCFPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAddSelfLoops, LowerRemoveSelfLoops, LowerToCSR,
               LowerReverse, LowerNumNodes, LowerNumEdges, LowerDegree>(
      patterns.getContext());
}
