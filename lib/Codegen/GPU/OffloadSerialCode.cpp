//===- OffloadSerialCode.cpp - Kernels of one thread ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {
#define GEN_PASS_DEF_OFFLOADSERIALCODEPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct OffloadSerialCodePass
    : public gnn::impl::OffloadSerialCodePassBase<OffloadSerialCodePass> {
  void runOnOperation() override {
    SmallVector<Operation *> serial;
    SmallVector<memref::LoadOp> loads;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isParallelLoop(op) || isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      if (isSerial(op)) {
        serial.push_back(op);
        return WalkResult::skip();
      }
      if (auto load = dyn_cast<memref::LoadOp>(op))
        loads.push_back(load);
      return WalkResult::advance();
    });
    for (Operation *op : serial)
      if (failed(offload(op)))
        return signalPassFailure();
    for (memref::LoadOp load : loads)
      readFromDevice(load);
  }

private:
  static bool isSerial(Operation *op);
  static LogicalResult offload(Operation *op);
  static void readFromDevice(memref::LoadOp load);
};
} // namespace

/// Does `op` touch arrays and is to run on the device as a whole?
bool OffloadSerialCodePass::isSerial(Operation *op) {
  if (isa<memref::StoreOp>(op))
    return true;
  if (!isa_and_nonnull<scf::SCFDialect>(op->getDialect()) ||
      op->getNumRegions() == 0)
    return false;
  bool touchesArrays = false;
  WalkResult walk = op->walk([&](Operation *inner) {
    // Memory comes from the host, as do kernels.
    if (isParallelLoop(inner) ||
        isa<gpu::LaunchOp, memref::AllocOp, memref::DeallocOp>(inner))
      return WalkResult::interrupt();
    touchesArrays |= isa<memref::LoadOp, memref::StoreOp>(inner);
    return WalkResult::advance();
  });
  return touchesArrays && !walk.wasInterrupted();
}

LogicalResult OffloadSerialCodePass::offload(Operation *op) {
  IRRewriter rewriter(op);
  Location loc = op->getLoc();
  SmallVector<Value> results;
  for (Type type : op->getResultTypes()) {
    if (!type.isIntOrIndexOrFloat())
      return op->emitOpError("cannot run on the device: it gives ")
             << type << ", expected numbers";
    results.push_back(
        memref::AllocOp::create(rewriter, loc, MemRefType::get({}, type)));
  }
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  gpu::LaunchOp launch = createLaunch(rewriter, loc, one, one);
  Operation *terminator = launch.getBody().front().getTerminator();
  rewriter.setInsertionPointAfter(launch);
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), results)) {
    auto load = memref::LoadOp::create(rewriter, loc, buffer);
    rewriter.replaceAllUsesWith(result, load);
    readFromDevice(load);
    rewriter.setInsertionPointAfter(load);
    memref::DeallocOp::create(rewriter, loc, buffer);
  }
  rewriter.moveOpBefore(op, terminator);
  rewriter.setInsertionPoint(terminator);
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), results))
    memref::StoreOp::create(rewriter, loc, result, buffer);
  return success();
}

void OffloadSerialCodePass::readFromDevice(memref::LoadOp load) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  auto type = MemRefType::get({}, load.getType());
  Value host = memref::AllocaOp::create(b, loc, type);
  // The one element, as an array of its own.
  SmallVector<OpFoldResult> offsets(load.getIndices());
  SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
  auto source = cast<MemRefType>(load.getMemref().getType());
  auto element = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      /*resultShape=*/{}, source, offsets, ones, ones));
  Value device = memref::SubViewOp::create(b, loc, element, load.getMemref(),
                                           offsets, ones, ones);
  gpu::MemcpyOp::create(b, loc, /*asyncToken=*/Type(),
                        /*asyncDependencies=*/ValueRange(), host, device);
  load.getMemrefMutable().assign(host);
  load.getIndicesMutable().clear();
}
