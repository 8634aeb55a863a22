//===- RoundProducts.cpp - Factors of products in fewer bits ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "RoundTF32.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_ROUNDPRODUCTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// `value` rounded to `type`; what it was extended from, if it was.
static Value round(OpBuilder &builder, Location loc, Value value, Type type) {
  Value exact = getConverted<arith::ExtFOp>(value);
  if (exact && getElementTypeOrSelf(exact) == type)
    return exact;
  return convertElements<arith::TruncFOp>(builder, loc, value, type);
}

/// Whether rows of results are independent loops, or are part of one. Sums over
/// all nodes would have to be divided among threads.
static bool isRowByRow(linalg::LinalgOp op, const MatrixProduct &product) {
  return !product.isTransposed || op->getParentOfType<scf::ForallOp>();
}

/// Whether it multiplies by weights of float32, several matrices side by side.
static bool multipliesSeveralWeights(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !addsProducts(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->batch.empty() && dims->m.size() == 1 &&
         dims->n.size() == 1 && dims->k.size() == 1 &&
         llvm::all_of(
             op->getOperandTypes(),
             [](Type type) { return getElementTypeOrSelf(type).isF32(); }) &&
         llvm::any_of(op.getDpsInputs(), [](Value factor) {
           return cast<RankedTensorType>(factor.getType()).hasStaticShape();
         });
}

/// What factors of fewer bits are stored as; null for tf32.
static Type getFactorType(Builder &b, Precision precision) {
  switch (precision) {
  case Precision::BFloat16:
    return b.getBF16Type();
  case Precision::Float16:
    return b.getF16Type();
  case Precision::TF32:
  case Precision::Float32:
    return Type();
  }
  llvm_unreachable("unknown precision");
}

/// The same sum of products, of rounded factors.
static Value roundFactors(IRRewriter &rewriter, linalg::LinalgOp op,
                          Precision precision) {
  Location loc = op.getLoc();
  Type factorType = getFactorType(rewriter, precision);
  SmallVector<Value> factors;
  for (OpOperand *factor : op.getDpsInputOperands())
    factors.push_back(factorType
                          ? round(rewriter, loc, factor->get(), factorType)
                          : factor->get());
  Value init = op.getDpsInits()[0];
  return linalg::GenericOp::create(
             rewriter, loc, TypeRange{init.getType()}, factors, init,
             op.getIndexingMapsArray(), op.getIteratorTypesArray(),
             [&](OpBuilder &b, Location l, ValueRange args) {
               auto use = [&](Value factor) -> Value {
                 if (!factorType)
                   return roundToTF32(b, l, factor);
                 return arith::ExtFOp::create(b, l, args[2].getType(), factor);
               };
               Value left = use(args[0]);
               Value right = use(args[1]);
               Value product = arith::MulFOp::create(b, l, left, right);
               Value sum = arith::AddFOp::create(b, l, args[2], product);
               linalg::YieldOp::create(b, l, sum);
             })
      .getResult(0);
}

namespace {
struct RoundProductsPass
    : public gnn::impl::RoundProductsPassBase<RoundProductsPass> {
  using RoundProductsPassBase::RoundProductsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      bool isSingle = succeeded(product) && !product->isRounded &&
                      canRoundFactors(*product) && isRowByRow(op, *product);
      if (isSingle || (severalWeights && multipliesSeveralWeights(op)))
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : products) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, roundFactors(rewriter, op, factors));
      ++numRounded;
    }
  }
};
} // namespace
