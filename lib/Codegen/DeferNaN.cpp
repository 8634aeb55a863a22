//===- DeferNaN.cpp - Look for NaN after a loop of maxima -----------------===//
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_DEFERNANPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Masks that are computed side by side: each waits for the one before it in
/// its row.
static constexpr int64_t maxMasks = 4;

namespace {
/// A value carried by a loop that is an extremum of what it was and `element`.
struct Extremum {
  Operation *op;
  Value carried, element;
  bool isMaximum;
};
} // namespace

/// Whether it does not matter which of two zeros is the larger one: a
/// comparison takes them for equal.
static bool ignoresZeroSigns(Operation *op) {
  auto math = cast<arith::ArithFastMathInterface>(op);
  return bitEnumContainsAll(math.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::nsz);
}

/// The extremum that becomes `next`, if `carried` is used for nothing else.
static std::optional<Extremum> getExtremum(BlockArgument carried, Value next) {
  Operation *op = next.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) ||
      !ignoresZeroSigns(op) || !carried.hasOneUse() || !next.hasOneUse() ||
      *carried.user_begin() != op || op->getBlock() != carried.getOwner())
    return std::nullopt;
  auto type = dyn_cast<VectorType>(carried.getType());
  if (!type || type.isScalable() || type.getRank() != 1)
    return std::nullopt;
  Value element = op->getOperand(op->getOperand(0) == carried ? 1 : 0);
  return Extremum{op, carried, element, isa<arith::MaximumFOp>(op)};
}

static SmallVector<Extremum> findExtrema(scf::ForOp loop) {
  SmallVector<Extremum> found;
  for (auto [carried, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (std::optional<Extremum> extremum = getExtremum(carried, next))
      found.push_back(*extremum);
  return found;
}

/// Whether `op`, without what is in its regions, may be run twice.
static bool isRepeatable(Operation *op) {
  // Its effects are those of a write, which keeps it where it is.
  if (isa<memref::PrefetchOp>(op))
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  else if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return llvm::all_of(effects, [](const auto &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  });
}

static bool isRepeatable(scf::ForOp loop) {
  return !loop.walk([](Operation *op) {
                return isRepeatable(op) ? WalkResult::advance()
                                        : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The result of `loop` that is the sum of all that `element` has been, and so
/// NaN if any of these was.
static Value findSum(scf::ForOp loop, Value element) {
  for (auto [carried, next, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues(),
                       loop.getResults())) {
    auto sum = next.getDefiningOp<arith::AddFOp>();
    if (!sum ||
        bitEnumContainsAny(sum.getFastmath(), arith::FastMathFlags::nnan))
      continue;
    if ((sum.getLhs() == carried && sum.getRhs() == element) ||
        (sum.getRhs() == carried && sum.getLhs() == element))
      return result;
  }
  return nullptr;
}

/// Keeps what was carried where one of both is NaN.
static void replaceByComparison(RewriterBase &rewriter,
                                const Extremum &extremum) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(extremum.op);
  Value isBeyond =
      arith::CmpFOp::create(rewriter, extremum.op->getLoc(),
                            extremum.isMaximum ? arith::CmpFPredicate::OGT
                                               : arith::CmpFPredicate::OLT,
                            extremum.element, extremum.carried);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(
      extremum.op, isBeyond, extremum.element, extremum.carried);
}

namespace {
/// Masks of where vectors of one type have no NaN: bits, or where no register
/// is for these, integers as wide as the vectors' elements, all of whose bits
/// are the same.
class OrderedMasks {
public:
  OrderedMasks(VectorType type, int64_t width, bool areBits)
      : size(type.getNumElements()), width(std::min(size, width)),
        elementBits(areBits ? 1 : type.getElementTypeBitWidth()) {}

  bool isPossible() const { return size % width == 0; }

  /// As many as there are for `count` vectors, all true.
  SmallVector<Value> emitTrue(OpBuilder &builder, Location loc,
                              int64_t count) const;
  /// Those of `masks` and `vectors`.
  SmallVector<Value> emitNarrowed(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> vectors,
                                  ValueRange masks) const;
  /// Whether all are true.
  Value emitAll(OpBuilder &builder, Location loc, ValueRange masks) const;

private:
  VectorType getType(MLIRContext *context) const {
    return VectorType::get({width}, IntegerType::get(context, elementBits));
  }

  int64_t size, width;
  unsigned elementBits;
};
} // namespace

SmallVector<Value> OrderedMasks::emitTrue(OpBuilder &builder, Location loc,
                                          int64_t count) const {
  Value allTrue = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(getType(builder.getContext()),
                             APInt::getAllOnes(elementBits)));
  int64_t numPairs = llvm::divideCeil(count * (size / width), 2);
  return SmallVector<Value>(std::min(numPairs, maxMasks), allTrue);
}

SmallVector<Value> OrderedMasks::emitNarrowed(OpBuilder &builder, Location loc,
                                              ArrayRef<Value> vectors,
                                              ValueRange masks) const {
  SmallVector<Value> registers;
  for (Value vector : vectors)
    for (int64_t offset = 0; offset < size; offset += width)
      registers.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, vector, ArrayRef<int64_t>{offset},
          ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1}));
  SmallVector<Value> narrowed(masks);
  for (size_t i = 0, end = registers.size(); i < end; i += 2) {
    // One comparison says it of both registers.
    Value ordered = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, registers[i],
        registers[std::min(i + 1, end - 1)]);
    if (elementBits > 1)
      ordered = arith::ExtSIOp::create(builder, loc,
                                       getType(builder.getContext()), ordered);
    Value &mask = narrowed[i / 2 % narrowed.size()];
    mask = arith::AndIOp::create(builder, loc, mask, ordered);
  }
  return narrowed;
}

Value OrderedMasks::emitAll(OpBuilder &builder, Location loc,
                            ValueRange masks) const {
  Value all = masks.front();
  for (Value mask : masks.drop_front())
    all = arith::AndIOp::create(builder, loc, all, mask);
  if (elementBits > 1) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(getType(builder.getContext())));
    all = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, all,
                                zero);
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     all);
}

namespace {
struct DeferNaNPass : public gnn::impl::DeferNaNPassBase<DeferNaNPass> {
  using DeferNaNPassBase::DeferNaNPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1) {
      getOperation().emitError("vector-width must be at least 1");
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      SmallVector<Extremum> extrema = findExtrema(loop);
      if (extrema.empty() || !isRepeatable(loop))
        continue;
      auto type = cast<VectorType>(extrema.front().element.getType());
      OrderedMasks masks(type, vectorWidth, maskRegisters);
      llvm::erase_if(extrema, [&](const Extremum &extremum) {
        return extremum.element.getType() != type;
      });
      if (!masks.isPossible())
        continue;
      defer(rewriter, loop, extrema, masks);
      ++numLoops;
    }
  }

private:
  void defer(RewriterBase &rewriter, scf::ForOp loop,
             ArrayRef<Extremum> extrema, const OrderedMasks &masks) const;
};
} // namespace

void DeferNaNPass::defer(RewriterBase &rewriter, scf::ForOp loop,
                         ArrayRef<Extremum> extrema,
                         const OrderedMasks &masks) const {
  Location loc = loop.getLoc();
  SmallVector<OpOperand *> uses;
  SmallVector<unsigned> sums;
  SetVector<Value> unsummed;
  for (const Extremum &extremum : extrema) {
    if (Value sum = findSum(loop, extremum.element)) {
      unsigned number = cast<OpResult>(sum).getResultNumber();
      if (!llvm::is_contained(sums, number))
        sums.push_back(number);
    } else {
      unsummed.insert(extremum.element);
    }
  }

  rewriter.setInsertionPointAfter(loop);
  auto exact = cast<scf::ForOp>(rewriter.clone(*loop));
  for (const Extremum &extremum : extrema)
    replaceByComparison(rewriter, extremum);
  scf::ForOp fast = loop;
  unsigned numResults = loop.getNumResults();
  if (!unsummed.empty()) {
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> initial = masks.emitTrue(rewriter, loc, unsummed.size());
    fast = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, initial, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &b, Location l, ArrayRef<BlockArgument> carried) {
          SmallVector<Value> before(carried);
          return masks.emitNarrowed(b, l, unsummed.getArrayRef(), before);
        }));
  }
  ValueRange results = fast.getResults();
  for (Value result : results.take_front(numResults))
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);

  rewriter.setInsertionPoint(exact);
  SmallVector<Value> ordered(results.drop_front(numResults));
  SmallVector<Value> totals;
  for (unsigned number : sums)
    totals.push_back(results[number]);
  if (!totals.empty()) {
    if (ordered.empty())
      ordered = masks.emitTrue(rewriter, loc, totals.size());
    ordered = masks.emitNarrowed(rewriter, loc, totals, ordered);
  }
  Value isOrdered = masks.emitAll(rewriter, loc, ordered);
  SmallVector<Type> types(exact->getResultTypes());
  auto branch = scf::IfOp::create(rewriter, loc, types, isOrdered,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, results.take_front(numResults));
  rewriter.moveOpBefore(exact, branch.elseBlock(), branch.elseBlock()->end());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, exact.getResults());
  for (OpOperand *use : uses)
    rewriter.modifyOpInPlace(use->getOwner(), [&] {
      use->set(branch.getResult(cast<OpResult>(use->get()).getResultNumber()));
    });
}
