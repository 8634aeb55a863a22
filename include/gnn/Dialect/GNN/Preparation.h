//===- Preparation.h - What is computed once for a graph --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes by which passes tell each other which arguments of a function are
// the same in many runs, and what of it is computed once for all of these.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_PREPARATION_H
#define GNN_DIALECT_GNN_PREPARATION_H

#include "llvm/ADT/StringRef.h"

namespace gnn {

/// Of an argument: kGraphPart, what a graph is made of, or kWeightPart, a
/// weight.
inline constexpr llvm::StringLiteral kFixedAttr = "gnn.fixed";
inline constexpr llvm::StringLiteral kGraphPart = "graph";
inline constexpr llvm::StringLiteral kWeightPart = "weight";

/// Of a function that was divided: the functions that compute its last
/// arguments, in their order, each {function = "...", inputs = array<i64>,
/// ranks = array<i64>, bytes = array<i64>}. Inputs are numbers of its
/// arguments, which may be values of earlier functions. Of each value there are
/// the rank, -1 for a scalar, and the bytes of an element.
inline constexpr llvm::StringLiteral kPreparationsAttr = "gnn.preparations";

} // namespace gnn

#endif // GNN_DIALECT_GNN_PREPARATION_H
