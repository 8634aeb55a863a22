//===- SumOuterProducts.cpp - Sums before the product they are of -*- C++
//-*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gnn {
#define GEN_PASS_DEF_SUMOUTERPRODUCTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Sums over edges of sum over c of p[c] Q[c, o], where Q is the linear layer
/// sum over d of q[d] W[d, c, o], plus a bias of c and o.
struct MatrixMessages {
  AggregateOp aggregation;
  MessageOp message;
  /// The operand that multiplies matrices, p, and that which has them, Q.
  EdgeOperand factor, matrix;
  BiasedLayer layer;
  Weights weights;
  /// Extents of d, c and o.
  int64_t numRows, numFactors, numColumns;

  /// The linear layer's rows, q.
  Value getRows() { return layer.layer.getInputs()[0]; }
};
} // namespace

/// Whether `function` adds up, along its one reduction c, p[c] times Q[c, o].
static bool multipliesMatrix(const EdgeFunction &function, unsigned factor,
                             unsigned matrix) {
  if (function.operands.size() != 2 || function.getNumLoops() != 2 ||
      !function.hasReduction() || !multipliesArguments(function))
    return false;
  unsigned reduced =
      function.iterators[0] == utils::IteratorType::reduction ? 0 : 1;
  MLIRContext *context = function.body->getContext();
  auto isOver = [&](AffineMap map, ArrayRef<unsigned> loops) {
    return llvm::equal(map.getResults(), loops,
                       [&](AffineExpr expr, unsigned loop) {
                         return expr == getAffineDimExpr(loop, context);
                       });
  };
  return isOver(function.resultMap, {1 - reduced}) &&
         isOver(function.operandMaps[factor], {reduced}) &&
         isOver(function.operandMaps[matrix], {reduced, 1 - reduced});
}

/// `op` and the messages that it adds up, of which `matrix` is the number of
/// the operand that has matrices.
static std::optional<MatrixMessages>
getMatrixMessages(AggregateOp op, MessageOp message, unsigned matrix) {
  EdgeFunction function = message.getEdgeFunction();
  if (!multipliesMatrix(function, 1 - matrix, matrix))
    return std::nullopt;
  SmallVector<EdgeOperand> operands = getEdgeOperands(function);
  // Others than edges have one that is made once and read by all their edges.
  auto edges = operands[matrix].value.getDefiningOp<EdgesFromTensorOp>();
  if (!edges || !edges->hasOneUse())
    return std::nullopt;
  auto expand = edges.getTensor().getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand || expand.getSrcType().getRank() != 2 ||
      expand.getReassociationIndices().front().size() != 1)
    return std::nullopt;
  auto counts = getRowCounts(expand.getResult(), edges);
  std::optional<BiasedLayer> layer = getBiasedLayer(expand.getSrc(), expand);
  if (!counts || !layer)
    return std::nullopt;
  layer->counts.append(*counts);
  std::optional<Weights> weights = getWeights(layer->layer.getInputs()[1]);
  if (!weights)
    return std::nullopt;
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  int64_t numRows =
      cast<RankedTensorType>(layer->layer.getInputs()[0].getType())
          .getDimSize(1);
  return MatrixMessages{op,
                        message,
                        operands[1 - matrix],
                        operands[matrix],
                        *layer,
                        *weights,
                        numRows,
                        shape[1],
                        shape[2]};
}

static std::optional<MatrixMessages> getMatrixMessages(AggregateOp op) {
  auto message = op.getEdges().getDefiningOp<MessageOp>();
  if (!message || !message->hasOneUse() ||
      message.getGraph() != op.getGraph() || !isSumOrMean(op.getAggregators()))
    return std::nullopt;
  for (unsigned matrix : {0, 1})
    if (std::optional<MatrixMessages> messages =
            getMatrixMessages(op, message, matrix))
      return messages;
  return std::nullopt;
}

/// What nodes sum up of one product of two elements per edge, or of one.
static Value createSums(OpBuilder &builder, MatrixMessages &messages,
                        ArrayRef<EdgeOperand> operands,
                        ArrayRef<int64_t> shape) {
  Location loc = messages.message.getLoc();
  Type element = builder.getF32Type();
  GroupedOperands grouped(operands);
  AffineMap all = builder.getMultiDimIdentityMap(shape.size());
  SmallVector<StringRef> iterators(
      shape.size(),
      utils::stringifyIteratorType(utils::IteratorType::parallel));
  auto message = MessageOp::create(
      builder, loc, EdgesType::get(builder.getContext(), shape, element),
      messages.message.getGraph(), grouped.dst, grouped.src, grouped.edge,
      grouped.uniform, grouped.getMaps(builder, all),
      builder.getStrArrayAttr(iterators));
  {
    OpBuilder::InsertionGuard guard(builder);
    IRMapping mapping;
    Block *body = grouped.createBlock(builder, message.getBody(), mapping);
    Value product = body->getArgument(0);
    for (BlockArgument factor : llvm::drop_begin(body->getArguments()))
      product = arith::MulFOp::create(builder, loc, product, factor);
    YieldOp::create(builder, loc, product);
  }
  SmallVector<int64_t> result{ShapedType::kDynamic};
  llvm::append_range(result, shape);
  AggregateOp aggregation = messages.aggregation;
  return AggregateOp::create(builder, aggregation.getLoc(),
                             RankedTensorType::get(result, element),
                             aggregation.getAggregators(),
                             aggregation.getGraph(), message.getResult())
      .getResult(0);
}

/// W[d, c, o] as an array of c, d, o.
static SmallVector<float> swapOuter(ArrayRef<float> data, int64_t rows,
                                    int64_t columns) {
  SmallVector<float> result;
  result.reserve(data.size());
  int64_t factors = data.size() / (rows * columns);
  for (int64_t c = 0; c < factors; ++c)
    for (int64_t d = 0; d < rows; ++d)
      llvm::append_range(result,
                         data.slice((d * factors + c) * columns, columns));
  return result;
}

/// The linear layer of sums of outer products that `messages` are.
static Value createLayer(OpBuilder &builder, MatrixMessages &messages) {
  Location loc = messages.aggregation.getLoc();
  int64_t rows = messages.numRows, factors = messages.numFactors,
          columns = messages.numColumns;
  Value q = EdgesFromTensorOp::create(
      builder, loc,
      EdgesType::get(builder.getContext(), {rows}, builder.getF32Type()),
      messages.message.getGraph(), messages.getRows());
  // The one that fills vectors is inside.
  constexpr int64_t vectorElements = 16;
  bool factorsOutside = factors % vectorElements != 0 && factors < rows;
  AffineExpr outside, inside;
  bindDims(builder.getContext(), outside, inside);
  EdgeOperand ofRows = messages.matrix, factor = messages.factor;
  ofRows.value = q;
  ofRows.map = AffineMap::get(2, 0, factorsOutside ? inside : outside);
  factor.map = AffineMap::get(2, 0, factorsOutside ? outside : inside);
  SmallVector<int64_t> shape{rows, factors};
  if (factorsOutside)
    std::swap(shape[0], shape[1]);
  Value sums = createSums(builder, messages, {ofRows, factor}, shape);
  sums = tensor::CollapseShapeOp::create(
      builder, loc, sums, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value weights = createWeights(
      builder, loc, messages.weights.name, {rows * factors, columns},
      factorsOutside ? swapOuter(messages.weights.data, rows, columns)
                     : SmallVector<float>(messages.weights.data));
  Value result = createLinearLayer(builder, loc, sums, weights);
  if (!messages.layer.bias)
    return result;
  factor.map = builder.getMultiDimIdentityMap(1);
  Value factorSums = createSums(builder, messages, factor, {factors});
  Weights constants = *getBias(messages.layer.bias);
  Value bias = createWeights(builder, loc, constants.name, {factors, columns},
                             constants.data);
  Value ofBias = createLinearLayer(builder, loc, factorSums, bias);
  return createRowUpdate(
      builder, loc, {result, ofBias}, {},
      [](OpBuilder &b, Location l, ValueRange args) -> Value {
        return arith::AddFOp::create(b, l, args[0], args[1]);
      });
}

namespace {
struct SumProducts : public OpRewritePattern<AggregateOp> {
  SumProducts(MLIRContext *context, llvm::function_ref<void()> notifyReordered,
              int64_t maxElements, int64_t minColumns)
      : OpRewritePattern(context), notifyReordered(notifyReordered),
        maxElements(maxElements), minColumns(minColumns) {}

  LogicalResult matchAndRewrite(AggregateOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<MatrixMessages> messages = getMatrixMessages(op);
    if (!messages)
      return rewriter.notifyMatchFailure(op, "no sum of rows times matrices");
    if (messages->numColumns < minColumns ||
        messages->numRows * messages->numFactors > maxElements)
      return rewriter.notifyMatchFailure(op, "edges have less to do as it is");
    rewriter.replaceOp(op, createLayer(rewriter, *messages));
    setCounted(rewriter, messages->layer.counts, messages->getRows());
    notifyReordered();
    return success();
  }

private:
  llvm::function_ref<void()> notifyReordered;
  int64_t maxElements, minColumns;
};

struct SumOuterProductsPass
    : public gnn::impl::SumOuterProductsPassBase<SumOuterProductsPass> {
  using SumOuterProductsPassBase::SumOuterProductsPassBase;

  void runOnOperation() override {
    numReordered += replaceLinearLayers<SumProducts>(
        getOperation(), maxElements.getValue(), minColumns.getValue());
  }
};
} // namespace
