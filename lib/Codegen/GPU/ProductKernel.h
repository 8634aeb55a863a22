//===- ProductKernel.h - A block multiplies two matrices --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_PRODUCTKERNEL_H
#define GNN_LIB_CODEGEN_GPU_PRODUCTKERNEL_H

#include "RegisterTile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn {

/// What a block does to compute its tile of a product A B: parts of the rows of
/// A and of the columns of B come to workgroup memory, some stages ahead of the
/// one that is multiplied.
class ProductKernel {
public:
  /// `a` and `b` are what the block needs of both matrices, all of the depth.
  ProductKernel(mlir::OpBuilder &builder, mlir::gpu::LaunchOp launch,
                const BlockTile &tile, mlir::Value a, mlir::Value b);

  /// The sums of all products in the registers of `registers`.
  llvm::SmallVector<mlir::Value> emit(RegisterTile &registers);

private:
  /// A factor, and where its tiles go.
  struct Factor {
    mlir::Value matrix;
    mlir::Value buffer;
    int64_t rows, columns; ///< Of a tile.
    /// Elements that are copied at once; 1: loaded and stored.
    int64_t copyElements;
    bool isAsynchronous;
    bool hasParts; ///< Rows may end within what is copied at once.
  };

  Factor createFactor(mlir::Value matrix, int64_t rows, int64_t columns);
  void copyTile(const Factor &factor, mlir::Value stage, mlir::Value firstRow,
                mlir::Value firstColumn,
                llvm::SmallVectorImpl<mlir::Value> &copies);
  void copyStage(mlir::Value number);
  void awaitStage();
  mlir::Value constant(int64_t value);

  mlir::OpBuilder &builder;
  mlir::gpu::LaunchOp launch;
  mlir::Location loc;
  BlockTile tile;
  mlir::Value thread;
  Factor a, b;
  /// The last group of copies; null if there are none.
  mlir::Value group;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_PRODUCTKERNEL_H
