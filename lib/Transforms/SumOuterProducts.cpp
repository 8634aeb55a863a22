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
  /// The linear layer's rows, q, and constants.
  Value rows;
  Weights weights;
  std::optional<Weights> bias;
  int64_t numRows, numFactors, numColumns;

  /// The ops that ask for the number of rows of what goes.
  SmallVector<tensor::DimOp> counts;
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

/// The linear layer that the matrices of `messages` are, if only these read it.
static LogicalResult matchLayer(MatrixMessages &messages) {
  Operation *reader = nullptr;
  Value value = messages.matrix.value;
  auto step = [&](Operation *op, Value operand) {
    bool isRead = isReadBy(value, reader, messages.counts);
    reader = op;
    value = operand;
    return success(isRead);
  };
  // A value of edges has no rows to count.
  auto edges = value.getDefiningOp<EdgesFromTensorOp>();
  if (!edges || !edges->hasOneUse())
    return failure();
  reader = edges;
  value = edges.getTensor();
  auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand || expand.getSrcType().getRank() != 2 ||
      failed(step(expand, expand.getSrc())))
    return failure();
  if (auto update = value.getDefiningOp<UpdateOp>()) {
    messages.bias = getBias(update);
    if (!messages.bias || failed(step(update, update.getNode().front())))
      return failure();
  }
  auto layer = value.getDefiningOp<linalg::MatmulOp>();
  if (!isLinearLayer(layer) || !isReadBy(value, reader, messages.counts))
    return failure();
  std::optional<Weights> weights = getWeights(layer.getInputs()[1]);
  if (!weights)
    return failure();
  messages.rows = layer.getInputs()[0];
  messages.weights = *weights;
  messages.numRows =
      cast<RankedTensorType>(messages.rows.getType()).getDimSize(1);
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  messages.numFactors = shape[1];
  messages.numColumns = shape[2];
  return success();
}

static FailureOr<MatrixMessages> matchMessages(AggregateOp op) {
  auto message = op.getEdges().getDefiningOp<MessageOp>();
  if (!message || !message->hasOneUse() ||
      message.getGraph() != op.getGraph() || op.getAggregators().size() != 1)
    return failure();
  Aggregator aggregator =
      cast<AggregatorAttr>(op.getAggregators()[0]).getValue();
  if (aggregator != Aggregator::Sum && aggregator != Aggregator::Mean)
    return failure();
  EdgeFunction function = message.getEdgeFunction();
  SmallVector<EdgeOperand> operands = getEdgeOperands(function);
  for (unsigned matrix : {0, 1}) {
    if (!multipliesMatrix(function, 1 - matrix, matrix))
      continue;
    // Others are made once for a node, and read by all its edges.
    if (operands[matrix].role != OperandRole::Edge)
      continue;
    MatrixMessages messages{op,
                            message,
                            operands[1 - matrix],
                            operands[matrix],
                            Value(),
                            {},
                            std::nullopt,
                            0,
                            0,
                            0,
                            {}};
    if (succeeded(matchLayer(messages)))
      return messages;
  }
  return failure();
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

namespace {
struct SumOuterProductsPass
    : public gnn::impl::SumOuterProductsPassBase<SumOuterProductsPass> {
  using SumOuterProductsPassBase::SumOuterProductsPassBase;

  void runOnOperation() override {
    SmallVector<AggregateOp> ops;
    getOperation().walk([&](AggregateOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasChanged = false;
    for (AggregateOp op : ops) {
      FailureOr<MatrixMessages> messages = matchMessages(op);
      if (failed(messages) || messages->numColumns < minColumns ||
          messages->numRows * messages->numFactors > maxElements)
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, emit(rewriter, *messages));
      for (tensor::DimOp count : messages->counts)
        rewriter.modifyOpInPlace(
            count, [&] { count.getSourceMutable().assign(messages->rows); });
      ++numReordered;
      hasChanged = true;
    }
    if (hasChanged)
      eraseDeadOps(getOperation());
  }

private:
  static Value emit(OpBuilder &builder, MatrixMessages &messages) {
    Location loc = messages.aggregation.getLoc();
    int64_t rows = messages.numRows, factors = messages.numFactors,
            columns = messages.numColumns;
    Value q = EdgesFromTensorOp::create(
        builder, loc,
        EdgesType::get(builder.getContext(), {rows}, builder.getF32Type()),
        messages.message.getGraph(), messages.rows);
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
    if (!messages.bias)
      return result;
    factor.map = builder.getMultiDimIdentityMap(1);
    Value factorSums = createSums(builder, messages, factor, {factors});
    Value bias = createWeights(builder, loc, messages.bias->name,
                               {factors, columns}, messages.bias->data);
    Value ofBias = createLinearLayer(builder, loc, factorSums, bias);
    return createRowUpdate(
        builder, loc, {result, ofBias}, {},
        [](OpBuilder &b, Location l, ValueRange args) -> Value {
          return arith::AddFOp::create(b, l, args[0], args[1]);
        });
  }
};
} // namespace
