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

namespace gnn {

/// Offsets, sizes and strides of a slice of a tensor.
struct SliceParameters {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  llvm::SmallVector<int64_t> shape;
};

/// Ends the body of a parallel loop that fills `outputs`, each with a slice of
/// its own.
void emitParallelInsert(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> values,
                        mlir::ValueRange outputs,
                        llvm::ArrayRef<SliceParameters> slices);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_SLICES_H
