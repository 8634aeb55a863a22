//===- IgnoreNaN.cpp - Maxima that need not keep NaN ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_IGNORENANPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct IgnoreNaNPass : public gnn::impl::IgnoreNaNPassBase<IgnoreNaNPass> {
  void runOnOperation() override {
    SmallVector<arith::MaximumFOp> maxima;
    getOperation()->walk([&](arith::MaximumFOp op) {
      if (op->hasAttr(GNNDialect::kIgnoresNaNAttr))
        maxima.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (arith::MaximumFOp op : maxima) {
      rewriter.setInsertionPoint(op);
      Value isGreater = arith::CmpFOp::create(rewriter, op.getLoc(),
                                              arith::CmpFPredicate::OGT,
                                              op.getRhs(), op.getLhs());
      rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isGreater, op.getRhs(),
                                                   op.getLhs());
      ++numMaxima;
    }
  }
};
} // namespace
