//===- SpreadToSCF.cpp - Listed edge values on denser graphs ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

/// Adds the value of a listed edge to the entry of its source in a row.
static Value emitAddition(OpBuilder &builder, Location loc, Value rowTensor,
                          Value entry, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Value old = emitRowSlice(builder, loc, rowTensor, {entry});
  Value sum =
      emitElementwise(builder, loc, type.getShape(), value, {identity}, old,
                      [](OpBuilder &b, Location l, ValueRange v) {
                        return SmallVector<Value>{emitAdd(b, l, v[1], v[0])};
                      })
          .front();
  SliceParameters slice = getRowSlice(
      builder, cast<RankedTensorType>(rowTensor.getType()), {entry}, {}, {});
  return tensor::InsertSliceOp::create(
      builder, loc, sum, rowTensor, slice.offsets, slice.sizes, slice.strides);
}

namespace {
struct LowerSpreadEdges : public OpRewritePattern<SpreadEdgesOp> {
  LowerSpreadEdges(MLIRContext *context, bool inParallel)
      : OpRewritePattern(context), inParallel(inParallel) {}

  LogicalResult matchAndRewrite(SpreadEdgesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    EdgesType edges = op.getResult().getType();
    GNNGraphType target = op.getTarget().getType();
    bool isDense = target.hasDenseEdges();
    RowAccess listed(rewriter, loc, op.getGraph(), inParallel);
    RowAccess rows(rewriter, loc, op.getTarget(), inParallel);
    Value values = EdgesToTensorOp::create(
        rewriter, loc, edges.getTensorType(op.getGraph().getType()),
        op.getGraph(), op.getEdges());
    Value empty = emitEdgeTensor(rewriter, loc, rows, target, edges);
    auto type = cast<RankedTensorType>(empty.getType());
    Value zero = emitScalar(rewriter, loc, edges.getElementType(), 0);
    if (inParallel)
      empty = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);

    auto emitRow = [&](OpBuilder &b, Location l, Value row,
                       ValueRange outputs) {
      auto [first, last] = rows.getRange(b, l, row);
      EdgeRow part = getEdgeRow(b, l, rows, type, isDense, row, first, last);
      Value rowTensor = part.extract(b, l, outputs[0]);
      if (!inParallel)
        rowTensor = linalg::FillOp::create(b, l, zero, rowTensor).getResult(0);
      Value count = arith::SubIOp::create(b, l, last, first);
      auto [begin, end] = listed.getRange(b, l, row);
      auto loop = scf::ForOp::create(
          b, l, begin, end, emitOne(b, l), ValueRange{rowTensor},
          [&](OpBuilder &bb, Location ll, Value position, ValueRange args) {
            EdgePosition edge = listed.getEdge(bb, ll, row, position);
            Value value = emitRowSlice(bb, ll, values, edge.indices);
            Value entry =
                arith::SubIOp::create(bb, ll, edge.source, part.first);
            Value result;
            if (isDense) {
              // Pairs that are no edges have an entry all the same.
              result = emitAddition(bb, ll, args[0], entry, value);
            } else {
              // One comparison: an entry before the first wraps around.
              Value isInside = arith::CmpIOp::create(
                  bb, ll, arith::CmpIPredicate::ult, entry, count);
              auto choice = scf::IfOp::create(
                  bb, ll, isInside,
                  [&](OpBuilder &inner, Location il) {
                    scf::YieldOp::create(
                        inner, il,
                        emitAddition(inner, il, args[0], entry, value));
                  },
                  [&](OpBuilder &inner, Location il) {
                    scf::YieldOp::create(inner, il, args[0]);
                  });
              result = choice.getResult(0);
            }
            scf::YieldOp::create(bb, ll, result);
          });
      part.insert(b, l, loop.getResult(0), outputs[0]);
    };
    Value filled = emitRowLoop(rewriter, loc, rows, empty, emitRow).front();
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getTarget(),
                                                   filled);
    return success();
  }

private:
  bool inParallel;
};
} // namespace

void gnn::populateSpreadToSCFPatterns(RewritePatternSet &patterns,
                                      bool parallelEdges) {
  patterns.add<LowerSpreadEdges>(patterns.getContext(), parallelEdges);
}
