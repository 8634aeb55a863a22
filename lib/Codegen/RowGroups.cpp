//===- RowGroups.cpp - Loops over groups of rows ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOrder.h"
#include "RowPointer.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// What is read and written where
//===----------------------------------------------------------------------===//

namespace {
/// What an index counts.
enum class Position { Row, Edge };

/// Follows places of rows and edges through the body of a loop whose rows may
/// be taken in any order, to where something is read or written there.
class GroupAnalysis {
public:
  GroupAnalysis(scf::ForallOp loop, const DenseSet<Value> &fixed)
      : fixed(fixed), rows(loop) {}

  std::optional<RowLoop> run();

private:
  bool visit(Operation *op);
  bool visitLoop(scf::ForOp loop);
  bool visitRead(tensor::ExtractOp read);
  bool visitPart(tensor::ExtractSliceOp part);
  bool visitInsert(tensor::ParallelInsertSliceOp insert);
  bool visitChoice(Value result, Value left, Value right);
  /// A row or an edge of a tensor that the loop does not make itself.
  template <typename SliceOp>
  bool visitSlice(SliceOp slice, Value tensor);

  std::optional<Position> get(Value value) const {
    auto found = positions.find(value);
    return found == positions.end() ? std::nullopt
                                    : std::optional(found->second);
  }
  bool set(Value value, std::optional<Position> position) {
    if (position)
      positions.try_emplace(value, *position);
    return true;
  }
  bool haveNone(ValueRange values) const {
    return llvm::none_of(values, [&](Value value) { return get(value); });
  }
  /// As the loop's results are while it runs, or from before it.
  bool isOutside(Value tensor) const {
    return !rows.rows->isAncestor(tensor.getParentBlock()->getParentOp()) ||
           llvm::is_contained(scf::ForallOp(rows.rows).getRegionIterArgs(),
                              tensor);
  }
  void add(OpOperand &number, Position position) {
    (position == Position::Row ? rows.rowNumbers : rows.edgeNumbers)
        .push_back(&number);
  }
  bool isGroup(OffsetSizeAndStrideOpInterface slice);

  const DenseSet<Value> &fixed;
  DenseMap<Value, Position> positions;
  /// How often a group of rows is taken out of a result or inserted.
  DenseMap<Value, unsigned> numGroups;
  RowLoop rows;
};
} // namespace

bool GroupAnalysis::visitLoop(scf::ForOp loop) {
  std::optional<Position> first = get(loop.getLowerBound());
  return first == get(loop.getUpperBound()) && haveNone(loop.getStep()) &&
         haveNone(loop.getInitArgs()) && set(loop.getInductionVar(), first);
}

/// One of two places; the last row may be the end of all.
bool GroupAnalysis::visitChoice(Value result, Value left, Value right) {
  std::optional<Position> position = get(left);
  bool areAlike = position == get(right) ||
                  (position == Position::Row && right == rows.getNumRows());
  return position && areAlike && set(result, position);
}

template <typename SliceOp>
bool GroupAnalysis::visitSlice(SliceOp slice, Value tensor) {
  if (!isOutside(tensor) || !haveNone(slice.getSizes()) ||
      !haveNone(slice.getStrides()))
    return false;
  OpOperand *next = slice.getOffsetsMutable().begin();
  for (auto [offset, size] :
       llvm::zip(slice.getMixedOffsets(), slice.getMixedSizes())) {
    if (!isa<Value>(offset))
      continue;
    OpOperand &number = *next++;
    if (std::optional<Position> position = get(number.get())) {
      if (!isOneInteger(size))
        return false;
      add(number, *position);
    }
  }
  return true;
}

bool GroupAnalysis::visitRead(tensor::ExtractOp read) {
  Value tensor = read.getTensor();
  bool isFixedNumber = read.getIndices().size() == 1 &&
                       read.getType().isIntOrIndex() && fixed.contains(tensor);
  std::optional<Position> position = get(read->getOperand(1));
  if (isFixedNumber && position == Position::Row && tensor == rows.pointer) {
    rows.bounds.push_back(read);
    return set(read, Position::Edge);
  }
  if (isFixedNumber && position == Position::Edge &&
      (!rows.sources || tensor == rows.sources)) {
    rows.sources = tensor;
    rows.edges.push_back(read);
    return true;
  }
  for (OpOperand &index : read.getIndicesMutable())
    if (std::optional<Position> each = get(index.get()))
      add(index, *each);
  return isOutside(tensor);
}

/// Whether `slice` is all of a group of rows.
bool GroupAnalysis::isGroup(OffsetSizeAndStrideOpInterface slice) {
  auto size = dyn_cast<Value>(slice.getMixedSizes().front());
  auto count = size ? size.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  Value first = rows.rows.getInductionVar(0);
  return count && get(count.getLhs()) == Position::Row &&
         count.getRhs() == first &&
         slice.getMixedOffsets().front() == OpFoldResult(first) &&
         llvm::all_of(llvm::drop_begin(slice.getMixedOffsets()), isZeroInteger);
}

bool GroupAnalysis::visitPart(tensor::ExtractSliceOp part) {
  Value tensor = part.getSource();
  auto outputs = rows.rows.getRegionIterArgs();
  if (!llvm::is_contained(outputs, tensor) || !isGroup(part))
    return visitSlice(part, tensor);
  ++numGroups[tensor];
  return true;
}

bool GroupAnalysis::visitInsert(tensor::ParallelInsertSliceOp insert) {
  if (!isGroup(insert))
    return visitSlice(insert, insert.getDest());
  ++numGroups[insert.getDest()];
  return true;
}

bool GroupAnalysis::visit(Operation *op) {
  if (haveNone(op->getOperands()))
    return true;
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp loop) { return visitLoop(loop); })
      .Case([&](tensor::ExtractOp read) { return visitRead(read); })
      .Case([&](tensor::ExtractSliceOp part) { return visitPart(part); })
      .Case([&](tensor::ParallelInsertSliceOp insert) {
        return visitInsert(insert);
      })
      .Case(
          [&](arith::IndexCastOp cast) { return set(cast, get(cast.getIn())); })
      .Case([&](arith::AddIOp sum) {
        // Places are not added to each other.
        std::optional<Position> left = get(sum.getLhs()),
                                right = get(sum.getRhs());
        return !(left && right) && set(sum, left ? left : right);
      })
      .Case([&](arith::SubIOp difference) {
        std::optional<Position> left = get(difference.getLhs()),
                                right = get(difference.getRhs());
        // Between two places there is a number.
        return left == right || (!right && set(difference, left));
      })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto choice) {
            return visitChoice(choice, choice.getLhs(), choice.getRhs());
          })
      .Case([&](arith::SelectOp choice) {
        return visitChoice(choice, choice.getTrueValue(),
                           choice.getFalseValue());
      })
      .Case([&](arith::CmpIOp compare) {
        return get(compare.getLhs()) == get(compare.getRhs());
      })
      .Default([](Operation *) { return false; });
}

std::optional<RowLoop> GroupAnalysis::run() {
  scf::ForallOp loop = rows.rows;
  if (!loop->hasAttr(GNNDialect::kAnyRowOrderAttr) || loop.getRank() != 1 ||
      !isZeroInteger(loop.getMixedLowerBound().front()))
    return std::nullopt;
  auto upper = dyn_cast<Value>(loop.getMixedUpperBound().front());
  if (!upper || !fixed.contains(upper))
    return std::nullopt;
  loop.getBody()->walk([&](scf::ForOp edges) {
    auto begin = getBoundRead<tensor::ExtractOp>(edges.getLowerBound());
    auto end = getBoundRead<tensor::ExtractOp>(edges.getUpperBound());
    if (!begin || !end || begin.getTensor() != end.getTensor() ||
        !isNext(end.getIndices()[0], begin.getIndices()[0]))
      return WalkResult::advance();
    rows.pointer = begin.getTensor();
    return WalkResult::interrupt();
  });
  if (!rows.pointer || !fixed.contains(rows.pointer))
    return std::nullopt;
  set(loop.getInductionVar(0), Position::Row);
  WalkResult walk = loop.getBody()->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(success(visit(op))); });
  if (walk.wasInterrupted() || !rows.sources)
    return std::nullopt;
  for (auto [output, result] :
       llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    unsigned number = numGroups.lookup(output);
    if (number == 0)
      continue;
    // All of it by groups, or nothing.
    if (number != llvm::range_size(output.getUses()))
      return std::nullopt;
    rows.groups.push_back(result);
  }
  return rows;
}

std::optional<RowLoop> gnn::analyzeRowGroups(scf::ForallOp loop,
                                             const DenseSet<Value> &fixed) {
  return GroupAnalysis(loop, fixed).run();
}

//===----------------------------------------------------------------------===//
// Results in another order
//===----------------------------------------------------------------------===//

OpOperand *gnn::emitScatter(OpBuilder &b, OpResult results, Value numRows) {
  Location loc = results.getLoc();
  auto type = cast<RankedTensorType>(results.getType());
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : results.getUses())
    uses.push_back(&use);
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  auto rowType = RankedTensorType::get(shape, type.getElementType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      sizes = tensor::getMixedSizes(b, loc, results),
      strides(type.getRank(), one);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  sizes.front() = one;
  OpOperand *number = nullptr;
  auto scatter = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{numRows}, empty,
      /*mapping=*/std::nullopt,
      [&](OpBuilder &inner, Location, ValueRange args) {
        offsets.front() = args[0];
        Value row = tensor::ExtractSliceOp::create(inner, loc, rowType, results,
                                                   offsets, sizes, strides);
        auto terminator = scf::InParallelOp::create(inner, loc);
        inner.setInsertionPointToStart(terminator.getBody());
        auto insert = tensor::ParallelInsertSliceOp::create(
            inner, loc, row, args[1], offsets, sizes, strides);
        number = insert.getOffsetsMutable().begin();
      });
  for (OpOperand *use : uses)
    use->set(scatter.getResult(0));
  return number;
}
