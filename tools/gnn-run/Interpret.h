//===- Interpret.h - Running a model by the specification -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_GNN_RUN_INTERPRET_H
#define GNN_TOOLS_GNN_RUN_INTERPRET_H

#include "gnn/Runtime/Runner.h"
#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// Evaluates the model in `module` with the reference interpreter on the graph
/// of `options`, and reports like a compiled one. Returns an exit code.
int interpretModel(const runner::Options &options, mlir::ModuleOp module,
                   const char *program);

} // namespace gnn

#endif // GNN_TOOLS_GNN_RUN_INTERPRET_H
