//===- GroupEdges.cpp - Edges of one matrix together ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeSort.h"
#include "RowLoops.h"
#include "RunScale.h"
#include "gnn/Conversion/Passes.h"
#include "gnn/Transforms/EdgeMatrices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_GROUPEDGESPASS
#include "gnn/Conversion/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// The edges of some rows in the order of their matrices. Those of one matrix
/// keep their order, so that edges of one row are a run, which is one row of
/// what the matrix multiplies.
struct Runs {
  /// Sources and positions of edges, run by run. The latter are null if nothing
  /// is read at them.
  Value sources, positions;
  /// Where runs begin, and one past the end of the last.
  Value ends;
  /// The destination of each.
  Value rows;
  /// For each matrix, one past its last run.
  Value ofMatrices;
};

/// Emits one aggregation as products of grouped rows.
class GroupEmitter {
public:
  GroupEmitter(OpBuilder &builder, MessageAggregateOp op,
               const EdgeMatrices &matrices,
               const GroupEdgesPassOptions &options)
      : options(options), loc(op.getLoc()), matrices(matrices),
        function(
            withEdgeTensors(builder, loc, op.getGraph(), op.getEdgeFunction())),
        original(op.getEdgeFunction()),
        scale(op.getGraph(), original, matrices),
        rows(builder, loc, op.getGraph(), /*inParallel=*/false),
        rowPointer(GraphPartsOp::create(builder, loc, op.getGraph())
                       .getParts()
                       .front()),
        type(cast<RankedTensorType>(op.getResult(0).getType())) {
    if (matrices.block)
      factorLoops.push_back(*matrices.block);
    factorLoops.push_back(matrices.row);
  }

  Value emit(OpBuilder &builder);

private:
  using EdgeStep = llvm::function_ref<SmallVector<Value>(
      OpBuilder &, Value row, Value position, ValueRange state)>;

  Value constant(OpBuilder &b, int64_t value) {
    return emitConstant(b, loc, value);
  }
  Value add(OpBuilder &b, Value left, Value right) {
    return emitAddIndex(b, loc, left, right);
  }
  /// Numbers of nodes and edges, of which graphs have no more.
  Value emitEmptyIndices(OpBuilder &b, OpFoldResult size) {
    return tensor::EmptyOp::create(b, loc, size, b.getI32Type());
  }
  Value emitZeros(OpBuilder &b, Value tensor) {
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(getElementTypeOrSelf(tensor)));
    return linalg::FillOp::create(b, loc, zero, tensor).getResult(0);
  }
  /// Of a row of the products' first factor.
  SmallVector<int64_t> getFactorShape() const {
    ArrayRef<int64_t> shape = matrices.table.getType().getShape();
    return llvm::to_vector(shape.drop_front().drop_back());
  }
  /// A block among other dimensions, whose offsets and sizes follow.
  void addBlock(OpBuilder &b, OpFoldResult block,
                SmallVector<OpFoldResult> &offsets,
                SmallVector<OpFoldResult> &sizes) const {
    if (!matrices.block)
      return;
    offsets.push_back(block);
    sizes.push_back(b.getIndexAttr(1));
  }

  /// Whether what edges send is computed from values that they have.
  bool readsEdges() const;
  Value emitNumBlocks(OpBuilder &b);
  Value emitFirstRow(OpBuilder &b, Value block, Value numBlocks);
  SmallVector<Value> emitEdgeLoops(OpBuilder &b, Value first, Value last,
                                   ValueRange init, EdgeStep step);
  Value emitNumber(OpBuilder &b, Value row, Value position);
  Runs emitRuns(OpBuilder &b, Value first, Value last);
  Runs emitRuns(OpBuilder &b, ValueRange sorted, Value numEdges);
  Value emitFactors(OpBuilder &b, const Runs &runs, Value matrix, Value first,
                    Value count, Value tile);
  Value emitFactor(OpBuilder &b, const Runs &runs, Value matrix, Value run);
  Value emitProducts(OpBuilder &b, const Runs &runs, Value firstRow,
                     Value output);
  Value emitProduct(OpBuilder &b, Value tile, Value count, Value matrix,
                    OpFoldResult block, Value products);
  Value emitAdded(OpBuilder &b, const Runs &runs, Value first, Value count,
                  Value firstRow, Value products, OpFoldResult block,
                  Value output);

  const GroupEdgesPassOptions &options;
  Location loc;
  const EdgeMatrices &matrices;
  /// With tensors for edge values, and as the op has it.
  EdgeFunction function, original;
  RunScale scale;
  RowAccess rows;
  Value rowPointer;
  /// Of the result.
  RankedTensorType type;
  /// Those of a row of the products' first factor.
  SmallVector<unsigned> factorLoops;
};
} // namespace

bool GroupEmitter::readsEdges() const {
  return llvm::any_of(
      llvm::zip_first(function.roles, function.body->getArguments()),
      [&](auto operand) {
        auto [role, argument] = operand;
        return role == OperandRole::Edge &&
               function.reads(scale.getEdgeFactor(), argument);
      });
}

/// As many edges in each as give a matrix enough rows, if all are used alike.
Value GroupEmitter::emitNumBlocks(OpBuilder &b) {
  int64_t edges = std::clamp(matrices.getNumMatrices() * options.matrixEdges,
                             options.minEdges, options.maxEdges);
  Value numBlocks = arith::CeilDivUIOp::create(b, loc, rows.getNumEdges(b, loc),
                                               constant(b, edges));
  return arith::MaxUIOp::create(b, loc, numBlocks, constant(b, 1));
}

/// Blocks have equally many edges, up to whole rows.
Value GroupEmitter::emitFirstRow(OpBuilder &b, Value block, Value numBlocks) {
  Value numRows = rows.getNumDestinations();
  Value edges = arith::MulIOp::create(b, loc, block, rows.getNumEdges(b, loc));
  Value bound = arith::DivUIOp::create(b, loc, edges, numBlocks);
  Value row = emitBisection(b, loc, constant(b, 0), numRows,
                            [&](OpBuilder &c, Location l, Value place) {
                              return arith::CmpIOp::create(
                                  c, l, arith::CmpIPredicate::ult,
                                  loadIndex(c, l, rowPointer, place), bound);
                            });
  // Behind the last edge are rows that have none.
  Value isEnd =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, block, numBlocks);
  return arith::SelectOp::create(b, loc, isEnd, numRows, row);
}

/// Goes through the edges of the rows `first` to `last`.
SmallVector<Value> GroupEmitter::emitEdgeLoops(OpBuilder &b, Value first,
                                               Value last, ValueRange init,
                                               EdgeStep step) {
  auto outer = scf::ForOp::create(
      b, loc, first, last, constant(b, 1), init,
      [&](OpBuilder &c, Location, Value row, ValueRange state) {
        auto [begin, end] = rows.getRange(c, loc, row);
        auto inner = scf::ForOp::create(
            c, loc, begin, end, constant(c, 1), state,
            [&](OpBuilder &d, Location, Value position, ValueRange args) {
              scf::YieldOp::create(d, loc, step(d, row, position, args));
            });
        scf::YieldOp::create(c, loc, inner.getResults());
      });
  return llvm::to_vector_of<Value>(outer.getResults());
}

/// The matrix that an edge chooses.
Value GroupEmitter::emitNumber(OpBuilder &b, Value row, Value position) {
  return emitEdgeScalar(b, loc, function, matrices.number,
                        rows.getEdge(b, loc, row, position));
}

/// Sorts the edges of the rows `first` to `last` by counting.
Runs GroupEmitter::emitRuns(OpBuilder &b, Value first, Value last) {
  int64_t numMatrices = matrices.getNumMatrices();
  Value zero = constant(b, 0), one = constant(b, 1);
  Value counts = emitZeros(b, emitEmptyIndices(b, b.getIndexAttr(numMatrices)));
  counts = emitEdgeLoops(
               b, first, last, counts,
               [&](OpBuilder &c, Value row, Value position, ValueRange state) {
                 Value number = emitNumber(c, row, position);
                 Value next = add(c, loadIndex(c, loc, state[0], number),
                                  constant(c, 1));
                 return SmallVector<Value>{
                     storeIndex(c, loc, next, state[0], number)};
               })
               .front();
  auto starts = scf::ForOp::create(
      b, loc, zero, constant(b, numMatrices), one, ValueRange{counts, zero},
      [&](OpBuilder &c, Location, Value number, ValueRange state) {
        Value count = loadIndex(c, loc, state[0], number);
        Value stored = storeIndex(c, loc, state[1], state[0], number);
        scf::YieldOp::create(c, loc,
                             ValueRange{stored, add(c, state[1], count)});
      });
  Value numEdges = starts.getResult(1);
  SmallVector<Value> init{starts.getResult(0)};
  for (unsigned i = 0, e = readsEdges() ? 3 : 2; i < e; ++i)
    init.push_back(emitEmptyIndices(b, numEdges));
  SmallVector<Value> sorted = emitEdgeLoops(
      b, first, last, init,
      [&](OpBuilder &c, Value row, Value position, ValueRange state) {
        Value number = emitNumber(c, row, position);
        Value place = loadIndex(c, loc, state[0], number);
        Value next = add(c, place, constant(c, 1));
        Value source = rows.getEdge(c, loc, row, position).source;
        SmallVector<Value> results{storeIndex(c, loc, next, state[0], number),
                                   storeIndex(c, loc, row, state[1], place),
                                   storeIndex(c, loc, source, state[2], place)};
        if (readsEdges())
          results.push_back(storeIndex(c, loc, position, state[3], place));
        return results;
      });
  return emitRuns(b, sorted, numEdges);
}

/// Finds the runs of sorted edges: for each matrix the end of its edges, and
/// for each edge its row, its source and, if that is read, its position.
Runs GroupEmitter::emitRuns(OpBuilder &b, ValueRange sorted, Value numEdges) {
  Value ends = sorted[0], rowsOfEdges = sorted[1];
  Value zero = constant(b, 0), one = constant(b, 1);
  Value none = constant(b, -1);
  Value runEnds = emitEmptyIndices(b, add(b, numEdges, one));
  runEnds = storeIndex(b, loc, zero, runEnds, zero);
  auto loop = scf::ForOp::create(
      b, loc, zero, constant(b, matrices.getNumMatrices()), one,
      ValueRange{ends, runEnds, emitEmptyIndices(b, numEdges), zero, zero},
      [&](OpBuilder &c, Location, Value number, ValueRange state) {
        Value begin = state[3];
        Value end = loadIndex(c, loc, state[0], number);
        auto ofMatrix = scf::ForOp::create(
            c, loc, begin, end, one,
            ValueRange{state[1], state[2], state[4], none},
            [&](OpBuilder &d, Location, Value place, ValueRange args) {
              Value row = loadIndex(d, loc, rowsOfEdges, place);
              Value isNew = arith::CmpIOp::create(
                  d, loc, arith::CmpIPredicate::ne, row, args[3]);
              Value run = args[2];
              Value next = add(d, run,
                               arith::IndexCastUIOp::create(
                                   d, loc, d.getIndexType(), isNew));
              Value slot = arith::SubIOp::create(d, loc, next, one);
              Value stored =
                  storeIndex(d, loc, add(d, place, one), args[0], next);
              Value storedRow = storeIndex(d, loc, row, args[1], slot);
              scf::YieldOp::create(d, loc,
                                   ValueRange{stored, storedRow, next, row});
            });
        Value count = ofMatrix.getResult(2);
        // The end of the edges has been read.
        Value stored = storeIndex(c, loc, count, state[0], number);
        scf::YieldOp::create(c, loc,
                             ValueRange{stored, ofMatrix.getResult(0),
                                        ofMatrix.getResult(1), end, count});
      });
  return {sorted[2], readsEdges() ? sorted[3] : Value(), loop.getResult(1),
          loop.getResult(2), loop.getResult(0)};
}

/// The sum of what the edges of a run send.
Value GroupEmitter::emitFactor(OpBuilder &b, const Runs &runs, Value matrix,
                               Value run) {
  Value one = constant(b, 1);
  Value begin = loadIndex(b, loc, runs.ends, run);
  Value end = loadIndex(b, loc, runs.ends, add(b, run, one));
  Value row = loadIndex(b, loc, runs.rows, run);
  SmallVector<int64_t> shape = getFactorShape();
  auto zero = cast<TypedAttr>(b.getZeroAttr(type.getElementType()));
  auto loop = scf::ForOp::create(
      b, loc, begin, end, one, emitFilled(b, loc, shape, zero),
      [&](OpBuilder &c, Location, Value place, ValueRange state) {
        EdgePosition edge{row, loadIndex(c, loc, runs.sources, place), {}};
        if (runs.positions)
          edge.indices = {loadIndex(c, loc, runs.positions, place)};
        Value value = emitEdgePart(c, loc, function, scale.getEdgeFactor(),
                                   factorLoops, shape, edge);
        scf::YieldOp::create(
            c, loc,
            emitElementwise(
                c, loc, shape, value, {c.getMultiDimIdentityMap(shape.size())},
                state, [](OpBuilder &s, Location l, ValueRange v) {
                  return SmallVector<Value>{emitAdd(s, l, v[1], v[0])};
                }));
      });
  Value sum = loop.getResult(0);
  if (!scale.exists())
    return sum;
  Value numEdges = arith::SubIOp::create(b, loc, end, begin);
  Value factor = scale.emit(b, loc, row, matrix, numEdges);
  return emitElementwise(b, loc, shape, {}, {}, sum,
                         [&](OpBuilder &s, Location l, ValueRange v) {
                           return SmallVector<Value>{
                               emitMul(s, l, v[0], factor)};
                         })
      .front();
}

/// Fills the first `count` rows of `tile` with the runs from `first` on.
Value GroupEmitter::emitFactors(OpBuilder &b, const Runs &runs, Value matrix,
                                Value first, Value count, Value tile) {
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), count, constant(b, 1), tile,
      [&](OpBuilder &c, Location, Value row, ValueRange state) {
        Value factor = emitFactor(c, runs, matrix, add(c, first, row));
        scf::YieldOp::create(c, loc,
                             emitRowWrite(c, loc, factor, state[0], row));
      });
  return loop.getResult(0);
}

/// The products of `count` rows of a tile and a block of a matrix.
Value GroupEmitter::emitProduct(OpBuilder &b, Value tile, Value count,
                                Value matrix, OpFoldResult block,
                                Value products) {
  int64_t height = matrices.getNumRows(), width = matrices.getNumColumns();
  Type element = type.getElementType();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto slice = [&](Value source, RankedTensorType result, OpFoldResult offset,
                   OpFoldResult size, ArrayRef<int64_t> shape) {
    SmallVector<OpFoldResult> offsets{offset}, sizes{size};
    addBlock(b, block, offsets, sizes);
    offsets.append(shape.size(), zero);
    llvm::append_range(sizes, getAsIndexOpFoldResult(b.getContext(), shape));
    SmallVector<OpFoldResult> strides(sizes.size(), one);
    return tensor::ExtractSliceOp::create(b, loc, result, source, offsets,
                                          sizes, strides);
  };
  Value rowsOfTile = slice(
      tile, RankedTensorType::get({ShapedType::kDynamic, height}, element),
      zero, count, {height});
  Value weights =
      slice(matrices.table, RankedTensorType::get({height, width}, element),
            matrix, one, {height, width});
  SmallVector<OpFoldResult> productOffsets(2, zero), productStrides(2, one);
  SmallVector<OpFoldResult> productSizes{count, b.getIndexAttr(width)};
  Value target = tensor::ExtractSliceOp::create(
      b, loc, products, productOffsets, productSizes, productStrides);
  Value product =
      linalg::MatmulOp::create(b, loc, ValueRange{rowsOfTile, weights},
                               ValueRange{emitZeros(b, target)})
          .getResult(0);
  return tensor::InsertSliceOp::create(
      b, loc, product, products, productOffsets, productSizes, productStrides);
}

/// Adds products to the rows of their runs' destinations.
Value GroupEmitter::emitAdded(OpBuilder &b, const Runs &runs, Value first,
                              Value count, Value firstRow, Value products,
                              OpFoldResult block, Value output) {
  int64_t width = matrices.getNumColumns();
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), count, constant(b, 1), output,
      [&](OpBuilder &c, Location, Value place, ValueRange state) {
        Value row = arith::SubIOp::create(
            c, loc, loadIndex(c, loc, runs.rows, add(c, first, place)),
            firstRow);
        Value product = emitRowSlice(c, loc, products, {place});
        SmallVector<OpFoldResult> offsets{row}, sizes{c.getIndexAttr(1)};
        addBlock(c, block, offsets, sizes);
        offsets.push_back(c.getIndexAttr(0));
        sizes.push_back(c.getIndexAttr(width));
        SmallVector<OpFoldResult> strides(sizes.size(), c.getIndexAttr(1));
        Value before = tensor::ExtractSliceOp::create(
            c, loc, RankedTensorType::get({width}, type.getElementType()),
            state[0], offsets, sizes, strides);
        Value sum =
            emitElementwise(
                c, loc, {width}, product, {c.getMultiDimIdentityMap(1)}, before,
                [](OpBuilder &s, Location l, ValueRange v) {
                  return SmallVector<Value>{emitAdd(s, l, v[1], v[0])};
                })
                .front();
        scf::YieldOp::create(c, loc,
                             tensor::InsertSliceOp::create(
                                 c, loc, sum, state[0], offsets, sizes, strides)
                                 .getResult());
      });
  return loop.getResult(0);
}

/// Multiplies the runs of each matrix by it, some at a time, and adds them to
/// `output`, whose first row is `firstRow`.
Value GroupEmitter::emitProducts(OpBuilder &b, const Runs &runs, Value firstRow,
                                 Value output) {
  Type element = type.getElementType();
  SmallVector<int64_t> tileShape{options.tileRows};
  llvm::append_range(tileShape, getFactorShape());
  Value tile = tensor::EmptyOp::create(b, loc, tileShape, element);
  Value products = tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{options.tileRows, matrices.getNumColumns()},
      element);
  Value size = constant(b, options.tileRows);
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), constant(b, matrices.getNumMatrices()),
      constant(b, 1), ValueRange{output, tile, products, constant(b, 0)},
      [&](OpBuilder &c, Location, Value matrix, ValueRange state) {
        Value end = loadIndex(c, loc, runs.ofMatrices, matrix);
        auto tiles = scf::ForOp::create(
            c, loc, state[3], end, size, state.drop_back(),
            [&](OpBuilder &d, Location, Value first, ValueRange args) {
              Value count = arith::MinUIOp::create(
                  d, loc, arith::SubIOp::create(d, loc, end, first), size);
              Value filled =
                  emitFactors(d, runs, matrix, first, count, args[1]);
              auto multiply = [&](OpBuilder &e, OpFoldResult block,
                                  Value before, Value products) {
                Value product =
                    emitProduct(e, filled, count, matrix, block, products);
                Value sums = emitAdded(e, runs, first, count, firstRow, product,
                                       block, before);
                return std::pair(sums, product);
              };
              Value sums, product;
              if (matrices.getNumBlocks() == 1) {
                std::tie(sums, product) =
                    multiply(d, d.getIndexAttr(0), args[0], args[2]);
              } else {
                auto blocks = scf::ForOp::create(
                    d, loc, constant(d, 0),
                    constant(d, matrices.getNumBlocks()), constant(d, 1),
                    ValueRange{args[0], args[2]},
                    [&](OpBuilder &e, Location, Value block, ValueRange inner) {
                      auto [next, scratch] =
                          multiply(e, block, inner[0], inner[1]);
                      scf::YieldOp::create(e, loc, ValueRange{next, scratch});
                    });
                sums = blocks.getResult(0);
                product = blocks.getResult(1);
              }
              scf::YieldOp::create(d, loc, ValueRange{sums, filled, product});
            });
        SmallVector<Value> next(tiles.getResults());
        next.push_back(end);
        scf::YieldOp::create(c, loc, next);
      });
  return loop.getResult(0);
}

Value GroupEmitter::emit(OpBuilder &builder) {
  Value numBlocks = emitNumBlocks(builder);
  Value output = emitNodeTensor(builder, loc, rows, type);
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{numBlocks}, output,
      /*mapping=*/std::nullopt, [&](OpBuilder &b, Location, ValueRange args) {
        Value first = emitFirstRow(b, args[0], numBlocks);
        Value last =
            emitFirstRow(b, add(b, args[0], constant(b, 1)), numBlocks);
        OpFoldResult number =
            arith::SubIOp::create(b, loc, last, first).getResult();
        emitParallelRows(b, loc, args.drop_front(), first, number,
                         [&](ValueRange parts) {
                           return SmallVector<Value>{
                               emitProducts(b, emitRuns(b, first, last), first,
                                            emitZeros(b, parts.front()))};
                         });
      });
  return loop.getResult(0);
}

namespace {
struct GroupEdgesPass : public gnn::impl::GroupEdgesPassBase<GroupEdgesPass> {
  using GroupEdgesPassBase::GroupEdgesPassBase;

  void runOnOperation() override {
    if (tileRows < 1 || matrixEdges < 1 || minEdges < 1 ||
        maxEdges < minEdges) {
      getOperation()->emitError()
          << "tile-rows, matrix-edges and min-edges must be at least 1, and "
             "max-edges at least min-edges";
      return signalPassFailure();
    }
    GroupEdgesPassOptions options{tileRows, matrixEdges, minEdges, maxEdges};
    SmallVector<MessageAggregateOp> ops;
    getOperation().walk([&](MessageAggregateOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MessageAggregateOp op : ops) {
      std::optional<EdgeMatrices> matrices =
          getEdgeMatrices(op.getEdgeFunction());
      // Other graphs have all pairs as edges.
      if (!matrices || !isSum(op.getAggregators()) ||
          op.getGraph().getType().getTopology() != Topology::CSR)
        continue;
      rewriter.setInsertionPoint(op);
      GroupEmitter emitter(rewriter, op, *matrices, options);
      rewriter.replaceOp(op, emitter.emit(rewriter));
      ++numGrouped;
    }
  }
};
} // namespace
