//===- LLVMPasses.h - What LLVM does before machine code --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_COMPILER_LLVMPASSES_H
#define GNN_LIB_COMPILER_LLVMPASSES_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace gnn {

/// Layers of one shape have the same parallel loops, each a function by now.
/// Nobody compares where these lie, so that equal ones are one function, not
/// many that call it, into which LLVM would put it again.
void mergeFunctions(llvm::Module &module);

/// Runs LLVM's passes that `passes` names, as its `opt` would.
void runLLVMPasses(llvm::Module &module, llvm::TargetMachine &machine,
                   llvm::StringRef passes);

} // namespace gnn

#endif // GNN_LIB_COMPILER_LLVMPASSES_H
