//===- RowOrder.cpp - Loops that take rows in another order -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOrder.h"
#include "RowPointer.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;

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

/// Adds what `loop` reads at its edges to what `rows` read: the integers of one
/// tensor that is fixed, which are taken for sources, and others.
static bool addEdges(RowLoop &rows, scf::ForOp loop,
                     const DenseSet<Value> &fixed) {
  if (!isOneInteger(loop.getStep()))
    return false;
  for (OpOperand &use : loop.getInductionVar().getUses()) {
    auto read = dyn_cast<tensor::ExtractOp>(use.getOwner());
    if (!read || read.getIndices().size() != 1 ||
        !read.getType().isIntOrIndex() || !fixed.contains(read.getTensor()) ||
        (rows.sources && rows.sources != read.getTensor())) {
      rows.edgeNumbers.push_back(&use);
      continue;
    }
    rows.sources = read.getTensor();
    rows.edges.push_back(read);
  }
  return true;
}

/// Adds the loops along edges in `body`, which may be in others: along tiles of
/// features, it is known how often these run.
static void addEdgeLoops(Block &body, SmallVectorImpl<scf::ForOp> &loops) {
  for (auto loop : body.getOps<scf::ForOp>())
    if (loop.getStaticTripCount())
      addEdgeLoops(*loop.getBody(), loops);
    else
      loops.push_back(loop);
}

std::optional<int64_t> gnn::getResultRowBytes(scf::ForallOp loop) {
  int64_t bits = 0;
  for (Type type : loop.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    ArrayRef<int64_t> row = tensor.getShape().drop_front();
    if (llvm::any_of(row, ShapedType::isDynamic) ||
        !tensor.getElementType().isIntOrFloat())
      return std::nullopt;
    bits += ShapedType::getNumElements(row) * tensor.getElementTypeBitWidth();
  }
  return llvm::divideCeil(bits, 8);
}

std::optional<RowLoop> gnn::analyzeRowLoop(scf::ForallOp loop,
                                           const DenseSet<Value> &fixed) {
  if (!loop.isNormalized() || loop.getRank() != 1 || loop.getNumResults() == 0)
    return std::nullopt;
  RowLoop rows(loop);
  SmallVector<scf::ForOp> edgeLoops;
  addEdgeLoops(*loop.getBody(), edgeLoops);
  if (edgeLoops.empty() || !llvm::all_of(edgeLoops, [&](scf::ForOp inner) {
        return addBounds(rows, inner) && addEdges(rows, inner, fixed);
      }))
    return std::nullopt;
  auto upper = dyn_cast<Value>(loop.getMixedUpperBound().front());
  if (!rows.sources || !upper || !fixed.contains(upper) ||
      !fixed.contains(rows.pointer) ||
      !llvm::all_of(rows.bounds, [&](tensor::ExtractOp read) {
        return isOnlyBound(read, edgeLoops);
      }))
    return std::nullopt;
  for (OpOperand &use : loop.getInductionVar(0).getUses())
    if (!llvm::is_contained(rows.bounds, use.getOwner()))
      rows.rowNumbers.push_back(&use);
  return rows;
}

//===----------------------------------------------------------------------===//
// Another order
//===----------------------------------------------------------------------===//

/// `fallback` if rows stay where they are: results need not wait for a number
/// then.
static Value emitNumber(OpBuilder &b, Location loc, Value areSorted,
                        Value numbers, Value fallback) {
  return scf::IfOp::create(
             b, loc, areSorted,
             [&](OpBuilder &inner, Location) {
               Value number = IndexLoops(inner, loc).load(numbers, fallback);
               scf::YieldOp::create(inner, loc, number);
             },
             [&](OpBuilder &inner, Location) {
               scf::YieldOp::create(inner, loc, fallback);
             })
      .getResult(0);
}

/// Has `uses` of places ask for what is there according to `numbers`.
static void useNumbers(ArrayRef<OpOperand *> uses, Value areSorted,
                       Value numbers) {
  DenseMap<Value, Value> known;
  for (OpOperand *use : uses) {
    Value place = use->get();
    Value &number = known[place];
    if (!number) {
      OpBuilder b(place.getContext());
      b.setInsertionPointAfterValue(place);
      number = emitNumber(b, place.getLoc(), areSorted, numbers, place);
    }
    use->set(number);
  }
}

void gnn::takeInOrder(RowLoop &loop, const OrderedRows &ordered) {
  for (OpResult results : loop.groups) {
    OpBuilder b(loop.rows->getContext());
    b.setInsertionPointAfter(loop.rows);
    loop.rowNumbers.push_back(emitScatter(b, results, loop.getNumRows()));
  }
  DenseSet<Operation *> numbered;
  for (OpOperand *use : loop.rowNumbers)
    numbered.insert(use->getOwner());
  for (tensor::ExtractOp read : loop.bounds) {
    read.getTensorMutable().assign(ordered.pointer);
    // What counts from a row counts from its number, but here from its place.
    Operation *next = read.getIndices()[0].getDefiningOp();
    if (numbered.contains(next)) {
      OpBuilder b(read);
      read.getIndicesMutable().assign(b.clone(*next)->getResult(0));
    }
  }
  for (tensor::ExtractOp read : loop.edges)
    read.getTensorMutable().assign(ordered.sources);
  useNumbers(loop.rowNumbers, ordered.areSorted, ordered.rows);
  useNumbers(loop.edgeNumbers, ordered.areSorted, ordered.edges);
}

//===----------------------------------------------------------------------===//
// Loops over indices
//===----------------------------------------------------------------------===//

Value IndexLoops::load(Value tensor, Value index) {
  Value entry = tensor::ExtractOp::create(b, loc, tensor, index);
  if (entry.getType().isIndex())
    return entry;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
}

Value IndexLoops::store(Value value, Value tensor, Value index) {
  Type type = getElementTypeOrSelf(tensor.getType());
  if (value.getType() != type)
    value = arith::IndexCastOp::create(b, loc, type, value);
  return tensor::InsertOp::create(b, loc, value, tensor, index);
}

Value IndexLoops::emitEmpty(Value size, Value like) {
  return tensor::EmptyOp::create(b, loc, OpFoldResult(size),
                                 getElementTypeOrSelf(like.getType()));
}

Value IndexLoops::emitChoice(Value condition, Value ifTrue, Value ifFalse) {
  return scf::IfOp::create(
             b, loc, condition,
             [&](OpBuilder &inner, Location) {
               scf::YieldOp::create(inner, loc, ifTrue);
             },
             [&](OpBuilder &inner, Location) {
               scf::YieldOp::create(inner, loc, ifFalse);
             })
      .getResult(0);
}

SmallVector<Value> IndexLoops::emitLoop(Value first, Value last,
                                        ValueRange values, Body body) {
  auto loop = scf::ForOp::create(
      b, loc, first, last, constant(1), values,
      [&](OpBuilder &inner, Location, Value index, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        scf::YieldOp::create(b, loc, body(index, args));
      });
  return loop.getResults();
}

SmallVector<Value>
IndexLoops::emitCopies(const RowLoop &loop, Value numPlaces, Value begin,
                       llvm::function_ref<Value(Value)> getRow, Value ends,
                       ValueRange copies) {
  Value zero = constant(0);
  // The place of the next edge comes last.
  SmallVector<Value> values{ends};
  llvm::append_range(values, copies);
  values.push_back(zero);
  values = emitLoop(zero, numPlaces, values, [&](Value place, ValueRange args) {
    Value row = getRow(place);
    Value first = load(loop.pointer, row);
    Value last = load(loop.pointer, addOne(row));
    SmallVector<Value> filled = emitLoop(
        first, last, args.drop_front(), [&](Value edge, ValueRange inner) {
          Value next = inner.back();
          SmallVector<Value> stored{
              store(load(loop.sources, edge), inner[0], next)};
          if (inner.size() > 2)
            stored.push_back(store(edge, inner[1], next));
          stored.push_back(addOne(next));
          return stored;
        });
    Value end = add(begin, filled.back());
    filled.insert(filled.begin(), store(end, args[0], place));
    return filled;
  });
  values.pop_back();
  return values;
}
