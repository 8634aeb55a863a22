//===- OrderRows.cpp - Rows of as many edges one after another --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedValues.h"
#include "RowPointer.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace gnn {
#define GEN_PASS_DEF_ORDERROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A parallel loop over rows, and what it reads of the graph for each.
struct RowLoop {
  scf::ForallOp rows;
  /// The arrays of where rows begin and of the edges' sources.
  Value pointer, sources;
  /// What reads them, of a row or of one of its edges.
  SmallVector<tensor::ExtractOp> bounds, edges;
};

/// The same arrays, of rows in another order, and which row each of them is.
struct OrderedRows {
  Value rows, pointer, sources;
  /// Whether there is one.
  Value areSorted;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops over rows
//===----------------------------------------------------------------------===//

/// Whether `read` is used as a bound of loops along edges and, with the other
/// bound, for the number of edges, but in no other way.
static bool isOnlyBound(tensor::ExtractOp read, ArrayRef<scf::ForOp> loops) {
  auto isBound = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user))
      return llvm::is_contained(loops, loop) && use.getOperandNumber() < 2;
    auto count = dyn_cast<arith::SubIOp>(user);
    return count && llvm::any_of(loops, [&](scf::ForOp loop) {
             return count.getLhs() == loop.getUpperBound() &&
                    count.getRhs() == loop.getLowerBound();
           });
  };
  return llvm::all_of(read->getUses(), [&](OpOperand &use) {
    auto cast = dyn_cast<arith::IndexCastOp>(use.getOwner());
    return cast ? llvm::all_of(cast->getUses(), isBound) : isBound(use);
  });
}

/// Adds the bounds of `loop` to those of `rows` if these are all edges of a
/// row.
static bool addBounds(RowLoop &rows, scf::ForOp loop) {
  auto begin = getBoundRead<tensor::ExtractOp>(loop.getLowerBound());
  auto end = getBoundRead<tensor::ExtractOp>(loop.getUpperBound());
  Value row = rows.rows.getInductionVar(0);
  if (!begin || !end || begin.getTensor() != end.getTensor() ||
      begin.getIndices()[0] != row || !isNext(end.getIndices()[0], row) ||
      (rows.pointer && rows.pointer != begin.getTensor()))
    return false;
  rows.pointer = begin.getTensor();
  for (tensor::ExtractOp read : {begin, end})
    if (!llvm::is_contained(rows.bounds, read))
      rows.bounds.push_back(read);
  return true;
}

/// Adds what `loop` reads at its edges to what `rows` read. Values of edges are
/// in their order, not in that of rows.
static bool addEdges(RowLoop &rows, scf::ForOp loop) {
  if (!isOneInteger(loop.getStep()))
    return false;
  return llvm::all_of(loop.getInductionVar().getUsers(), [&](Operation *user) {
    auto read = dyn_cast<tensor::ExtractOp>(user);
    if (!read || read.getIndices().size() != 1 ||
        !read.getType().isIntOrIndex() ||
        (rows.sources && rows.sources != read.getTensor()))
      return false;
    rows.sources = read.getTensor();
    rows.edges.push_back(read);
    return true;
  });
}

/// Whether the rows of all results together are as narrow as that.
static bool areNarrow(scf::ForallOp loop, int64_t maxBytes) {
  int64_t bits = 0;
  for (Type type : loop.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    ArrayRef<int64_t> row = tensor.getShape().drop_front();
    if (llvm::any_of(row, ShapedType::isDynamic) ||
        !tensor.getElementType().isIntOrFloat())
      return false;
    bits += ShapedType::getNumElements(row) * tensor.getElementTypeBitWidth();
  }
  return bits <= 8 * maxBytes;
}

/// What is to be known of `loop` for its rows to be taken in another order.
static std::optional<RowLoop> analyze(scf::ForallOp loop,
                                      const DenseSet<Value> &fixed) {
  if (!loop.isNormalized() || loop.getRank() != 1 || loop.getNumResults() == 0)
    return std::nullopt;
  RowLoop rows{loop, {}, {}, {}, {}};
  auto edgeLoops = llvm::to_vector(loop.getBody()->getOps<scf::ForOp>());
  if (edgeLoops.empty() || !llvm::all_of(edgeLoops, [&](scf::ForOp inner) {
        return addBounds(rows, inner) && addEdges(rows, inner);
      }))
    return std::nullopt;
  auto upper = dyn_cast<Value>(loop.getMixedUpperBound().front());
  if (!rows.sources || !upper || !fixed.contains(upper) ||
      !fixed.contains(rows.pointer) || !fixed.contains(rows.sources) ||
      !llvm::all_of(rows.bounds, [&](tensor::ExtractOp read) {
        return isOnlyBound(read, edgeLoops);
      }))
    return std::nullopt;
  return rows;
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

/// Rows of so many edges or more are taken for equally long.
static constexpr int64_t numLengths = 64;

namespace {
/// Emits what sorts rows by their lengths.
class OrderEmitter {
public:
  OrderEmitter(OpBuilder &b, Location loc, Value numRows, const RowLoop &loop,
               int64_t window, int64_t minEdges, int64_t maxRows)
      : b(b), loc(loc), numRows(numRows), pointer(loop.pointer),
        sources(loop.sources), window(window), minEdges(minEdges),
        maxRows(maxRows) {}

  OrderedRows emit();

private:
  /// Places in a tensor of one dimension.
  struct Range {
    Value first, size;
  };

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value left, Value right) {
    return arith::AddIOp::create(b, loc, left, right);
  }
  Value subtract(Value left, Value right) {
    return arith::SubIOp::create(b, loc, left, right);
  }
  Value load(Value tensor, Value index) {
    Value entry = tensor::ExtractOp::create(b, loc, tensor, index);
    if (entry.getType().isIndex())
      return entry;
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
  }
  Value store(Value value, Value tensor, Value index) {
    Type type = getElementTypeOrSelf(tensor.getType());
    if (value.getType() != type)
      value = arith::IndexCastOp::create(b, loc, type, value);
    return tensor::InsertOp::create(b, loc, value, tensor, index);
  }
  Value emitEmpty(Value size, Value like) {
    return tensor::EmptyOp::create(b, loc, OpFoldResult(size),
                                   getElementTypeOrSelf(like.getType()));
  }
  Value extract(Value tensor, Range range) {
    return tensor::ExtractSliceOp::create(
        b, loc, tensor, OpFoldResult(range.first), OpFoldResult(range.size),
        OpFoldResult(b.getIndexAttr(1)));
  }
  void insert(Value part, Value tensor, Range range) {
    tensor::ParallelInsertSliceOp::create(
        b, loc, part, tensor, OpFoldResult(range.first),
        OpFoldResult(range.size), OpFoldResult(b.getIndexAttr(1)));
  }

  using Body = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;
  /// A loop that carries `values`.
  SmallVector<Value> emitLoop(Value first, Value last, ValueRange values,
                              Body body) {
    auto loop = scf::ForOp::create(
        b, loc, first, last, constant(1), values,
        [&](OpBuilder &inner, Location, Value index, ValueRange args) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          scf::YieldOp::create(b, loc, body(index, args));
        });
    return loop.getResults();
  }

  Value emitLength(Value row);
  Value emitStarts(Value first, Value last);
  Value emitSorted(Value first, Value last, Value rows);
  SmallVector<Value> emitCopies(Value numOfWindow, Value begin, Value rows,
                                Value ends, Value copies);

  OpBuilder &b;
  Location loc;
  Value numRows, pointer, sources;
  int64_t window, minEdges, maxRows;
  /// The number of the last of the lengths that are told apart.
  Value lastLength;
};
} // namespace

/// Which of the lengths that are told apart `row` has.
Value OrderEmitter::emitLength(Value row) {
  Value length =
      subtract(load(pointer, add(row, constant(1))), load(pointer, row));
  return arith::MinUIOp::create(b, loc, length, lastLength);
}

/// For each length the place of the first of the rows that have it.
Value OrderEmitter::emitStarts(Value first, Value last) {
  Value zero = constant(0);
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{numLengths},
                                        b.getIndexType());
  Value counts = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  counts = emitLoop(first, last, counts, [&](Value row, ValueRange args) {
             Value length = emitLength(row);
             Value count = add(load(args[0], length), constant(1));
             return SmallVector<Value>{store(count, args[0], length)};
           }).front();
  return emitLoop(zero, constant(numLengths), {counts, zero},
                  [&](Value length, ValueRange args) {
                    Value count = load(args[0], length);
                    return SmallVector<Value>{store(args[1], args[0], length),
                                              add(args[1], count)};
                  })
      .front();
}

/// The rows from `first` on, sorted by their lengths, in `rows`.
Value OrderEmitter::emitSorted(Value first, Value last, Value rows) {
  return emitLoop(first, last, {rows, emitStarts(first, last)},
                  [&](Value row, ValueRange args) {
                    Value length = emitLength(row);
                    Value place = load(args[1], length);
                    Value next = add(place, constant(1));
                    return SmallVector<Value>{store(row, args[0], place),
                                              store(next, args[1], length)};
                  })
      .front();
}

/// Where each of `rows` ends if the first begins at `begin`, and the sources of
/// their edges.
SmallVector<Value> OrderEmitter::emitCopies(Value numOfWindow, Value begin,
                                            Value rows, Value ends,
                                            Value copies) {
  Value zero = constant(0);
  return emitLoop(
      zero, numOfWindow, {ends, copies, zero},
      [&](Value place, ValueRange args) {
        Value row = load(rows, place);
        Value first = load(pointer, row);
        Value last = load(pointer, add(row, constant(1)));
        SmallVector<Value> filled = emitLoop(
            first, last, args.drop_front(), [&](Value edge, ValueRange inner) {
              Value source = load(sources, edge);
              return SmallVector<Value>{store(source, inner[0], inner[1]),
                                        add(inner[1], constant(1))};
            });
        Value end = add(begin, filled[1]);
        return SmallVector<Value>{store(end, args[0], place), filled[0],
                                  filled[1]};
      });
}

OrderedRows OrderEmitter::emit() {
  Value zero = constant(0), one = constant(1);
  Value starts = emitEmpty(add(numRows, one), pointer);
  starts = store(load(pointer, zero), starts, zero);
  Value numEdges = tensor::DimOp::create(b, loc, sources, 0);
  Value enough = arith::MulIOp::create(b, loc, numRows, constant(minEdges));
  Value areMany = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                        numEdges, enough);
  // Results that no cache holds are best written one after the other.
  Value areHeld = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                        numRows, constant(maxRows));
  Value areSorted = arith::AndIOp::create(b, loc, areMany, areHeld);
  lastLength = arith::SelectOp::create(b, loc, areSorted,
                                       constant(numLengths - 1), zero);
  SmallVector<Value> outputs{emitEmpty(numRows, pointer), starts,
                             emitEmpty(numEdges, sources)};
  OpFoldResult lower = b.getIndexAttr(0), upper = numRows,
               step = b.getIndexAttr(window);
  auto loop = scf::ForallOp::create(
      b, loc, lower, upper, step, outputs, /*mapping=*/std::nullopt,
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        Value first = args[0];
        Value last = arith::MinUIOp::create(
            b, loc, add(first, constant(window)), numRows);
        Value begin = load(pointer, first);
        Range rows{first, subtract(last, first)},
            ends{add(first, one), rows.size},
            edges{begin, subtract(load(pointer, last), begin)};
        Value sorted = emitSorted(first, last, extract(args[1], rows));
        SmallVector<Value> copies =
            emitCopies(rows.size, begin, sorted, extract(args[2], ends),
                       extract(args[3], edges));
        auto inParallel = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(inParallel.getBody());
        insert(sorted, args[1], rows);
        insert(copies[0], args[2], ends);
        insert(copies[1], args[3], edges);
      });
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2), areSorted};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Makes `loop` take its rows in the order of `ordered`.
static void reorder(RowLoop &loop, const OrderedRows &ordered) {
  OpBuilder b(loop.rows.getContext());
  b.setInsertionPointToStart(loop.rows.getBody());
  Location loc = loop.rows.getLoc();
  Value place = loop.rows.getInductionVar(0);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : place.getUses())
    uses.push_back(&use);
  // Where rows stay where they are, results need not wait for a number.
  Value row =
      scf::IfOp::create(
          b, loc, ordered.areSorted,
          [&](OpBuilder &inner, Location) {
            Value number =
                tensor::ExtractOp::create(inner, loc, ordered.rows, place);
            if (!number.getType().isIndex())
              number = arith::IndexCastOp::create(inner, loc,
                                                  inner.getIndexType(), number);
            scf::YieldOp::create(inner, loc, number);
          },
          [&](OpBuilder &inner, Location) {
            scf::YieldOp::create(inner, loc, place);
          })
          .getResult(0);
  DenseSet<Operation *> bounds;
  for (tensor::ExtractOp read : loop.bounds) {
    bounds.insert(read);
    Value index = read.getIndices()[0];
    if (index != place) {
      // The place after this one, which may be of use for more than that.
      b.setInsertionPoint(read);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      read.getIndicesMutable().assign(
          arith::AddIOp::create(b, loc, place, one));
    }
    read.getTensorMutable().assign(ordered.pointer);
  }
  for (OpOperand *use : uses)
    if (!bounds.contains(use->getOwner()))
      use->set(row);
  for (tensor::ExtractOp read : loop.edges)
    read.getTensorMutable().assign(ordered.sources);
}

namespace {
struct OrderRowsPass : public gnn::impl::OrderRowsPassBase<OrderRowsPass> {
  using OrderRowsPassBase::OrderRowsPassBase;

  void runOnOperation() override {
    if (window < 1 || maxRowBytes < 0 || minRowEdges < 0 || maxRows < 0) {
      getOperation().emitError(
          "a window has at least 1 row, and none has less than nothing");
      return signalPassFailure();
    }
    func::FuncOp function = getOperation();
    // Of others nothing is kept from run to run.
    if (!function.isPublic() || function.isExternal() ||
        !function.getBody().hasOneBlock())
      return;
    DenseSet<Value> fixed = findFixedValues(function);
    DenseMap<std::pair<Value, std::pair<Value, Value>>, OrderedRows> known;
    for (auto loop :
         llvm::make_early_inc_range(function.front().getOps<scf::ForallOp>())) {
      // What runs once for a graph needs no order.
      if (loop.getNumResults() == 0 || fixed.contains(loop.getResult(0)) ||
          !areNarrow(loop, maxRowBytes))
        continue;
      std::optional<RowLoop> rows = analyze(loop, fixed);
      if (!rows)
        continue;
      Value upper = cast<Value>(loop.getMixedUpperBound().front());
      auto [place, isNew] = known.try_emplace(
          {upper, {rows->pointer, rows->sources}}, OrderedRows());
      if (isNew) {
        OpBuilder b(loop);
        place->second = OrderEmitter(b, loop.getLoc(), upper, *rows, window,
                                     minRowEdges, maxRows)
                            .emit();
      }
      reorder(*rows, place->second);
      ++numLoops;
    }
  }
};
} // namespace
