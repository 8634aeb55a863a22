//===- Alignment.h - Where rows of arrays begin -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_ALIGNMENT_H
#define GNN_LIB_CODEGEN_GPU_ALIGNMENT_H

#include "mlir/IR/Builders.h"

namespace gnn {

/// Whether an index surely is a multiple of `size`.
bool isMultiple(mlir::Value index, int64_t size);
bool isMultiple(mlir::OpFoldResult index, int64_t size);

/// The most elements, a power of two up to `most`, at multiples of which all
/// rows of an array begin. Allocations, constants and arguments begin at
/// multiples of 16 bytes, and parts of them where their offsets say. 1 if
/// elements of a row are not next to each other.
int64_t getAlignment(mlir::Value memref, int64_t most);

/// Stores elements of a row that follow each other, by one store. The row and
/// `indices` begin at multiples of their number.
void storeTogether(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::ValueRange elements, mlir::Value memref,
                   mlir::ValueRange indices);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_ALIGNMENT_H
