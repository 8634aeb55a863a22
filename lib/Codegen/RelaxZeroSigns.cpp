//===- RelaxZeroSigns.cpp - Maxima of either zero ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gnn {
#define GEN_PASS_DEF_RELAXZEROSIGNSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

template <typename Op>
static bool relax(Operation *op) {
  auto extremum = dyn_cast<Op>(op);
  if (!extremum)
    return false;
  extremum.setFastmath(extremum.getFastmath() | arith::FastMathFlags::nsz);
  return true;
}

namespace {
struct RelaxZeroSignsPass
    : public gnn::impl::RelaxZeroSignsPassBase<RelaxZeroSignsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (relax<arith::MaximumFOp>(op) || relax<arith::MinimumFOp>(op))
        ++numExtrema;
    });
  }
};
} // namespace
