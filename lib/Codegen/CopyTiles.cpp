//===- CopyTiles.cpp - Rows of a tile side by side --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace gnn {
#define GEN_PASS_DEF_COPYTILESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Elements from one row of `matrix` to the next where it is stored, as far as
/// slices tell.
static std::optional<int64_t> getRowStride(Value matrix) {
  while (auto slice = matrix.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!slice.hasUnitStride() || slice.getDroppedDims().test(0))
      return std::nullopt;
    matrix = slice.getSource();
  }
  ArrayRef<int64_t> row =
      cast<RankedTensorType>(matrix.getType()).getShape().drop_front();
  if (llvm::any_of(row, ShapedType::isDynamic))
    return std::nullopt;
  return ShapedType::getNumElements(row);
}

/// How many rows `matrix` has at most.
static FailureOr<int64_t> getMaxRows(Value matrix) {
  return ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB,
      ValueBoundsConstraintSet::Variable(matrix, /*dim=*/0),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
}

namespace {
struct CopyTilesPass : public gnn::impl::CopyTilesPassBase<CopyTilesPass> {
  using CopyTilesPassBase::CopyTilesPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    OpBuilder builder(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (failed(product) || product->isRounded)
        continue;
      auto slice = product->a.getDefiningOp<tensor::ExtractSliceOp>();
      // Rows that one product reads are read where they are.
      auto loop = slice ? slice->getParentOfType<scf::ForOp>() : scf::ForOp();
      if (!loop || loop == op->getParentOfType<scf::ForOp>())
        continue;
      if (Value copy = emitCopy(builder, slice)) {
        slice.getResult().replaceUsesWithIf(copy, [&](OpOperand &use) {
          return use.getOwner() == op.getOperation();
        });
        ++numCopied;
      }
    }
  }

private:
  /// What `slice` takes, with its rows one after the other; null where they are
  /// so already, or too many.
  Value emitCopy(OpBuilder &builder, tensor::ExtractSliceOp slice) const {
    RankedTensorType type = slice.getType();
    std::optional<int64_t> stride = getRowStride(slice);
    if (type.getRank() != 2 || type.isDynamicDim(1) || !stride ||
        *stride == type.getDimSize(1))
      return Value();
    FailureOr<int64_t> rows = getMaxRows(slice);
    if (failed(rows) || *rows * type.getDimSize(1) > maxElements)
      return Value();
    Location loc = slice.getLoc();
    builder.setInsertionPointAfter(slice);
    // No tensor.empty, which would become as small as the slice of it.
    Value memory = bufferization::AllocTensorOp::create(
        builder, loc,
        RankedTensorType::get({*rows, type.getDimSize(1)},
                              type.getElementType()),
        /*dynamicSizes=*/ValueRange());
    SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
    Value place = tensor::ExtractSliceOp::create(
        builder, loc, memory, offsets,
        tensor::getMixedSizes(builder, loc, slice), strides);
    return linalg::CopyOp::create(builder, loc, slice.getResult(), place)
        ->getResult(0);
  }
};
} // namespace
