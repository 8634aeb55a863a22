//===- FindOp.h - The first op of a kind ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_SUPPORT_FINDOP_H
#define GNN_SUPPORT_FINDOP_H

#include "mlir/IR/Operation.h"

namespace gnn {

/// The first op that `isWanted` among `root` and those in it, each before what
/// is in its regions; null if there is none.
inline mlir::Operation *
findOp(mlir::Operation *root,
       llvm::function_ref<bool(mlir::Operation *)> isWanted) {
  mlir::Operation *found = nullptr;
  root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!isWanted(op))
      return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

} // namespace gnn

#endif // GNN_SUPPORT_FINDOP_H
