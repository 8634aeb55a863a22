//===- WrittenBuffers.h - What ops write to ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_WRITTENBUFFERS_H
#define GNN_LIB_CODEGEN_WRITTENBUFFERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace gnn {

/// The buffer that `value` is a view of.
mlir::Value getViewedBuffer(mlir::Value value);

/// The buffers that `op` and what is in it write to.
llvm::DenseSet<mlir::Value> findWritten(mlir::Operation *op);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_WRITTENBUFFERS_H
