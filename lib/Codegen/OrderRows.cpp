//===- OrderRows.cpp - Rows of as many edges one after another --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedValues.h"
#include "RowOrder.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gnn {
#define GEN_PASS_DEF_ORDERROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

/// Rows of so many edges or more are taken for equally long.
static constexpr int64_t numLengths = 64;

namespace {
/// Emits what sorts rows by their lengths.
class OrderEmitter : public IndexLoops {
public:
  OrderEmitter(OpBuilder &b, Location loc, const RowLoop &loop, int64_t window,
               int64_t minEdges, int64_t maxRows)
      : IndexLoops(b, loc), loop(loop), numRows(loop.getNumRows()),
        window(window), minEdges(minEdges), maxRows(maxRows) {}

  OrderedRows emit();

private:
  /// Places in a tensor of one dimension.
  struct Range {
    Value first, size;
  };

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

  Value emitLength(Value row);
  Value emitStarts(Value first, Value last);
  Value emitSorted(Value first, Value last, Value rows);

  const RowLoop &loop;
  Value numRows;
  int64_t window, minEdges, maxRows;
};
} // namespace

/// Which of the lengths that are told apart `row` has.
Value OrderEmitter::emitLength(Value row) {
  Value length =
      subtract(load(loop.pointer, addOne(row)), load(loop.pointer, row));
  return arith::MinUIOp::create(b, loc, length, constant(numLengths - 1));
}

/// For each length the place of the first of the rows that have it.
Value OrderEmitter::emitStarts(Value first, Value last) {
  Value zero = constant(0);
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{numLengths},
                                        b.getIndexType());
  Value counts = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  counts = emitLoop(first, last, counts, [&](Value row, ValueRange args) {
             Value length = emitLength(row);
             Value count = addOne(load(args[0], length));
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
                    Value next = addOne(place);
                    return SmallVector<Value>{store(row, args[0], place),
                                              store(next, args[1], length)};
                  })
      .front();
}

OrderedRows OrderEmitter::emit() {
  Value zero = constant(0), one = constant(1);
  Value numEdges = tensor::DimOp::create(b, loc, loop.sources, 0);
  Value areMany =
      compare(arith::CmpIPredicate::uge, numEdges, multiply(numRows, minEdges));
  // Results that no cache holds are best written one after the other.
  Value areHeld =
      compare(arith::CmpIPredicate::ule, numRows, constant(maxRows));
  Value areSorted = both(areMany, areHeld);
  // Where rows stay, nothing is copied: the graph may come once.
  Value numSorted = emitSize(areSorted, numRows);
  Value starts = emitEmpty(add(numSorted, one), loop.pointer);
  starts = store(load(loop.pointer, zero), starts, zero);
  SmallVector<Value> outputs{
      emitEmpty(numSorted, loop.pointer), starts,
      emitEmpty(emitSize(areSorted, numEdges), loop.sources)};
  OpFoldResult lower = b.getIndexAttr(0), upper = numSorted,
               step = b.getIndexAttr(window);
  auto windows = scf::ForallOp::create(
      b, loc, lower, upper, step, outputs, /*mapping=*/std::nullopt,
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        Value first = args[0];
        Value last = arith::MinUIOp::create(
            b, loc, add(first, constant(window)), numSorted);
        Value begin = load(loop.pointer, first);
        Range rows{first, subtract(last, first)},
            ends{add(first, one), rows.size},
            edges{begin, subtract(load(loop.pointer, last), begin)};
        Value sorted = emitSorted(first, last, extract(args[1], rows));
        SmallVector<Value> copies = emitCopies(
            loop, rows.size, begin,
            [&](Value place) { return load(sorted, place); },
            extract(args[2], ends), extract(args[3], edges));
        auto inParallel = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(inParallel.getBody());
        insert(sorted, args[1], rows);
        insert(copies[0], args[2], ends);
        insert(copies[1], args[3], edges);
      });
  return {windows.getResult(0),
          emitChoice(areSorted, windows.getResult(1), loop.pointer),
          emitChoice(areSorted, windows.getResult(2), loop.sources),
          /*edges=*/{}, areSorted};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
    if (!hasPreparation(function))
      return;
    DenseSet<Value> fixed = findFixedValues(function);
    DenseMap<std::pair<Value, std::pair<Value, Value>>, OrderedRows> known;
    for (auto loop :
         llvm::make_early_inc_range(function.front().getOps<scf::ForallOp>())) {
      // What runs once for a graph needs no order.
      if (loop.getNumResults() == 0 || fixed.contains(loop.getResult(0)))
        continue;
      std::optional<int64_t> bytes = getResultRowBytes(loop);
      if (!bytes || *bytes > maxRowBytes)
        continue;
      std::optional<RowLoop> rows = analyzeRowLoop(loop, fixed);
      // Values of edges are in their order, not in that of rows.
      if (!rows || !rows->edgeNumbers.empty())
        continue;
      auto [place, isNew] = known.try_emplace(
          {rows->getNumRows(), {rows->pointer, rows->sources}}, OrderedRows());
      if (isNew) {
        OpBuilder b(loop);
        place->second =
            OrderEmitter(b, loop->getLoc(), *rows, window, minRowEdges, maxRows)
                .emit();
      }
      takeInOrder(*rows, place->second);
      ++numLoops;
    }
  }
};
} // namespace
