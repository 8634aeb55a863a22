//===- CodeParts.h - Modules that are compiled side by side -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_CODEPARTS_H
#define GNN_COMPILER_CODEPARTS_H

#include "llvm/IR/Module.h"
#include <memory>
#include <vector>

namespace gnn {

/// Moves functions of `module` into modules of their own, so that there are
/// `parts` with about as much code in each, largest first and what stays behind
/// last; fewer where there are not as many functions, and for 0 one for each
/// `partInstructions`. Functions that call each other stay together.
/// Which function goes where depends on the module alone.
///
/// Parts know each other's internal functions and variables by hidden symbols
/// that begin with `prefix`. Variables stay behind; small constants go with
/// those who read them.
std::vector<std::unique_ptr<llvm::Module>>
splitOffParts(llvm::Module &module, llvm::StringRef prefix, unsigned parts,
              unsigned partInstructions);

} // namespace gnn

#endif // GNN_COMPILER_CODEPARTS_H
