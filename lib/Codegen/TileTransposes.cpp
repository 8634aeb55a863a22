//===- TileTransposes.cpp - Transpose by squares ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {
#define GEN_PASS_DEF_TILETRANSPOSESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct TileTransposesPass
    : public gnn::impl::TileTransposesPassBase<TileTransposesPass> {
  using TileTransposesPassBase::TileTransposesPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1) {
      getOperation()->emitError() << "the vector width must be at least 1";
      return signalPassFailure();
    }
    SmallVector<linalg::TransposeOp> ops;
    getOperation()->walk([&](linalg::TransposeOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::TransposeOp op : ops)
      tile(rewriter, op);
  }

private:
  /// Smaller squares are no better than single elements.
  static constexpr int64_t minimumSide = 4;

  void tile(IRRewriter &rewriter, linalg::TransposeOp op) {
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    if (!op.hasPureTensorSemantics() || shape.size() != 2 ||
        ShapedType::isDynamicShape(shape))
      return;
    // The largest square that fits a whole number of times.
    auto isWhole = [&](int64_t side) {
      return llvm::all_of(shape,
                          [&](int64_t size) { return size % side == 0; });
    };
    int64_t side = vectorWidth;
    while (side >= minimumSide && !isWhole(side))
      side /= 2;
    if (side < minimumSide)
      return;
    scf::SCFTilingOptions options;
    options.setTileSizes(
        getAsIndexOpFoldResult(op.getContext(), SmallVector<int64_t>(2, side)));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (succeeded(result))
      rewriter.replaceOp(op, result->replacements);
  }
};
} // namespace
