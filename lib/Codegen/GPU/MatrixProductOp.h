//===- MatrixProductOp.h - Products for tensor cores or not -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_MATRIXPRODUCTOP_H
#define GNN_LIB_CODEGEN_GPU_MATRIXPRODUCTOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gnn {

/// C[row, column] += A[row, k] B[k, column], all in order of rows, on tensors
/// or on buffers. C is float32. There may be many of these: C has more
/// dimensions, which are other ones of A or B as well, as a weight for each
/// type or head is. Columns are the last dimension of B and C, and k that of A.
struct MatrixProductOp {
  mlir::linalg::LinalgOp op;
  mlir::Value a, b, c;
  unsigned rowLoop, columnLoop, depthLoop;
  llvm::SmallVector<unsigned, 2> outerLoops; ///< A product for each iteration.
  mlir::AffineMap aMap, bMap, cMap;
  bool isTF32; ///< Factors are rounded to tf32 before they are multiplied.

  /// Dimensions of C.
  unsigned getColumnDim() const { return cMap.getNumResults() - 1; }
  unsigned getRowDim() const {
    return *cMap.getResultPosition(
        mlir::getAffineDimExpr(rowLoop, cMap.getContext()));
  }

  /// How many iterations a loop has, or `ShapedType::kDynamic`.
  int64_t getSize(unsigned loop) const {
    return mlir::linalg::LinalgOp(op).getStaticLoopRanges()[loop];
  }

  mlir::Type getFactorType() const {
    return mlir::getElementTypeOrSelf(a.getType());
  }
  /// Factors are f16, bf16 or tf32.
  bool isForTensorCores() const { return isTF32 || !getFactorType().isF32(); }
};

/// The product that `op` is, or failure.
mlir::FailureOr<MatrixProductOp>
matchMatrixProductOp(mlir::linalg::LinalgOp op);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_MATRIXPRODUCTOP_H
