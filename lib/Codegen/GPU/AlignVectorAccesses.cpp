//===- AlignVectorAccesses.cpp - Vectors of a row at once -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ApplyPatterns.h"
#include "Alignment.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_ALIGNVECTORACCESSESPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether a vector of elements that follow each other in an array is accessed,
/// all of which are there.
template <typename TransferOp>
static bool isPlain(TransferOp op) {
  return isa<MemRefType>(op.getBase().getType()) &&
         op.getVectorType().getRank() == 1 &&
         op.getPermutationMap().isMinorIdentity() && !op.getMask() &&
         !op.hasOutOfBoundsDim();
}

/// Elements take whole bytes, too, and alignments are powers of two.
template <typename TransferOp>
static bool isAligned(TransferOp op) {
  int64_t size = op.getVectorType().getDimSize(0);
  Type element = op.getVectorType().getElementType();
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0 &&
         llvm::isPowerOf2_64(size * element.getIntOrFloatBitWidth()) &&
         isMultiple(op.getIndices().back(), size) &&
         getAlignment(op.getBase(), size) == size;
}

template <typename TransferOp>
static llvm::Align getBytes(TransferOp op) {
  VectorType type = op.getVectorType();
  return llvm::Align(type.getDimSize(0) * type.getElementTypeBitWidth() / 8);
}

/// The indices of a vector's element.
template <typename TransferOp>
static SmallVector<Value> getPlace(OpBuilder &b, TransferOp op, int64_t i) {
  SmallVector<Value> place(op.getIndices());
  Value offset = arith::ConstantIndexOp::create(b, op.getLoc(), i);
  place.back() = arith::AddIOp::create(b, op.getLoc(), place.back(), offset);
  return place;
}

namespace {
struct AlignVectorRead : public OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferReadOp read,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(read))
      return rewriter.notifyMatchFailure(
          read, "is no vector of elements that are there, next to each other");
    VectorType type = read.getVectorType();
    if (isAligned(read)) {
      rewriter.replaceOpWithNewOp<vector::LoadOp>(
          read, type, read.getBase(), read.getIndices(),
          /*nontemporal=*/false, getBytes(read));
      return success();
    }
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getDimSize(0); ++i)
      elements.push_back(memref::LoadOp::create(rewriter, read.getLoc(),
                                                read.getBase(),
                                                getPlace(rewriter, read, i)));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(read, type, elements);
    return success();
  }
};

struct AlignVectorWrite : public OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::TransferWriteOp write,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(write))
      return rewriter.notifyMatchFailure(
          write, "is no vector of elements that are there, next to each other");
    if (isAligned(write)) {
      rewriter.replaceOpWithNewOp<vector::StoreOp>(
          write, write.getVector(), write.getBase(), write.getIndices(),
          /*nontemporal=*/false, getBytes(write));
      return success();
    }
    for (int64_t i = 0; i < write.getVectorType().getDimSize(0); ++i) {
      Value element = vector::ExtractOp::create(rewriter, write.getLoc(),
                                                write.getVector(), i);
      memref::StoreOp::create(rewriter, write.getLoc(), element,
                              write.getBase(), getPlace(rewriter, write, i));
    }
    rewriter.eraseOp(write);
    return success();
  }
};

struct AlignVectorAccessesPass
    : public gnn::impl::AlignVectorAccessesPassBase<AlignVectorAccessesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AlignVectorRead, AlignVectorWrite>(&getContext());
    vector::ExtractOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
