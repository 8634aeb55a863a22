//===- TileNarrowRows.cpp - Several narrow rows at a time -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

namespace gnn {
#define GEN_PASS_DEF_TILENARROWROWSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Elements of a row, if `op` computes each element of rows of nodes from those
/// at the same place in others, or from numbers; else 0.
static int64_t getRowSize(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureTensorSemantics() || ranges.empty() ||
      !ShapedType::isDynamic(ranges.front()) ||
      op.getNumParallelLoops() != ranges.size() || op.hasIndexSemantics() ||
      !op.getBlock()->getOps<tensor::ExtractOp>().empty())
    return 0;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isIdentity() && map.getNumResults() != 0)
      return 0;
  for (Type type : op->getResultTypes())
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() != 32)
      return 0;
  ArrayRef<int64_t> row = ArrayRef<int64_t>(ranges).drop_front();
  return llvm::any_of(row, ShapedType::isDynamic)
             ? 0
             : ShapedType::getNumElements(row);
}

/// Whether there is more to do than to move elements.
static bool computes(linalg::GenericOp op) {
  return op.getBlock()->getOperations().size() > 1;
}

/// Computes `op` in two forms, one for tiles of `numRows` rows.
static void specialize(IRRewriter &rewriter, linalg::GenericOp op,
                       int64_t numRows) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value size = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      tensor::getMixedSize(rewriter, loc, op.getOutputs().front(), 0));
  Value isWhole = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, size,
      arith::ConstantIndexOp::create(rewriter, loc, numRows));
  auto choice = scf::IfOp::create(rewriter, loc, op->getResultTypes(), isWhole,
                                  /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(op->getResults(), choice->getResults());

  rewriter.setInsertionPointToStart(choice.thenBlock());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, castRows(rewriter, loc, operand, numRows));
  auto whole = cast<linalg::GenericOp>(rewriter.clone(*op, mapping));
  SmallVector<Value> results;
  for (auto [result, init] :
       llvm::zip(whole->getResults(), whole.getOutputs())) {
    result.setType(cast<RankedTensorType>(init.getType()));
    results.push_back(castRows(rewriter, loc, result, ShapedType::kDynamic));
  }
  scf::YieldOp::create(rewriter, loc, results);

  rewriter.setInsertionPointToStart(choice.elseBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, op->getResults());
  rewriter.moveOpBefore(op, yield);
}

namespace {
struct TileNarrowRowsPass
    : public gnn::impl::TileNarrowRowsPassBase<TileNarrowRowsPass> {
  using TileNarrowRowsPassBase::TileNarrowRowsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      int64_t size = getRowSize(op);
      if (size > 0 && size < vectorWidth && computes(op) && !op->use_empty() &&
          !op->getParentOfType<scf::ForallOp>())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      // As few as fill registers without a rest.
      int64_t numRows =
          vectorWidth / std::gcd<int64_t>(vectorWidth, getRowSize(op));
      SmallVector<int64_t> sizes(op.getNumLoops(), 0);
      sizes.front() = numRows;
      linalg::LinalgOp tile = tileLoops(
          rewriter, op, sizes, scf::SCFTilingOptions::LoopType::ForallOp);
      specialize(rewriter, cast<linalg::GenericOp>(tile.getOperation()),
                 numRows);
      ++numTiled;
    }
  }
};
} // namespace
