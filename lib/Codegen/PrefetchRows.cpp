//===- PrefetchRows.cpp - Ask early for rows of sources ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheLine.h"
#include "RowParts.h"
#include "RowPointer.h"
#include "StreamCondition.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"

namespace gnn {
#define GEN_PASS_DEF_PREFETCHROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// To find the place of a row of this length takes little beside reading it.
static constexpr int64_t wideRowBytes = 512;

/// Where a loop computes so many times the bytes of the rows that it reads, a
/// processor sees few rows ahead.
static constexpr int64_t manyOperations = 4;

/// Rows of results that have more bytes together leave no room for others.
static constexpr int64_t maxResultRowBytes = 512;

namespace {
/// The rows that a loop reads at the entries of one index array: those at its
/// induction variable, or as many entries after that.
struct IndexedRows {
  memref::LoadOp index;
  Value array;
  int64_t distance;
  SmallVector<RowPart> parts;
  /// Whether these are the rests of rows that another loop has read.
  bool isAgain = false;
};

/// A loop over edges and what it asks for.
struct EdgeLoop {
  scf::ForOp loop;
  SmallVector<IndexedRows> found;
};
} // namespace

/// How far `index` is ahead of the induction variable of `loop`, where it does
/// not stop at a bound.
static std::optional<int64_t> getDistance(scf::ForOp loop, Value index) {
  if (index == loop.getInductionVar())
    return 0;
  if (auto bounded = index.getDefiningOp<arith::MinSIOp>())
    if (loop.isDefinedOutsideOfLoop(bounded.getRhs()))
      return getDistance(loop, bounded.getLhs());
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != loop.getInductionVar())
    return std::nullopt;
  return getConstantIntValue(sum.getRhs());
}

/// The rows read at entries of arrays along which `loop` runs.
static SmallVector<IndexedRows> findRows(scf::ForOp loop) {
  SmallVector<IndexedRows> found;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step)
    return found;
  for (memref::LoadOp load : loop.getBody()->getOps<memref::LoadOp>()) {
    if (load.getMemRefType().getRank() != 1 || !load.getType().isIntOrIndex() ||
        !loop.isDefinedOutsideOfLoop(load.getMemRef()))
      continue;
    std::optional<int64_t> distance =
        getDistance(loop, load.getIndices().front());
    // Entries between two steps are others; those after them come again.
    if (!distance || *distance < 0 || *distance >= *step)
      continue;
    IndexedRows rows{load, load.getMemRef(), *distance, {}};
    if (load.getType().isIndex())
      addReads(loop, load, rows.parts);
    for (Operation *user : load->getUsers())
      if (isa<arith::IndexCastOp>(user))
        addReads(loop, user->getResult(0), rows.parts);
    if (!rows.parts.empty())
      found.push_back(std::move(rows));
  }
  return found;
}

/// How many bytes of vectors an iteration of `loop` computes.
static int64_t getComputedBytes(scf::ForOp loop) {
  int64_t bytes = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (OpTrait::hasElementwiseMappableTraits(op))
      for (Type type : op->getResultTypes())
        if (auto vector = dyn_cast<VectorType>(type))
          bytes +=
              vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
  });
  return bytes;
}

/// Whether `loop` takes the same steps as `earlier` has taken.
static bool goSameWay(scf::ForOp earlier, scf::ForOp loop) {
  if (earlier == loop)
    return false;
  if (earlier->getBlock() == loop->getBlock())
    return earlier.getLowerBound() == loop.getLowerBound() &&
           earlier.getUpperBound() == loop.getUpperBound();
  // Along the edges of the rows of another loop.
  auto rowsBefore = dyn_cast<scf::ForOp>(earlier->getParentOp()),
       rows = dyn_cast<scf::ForOp>(loop->getParentOp());
  std::optional<RowBounds> boundsBefore = getRowBounds(earlier),
                           bounds = getRowBounds(loop);
  return rowsBefore && rows && boundsBefore && bounds &&
         boundsBefore->pointer == bounds->pointer &&
         boundsBefore->row == rowsBefore.getInductionVar() &&
         bounds->row == rows.getInductionVar() &&
         rowsBefore->getBlock() == rows->getBlock() &&
         goSameWay(rowsBefore, rows);
}

static bool isWide(const RowPart &part) {
  return part.getBytes() >= wideRowBytes;
}

/// The middle of a row, at the end of a line.
static int64_t getMiddle(const RowPart &part) {
  int64_t perLine = lineBytes / part.getElementBytes();
  return part.begin +
         llvm::divideCeil(part.end - part.begin, 2 * perLine) * perLine;
}

/// The part of `known` in which `part` of a row at an entry of `array` is.
static RowPart *findKnown(MutableArrayRef<IndexedRows> known, Value array,
                          const RowPart &part) {
  for (IndexedRows &rows : known) {
    if (rows.array != array)
      continue;
    for (RowPart &read : rows.parts)
      if (read.buffer == part.buffer && read.begin <= part.begin &&
          part.end <= read.end)
        return &read;
  }
  return nullptr;
}

/// `later` takes the same steps as `earlier` has taken: rows that it reads
/// again need not be asked for. Wide ones are shared, so that memory has
/// something to do in both loops.
static void share(EdgeLoop &earlier, EdgeLoop &later) {
  SmallVector<IndexedRows> shared;
  for (IndexedRows &rows : later.found) {
    if (rows.isAgain)
      continue;
    IndexedRows rests{rows.index, rows.array, rows.distance, {}, true};
    llvm::erase_if(rows.parts, [&](const RowPart &part) {
      RowPart *known = findKnown(earlier.found, rows.array, part);
      if (known && isWide(part) && !known->rest && known->begin == part.begin &&
          known->end == part.end)
        rests.parts.push_back({part.buffer, getMiddle(part), part.end});
      return known != nullptr;
    });
    if (!rests.parts.empty())
      shared.push_back(std::move(rests));
  }
  for (const IndexedRows &rests : shared)
    for (IndexedRows &rows : earlier.found)
      for (RowPart &part : rows.parts)
        for (const RowPart &rest : rests.parts)
          if (rows.array == rests.array && part.buffer == rest.buffer)
            part.rest = rest.begin;
  llvm::erase_if(later.found,
                 [](const IndexedRows &rows) { return rows.parts.empty(); });
  llvm::append_range(later.found, shared);
}

namespace {
/// The rows that are read at entries of each array, by whatever loop: they go
/// through the caches together.
class NamedRows {
public:
  void add(ArrayRef<IndexedRows> found) {
    for (const IndexedRows &rows : found)
      for (const RowPart &part : rows.parts)
        add(parts[rows.array], part);
  }

  /// Those that are named along with `rows`, and there before `loop`.
  SmallVector<RowPart> getTogether(const IndexedRows &rows, scf::ForOp loop,
                                   DominanceInfo &dominance) const {
    SmallVector<RowPart> together(rows.parts);
    for (const RowPart &part : parts.lookup(rows.array))
      if (dominance.properlyDominates(part.buffer, loop))
        add(together, part);
    return together;
  }

private:
  static void add(SmallVectorImpl<RowPart> &all, const RowPart &part) {
    if (llvm::none_of(all, [&](const RowPart &other) {
          return other.buffer == part.buffer;
        }))
      all.push_back(part);
  }

  DenseMap<Value, SmallVector<RowPart>> parts;
};
} // namespace

static bool readsSameBuffers(const IndexedRows &a, const IndexedRows &b) {
  return a.array == b.array && a.isAgain == b.isAgain &&
         a.parts.size() == b.parts.size() &&
         llvm::all_of(llvm::zip(a.parts, b.parts), [](auto parts) {
           return std::get<0>(parts).buffer == std::get<1>(parts).buffer;
         });
}

namespace {
struct PrefetchRowsPass
    : public gnn::impl::PrefetchRowsPassBase<PrefetchRowsPass> {
  using PrefetchRowsPassBase::PrefetchRowsPassBase;

  void runOnOperation() override {
    if (rowsAhead < 1 || bytesAhead < 1 || bytesAheadAgain < 1 ||
        maxLines < 1) {
      getOperation().emitError("distances and lines must be at least 1");
      return signalPassFailure();
    }
    auto &dominance = getAnalysis<DominanceInfo>();
    SmallVector<EdgeLoop> loops;
    NamedRows named;
    getOperation()->walk([&](scf::ForOp loop) {
      EdgeLoop next{loop, findRows(loop)};
      named.add(next.found);
      for (EdgeLoop &earlier : loops)
        if (goSameWay(earlier.loop, loop))
          share(earlier, next);
      loops.push_back(std::move(next));
    });
    for (EdgeLoop &loop : loops) {
      // Rows of an array that several entries of one step name, together.
      SmallVector<IndexedRows> &found = loop.found;
      while (!found.empty()) {
        SmallVector<IndexedRows> group, others;
        for (IndexedRows &rows : found)
          (readsSameBuffers(rows, found.front()) ? group : others)
              .push_back(std::move(rows));
        emitPrefetches(loop.loop, group,
                       named.getTogether(group.front(), loop.loop, dominance));
        found = std::move(others);
        ++numLoops;
      }
    }
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      std::optional<SmallVector<Value>> rows = loop.getLoopInductionVars();
      std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
      if (!rows || rows->size() != 1 || !steps ||
          getConstantIntValue(steps->front()) != 1)
        return;
      Value place = rows->front();
      for (const RowNumber &number : findNumbers(loop, place)) {
        auto [reads, writes] = findOwnRows(loop, number);
        int64_t written = 0;
        for (const RowPart &part : writes)
          written += part.getBytes();
        // One after the other they need no help.
        if (!number.op || written > maxResultRowBytes)
          writes.clear();
        if (!reads.empty())
          emitPrefetches(loop, place, number, reads);
        if (!writes.empty())
          emitPrefetches(loop, number, writes);
        numLoops += !reads.empty() || !writes.empty();
      }
    });
  }

private:
  /// Compares the bytes of all buffers with a number.
  static Value emitComparison(OpBuilder &b, Location loc,
                              arith::CmpIPredicate predicate,
                              ArrayRef<RowPart> parts, int64_t number) {
    auto buffers = llvm::map_to_vector(
        parts, [](const RowPart &part) { return part.buffer; });
    return compareBytes(b, loc, predicate, buffers, number);
  }

  /// Whether there are enough bytes for rows to be asked for. Buffers of some
  /// size are in no near cache where `together` with others they are read with
  /// they have as many as one needs by itself. `computedBytes` are those that a
  /// loop computes for a row of each.
  Value emitCondition(OpBuilder &b, Location loc, ArrayRef<RowPart> parts,
                      ArrayRef<RowPart> together, int64_t computedBytes = 0) {
    int64_t rowBytes = 0;
    for (const RowPart &part : parts)
      rowBytes += part.getBytes();
    bool isSlow =
        rowBytes >= lineBytes && computedBytes >= manyOperations * rowBytes;
    bool isEarly = isSlow || rowBytes >= wideRowBytes;
    if (isEarly || together.size() == parts.size())
      return emitComparison(b, loc, arith::CmpIPredicate::sge, parts,
                            isEarly ? wideMinimumBytes : minimumBytes);
    Value some =
        emitComparison(b, loc, arith::CmpIPredicate::sge, parts,
                       std::min<int64_t>(minimumBytes, wideMinimumBytes));
    Value enough = emitComparison(b, loc, arith::CmpIPredicate::sge, together,
                                  minimumBytes);
    return arith::AndIOp::create(b, loc, some, enough);
  }

  /// Bytes from which on two loops that read the same rows share these.
  int64_t getSharedBytes() const {
    return std::max(minimumBytes, wideMinimumBytes);
  }

  /// How many rows of so many bytes are asked for and not yet read.
  int64_t getRowsAhead(int64_t bytes, int64_t rowBytes) const {
    return std::clamp<int64_t>(bytes / std::max<int64_t>(1, rowBytes), 1,
                               rowsAhead);
  }

  /// The same for a loop that asks for what an earlier one will read first.
  int64_t getRowsAhead(const IndexedRows &rows, int64_t bytes) const {
    // Half of each row.
    return rows.isAgain
               ? std::max<int64_t>(1, bytesAheadAgain /
                                          std::max<int64_t>(1, 2 * bytes))
               : getRowsAhead(bytesAhead, bytes);
  }

  void emitPrefetches(scf::ForOp loop, ArrayRef<IndexedRows> group,
                      ArrayRef<RowPart> together) {
    Location loc = loop.getLoc();
    const IndexedRows &first = group.front();
    int64_t bytes = 0;
    for (const RowPart &part : first.parts)
      bytes += llvm::alignTo(part.getBytes(), lineBytes);
    int64_t distance = getRowsAhead(first, bytes);

    OpBuilder b(loop);
    Value condition =
        first.isAgain
            ? emitComparison(b, loc, arith::CmpIPredicate::sge, first.parts,
                             getSharedBytes())
            : emitCondition(b, loc, first.parts, together,
                            getComputedBytes(loop) / int64_t(group.size()));
    Value isAlone;
    if (llvm::any_of(first.parts,
                     [](const RowPart &part) { return part.rest; }))
      isAlone = emitComparison(b, loc, arith::CmpIPredicate::slt, first.parts,
                               getSharedBytes());
    Value array = first.array;
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value size = memref::DimOp::create(b, loc, array, 0);
    Value last = arith::SubIOp::create(b, loc, size, one);

    b.setInsertionPoint(first.index);
    auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    for (const IndexedRows &rows : group) {
      b.setInsertionPoint(loop);
      Value ahead =
          arith::ConstantIndexOp::create(b, loc, distance + rows.distance);
      b.setInsertionPoint(ifOp.thenBlock()->getTerminator());
      Value position =
          arith::AddIOp::create(b, loc, loop.getInductionVar(), ahead);
      Value clamped = arith::MinUIOp::create(b, loc, position, last);
      Value row = loadAsIndex(b, loc, array, clamped);
      for (const RowPart &part : rows.parts) {
        emitLines(b, loc, part, part.begin, part.rest.value_or(part.end), row);
        if (!part.rest)
          continue;
        auto whole =
            scf::IfOp::create(b, loc, isAlone, /*withElseRegion=*/false);
        OpBuilder inner = whole.getThenBodyBuilder();
        emitLines(inner, loc, part, *part.rest, part.end, row);
      }
    }
  }

  /// Asks for the rows of destinations further on.
  void emitPrefetches(LoopLikeOpInterface loop, Value place,
                      const RowNumber &number, ArrayRef<RowPart> parts) {
    Location loc = loop.getLoc();
    int64_t bytes = 0;
    for (const RowPart &part : parts)
      bytes += llvm::alignTo(part.getBytes(), lineBytes);
    int64_t distance = getRowsAhead(bytesAhead / 2, bytes);

    OpBuilder b(loop);
    // Of rows in no order there is one for many edges, and none is seen coming.
    Value condition = number.op
                          ? emitComparison(b, loc, arith::CmpIPredicate::sge,
                                           parts, wideMinimumBytes)
                          : emitCondition(b, loc, parts, parts);
    Value ahead = arith::ConstantIndexOp::create(b, loc, distance);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    SmallVector<Value> lastRows;
    for (const RowPart &part : parts) {
      Value size = memref::DimOp::create(b, loc, part.buffer, 0);
      lastRows.push_back(arith::SubIOp::create(b, loc, size, one));
    }
    b.setInsertionPointToStart(&loop->getRegion(0).front());
    auto ifOp = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    b.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    Value next = arith::AddIOp::create(b, loc, place, ahead);
    for (auto [part, last] : llvm::zip_equal(parts, lastRows)) {
      Value row = arith::MinUIOp::create(b, loc, next, last);
      emitLines(b, loc, part, part.begin, part.end,
                emitNumber(b, loc, number, row));
    }
  }

  /// The number of the row at another `place`.
  static Value emitNumber(OpBuilder &b, Location loc, RowNumber number,
                          Value place) {
    if (!number.op)
      return place;
    return scf::IfOp::create(
               b, loc, number.op.getCondition(),
               [&](OpBuilder &inner, Location) {
                 Value one = arith::ConstantIndexOp::create(inner, loc, 1);
                 Value size =
                     memref::DimOp::create(inner, loc, number.array, 0);
                 Value last = arith::SubIOp::create(inner, loc, size, one);
                 Value bounded =
                     arith::MinUIOp::create(inner, loc, place, last);
                 Value row = loadAsIndex(inner, loc, number.array, bounded);
                 scf::YieldOp::create(inner, loc, row);
               },
               [&](OpBuilder &inner, Location) {
                 scf::YieldOp::create(inner, loc, place);
               })
        .getResult(0);
  }

  /// Whether the results of `loop` stay in the caches, null if they always do.
  /// A line there is in the way of a store past the caches.
  static Value emitStayCondition(OpBuilder &b, Location loc,
                                 LoopLikeOpInterface loop) {
    llvm::SetVector<Value> conditions;
    bool never = false;
    loop->walk([&](vector::StoreOp store) {
      if (!store.getNontemporal())
        return;
      Value condition = getStreamCondition(store, *loop->getParentRegion());
      if (condition)
        conditions.insert(condition);
      else
        never = true;
    });
    if (!never && conditions.empty())
      return {};
    Value past = arith::ConstantIntOp::create(b, loc, never, 1);
    for (Value condition : conditions)
      past = arith::OrIOp::create(b, loc, past, condition);
    Value always = arith::ConstantIntOp::create(b, loc, 1, 1);
    return arith::XOrIOp::create(b, loc, past, always);
  }

  /// Asks for rows that are written in no order, as soon as it is known which
  /// they are.
  void emitPrefetches(LoopLikeOpInterface loop, RowNumber number,
                      ArrayRef<RowPart> parts) {
    Location loc = number.op.getLoc();
    auto yield = number.op.thenYield();
    OpBuilder b(loop);
    Value stay = emitStayCondition(b, loc, loop);
    b.setInsertionPoint(yield);
    if (stay) {
      auto ifOp = scf::IfOp::create(b, loc, stay, /*withElseRegion=*/false);
      b.setInsertionPoint(ifOp.thenYield());
    }
    for (const RowPart &part : parts)
      emitLines(b, loc, part, part.begin, part.end, yield.getOperand(0),
                /*isWrite=*/true);
  }

  /// Asks for the elements from `begin` to `end` of a row.
  void emitLines(OpBuilder &b, Location loc, const RowPart &part, int64_t begin,
                 int64_t end, Value row, bool isWrite = false) {
    int64_t perLine = lineBytes / part.getElementBytes();
    end = std::min(end, part.begin + maxLines * perLine);
    for (int64_t element = begin; element < end; element += perLine) {
      SmallVector<Value> indices;
      int64_t rest = element;
      for (int64_t extent :
           llvm::reverse(part.getType().getShape().drop_front())) {
        indices.insert(indices.begin(),
                       arith::ConstantIndexOp::create(b, loc, rest % extent));
        rest /= extent;
      }
      indices.insert(indices.begin(), row);
      memref::PrefetchOp::create(b, loc, part.buffer, indices, isWrite,
                                 /*localityHint=*/3,
                                 /*isDataCache=*/true);
    }
  }
};
} // namespace
