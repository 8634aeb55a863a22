//===- SplitVectors.cpp - Vectors of sizes that registers have --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorParts.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITVECTORSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Rows of other sizes as vectors of such sizes.
class SplitTypes : public TypeConverter {
public:
  explicit SplitTypes(PartSizes sizes) : sizes(sizes) {
    addConversion([](Type type) { return type; });
    addConversion(
        [sizes](VectorType type,
                SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          if (!gnn::isSplit(type, sizes))
            return std::nullopt;
          for (Part part : gnn::getParts(type, sizes))
            parts.push_back(getPartType(type, part.size));
          return success();
        });
    addSourceMaterialization([sizes](OpBuilder &builder, VectorType type,
                                     ValueRange vectors, Location loc) {
      return emitWhole(builder, loc, type,
                       {vectors, gnn::getParts(type, sizes)});
    });
    addTargetMaterialization([sizes](OpBuilder &builder, TypeRange,
                                     ValueRange vectors, Location loc,
                                     Type original) -> SmallVector<Value> {
      if (vectors.size() != 1 || vectors.front().getType() != original)
        return {};
      return emitParts(builder, loc, vectors.front(),
                       gnn::getParts(cast<VectorType>(original), sizes));
    });
  }

  SmallVector<Part> getParts(VectorType type) const {
    return gnn::getParts(type, sizes);
  }

  bool isSplit(Type type) const { return gnn::isSplit(type, sizes); }

private:
  PartSizes sizes;
};

template <typename Op>
class SplitPattern : public OpConversionPattern<Op> {
public:
  SplitPattern(const SplitTypes &types, MLIRContext *context)
      : OpConversionPattern<Op>(types, context) {}

protected:
  SmallVector<Part> getParts(Type type) const {
    return this->template getTypeConverter<SplitTypes>()->getParts(
        cast<VectorType>(type));
  }
};

/// Ops that do the same to each element.
class SplitElementwise : public ConversionPattern {
public:
  SplitElementwise(const SplitTypes &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "it is not elementwise");
    SmallVector<Type> types;
    if (failed(
            getTypeConverter()->convertType(op->getResult(0).getType(), types)))
      return failure();
    SmallVector<Value> results;
    for (auto [i, type] : llvm::enumerate(types)) {
      SmallVector<Value> parts;
      for (ValueRange operand : operands)
        parts.push_back(operand.size() == types.size() ? operand[i]
                                                       : operand.front());
      results.push_back(rewriter
                            .create(op->getLoc(), op->getName().getIdentifier(),
                                    parts, type, op->getAttrs())
                            ->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitConstant : public SplitPattern<arith::ConstantOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!value)
      return rewriter.notifyMatchFailure(op, "its elements are not known");
    auto type = cast<VectorType>(op.getType());
    SmallVector<Attribute> elements(value.getValues<Attribute>());
    SmallVector<Value> results;
    for (Part part : getParts(type))
      results.push_back(arith::ConstantOp::create(
          rewriter, op.getLoc(),
          DenseElementsAttr::get(
              getPartType(type, part.size),
              ArrayRef<Attribute>(elements).slice(part.begin, part.size))));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitPoison : public SplitPattern<ub::PoisonOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(op.getType());
    SmallVector<Value> results;
    for (Part part : getParts(type))
      results.push_back(ub::PoisonOp::create(rewriter, op.getLoc(),
                                             getPartType(type, part.size)));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// One scalar in all places, or one row in all rows.
struct SplitBroadcast : public SplitPattern<vector::BroadcastOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(vector::BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getResultVectorType();
    ValueRange source = adaptor.getSource();
    bool isRow = isa<VectorType>(op.getSourceType());
    SmallVector<Value> results;
    for (auto [i, part] : llvm::enumerate(getParts(type))) {
      if (isRow)
        results.push_back(source[i % source.size()]);
      else
        results.push_back(vector::BroadcastOp::create(
            rewriter, op.getLoc(), getPartType(type, part.size),
            source.front()));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitLoad : public SplitPattern<vector::LoadOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(vector::LoadOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results =
        emitPartLoads(rewriter, op, getParts(op.getVectorType()));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitStore : public SplitPattern<vector::StoreOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(vector::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitPartStores(rewriter, op, adaptor.getValueToStore(),
                   getParts(op.getVectorType()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct SplitShuffle : public SplitPattern<vector::ShuffleOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(vector::ShuffleOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getV1().size() != 1 || adaptor.getV2().size() != 1)
      return rewriter.notifyMatchFailure(op, "it takes a split vector apart");
    SmallVector<Value> results;
    for (Part part : getParts(op.getResultVectorType()))
      results.push_back(vector::ShuffleOp::create(
          rewriter, op.getLoc(), adaptor.getV1().front(),
          adaptor.getV2().front(), op.getMask().slice(part.begin, part.size)));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Elements that follow each other in the vector they are from.
template <typename Op>
class SplitTake : public SplitPattern<Op> {
public:
  using SplitPattern<Op>::SplitPattern;

  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> first = getFirstElement(op);
    if (!first)
      return rewriter.notifyMatchFailure(op, "elements are apart");
    Location loc = op.getLoc();
    ValueRange source = adaptor.getSource();
    SmallVector<Part> parts = this->getParts(op.getSourceVectorType());
    if (!isa<VectorType>(op.getType())) {
      const Part *part = llvm::find_if(
          parts, [&](Part part) { return part.contains(*first); });
      rewriter.replaceOp(op, vector::ExtractOp::create(
                                 rewriter, loc, source[part - parts.begin()],
                                 ArrayRef<int64_t>{*first - part->begin}));
      return success();
    }
    SmallVector<Value> results;
    for (Part part : this->getParts(op.getType()))
      results.push_back(emitSlice(rewriter, loc, {source, parts},
                                  {*first + part.begin, part.size}));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Elements that follow each other in the vector they are put into.
template <typename Op>
class SplitPut : public SplitPattern<Op> {
public:
  using SplitPattern<Op>::SplitPattern;

  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> first = getFirstElement(op);
    if (!first)
      return rewriter.notifyMatchFailure(op, "elements are apart");
    Location loc = op.getLoc();
    auto stored = dyn_cast<VectorType>(op.getValueToStore().getType());
    SmallVector<Part> parts;
    if (stored)
      parts = this->getParts(stored);
    SmallVector<Value> results;
    for (auto [vector, part] :
         llvm::zip(adaptor.getDest(), this->getParts(op.getDestVectorType()))) {
      if (stored)
        results.push_back(emitOverwritten(rewriter, loc,
                                          {adaptor.getValueToStore(), parts},
                                          *first, vector, part));
      else if (part.contains(*first))
        results.push_back(vector::InsertOp::create(
            rewriter, loc, op.getValueToStore(), vector,
            ArrayRef<int64_t>{*first - part.begin}));
      else
        results.push_back(vector);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Parts of one size are combined first, pairs of neighbours, then pairs of
/// those: the depth is the logarithm of how many there are.
struct SplitReduction : public SplitPattern<vector::ReductionOp> {
  using SplitPattern::SplitPattern;

  LogicalResult
  matchAndRewrite(vector::ReductionOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value result = op.getAcc();
    SmallVector<Value> equal;
    auto reduce = [&] {
      Value vector = emitCombined(rewriter, op, equal);
      result =
          result ? vector::ReductionOp::create(rewriter, loc, op.getKind(),
                                               vector, result, op.getFastmath())
                 : vector::ReductionOp::create(rewriter, loc, op.getKind(),
                                               vector, op.getFastmath());
      equal.clear();
    };
    int64_t done = 0;
    for (auto [whole, part] :
         llvm::zip(adaptor.getVector(), getParts(op.getSourceVectorType()))) {
      Value vector = emitFrom(rewriter, op, whole, done - part.begin);
      done = part.getEnd();
      if (!equal.empty() && equal.back().getType() != vector.getType())
        reduce();
      equal.push_back(vector);
    }
    reduce();
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// One vector of several of a type.
  static Value emitCombined(OpBuilder &builder, vector::ReductionOp op,
                            ArrayRef<Value> vectors) {
    if (vectors.size() == 1)
      return vectors.front();
    // As many on the left as the largest power of two below all of them.
    size_t left = llvm::bit_floor(vectors.size() - 1);
    return vector::makeArithReduction(
        builder, op.getLoc(), op.getKind(),
        emitCombined(builder, op, vectors.take_front(left)),
        emitCombined(builder, op, vectors.drop_front(left)),
        op.getFastmathAttr());
  }

  /// `vector` without what its first elements bring to a reduction.
  static Value emitFrom(OpBuilder &builder, vector::ReductionOp op,
                        Value vector, int64_t first) {
    auto type = cast<VectorType>(vector.getType());
    TypedAttr neutral = getNeutral(builder, op.getKind(), type);
    if (first == 0 || !neutral)
      return vector;
    SmallVector<bool> counts(type.getNumElements(), true);
    std::fill_n(counts.begin(), first, false);
    auto maskType = VectorType::get(type.getShape(), builder.getI1Type());
    Value mask = arith::ConstantOp::create(
        builder, op.getLoc(),
        DenseElementsAttr::get(maskType, ArrayRef<bool>(counts)));
    Value none = arith::ConstantOp::create(builder, op.getLoc(), neutral);
    return arith::SelectOp::create(builder, op.getLoc(), mask, vector, none);
  }

  /// What changes no result; null if an element may be counted twice. MLIR's
  /// identity of sums (`arith::getIdentityValueAttr`) is +0, which makes +0 of
  /// -0.
  static TypedAttr getNeutral(OpBuilder &builder, vector::CombiningKind kind,
                              VectorType type) {
    Type element = type.getElementType();
    bool isFloat = isa<FloatType>(element);
    switch (kind) {
    case vector::CombiningKind::ADD:
      return DenseElementsAttr::get(
          type, isFloat ? Attribute(builder.getFloatAttr(element, -0.0))
                        : builder.getIntegerAttr(element, 0));
    case vector::CombiningKind::MUL:
      return DenseElementsAttr::get(
          type, isFloat ? Attribute(builder.getFloatAttr(element, 1.0))
                        : builder.getIntegerAttr(element, 1));
    case vector::CombiningKind::XOR:
      return DenseElementsAttr::get(
          type, Attribute(builder.getIntegerAttr(element, 0)));
    default:
      return {};
    }
  }
};

//===----------------------------------------------------------------------===//
// SplitVectorsPass
//===----------------------------------------------------------------------===//

struct SplitVectorsPass
    : public gnn::impl::SplitVectorsPassBase<SplitVectorsPass> {
  using SplitVectorsPassBase::SplitVectorsPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth)) {
      getOperation().emitError() << "vector-width must be a power of two, got "
                                 << vectorWidth.getValue();
      return signalPassFailure();
    }
    MLIRContext *context = &getContext();
    SplitTypes types(
        {vectorWidth, getMinRowSize(), wideRegisters * vectorWidth});
    RewritePatternSet patterns(context);
    patterns.add<
        SplitElementwise, SplitConstant, SplitPoison, SplitBroadcast, SplitLoad,
        SplitStore, SplitShuffle, SplitTake<vector::ExtractOp>,
        SplitTake<vector::ExtractStridedSliceOp>, SplitPut<vector::InsertOp>,
        SplitPut<vector::InsertStridedSliceOp>, SplitReduction>(types, context);
    ConversionTarget target(*context);
    // What is not known here takes whole vectors.
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return types.isLegal(op) || !isKnown(op, types);
    });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

private:
  /// LLVM cuts powers of two into halves, and halves of these, and takes their
  /// registers in an order of its own: backwards in some rows, which caches
  /// that expect the next line do not follow. So rows of so many registers are
  /// split as well.
  static constexpr int64_t wideRegisters = 8;

  /// Rows that fit into a register are loaded and stored in up to three pieces
  /// as they are, and computed with as a whole. So they are only split where a
  /// load or store comes with few computations: in sums, not in products, whose
  /// tiles fill all registers with whole rows. One loop that multiplies is
  /// enough to leave rows whole in all.
  int64_t getMinRowSize() {
    // Shorter ones are a pair and one more element in any case.
    constexpr int64_t minRowSize = 5;
    constexpr int64_t maxComputations = 4;
    PartSizes sizes{vectorWidth, minRowSize};
    struct Counts {
      int64_t moved = 0, computed = 0;
    };
    DenseMap<Operation *, Counts> loops;
    getOperation()->walk([&](Operation *op) {
      auto isShort = [&](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return vector && gnn::isSplit(vector, sizes) &&
               vector.getShape().back() <= vectorWidth;
      };
      if (!llvm::any_of(op->getOperandTypes(), isShort) &&
          !llvm::any_of(op->getResultTypes(), isShort))
        return;
      Counts &counts = loops[op->getParentOfType<LoopLikeOpInterface>()];
      if (isa<vector::LoadOp, vector::StoreOp>(op))
        ++counts.moved;
      else if (OpTrait::hasElementwiseMappableTraits(op))
        ++counts.computed;
    });
    bool multiplies = llvm::any_of(loops, [&](const auto &loop) {
      return loop.second.computed > maxComputations * loop.second.moved;
    });
    return multiplies ? vectorWidth + 1 : minRowSize;
  }

  /// Whether there is a pattern for an op that has vectors that are split.
  static bool isKnown(Operation *op, const SplitTypes &types) {
    auto isRow = [&](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return !vector || vector.getRank() == 1 || types.isSplit(type);
    };
    return TypeSwitch<Operation *, bool>(op)
        .Case([&](vector::BroadcastOp op) {
          auto row = dyn_cast<VectorType>(op.getSourceType());
          return !row || (row.getRank() == 1 && types.isSplit(row));
        })
        .Case([&](vector::ShuffleOp op) {
          return !types.isSplit(op.getV1VectorType()) &&
                 !types.isSplit(op.getV2VectorType());
        })
        .Case<vector::ExtractOp, vector::InsertOp,
              vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(
            [&](auto op) {
              return getFirstElement(op) &&
                     llvm::all_of(op->getOperandTypes(), isRow) &&
                     llvm::all_of(op->getResultTypes(), isRow);
            })
        .Case([](arith::ConstantOp op) {
          return isa<DenseElementsAttr>(op.getValue());
        })
        .Case(
            [](vector::LoadOp op) { return op.getVectorType().getRank() == 1; })
        .Case([](vector::StoreOp op) {
          return op.getVectorType().getRank() == 1;
        })
        .Case<ub::PoisonOp, vector::ReductionOp>([](auto) { return true; })
        .Default([](Operation *op) {
          return OpTrait::hasElementwiseMappableTraits(op) &&
                 op->getNumResults() == 1;
        });
  }
};
} // namespace
