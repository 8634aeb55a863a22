//===- LowerCopies.cpp - Copies of strided buffers as loops -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether a buffer of this type has no gaps.
static bool isContiguous(MemRefType type) {
  return type.getLayout().isIdentity() ||
         (type.hasStaticShape() &&
          type.areTrailingDimsContiguous(type.getRank()));
}

namespace {
struct LowerCopiesPass
    : public gnn::impl::LowerCopiesPassBase<LowerCopiesPass> {
  using LowerCopiesPassBase::LowerCopiesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      auto source = dyn_cast<MemRefType>(op.getSource().getType());
      auto target = dyn_cast<MemRefType>(op.getTarget().getType());
      // Contiguous buffers are copied by one memcpy.
      if (source && target &&
          (contiguous || !(isContiguous(source) && isContiguous(target))))
        copies.push_back(op);
    });
    for (memref::CopyOp op : copies) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, linalg::makeMemRefCopyOp(rewriter, op.getLoc(),
                                                      op.getSource(),
                                                      op.getTarget()));
    }
  }
};
} // namespace
