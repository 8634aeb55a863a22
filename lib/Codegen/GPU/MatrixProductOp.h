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
/// or on buffers. C is float32.
struct MatrixProductOp {
  mlir::linalg::LinalgOp op;
  mlir::Value a, b, c;
  unsigned rowLoop, columnLoop, depthLoop;
  bool isTF32; ///< Factors are rounded to tf32 before they are multiplied.

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
