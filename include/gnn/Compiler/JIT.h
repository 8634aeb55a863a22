//===- JIT.h - Running a model without writing files ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_JIT_H
#define GNN_COMPILER_JIT_H

#include "gnn/Compiler/Compiler.h"
#include "gnn/Runtime/Runtime.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace gnn {

/// A model compiled into the memory of this process.
class JITModel {
public:
  /// `model` must have been translated for this machine.
  static llvm::Expected<JITModel> create(TranslatedModel model,
                                         const TargetSpec &target);

  /// Lives as long as this object.
  const gnn_model *get() const { return model; }

private:
  JITModel(std::unique_ptr<llvm::orc::LLJIT> jit, const gnn_model *model)
      : jit(std::move(jit)), model(model) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  const gnn_model *model;
};

} // namespace gnn

#endif // GNN_COMPILER_JIT_H
