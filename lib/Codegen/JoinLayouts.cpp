//===- JoinLayouts.cpp - Layouts of what is chosen --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_JOINLAYOUTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The buffer that `value` is, whatever less its type says.
static Value getCastSource(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  return value;
}

static int64_t join(int64_t left, int64_t right) {
  return left == right ? left : ShapedType::kDynamic;
}

/// What is known of a buffer that is `left` or `right`; null if there is no
/// type for that.
static MemRefType getJoined(Value left, Value right) {
  auto leftType = dyn_cast<MemRefType>(left.getType());
  auto rightType = dyn_cast<MemRefType>(right.getType());
  if (!leftType || !rightType || leftType == rightType ||
      leftType.getRank() != rightType.getRank())
    return leftType == rightType ? leftType : MemRefType();
  SmallVector<int64_t> strides, otherStrides, shape;
  int64_t offset, otherOffset;
  if (failed(leftType.getStridesAndOffset(strides, offset)) ||
      failed(rightType.getStridesAndOffset(otherStrides, otherOffset)))
    return {};
  for (auto [stride, other] : llvm::zip(strides, otherStrides))
    stride = join(stride, other);
  for (auto [size, other] :
       llvm::zip(leftType.getShape(), rightType.getShape()))
    shape.push_back(join(size, other));
  offset = join(offset, otherOffset);
  MemRefLayoutAttrInterface layout;
  // Elements in a row have no other layout.
  if (strides != ArrayRef<int64_t>{1} || offset != 0)
    layout = StridedLayoutAttr::get(leftType.getContext(), offset, strides);
  return MemRefType::get(shape, leftType.getElementType(), layout,
                         leftType.getMemorySpace());
}

/// The type that a choice between `left` and `right` should have; null if
/// `type`, which it has, is no worse.
static MemRefType getBetter(Type type, Value left, Value right) {
  auto chosen = dyn_cast<MemRefType>(type);
  if (!chosen || chosen.getLayout().isIdentity())
    return {};
  MemRefType joined = getJoined(left, right);
  if (!joined || joined == chosen ||
      !memref::CastOp::areCastCompatible(joined, chosen))
    return {};
  return joined;
}

static Value emitCast(RewriterBase &rewriter, Location loc, MemRefType type,
                      Value value) {
  return value.getType() == type
             ? value
             : memref::CastOp::create(rewriter, loc, type, value).getResult();
}

static void joinLayouts(RewriterBase &rewriter, arith::SelectOp select) {
  Value left = getCastSource(select.getTrueValue());
  Value right = getCastSource(select.getFalseValue());
  MemRefType type = getBetter(select.getType(), left, right);
  if (!type)
    return;
  Location loc = select.getLoc();
  rewriter.setInsertionPoint(select);
  left = emitCast(rewriter, loc, type, left);
  right = emitCast(rewriter, loc, type, right);
  Value chosen = arith::SelectOp::create(rewriter, loc, select.getCondition(),
                                         left, right);
  rewriter.replaceOpWithNewOp<memref::CastOp>(select, select.getType(), chosen);
}

static void joinLayouts(RewriterBase &rewriter, scf::IfOp choice) {
  for (OpResult result : choice.getResults()) {
    OpOperand &thenUse =
        choice.thenYield()->getOpOperand(result.getResultNumber());
    OpOperand &elseUse =
        choice.elseYield()->getOpOperand(result.getResultNumber());
    MemRefType type = getBetter(result.getType(), getCastSource(thenUse.get()),
                                getCastSource(elseUse.get()));
    if (!type)
      continue;
    for (OpOperand *use : {&thenUse, &elseUse}) {
      rewriter.setInsertionPoint(use->getOwner());
      use->set(emitCast(rewriter, use->getOwner()->getLoc(), type,
                        getCastSource(use->get())));
    }
    rewriter.setInsertionPointAfter(choice);
    auto cast = memref::CastOp::create(rewriter, choice.getLoc(),
                                       result.getType(), result);
    rewriter.replaceAllUsesExcept(result, cast, cast);
    result.setType(type);
  }
}

namespace {
struct JoinLayoutsPass
    : public gnn::impl::JoinLayoutsPassBase<JoinLayoutsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner choices first, which outer ones may yield.
    getOperation()->walk([&](Operation *op) {
      if (auto select = dyn_cast<arith::SelectOp>(op))
        joinLayouts(rewriter, select);
      else if (auto choice = dyn_cast<scf::IfOp>(op))
        joinLayouts(rewriter, choice);
    });
  }
};
} // namespace
