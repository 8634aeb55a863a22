//===- ClusterRows.cpp - Rows that share sources together -------*- C++ -*-===//
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
#include "llvm/ADT/MapVector.h"

namespace gnn {
#define GEN_PASS_DEF_CLUSTERROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// What loops read
//===----------------------------------------------------------------------===//

/// Elements that are read of a row by slices like `slice`: tiles that begin at
/// places which are not known are all of it, one after the other.
static int64_t countElements(tensor::ExtractSliceOp slice) {
  RankedTensorType source = slice.getSourceType();
  int64_t count = 1;
  for (int64_t d = 1; d < source.getRank(); ++d)
    count *= slice.isDynamicOffset(d) && !source.isDynamicDim(d)
                 ? source.getDimSize(d)
                 : slice.getStaticSize(d);
  return count;
}

/// The bytes that `loop` reads of the source of an edge. Of what it reads more
/// than once the first time counts.
static int64_t getSourceRowBytes(const RowLoop &loop) {
  llvm::SmallMapVector<Value, int64_t, 4> bits;
  for (tensor::ExtractOp read : loop.edges) {
    SmallVector<Operation *> users(read->getUsers());
    for (Operation *cast : read->getUsers())
      if (isa<arith::IndexCastOp>(cast))
        llvm::append_range(users, cast->getUsers());
    for (Operation *user : users) {
      auto row = dyn_cast<tensor::ExtractSliceOp>(user);
      if (row && row.getType().hasStaticShape() &&
          row.getType().getElementType().isIntOrFloat())
        bits.try_emplace(row.getSource(),
                         countElements(row) *
                             row.getType().getElementTypeBitWidth());
    }
  }
  int64_t sum = 0;
  for (auto [tensor, each] : bits)
    sum += each;
  return llvm::divideCeil(sum, 8);
}

/// Whether an elementwise op is to finish rows that `loop` makes in groups: it
/// would not become part of the loop if another one copied them in between.
static bool isFinishedLater(const RowLoop &loop) {
  return llvm::any_of(loop.groups, [](OpResult results) {
    return llvm::any_of(results.getUsers(), [](Operation *user) {
      auto op = dyn_cast<linalg::LinalgOp>(user);
      return (op && op.getNumParallelLoops() == op.getNumLoops()) ||
             OpTrait::hasElementwiseMappableTraits(user);
    });
  });
}

namespace {
/// Loops over the rows of one graph.
struct GraphLoops {
  SmallVector<RowLoop, 0> loops;
  /// The most that one of them reads of the source of an edge.
  int64_t sourceBytes = 0;

  bool readEdgeNumbers() const {
    return llvm::any_of(
        loops, [](const RowLoop &loop) { return !loop.edgeNumbers.empty(); });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

namespace {
/// Emits what finds rows that share sources.
class ClusterEmitter : public IndexLoops {
public:
  struct Options {
    int64_t sweeps, cacheBytes, minRowEdges;
  };

  ClusterEmitter(OpBuilder &b, const GraphLoops &graph, Options options)
      : IndexLoops(b, graph.loops.front().getLoc()), graph(graph),
        loop(graph.loops.front()), options(options) {}

  OrderedRows emit();

private:
  using RowAt = llvm::function_ref<Value(Value place)>;

  Value emitFilled(int64_t value, Value size);
  Value emitNumbers(Value size);
  Value emitNumNodes(Value numRows, Value numEdges);
  Value emitNumFar(Value numRows, Value numNodes, RowAt getRow);
  Value emitCommonLabel(Value row, Value labels, Value &counts);
  Value emitLabels(Value numRows, Value numNodes);
  Value emitSorted(Value numRows, Value numNodes, Value labels);
  /// The edges of a row and what is carried along them.
  SmallVector<Value> emitEdgeLoop(Value row, ValueRange values, Body body) {
    return emitLoop(load(loop.pointer, row), load(loop.pointer, addOne(row)),
                    values, body);
  }

  const GraphLoops &graph;
  const RowLoop &loop;
  Options options;
};
} // namespace

Value ClusterEmitter::emitFilled(int64_t value, Value size) {
  Value empty = emitEmpty(size, loop.pointer);
  Value fill = arith::ConstantOp::create(
      b, loc,
      b.getIntegerAttr(getElementTypeOrSelf(loop.pointer.getType()), value));
  return linalg::FillOp::create(b, loc, fill, empty).getResult(0);
}

/// 0, 1, 2, and so on.
Value ClusterEmitter::emitNumbers(Value size) {
  return emitLoop(constant(0), size, emitEmpty(size, loop.pointer),
                  [&](Value index, ValueRange args) {
                    return SmallVector<Value>{store(index, args[0], index)};
                  })
      .front();
}

/// One more than the largest number of a row or a source.
Value ClusterEmitter::emitNumNodes(Value numRows, Value numEdges) {
  return emitLoop(constant(0), numEdges, numRows,
                  [&](Value edge, ValueRange args) {
                    Value next = addOne(load(loop.sources, edge));
                    return SmallVector<Value>{
                        arith::MaxUIOp::create(b, loc, args[0], next)};
                  })
      .front();
}

/// How many edges have a source that was read before, but so many edges ago
/// that what was read since has taken its place in the cache.
Value ClusterEmitter::emitNumFar(Value numRows, Value numNodes, RowAt getRow) {
  Value zero = constant(0);
  Value window =
      constant(std::max<int64_t>(1, options.cacheBytes / graph.sourceBytes));
  // One more than how many edges came before it; 0 if it was not read yet.
  Value last = emitFilled(0, numNodes);
  SmallVector<Value> counted = emitLoop(
      zero, numRows, {zero, zero, last}, [&](Value place, ValueRange args) {
        return emitEdgeLoop(
            getRow(place), args, [&](Value edge, ValueRange inner) {
              Value source = load(loop.sources, edge);
              Value before = load(inner[2], source);
              Value now = addOne(inner[0]);
              Value isFar =
                  both(compare(arith::CmpIPredicate::ne, before, zero),
                       compare(arith::CmpIPredicate::ugt, subtract(now, before),
                               window));
              Value far = select(isFar, addOne(inner[1]), inner[1]);
              return SmallVector<Value>{now, far, store(now, inner[2], source)};
            });
      });
  return counted[1];
}

/// The label that most sources of `row` have, its own if it has no source.
/// `counts` are all 0, before and after.
Value ClusterEmitter::emitCommonLabel(Value row, Value labels, Value &counts) {
  auto getLabel = [&](Value edge) {
    return load(labels, load(loop.sources, edge));
  };
  Value zero = constant(0);
  SmallVector<Value> found = emitEdgeLoop(
      row, {load(labels, row), zero, counts}, [&](Value edge, ValueRange args) {
        Value label = getLabel(edge);
        Value count = addOne(load(args[2], label));
        Value isMore = compare(arith::CmpIPredicate::ugt, count, args[1]);
        return SmallVector<Value>{select(isMore, label, args[0]),
                                  select(isMore, count, args[1]),
                                  store(count, args[2], label)};
      });
  counts = emitEdgeLoop(row, found[2], [&](Value edge, ValueRange args) {
             return SmallVector<Value>{store(zero, args[0], getLabel(edge))};
           }).front();
  return found[0];
}

/// Labels of nodes: each has its own first, then the one that most of its
/// sources have, one node after the other.
///
/// Raghavan, Albert and Kumara, "Near linear time algorithm to detect community
/// structures in large-scale networks", 2007.
Value ClusterEmitter::emitLabels(Value numRows, Value numNodes) {
  Value zero = constant(0);
  SmallVector<Value> values{emitNumbers(numNodes), emitFilled(0, numNodes)};
  return emitLoop(zero, constant(options.sweeps), values,
                  [&](Value, ValueRange args) {
                    return emitLoop(
                        zero, numRows, args, [&](Value row, ValueRange inner) {
                          Value counts = inner[1];
                          Value label = emitCommonLabel(row, inner[0], counts);
                          return SmallVector<Value>{store(label, inner[0], row),
                                                    counts};
                        });
                  })
      .front();
}

/// All rows, sorted by their labels.
Value ClusterEmitter::emitSorted(Value numRows, Value numNodes, Value labels) {
  Value zero = constant(0);
  Value starts =
      emitLoop(zero, numRows, emitFilled(0, numNodes),
               [&](Value row, ValueRange args) {
                 Value label = load(labels, row);
                 Value count = addOne(load(args[0], label));
                 return SmallVector<Value>{store(count, args[0], label)};
               })
          .front();
  starts = emitLoop(zero, numNodes, {starts, zero},
                    [&](Value label, ValueRange args) {
                      Value count = load(args[0], label);
                      return SmallVector<Value>{store(args[1], args[0], label),
                                                add(args[1], count)};
                    })
               .front();
  return emitLoop(zero, numRows, {emitEmpty(numRows, loop.pointer), starts},
                  [&](Value row, ValueRange args) {
                    Value label = load(labels, row);
                    Value place = load(args[1], label);
                    return SmallVector<Value>{
                        store(row, args[0], place),
                        store(addOne(place), args[1], label)};
                  })
      .front();
}

/// Each step has something to do only if the one before did not rule it out:
/// graphs without such an order, which may come once, lose little time.
OrderedRows ClusterEmitter::emit() {
  using Predicate = arith::CmpIPredicate;
  Value zero = constant(0), numRows = loop.getNumRows();
  Value numEdges = tensor::DimOp::create(b, loc, loop.sources, 0);
  Value areMany =
      compare(Predicate::uge, numEdges, multiply(numRows, options.minRowEdges));
  Value numNodes =
      emitNumNodes(emitSize(areMany, numRows), emitSize(areMany, numEdges));
  // Half of all rows are at hand in any order otherwise.
  Value isLarge = compare(Predicate::ugt, multiply(numNodes, graph.sourceBytes),
                          constant(2 * options.cacheBytes));
  Value numFar = emitNumFar(emitSize(isLarge, numRows), numNodes,
                            [](Value place) { return place; });
  // An order is looked for if a quarter of all reads could come from nearer.
  Value isWorthwhile =
      both(isLarge, compare(Predicate::uge, multiply(numFar, 4), numEdges));
  Value numSorted = emitSize(isWorthwhile, numRows);
  Value numLabels = emitSize(isWorthwhile, numNodes);
  Value sorted =
      emitSorted(numSorted, numLabels, emitLabels(numSorted, numLabels));
  auto getRow = [&](Value place) { return load(sorted, place); };
  Value numFarSorted = emitNumFar(numSorted, numLabels, getRow);
  // And taken if it spares a quarter of those.
  Value isBetter =
      compare(Predicate::ule, multiply(numFarSorted, 4), multiply(numFar, 3));
  Value areSorted = both(isWorthwhile, isBetter);

  Value numCopies = emitSize(areSorted, numRows);
  Value begin = load(loop.pointer, zero);
  Value numCopiedEdges = emitSize(areSorted, numEdges);
  SmallVector<Value> copies{emitEmpty(numCopiedEdges, loop.sources)};
  if (graph.readEdgeNumbers())
    copies.push_back(emitEmpty(numCopiedEdges, loop.sources));
  SmallVector<Value> filled =
      emitCopies(loop, numCopies, begin, getRow,
                 emitEmpty(numCopies, loop.pointer), copies);
  Value pointer =
      store(begin, emitEmpty(addOne(numCopies), loop.pointer), zero);
  OpFoldResult one = b.getIndexAttr(1);
  pointer = tensor::InsertSliceOp::create(b, loc, filled[0], pointer, one,
                                          OpFoldResult(numCopies), one);
  return {sorted, emitChoice(areSorted, pointer, loop.pointer),
          emitChoice(areSorted, filled[1], loop.sources),
          filled.size() > 2 ? filled[2] : Value(), areSorted};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ClusterRowsPass
    : public gnn::impl::ClusterRowsPassBase<ClusterRowsPass> {
  using ClusterRowsPassBase::ClusterRowsPassBase;

  void runOnOperation() override {
    if (minRowBytes < 1 || minRowEdges < 0 || cacheBytes < 0 || sweeps < 0) {
      getOperation().emitError()
          << "min-row-bytes must be at least 1, min-row-edges, cache-bytes and "
             "sweeps at least 0, got "
          << minRowBytes.getValue() << ", " << minRowEdges.getValue() << ", "
          << cacheBytes.getValue() << " and " << sweeps.getValue();
      return signalPassFailure();
    }
    func::FuncOp function = getOperation();
    if (!hasPreparation(function))
      return;
    for (GraphLoops &graph : findLoops(function)) {
      Operation *first =
          function.front().findAncestorOpInBlock(*graph.loops.front().rows);
      OpBuilder b(first);
      OrderedRows ordered =
          ClusterEmitter(b, graph, {sweeps, cacheBytes, minRowEdges}).emit();
      for (RowLoop &loop : graph.loops)
        takeInOrder(loop, ordered);
      numLoops += graph.loops.size();
    }
  }

private:
  /// Numbers that a graph decides, such as that of its rows, need not be
  /// computed in a branch.
  static void hoistNumbers(func::FuncOp function, DenseSet<Value> &fixed) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What has no operands may depend on where it is, as linalg.index does.
      if (op->getParentOp() == function || op->getNumOperands() == 0 ||
          op->getNumResults() != 1 ||
          !op->getResult(0).getType().isIntOrIndex() || !isPure(op) ||
          !llvm::all_of(getReads(op),
                        [&](Value value) { return fixed.contains(value); }))
        return;
      op->moveBefore(function.front().findAncestorOpInBlock(*op));
      fixed.insert(op->getResult(0));
    });
  }

  /// Loops that read wide rows, by their graphs.
  SmallVector<GraphLoops> findLoops(func::FuncOp function) {
    DenseSet<Value> fixed = findFixedValues(function);
    hoistNumbers(function, fixed);
    llvm::MapVector<std::pair<Value, std::pair<Value, Value>>, GraphLoops>
        graphs;
    function.walk([&](scf::ForallOp loop) {
      Operation *ancestor = function.front().findAncestorOpInBlock(*loop);
      // What runs once for a graph needs no order.
      if (ancestor->getNumResults() == 0 ||
          fixed.contains(ancestor->getResult(0)))
        return;
      std::optional<RowLoop> rows = analyzeRowLoop(loop, fixed);
      if (!rows)
        rows = analyzeRowGroups(loop, fixed);
      if (!rows || getSourceRowBytes(*rows) < minRowBytes ||
          isFinishedLater(*rows))
        return;
      GraphLoops &graph =
          graphs[{rows->getNumRows(), {rows->pointer, rows->sources}}];
      graph.sourceBytes = std::max(graph.sourceBytes, getSourceRowBytes(*rows));
      graph.loops.push_back(std::move(*rows));
    });
    SmallVector<GraphLoops> found;
    for (auto &entry : graphs)
      found.push_back(std::move(entry.second));
    return found;
  }
};
} // namespace
