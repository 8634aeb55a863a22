//===- SplitBatches.cpp - One of several matrices at a time -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "TileLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITBATCHESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The loops of several products of matrices that are one op.
namespace {
struct Batch {
  unsigned matrix, row;
};
} // namespace

/// What `op` is, if it multiplies rows of which nobody knows how many by one of
/// several matrices each, of known sizes, and is a matrix product but for that.
static FailureOr<Batch> matchBatch(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || !addsProducts(op))
    return failure();
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(cast<linalg::LinalgOp>(op.getOperation()));
  if (failed(dims) || dims->batch.size() != 1 || dims->m.size() != 1 ||
      dims->n.size() != 1 || dims->k.size() != 1)
    return failure();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned row = dims->m[0], column = dims->n[0];
  // Rows of the result are contiguous.
  AffineMap result = op.getIndexingMapsArray().back();
  auto isLast = [&](unsigned dim) {
    return result.getResult(2) == getAffineDimExpr(dim, op.getContext());
  };
  if (!isLast(column))
    std::swap(row, column);
  if (!isLast(column) || !ShapedType::isDynamic(sizes[row]))
    return failure();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (dim != row && ShapedType::isDynamic(size))
      return failure();
  return Batch{dims->batch[0], row};
}

/// Bytes of what is read again for each row: all matrices.
static int64_t getMatrixBytes(linalg::GenericOp op) {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  for (OpOperand *factor : op.getDpsInputOperands()) {
    auto type = cast<RankedTensorType>(factor->get().getType());
    if (type.hasStaticShape())
      bytes = std::min(bytes, type.getNumElements() *
                                  type.getElementTypeBitWidth() / 8);
  }
  return bytes;
}

namespace {
struct SplitBatchesPass
    : public gnn::impl::SplitBatchesPassBase<SplitBatchesPass> {
  using SplitBatchesPassBase::SplitBatchesPassBase;

  void runOnOperation() override {
    if (rows < 1 || minBytes < 0) {
      getOperation().emitError("a block has at least 1 row, and no matrix has "
                               "less than nothing");
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (succeeded(matchBatch(op)) && getMatrixBytes(op) >= minBytes)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      if (failed(split(rewriter, op)))
        return signalPassFailure();
    numSplit += ops.size();
  }

private:
  LogicalResult split(IRRewriter &rewriter, linalg::GenericOp op) {
    Batch batch = *matchBatch(op);
    // Each product fills its own part of the results.
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (fill)
      rewriter.modifyOpInPlace(
          op, [&] { op.getDpsInitsMutable()[0].set(fill.getOutputs()[0]); });
    linalg::LinalgOp tile = op;
    SmallVector<int64_t> sizes(op.getNumLoops(), 0);
    if (!op->getParentOfType<scf::ForallOp>()) {
      sizes[batch.row] = rows;
      tile = tileLoops(rewriter, tile, sizes,
                       scf::SCFTilingOptions::LoopType::ForallOp);
      sizes[batch.row] = 0;
    }
    sizes[batch.matrix] = 1;
    tile = tileLoops(rewriter, tile, sizes,
                     scf::SCFTilingOptions::LoopType::ForOp);
    auto product = cast<linalg::GenericOp>(tile.getOperation());
    linalg::ControlDropUnitDims control;
    control.rankReductionStrategy =
        linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
    control.controlFn = [&](Operation *) {
      return SmallVector<unsigned>{batch.matrix};
    };
    rewriter.setInsertionPoint(product);
    FailureOr<linalg::DropUnitDimsResult> dropped =
        linalg::dropUnitDims(rewriter, product, control);
    if (failed(dropped))
      return product.emitOpError("is of several matrices that cannot be split");
    rewriter.replaceOp(product, dropped->replacements);
    if (fill) {
      auto single = cast<linalg::GenericOp>(dropped->resultOp.getOperation());
      rewriter.setInsertionPoint(single);
      auto zeros = linalg::FillOp::create(
          rewriter, fill.getLoc(), fill.getInputs(), single.getDpsInits());
      rewriter.modifyOpInPlace(single, [&] {
        single.getDpsInitsMutable()[0].set(zeros.getResult(0));
      });
    }
    return success();
  }
};
} // namespace
