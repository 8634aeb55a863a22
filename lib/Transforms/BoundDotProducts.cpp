//===- BoundDotProducts.cpp - Attention without maxima ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax subtracts the maximum of its scores only to keep exponentials
// within the range of floats. No dot product is larger than the product of the
// lengths of both rows (Cauchy and Schwarz). Where the longest rows of a head
// have a product that is small enough, weights are exponentials of the scores
// as they are.
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

namespace gnn {
#define GEN_PASS_DEF_BOUNDDOTPRODUCTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether a row is met by so many others that a pass over all rows is no
/// matter.
static bool hasManySources(GNNGraphType graph) {
  return graph.getTopology() == Topology::Complete ||
         graph.getTopology() == Topology::Causal;
}

namespace {
class LengthEmitter {
public:
  LengthEmitter(OpBuilder &builder, Location loc, const EdgeFunction &score)
      : b(builder), loc(loc), score(score) {}

  /// Whether no dot product is further from 0 than `largest`.
  Value emitIsBounded(double largest) const;

private:
  /// `body` of an element of each input and what came of those before, along
  /// the loops that `result` does not have.
  Value emitReduced(
      ValueRange inputs, AffineMap result, ArrayRef<OpFoldResult> sizes,
      function_ref<Value(OpBuilder &, Location, ValueRange)> body) const;
  /// The square of the length of the longest row, for each head.
  Value emitLongest(Value rows) const;

  OpBuilder &b;
  Location loc;
  const EdgeFunction &score;
};
} // namespace

Value LengthEmitter::emitReduced(
    ValueRange inputs, AffineMap result, ArrayRef<OpFoldResult> sizes,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) const {
  unsigned numLoops = result.getNumDims();
  Type type = score.getResultElementType();
  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value init = linalg::FillOp::create(
                   b, loc, zero,
                   tensor::EmptyOp::create(b, loc, sizes, type).getResult())
                   .getResult(0);
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(numLoops));
  maps.push_back(result);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    iterators.push_back(result.isFunctionOfDim(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, maps, iterators,
             [&](OpBuilder &builder, Location l, ValueRange args) {
               linalg::YieldOp::create(builder, l, body(builder, l, args));
             })
      .getResult(0);
}

Value LengthEmitter::emitLongest(Value rows) const {
  MLIRContext *context = b.getContext();
  unsigned numLoops = score.getNumLoops() + 1;
  SmallVector<AffineExpr> kept{b.getAffineDimExpr(0)};
  for (AffineExpr expr : score.resultMap.getResults())
    kept.push_back(expr.shiftDims(score.getNumLoops(), 1));
  SmallVector<OpFoldResult> heads =
      getAsIndexOpFoldResult(context, score.getResultShape());
  SmallVector<OpFoldResult> sizes(heads);
  sizes.insert(sizes.begin(), tensor::getMixedSize(b, loc, rows, 0));
  Value squares =
      emitReduced(rows, AffineMap::get(numLoops, 0, kept, context), sizes,
                  [](OpBuilder &builder, Location l, ValueRange args) -> Value {
                    Value square =
                        arith::MulFOp::create(builder, l, args[0], args[0]);
                    return arith::AddFOp::create(builder, l, args[1], square);
                  });
  AffineMap perHead = b.getMultiDimIdentityMap(sizes.size()).dropResult(0);
  return emitReduced(squares, perHead, heads,
                     [](OpBuilder &builder, Location l, ValueRange args) {
                       return arith::MaximumFOp::create(builder, l, args[1],
                                                        args[0])
                           .getResult();
                     });
}

Value LengthEmitter::emitIsBounded(double largest) const {
  Value destinations = score.operands[0], sources = score.operands[1];
  Value ofDestinations = emitLongest(destinations);
  Value ofSources =
      destinations == sources ? ofDestinations : emitLongest(sources);
  AffineMap ofAll =
      AffineMap::get(score.getResultShape().size(), 0, b.getContext());
  Value bound = emitReduced(
      {ofDestinations, ofSources}, ofAll, {},
      [](OpBuilder &builder, Location l, ValueRange args) {
        Value product = arith::MulFOp::create(builder, l, args[0], args[1]);
        return arith::MaximumFOp::create(builder, l, args[2], product)
            .getResult();
      });
  bound = tensor::ExtractOp::create(b, loc, bound, ValueRange());
  Value limit = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(score.getResultElementType(), largest * largest));
  // Not so where one is NaN.
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, bound, limit);
}

namespace {
struct BoundDotProductsPass
    : public gnn::impl::BoundDotProductsPassBase<BoundDotProductsPass> {
  using BoundDotProductsPassBase::BoundDotProductsPassBase;

  void runOnOperation() override {
    // What the op promises to its conversions.
    if (std::isnan(maxScore) || maxScore <= 0 || maxScore > 80) {
      getOperation().emitError("max-score must be above 0 and at most 80");
      return signalPassFailure();
    }
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      if (op.getNormalization() == Normalization::Softmax && !op.getBounded() &&
          hasManySources(op.getGraph().getType()))
        ops.push_back(op);
    });
    for (AttentionOp op : ops) {
      EdgeFunction score = op.getScoreFunction();
      if (!score.isDotProduct() || !score.getResultElementType().isF32())
        continue;
      OpBuilder builder(op);
      LengthEmitter lengths(builder, op.getLoc(), score);
      op.getBoundedMutable().assign(lengths.emitIsBounded(maxScore));
      ++numBounded;
    }
  }
};
} // namespace
