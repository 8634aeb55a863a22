//===- TransposeSteps.h - Transposes of pairs of rows -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_TRANSPOSESTEPS_H
#define GNN_LIB_CODEGEN_TRANSPOSESTEPS_H

#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// Adds a pattern by which a transpose of a matrix of 32-bit elements, whose
/// sides are powers of two and the shorter one 4 or 8, becomes shuffles of two
/// vectors of the longer side: a step for each bit of the shorter one. What
/// fits into a register of `vectorWidth` elements is left to one shuffle of it.
/// MLIR's patterns for AVX2 know squares of 8 and 4 x 8 in registers of 8;
/// these also have two squares of 8 share registers of 16, and any processor.
void populateTransposeStepPatterns(mlir::RewritePatternSet &patterns,
                                   int64_t vectorWidth,
                                   mlir::PatternBenefit benefit);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_TRANSPOSESTEPS_H
