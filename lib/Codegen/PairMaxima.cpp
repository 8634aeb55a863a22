//===- PairMaxima.cpp - Maxima that wait for half as many -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_PAIRMAXIMAPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The maximum of a vector and a carried one, if it ignores NaN and nothing
/// else reads what is carried.
static arith::MaximumFOp getMaximum(Value next, Value carried) {
  auto op = next.getDefiningOp<arith::MaximumFOp>();
  return op && op->hasAttr(GNNDialect::kIgnoresNaNAttr) &&
                 isa<VectorType>(op.getType()) && op.getLhs() == carried &&
                 carried.hasOneUse()
             ? op
             : arith::MaximumFOp();
}

/// Whether a loop does nothing but take the maximum of the vectors it reads.
static bool onlyTakesMaximum(scf::ForOp loop) {
  if (loop.getNumResults() != 1 || !loop.getRegion().hasOneBlock())
    return false;
  Value next = loop.getBody()->getTerminator()->getOperand(0);
  return getMaximum(next, loop.getRegionIterArg(0)) &&
         llvm::all_of(*loop.getBody(),
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

namespace {
struct PairMaximaPass : public gnn::impl::PairMaximaPassBase<PairMaximaPass> {
  using PairMaximaPassBase::PairMaximaPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (onlyTakesMaximum(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, 2);
      if (failed(unrolled) || !unrolled->mainLoopOp)
        continue;
      pair(rewriter, *unrolled->mainLoopOp);
      ++numLoops;
    }
  }

private:
  /// max(max(carried, a), b) becomes max(carried, max(a, b)).
  static void pair(RewriterBase &rewriter, scf::ForOp loop) {
    auto second = loop.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::MaximumFOp>();
    auto first = second ? getMaximum(second.getLhs(), loop.getRegionIterArg(0))
                        : arith::MaximumFOp();
    // A loop of one iteration is gone.
    if (!first || !first->hasOneUse())
      return;
    rewriter.setInsertionPoint(second);
    Operation *both = rewriter.clone(*first);
    both->setOperands({first.getRhs(), second.getRhs()});
    rewriter.modifyOpInPlace(second, [&] {
      second->setOperands({first.getLhs(), both->getResult(0)});
    });
    rewriter.eraseOp(first);
  }
};
} // namespace
