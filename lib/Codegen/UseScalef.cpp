//===- UseScalef.cpp - Exponentials of softmaxes by AVX-512 -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_USESCALEFPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Elements of a register of AVX-512.
static constexpr int64_t lanes = 16;

namespace {
/// Powers of the elements of one vector, a register at a time.
class PowerEmitter {
public:
  PowerEmitter(OpBuilder &builder, Location loc, VectorType type)
      : builder(builder), loc(loc), type(type),
        part(VectorType::get(lanes, type.getElementType())) {}

  /// 2^exponent.
  Value emitPowerOf2(Value exponent) const;
  /// e^exponent, not of the rounded product exponent * log2(e).
  Value emitPowerOfE(Value exponent) const;
  Value emitNumber(VectorType ofType, float value) const {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(ofType, builder.getF32FloatAttr(value)));
  }

private:
  Value emitParts(Value operand, function_ref<Value(Value)> emitPart) const;
  Value emitPolynomial(Value x, ArrayRef<float> coefficients) const;
  Value emitNumber(float value) const { return emitNumber(part, value); }
  Value multiplyAdd(Value a, Value b, Value c) const {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  /// fraction * 2^floor(exponent), or 0 where `limited` is below `limit`.
  /// Results below the smallest normal number would take a hundred times as
  /// long.
  Value emitScaled(Value fraction, Value exponent, Value limited,
                   float limit) const;
  /// A call that rounds as the processor does, on all lanes.
  Value emitCall(StringRef name, ArrayRef<Value> operands) const;

  OpBuilder &builder;
  Location loc;
  VectorType type, part;
};

struct UseScalefPass : public gnn::impl::UseScalefPassBase<UseScalefPass> {
  using UseScalefPassBase::UseScalefPassBase;

  void runOnOperation() override;
};
} // namespace

Value PowerEmitter::emitParts(Value operand,
                              function_ref<Value(Value)> emitPart) const {
  if (type == part)
    return emitPart(operand);
  Value result = emitNumber(type, 0);
  for (int64_t offset = 0; offset < type.getNumElements(); offset += lanes) {
    Value slice = vector::ExtractStridedSliceOp::create(
        builder, loc, operand, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
    result = vector::InsertStridedSliceOp::create(
        builder, loc, emitPart(slice), result, ArrayRef<int64_t>{offset},
        ArrayRef<int64_t>{1});
  }
  return result;
}

/// 1 + x (c1 + x (c2 + ...)), the last coefficient first.
Value PowerEmitter::emitPolynomial(Value x,
                                   ArrayRef<float> coefficients) const {
  Value sum = emitNumber(coefficients.front());
  for (float coefficient : coefficients.drop_front())
    sum = multiplyAdd(sum, x, emitNumber(coefficient));
  return multiplyAdd(sum, x, emitNumber(1));
}

Value PowerEmitter::emitCall(StringRef name, ArrayRef<Value> operands) const {
  auto constant = [&](IntegerType ofType, int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getIntegerAttr(ofType, value));
  };
  SmallVector<Value> all(operands);
  all.append({emitNumber(0), constant(builder.getI16Type(), -1),
              // The rounding of the control register.
              constant(builder.getI32Type(), 4)});
  return LLVM::CallIntrinsicOp::create(builder, loc, part,
                                       builder.getStringAttr(name), all)
      .getResult(0);
}

Value PowerEmitter::emitScaled(Value fraction, Value exponent, Value limited,
                               float limit) const {
  Value scaled =
      emitCall("llvm.x86.avx512.mask.scalef.ps.512", {fraction, exponent});
  // NaN is not below.
  Value isNormal = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::UGE, limited, emitNumber(limit));
  return arith::SelectOp::create(builder, loc, isNormal, scaled, emitNumber(0));
}

Value PowerEmitter::emitPowerOf2(Value exponent) const {
  return emitParts(exponent, [&](Value x) {
    // x - floor(x), and 0 of an infinite x.
    Value down =
        LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
    Value fraction = emitCall("llvm.x86.avx512.mask.reduce.ps.512", {x, down});
    // The polynomial of degree 5 with a constant term of 1 that is nearest to
    // 2^x on [0, 1]: its relative error is 8.3e-8.
    Value power = emitPolynomial(fraction, {0x1.e974fap-10f, 0x1.277856p-7f,
                                            0x1.c91ce6p-5f, 0x1.ebdb56p-3f,
                                            0x1.62e4bap-1f});
    return emitScaled(power, x, x, -126);
  });
}

Value PowerEmitter::emitPowerOfE(Value exponent) const {
  return emitParts(exponent, [&](Value x) {
    // The sum is so large that its last bit counts ones.
    Value large = emitNumber(0x1.8p23f);
    Value log2e = emitNumber(llvm::numbers::log2ef);
    Value n = arith::SubFOp::create(builder, loc, multiplyAdd(x, log2e, large),
                                    large);
    Value fraction =
        multiplyAdd(x, log2e, arith::NegFOp::create(builder, loc, n));
    // As above, nearest on [-1/2, 1/2]: 9.2e-8.
    Value power = emitPolynomial(fraction, {0x1.5bba14p-10f, 0x1.3cea88p-7f,
                                            0x1.c6b752p-5f, 0x1.ebf9bcp-3f,
                                            0x1.62e42ap-1f});
    // Above -126 ln 2.
    return emitScaled(power, n, x, -0x1.5d589ep+6f);
  });
}

/// The vector type of an exponential in a softmax that fills registers.
static VectorType getWholeRegisters(math::ExpOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  bool isWhole = op->hasAttr(GNNDialect::kNeverPositiveAttr) && type &&
                 type.getElementType().isF32() && !type.isScalable() &&
                 type.getRank() == 1 && type.getNumElements() % lanes == 0;
  return isWhole ? type : VectorType();
}

/// Whether `difference` takes a number from those that a loop reads, such as
/// the maximum of a row from its scores.
static bool isInLoop(arith::SubFOp difference) {
  return difference &&
         difference->getBlock() != difference.getRhs().getParentBlock();
}

void UseScalefPass::runOnOperation() {
  SmallVector<math::ExpOp> ops;
  getOperation()->walk([&](math::ExpOp op) {
    if (getWholeRegisters(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (math::ExpOp op : ops) {
    rewriter.setInsertionPoint(op);
    VectorType type = getWholeRegisters(op);
    PowerEmitter emitter(rewriter, op.getLoc(), type);
    Value x = op.getOperand();
    if (isInLoop(x.getDefiningOp<arith::SubFOp>())) {
      Value log2e = emitter.emitNumber(type, llvm::numbers::log2ef);
      // Not s log2(e) - m log2(e) in one multiply-add: where a mask makes m as
      // large as 1e10, the error of rounding its product is more than any
      // exponent.
      Value exponent = arith::MulFOp::create(rewriter, op.getLoc(), x, log2e);
      rewriter.replaceOp(op, emitter.emitPowerOf2(exponent));
    } else {
      rewriter.replaceOp(op, emitter.emitPowerOfE(x));
    }
    ++numExponentials;
  }
}
