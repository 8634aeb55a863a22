//===- MapLoopsToGPU.cpp - Kernels of parallel loops ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../WrittenBuffers.h"
#include "KernelTable.h"
#include "ParallelLoop.h"
#include "Warp.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace gnn {
#define GEN_PASS_DEF_MAPLOOPSTOGPUPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// What a block of threads does together
//===----------------------------------------------------------------------===//

namespace {
/// Shares the body of a loop, which has moved into a kernel, among the threads
/// of a block.
class BlockDistribution {
public:
  BlockDistribution(gpu::LaunchOp launch, int64_t numThreads,
                    int64_t workgroupBytes)
      : launch(launch), numThreads(numThreads), bytesLeft(workgroupBytes),
        rewriter(launch.getContext()), thread(launch.getThreadIds().x) {
    findWrittenBuffers();
  }

  LogicalResult run() {
    bool mayBeBehind = false;
    return distribute(launch.getBody().front(), mayBeBehind);
  }

private:
  void findWrittenBuffers();
  bool readsWhatIsWritten(Operation *op);
  LogicalResult distribute(Block &block, bool &mayBeBehind);
  LogicalResult share(memref::AllocaOp alloca);
  void moveToWorkgroup(memref::AllocaOp alloca);
  void moveToScratch(memref::AllocaOp alloca, int64_t bytes);
  void shareOut(Operation *loop);
  void storeOnce(memref::StoreOp store);
  void addBarrier() { gpu::BarrierOp::create(rewriter, launch.getLoc()); }

  gpu::LaunchOp launch;
  int64_t numThreads;
  /// Of workgroup memory.
  int64_t bytesLeft;
  IRRewriter rewriter;
  Value thread;
  llvm::SmallPtrSet<Value, 8> writtenBuffers;
  bool writesUnknown = false;
};
} // namespace

void BlockDistribution::findWrittenBuffers() {
  launch.getBody().walk([&](memref::StoreOp store) {
    Value buffer = getViewedBuffer(store.getMemref());
    writesUnknown |= mayBeAnyBuffer(buffer);
    writtenBuffers.insert(buffer);
  });
}

bool BlockDistribution::readsWhatIsWritten(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && (writesUnknown ||
                  writtenBuffers.contains(getViewedBuffer(load.getMemref())));
}

/// `mayBeBehind` says whether a thread may not yet have read something since
/// the last barrier that others could overwrite.
LogicalResult BlockDistribution::distribute(Block &block, bool &mayBeBehind) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isParallelLoop(&op)) {
      rewriter.setInsertionPoint(&op);
      if (mayBeBehind)
        addBarrier();
      rewriter.setInsertionPointAfter(&op);
      addBarrier();
      mayBeBehind = false;
      shareOut(&op);
      continue;
    }
    if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
      if (failed(share(alloca)))
        return failure();
      continue;
    }
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      rewriter.setInsertionPoint(store);
      if (mayBeBehind)
        addBarrier();
      rewriter.setInsertionPointAfter(store);
      addBarrier();
      mayBeBehind = false;
      storeOnce(store);
      continue;
    }
    if (op.getNumRegions() == 0) {
      mayBeBehind |= readsWhatIsWritten(&op);
      continue;
    }
    // What is at the end of a loop's body comes before its start.
    bool anyBehind = mayBeBehind;
    op.walk([&](Operation *inner) { anyBehind |= readsWhatIsWritten(inner); });
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        bool behind = isa<LoopLikeOpInterface>(op) ? anyBehind : mayBeBehind;
        if (failed(distribute(inner, behind)))
          return failure();
      }
    mayBeBehind = anyBehind;
  }
  return success();
}

LogicalResult BlockDistribution::share(memref::AllocaOp alloca) {
  MemRefType type = alloca.getType();
  if (!type.hasStaticShape())
    return alloca.emitOpError("in a kernel whose threads share it needs a size "
                              "that is known when it is compiled");
  DataLayout layout = DataLayout::closest(alloca);
  int64_t bytes = llvm::alignTo(type.getNumElements() *
                                    layout.getTypeSize(type.getElementType()),
                                kWorkgroupAlignment);
  if (bytes > bytesLeft) {
    moveToScratch(alloca, bytes);
    return success();
  }
  bytesLeft -= bytes;
  moveToWorkgroup(alloca);
  return success();
}

/// What workgroup memory has no room for is a part of an array of the device
/// for each block.
void BlockDistribution::moveToScratch(memref::AllocaOp alloca, int64_t bytes) {
  Location loc = alloca.getLoc();
  rewriter.setInsertionPoint(launch);
  Value perBlock = arith::ConstantIndexOp::create(rewriter, loc, bytes);
  Value total =
      arith::MulIOp::create(rewriter, loc, perBlock, launch.getGridSizeX());
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type());
  Value scratch = memref::AllocOp::create(rewriter, loc, type, total);
  rewriter.setInsertionPointAfter(launch);
  memref::DeallocOp::create(rewriter, loc, scratch);
  rewriter.setInsertionPoint(alloca);
  Value begin =
      arith::MulIOp::create(rewriter, loc, launch.getBlockIds().x, perBlock);
  Value part = memref::ViewOp::create(rewriter, loc, alloca.getType(), scratch,
                                      begin, ValueRange());
  rewriter.replaceOp(alloca, part);
  writtenBuffers.insert(scratch);
}

/// The memory that a block's threads share is declared by the kernel.
void BlockDistribution::moveToWorkgroup(memref::AllocaOp alloca) {
  MemRefType type = alloca.getType();
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto shared = MemRefType::get(type.getShape(), type.getElementType(),
                                MemRefLayoutAttrInterface(), space);
  Value attribution = launch.addWorkgroupAttribution(shared, alloca.getLoc());
  rewriter.setInsertionPoint(alloca);
  rewriter.replaceOpWithNewOp<memref::MemorySpaceCastOp>(alloca, type,
                                                         attribution);
  writtenBuffers.insert(attribution);
}

void BlockDistribution::shareOut(Operation *op) {
  serializeNestedLoops(op, rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  ParallelLoop loop(op, rewriter);
  Value total = loop.getNumIterations(rewriter);
  Block *body = loop.getBody();
  auto emitBody = [&](Value index) {
    SmallVector<Value> indices = loop.getIndices(rewriter, index);
    rewriter.inlineBlockBefore(body, rewriter.getInsertionBlock(),
                               rewriter.getInsertionPoint(), indices);
  };
  std::optional<int64_t> constant = getConstantIntValue(total);
  rewriter.eraseOp(body->getTerminator());
  if (constant && *constant == numThreads) {
    emitBody(thread);
  } else if (constant && *constant < numThreads) {
    Value isBelow = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, thread, total);
    auto guarded =
        scf::IfOp::create(rewriter, loc, isBelow, /*withElseRegion=*/false);
    rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
    emitBody(thread);
  } else {
    Value step = arith::ConstantIndexOp::create(rewriter, loc, numThreads);
    auto strided = scf::ForOp::create(rewriter, loc, thread, total, step);
    rewriter.setInsertionPoint(strided.getBody()->getTerminator());
    emitBody(strided.getInductionVar());
  }
  rewriter.eraseOp(op);
}

void BlockDistribution::storeOnce(memref::StoreOp store) {
  rewriter.setInsertionPoint(store);
  Location loc = store.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        thread, zero);
  auto guarded =
      scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
  rewriter.moveOpBefore(store, guarded.thenBlock()->getTerminator());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
struct MapLoopsToGPUPass
    : public gnn::impl::MapLoopsToGPUPassBase<MapLoopsToGPUPass> {
  using MapLoopsToGPUPassBase::MapLoopsToGPUPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (!isParallelLoop(op))
        return WalkResult::advance();
      loops.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *loop : loops) {
      if (failed(checkAllocations(loop)))
        return signalPassFailure();
      int64_t tile = getLargestTile(loop);
      if (tile < minTile)
        mapToThreads(loop);
      else if (failed(mapToBlocks(loop, tile)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult checkAllocations(Operation *loop);
  int64_t getLargestTile(Operation *loop);
  void mapToThreads(Operation *loop);
  LogicalResult mapToBlocks(Operation *loop, int64_t tile);
};
} // namespace

LogicalResult MapLoopsToGPUPass::checkAllocations(Operation *loop) {
  WalkResult walk = loop->walk([](memref::AllocOp alloc) {
    alloc.emitOpError("is in a kernel, which cannot allocate memory; its size "
                      "has no constant bound");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Iterations of the longest loop that threads could share; those with a number
/// that is not known are taken to be long.
int64_t MapLoopsToGPUPass::getLargestTile(Operation *loop) {
  int64_t largest = 0;
  loop->walk([&](Operation *inner) {
    if (inner != loop && isParallelLoop(inner))
      largest = std::max(
          largest,
          ParallelLoop::getConstantIterations(inner).value_or(maxTileThreads));
  });
  return largest;
}

/// A buffer of the stack in a loop would take more of it in every iteration.
static void hoistStackBuffers(gpu::LaunchOp launch) {
  SmallVector<memref::AllocaOp> buffers;
  launch.getBody().walk([&](memref::AllocaOp op) {
    if (op.getType().hasStaticShape())
      buffers.push_back(op);
  });
  for (memref::AllocaOp buffer : llvm::reverse(buffers))
    buffer->moveBefore(&launch.getBody().front().front());
}

void MapLoopsToGPUPass::mapToThreads(Operation *op) {
  IRRewriter rewriter(op);
  Location loc = op->getLoc();
  serializeNestedLoops(op, rewriter);
  rewriter.setInsertionPoint(op);
  ParallelLoop loop(op, rewriter);
  Value total = loop.getNumIterations(rewriter);
  Value threads = arith::ConstantIndexOp::create(rewriter, loc, threadBlock);
  Value blocks = arith::CeilDivUIOp::create(rewriter, loc, total, threads);
  gpu::LaunchOp launch = createLaunch(rewriter, loc, blocks, threads);
  Value first =
      arith::MulIOp::create(rewriter, loc, launch.getBlockIds().x, threads);
  Value index =
      arith::AddIOp::create(rewriter, loc, first, launch.getThreadIds().x);
  Value isBelow = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, index, total);
  auto guarded =
      scf::IfOp::create(rewriter, loc, isBelow, /*withElseRegion=*/false);
  rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
  SmallVector<Value> indices = loop.getIndices(rewriter, index);
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), indices);
  rewriter.eraseOp(op);
  hoistStackBuffers(launch);
}

LogicalResult MapLoopsToGPUPass::mapToBlocks(Operation *op, int64_t tile) {
  IRRewriter rewriter(op);
  Location loc = op->getLoc();
  int64_t numThreads =
      std::clamp<int64_t>(llvm::alignTo(tile, kWarp), kWarp, maxTileThreads);
  ParallelLoop loop(op, rewriter);
  Value blocks = loop.getNumIterations(rewriter);
  Value threads = arith::ConstantIndexOp::create(rewriter, loc, numThreads);
  gpu::LaunchOp launch = createLaunch(rewriter, loc, blocks, threads);
  SmallVector<Value> indices =
      loop.getIndices(rewriter, launch.getBlockIds().x);
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), indices);
  rewriter.eraseOp(op);
  return BlockDistribution(launch, numThreads, workgroupBytes).run();
}
