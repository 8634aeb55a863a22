//===- Frontend.h - Model folders to gnn IR ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_FRONTEND_FRONTEND_H
#define GNN_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace gnn {

/// Imports the model in `folder`, model.yaml (or model.json) with its
/// model.safetensors, or the checkpoint of Transformers, as a module with one
/// function `forward`; the schema is docs/model-format.md. On failure
/// `file:line:column: error: ...` is printed to `errors` and null returned.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context,
                                              llvm::StringRef folder,
                                              llvm::raw_ostream &errors);

/// The dialects that imported modules use.
void registerFrontendDialects(mlir::DialectRegistry &registry);

} // namespace gnn

#endif // GNN_FRONTEND_FRONTEND_H
