//===- SlopesToMaximum.cpp - Leaky ReLU as the larger value -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Transforms/Slopes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SLOPESTOMAXIMUMPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct SlopesToMaximumPass
    : public gnn::impl::SlopesToMaximumPassBase<SlopesToMaximumPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](arith::SelectOp select) {
      if (!getSlope(select))
        return;
      rewriter.setInsertionPoint(select);
      Value condition = arith::CmpFOp::create(
          rewriter, select.getLoc(), arith::CmpFPredicate::OGT,
          select.getTrueValue(), select.getFalseValue());
      rewriter.modifyOpInPlace(
          select, [&] { select.getConditionMutable().assign(condition); });
      ++numSlopes;
    });
  }
};
} // namespace
