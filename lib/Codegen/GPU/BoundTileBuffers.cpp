//===- BoundTileBuffers.cpp - Static sizes for tiles ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace gnn {
#define GEN_PASS_DEF_BOUNDTILEBUFFERSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct BoundTileBuffersPass
    : public gnn::impl::BoundTileBuffersPassBase<BoundTileBuffersPass> {
  void runOnOperation() override {
    SmallVector<memref::AllocOp> allocs;
    getOperation()->walk([&](memref::AllocOp op) {
      if (op->getParentOfType<scf::ForallOp>() ||
          op->getParentOfType<scf::ParallelOp>())
        allocs.push_back(op);
    });
    BufferViewFlowAnalysis aliases(getOperation());
    for (memref::AllocOp alloc : allocs)
      if (!leavesItsBlock(alloc, aliases))
        bound(alloc);
  }

private:
  static bool leavesItsBlock(memref::AllocOp alloc,
                             const BufferViewFlowAnalysis &aliases);
  static void bound(memref::AllocOp alloc);
};
} // namespace

/// The next iteration of a loop would find in one buffer what it keeps from
/// this one and what it computes.
bool BoundTileBuffersPass::leavesItsBlock(
    memref::AllocOp alloc, const BufferViewFlowAnalysis &aliases) {
  for (Value alias : aliases.resolve(alloc))
    for (Operation *user : alias.getUsers())
      if (user->hasTrait<OpTrait::ReturnLike>() &&
          user->getBlock() == alloc->getBlock())
        return true;
  return false;
}

void BoundTileBuffersPass::bound(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (!type.getLayout().isIdentity())
    return;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, {alloc, static_cast<int64_t>(i)},
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (failed(bound))
      return;
    size = *bound;
  }
  IRRewriter rewriter(alloc);
  SmallVector<memref::DeallocOp> deallocs;
  for (Operation *user : alloc->getUsers())
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user))
      deallocs.push_back(dealloc);
  for (memref::DeallocOp dealloc : deallocs)
    rewriter.eraseOp(dealloc);
  // Rows of the part follow each other as those of the buffer would.
  int64_t elements = ShapedType::getNumElements(shape);
  Value whole = memref::AllocaOp::create(
      rewriter, alloc.getLoc(),
      MemRefType::get({elements}, type.getElementType()),
      alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> sizes = alloc.getMixedSizes();
  SmallVector<OpFoldResult> strides(type.getRank());
  OpFoldResult stride = rewriter.getIndexAttr(1);
  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = affine::makeComposedFoldedAffineApply(rewriter, alloc.getLoc(),
                                                   a * b, {stride, sizes[i]});
  }
  Value part = memref::ReinterpretCastOp::create(
      rewriter, alloc.getLoc(), whole, rewriter.getIndexAttr(0), sizes,
      strides);
  rewriter.replaceOpWithNewOp<memref::CastOp>(alloc, type, part);
}
