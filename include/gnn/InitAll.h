//===- InitAll.h - Dialects and passes of the project ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INITALL_H
#define GNN_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace gnn {

/// The gnn dialect, the dialects its pipelines go through, and the interface
/// implementations that bufferisation, tiling and translation need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Passes and pipelines of the project, and the upstream passes they build on.
void registerAllPasses();

} // namespace gnn

#endif // GNN_INITALL_H
