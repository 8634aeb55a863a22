//===- PeelProducts.cpp - Sums that begin with their products ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_PEELPRODUCTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether all that a loop carries are sums of products that start from zero.
static bool addsProducts(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  auto isSum = [&](OpOperand &init) {
    BlockArgument carried = loop.getTiedLoopRegionIterArg(&init);
    auto sum = loop.getTiedLoopYieldedValue(carried)
                   ->get()
                   .getDefiningOp<vector::FMAOp>();
    return sum && sum.getAcc() == carried && carried.hasOneUse() &&
           sum->getParentOp() == loop &&
           matchPattern(init.get(), m_PosZeroFloat());
  };
  return yield->getNumOperands() &&
         llvm::all_of(loop.getInitArgsMutable(), isSum);
}

/// The first iteration becomes code before the loop.
static void peel(RewriterBase &rewriter, scf::ForOp loop) {
  scf::ForOp first;
  LogicalResult peeled = scf::peelForLoopFirstIteration(rewriter, loop, first);
  assert(succeeded(peeled) && "there are several iterations");
  (void)peeled;
  LogicalResult promoted = first.promoteIfSingleIteration(rewriter);
  assert(succeeded(promoted) && "bounds are constants");
  (void)promoted;
}

namespace {
struct PeelProductsPass
    : public gnn::impl::PeelProductsPassBase<PeelProductsPass> {
  using PeelProductsPassBase::PeelProductsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (trips && getConstantIntValue(loop.getLowerBound()) && trips->ugt(2) &&
          trips->ule(maxIterations) && addsProducts(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      bool isOdd = (*loop.getStaticTripCount())[0];
      peel(rewriter, loop);
      // The first products, with nothing added to them.
      for (OpOperand &init : loop.getInitArgsMutable()) {
        auto sum = init.get().getDefiningOp<vector::FMAOp>();
        rewriter.setInsertionPoint(sum);
        rewriter.replaceOpWithNewOp<arith::MulFOp>(sum, sum.getLhs(),
                                                   sum.getRhs());
      }
      // LLVM repeats bodies of an even number of iterations without a rest.
      if (!isOdd)
        peel(rewriter, loop);
      ++numLoops;
    }
  }
};
} // namespace
