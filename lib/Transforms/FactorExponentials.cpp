//===- FactorExponentials.cpp - Exponentials of nodes, not edges ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A score of GAT is the larger one of z and c z, where z is a sum a_i + b_j of
// numbers of nodes and 0 < c <= 1. An exponential grows with its argument, so
// that weights, which are divided by their sum, may be
//
//   max(exp(b_j - T), exp((c - 1) max(a_i + T, 0)) exp(c (b_j - T))),
//
// where T is the largest b of all sources: exp(score) by exp(a_i + T) if that
// sum is above 0. Else no z is, and the second one, which is exp(score) by
// exp(c (a_i + T)), is the larger one, as it is with a factor of 1. Where 1 / c
// is a small integer, as 1 / 0.2 is, the first one is a power of the last
// factor.
//
// No exponent is above 0. A row all of whose sources are far below T has small
// weights, so that a test at run time bounds how far they can be.
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "gnn/Transforms/Slopes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

namespace gnn {
#define GEN_PASS_DEF_FACTOREXPONENTIALSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

namespace {
/// A score that is a leaky ReLU of a sum of numbers of nodes.
struct AdditiveScore {
  SmallVector<Value> destinations, sources;
  double factor;
  /// 1 by the factor.
  unsigned power;
};
} // namespace

/// The arguments that `value` is the sum of, or false if it is something else.
static bool collectTerms(Value value, Region *body,
                         SmallVectorImpl<BlockArgument> &terms) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    terms.push_back(argument);
    return argument.getParentRegion() == body;
  }
  auto sum = value.getDefiningOp<arith::AddFOp>();
  return sum && sum->getParentRegion() == body &&
         collectTerms(sum.getLhs(), body, terms) &&
         collectTerms(sum.getRhs(), body, terms);
}

/// The integer that `number` is but for rounding, if powers of it are nearly as
/// exact as what they are of.
static std::optional<unsigned> getPower(double number) {
  constexpr double largest = 8, tolerance = 1e-7;
  double integer = std::round(number);
  if (integer > largest || std::abs(number - integer) > tolerance * integer)
    return std::nullopt;
  return static_cast<unsigned>(integer);
}

static std::optional<AdditiveScore> matchScore(const EdgeFunction &function) {
  if (function.hasReduction() || !function.resultMap.isIdentity() ||
      !function.getResultElementType().isF32() ||
      !llvm::all_of(function.operandMaps,
                    [](AffineMap map) { return map.isIdentity(); }))
    return std::nullopt;
  auto select = function.getYieldedValue().getDefiningOp<arith::SelectOp>();
  std::optional<Slope> slope = select ? getSlope(select) : std::nullopt;
  SmallVector<BlockArgument> terms;
  if (!slope || !collectTerms(slope->number, function.body, terms))
    return std::nullopt;
  double factor = slope->factor.convertToDouble();
  std::optional<unsigned> power = getPower(1 / factor);
  if (!power)
    return std::nullopt;
  AdditiveScore score{{}, {}, factor, *power};
  for (BlockArgument term : terms) {
    Value operand = function.operands[term.getArgNumber()];
    switch (function.roles[term.getArgNumber()]) {
    case OperandRole::Destination:
      score.destinations.push_back(operand);
      break;
    case OperandRole::Source:
      score.sources.push_back(operand);
      break;
    case OperandRole::Edge:
    case OperandRole::Uniform:
      return std::nullopt;
    }
  }
  if (score.destinations.empty() || score.sources.empty())
    return std::nullopt;
  return score;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// No infinite number of nodes differs by less from others.
static constexpr double largestNumber = 1e30;
static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// The largest and the smallest number of nodes, scalars.
struct Bounds {
  Value largest, smallest;
};

/// Makes a number of those of a node, or of several numbers.
using RowFunction =
    std::function<Value(OpBuilder &, Location, ValueRange numbers)>;

/// Emits what makes weights of scores.
class FactorEmitter {
public:
  FactorEmitter(OpBuilder &b, AttentionOp op, const AdditiveScore &score)
      : b(b), loc(op.getLoc()), op(op), score(score),
        type(cast<FloatType>(op.getScoreFunction().getResultElementType())),
        shape(op.getScoreFunction().getResultShape()), rank(shape.size()),
        sharesNodes(!op.getGraph().getType().getBipartite()) {
    terms = llvm::to_vector(score.sources);
    llvm::append_range(terms, score.destinations);
  }

  /// Whether there are at least `least` edges for each node.
  Value emitHasEdges(int64_t least);
  /// Those of sources and of destinations.
  std::pair<Bounds, Bounds> emitBounds() const;
  /// Whether these are not further apart than `most`.
  Value emitIsNarrow(const Bounds &bounds, double most) const;
  Value emitNumber(OpBuilder &builder, double value) const {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  }
  /// The attention, whose weights are made of factors.
  Value emitAttention(Value largest);

private:
  Value emitFilled(ArrayRef<int64_t> ofShape, double value) const {
    Value empty = tensor::EmptyOp::create(b, loc, ofShape, type);
    return linalg::FillOp::create(b, loc, emitNumber(b, value), empty)
        .getResult(0);
  }
  /// The sum of some of the numbers.
  static RowFunction getSum(size_t first, size_t count);
  /// One of the numbers.
  static RowFunction getNumber(size_t position) { return getSum(position, 1); }
  /// Along the first dimensions of `inputs`, the largest of what functions at
  /// even places make of elements, and the smallest of what the others do.
  SmallVector<Value> emitReduction(ValueRange inputs, unsigned numReductions,
                                   ArrayRef<RowFunction> functions) const;
  /// What each function makes of a node's `inputs`.
  SmallVector<Value> emitRows(ValueRange inputs,
                              ArrayRef<RowFunction> functions) const;
  void emitWeight(Region &region) const;

  OpBuilder &b;
  Location loc;
  AttentionOp op;
  const AdditiveScore &score;
  FloatType type;
  SmallVector<int64_t> shape;
  unsigned rank;
  /// Whether sources are destinations: one loop goes over both.
  bool sharesNodes;
  /// Those of sources, then those of destinations.
  SmallVector<Value> terms;
};
} // namespace

Value FactorEmitter::emitHasEdges(int64_t least) {
  auto times = [&](Value number, int64_t factor) -> Value {
    return arith::MulIOp::create(
        b, loc, number, arith::ConstantIndexOp::create(b, loc, factor));
  };
  Value graph = op.getGraph();
  // Nodes at both ends have factors.
  Value nodes = arith::AddIOp::create(
      b, loc, NumNodesOp::create(b, loc, NodeSide::Destination, graph),
      NumNodesOp::create(b, loc, NodeSide::Source, graph));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                               times(NumEdgesOp::create(b, loc, graph), 2),
                               times(nodes, least));
}

RowFunction FactorEmitter::getSum(size_t first, size_t count) {
  return [=](OpBuilder &builder, Location loc, ValueRange numbers) {
    Value sum = numbers[first];
    for (Value term : numbers.slice(first + 1, count - 1))
      sum = arith::AddFOp::create(builder, loc, sum, term);
    return sum;
  };
}

SmallVector<Value>
FactorEmitter::emitReduction(ValueRange inputs, unsigned numReductions,
                             ArrayRef<RowFunction> functions) const {
  unsigned numLoops =
      cast<RankedTensorType>(inputs.front().getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(numLoops);
  AffineMap kept = AffineMap::get(
      numLoops, 0, identity.getResults().drop_front(numReductions),
      b.getContext());
  SmallVector<AffineMap> maps(inputs.size(), identity);
  maps.append(functions.size(), kept);
  SmallVector<utils::IteratorType> iterators(numReductions,
                                             utils::IteratorType::reduction);
  iterators.resize(numLoops, utils::IteratorType::parallel);
  ArrayRef<int64_t> resultShape =
      numReductions == numLoops ? ArrayRef<int64_t>() : ArrayRef(shape);
  SmallVector<Value> inits;
  for (size_t i = 0; i < functions.size(); ++i)
    inits.push_back(emitFilled(resultShape, i % 2 == 0 ? -infinity : infinity));
  auto bounds = linalg::GenericOp::create(
      b, loc, ValueRange(inits).getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &builder, Location l, ValueRange args) {
        SmallVector<Value> further;
        for (auto [i, function] : llvm::enumerate(functions)) {
          Value value = function(builder, l, args.take_front(inputs.size()));
          Value other = args[inputs.size() + i];
          // What is NaN makes its own weights NaN and no others.
          Value isFurther =
              arith::CmpFOp::create(builder, l,
                                    i % 2 == 0 ? arith::CmpFPredicate::OGT
                                               : arith::CmpFPredicate::OLT,
                                    value, other);
          further.push_back(
              arith::SelectOp::create(builder, l, isFurther, value, other));
        }
        linalg::YieldOp::create(builder, l, further);
      });
  return llvm::to_vector(ValueRange(bounds.getResults()));
}

std::pair<Bounds, Bounds> FactorEmitter::emitBounds() const {
  size_t numSources = score.sources.size();
  size_t numDestinations = score.destinations.size();
  RowFunction ofSources = getSum(0, numSources);
  ArrayRef<Value> all = terms;
  SmallVector<Value> bounds;
  if (sharesNodes) {
    RowFunction ofDestinations = getSum(numSources, numDestinations);
    bounds = emitReduction(
        all, 1, {ofSources, ofSources, ofDestinations, ofDestinations});
  } else {
    RowFunction ofDestinations = getSum(0, numDestinations);
    bounds =
        emitReduction(all.take_front(numSources), 1, {ofSources, ofSources});
    llvm::append_range(bounds, emitReduction(all.drop_front(numSources), 1,
                                             {ofDestinations, ofDestinations}));
  }
  if (rank != 0)
    bounds = emitReduction(
        bounds, rank, {getNumber(0), getNumber(1), getNumber(2), getNumber(3)});
  for (Value &bound : bounds)
    bound = tensor::ExtractOp::create(b, loc, bound, ValueRange());
  return {{bounds[0], bounds[1]}, {bounds[2], bounds[3]}};
}

Value FactorEmitter::emitIsNarrow(const Bounds &bounds, double most) const {
  // Where all are infinite the difference is NaN.
  Value width = arith::SubFOp::create(b, loc, bounds.largest, bounds.smallest);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, width,
                               emitNumber(b, most));
}

SmallVector<Value>
FactorEmitter::emitRows(ValueRange inputs,
                        ArrayRef<RowFunction> functions) const {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, inputs.front());
  SmallVector<Value> empties;
  for (size_t i = 0; i < functions.size(); ++i)
    empties.push_back(tensor::EmptyOp::create(b, loc, sizes, type));
  SmallVector<AffineMap> maps(inputs.size() + functions.size(),
                              b.getMultiDimIdentityMap(rank + 1));
  auto rows = linalg::GenericOp::create(
      b, loc, ValueRange(empties).getTypes(), inputs, empties, maps,
      SmallVector<utils::IteratorType>(rank + 1, utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location l, ValueRange args) {
        SmallVector<Value> results;
        for (const RowFunction &function : functions)
          results.push_back(
              function(builder, l, args.take_front(inputs.size())));
        linalg::YieldOp::create(builder, l, results);
      });
  return llvm::to_vector(ValueRange(rows.getResults()));
}

/// The arguments are the factors of the destination and of the source.
void FactorEmitter::emitWeight(Region &region) const {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region, {}, {type, type}, {loc, loc});
  Value ofSource = block->getArgument(1);
  // By squares: v^5 is v (v^2)^2.
  Value power, square = ofSource;
  for (unsigned rest = score.power; rest != 0; rest /= 2) {
    if (rest % 2 != 0)
      power = power ? arith::MulFOp::create(b, loc, power, square).getResult()
                    : square;
    if (rest > 1)
      square = arith::MulFOp::create(b, loc, square, square);
  }
  Value product =
      arith::MulFOp::create(b, loc, block->getArgument(0), ofSource);
  // A product that is NaN is chosen.
  Value isLarger =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, power, product);
  YieldOp::create(b, loc,
                  arith::SelectOp::create(b, loc, isLarger, power, product));
}

Value FactorEmitter::emitAttention(Value largest) {
  size_t numSources = score.sources.size();
  RowFunction source = [&](OpBuilder &builder, Location l, ValueRange numbers) {
    Value sum = getSum(0, numSources)(builder, l, numbers);
    Value distance = arith::SubFOp::create(builder, l, sum, largest);
    Value exponent = arith::MulFOp::create(builder, l, distance,
                                           emitNumber(builder, score.factor));
    // Powers of it are as many times less exact: no exponential of a softmax.
    return math::ExpOp::create(builder, l, exponent).getResult();
  };
  size_t first = sharesNodes ? numSources : 0;
  RowFunction destination = [&](OpBuilder &builder, Location l,
                                ValueRange numbers) {
    Value sum = getSum(first, score.destinations.size())(builder, l, numbers);
    Value most = arith::AddFOp::create(builder, l, sum, largest);
    Value zero = emitNumber(builder, 0);
    Value isBelow = arith::CmpFOp::create(builder, l, arith::CmpFPredicate::OLT,
                                          most, zero);
    Value positive = arith::SelectOp::create(builder, l, isBelow, zero, most);
    Value exponent = arith::MulFOp::create(
        builder, l, positive, emitNumber(builder, score.factor - 1));
    auto exp = math::ExpOp::create(builder, l, exponent);
    exp->setAttr(GNNDialect::kNeverPositiveAttr, builder.getUnitAttr());
    return exp.getResult();
  };
  ArrayRef<Value> all = terms;
  SmallVector<Value> factors;
  if (sharesNodes) {
    factors = emitRows(all, {source, destination});
  } else {
    factors = emitRows(all.take_front(numSources), source);
    llvm::append_range(factors,
                       emitRows(all.drop_front(numSources), destination));
  }
  SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rank));
  auto factored = AttentionOp::create(
      b, loc, op.getResult().getType(), op.getGraph(), factors[1], factors[0],
      ValueRange(), ValueRange(), op.getValueDst(), op.getValueSrc(),
      op.getValueEdge(), op.getValueUniform(), /*bounded=*/Value(),
      b.getAffineMapArrayAttr(maps),
      b.getStrArrayAttr(SmallVector<StringRef>(rank, "parallel")),
      op.getValueMaps(), op.getValueIterators(), op.getWeightMap(),
      Normalization::Sum);
  IRMapping mapping;
  op.getValue().cloneInto(&factored.getValue(), mapping);
  emitWeight(factored.getScore());
  return factored.getResult();
}

namespace {
struct FactorExponentialsPass
    : public gnn::impl::FactorExponentialsPassBase<FactorExponentialsPass> {
  using FactorExponentialsPassBase::FactorExponentialsPassBase;

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      if (op.getNormalization() == Normalization::Softmax &&
          op.getGraph().getType().getTopology() == Topology::CSR)
        ops.push_back(op);
    });
    for (AttentionOp op : ops)
      if (std::optional<AdditiveScore> score =
              matchScore(op.getScoreFunction())) {
        factor(op, *score);
        ++numFactored;
      }
  }

private:
  void factor(AttentionOp op, const AdditiveScore &score) {
    IRRewriter rewriter(op);
    Location loc = op.getLoc();
    FactorEmitter emitter(rewriter, op, score);
    auto test = scf::IfOp::create(
        rewriter, loc, emitter.emitHasEdges(minDegree),
        [&](OpBuilder &, Location) {
          auto [ofSources, ofDestinations] = emitter.emitBounds();
          Value isNarrow = emitter.emitIsNarrow(ofSources, maxRange);
          // Infinite ones of destinations, too, would be a factor of any size.
          Value isFinite = emitter.emitIsNarrow(ofDestinations, largestNumber);
          Value both = arith::AndIOp::create(rewriter, loc, isNarrow, isFinite);
          scf::YieldOp::create(rewriter, loc,
                               ValueRange{both, ofSources.largest});
        },
        [&](OpBuilder &, Location) {
          Value no = arith::ConstantOp::create(rewriter, loc,
                                               rewriter.getBoolAttr(false));
          scf::YieldOp::create(rewriter, loc,
                               ValueRange{no, emitter.emitNumber(rewriter, 0)});
        });
    Value isNarrow = test.getResult(0), largest = test.getResult(1);
    auto choice = scf::IfOp::create(rewriter, loc, op->getResultTypes(),
                                    isNarrow, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(rewriter, loc, emitter.emitAttention(largest));
    rewriter.replaceAllUsesWith(op.getResult(), choice.getResult(0));
    rewriter.setInsertionPointToStart(choice.elseBlock());
    auto yield = scf::YieldOp::create(rewriter, loc, op.getResult());
    rewriter.moveOpBefore(op, yield);
  }
};
} // namespace
