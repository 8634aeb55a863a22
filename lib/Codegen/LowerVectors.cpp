//===- LowerVectors.cpp - Break vector ops down ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatterns.h"
#include "TransposeSteps.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct LowerVectorsPass
    : public gnn::impl::LowerVectorsPassBase<LowerVectorsPass> {
  using LowerVectorsPassBase::LowerVectorsPassBase;

  void runOnOperation() override {
    // Stage by stage: each works on the result of the one before.
    if (failed(apply([](RewritePatternSet &patterns) {
          vector::populateVectorMultiReductionLoweringPatterns(
              patterns, vector::VectorMultiReductionLowering::InnerReduction);
          vector::populateVectorContractLoweringPatterns(
              patterns, vector::VectorContractLowering::OuterProduct);
        })) ||
        failed(apply([&](RewritePatternSet &patterns) {
          vector::populateVectorTransferPermutationMapLoweringPatterns(
              patterns);
          // The first that fits: squares of 4 and 8, of 16, any matrix.
          populateTransposeStepPatterns(patterns, vectorWidth, /*benefit=*/2);
          vector::populateVectorTransposeLoweringPatterns(
              patterns, vector::VectorTransposeLowering::Shuffle16x16);
          vector::populateVectorBroadcastLoweringPatterns(patterns);
          vector::populateVectorOuterProductLoweringPatterns(patterns);
          // What is read for all elements is a number, not a vector of one.
          vector::populateScalarVectorTransferLoweringPatterns(
              patterns, /*benefit=*/1, /*allowMultipleUses=*/false);
        })) ||
        failed(apply([](RewritePatternSet &patterns) {
          VectorTransferToSCFOptions options;
          options.enableFullUnroll();
          populateVectorToSCFConversionPatterns(patterns, options);
        })) ||
        failed(apply([](RewritePatternSet &patterns) {
          vector::populateVectorShapeCastLoweringPatterns(patterns);
          vector::populateVectorTransferLoweringPatterns(patterns,
                                                         /*maxTransferRank=*/1);
          // Unrolled transfers compute their indices by affine.apply.
          populateAffineToStdConversionPatterns(patterns);
        })))
      signalPassFailure();
  }

private:
  LogicalResult apply(llvm::function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    return applyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
