//===- TestModule.h - Modules for tests of the compiler ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_COMPILER_TESTMODULE_H
#define GNN_UNITTESTS_COMPILER_TESTMODULE_H

#include "gnn/Compiler/Compiler.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace gnn::test {

/// Parses modules and keeps the first error.
class ModuleTest : public ::testing::Test {
protected:
  ModuleTest()
      : context(makeRegistry()),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (message.empty())
            message = diagnostic.str();
          return mlir::success();
        }) {}

  /// The only public function of `source`; fails the test if there is none.
  mlir::func::FuncOp parse(llvm::StringRef source) {
    module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module) {
      ADD_FAILURE() << message;
      return nullptr;
    }
    return findEntry(*module);
  }

  /// The value that the op with attribute `tag = NAME` gives.
  mlir::Value getTagged(llvm::StringRef name) {
    mlir::Value found;
    module->walk([&](mlir::Operation *op) {
      auto tag = op->getAttrOfType<mlir::StringAttr>("tag");
      if (tag && tag.getValue() == name)
        found = op->getResult(0);
    });
    EXPECT_TRUE(found) << "no op is tagged " << name.str();
    return found;
  }

  mlir::MLIRContext context;
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    return registry;
  }
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_COMPILER_TESTMODULE_H
