//===- PeriodicVerifierTest.cpp - When modules are verified -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/PeriodicVerifier.h"
#include "TestModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Gives all constants a value of so many bits, those of the module below are
/// of 32.
struct SetWidthPass : PassWrapper<SetWidthPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetWidthPass)

  explicit SetWidthPass(unsigned width) : width(width) {}
  StringRef getName() const override { return "SetWidthPass"; }
  void runOnOperation() override {
    getOperation().walk([&](arith::ConstantOp op) {
      op.setValueAttr(Builder(op).getIntegerAttr(
          IntegerType::get(op.getContext(), width), 1));
    });
  }

  unsigned width;
};

class PeriodicVerifierTest : public test::ModuleTest {
protected:
  /// Whether passes that make constants of these widths succeed.
  bool run(ArrayRef<unsigned> widths, unsigned period) {
    parse(R"mlir(
      func.func @f() -> i32 {
        %0 = arith.constant 1 : i32
        return %0 : i32
      })mlir");
    PassManager manager(&context);
    for (unsigned width : widths)
      manager.addPass(std::make_unique<SetWidthPass>(width));
    return succeeded(runAndVerify(manager, *module, period));
  }
};
} // namespace

TEST_F(PeriodicVerifierTest, AfterEveryPass) {
  EXPECT_TRUE(run({32, 32}, 1));
  EXPECT_FALSE(run({16, 32}, 1));
}

TEST_F(PeriodicVerifierTest, AfterEverySecondPass) {
  EXPECT_TRUE(run({16, 32, 16, 32}, 2));
  EXPECT_FALSE(run({32, 16, 32}, 2));
  EXPECT_NE(message.find("arith.constant"), std::string::npos) << message;
}

TEST_F(PeriodicVerifierTest, AfterTheLastPass) {
  EXPECT_TRUE(run({16, 32}, 0));
  EXPECT_FALSE(run({32, 16}, 0));
  EXPECT_FALSE(run({32, 16}, 7));
}
