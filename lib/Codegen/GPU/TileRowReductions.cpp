//===- TileRowReductions.cpp - Norms and softmax, row by row ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ApplyPatterns.h"
#include "RowDistribution.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_TILEROWREDUCTIONSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `map` has the first loop in its first place, and in no other.
static bool isOfOneRow(AffineMap map) {
  return map.isProjectedPermutation() && map.getNumResults() > 0 &&
         map.getResult(0) == getAffineDimExpr(0, map.getContext());
}

/// What has no row is the same for all of them, and short.
static bool isOfNoRow(AffineMap map) {
  return map.isProjectedPermutation() && map.getNumResults() <= 1 &&
         !map.isFunctionOfDim(0);
}

/// Elements that an iteration of the first loop computes with, if that is over
/// any number of rows of known shape; 0 otherwise.
static int64_t getRowElements(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (sizes.size() < 2 || !ShapedType::isDynamic(sizes[0]))
    return 0;
  int64_t elements = 1;
  for (int64_t size : llvm::drop_begin(sizes)) {
    if (ShapedType::isDynamic(size))
      return 0;
    elements *= size;
  }
  return elements;
}

namespace {
struct TileRowReductionsPass
    : public gnn::impl::TileRowReductionsPassBase<TileRowReductionsPass> {
  using TileRowReductionsPassBase::TileRowReductionsPassBase;

  void runOnOperation() override {
    SmallVector<Group> groups;
    getOperation()->walk([&](Block *block) {
      if (!block->getParentOp()->getParentOfType<scf::ForallOp>() &&
          !isa<scf::ForallOp>(block->getParentOp()))
        findGroups(*block, groups);
    });
    IRRewriter rewriter(&getContext());
    for (const Group &group : groups)
      if (failed(tile(rewriter, group)))
        return signalPassFailure();
    // A row of what nothing has written is nothing to be read.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Ops that compute rows from each other, the last one first.
  using Group = llvm::SetVector<Operation *>;

  bool isRowByRow(linalg::LinalgOp op) const {
    int64_t elements = getRowElements(op);
    return op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
           elements > 0 && elements <= maxElements &&
           op.getIteratorTypesArray()[0] == utils::IteratorType::parallel &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             AffineMap map = op.getMatchingIndexingMap(&operand);
             return isOfOneRow(map) ||
                    (op.isDpsInput(&operand) && isOfNoRow(map));
           });
  }

  bool isReduction(Operation *op) const {
    auto linalg = dyn_cast<linalg::LinalgOp>(op);
    if (!linalg || linalg.getNumReductionLoops() == 0 || !isRowByRow(linalg))
      return false;
    Operation *combiner = getCombiner(linalg);
    return combiner && combiner->getResult(0).getType().isF32();
  }

  bool isElementwise(Operation *op) const {
    auto linalg = dyn_cast<linalg::LinalgOp>(op);
    return linalg && !isa<linalg::FillOp>(op) &&
           linalg.getNumReductionLoops() == 0 && isRowByRow(linalg);
  }

  /// Reductions, what nothing but them and their rows' elementwise ops read,
  /// and an elementwise op that finishes the rows.
  void findGroups(Block &block, SmallVector<Group> &groups) {
    DenseSet<Operation *> grouped;
    for (Operation &root : llvm::reverse(block)) {
      if (grouped.contains(&root) ||
          !(isReduction(&root) || isElementwise(&root)))
        continue;
      Group group;
      group.insert(&root);
      for (Operation *op = root.getPrevNode(); op; op = op->getPrevNode())
        if ((isReduction(op) || isElementwise(op)) && !op->use_empty() &&
            llvm::all_of(op->getUsers(),
                         [&](Operation *user) { return group.contains(user); }))
          group.insert(op);
      if (!llvm::any_of(group, [&](Operation *op) { return isReduction(op); }))
        continue;
      grouped.insert_range(group);
      groups.push_back(std::move(group));
    }
  }

  LogicalResult tile(IRRewriter &rewriter, const Group &group) {
    auto root = cast<TilingInterface>(group.front());
    rewriter.setInsertionPoint(root);
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setTileSizes({rewriter.getIndexAttr(1)});
    options.tilingOptions.setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
    using Control = scf::SCFTileAndFuseOptions::ControlFnResult;
    options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer,
                                   bool) -> std::optional<Control> {
      Operation *op = producer.getOwner();
      if (group.contains(op) || isa<linalg::FillOp>(op))
        return Control();
      return std::nullopt;
    });
    FailureOr<scf::SCFTileAndFuseResult> tiled =
        scf::tileConsumerAndFuseProducersUsingSCF(rewriter, root, options);
    if (failed(tiled))
      return root->emitError("cannot be computed row by row");
    for (auto [from, to] : tiled->replacements)
      rewriter.replaceAllUsesWith(from, to);
    for (Operation *op : group)
      if (op->use_empty())
        rewriter.eraseOp(op);
    ++numTiled;
    return success();
  }
};
} // namespace
