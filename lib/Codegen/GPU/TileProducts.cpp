//===- TileProducts.cpp - Matrix products by blocks of threads --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProductOp.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_TILEPRODUCTSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct TileProductsPass
    : public gnn::impl::TileProductsPassBase<TileProductsPass> {
  using TileProductsPassBase::TileProductsPassBase;

  void runOnOperation() override {
    SmallVector<MatrixProductOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<MatrixProductOp> product = matchMatrixProductOp(op);
      if (succeeded(product) && isWorthIt(*product))
        products.push_back(*product);
    });
    for (const MatrixProductOp &product : products)
      if (succeeded(tile(product)))
        ++numTiled;
  }

private:
  bool isWorthIt(const MatrixProductOp &product);
  LogicalResult tile(MatrixProductOp product);
};
} // namespace

/// A block's own sums start from zero; what a loop runs over is not known
/// before for anything but rows.
bool TileProductsPass::isWorthIt(const MatrixProductOp &product) {
  linalg::LinalgOp op = product.op;
  if (!op.hasPureTensorSemantics() || op->getParentOfType<scf::ForallOp>())
    return false;
  auto fill = product.c.getDefiningOp<linalg::FillOp>();
  int64_t rows = product.getSize(product.rowLoop);
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) &&
         fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() &&
         cast<RankedTensorType>(product.b.getType()).hasStaticShape() &&
         product.getSize(product.depthLoop) >= minDepth &&
         product.getSize(product.columnLoop) >= minColumns &&
         (ShapedType::isDynamic(rows) || rows >= minRows);
}

LogicalResult TileProductsPass::tile(MatrixProductOp product) {
  int64_t numColumns = product.getSize(product.columnLoop);
  int64_t columns = std::min<int64_t>(maxTile, llvm::PowerOf2Ceil(numColumns));
  columns = std::max<int64_t>(columns, 16);
  // Blocks of narrow results are no wider than 64 rows, so that there are
  // enough of them.
  int64_t rows = std::min<int64_t>(maxTile, columns >= 128 ? 128 : 64);
  IRRewriter rewriter(product.op);
  SmallVector<OpFoldResult> sizes(product.op.getNumLoops(),
                                  rewriter.getIndexAttr(0));
  for (unsigned loop : product.outerLoops)
    sizes[loop] = rewriter.getIndexAttr(1);
  sizes[product.rowLoop] = rewriter.getIndexAttr(rows);
  sizes[product.columnLoop] = rewriter.getIndexAttr(columns);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes).setLoopType(
      scf::SCFTilingOptions::LoopType::ForallOp);
  // Factors are computed once, and not for each tile.
  options.setFusionControlFn(
      [](tensor::ExtractSliceOp, OpResult producer, bool isDestination)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isDestination && isa<linalg::FillOp>(producer.getOwner()))
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        return std::nullopt;
      });
  rewriter.setInsertionPoint(product.op);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(product.op.getOperation()), options);
  if (failed(tiled))
    return failure();
  for (auto [from, to] : tiled->replacements)
    rewriter.replaceAllUsesWith(from, to);
  return success();
}
