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
#include "mlir/Dialect/Math/IR/Math.h"
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
      FailureOr<FactorKind> kind = getKind(loop, axes);
      if (failed(kind))
        continue;
      if (axes.getNumRows() > maxRows) {
        explain(loop, "has too many rows");
        continue;
      }
      TileDistribution distribution(loop, axes, *kind, workgroupBytes);
      if (succeeded(distribution.run())) {
        ++numDistributed;
        continue;
      }
      auto [obstacle, reason] = distribution.getObstacle();
      explain(obstacle, reason);
    }
  }

private:
  /// What the loop's products multiply; fails if there are none.
  static FailureOr<FactorKind> getKind(scf::ForallOp loop,
                                       const TileAxes &axes) {
    FailureOr<FactorKind> kind = failure();
    if (axes.hasRows())
      loop->walk([&](linalg::GenericOp op) {
        FailureOr<TileProduct> product = matchTileProduct(op, axes);
        if (failed(product))
          return WalkResult::advance();
        kind = product->kind;
        return WalkResult::interrupt();
      });
    return kind;
  }

  void explain(Operation *op, StringRef reason) {
    if (remarks)
      op->emitRemark("keeps tiles out of registers: it ") << reason;
  }
};
} // namespace
