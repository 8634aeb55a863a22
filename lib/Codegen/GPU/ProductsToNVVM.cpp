//===- ProductsToNVVM.cpp - Products of 16-bit fragments --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_PRODUCTSTONVVMPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct HalfWordProduct : public OpRewritePattern<nvgpu::MmaSyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nvgpu::MmaSyncOp op,
                                PatternRewriter &rewriter) const override;
};

struct ProductsToNVVMPass
    : public gnn::impl::ProductsToNVVMPassBase<ProductsToNVVMPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HalfWordProduct>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

LogicalResult
HalfWordProduct::matchAndRewrite(nvgpu::MmaSyncOp op,
                                 PatternRewriter &rewriter) const {
  auto type = dyn_cast<VectorType>(op.getType());
  Type element = op.getMatrixA().getType().getElementType();
  if ((!element.isBF16() && !element.isF16()) || !type ||
      !type.getElementType().isF32() ||
      type.getShape() != ArrayRef<int64_t>{2, 2})
    return rewriter.notifyMatchFailure(op, "the conversion has these");
  Location loc = op.getLoc();
  Type word = rewriter.getI32Type();
  // Two factors are a register, of bfloat16 without saying so.
  auto getWords = [&](Value fragment) {
    SmallVector<Value> words;
    int64_t count = cast<VectorType>(fragment.getType()).getDimSize(0);
    for (int64_t i = 0; i < count; ++i) {
      Value pair = vector::ExtractOp::create(rewriter, loc, fragment, i);
      words.push_back(element.isF16()
                          ? pair
                          : LLVM::BitcastOp::create(rewriter, loc, word, pair));
    }
    return words;
  };
  SmallVector<Value> first = getWords(op.getMatrixA());
  SmallVector<Value> second = getWords(op.getMatrixB());
  SmallVector<Value> sums;
  for (int64_t i = 0; i < 4; ++i)
    sums.push_back(vector::ExtractOp::create(rewriter, loc, op.getMatrixC(),
                                             ArrayRef<int64_t>{i / 2, i % 2}));
  Type f32 = rewriter.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(rewriter.getContext(),
                                                 {f32, f32, f32, f32});
  std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
  using NVVM::MMALayout, NVVM::MMATypes;
  MMATypes factors = element.isF16() ? MMATypes::f16 : MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      rewriter, loc, result, first, second, sums, shape, /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt, std::array<MMATypes, 2>{factors, factors},
      std::array<MMALayout, 2>{MMALayout::row, MMALayout::col});
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 4; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(rewriter, loc, product, i));
  rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
  return success();
}
