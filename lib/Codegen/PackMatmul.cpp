//===- PackMatmul.cpp - Contiguous tiles of matrices ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_PACKMATMULPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static constexpr int64_t rowsPerIteration = 16;

/// Rows are read in order, so that the reads are of whole pages; some of them
/// make an iteration of a parallel loop.
static FailureOr<Value> packColumns(IRRewriter &rewriter, Value matrix,
                                    int64_t columns) {
  Location loc = matrix.getLoc();
  auto type = cast<RankedTensorType>(matrix.getType());
  RankedTensorType packed = getPackedType(type, columns);
  auto expanded =
      type.clone({type.getDimSize(0), packed.getDimSize(0), columns});
  Value source = tensor::ExpandShapeOp::create(
      rewriter, loc, expanded, matrix,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value empty = tensor::EmptyOp::create(rewriter, loc, packed.getShape(),
                                        packed.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(3);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0, 2},
                                                   rewriter.getContext());
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, packed, source, empty, {identity, swapped}, iterators,
      [](OpBuilder &b, Location inner, ValueRange args) {
        linalg::YieldOp::create(b, inner, args[0]);
      });
  if (type.getDimSize(0) <= rowsPerIteration)
    return copy.getResult(0);
  scf::SCFTilingOptions tiling;
  tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  tiling.setTileSizes(
      getAsIndexOpFoldResult(rewriter.getContext(), {rowsPerIteration, 0, 0}));
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(copy.getOperation()), tiling);
  if (failed(tiled))
    return failure();
  Value result = tiled->replacements.front();
  rewriter.eraseOp(copy);
  return result;
}

namespace {
struct PackMatmulPass : public gnn::impl::PackMatmulPassBase<PackMatmulPass> {
  using PackMatmulPassBase::PackMatmulPassBase;

  void runOnOperation() override {
    if (columns < 1) {
      getOperation()->emitError() << "tiles must have at least one column";
      return signalPassFailure();
    }
    SmallVector<OpOperand *> factors;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (succeeded(product) && !op->getParentOfType<scf::ForallOp>() &&
          isWorthwhile(product->b->get()))
        factors.push_back(product->b);
    });
    llvm::DenseMap<Value, Value> unpacked;
    for (OpOperand *factor : factors) {
      Value matrix = factor->get();
      Value &replacement = unpacked[matrix];
      if (!replacement) {
        IRRewriter rewriter(&getContext());
        rewriter.setInsertionPointAfterValue(matrix);
        FailureOr<Value> packed = packColumns(rewriter, matrix, columns);
        if (failed(packed))
          return signalPassFailure();
        rewriter.setInsertionPointAfterValue(*packed);
        replacement = unpackColumns(rewriter, matrix.getLoc(), *packed,
                                    cast<RankedTensorType>(matrix.getType()));
        ++numPacked;
      }
      factor->set(replacement);
    }
  }

private:
  bool isWorthwhile(Value matrix) {
    auto type = cast<RankedTensorType>(matrix.getType());
    return !matrix.getDefiningOp<linalg::UnPackOp>() && type.hasStaticShape() &&
           type.getDimSize(1) >= minimumColumns &&
           type.getDimSize(1) % columns == 0;
  }
};
} // namespace
