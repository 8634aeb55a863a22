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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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
    for (const MatrixProductOp &product : products) {
      if (isDeep(product)) {
        tileInParts(product);
        ++numSplit;
      } else if (failed(tile(product))) {
        continue;
      }
      ++numTiled;
    }
  }

private:
  bool isWorthIt(const MatrixProductOp &product);
  bool isDeep(const MatrixProductOp &product);
  std::pair<int64_t, int64_t> getTileSizes(const MatrixProductOp &product);
  LogicalResult tile(MatrixProductOp product);
  Value getPartSize(OpBuilder &b, const MatrixProductOp &product,
                    OpFoldResult numRows);
  void tileInParts(const MatrixProductOp &product);
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
  int64_t depth = product.getSize(product.depthLoop);
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) &&
         fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() &&
         cast<RankedTensorType>(product.b.getType()).hasStaticShape() &&
         depth >= minDepth &&
         product.getSize(product.columnLoop) >=
             (depth >= longDepth ? minLongColumns : minColumns) &&
         (ShapedType::isDynamic(rows) || rows >= minRows);
}

/// Rows and columns.
std::pair<int64_t, int64_t>
TileProductsPass::getTileSizes(const MatrixProductOp &product) {
  // One step of a sum leaves nothing to wait for, so that all of it would be in
  // registers at once.
  constexpr int64_t stepTerms = 16, maxTileOfStep = 64;
  int64_t most = maxTile;
  if (product.getSize(product.depthLoop) <= stepTerms)
    most = std::min(most, maxTileOfStep);
  int64_t numColumns = product.getSize(product.columnLoop);
  int64_t columns = std::min<int64_t>(most, llvm::PowerOf2Ceil(numColumns));
  columns = std::max<int64_t>(columns, 16);
  // Blocks of narrow results are no wider than 64 rows, so that there are
  // enough of them.
  return {std::min<int64_t>(most, columns >= 128 ? 128 : 64), columns};
}

LogicalResult TileProductsPass::tile(MatrixProductOp product) {
  auto [rows, columns] = getTileSizes(product);
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

/// Whether tiles may be few, for the terms that each adds up. Parts of sums
/// take little memory beside the factors then, even if there is one part only.
bool TileProductsPass::isDeep(const MatrixProductOp &product) {
  constexpr int64_t termsPerColumn = 16;
  int64_t depth = product.getSize(product.depthLoop);
  int64_t columns = product.getSize(product.columnLoop);
  return minBlocks > 0 && product.outerLoops.empty() &&
         getTileSizes(product).second >= columns && depth >= 2 * minPart &&
         depth >= termsPerColumn * columns;
}

/// A part of a matrix.
static Value extractPart(OpBuilder &b, Location loc, Value matrix,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, matrix, offsets, sizes, ones);
}

/// Adds up the rows of all parts, in the order of these.
static Value addParts(OpBuilder &b, Location loc, Value parts, Value numParts,
                      OpFoldResult numRows, Value empty) {
  Type elementType = getElementTypeOrSelf(empty);
  int64_t columns = cast<RankedTensorType>(empty.getType()).getDimSize(1);
  auto rowType = RankedTensorType::get({columns}, elementType);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult width = b.getIndexAttr(columns);
  Value zeroSum = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value step = arith::ConstantIndexOp::create(b, loc, 1);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return scf::ForallOp::create(
             b, loc, numRows, empty, /*mapping=*/std::nullopt,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value row = tensor::EmptyOp::create(
                   b, l, ArrayRef<int64_t>{columns}, elementType);
               Value before =
                   linalg::FillOp::create(b, l, zeroSum, row).getResult(0);
               auto addPart = [&](OpBuilder &b, Location l, Value part,
                                  ValueRange sums) {
                 Value own = tensor::ExtractSliceOp::create(
                     b, l, rowType, parts,
                     ArrayRef<OpFoldResult>{part, args[0], zero},
                     ArrayRef<OpFoldResult>{one, one, width},
                     ArrayRef<OpFoldResult>{one, one, one});
                 Value sum =
                     linalg::GenericOp::create(
                         b, l, TypeRange{rowType}, own, sums[0],
                         ArrayRef<AffineMap>{identity, identity},
                         utils::IteratorType::parallel,
                         [](OpBuilder &b, Location l, ValueRange values) {
                           Value sum = arith::AddFOp::create(b, l, values[1],
                                                             values[0]);
                           linalg::YieldOp::create(b, l, sum);
                         })
                         .getResult(0);
                 scf::YieldOp::create(b, l, sum);
               };
               auto sum = scf::ForOp::create(b, l, first, numParts, step,
                                             before, addPart);
               auto inParallel = scf::InParallelOp::create(b, l);
               b.setInsertionPointToStart(inParallel.getBody());
               tensor::ParallelInsertSliceOp::create(
                   b, l, sum.getResult(0), args[1],
                   ArrayRef<OpFoldResult>{args[0], zero},
                   ArrayRef<OpFoldResult>{one, width},
                   ArrayRef<OpFoldResult>{one, one});
             })
      .getResult(0);
}

/// How many terms the parts of a sum have, all but the last one: as many as
/// leave enough blocks for the rows there are.
Value TileProductsPass::getPartSize(OpBuilder &b,
                                    const MatrixProductOp &product,
                                    OpFoldResult numRows) {
  // What kernels have in workgroup memory at a time, and alignment.
  constexpr int64_t partMultiple = 32;
  Location loc = product.op->getLoc();
  int64_t depth = product.getSize(product.depthLoop);
  auto apply = [&](AffineExpr expression, OpFoldResult value) -> Value {
    return getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, expression, value));
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  AffineExpr x = b.getAffineSymbolExpr(0);
  Value tiles = arith::MaxUIOp::create(
      b, loc, apply(x.ceilDiv(getTileSizes(product).first), numRows),
      constant(1));
  Value wanted = arith::CeilDivUIOp::create(b, loc, constant(minBlocks), tiles);
  Value numParts =
      arith::MinUIOp::create(b, loc, wanted, constant(depth / minPart));
  Value terms = arith::CeilDivUIOp::create(b, loc, constant(depth), numParts);
  return apply(x.ceilDiv(partMultiple) * partMultiple, OpFoldResult(terms));
}

/// Each tile's sum in parts, and what these come to.
void TileProductsPass::tileInParts(const MatrixProductOp &product) {
  linalg::LinalgOp op = product.op;
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  int64_t columns = product.getSize(product.columnLoop);
  int64_t maxRows = getTileSizes(product).first;
  OpFoldResult tileRows = rewriter.getIndexAttr(maxRows);
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  OpFoldResult width = rewriter.getIndexAttr(columns);
  OpFoldResult numRows = tensor::getMixedSize(rewriter, loc, product.c, 0);
  Value step = getPartSize(rewriter, product, numRows);
  Value end = arith::ConstantIndexOp::create(
      rewriter, loc, product.getSize(product.depthLoop));
  Value numParts = arith::CeilDivUIOp::create(rewriter, loc, end, step);

  Type elementType = getElementTypeOrSelf(product.c);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef<OpFoldResult>{numParts, numRows, width},
      elementType);
  auto parts = scf::ForallOp::create(
      rewriter, loc, ArrayRef<OpFoldResult>{zero, zero},
      ArrayRef<OpFoldResult>{numRows, numParts},
      ArrayRef<OpFoldResult>{tileRows, one}, empty, /*mapping=*/std::nullopt);
  Value row = parts.getInductionVar(0), part = parts.getInductionVar(1);
  Value all = parts.getRegionIterArgs()[0];
  auto fill = product.c.getDefiningOp<linalg::FillOp>();
  rewriter.setInsertionPoint(parts.getTerminator());
  AffineExpr x, y;
  bindSymbols(rewriter.getContext(), x, y);
  OpFoldResult rows = affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(0, 2, {rewriter.getAffineConstantExpr(maxRows), x - y},
                     rewriter.getContext()),
      {numRows, OpFoldResult(row)});
  Value first = arith::MulIOp::create(rewriter, loc, part, step);
  Value count = arith::MinUIOp::create(
      rewriter, loc, step, arith::SubIOp::create(rewriter, loc, end, first));
  Value a = extractPart(rewriter, loc, product.a, {row, first}, {rows, count});
  Value b =
      extractPart(rewriter, loc, product.b, {first, zero}, {count, width});
  auto type =
      RankedTensorType::get({ShapedType::kDynamic, columns}, elementType);
  SmallVector<OpFoldResult> offsets{part, row, zero}, sizes{one, rows, width},
      strides(3, one);
  Value own = tensor::ExtractSliceOp::create(rewriter, loc, type, all, offsets,
                                             sizes, strides);
  own = linalg::FillOp::create(rewriter, loc, fill.value(), own).getResult(0);
  SmallVector<Value> operands;
  for (Value factor : op.getDpsInputs())
    operands.push_back(factor == product.a ? a : b);
  operands.push_back(own);
  Operation *sum = mlir::clone(rewriter, op, TypeRange{type}, operands);
  rewriter.setInsertionPointToStart(parts.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, loc, sum->getResult(0), all,
                                        offsets, sizes, strides);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, addParts(rewriter, loc, parts.getResult(0), numParts,
                                  numRows, fill.getOutputs()[0]));
}
