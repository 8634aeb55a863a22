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

/// Whether each element of a matrix is computed from the one of another that is
/// in the row of its column.
static bool isTranspose(linalg::LinalgOp op) {
  if (op.getNumLoops() != 2 || op.getNumParallelLoops() != 2 ||
      op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  AffineMap input = op.getIndexingMapsArray()[0];
  return input.isPermutation() && !input.isIdentity() &&
         op.getIndexingMapsArray()[1].isIdentity();
}

namespace {
struct TileTransposesPass
    : public gnn::impl::TileTransposesPassBase<TileTransposesPass> {
  using TileTransposesPassBase::TileTransposesPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1) {
      getOperation()->emitError() << "the vector width must be at least 1";
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isTranspose(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      tile(rewriter, op);
  }

private:
  /// Smaller squares are no better than single elements.
  static constexpr int64_t minimumSide = 4;

  void tile(IRRewriter &rewriter, linalg::LinalgOp op) {
    SmallVector<int64_t> shape = op.getStaticLoopRanges();
    if (ShapedType::isDynamicShape(shape))
      return;
    auto isMultipleOfVector = [&](int64_t size) {
      return size % vectorWidth == 0;
    };
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
    SmallVector<int64_t> sizes(2, side);
    // A square that fills more than a vector, but whose rows fill none, is
    // transposed together with those beside it.
    if (side < vectorWidth && side * side > vectorWidth)
      if (auto *length = llvm::find_if(shape, isMultipleOfVector);
          length != shape.end())
        sizes[length - shape.begin()] = vectorWidth;
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (succeeded(result))
      rewriter.replaceOp(op, result->replacements);
  }
};
} // namespace
