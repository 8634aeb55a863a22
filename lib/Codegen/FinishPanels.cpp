//===- FinishPanels.cpp - Activations of a product's panels -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_FINISHPANELSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `op` accesses only columns of `range`.
static bool accessesOnly(Operation *op, const ColumnRange &range) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return accessesRow(transfer) &&
           range.contains(splitOffset(transfer.getIndices().back()),
                          transfer.getVectorType().getDimSize(0));
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice || !slice.hasUnitStride())
    return false;
  std::optional<int64_t> count =
      getConstantIntValue(slice.getMixedSizes().back());
  return count &&
         range.contains(splitOffset(slice.getMixedOffsets().back()), *count);
}

/// Whether iterations of `panels`, in steps of `width`, access only columns of
/// their own of the matrix that they carry, and nothing takes its place.
static bool hasOwnColumns(scf::ForOp panels, int64_t width) {
  ColumnRange range{panels.getInductionVar(), 0, width};
  llvm::SetVector<Value> matrices;
  SmallVector<Value> yielded{panels.getYieldedValues()[0]};
  matrices.insert(panels.getRegionIterArg(0));
  for (unsigned i = 0; i < matrices.size(); ++i)
    for (OpOperand &use : matrices[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto loop = dyn_cast<scf::ForOp>(user)) {
        BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
        matrices.insert(carried);
        matrices.insert(loop.getTiedLoopResult(&use));
        yielded.push_back(loop.getTiedLoopYieldedValue(carried)->get());
      } else if (isa<scf::YieldOp, tensor::DimOp>(user)) {
        continue;
      } else if (!accessesOnly(user, range)) {
        return false;
      } else if (auto next = dyn_cast<DestinationStyleOpInterface>(user)) {
        if (!next.isDpsInit(&use))
          return false;
        matrices.insert(next.getTiedOpResult(&use));
      }
    }
  return llvm::all_of(yielded,
                      [&](Value value) { return matrices.contains(value); });
}

/// The loop over panels whose result `op` overwrites, element by element.
static scf::ForOp getPanels(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumLoops() != 2 ||
      op.getNumParallelLoops() != 2 || !op.hasPureTensorSemantics())
    return {};
  OpOperand *init = op.getDpsInitOperand(0);
  auto panels = init->get().getDefiningOp<scf::ForOp>();
  if (!panels || panels->getBlock() != op->getBlock() ||
      panels.getNumResults() != 1 ||
      !op.getMatchingIndexingMap(init).isIdentity() ||
      !init->get().hasOneUse() ||
      !isZeroInteger(getAsOpFoldResult(panels.getLowerBound())))
    return {};
  auto type = cast<RankedTensorType>(init->get().getType());
  std::optional<int64_t> width = getConstantIntValue(panels.getStep());
  std::optional<APInt> trips = panels.getStaticTripCount();
  if (!width || !trips || trips->sle(1) ||
      trips->getSExtValue() * *width != type.getDimSize(1) ||
      !hasOwnColumns(panels, *width))
    return {};
  return panels;
}

/// Computes `op` in each iteration of `panels`, for its columns.
static LogicalResult finish(RewriterBase &rewriter, linalg::GenericOp op,
                            scf::ForOp panels) {
  llvm::SetVector<Value> needed;
  getUsedValuesDefinedAbove(op->getRegions(), needed);
  for (OpOperand *input : op.getDpsInputOperands())
    needed.insert(input->get());
  if (failed(moveValueDefinitions(rewriter, needed.getArrayRef(), panels)))
    return failure();
  auto yield = cast<scf::YieldOp>(panels.getBody()->getTerminator());
  Value block = yield.getOperand(0);
  rewriter.setInsertionPoint(yield);
  Location loc = op.getLoc();
  IRMapping mapping;
  mapping.map(panels.getResult(0), block);
  auto whole = cast<linalg::GenericOp>(rewriter.clone(*op, mapping));
  SmallVector<OpFoldResult> offsets{rewriter.getIndexAttr(0),
                                    panels.getInductionVar()};
  SmallVector<OpFoldResult> sizes{
      tensor::getMixedSize(rewriter, loc, panels.getRegionIterArg(0), 0),
      rewriter.getIndexAttr(*getConstantIntValue(panels.getStep()))};
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(whole.getOperation())
          .getTiledImplementation(rewriter, offsets, sizes);
  rewriter.eraseOp(whole);
  if (failed(tiled))
    return failure();
  SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
  Value done = tensor::InsertSliceOp::create(
      rewriter, loc, tiled->tiledValues[0], block, offsets, sizes, strides);
  rewriter.modifyOpInPlace(yield, [&] { yield.setOperand(0, done); });
  rewriter.replaceOp(op, panels.getResults());
  return success();
}

namespace {
struct FinishPanelsPass
    : public gnn::impl::FinishPanelsPassBase<FinishPanelsPass> {
  using FinishPanelsPassBase::FinishPanelsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op->getParentOfType<scf::ForallOp>())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      // After one op comes the next one.
      if (scf::ForOp panels = getPanels(op);
          panels && succeeded(finish(rewriter, op, panels)))
        ++numFinished;
  }
};
} // namespace
