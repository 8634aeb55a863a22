//===- TileArray.h - Tiles of an array that loops come back to --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where a loop goes through the tiles of an array in each iteration of a loop
/// around it, what it makes of a tile is the same each time. This makes it of
/// all tiles before the outer loop.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_TILEARRAY_H
#define GNN_LIB_CODEGEN_TILEARRAY_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// A slice with all of the last two dimensions of an array, and one element of
/// each other one.
class TileOfArray {
public:
  /// Writes what is made of the tile `source` to `into`.
  using EmitTile = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &b, mlir::Value source, mlir::Value into)>;

  /// The slice that `tile` is, if the array is from outside of the outermost
  /// serial loop around it in which the array does not change, and a loop in
  /// that one, with the same bounds each time, counts the tiles.
  static mlir::FailureOr<TileOfArray> match(mlir::Value tile);

  /// What `emit` makes of this tile, of type `type`: of all tiles that the
  /// inner loop counts it is made before the outer loop.
  mlir::Value emitBeforeLoop(mlir::OpBuilder &b, mlir::RankedTensorType type,
                             EmitTile emit);

private:
  mlir::tensor::ExtractSliceOp slice;
  mlir::scf::ForOp outer;
  mlir::scf::ForOp inner;
  /// What the places of the tile are computed by inside of the outer loop, in
  /// order.
  llvm::SmallVector<mlir::Operation *> placeOps;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_TILEARRAY_H
