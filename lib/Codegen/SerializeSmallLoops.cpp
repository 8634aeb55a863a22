//===- SerializeSmallLoops.cpp - Threads only where they pay ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPointer.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

namespace gnn {
#define GEN_PASS_DEF_SERIALIZESMALLLOOPSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Trip count assumed where nothing is known of it.
static constexpr int64_t assumedTrips = 8;

namespace {
/// Trips of a loop that are known before the parallel one starts: `span` in
/// steps of `step`.
struct Trips {
  Value span;
  int64_t step;
};

/// Elements that are computed, roughly: ops count once or as often as their
/// vector has elements of 32 bits in a register of 16.
struct Work {
  /// For each step of the parallel loop, and for each edge of a row.
  double ofStep = 0, ofEdge = 0;
  /// What else a step does: so much, as often as all of these loops together.
  SmallVector<std::pair<double, SmallVector<Trips, 2>>, 0> ofLoops;

  void add(const Work &other, double trips = 1) {
    ofStep += trips * other.ofStep;
    ofEdge += trips * other.ofEdge;
    for (const auto &[work, loops] : other.ofLoops)
      ofLoops.push_back({trips * work, loops});
  }
  /// Adds `other` as often as there are `trips` at run time.
  void add(const Work &other, Trips trips) {
    if (other.ofStep > 0)
      ofLoops.push_back({other.ofStep, {trips}});
    for (const auto &[work, loops] : other.ofLoops) {
      ofLoops.push_back({work, loops});
      ofLoops.back().second.push_back(trips);
    }
    ofEdge += other.ofEdge;
  }
  /// For comparisons: loops of unknown length make a few trips.
  double getTypical() const {
    double work = ofStep;
    for (const auto &[once, loops] : ofLoops) {
      double trips = 1;
      for (const Trips &loop : loops)
        trips *=
            static_cast<double>(std::max<int64_t>(1, assumedTrips / loop.step));
      work += trips * once;
    }
    return work;
  }
};

class WorkEstimate {
public:
  /// Edges are those between entries of `rowPointer`, if there is one. A step
  /// of the parallel loop has `rowsPerStep` rows. What is read of memory counts
  /// as `opsOfRead` for each vector.
  WorkEstimate(omp::ParallelOp parallel, Value rowPointer, int64_t rowsPerStep,
               int64_t opsOfRead)
      : parallel(parallel), rowPointer(rowPointer), rowsPerStep(rowsPerStep),
        opsOfRead(opsOfRead) {}

  Work estimate(Block &block, int64_t trips = assumedTrips) const;

private:
  bool followsEdges(scf::ForOp loop) const {
    std::optional<RowBounds> bounds = getRowBounds(loop);
    return rowPointer && bounds && bounds->pointer == rowPointer;
  }
  /// Whether it goes over the rows of a step, or some of them.
  bool countsRows(scf::ForOp loop) const {
    return rowPointer && !loop.getStaticTripCount() &&
           llvm::any_of(loop.getBody()->getOps<scf::ForOp>(),
                        [&](scf::ForOp inner) { return followsEdges(inner); });
  }
  /// How far the entries are apart on average that bound `loop`, of an array
  /// that is known before the parallel loop; null if it goes over anything
  /// else.
  Value emitAverageLength(scf::ForOp loop) const;
  /// What `value` is at most, if that is computed before the parallel loop:
  /// counted from `origin`, if there is one.
  Value getMostBefore(Value value, Value origin = nullptr) const;
  Work estimate(scf::ForOp loop, int64_t trips) const;

  omp::ParallelOp parallel;
  Value rowPointer;
  int64_t rowsPerStep, opsOfRead;
};
} // namespace

/// Whether `op` moves elements, or changes their type at most.
static bool onlyMoves(Operation *op) {
  if (isa<CallOpInterface, vector::FMAOp, vector::ContractionOp,
          vector::OuterProductOp, vector::ReductionOp,
          vector::MultiDimReductionOp, amx::TileMulFOp>(op))
    return false;
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) ||
      isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp>(
          op))
    return true;
  return !isa_and_present<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

static bool onlyMovesElements(omp::ParallelOp parallel) {
  return !parallel
              ->walk([](Operation *op) {
                return onlyMoves(op) ? WalkResult::advance()
                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// What `value` is at most, of what the smaller of a number and a rest is made
/// of: all tiles but the last are whole.
static std::optional<int64_t> getMost(Value value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> left = getMost(op->getOperand(0));
  std::optional<int64_t> right = getMost(op->getOperand(1));
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return left && right ? std::min(*left, *right) : left ? left : right;
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(*left, *right);
  if (isa<arith::MulIOp>(op))
    return *left * *right;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && *right > 0)
    return *left / *right;
  return std::nullopt;
}

/// How far `upper` is from `lower` at most: a part of a row has a number of
/// edges, or none.
static std::optional<int64_t> getMostBetween(Value lower, Value upper) {
  if (lower == upper)
    return 0;
  if (auto choice = upper.getDefiningOp<arith::SelectOp>()) {
    std::optional<int64_t> yes = getMostBetween(lower, choice.getTrueValue());
    std::optional<int64_t> no = getMostBetween(lower, choice.getFalseValue());
    return yes && no ? std::max(*yes, *no) : std::optional<int64_t>();
  }
  auto sum = upper.getDefiningOp<arith::AddIOp>();
  if (sum && sum.getLhs() == lower)
    return getConstantIntValue(sum.getRhs());
  return std::nullopt;
}

Value WorkEstimate::getMostBefore(Value value, Value origin) const {
  if (!parallel->isAncestor(value.getParentBlock()->getParentOp()))
    return origin ? nullptr : value;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op)) {
    Value left = getMostBefore(op->getOperand(0), origin);
    return left ? left : getMostBefore(op->getOperand(1), origin);
  }
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(op); sum && origin)
    for (auto [one, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())})
      if (one == origin)
        return getMostBefore(other);
  if (auto difference = dyn_cast_or_null<arith::SubIOp>(op);
      difference && !origin)
    return getMostBefore(difference.getLhs(), difference.getRhs());
  return nullptr;
}

Value WorkEstimate::emitAverageLength(scf::ForOp loop) const {
  std::optional<RowBounds> bounds = getRowBounds(loop);
  if (!bounds ||
      parallel->isAncestor(bounds->pointer.getParentBlock()->getParentOp()))
    return {};
  OpBuilder b(parallel);
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value rows = arith::SubIOp::create(
      b, loc, memref::DimOp::create(b, loc, bounds->pointer, 0), one);
  Value length =
      arith::SubIOp::create(b, loc, loadAsIndex(b, loc, bounds->pointer, rows),
                            loadAsIndex(b, loc, bounds->pointer, zero));
  // There may be no rows.
  rows = arith::MaxUIOp::create(b, loc, rows, one);
  return arith::CeilDivUIOp::create(b, loc, length, rows);
}

Work WorkEstimate::estimate(scf::ForOp loop, int64_t trips) const {
  int64_t step =
      std::max<int64_t>(1, getConstantIntValue(loop.getStep()).value_or(1));
  if (followsEdges(loop)) {
    // Loops over a block of edges make as many trips as it has edges.
    Work body = estimate(*loop.getBody(), step > 1 ? step : trips);
    return {0, body.getTypical() / static_cast<double>(step), {}};
  }
  Work work;
  if (countsRows(loop)) {
    // An edge belongs to one row.
    Work body = estimate(*loop.getBody());
    work.add(body, static_cast<double>(rowsPerStep));
    work.ofEdge = body.ofEdge;
    return work;
  }
  // A loop over tiles makes as many fewer trips as the tile is large.
  int64_t count = std::max<int64_t>(1, trips / step);
  Work body = estimate(*loop.getBody(), trips);
  bool startsAtZero = isZeroInteger(getAsOpFoldResult(loop.getLowerBound()));
  if (std::optional<APInt> known = loop.getStaticTripCount()) {
    count = known->getSExtValue();
  } else if (std::optional<int64_t> most =
                 startsAtZero ? getMost(loop.getUpperBound())
                              : getMostBetween(loop.getLowerBound(),
                                               loop.getUpperBound())) {
    count = llvm::divideCeil(std::max<int64_t>(1, *most), step);
  } else {
    Value span = emitAverageLength(loop);
    if (!span)
      span = getMostBefore(loop.getUpperBound(),
                           startsAtZero ? Value() : loop.getLowerBound());
    if (span) {
      work.add(body, Trips{span, step});
      return work;
    }
  }
  work.add(body, static_cast<double>(count));
  return work;
}

/// Whether it goes over pairs of rows of two sides: a loop from one entry of an
/// array to the next has another such loop in it.
static bool pairsRows(omp::LoopNestOp nest) {
  return nest
      .walk([](scf::ForOp loop) {
        auto outer = loop->getParentOfType<scf::ForOp>();
        while (outer && !getRowBounds(outer))
          outer = outer->getParentOfType<scf::ForOp>();
        return outer && getRowBounds(loop) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The larger of both in each respect.
static Work getLarger(const Work &left, const Work &right) {
  Work result = left.getTypical() < right.getTypical() ? right : left;
  result.ofEdge = std::max(left.ofEdge, right.ofEdge);
  return result;
}

Work WorkEstimate::estimate(Block &block, int64_t trips) const {
  Work work;
  // Loops over rows in the order of their bounds, where one may begin at which
  // another ends: rows that are taken by one are not by the other.
  llvm::MapVector<std::pair<Value, Value>, Work> rows;
  for (Operation &op : block) {
    // What is asked for early takes no time of its own.
    if (isa<memref::PrefetchOp>(op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (countsRows(loop))
        rows[{loop.getLowerBound(), loop.getUpperBound()}].add(
            estimate(loop, trips));
      else
        work.add(estimate(loop, trips));
      continue;
    }
    // One of several branches.
    Work largest;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        largest = getLarger(largest, estimate(inner, trips));
    work.add(largest);
    int64_t elements = 1;
    for (Type type : op.getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type))
        elements = std::max(elements, vector.getNumElements());
      else if (auto tile = dyn_cast<amx::TileType>(type))
        elements =
            std::max(elements, ShapedType::getNumElements(tile.getShape()));
    int64_t each =
        isa<vector::TransferReadOp, vector::LoadOp>(op) ? opsOfRead : 1;
    work.ofStep += static_cast<double>(each * llvm::divideCeil(elements, 16));
  }
  Work largest;
  for (const auto &[bounds, part] : rows)
    largest = getLarger(largest, part);
  work.add(largest);
  return work;
}

/// Adds to `ops`, in order, those of the block of `point` that are behind it
/// and that `value` is computed from. False if one of them reads or writes
/// memory.
static bool findOpsBehind(Value value, Operation *point,
                          llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != point->getBlock() ||
      op->isBeforeInBlock(point) || ops.contains(op))
    return true;
  if (op == point || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!findOpsBehind(operand, point, ops))
      return false;
  ops.insert(op);
  return true;
}

/// Moves what `value` is computed from to before `point`, if it can be. Nothing
/// is speculated: all of it runs either way, divisions included.
static bool computeBefore(Value value, Operation *point) {
  llvm::SetVector<Operation *> ops;
  if (!findOpsBehind(value, point, ops))
    return false;
  for (Operation *op : ops)
    op->moveBefore(point);
  return true;
}

namespace {
/// A parallel loop with a condition.
struct ConditionalLoop {
  omp::ParallelOp parallel;
  /// What there is of it, iterations or ops, and how many ops that is each.
  Value amount;
  double opsOfEach;
  /// Whether it has enough to do for threads to be started.
  Value isEnough;
};

struct SerializeSmallLoopsPass
    : public gnn::impl::SerializeSmallLoopsPassBase<SerializeSmallLoopsPass> {
  using SerializeSmallLoopsPassBase::SerializeSmallLoopsPassBase;

  void runOnOperation() override {
    llvm::MapVector<Block *, SmallVector<ConditionalLoop>> blocks;
    getOperation()->walk([&](omp::ParallelOp parallel) {
      if (parallel.getIfExpr())
        return;
      // One loop is what conversion from scf makes; anything else is left.
      auto loops = llvm::to_vector(parallel.getOps<omp::WsloopOp>());
      if (loops.size() != 1)
        return;
      auto nest = cast<omp::LoopNestOp>(loops.front().getWrappedLoop());
      if (!llvm::all_of(nest->getOperands(), [&](Value bound) {
            return !parallel->isAncestor(bound.getParentBlock()->getParentOp());
          }))
        return;
      blocks[parallel->getBlock()].push_back(emitCondition(parallel, nest));
      ++numConditions;
    });
    if (awakeWork >= minimumWork)
      return;
    for (auto &[block, loops] : blocks)
      joinNeighbours(loops);
  }

private:
  /// Whether `loop` has `least` ops.
  static Value emitComparison(OpBuilder &b, const ConditionalLoop &loop,
                              int64_t least) {
    Location loc = loop.amount.getLoc();
    double number =
        std::ceil(static_cast<double>(least) / std::max(loop.opsOfEach, 1.0));
    Value bound = arith::ConstantIndexOp::create(
        b, loc, std::max<int64_t>(1, std::llround(number)));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, loop.amount,
                                 bound);
  }

  ConditionalLoop emitCondition(omp::ParallelOp parallel,
                                omp::LoopNestOp nest) {
    OpBuilder b(parallel);
    Location loc = parallel.getLoc();
    Value trips = arith::ConstantIndexOp::create(b, loc, 1);
    for (auto [lower, upper, step] :
         llvm::zip(nest.getLoopLowerBounds(), nest.getLoopUpperBounds(),
                   nest.getLoopSteps())) {
      Value range = arith::SubIOp::create(b, loc, upper, lower);
      Value count = arith::CeilDivSIOp::create(b, loc, range, step);
      trips = arith::MulIOp::create(b, loc, trips, count);
    }
    std::optional<int64_t> step = getConstantIntValue(nest.getLoopSteps()[0]);
    Value rowPointer;
    if (nest.getNumLoops() == 1 && step && !pairsRows(nest))
      rowPointer = findRowPointer(nest, nest.getRegion().getArgument(0));
    WorkEstimate estimate(parallel, rowPointer, step.value_or(1),
                          onlyMovesElements(parallel) ? moveWork : 1);
    Work work;
    for (Block &block : nest.getRegion())
      work.add(estimate.estimate(block));
    auto constant = [&](double value) -> Value {
      return arith::ConstantIndexOp::create(
          b, loc, std::max<int64_t>(1, std::llround(value)));
    };
    // One comparison with a constant will do.
    ConditionalLoop loop{parallel, trips, work.ofStep, Value()};
    if (rowPointer || !work.ofLoops.empty()) {
      Value ofStep = constant(work.ofStep);
      for (const auto &[once, loops] : work.ofLoops) {
        Value part = constant(once);
        for (const Trips &inner : loops) {
          Value count = arith::CeilDivSIOp::create(
              b, loc, inner.span,
              arith::ConstantIndexOp::create(b, loc, inner.step));
          part = arith::MulIOp::create(b, loc, part, count);
        }
        ofStep = arith::AddIOp::create(b, loc, ofStep, part);
      }
      loop.amount = arith::MulIOp::create(b, loc, trips, ofStep);
      loop.opsOfEach = 1;
    }
    if (rowPointer) {
      Value edges = emitEdges(b, loc, rowPointer, nest);
      Value ofEdges =
          arith::MulIOp::create(b, loc, edges, constant(work.ofEdge));
      loop.amount = arith::AddIOp::create(b, loc, loop.amount, ofEdges);
    }
    loop.isEnough = emitComparison(b, loop, minimumWork);
    parallel.getIfExprMutable().assign(loop.isEnough);
    return loop;
  }

  /// Threads that a loop before has started are awake, and those that the next
  /// one will start may as well be started now: loops with less to do take
  /// part.
  void joinNeighbours(ArrayRef<ConditionalLoop> loops) {
    OpBuilder builder(&getContext());
    auto either = [&](Value a, Value c) -> Value {
      return a && c
                 ? arith::OrIOp::create(builder, a.getLoc(), a, c).getResult()
             : a ? a
                 : c;
    };
    Value before;
    for (auto [i, loop] : llvm::enumerate(loops)) {
      omp::ParallelOp parallel = loop.parallel;
      builder.setInsertionPoint(parallel);
      Value others = before;
      // What the next loop's size depends on may be known later only.
      if (i + 1 < loops.size() &&
          computeBefore(loops[i + 1].isEnough, parallel))
        others = either(before, loops[i + 1].isEnough);
      if (others) {
        Location loc = parallel.getLoc();
        Value joins = arith::AndIOp::create(
            builder, loc, emitComparison(builder, loop, awakeWork), others);
        parallel.getIfExprMutable().assign(either(loop.isEnough, joins));
      }
      if (i + 1 < loops.size())
        before = either(before, loop.isEnough);
    }
  }

  /// How many edges the rows of `nest` have.
  static Value emitEdges(OpBuilder &b, Location loc, Value rowPointer,
                         omp::LoopNestOp nest) {
    auto load = [&](Value row) { return loadAsIndex(b, loc, rowPointer, row); };
    Value end = load(nest.getLoopUpperBounds()[0]);
    Value begin = load(nest.getLoopLowerBounds()[0]);
    return arith::SubIOp::create(b, loc, end, begin);
  }
};
} // namespace
