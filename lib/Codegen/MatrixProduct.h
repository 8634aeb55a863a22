//===- MatrixProduct.h - Contractions of two matrices ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// What the passes that pack and lower matrix products take for one.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_MATRIXPRODUCT_H
#define GNN_LIB_CODEGEN_MATRIXPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gnn {

/// A sum of products C[row, column] += A[row, k] B[k, column] with rows of B
/// and C contiguous.
struct MatrixProduct {
  mlir::Value a;
  /// B as an operand of the op, so that it can be replaced.
  mlir::OpOperand *b;
  mlir::Value c;
  /// A[k, row] is stored.
  bool isTransposed;
  /// C is zero before.
  bool startsFromZero;
};

/// The product that `op` is, if rows of one factor and of the result are
/// contiguous and of known length.
mlir::FailureOr<MatrixProduct> matchMatrixProduct(mlir::linalg::LinalgOp op);

/// P[tile, k, column] = B[k, tile * columns + column]: tiles of `columns`
/// columns, one after the other, the last one filled up with any values.
mlir::RankedTensorType getPackedType(mlir::RankedTensorType type,
                                     int64_t columns);

/// B of type `type` as it reads from its packed form; the op that
/// `gnn-lower-matmul` sees through.
mlir::Value unpackColumns(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value packed, mlir::RankedTensorType type);

/// The packed form that `b` is read from, with tiles of `columns` columns; null
/// if there is none.
mlir::Value getPackedColumns(mlir::Value b, int64_t columns);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_MATRIXPRODUCT_H
