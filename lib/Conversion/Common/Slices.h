//===- Slices.h - Parts of tensors ------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_SLICES_H
#define GNN_LIB_CONVERSION_COMMON_SLICES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gnn {

/// Offsets, sizes and strides of a slice of a tensor.
struct SliceParameters {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  llvm::SmallVector<int64_t> shape;
};

/// Rows `first` to before `first + number` of a tensor whose other dimensions
/// are known.
SliceParameters getRows(mlir::Builder &builder, mlir::RankedTensorType type,
                        mlir::OpFoldResult first, mlir::OpFoldResult number);
mlir::Value extractRows(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value rows, mlir::OpFoldResult first,
                        mlir::OpFoldResult number);
/// `rows` with `part` in the place of as many of them.
mlir::Value insertRows(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value part, mlir::Value rows,
                       mlir::OpFoldResult first, mlir::OpFoldResult number);

/// Row number `row` of `tensor`, without the dimension of rows.
mlir::Value emitRowRead(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tensor, mlir::Value row);
/// Replaces row number `row` of `tensor` by `value`.
mlir::Value emitRowWrite(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Value tensor,
                         mlir::Value row);

/// Ends the body of a parallel loop that fills `outputs`, each with a slice of
/// its own.
void emitParallelInsert(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> values,
                        mlir::ValueRange outputs,
                        llvm::ArrayRef<SliceParameters> slices);
/// The same of a loop that fills rows `first` to before `first + number` of
/// each of `outputs`, with what `body` makes of these rows.
void emitParallelRows(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange outputs,
    mlir::OpFoldResult first, mlir::OpFoldResult number,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_SLICES_H
