//===- SharedFactors.h - Factors packed once for all blocks -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention multiplies each tile of keys and values by every block of
/// destinations. What a parallel loop over such blocks would round and turn in
/// each iteration is stored tile by tile before it.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_SHAREDFACTORS_H
#define GNN_LIB_CODEGEN_SHAREDFACTORS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gnn {

/// How a tile of a factor is stored.
enum class TileForm {
  /// Rows are rows.
  Rows,
  /// Columns are rows.
  Transposed,
  /// Elements of two rows lie side by side.
  RowPairs
};

/// What is stored of the factors of one function.
class SharedFactors {
public:
  /// Writes the rows `first` to `first + count` of the matrix `source` to the
  /// tile `into`, of bfloat16.
  using EmitTile = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &b, mlir::Value source, mlir::Value first,
      mlir::Value count, mlir::Value into)>;

  /// The tile of type `tileType` that `emit` makes of `numRows` rows, or as
  /// many as are left, of the matrix `part`, from `first` on, a multiple of
  /// `numRows`. Null unless `part` is rows of an array from outside of all
  /// parallel loops around, beginning at a multiple of `numRows` that a serial
  /// loop counts, and unless the number of all rows is known outside if the
  /// rest of a tile must be zero.
  mlir::Value getTile(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part,
                      mlir::Value first, int64_t numRows, TileForm form,
                      mlir::RankedTensorType tileType, EmitTile emit);

private:
  struct Packed {
    mlir::Operation *loop;
    mlir::Value array;
    /// The end of the rows; null for all of them.
    mlir::Value end;
    TileForm form;
    mlir::RankedTensorType tileType;
    /// tensor<other dimensions of the array x tiles x tile>.
    mlir::Value tiles;
  };
  llvm::SmallVector<Packed> known;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_SHAREDFACTORS_H
