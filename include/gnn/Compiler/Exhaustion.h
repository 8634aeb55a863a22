//===- Exhaustion.h - Errors of a process without room ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_EXHAUSTION_H
#define GNN_COMPILER_EXHAUSTION_H

namespace gnn {

/// Makes errors of what would end the process in a signal, for the main
/// function of `program`, which is a name that stays: a file that grows past
/// the process's limit cannot be written, also not by the linker it starts, and
/// without memory it ends with a sentence, exit code 1 and no temporary files.
/// After llvm::InitLLVM, which sets handlers of its own.
void reportExhaustion(const char *program);

} // namespace gnn

#endif // GNN_COMPILER_EXHAUSTION_H
