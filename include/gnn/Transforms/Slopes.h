//===- Slopes.h - Leaky ReLUs -----------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SLOPES_H
#define GNN_TRANSFORMS_SLOPES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace gnn {

/// A number as it is where it is above 0, and times `factor` where it is not.
struct Slope {
  mlir::Value number;
  llvm::APFloat factor;
};

/// What `select` is, if it is a leaky ReLU whose factor is above 0 and at most
/// 1: the larger one of both, then.
std::optional<Slope> getSlope(mlir::arith::SelectOp select);

} // namespace gnn

#endif // GNN_TRANSFORMS_SLOPES_H
