//===- FuseEdgeRows.cpp - Values of edges where they are read ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeProducers.h"
#include "FixedValues.h"
#include "RowBlock.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEEDGEROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// The loop over blocks
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loop in which producers and their consumer take some rows at a
/// time.
class BlockEmitter : public RowBlockEmitter {
public:
  BlockEmitter(OpBuilder &b, const EdgeBlock &consumer,
               const EdgeProducers &producers, int64_t numRows)
      : RowBlockEmitter(b, consumer.getLoop()->getLoc()), consumer(consumer),
        producers(producers),
        step(consumer.getStep() == 1 ? numRows : consumer.getStep()) {}

  /// Whether no block has so many edges that there is too little else to do.
  Value emitCondition(int64_t fewEdges, int64_t manyBlocks);
  scf::ForallOp emit();

private:
  struct Block {
    Value firstRow, lastRow, firstEdge, numEdges;
  };
  Block emitBlock(Value row);
  void emitProducer(Operation *op);
  void emitGroup(ValueRange results);
  void emitSingleRows(ValueRange results);

  EdgeBlock consumer;
  const EdgeProducers &producers;
  int64_t step;
  /// That of the iteration that is emitted.
  Block block;
};
} // namespace

Value BlockEmitter::emitCondition(int64_t fewEdges, int64_t manyBlocks) {
  Value numRows =
      getValueOrCreateConstantIndexOp(b, loc, consumer.getNumRows());
  Value zero = constant(0);
  auto largest = scf::ForOp::create(
      b, loc, zero, numRows, constant(step), zero,
      [&](OpBuilder &inner, Location, Value row, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        Value larger =
            arith::MaxSIOp::create(b, loc, args[0], emitBlock(row).numEdges);
        scf::YieldOp::create(b, loc, larger);
      });
  Value pointer = consumer.getRowPointer();
  Value all = subtract(load(pointer, numRows), load(pointer, zero));
  Value share = arith::DivUIOp::create(b, loc, all, constant(manyBlocks));
  Value most = arith::MaxSIOp::create(b, loc, share, constant(fewEdges));
  return compare(arith::CmpIPredicate::sle, largest.getResult(0), most);
}

BlockEmitter::Block BlockEmitter::emitBlock(Value row) {
  Value numRows =
      getValueOrCreateConstantIndexOp(b, loc, consumer.getNumRows());
  Value last =
      arith::MinSIOp::create(b, loc, add(row, constant(step)), numRows);
  Value firstEdge = load(consumer.getRowPointer(), row);
  Value numEdges = subtract(load(consumer.getRowPointer(), last), firstEdge);
  return {row, last, firstEdge, numEdges};
}

void BlockEmitter::emitProducer(Operation *op) {
  RowRange edges{block.firstEdge, block.numEdges};
  auto rows = dyn_cast<scf::ForallOp>(op);
  if (!rows)
    return emitOp(op, edges);
  SmallVector<Value> init;
  // Rows that it does not write keep what was there.
  for (Value output : rows.getOutputs())
    init.push_back(emitRows(output, edges));
  SmallVector<Value> made =
      emitEachRow(rows, block.firstRow, block.lastRow, init, edges.begin);
  for (auto [whole, tile] : llvm::zip_equal(rows.getResults(), made))
    setTile(whole, tile, edges.begin);
}

/// The iteration of a loop over groups of rows.
void BlockEmitter::emitGroup(ValueRange results) {
  scf::ForallOp rows = consumer.getLoop();
  IRMapping mapping = tiles;
  mapping.map(rows.getInductionVar(0), block.firstRow);
  mapping.map(ValueRange(rows.getRegionIterArgs()), results);
  for (Operation &op : *rows.getBody())
    clone(&op, mapping);
}

/// Iterations of a loop over single rows.
void BlockEmitter::emitSingleRows(ValueRange results) {
  RowRange range{block.firstRow, subtract(block.lastRow, block.firstRow)};
  SmallVector<Value> init;
  for (Value result : results)
    init.push_back(emitRows(result, range));
  insertRows(emitEachRow(consumer.getLoop(), block.firstRow, block.lastRow,
                         init, block.firstRow),
             results, range);
}

scf::ForallOp BlockEmitter::emit() {
  scf::ForallOp rows = consumer.getLoop();
  OpFoldResult begin = b.getIndexAttr(0), end = consumer.getNumRows(),
               size = b.getIndexAttr(step);
  return scf::ForallOp::create(
      b, loc, begin, end, size, rows.getOutputs(), /*mapping=*/std::nullopt,
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        block = emitBlock(args[0]);
        for (Operation *op : producers.getOps())
          emitProducer(op);
        if (consumer.getStep() == 1)
          emitSingleRows(args.drop_front());
        else
          emitGroup(args.drop_front());
      });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseEdgeRowsPass
    : public gnn::impl::FuseEdgeRowsPassBase<FuseEdgeRowsPass> {
  using FuseEdgeRowsPassBase::FuseEdgeRowsPassBase;

  void runOnOperation() override {
    if (rows < 1 || blockBytes < 1 || largeBlockBytes < 1 || manyBlocks < 1 ||
        minRowBytes < 0) {
      getOperation().emitError(
          "there is at least 1 block of 1 row and 1 byte, and no row has less "
          "than nothing");
      return signalPassFailure();
    }
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    DenseSet<Value> fixed;
    if (hasPreparation(function))
      fixed = findFixedValues(function);
    for (auto loop :
         llvm::make_early_inc_range(function.front().getOps<scf::ForallOp>()))
      if (loop.getNumResults() != 0 && !fixed.contains(loop.getResult(0)))
        fuse(loop, fixed);
  }

private:
  void fuse(scf::ForallOp loop, DenseSet<Value> &fixed) {
    FailureOr<EdgeBlock> consumer = EdgeBlock::match(loop);
    if (failed(consumer))
      return;
    bool isSingle = consumer->getStep() == 1;
    if (isSingle &&
        (!consumer->makesRows() ||
         llvm::any_of(loop.getRegionIterArgs(), [&](Value result) {
           return llvm::any_of(result.getUses(), [&](OpOperand &use) {
             return !isa<tensor::ParallelInsertSliceOp>(use.getOwner()) &&
                    !consumer->readsRow(use);
           });
         })))
      return;
    EdgeProducers producers(*consumer, fixed);
    int64_t rowBytes = producers.getRowBytes();
    if (rowBytes < minRowBytes || rowBytes == 0)
      return;
    // A node has some edges; of graphs where it has many, blocks are larger.
    constexpr int64_t edgesOfRow = 8;
    int64_t numRows =
        std::clamp<int64_t>(blockBytes / (edgesOfRow * rowBytes), 1, rows);
    OpBuilder b(loop);
    BlockEmitter emitter(b, *consumer, producers, numRows);
    Value condition = emitter.emitCondition(
        std::max<int64_t>(largeBlockBytes / rowBytes, 1), manyBlocks);
    auto choice = scf::IfOp::create(
        b, loop.getLoc(), condition,
        [&](OpBuilder &inner, Location loc) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          scf::YieldOp::create(b, loc, emitter.emit().getResults());
        },
        [&](OpBuilder &inner, Location loc) {
          IRMapping mapping;
          for (Operation *op : producers.getOps())
            inner.clone(*op, mapping);
          scf::YieldOp::create(inner, loc,
                               inner.clone(*loop, mapping)->getResults());
        });
    loop.replaceAllUsesWith(choice.getResults());
    // Other values may be stored where those are that go.
    auto erase = [&](Operation *op) {
      for (Value result : op->getResults())
        fixed.erase(result);
      op->erase();
    };
    erase(loop);
    for (Operation *op : llvm::reverse(producers.getOps()))
      if (op->use_empty())
        erase(op);
    ++numFused;
  }
};
} // namespace
