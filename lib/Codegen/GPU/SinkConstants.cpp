//===- SinkConstants.cpp - Constant arrays in kernels -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_SINKCONSTANTSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct SinkConstantsPass
    : public gnn::impl::SinkConstantsPassBase<SinkConstantsPass> {
  void runOnOperation() override {
    getOperation()->walk([](gpu::LaunchOp launch) { sinkInto(launch); });
  }

private:
  static void sinkInto(gpu::LaunchOp launch);
};
} // namespace

/// The ops that make a view of a constant, first to last; none if it is of
/// something else.
static SmallVector<Operation *> getViews(Value value) {
  SmallVector<Operation *> ops;
  for (;;) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    ops.push_back(op);
    if (isa<memref::GetGlobalOp>(op)) {
      std::reverse(ops.begin(), ops.end());
      return ops;
    }
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return {};
    value = view.getViewSource();
  }
}

void SinkConstantsPass::sinkInto(gpu::LaunchOp launch) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  auto b = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Value value : captured) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    IRMapping mapping;
    for (Operation *op : getViews(value))
      b.clone(*op, mapping);
    if (Value inside = mapping.lookupOrNull(value))
      replaceAllUsesInRegionWith(value, inside, launch.getBody());
  }
}
