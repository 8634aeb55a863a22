//===- ThreadNumbers.h - Which thread of how many ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_THREADNUMBERS_H
#define GNN_LIB_CODEGEN_THREADNUMBERS_H

#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// How many threads run a parallel region, as an index, and the number of the
/// one that asks.
mlir::Value emitNumThreads(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::ModuleOp module);
mlir::Value emitThread(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ModuleOp module);

/// The loop of a parallel region whose iterations can be shared out by other
/// code than OpenMP's; null if there is more to it.
mlir::omp::LoopNestOp getPlainLoop(mlir::omp::WsloopOp loop);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_THREADNUMBERS_H
