//===- TabulateExponentials.cpp - Exponentials by a table -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With j the integer nearest to 32 x log2(e), e^x is 2^(j / 32) times 2^f of a
// fraction f of at most 1/64, on which a parabola is as good as floats are.
// The power of 2 is made of bits: those of 2^(k / 32), where k is the last five
// bits of j, from a table in two registers, and of the others for its exponent.
// (P. T. P. Tang, "Table-driven implementation of the exponential function in
// IEEE floating-point arithmetic", ACM TOMS 15(2), 1989.)
//
//===----------------------------------------------------------------------===//

#include "VectorParts.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace gnn {
#define GEN_PASS_DEF_TABULATEEXPONENTIALSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Elements of a register of AVX-512.
static constexpr int64_t lanes = 16;
/// Bits of an index into both registers of the table, and of a fraction.
static constexpr unsigned indexBits = 5;
static constexpr unsigned fractionBits = 23;
static constexpr int64_t tableSize = int64_t(1) << indexBits;

/// Exponents are counted by fours, so that numbers of the table are above 1 and
/// times any power of 2 that is a normal number are one.
static constexpr float unit = 4;
/// A sum with this number has a step, 1 / 32 by the unit, as its last bit, and
/// the last bits of the number itself are 0.
static constexpr float countsSteps = 0x1.8p16f;
/// 2^f is scale ((f / unit + shift)^2 + rest) to 1.3e-7 for |f| <= 1/64, and 1
/// for 0 when rounded. The shift is a number of steps, so that it takes no
/// addition.
static constexpr float shift = 1.4375f / unit;
static constexpr float rest = 0x1.0a66b6p+1f / (unit * unit);
static constexpr float scale = 0x1.edc58cp-3f * (unit * unit);
/// Below, a result is no normal number: -126 ln 2.
static constexpr float smallestExponent = -0x1.5d589ep+6f;

/// The bits of scale 2^(k / 32) for k from `first` on, less what k itself adds
/// to them.
static SmallVector<float> getTable(int64_t first) {
  SmallVector<float> table;
  for (int64_t k = first; k < first + lanes; ++k) {
    auto value = static_cast<float>(
        scale * std::exp2(static_cast<double>(k) / tableSize));
    uint32_t bits = llvm::bit_cast<uint32_t>(value);
    bits -= static_cast<uint32_t>(k) << (fractionBits - indexBits);
    table.push_back(llvm::bit_cast<float>(bits));
  }
  return table;
}

namespace {
/// Exponentials of registers.
class TableEmitter {
public:
  TableEmitter(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc),
        part(VectorType::get(lanes, builder.getF32Type())),
        bitsType(VectorType::get(lanes, builder.getI32Type())) {}

  /// e^x, or 0 where that is no normal number, if `mayBeSmall`: processors take
  /// a hundred times as long for these.
  Value emit(Value x, bool mayBeSmall) const;

private:
  Value emitNumber(float value) const {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(part, builder.getF32FloatAttr(value)));
  }
  Value emitTable(int64_t first) const {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(part, ArrayRef<float>(getTable(first))));
  }
  /// What the bits of `steps` say: a power of 2 times `scale`.
  Value emitPower(Value steps) const;
  Value multiplyAdd(Value a, Value b, Value c) const {
    return math::FmaOp::create(builder, loc, a, b, c);
  }

  OpBuilder &builder;
  Location loc;
  VectorType part, bitsType;
};

struct TabulateExponentialsPass
    : public gnn::impl::TabulateExponentialsPassBase<TabulateExponentialsPass> {
  using TabulateExponentialsPassBase::TabulateExponentialsPassBase;

  void runOnOperation() override;
};
} // namespace

Value TableEmitter::emitPower(Value steps) const {
  Value bits = arith::BitcastOp::create(builder, loc, bitsType, steps);
  Value entries =
      LLVM::CallIntrinsicOp::create(
          builder, loc, part,
          builder.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512"),
          ValueRange{emitTable(0), bits, emitTable(lanes)})
          .getResult(0);
  Value distance = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          bitsType, builder.getI32IntegerAttr(fractionBits - indexBits)));
  Value exponent = arith::ShLIOp::create(builder, loc, bits, distance);
  entries = arith::BitcastOp::create(builder, loc, bitsType, entries);
  Value sum = arith::AddIOp::create(builder, loc, entries, exponent);
  return arith::BitcastOp::create(builder, loc, part, sum);
}

Value TableEmitter::emit(Value x, bool mayBeSmall) const {
  Value log2e = emitNumber(llvm::numbers::log2ef / unit);
  Value steps = multiplyAdd(x, log2e, emitNumber(countsSteps));
  Value whole = arith::SubFOp::create(builder, loc, steps,
                                      emitNumber(countsSteps + shift));
  Value fraction =
      multiplyAdd(x, log2e, arith::NegFOp::create(builder, loc, whole));
  Value power = multiplyAdd(fraction, fraction, emitNumber(rest));
  Value result = arith::MulFOp::create(builder, loc, power, emitPower(steps));
  if (!mayBeSmall)
    return result;
  // NaN is not below.
  Value isNormal = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::UGE, x, emitNumber(smallestExponent));
  return arith::SelectOp::create(builder, loc, isNormal, result, emitNumber(0));
}

/// Whether an exponential in a softmax fills registers.
static bool hasWholeRegisters(math::ExpOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  return (op->hasAttr(GNNDialect::kNeverPositiveAttr) ||
          op->hasAttr(GNNDialect::kBoundedAttr)) &&
         type && type.getElementType().isF32() && !type.isScalable() &&
         type.getRank() == 1 && type.getNumElements() % lanes == 0;
}

void TabulateExponentialsPass::runOnOperation() {
  SmallVector<math::ExpOp> ops;
  getOperation()->walk([&](math::ExpOp op) {
    if (hasWholeRegisters(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (math::ExpOp op : ops) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    TableEmitter emitter(rewriter, loc);
    bool mayBeSmall = !op->hasAttr(GNNDialect::kBoundedAttr);
    auto type = cast<VectorType>(op.getType());
    SmallVector<Part> parts;
    for (int64_t begin = 0; begin < type.getNumElements(); begin += lanes)
      parts.push_back({begin, lanes});
    SmallVector<Value> registers =
        emitParts(rewriter, loc, op.getOperand(), parts);
    for (Value &x : registers)
      x = emitter.emit(x, mayBeSmall);
    Value result = emitWhole(rewriter, loc, type, {registers, parts});
    rewriter.replaceOp(op, result);
    ++numExponentials;
  }
}
