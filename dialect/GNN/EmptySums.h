//===- EmptySums.h - Messages that sum over nothing -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_EMPTYSUMS_H
#define GNN_DIALECT_GNN_EMPTYSUMS_H

#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// A message whose sum is over no features becomes one that yields 0.
void addEmptySumPatterns(mlir::RewritePatternSet &patterns);

} // namespace gnn

#endif // GNN_DIALECT_GNN_EMPTYSUMS_H
