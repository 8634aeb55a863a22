//===- PeriodicVerifier.h - Verification now and then -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_PERIODICVERIFIER_H
#define GNN_COMPILER_PERIODICVERIFIER_H

#include "mlir/Pass/PassManager.h"

namespace gnn {

/// Runs the passes of `manager` on `module` and verifies it after one in
/// `period` of those over the whole module, and after the last. A period of 1
/// means after every pass, as MLIR's pass managers do, one of 0 after the last
/// alone. What is not valid is told with the pass that it was noticed after,
/// and fails.
llvm::LogicalResult runAndVerify(mlir::PassManager &manager,
                                 mlir::ModuleOp module, unsigned period);

} // namespace gnn

#endif // GNN_COMPILER_PERIODICVERIFIER_H
