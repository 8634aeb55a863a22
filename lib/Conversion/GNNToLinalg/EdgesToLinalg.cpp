//===- EdgesToLinalg.cpp - Dense messages and aggregations -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Aggregation.h"
#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "../Common/StoredMessages.h"
#include "GenericEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;

/// All pairs of a dense graph.
static DenseBlock getWholeGraph(OpBuilder &builder, Location loc, Value graph) {
  auto parts = GraphPartsOp::create(builder, loc, graph);
  OpFoldResult zero = builder.getIndexAttr(0);
  return {zero, zero, OpFoldResult(parts.getParts()[0]),
          OpFoldResult(parts.getParts()[1])};
}

namespace {
struct LowerUpdate : public OpRewritePattern<UpdateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UpdateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    DenseFunction dense =
        getDenseFunction(op.getEdgeFunction(), LeadingLoops::forNodes());
    OpFoldResult rows =
        tensor::getMixedSize(rewriter, loc, op.getNode().front(), 0);
    Value values =
        emitValues(rewriter, loc, dense,
                   emitEmpty(rewriter, loc, rows, dense.resultShape,
                             op.getEdgeFunction().getResultElementType()),
                   [](OpBuilder &, Location) { return EdgeEnds(); });
    // The number of rows may be known of the operand alone.
    if (values.getType() != op.getType())
      values = tensor::CastOp::create(rewriter, loc, op.getType(), values);
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct LowerLookup : public OpRewritePattern<LookupOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LookupOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    ReifiedRankedShapedTypeDims shapes;
    if (failed(op.reifyResultShapes(rewriter, shapes)))
      return failure();
    Value empty = tensor::EmptyOp::create(rewriter, loc, shapes.front(),
                                          type.getElementType());
    unsigned rank = type.getRank();
    unsigned numbers =
        cast<RankedTensorType>(op.getNumbers().getType()).getRank();
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<AffineMap> maps{identity.getMajorSubMap(numbers), identity};
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, ValueRange{op.getNumbers()}, ValueRange{empty},
        maps, iterators, [&](OpBuilder &b, Location l, ValueRange arguments) {
          SmallVector<Value> indices{b.createOrFold<arith::IndexCastOp>(
              l, b.getIndexType(), arguments[0])};
          for (unsigned i = numbers; i < rank; ++i)
            indices.push_back(linalg::IndexOp::create(b, l, i));
          Value element =
              tensor::ExtractOp::create(b, l, op.getTable(), indices);
          linalg::YieldOp::create(b, l, element);
        });
    return success();
  }
};

struct LowerDenseMessage : public OpRewritePattern<MessageOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGraph().getType().hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    Location loc = op.getLoc();
    DenseFunction dense = getDenseFunction(
        withEdgeTensors(rewriter, loc, op.getGraph(), op.getEdgeFunction()),
        LeadingLoops::forEdges());
    Value values = emitEdgeValues(rewriter, loc, dense,
                                  getWholeGraph(rewriter, loc, op.getGraph()));
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, op.getResult().getType(),
                                                   op.getGraph(), values);
    return success();
  }
};

/// Maps of a reduction over sources: all of (i, j, features), and (i,
/// features).
struct ReductionMaps {
  AffineMap edges, nodes;
  SmallVector<utils::IteratorType> iterators;
  ReductionMaps(Builder &builder, unsigned rank) {
    AffineMap features = builder.getMultiDimIdentityMap(rank);
    edges = builder.getMultiDimIdentityMap(rank + 2);
    nodes = getLeadingMap(builder.getContext(), 2, {0}, features);
    iterators.assign(rank + 2, utils::IteratorType::parallel);
    iterators[1] = utils::IteratorType::reduction;
  }
  SmallVector<utils::IteratorType> allParallel() const {
    return SmallVector<utils::IteratorType>(iterators.size(),
                                            utils::IteratorType::parallel);
  }
};

struct LowerDenseSoftmax : public OpRewritePattern<EdgeSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(EdgeSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    GNNGraphType graph = op.getGraph().getType();
    if (!graph.hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    Location loc = op.getLoc();
    EdgesType edges = op.getScores().getType();
    Type elementType = edges.getElementType();
    DenseBlock block = getWholeGraph(rewriter, loc, op.getGraph());
    Value scores =
        EdgesToTensorOp::create(rewriter, loc, edges.getTensorType(graph),
                                op.getGraph(), op.getScores());
    ReductionMaps maps(rewriter, edges.getShape().size());
    auto lowest = rewriter.getFloatAttr(
        elementType, -std::numeric_limits<double>::infinity());
    auto zero = cast<TypedAttr>(rewriter.getZeroAttr(elementType));

    // exp(score - shift) of an edge, 0 of a pair that is none.
    auto emitWeight = [&](OpBuilder &b, Location l, Value score,
                          Value maximum) -> Value {
      Value shift = emitSoftmaxShift(b, l, maximum);
      Value weight =
          math::ExpOp::create(b, l, arith::SubFOp::create(b, l, score, shift));
      Value isEdge = emitIsEdge(b, l, graph, linalg::IndexOp::create(b, l, 0),
                                linalg::IndexOp::create(b, l, 1));
      if (!isEdge)
        return weight;
      return arith::SelectOp::create(b, l, isEdge, weight,
                                     emitScalar(b, l, elementType, 0));
    };
    Value empty = emitEmpty(rewriter, loc, {block.numDestinations},
                            edges.getShape(), elementType);
    Value maximum =
        linalg::GenericOp::create(
            rewriter, loc, TypeRange{empty.getType()}, scores,
            ValueRange{emitFill(rewriter, loc, lowest, empty)},
            {maps.edges, maps.nodes}, maps.iterators,
            [&](OpBuilder &b, Location l, ValueRange v) {
              Value larger = emitMax(b, l, v[1], v[0]);
              Value isEdge =
                  emitIsEdge(b, l, graph, linalg::IndexOp::create(b, l, 0),
                             linalg::IndexOp::create(b, l, 1));
              if (isEdge)
                larger = arith::SelectOp::create(b, l, isEdge, larger, v[1]);
              linalg::YieldOp::create(b, l, larger);
            })
            .getResult(0);
    Value sum =
        linalg::GenericOp::create(
            rewriter, loc, TypeRange{empty.getType()},
            ValueRange{scores, maximum},
            ValueRange{emitFill(rewriter, loc, zero, empty)},
            {maps.edges, maps.nodes, maps.nodes}, maps.iterators,
            [&](OpBuilder &b, Location l, ValueRange v) {
              Value weight = emitWeight(b, l, v[0], v[1]);
              linalg::YieldOp::create(b, l, emitAdd(b, l, v[2], weight));
            })
            .getResult(0);
    Value output =
        emitEmpty(rewriter, loc, {block.numDestinations, block.numSources},
                  edges.getShape(), elementType);
    Value weights =
        linalg::GenericOp::create(
            rewriter, loc, TypeRange{output.getType()},
            ValueRange{scores, maximum, sum}, ValueRange{output},
            {maps.edges, maps.nodes, maps.nodes, maps.edges},
            maps.allParallel(),
            [&](OpBuilder &b, Location l, ValueRange v) {
              Value weight = emitWeight(b, l, v[0], v[1]);
              linalg::YieldOp::create(b, l, emitNormalized(b, l, weight, v[2]));
            })
            .getResult(0);
    rewriter.replaceOpWithNewOp<EdgesFromTensorOp>(op, edges, op.getGraph(),
                                                   weights);
    return success();
  }
};

} // namespace

/// Number of in-edges of `destination` in a dense graph.
static Value emitDegree(OpBuilder &builder, Location loc, GNNGraphType graph,
                        Value numSources, Value destination) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  if (graph.getTopology() == Topology::Complete)
    return numSources;
  Value end = arith::AddIOp::create(builder, loc, destination, one);
  if (graph.getTopology() == Topology::Causal)
    return end;
  Value window =
      arith::ConstantIndexOp::create(builder, loc, graph.getWindow());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value begin = arith::MaxSIOp::create(
      builder, loc, zero,
      arith::SubIOp::create(builder, loc, destination, window));
  end =
      arith::MinSIOp::create(builder, loc, numSources,
                             arith::AddIOp::create(builder, loc, end, window));
  return arith::SubIOp::create(builder, loc, end, begin);
}

/// Aggregates values computed by `dense`, which does not reduce features.
static SmallVector<Value> emitAggregation(PatternRewriter &rewriter,
                                          Location loc,
                                          TypedValue<GNNGraphType> graph,
                                          ArrayAttr aggregators,
                                          const DenseFunction &dense) {
  GNNGraphType type = graph.getType();
  const EdgeFunction &function = dense.function;
  Type elementType = function.getResultElementType();
  Aggregation aggregation(aggregators, elementType);
  DenseBlock block = getWholeGraph(rewriter, loc, graph);
  SmallVector<int64_t> shape = getResultShape(function);

  SmallVector<Value> init;
  SmallVector<AffineMap> maps(dense.maps);
  AffineMap nodeMap =
      getLeadingMap(rewriter.getContext(), 2, {0}, function.resultMap);
  SmallVector<utils::IteratorType> iterators(dense.iterators);
  iterators[1] = utils::IteratorType::reduction;
  for (TypedAttr value : aggregation.getInitialValues()) {
    Value empty =
        emitEmpty(rewriter, loc, {block.numDestinations}, shape, elementType);
    init.push_back(emitFill(rewriter, loc, value, empty));
    maps.push_back(nodeMap);
  }
  unsigned numInputs = dense.inputs.size();
  auto reduction = linalg::GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(init)), dense.inputs, init, maps,
      iterators, [&](OpBuilder &b, Location l, ValueRange args) {
        Value i = linalg::IndexOp::create(b, l, 0);
        Value j = linalg::IndexOp::create(b, l, 1);
        Value isEdge = emitIsEdge(b, l, type, i, j);
        Value value =
            cloneBody(b, dense, args.take_front(numInputs), {}, {i, j});
        ValueRange old = args.drop_front(numInputs);
        SmallVector<Value> next = aggregation.accumulate(b, l, old, value);
        if (isEdge)
          for (auto [n, o] : llvm::zip(next, old))
            n = arith::SelectOp::create(b, l, isEdge, n, o);
        linalg::YieldOp::create(b, l, next);
      });

  // (i, features): accumulators to results.
  unsigned rank = shape.size() + 1;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < aggregation.getNumResults(); ++i)
    outputs.push_back(
        emitEmpty(rewriter, loc, {block.numDestinations}, shape, elementType));
  SmallVector<AffineMap> identities(init.size() + outputs.size(), identity);
  Value numSources = cast<Value>(block.numSources);
  auto finish = linalg::GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(outputs)), reduction.getResults(),
      outputs, identities,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value degree = emitDegree(b, l, type, numSources,
                                  linalg::IndexOp::create(b, l, 0));
        linalg::YieldOp::create(
            b, l,
            aggregation.finish(b, l, args.take_front(init.size()), degree));
      });
  return SmallVector<Value>(finish.getResults());
}

namespace {
struct LowerDenseAggregate : public OpRewritePattern<AggregateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AggregateOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGraph().getType().hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    replaceByMessageAggregate(rewriter, op);
    return success();
  }
};

struct LowerDenseMessageAggregate
    : public OpRewritePattern<MessageAggregateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MessageAggregateOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGraph().getType().hasDenseEdges())
      return rewriter.notifyMatchFailure(op, "the topology is not dense");
    if (op.getEdgeFunction().hasReduction())
      return rewriter.notifyMatchFailure(
          op, "a message that reduces features needs a row loop");
    DenseFunction dense =
        getDenseFunction(withEdgeTensors(rewriter, op.getLoc(), op.getGraph(),
                                         op.getEdgeFunction()),
                         LeadingLoops::forEdges());
    // The loop over sources needs an operand that has it.
    bool hasSource = llvm::any_of(
        dense.maps, [](AffineMap map) { return map.isFunctionOfDim(1); });
    if (!hasSource)
      return rewriter.notifyMatchFailure(
          op, "no operand gives the number of sources");
    rewriter.replaceOp(op, emitAggregation(rewriter, op.getLoc(), op.getGraph(),
                                           op.getAggregators(), dense));
    return success();
  }
};
} // namespace

void gnn::populateEdgesToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUpdate, LowerLookup, LowerDenseMessage, LowerDenseSoftmax,
               LowerDenseAggregate, LowerDenseMessageAggregate>(
      patterns.getContext());
}
