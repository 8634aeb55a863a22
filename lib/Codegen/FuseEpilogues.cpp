//===- FuseEpilogues.cpp - Finish rows where they are made ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "ProductEpilogue.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether an iteration computes sums of products, of factors that may be
/// rounded there.
static bool multiplies(scf::ForallOp loop) {
  return llvm::any_of(
      loop.getBody()->getOps<linalg::LinalgOp>(), [](linalg::LinalgOp op) {
        return op.getNumLoops() >= 3 && op.getNumReductionLoops() == 1 &&
               op.getNumDpsInputs() == 2;
      });
}

/// Lets an elementwise op overwrite `input`, of which there is no other use.
static void overwrite(IRRewriter &rewriter, linalg::GenericOp op,
                      unsigned input) {
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.payloadUsesValueFromOperand(init) ||
      op.getDpsInputOperand(input)->get().getType() != init->get().getType())
    return;
  rewriter.modifyOpInPlace(op, [&] {
    Block *body = op.getBody();
    rewriter.replaceAllUsesWith(body->getArgument(input),
                                body->getArguments().back());
    init->set(op.getDpsInputOperand(input)->get());
  });
}

/// Gives the tile that the loop inserts the rank of the result, which tiling
/// expects: a row of 64 becomes one of 1 x 64. Fails if there are several
/// tiles.
static LogicalResult restoreRank(IRRewriter &rewriter, scf::ForallOp loop) {
  auto inserts = llvm::to_vector(
      loop.getTerminator().getOps<tensor::ParallelInsertSliceOp>());
  if (inserts.size() != 1)
    return failure();
  tensor::ParallelInsertSliceOp insert = inserts.front();
  if (insert.getSourceType().getRank() == insert.getDestType().getRank())
    return success();
  rewriter.setInsertionPoint(loop.getTerminator());
  Location loc = insert.getLoc();
  SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
  Value place = tensor::ExtractSliceOp::create(rewriter, loc, insert.getDest(),
                                               insert.getMixedOffsets(), sizes,
                                               insert.getMixedStrides());
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), rewriter.getIndexAttr(1));
  Value tile = tensor::InsertSliceOp::create(rewriter, loc, insert.getSource(),
                                             place, zeros, sizes, ones);
  rewriter.modifyOpInPlace(insert,
                           [&] { insert.getSourceMutable().assign(tile); });
  return success();
}

/// Tiles of what nothing uses any more become tiles of the new result or, where
/// this has another type, tiles of their own.
static void replaceTiles(IRRewriter &rewriter, BlockArgument old,
                         BlockArgument result) {
  if (old.getType() == result.getType()) {
    rewriter.replaceUsesWithIf(old, result, [](OpOperand &use) {
      return !isa<tensor::ParallelInsertSliceOp>(use.getOwner());
    });
    return;
  }
  for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
    if (auto tile = dyn_cast<tensor::ExtractSliceOp>(user)) {
      rewriter.setInsertionPoint(tile);
      Value own =
          tensor::EmptyOp::create(rewriter, tile.getLoc(), tile.getMixedSizes(),
                                  tile.getType().getElementType());
      if (own.getType() == tile.getType())
        rewriter.replaceOp(tile, own);
    }
}

namespace {
struct FuseEpiloguesPass
    : public gnn::impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  using FuseEpiloguesPassBase::FuseEpiloguesPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      // What was in the result before must not matter.
      if (loop.getNumResults() == 1 &&
          loop.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() &&
          !loop->getParentOfType<scf::ForallOp>() &&
          (!onlyProducts || multiplies(loop)))
        loops.push_back(loop);
    });
    MLIRContext *context = &getContext();
    IRRewriter rewriter(context);
    for (scf::ForallOp loop : loops) {
      OpResult result = loop->getResult(0);
      while (linalg::GenericOp epilogue = getEpilogue(result, onlyProducts)) {
        FailureOr<OpResult> fused = fuse(rewriter, epilogue, result);
        if (failed(fused))
          break;
        result = *fused;
        ++numFused;
      }
    }
    // What is overwritten is no operand of its own.
    RewritePatternSet patterns(context);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    scf::ForallOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  /// The result of `op` as one of the loop that `value` comes from.
  FailureOr<OpResult> fuse(IRRewriter &rewriter, linalg::GenericOp op,
                           OpResult value) {
    SmallVector<Value> others;
    unsigned input = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() == value)
        input = operand.getOperandNumber();
      else
        others.push_back(operand.get());
    }
    // What its body looks up counts as well.
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegion(), captured);
    llvm::append_range(others, captured);
    Operation *producer = value.getOwner();
    unsigned number = value.getResultNumber();
    if (failed(moveValueDefinitions(rewriter, others, producer)))
      return failure();
    if (producer->getNumResults() == 1 &&
        failed(restoreRank(rewriter, cast<scf::ForallOp>(producer))))
      return failure();
    SmallVector<LoopLikeOpInterface> loops{cast<LoopLikeOpInterface>(producer)};
    FailureOr<scf::SCFFuseConsumerOfSliceResult> result =
        scf::tileAndFuseConsumer(rewriter, op, loops);
    if (failed(result))
      return failure();
    for (Operation *tile : result->tiledOps)
      if (auto generic = dyn_cast<linalg::GenericOp>(tile))
        overwrite(rewriter, generic, input);
    auto loop = cast<scf::ForallOp>(loops.front());
    replaceTiles(rewriter, loop.getRegionIterArgs()[number],
                 loop.getRegionIterArgs().back());
    return cast<OpResult>(loop.getResults().back());
  }
};
} // namespace
