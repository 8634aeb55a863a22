//===- TileLoops.h - Linalg ops inside loops --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_TILELOOPS_H
#define GNN_LIB_CODEGEN_TILELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace gnn {

/// Tiles the loops of `op` with a size other than 0. Returns the op inside, or
/// `op` if it cannot be tiled.
mlir::linalg::LinalgOp tileLoops(mlir::IRRewriter &rewriter,
                                 mlir::linalg::LinalgOp op,
                                 llvm::ArrayRef<int64_t> sizes,
                                 mlir::scf::SCFTilingOptions::LoopType type);

/// `value`, if it has rows, with `numRows` of them, which it has at run time.
mlir::Value castRows(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t numRows);

/// Fills each row in the loop over rows that `op` is in, if all of them were
/// filled before: that is a store less for each, and often none.
void fillInLoop(mlir::IRRewriter &rewriter, mlir::linalg::LinalgOp op);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_TILELOOPS_H
