//===- SpecializeTopology.cpp - Dense forms of listed graphs ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dense form of attention over a listed graph runs over all pairs of nodes,
// those that are no edges masked. It computes the same if no edge is there
// twice, which the mask would forget, and if values are finite, since a weight
// of zero does not take away an infinite one. Both are looked at when the model
// runs.
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_SPECIALIZETOPOLOGYPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Why attention keeps the form its graph has, or nothing if it may be dense.
static StringRef getReasonToStayListed(AttentionOp op) {
  if (op.getGraph().getType().getTopology() != Topology::CSR)
    return "the graph does not list its edges";
  if (op.getNormalization() != Normalization::Softmax)
    return "a mask is a score of -inf";
  if (!op.getScoreEdge().empty() || !op.getValueEdge().empty())
    return "it reads values per edge";
  EdgeFunction value = op.getValueFunction();
  if (value.operands.size() != 1 || value.roles[0] != OperandRole::Source ||
      value.getYieldedValue() != value.body->getArgument(0))
    return "its values are computed per edge";
  if (!isa<Float32Type>(value.getResultElementType()))
    return "it does not compute in f32";
  // A mask is part of the sum over features.
  if (llvm::is_contained(op.getScoreFunction().getLoopSizes(), 0))
    return "its scores are empty sums";
  return "";
}

namespace {
/// Builds the ops that decide at run time and those of the dense form.
class DenseBuilder {
public:
  DenseBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// How often each pair of nodes is an edge, tensor<?x?xf32>.
  Value countEdges(Value graph);
  /// Whether no count is above one.
  Value hasNoDuplicates(Value graph, Value counts);
  /// Whether there are at least `fraction` as many edges as pairs, and any.
  Value isDense(Value graph, double fraction, int64_t tile);
  Value isFinite(Value rows);
  /// Attention over all pairs, those without a count masked.
  Value attend(AttentionOp op, Value counts);

private:
  TypedValue<GNNGraphType> makeComplete(Value graph);
  /// Whether the sum of a number per row is zero.
  Value isSumZero(Value rows);
  Value constant(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }

  OpBuilder &b;
  Location loc;
};
} // namespace

TypedValue<GNNGraphType> DenseBuilder::makeComplete(Value graph) {
  auto type = cast<GNNGraphType>(graph.getType());
  auto complete = GNNGraphType::get(b.getContext(), Topology::Complete, 0,
                                    type.getBipartite(), /*symmetric=*/false,
                                    /*selfLoops=*/false, /*sorted=*/false,
                                    type.getIndexWidth());
  Value destinations = NumNodesOp::create(b, loc, NodeSide::Destination, graph);
  Value sources = NumNodesOp::create(b, loc, NodeSide::Source, graph);
  return MakeGraphOp::create(b, loc, complete,
                             ValueRange{destinations, sources})
      .getGraph();
}

Value DenseBuilder::countEdges(Value graph) {
  auto edges = EdgesType::get(b.getContext(), {}, b.getF32Type());
  AffineMap scalar = AffineMap::get(b.getContext());
  auto ones = MessageOp::create(b, loc, edges, graph, {}, {}, {}, {},
                                b.getAffineMapArrayAttr({scalar}),
                                b.getStrArrayAttr({}));
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&ones.getBody());
    YieldOp::create(b, loc, constant(1));
  }
  TypedValue<GNNGraphType> complete = makeComplete(graph);
  Value counts =
      SpreadEdgesOp::create(b, loc, ones.getResult(), graph, complete);
  return EdgesToTensorOp::create(
      b, loc, edges.getTensorType(complete.getType()), complete, counts);
}

Value DenseBuilder::isSumZero(Value rows) {
  Value zero = constant(0);
  Value empty =
      tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getF32Type());
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto sum = linalg::ReduceOp::create(
      b, loc, rows, init, ArrayRef<int64_t>{0},
      [](OpBuilder &builder, Location l, ValueRange v) {
        Value added = arith::AddFOp::create(builder, l, v[1], v[0]);
        linalg::YieldOp::create(builder, l, added);
      });
  Value total =
      tensor::ExtractOp::create(b, loc, sum.getResult(0), ValueRange());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, total, zero);
}

Value DenseBuilder::hasNoDuplicates(Value graph, Value counts) {
  TypedValue<GNNGraphType> complete = makeComplete(graph);
  auto edges = EdgesType::get(b.getContext(), {}, b.getF32Type());
  Value values = EdgesFromTensorOp::create(b, loc, edges, complete, counts);
  AffineMap scalar = AffineMap::get(b.getContext());
  Type rows = RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type());
  // What every count has above one; no sum of these cancels.
  auto excess = MessageAggregateOp::create(
      b, loc, rows,
      b.getArrayAttr({AggregatorAttr::get(b.getContext(), Aggregator::Sum)}),
      complete, {}, {}, values, {}, b.getAffineMapArrayAttr({scalar, scalar}),
      b.getStrArrayAttr({}));
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block =
        b.createBlock(&excess.getBody(), {}, {b.getF32Type()}, {loc});
    Value above =
        arith::SubFOp::create(b, loc, block->getArgument(0), constant(1));
    YieldOp::create(b, loc,
                    arith::MaximumFOp::create(b, loc, above, constant(0)));
  }
  return isSumZero(excess.getResults().front());
}

Value DenseBuilder::isDense(Value graph, double fraction, int64_t tile) {
  auto toFloat = [&](Value number) -> Value {
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
    return arith::SIToFPOp::create(b, loc, b.getF64Type(), integer);
  };
  Value edges = toFloat(NumEdgesOp::create(b, loc, graph));
  // All pairs of a tile are computed, however few destinations it has.
  Value tileSize = arith::ConstantIndexOp::create(b, loc, tile);
  Value tiles = arith::CeilDivUIOp::create(
      b, loc, NumNodesOp::create(b, loc, NodeSide::Destination, graph),
      tileSize);
  Value pairs = arith::MulFOp::create(
      b, loc, toFloat(arith::MulIOp::create(b, loc, tiles, tileSize)),
      toFloat(NumNodesOp::create(b, loc, NodeSide::Source, graph)));
  Value least = arith::MulFOp::create(
      b, loc, pairs,
      arith::ConstantOp::create(b, loc, b.getF64FloatAttr(fraction)));
  Value isAbove =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, edges, least);
  Value zero = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0));
  Value hasAny =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, edges, zero);
  return arith::AndIOp::create(b, loc, isAbove, hasAny);
}

Value DenseBuilder::isFinite(Value rows) {
  // Zero times a number that is not finite is NaN.
  auto type = cast<RankedTensorType>(rows.getType());
  unsigned rank = type.getRank() - 1;
  AffineMap scalar = AffineMap::get(rank, 0, b.getContext());
  auto sums = UpdateOp::create(
      b, loc, RankedTensorType::get({ShapedType::kDynamic}, b.getF32Type()),
      rows, ValueRange(),
      b.getAffineMapArrayAttr({b.getMultiDimIdentityMap(rank), scalar}),
      b.getStrArrayAttr(SmallVector<StringRef>(rank, "reduction")));
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(rank == 0 ? 1 : 2, b.getF32Type());
  Block *block = b.createBlock(&sums.getBody(), {}, types,
                               SmallVector<Location>(types.size(), loc));
  Value result =
      arith::MulFOp::create(b, loc, block->getArgument(0), constant(0));
  if (rank != 0)
    result = arith::AddFOp::create(b, loc, block->getArgument(1), result);
  YieldOp::create(b, loc, result);
  b.setInsertionPointAfter(sums);
  return isSumZero(sums.getResult());
}

Value DenseBuilder::attend(AttentionOp op, Value counts) {
  TypedValue<GNNGraphType> complete = makeComplete(op.getGraph());
  auto edges = EdgesType::get(b.getContext(), {}, b.getF32Type());
  Value mask = EdgesFromTensorOp::create(b, loc, edges, complete, counts);
  EdgeFunction score = op.getScoreFunction();
  SmallVector<Attribute> maps(op.getScoreMaps().begin(),
                              op.getScoreMaps().end());
  unsigned position = op.getScoreDst().size() + op.getScoreSrc().size();
  maps.insert(maps.begin() + position,
              AffineMapAttr::get(
                  AffineMap::get(score.getNumLoops(), 0, b.getContext())));
  auto dense = AttentionOp::create(
      b, loc, op.getResult().getType(), complete, op.getScoreDst(),
      op.getScoreSrc(), mask, op.getScoreUniform(), op.getValueDst(),
      op.getValueSrc(), ValueRange(), op.getValueUniform(),
      /*bounded=*/Value(), b.getArrayAttr(maps), op.getScoreIterators(),
      op.getValueMaps(), op.getValueIterators(), op.getWeightMap(),
      op.getNormalization());
  IRMapping mapping;
  op.getValue().cloneInto(&dense.getValue(), mapping);
  op.getScore().cloneInto(&dense.getScore(), mapping);
  Block &block = dense.getScore().front();
  BlockArgument count = block.insertArgument(position, b.getF32Type(), loc);
  OpBuilder::InsertionGuard guard(b);
  auto yield = cast<YieldOp>(block.getTerminator());
  b.setInsertionPoint(yield);
  Type type = yield.getValue().getType();
  Value isEdge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, count,
                                       constant(0));
  // Where there is no edge, the region promises nothing about its lookups.
  for (auto lookup : llvm::to_vector(block.getOps<tensor::ExtractOp>())) {
    OpBuilder::InsertionGuard atLookup(b);
    b.setInsertionPoint(lookup);
    Value exists = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                         count, constant(0));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (OpOperand &index : lookup.getIndicesMutable())
      if (!index.get().getDefiningOp<FeatureIndexOp>())
        index.set(arith::SelectOp::create(b, loc, exists, index.get(), zero));
  }
  // Of a reduction, too: a sum of -inf is -inf.
  Value lowest = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  yield.setOperand(
      arith::SelectOp::create(b, loc, isEdge, yield.getValue(), lowest));
  return dense.getResult();
}

namespace {
struct SpecializeTopologyPass
    : public gnn::impl::SpecializeTopologyPassBase<SpecializeTopologyPass> {
  using SpecializeTopologyPassBase::SpecializeTopologyPassBase;

  void runOnOperation() override {
    if (topology == TopologyChoice::Sparse)
      return;
    decisions.clear();
    SmallVector<AttentionOp> candidates;
    getOperation()->walk([&](AttentionOp op) {
      if (getReasonToStayListed(op).empty())
        candidates.push_back(op);
    });
    if (tile < 1) {
      getOperation()->emitError()
          << "tile must be at least 1, got " << tile.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : candidates) {
      specialize(rewriter, op);
      ++numSpecialized;
    }
  }

private:
  /// The decision that all attention over a graph shares, and the counts of
  /// its edges if it is for the dense form.
  struct Decision {
    Value isDense;
    Value counts;
  };

  Decision decide(OpBuilder &builder, Location loc, Value graph) {
    auto known = decisions.find(graph);
    if (known != decisions.end())
      return known->second;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(graph);
    DenseBuilder dense(builder, loc);
    Value isDense = dense.isDense(
        graph, topology == TopologyChoice::Dense ? 0.0 : denseAbove, tile);
    auto branch = scf::IfOp::create(
        builder, loc, isDense,
        [&](OpBuilder &b, Location l) {
          DenseBuilder inner(b, l);
          Value counts = inner.countEdges(graph);
          Value isSimple = inner.hasNoDuplicates(graph, counts);
          scf::YieldOp::create(b, l, ValueRange{isSimple, counts});
        },
        [&](OpBuilder &b, Location l) {
          Value no = arith::ConstantOp::create(b, l, b.getBoolAttr(false));
          OpFoldResult none =
              arith::ConstantIndexOp::create(b, l, 0).getResult();
          Value empty = tensor::EmptyOp::create(
              b, l, ArrayRef<OpFoldResult>{none, none}, b.getF32Type());
          scf::YieldOp::create(b, l, ValueRange{no, empty});
        });
    return decisions[graph] = {branch.getResult(0), branch.getResult(1)};
  }

  void specialize(IRRewriter &rewriter, AttentionOp op) {
    Location loc = op.getLoc();
    Decision decision = decide(rewriter, loc, op.getGraph());
    rewriter.setInsertionPoint(op);
    auto isUsable = scf::IfOp::create(
        rewriter, loc, decision.isDense,
        [&](OpBuilder &b, Location l) {
          Value isFinite = DenseBuilder(b, l).isFinite(op.getValueSrc()[0]);
          scf::YieldOp::create(b, l, isFinite);
        },
        [&](OpBuilder &b, Location l) {
          Value no = arith::ConstantOp::create(b, l, b.getBoolAttr(false));
          scf::YieldOp::create(b, l, no);
        });
    auto choice = scf::IfOp::create(
        rewriter, loc, isUsable.getResult(0),
        [&](OpBuilder &b, Location l) {
          Value result = DenseBuilder(b, l).attend(op, decision.counts);
          scf::YieldOp::create(b, l, result);
        },
        [&](OpBuilder &b, Location l) {
          Value result = b.clone(*op)->getResult(0);
          scf::YieldOp::create(b, l, result);
        });
    rewriter.replaceOp(op, choice.getResult(0));
  }

  llvm::DenseMap<Value, Decision> decisions;
};
} // namespace
