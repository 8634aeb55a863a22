//===- HoistNodeProducts.cpp - Linear layers before edges ------*- C++ -*-===//
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_HOISTNODEPRODUCTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether a value of `body` is a sum of its arguments, with any signs.
static bool isSumOfArguments(Value value, Region *body) {
  if (value.getParentRegion() != body)
    return false;
  if (isa<BlockArgument>(value))
    return true;
  Operation *op = value.getDefiningOp();
  return isa<arith::AddFOp, arith::SubFOp, arith::NegFOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSumOfArguments(operand, body);
         });
}

/// Whether each edge gets a sum of rows of its nodes, with any signs.
static bool addsNodes(MessageOp op) {
  EdgeFunction function = op.getEdgeFunction();
  return op.getEdge().empty() && op.getUniform().empty() &&
         function.getNumLoops() == 1 && !function.hasReduction() &&
         function.resultMap.isIdentity() &&
         llvm::all_of(function.operandMaps,
                      [](AffineMap map) { return map.isIdentity(); }) &&
         isSumOfArguments(function.getYieldedValue(), function.body);
}

namespace {
/// Columns of the rows that a linear layer reads, and the rows of its weights
/// that these meet.
struct Part {
  Value rows;
  int64_t firstWeight = 0;
  /// What the rows are, in the order of edges; null if it is no sum of nodes'.
  MessageOp message;

  int64_t getWidth() const {
    return cast<RankedTensorType>(rows.getType()).getDimSize(1);
  }
};

/// (x_i || x_j - x_i || e) W to (x W1)_i + (x W2)_j - (x W2)_i + e W3.
struct HoistNodeProducts : public OpRewritePattern<linalg::MatmulOp> {
  HoistNodeProducts(MLIRContext *context,
                    llvm::function_ref<void()> notifyHoisted)
      : OpRewritePattern(context), notifyHoisted(notifyHoisted) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    SmallVector<Part> parts = getParts(op.getInputs()[0]);
    Value graph;
    for (Part part : parts) {
      if (ShapedType::isDynamic(part.getWidth()))
        return rewriter.notifyMatchFailure(op, "columns of unknown number");
      if (!part.message)
        continue;
      if (graph && graph != part.message.getGraph())
        return rewriter.notifyMatchFailure(op, "edges of several graphs");
      graph = part.message.getGraph();
    }
    if (!graph)
      return rewriter.notifyMatchFailure(op, "no columns are sums of nodes");
    std::optional<ConstantBytes> bytes = getConstantBytes(op.getInputs()[1]);
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "the weights are not known");
    auto type = cast<RankedTensorType>(op.getInputs()[1].getType());
    Layer layer{rewriter, op.getLoc(), type, *bytes};
    Value sums = emitSums(layer, graph, parts);
    rewriter.replaceOp(op, emitRest(layer, sums, parts));
    notifyHoisted();
    return success();
  }

private:
  struct Layer {
    PatternRewriter &rewriter;
    Location loc;
    /// Of the weights.
    RankedTensorType type;
    ConstantBytes weights;

    Value getWeights(ArrayRef<Part> parts) const;
  };

  static SmallVector<Part> getParts(Value rows);
  static Value emitSums(const Layer &layer, Value graph, ArrayRef<Part> parts);
  static Value emitRest(const Layer &layer, Value sums, ArrayRef<Part> parts);

  llvm::function_ref<void()> notifyHoisted;
};
} // namespace

/// What is side by side in `rows`.
SmallVector<Part> HoistNodeProducts::getParts(Value rows) {
  SmallVector<Value> values{rows};
  auto concat = rows.getDefiningOp<tensor::ConcatOp>();
  if (concat && concat.getDim() == 1)
    values.assign(concat.getInputs().begin(), concat.getInputs().end());
  SmallVector<Part> parts;
  int64_t firstWeight = 0;
  llvm::SmallPtrSet<Operation *, 4> messages;
  for (Value value : values) {
    parts.push_back({value, firstWeight, MessageOp()});
    firstWeight += parts.back().getWidth();
    // All pairs of nodes, in a row.
    auto pairs = value.getDefiningOp<tensor::CollapseShapeOp>();
    if (pairs && pairs.getReassociationIndices() ==
                     ArrayRef<ReassociationIndices>{{0, 1}, {2}})
      value = pairs.getSrc();
    auto edges = value.getDefiningOp<EdgesToTensorOp>();
    auto message =
        edges ? edges.getEdges().getDefiningOp<MessageOp>() : MessageOp();
    // A second copy of what one message yields would be multiplied by other
    // weights, but have the same arguments in the sum.
    if (message && message.getGraph() == edges.getGraph() &&
        addsNodes(message) && messages.insert(message).second)
      parts.back().message = message;
  }
  return parts;
}

/// The rows of the weights that belong to `parts`, one after the other.
Value HoistNodeProducts::Layer::getWeights(ArrayRef<Part> parts) const {
  return createRows(rewriter, loc, type, weights,
                    llvm::map_to_vector(parts, [](const Part &part) {
                      return RowRange{part.firstWeight, part.getWidth()};
                    }));
}

/// The sum of the messages whose nodes' rows are multiplied first, a row for
/// each edge.
Value HoistNodeProducts::emitSums(const Layer &layer, Value graph,
                                  ArrayRef<Part> parts) {
  PatternRewriter &rewriter = layer.rewriter;
  Location loc = layer.loc;
  SmallVector<EdgeOperand> operands;
  for (Part part : parts) {
    if (!part.message)
      continue;
    Value weights = layer.getWeights(part);
    // Sources and destinations may be the same rows.
    llvm::SmallDenseMap<Value, Value> products;
    for (EdgeOperand operand :
         getEdgeOperands(part.message.getEdgeFunction())) {
      Value &product = products[operand.value];
      if (!product)
        product = createLinearLayer(rewriter, loc, operand.value, weights);
      operand.value = product;
      operands.push_back(operand);
    }
  }
  GroupedOperands grouped(operands);
  AffineMap identity = rewriter.getMultiDimIdentityMap(1);
  auto type = EdgesType::get(rewriter.getContext(), layer.type.getDimSize(1),
                             layer.type.getElementType());
  auto sum = MessageOp::create(
      rewriter, loc, type, graph, grouped.dst, grouped.src, grouped.edge,
      grouped.uniform, grouped.getMaps(rewriter, identity),
      rewriter.getStrArrayAttr(
          utils::stringifyIteratorType(utils::IteratorType::parallel)));
  {
    OpBuilder::InsertionGuard guard(rewriter);
    IRMapping mapping;
    grouped.createBlock(rewriter, sum.getBody(), mapping);
    Value total;
    for (Part part : parts) {
      if (!part.message)
        continue;
      EdgeFunction function = part.message.getEdgeFunction();
      for (Operation &op : function.body->front().without_terminator())
        rewriter.clone(op, mapping);
      Value value = mapping.lookup(function.getYieldedValue());
      total =
          total ? arith::AddFOp::create(rewriter, loc, total, value).getResult()
                : value;
    }
    YieldOp::create(rewriter, loc, total);
  }
  auto graphType = cast<GNNGraphType>(graph.getType());
  Value tensor = EdgesToTensorOp::create(
      rewriter, loc, type.getTensorType(graphType), graph, sum.getResult());
  if (!graphType.hasDenseEdges())
    return tensor;
  return tensor::CollapseShapeOp::create(
      rewriter, loc, tensor, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

/// `sums` and the product of what is no sum of nodes.
Value HoistNodeProducts::emitRest(const Layer &layer, Value sums,
                                  ArrayRef<Part> parts) {
  SmallVector<Part> rest = llvm::to_vector(llvm::make_filter_range(
      parts, [](const Part &part) { return !part.message; }));
  if (rest.empty())
    return sums;
  Location loc = layer.loc;
  SmallVector<Value> rows =
      llvm::map_to_vector(rest, [](const Part &part) { return part.rows; });
  Value all = rows.size() == 1 ? rows.front()
                               : tensor::ConcatOp::create(layer.rewriter, loc,
                                                          /*dim=*/1, rows)
                                     .getResult();
  return linalg::MatmulOp::create(layer.rewriter, loc,
                                  ValueRange{all, layer.getWeights(rest)},
                                  ValueRange{sums})
      .getResult(0);
}

namespace {
struct HoistNodeProductsPass
    : public gnn::impl::HoistNodeProductsPassBase<HoistNodeProductsPass> {
  void runOnOperation() override {
    numHoisted += replaceLinearLayers<HoistNodeProducts>(getOperation());
  }
};
} // namespace
