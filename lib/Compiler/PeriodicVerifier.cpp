//===- PeriodicVerifier.cpp - Verification now and then ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/PeriodicVerifier.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;
using namespace gnn;

namespace {
/// Passes within functions run side by side, and are seen as one.
class PeriodicVerifier : public PassInstrumentation {
public:
  PeriodicVerifier(ModuleOp module, unsigned period, bool &isInvalid)
      : module(module), period(period), isInvalid(isInvalid) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // Once it is invalid, all that follows may be.
    if (op != module || isInvalid || ++numPasses % period != 0)
      return;
    if (failed(verify(module))) {
      isInvalid = true;
      module.emitRemark() << "noticed after " << pass->getName();
    }
  }

private:
  ModuleOp module;
  unsigned period;
  unsigned numPasses = 0;
  bool &isInvalid;
};
} // namespace

LogicalResult gnn::runAndVerify(PassManager &manager, ModuleOp module,
                                unsigned period) {
  bool isInvalid = false;
  manager.enableVerifier(period == 1);
  if (period > 1)
    manager.addInstrumentation(
        std::make_unique<PeriodicVerifier>(module, period, isInvalid));
  if (failed(manager.run(module)) || isInvalid)
    return failure();
  return period == 1 ? success() : verify(module);
}
