//===- SeparateOffsets.cpp - Constant parts of addresses --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_SEPARATEOFFSETSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

namespace {
/// A number as `base` (nothing: zero) and a constant, modulo 2^64.
struct Sum {
  Value base;
  uint64_t offset = 0;
};

/// Numbers of 64 bits as such sums. The ops that make a base are put where the
/// number is made, so that they stay out of the loops that it stays out of.
class Separator {
public:
  explicit Separator(MLIRContext *context) : builder(context) {}

  Sum separate(Value value);

private:
  Sum separateResult(Operation *op);

  OpBuilder builder;
  llvm::DenseMap<Value, Sum> known;
};
} // namespace

static std::optional<uint64_t> getNumber(Value value) {
  IntegerAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  return number.getValue().getZExtValue();
}

Sum Separator::separate(Value value) {
  if (std::optional<uint64_t> number = getNumber(value))
    return {Value(), *number};
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  Sum sum = op ? separateResult(op) : Sum{value};
  // A number as it is, where nothing comes off.
  if (sum.offset == 0)
    sum = {value};
  known.try_emplace(value, sum);
  return sum;
}

Sum Separator::separateResult(Operation *op) {
  Value value = op->getResult(0);
  if (auto add = dyn_cast<LLVM::AddOp>(op)) {
    Sum left = separate(add.getLhs()), right = separate(add.getRhs());
    uint64_t offset = left.offset + right.offset;
    if (offset == 0)
      return {value};
    if (!left.base || !right.base)
      return {left.base ? left.base : right.base, offset};
    builder.setInsertionPointAfter(op);
    return {LLVM::AddOp::create(builder, op->getLoc(), left.base, right.base),
            offset};
  }
  if (auto multiply = dyn_cast<LLVM::MulOp>(op)) {
    Sum factor = separate(multiply.getLhs());
    std::optional<uint64_t> scale = getNumber(multiply.getRhs());
    if (!scale || factor.offset == 0 || !factor.base)
      return {value};
    builder.setInsertionPointAfter(op);
    return {LLVM::MulOp::create(builder, op->getLoc(), factor.base,
                                multiply.getRhs()),
            factor.offset * *scale};
  }
  return {value};
}

namespace {
struct SeparateOffsetsPass
    : public gnn::impl::SeparateOffsetsPassBase<SeparateOffsetsPass> {
  void runOnOperation() override {
    Separator separator(&getContext());
    getOperation().walk([&](LLVM::GEPOp gep) {
      // Of the arrays that buffers are.
      ArrayRef<int32_t> constants = gep.getRawConstantIndices();
      if (constants.size() != 1 || gep.getDynamicIndices().size() != 1 ||
          !gep.getDynamicIndices()[0].getType().isInteger(64) ||
          !isa<LLVM::LLVMPointerType>(gep.getType()))
        return;
      Sum index = separator.separate(gep.getDynamicIndices()[0]);
      int64_t offset = index.offset;
      if (offset == 0 || !index.base || !llvm::isInt<31>(offset))
        return;
      // Only the whole of it is known to be inside of the array.
      OpBuilder builder(gep);
      Value row = LLVM::GEPOp::create(builder, gep.getLoc(), gep.getType(),
                                      gep.getElemType(), gep.getBase(),
                                      LLVM::GEPArg(index.base));
      Value element = LLVM::GEPOp::create(
          builder, gep.getLoc(), gep.getType(), gep.getElemType(), row,
          LLVM::GEPArg(static_cast<int32_t>(offset)));
      gep.replaceAllUsesWith(element);
      gep.erase();
    });
  }
};
} // namespace
