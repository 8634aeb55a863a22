//===- TabulateExponentials.cpp - Exponentials by a table -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With j the integer nearest to N x log2(e), or to N x for powers of 2, e^x is
// 2^(j / N) times 2^f of a fraction f of at most 1/2N, on which a polynomial of
// low degree is as good as floats are. The power of 2 is made of bits: those of
// 2^(k / N), where k is the last bits of j, from a table in registers, and of
// the others for its exponent. (P. T. P. Tang, "Table-driven implementation of
// the exponential function in IEEE floating-point arithmetic", ACM TOMS 15(2),
// 1989.)
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

static constexpr unsigned fractionBits = 23;
/// Below, 2^x and e^x are no normal numbers: -126, and that times ln 2.
static constexpr float smallestPower = -126;
static constexpr float smallestExponent = -0x1.5d589ep+6f;

namespace {
/// A table of 2^(k / N), and what is nearest to 2^f for |f| <= 1/2N and is 1
/// for 0 when rounded: scale (w^2 + rest) of w = f / unit + shift or, with a
/// root, scale (w^2 + rest) (w + root), for powers of e of w = (f + shift unit)
/// ln 2. That has a factor that is nearer to a float than log2(e) is.
struct Table {
  /// Exponents of 2 are counted by so many. By fours, numbers of the table are
  /// above 1 and times any power of 2 that is a normal number are one; by ones,
  /// or with a root, results near the smallest normal number would lose digits:
  /// that is for bounded exponents.
  float unit;
  /// Elements of a register.
  int64_t lanes;
  /// Bits of k: of an index into a register, or into two.
  unsigned indexBits;
  /// The instruction that looks up.
  StringLiteral lookup;
  /// A sum with this number has a step, 1/N by the unit, as its last bit, and
  /// the last bits of the number itself are 0.
  float countsSteps;
  /// A number of steps, so that it takes no addition.
  float shift;
  float rest;
  std::optional<float> root;
  float scale;

  /// Whether there are more numbers than a register has elements.
  bool hasTwoRegisters() const { return lanes < int64_t(1) << indexBits; }
  /// The bits of scale 2^(k / N) for the elements of a register from k =
  /// `first` on, less what k itself adds to them.
  SmallVector<float> getElements(int64_t first) const;
};
} // namespace

/// 32 numbers in two registers of AVX-512: 2^f to 1.3e-7 by a parabola.
static constexpr Table wideTableOfPowers = {
    /*unit=*/1,
    /*lanes=*/16,
    /*indexBits=*/5,
    "llvm.x86.avx512.vpermi2var.ps.512",
    /*countsSteps=*/0x1.8p18f,
    /*shift=*/1.4375f,
    /*rest=*/0x1.0a66b6p+1f,
    /*root=*/std::nullopt,
    /*scale=*/0x1.edc58cp-3f};

/// The same table without a root, of exponents by fours.
static constexpr Table countByFours(Table table) {
  table.unit *= 4;
  table.countsSteps /= 4;
  table.shift /= 4;
  table.rest /= 16;
  table.scale *= 16;
  return table;
}
static constexpr Table wideTable = countByFours(wideTableOfPowers);

/// Four numbers in each half of a register of AVX, as its instruction looks up
/// within halves: 2^f to 6.1e-7 by a cubic of one real root.
static constexpr Table narrowTable = {
    /*unit=*/4,
    /*lanes=*/8,
    /*indexBits=*/2,
    "llvm.x86.avx.vpermilvar.ps.256",
    /*countsSteps=*/0x1.8p19f,
    /*shift=*/1.0f / 4,
    /*rest=*/0x1.a1ad02p+1f,
    /*root=*/0x1.ca38aep-1f,
    /*scale=*/0x1.587b4ap-3f};
/// The same for powers of 2, to 6.4e-7: a search around the best real numbers
/// for those that are best as floats.
static constexpr Table narrowTableOfPowers = {
    /*unit=*/1,
    /*lanes=*/8,
    /*indexBits=*/2,
    "llvm.x86.avx.vpermilvar.ps.256",
    /*countsSteps=*/0x1.8p21f,
    /*shift=*/1.0f,
    /*rest=*/0x1.b2a786p+2f,
    /*root=*/0x1.4a8c16p+0f,
    /*scale=*/0x1.cae37ap-5f};

SmallVector<float> Table::getElements(int64_t first) const {
  int64_t size = int64_t(1) << indexBits;
  SmallVector<float> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t k = (first + lane) % size;
    auto value = static_cast<float>(
        scale * std::exp2(static_cast<double>(k) / static_cast<double>(size)));
    auto bits = llvm::bit_cast<uint32_t>(value);
    bits -= static_cast<uint32_t>(k) << (fractionBits - indexBits);
    elements.push_back(llvm::bit_cast<float>(bits));
  }
  return elements;
}

namespace {
/// Exponentials of registers.
class TableEmitter {
public:
  TableEmitter(OpBuilder &builder, Location loc, const Table &table)
      : builder(builder), loc(loc), table(table),
        part(VectorType::get(table.lanes, builder.getF32Type())),
        bitsType(VectorType::get(table.lanes, builder.getI32Type())) {}

  /// e^x or, of `isBaseTwo`, 2^x; or 0 where that is no normal number, if
  /// `mayBeSmall`: processors take a hundred times as long for these.
  Value emit(Value x, bool isBaseTwo, bool mayBeSmall) const;

private:
  Value emitNumber(float value) const {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(part, builder.getF32FloatAttr(value)));
  }
  Value emitTable(int64_t first) const {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(part,
                               ArrayRef<float>(table.getElements(first))));
  }
  std::pair<Value, Value> emitSteps(Value x, bool isBaseTwo) const;
  /// What the bits of `steps` say: a power of 2 times `scale`.
  Value emitPower(Value steps) const;
  Value multiplyAdd(Value a, Value b, Value c) const {
    return math::FmaOp::create(builder, loc, a, b, c);
  }

  OpBuilder &builder;
  Location loc;
  const Table &table;
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
  SmallVector<Value> operands = {emitTable(0), bits};
  if (table.hasTwoRegisters())
    operands.push_back(emitTable(table.lanes));
  Value entries =
      LLVM::CallIntrinsicOp::create(
          builder, loc, part, builder.getStringAttr(table.lookup), operands)
          .getResult(0);
  Value distance = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          bitsType, builder.getI32IntegerAttr(fractionBits - table.indexBits)));
  Value exponent = arith::ShLIOp::create(builder, loc, bits, distance);
  entries = arith::BitcastOp::create(builder, loc, bitsType, entries);
  Value sum = arith::AddIOp::create(builder, loc, entries, exponent);
  return arith::BitcastOp::create(builder, loc, part, sum);
}

/// The number of steps in x (see Table::countsSteps), and w.
std::pair<Value, Value> TableEmitter::emitSteps(Value x, bool isBaseTwo) const {
  Value counts = emitNumber(table.countsSteps);
  float factor = (isBaseTwo ? 1.0f : llvm::numbers::log2ef) / table.unit;
  Value scaled = factor == 1 ? Value() : emitNumber(factor);
  Value steps = scaled ? multiplyAdd(x, scaled, counts)
                       : arith::AddFOp::create(builder, loc, x, counts);
  Value whole = arith::SubFOp::create(
      builder, loc, steps, emitNumber(table.countsSteps + table.shift));
  if (!scaled)
    return {steps, arith::SubFOp::create(builder, loc, x, whole)};
  if (table.root)
    return {
        steps,
        multiplyAdd(whole, emitNumber(-table.unit * llvm::numbers::ln2f), x)};
  return {steps,
          multiplyAdd(x, scaled, arith::NegFOp::create(builder, loc, whole))};
}

Value TableEmitter::emit(Value x, bool isBaseTwo, bool mayBeSmall) const {
  auto [steps, shifted] = emitSteps(x, isBaseTwo);
  Value fraction = multiplyAdd(shifted, shifted, emitNumber(table.rest));
  if (table.root) {
    Value distance =
        arith::AddFOp::create(builder, loc, shifted, emitNumber(*table.root));
    fraction = arith::MulFOp::create(builder, loc, fraction, distance);
  }
  Value result =
      arith::MulFOp::create(builder, loc, fraction, emitPower(steps));
  if (!mayBeSmall)
    return result;
  // NaN is not below.
  Value isNormal = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::UGE, x,
      emitNumber(isBaseTwo ? smallestPower : smallestExponent));
  return arith::SelectOp::create(builder, loc, isNormal, result, emitNumber(0));
}

/// The table for an exponential in a softmax that fills registers of
/// `vectorWidth` floats; null if it is none, or there is none.
static const Table *findTable(Operation *op, int64_t vectorWidth) {
  bool isBaseTwo = isa<math::Exp2Op>(op);
  bool isBounded = op->hasAttr(GNNDialect::kBoundedAttr);
  if (!(isBaseTwo || isa<math::ExpOp>(op)) ||
      !(isBounded || op->hasAttr(GNNDialect::kNeverPositiveAttr)))
    return nullptr;
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type || !type.getElementType().isF32() || type.isScalable() ||
      type.getRank() != 1 || type.getNumElements() % vectorWidth != 0)
    return nullptr;
  bool isWide = vectorWidth == wideTable.lanes;
  if (!isBounded)
    return isWide ? &wideTable : nullptr;
  if (isBaseTwo)
    return isWide ? &wideTableOfPowers : &narrowTableOfPowers;
  return isWide ? &wideTable : &narrowTable;
}

static Value emitTabulated(OpBuilder &builder, Operation *op,
                           const Table &table) {
  Location loc = op->getLoc();
  TableEmitter emitter(builder, loc, table);
  auto type = cast<VectorType>(op->getResult(0).getType());
  SmallVector<Part> parts;
  for (int64_t begin = 0; begin < type.getNumElements(); begin += table.lanes)
    parts.push_back({begin, table.lanes});
  SmallVector<Value> registers =
      emitParts(builder, loc, op->getOperand(0), parts);
  for (Value &x : registers)
    x = emitter.emit(x, isa<math::Exp2Op>(op),
                     !op->hasAttr(GNNDialect::kBoundedAttr));
  return emitWhole(builder, loc, type, {registers, parts});
}

void TabulateExponentialsPass::runOnOperation() {
  if (vectorWidth != wideTable.lanes && vectorWidth != narrowTable.lanes) {
    getOperation()->emitError()
        << "vector-width must be " << narrowTable.lanes << " or "
        << wideTable.lanes << ", the floats of registers that look up, but is "
        << int64_t(vectorWidth);
    return signalPassFailure();
  }
  SmallVector<std::pair<Operation *, const Table *>> ops;
  getOperation()->walk([&](Operation *op) {
    if (const Table *table = findTable(op, vectorWidth))
      ops.emplace_back(op, table);
  });
  IRRewriter rewriter(&getContext());
  for (auto [op, table] : ops) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, emitTabulated(rewriter, op, *table));
    ++numExponentials;
  }
}
