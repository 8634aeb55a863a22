//===- DistributeTilesToWarps.cpp - Tiles in registers ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_DISTRIBUTETILESTOWARPSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct DistributeTilesToWarpsPass
    : public gnn::impl::DistributeTilesToWarpsPassBase<
          DistributeTilesToWarpsPass> {
  using DistributeTilesToWarpsPassBase::DistributeTilesToWarpsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForallOp loop : loops) {
      TileAxes axes(loop);
      if (!hasProducts(loop, axes) || axes.getNumRows() > maxRows)
        continue;
      if (succeeded(TileDistribution(loop, axes, workgroupBytes).run()))
        ++numDistributed;
    }
  }

private:
  static bool hasProducts(scf::ForallOp loop, const TileAxes &axes) {
    return axes.hasRows() && loop->walk([&](linalg::GenericOp op) {
                                   return succeeded(matchTileProduct(op, axes))
                                              ? WalkResult::interrupt()
                                              : WalkResult::advance();
                                 })
                                 .wasInterrupted();
  }
};
} // namespace
