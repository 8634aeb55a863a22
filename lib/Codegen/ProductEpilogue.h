//===- ProductEpilogue.h - What follows a product ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementwise ops that read the sums of a product, as of a bias and an
/// activation, applied to vectors of sums before these are stored.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_PRODUCTEPILOGUE_H
#define GNN_LIB_CODEGEN_PRODUCTEPILOGUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gnn {

/// The one op that reads `value`, if it is in the same block, computes each
/// element of its result from the element of `value` at the same place and
/// reads no other. Its result is of the same type or, if `mayConvert`, of the
/// same shape.
mlir::linalg::GenericOp getEpilogue(mlir::Value value, bool mayConvert);

/// Elementwise ops, each of which alone reads the result of the one before.
/// Functions of `math` and divisions are none of them: there would be a copy of
/// their code for each vector of a tile.
class ProductEpilogue {
public:
  /// Those that follow `product`, whose result has two dimensions, in the same
  /// block; none if there are none.
  static ProductEpilogue match(mlir::linalg::LinalgOp product);

  bool empty() const { return ops.empty(); }
  mlir::linalg::GenericOp getLast() const { return ops.back(); }

  /// The elements of `sums`, a vector of those of a row from a column on, after
  /// all ops.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Value sums, mlir::Value row,
                   mlir::Value column) const;

private:
  mlir::Value emit(mlir::OpBuilder &b, mlir::linalg::GenericOp op,
                   mlir::Value previous, mlir::Value sums, mlir::Value row,
                   mlir::Value column) const;

  mlir::Value product;
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_PRODUCTEPILOGUE_H
