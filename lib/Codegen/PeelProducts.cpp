//===- PeelProducts.cpp - Sums that begin with their products ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
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

/// A copy of the loop's body before the loop, which begins one iteration later
/// from what the copy computes.
static void peel(RewriterBase &rewriter, scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  IRMapping copies;
  copies.map(loop.getInductionVar(), loop.getLowerBound());
  copies.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator())
    rewriter.clone(op, copies);
  Value next = arith::AddIOp::create(rewriter, loop.getLoc(),
                                     loop.getLowerBound(), loop.getStep());
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(next);
    for (auto [init, yielded] :
         llvm::zip_equal(loop.getInitArgsMutable(), loop.getYieldedValues()))
      init.set(copies.lookup(yielded));
  });
}

namespace {
struct PeelProductsPass
    : public gnn::impl::PeelProductsPassBase<PeelProductsPass> {
  using PeelProductsPassBase::PeelProductsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (trips && trips->ugt(2) && trips->ule(maxIterations) &&
          addsProducts(loop))
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
