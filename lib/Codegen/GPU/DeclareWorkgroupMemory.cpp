//===- DeclareWorkgroupMemory.cpp - Memory that blocks share ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gnn {
#define GEN_PASS_DEF_DECLAREWORKGROUPMEMORYPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct DeclareWorkgroupMemoryPass
    : public gnn::impl::DeclareWorkgroupMemoryPassBase<
          DeclareWorkgroupMemoryPass> {
  void runOnOperation() override {
    SmallVector<memref::AllocaOp> buffers;
    getOperation()->walk([&](memref::AllocaOp op) {
      auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(
          op.getType().getMemorySpace());
      if (space && space.getValue() == gpu::AddressSpace::Workgroup &&
          op.getType().hasStaticShape() && op->getParentOfType<gpu::LaunchOp>())
        buffers.push_back(op);
    });
    for (memref::AllocaOp buffer : buffers) {
      auto launch = buffer->getParentOfType<gpu::LaunchOp>();
      buffer.replaceAllUsesWith(
          launch.addWorkgroupAttribution(buffer.getType(), buffer.getLoc()));
      buffer.erase();
    }
  }
};
} // namespace
