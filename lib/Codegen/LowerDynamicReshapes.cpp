//===- LowerDynamicReshapes.cpp - Split unknown dimensions ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERDYNAMICRESHAPESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Splits one dimension into several of which more than one is dynamic.
static bool splitsIntoDynamic(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(
               group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  });
}

/// `value`, or what the type knows of it.
static OpFoldResult useStatic(OpBuilder &b, OpFoldResult value, int64_t known) {
  return ShapedType::isDynamic(known) ? value
                                      : OpFoldResult(b.getIndexAttr(known));
}

static void lower(RewriterBase &rewriter, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto source =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  MemRefType type = op.getResultType();
  auto [knownStrides, knownOffset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [group, stride] :
       llvm::zip(op.getReassociationIndices(), source.getStrides())) {
    // The innermost dimension has the stride of the one that is split.
    Value current = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = useStatic(rewriter, current, knownStrides[dim]);
      Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[dim]);
      current = arith::MulIOp::create(rewriter, loc, current, size);
    }
  }
  OpFoldResult offset = useStatic(rewriter, source.getOffset(), knownOffset);
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, type, source.getBaseBuffer(), offset, sizes, strides);
}

namespace {
struct LowerDynamicReshapesPass
    : public gnn::impl::LowerDynamicReshapesPassBase<LowerDynamicReshapesPass> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (splitsIntoDynamic(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::ExpandShapeOp op : ops)
      lower(rewriter, op);
  }
};
} // namespace
