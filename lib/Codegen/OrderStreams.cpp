//===- OrderStreams.cpp - Lines past the caches as a whole ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_ORDERSTREAMSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A store past the caches by one store for each register, which LLVM keeps in
/// this order because they are volatile.
struct CutStore : public OpRewritePattern<LLVM::StoreOp> {
  CutStore(MLIRContext *context, int64_t vectorBits)
      : OpRewritePattern(context), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(LLVM::StoreOp store,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(store.getValue().getType());
    if (!type || type.isScalable() || !store.getNontemporal() ||
        store.getVolatile_())
      return failure();
    Type element = type.getElementType();
    int64_t elementBits = element.getIntOrFloatBitWidth();
    int64_t size = type.getNumElements();
    int64_t ofPart = std::max<int64_t>(1, vectorBits / elementBits);
    Location loc = store.getLoc();
    for (int64_t begin = 0; begin < size; begin += ofPart) {
      int64_t end = std::min(size, begin + ofPart);
      Value part = store.getValue();
      if (end - begin < size) {
        auto elements = llvm::to_vector(llvm::seq<int32_t>(begin, end));
        part =
            LLVM::ShuffleVectorOp::create(rewriter, loc, part, part, elements);
      }
      Value place = store.getAddr();
      if (begin > 0)
        place = LLVM::GEPOp::create(
            rewriter, loc, place.getType(), element, place,
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(begin)});
      uint64_t alignment =
          llvm::MinAlign(store.getAlignment().value_or(elementBits / 8),
                         begin * elementBits / 8);
      LLVM::StoreOp::create(rewriter, loc, part, place, alignment,
                            /*isVolatile=*/true, /*isNonTemporal=*/true);
    }
    rewriter.eraseOp(store);
    return success();
  }

  int64_t vectorBits;
};

struct OrderStreamsPass
    : public gnn::impl::OrderStreamsPassBase<OrderStreamsPass> {
  using OrderStreamsPassBase::OrderStreamsPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1) {
      getOperation().emitError("vector-width must be at least 1");
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<CutStore>(&getContext(), 32 * vectorWidth);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
