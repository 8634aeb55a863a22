//===- TileLoops.cpp - Linalg ops inside loops ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gnn;

linalg::LinalgOp gnn::tileLoops(IRRewriter &rewriter, linalg::LinalgOp op,
                                ArrayRef<int64_t> sizes,
                                scf::SCFTilingOptions::LoopType type) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
  options.setLoopType(type);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(result))
    return op;
  rewriter.replaceOp(op, result->replacements);
  return cast<linalg::LinalgOp>(result->tiledOps.front());
}

Value gnn::castRows(OpBuilder &builder, Location loc, Value value,
                    int64_t numRows) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = numRows;
  return tensor::CastOp::create(builder, loc, type.clone(shape), value);
}

void gnn::fillInLoop(IRRewriter &rewriter, linalg::LinalgOp op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
  if (!loop)
    return;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto row = init.get().getDefiningOp<tensor::ExtractSliceOp>();
    auto all = row ? dyn_cast<BlockArgument>(row.getSource()) : BlockArgument();
    if (!all || !llvm::is_contained(loop.getRegionIterArgs(), all))
      continue;
    OpOperand *output = loop.getTiedLoopInit(all);
    auto fill = output->get().getDefiningOp<linalg::FillOp>();
    if (!fill)
      continue;
    rewriter.setInsertionPointAfter(row);
    auto inside = linalg::FillOp::create(rewriter, fill.getLoc(),
                                         fill.getInputs(), row->getResults());
    rewriter.modifyOpInPlace(op, [&] { init.set(inside.getResult(0)); });
    rewriter.modifyOpInPlace(loop, [&] { output->set(fill.getOutputs()[0]); });
  }
}
