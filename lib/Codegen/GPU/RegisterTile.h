//===- RegisterTile.h - Sums of a block of threads --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_REGISTERTILE_H
#define GNN_LIB_CODEGEN_GPU_REGISTERTILE_H

#include "MatrixFragments.h"
#include <memory>

namespace gnn {

/// How a block of threads shares a tile of a product.
struct BlockTile {
  int64_t rows, columns;
  int64_t depth; ///< Of what is in workgroup memory at a time: 64 bytes.
  int64_t numStages;
  int64_t warpRows, warpColumns; ///< Warps that share rows and columns.

  /// Rows and columns are powers of two, at least 16. No more workgroup memory
  /// is used than kernels may have without asking for more.
  static BlockTile get(int64_t rows, int64_t columns, mlir::Type factor,
                       int64_t maxStages);

  int64_t getNumThreads() const { return warpRows * warpColumns * 32; }
};

/// The sums that a thread has in registers.
class RegisterTile {
public:
  struct Element {
    mlir::Value row, column, value;
  };

  virtual ~RegisterTile() = default;

  virtual llvm::SmallVector<mlir::Value> createZeroSums() = 0;

  /// Adds the product of the two tiles: A[row, k] and B[k, column].
  virtual void multiply(const SwizzledTile &a, const SwizzledTile &b,
                        llvm::MutableArrayRef<mlir::Value> sums) = 0;

  /// Where the sums are in the block's tile. Elements of a row follow each
  /// other, neighbours first: so many, from a multiple of their number on.
  virtual int64_t getNumNeighbours() const = 0;
  virtual llvm::SmallVector<Element> getElements(mlir::ValueRange sums) = 0;
};

/// Warps multiply by `mma.sync`; f32 factors are rounded to tf32.
std::unique_ptr<RegisterTile>
createWarpTile(mlir::OpBuilder &b, mlir::Location loc, const BlockTile &tile,
               mlir::Type factor, mlir::Value thread);

/// Threads multiply by themselves, exactly.
std::unique_ptr<RegisterTile> createThreadTile(mlir::OpBuilder &b,
                                               mlir::Location loc,
                                               const BlockTile &tile,
                                               mlir::Value thread);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_REGISTERTILE_H
