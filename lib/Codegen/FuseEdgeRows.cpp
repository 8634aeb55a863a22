//===- FuseEdgeRows.cpp - Values of edges where they are read ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeProducers.h"
#include "FixedValues.h"
#include "RowOrder.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

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
class BlockEmitter : public IndexLoops {
public:
  BlockEmitter(OpBuilder &b, const EdgeBlock &consumer,
               const EdgeProducers &producers, int64_t numRows)
      : IndexLoops(b, consumer.getLoop()->getLoc()), consumer(consumer),
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
  Value emitEdges(Value whole);
  void emitGroup(ValueRange results);
  void emitRows(ValueRange results);
  SmallVector<Value> emitEachRow(scf::ForallOp rows, ValueRange init,
                                 Value offset);
  void clone(Operation *op, IRMapping &mapping);

  EdgeBlock consumer;
  const EdgeProducers &producers;
  int64_t step;
  /// That of the iteration that is emitted.
  Block block;
  /// From what is made for all edges to what is made for those of the block.
  IRMapping tiles;
  /// The row or edge that tensors of a block begin with.
  DenseMap<Value, Value> begins;
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

/// Of some rows of a tensor: how many is not known, even if it is of all.
static RankedTensorType getBlockType(Value whole) {
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = ShapedType::kDynamic;
  return type.clone(shape);
}

/// The rows of the block's edges.
Value BlockEmitter::emitEdges(Value whole) {
  if (Value tile = tiles.lookupOrNull(whole))
    return tile;
  RankedTensorType type = getBlockType(whole);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(b, loc, whole),
      strides(type.getRank(), b.getIndexAttr(1));
  offsets[0] = block.firstEdge;
  sizes[0] = block.numEdges;
  return tensor::ExtractSliceOp::create(b, loc, type, whole, offsets, sizes,
                                        strides);
}

void BlockEmitter::emitProducer(Operation *op) {
  auto setTile = [&](Value whole, Value tile) {
    tiles.map(whole, tile);
    begins[tile] = block.firstEdge;
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return setTile(empty,
                   tensor::EmptyOp::create(b, loc, empty.getType().getShape(),
                                           empty.getType().getElementType(),
                                           block.numEdges));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    sizes[0] = block.numEdges;
    return setTile(
        expand.getResult(),
        tensor::ExpandShapeOp::create(b, loc, expand.getResultType(),
                                      emitEdges(expand.getSrc()),
                                      expand.getReassociationIndices(), sizes));
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return setTile(
        collapse.getResult(),
        tensor::CollapseShapeOp::create(b, loc, collapse.getResultType(),
                                        emitEdges(collapse.getSrc()),
                                        collapse.getReassociationIndices()));
  if (auto rows = dyn_cast<scf::ForallOp>(op)) {
    SmallVector<Value> init;
    // Rows that it does not write keep what was there.
    for (Value output : rows.getOutputs())
      init.push_back(emitEdges(output));
    SmallVector<Value> made = emitEachRow(rows, init, block.firstEdge);
    for (auto [whole, tile] : llvm::zip_equal(rows.getResults(), made))
      setTile(whole, tile);
    return;
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(isReadByRows(operand) ? emitEdges(operand.get())
                                             : operand.get());
  Operation *tile = mlir::clone(b, linalgOp, op->getResultTypes(), operands);
  for (auto [whole, part] :
       llvm::zip_equal(op->getResults(), tile->getResults()))
    setTile(whole, part);
}

/// Clones an op of a loop over rows. What it reads of tensors of the block is
/// counted from where these begin.
void BlockEmitter::clone(Operation *op, IRMapping &mapping) {
  OpBuilder::InsertionGuard guard(b);
  b.clone(*op, mapping)->walk([&](Operation *copy) {
    if (copy->getNumOperands() == 0)
      return;
    Value begin = begins.lookup(copy->getOperand(0));
    auto slice = dyn_cast<tensor::ExtractSliceOp>(copy);
    if (!begin || (!slice && !isa<tensor::ExtractOp>(copy)))
      return;
    OpOperand &place =
        slice ? slice.getOffsetsMutable()[0]
              : cast<tensor::ExtractOp>(copy).getIndicesMutable()[0];
    b.setInsertionPoint(copy);
    place.set(subtract(place.get(), begin));
  });
}

/// The iterations of `rows` for those of the block, one after the other. `init`
/// is what they insert into, of which the first row is `offset`.
SmallVector<Value> BlockEmitter::emitEachRow(scf::ForallOp rows,
                                             ValueRange init, Value offset) {
  return emitLoop(
      block.firstRow, block.lastRow, init, [&](Value row, ValueRange args) {
        IRMapping mapping = tiles;
        mapping.map(rows.getInductionVar(0), row);
        for (auto [result, tile] :
             llvm::zip_equal(rows.getRegionIterArgs(), args)) {
          mapping.map(result, tile);
          begins[tile] = offset;
        }
        for (Operation &op : rows.getBody()->without_terminator())
          clone(&op, mapping);
        SmallVector<Value> next(args);
        for (Operation &op : rows.getTerminator().getYieldingOps()) {
          auto insert = cast<tensor::ParallelInsertSliceOp>(op);
          auto lookUp = [&](OpFoldResult value) -> OpFoldResult {
            auto known = dyn_cast<Value>(value);
            return known ? OpFoldResult(mapping.lookupOrDefault(known)) : value;
          };
          auto offsets = llvm::map_to_vector(insert.getMixedOffsets(), lookUp);
          auto sizes = llvm::map_to_vector(insert.getMixedSizes(), lookUp);
          offsets[0] = subtract(cast<Value>(offsets[0]), offset);
          Value &tile =
              next[cast<BlockArgument>(insert.getDest()).getArgNumber() - 1];
          tile = tensor::InsertSliceOp::create(
              b, loc, mapping.lookupOrDefault(insert.getSource()), tile,
              offsets, sizes, insert.getMixedStrides());
        }
        return next;
      });
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
void BlockEmitter::emitRows(ValueRange results) {
  scf::ForallOp rows = consumer.getLoop();
  SmallVector<Value> init;
  SmallVector<SmallVector<OpFoldResult>> allSizes;
  SmallVector<OpFoldResult> offsets, strides;
  auto setPlace = [&](Value result) {
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    offsets.assign(rank, b.getIndexAttr(0));
    offsets[0] = block.firstRow;
    strides.assign(rank, b.getIndexAttr(1));
  };
  Value numRows = subtract(block.lastRow, block.firstRow);
  for (Value result : results) {
    setPlace(result);
    allSizes.push_back(tensor::getMixedSizes(b, loc, result));
    allSizes.back()[0] = numRows;
    init.push_back(tensor::ExtractSliceOp::create(b, loc, getBlockType(result),
                                                  result, offsets,
                                                  allSizes.back(), strides));
  }
  SmallVector<Value> made = emitEachRow(rows, init, block.firstRow);
  auto inParallel = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(inParallel.getBody());
  for (auto [tile, result, sizes] : llvm::zip_equal(made, results, allSizes)) {
    setPlace(result);
    tensor::ParallelInsertSliceOp::create(b, loc, tile, result, offsets, sizes,
                                          strides);
  }
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
          emitRows(args.drop_front());
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
