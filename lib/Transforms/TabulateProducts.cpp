//===- TabulateProducts.cpp - All products of a node's row ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeOperands.h"
#include "gnn/Transforms/EdgeMatrices.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_TABULATEPRODUCTSPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Messages that choose products of the row of one of their ends.
struct ChosenProducts {
  EdgeFunction function;
  EdgeMatrices matrices;
  /// The operand that has the rows, and which end they are of.
  unsigned rows;
  NodeSide side;
  /// What multiplies them besides, or null; it is the same along the row.
  Value scale;
  ConstantBytes weights;
};
} // namespace

/// The end of the edge of whose row `value` is an element in each block, if it
/// is one.
static std::optional<NodeSide> getEndOfElement(const EdgeFunction &function,
                                               const EdgeMatrices &matrices,
                                               Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.body->front() ||
      argument == function.getAccumulator())
    return std::nullopt;
  unsigned number = argument.getArgNumber();
  SmallVector<unsigned> loops;
  if (matrices.block)
    loops.push_back(*matrices.block);
  loops.push_back(matrices.row);
  OperandRole role = function.roles[number];
  if ((role != OperandRole::Source && role != OperandRole::Destination) ||
      !llvm::equal(function.operandMaps[number].getResults(), loops,
                   [](AffineExpr expr, unsigned loop) {
                     return cast<AffineDimExpr>(expr).getPosition() == loop;
                   }))
    return std::nullopt;
  return role == OperandRole::Source ? NodeSide::Source : NodeSide::Destination;
}

static std::optional<ChosenProducts> getChosenProducts(MessageOp op) {
  EdgeFunction function = op.getEdgeFunction();
  std::optional<EdgeMatrices> matrices = getEdgeMatrices(function);
  if (!matrices)
    return std::nullopt;
  std::optional<ConstantBytes> bytes = getConstantBytes(matrices->table);
  if (!bytes)
    return std::nullopt;
  auto isScale = [&](Value value) {
    return isInvariant(function, value,
                       [&](unsigned loop) { return loop == matrices->row; });
  };
  auto get = [&](Value element, Value scale) -> std::optional<ChosenProducts> {
    std::optional<NodeSide> side =
        getEndOfElement(function, *matrices, element);
    if (!side || (scale && !isScale(scale)))
      return std::nullopt;
    return ChosenProducts{
        function, *matrices, cast<BlockArgument>(element).getArgNumber(),
        *side,    scale,     *bytes};
  };
  if (std::optional<ChosenProducts> plain = get(matrices->factor, Value()))
    return plain;
  auto product = matrices->factor.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (std::optional<ChosenProducts> scaled =
            get(product->getOperand(i), product->getOperand(1 - i)))
      return scaled;
  return std::nullopt;
}

/// All matrices side by side: [blocks x] rows x (matrices x columns).
static Value createSideBySide(OpBuilder &builder, Location loc,
                              const ChosenProducts &products) {
  const EdgeMatrices &matrices = products.matrices;
  RankedTensorType table = matrices.table.getType();
  int64_t numMatrices = matrices.getNumMatrices(),
          numBlocks = matrices.getNumBlocks(), numRows = matrices.getNumRows();
  int64_t rowBytes =
      matrices.getNumColumns() * (table.getElementTypeBitWidth() / 8);
  std::vector<char> data;
  data.reserve(products.weights.data.size());
  for (int64_t block = 0; block < numBlocks; ++block)
    for (int64_t row = 0; row < numRows; ++row)
      for (int64_t matrix = 0; matrix < numMatrices; ++matrix)
        llvm::append_range(
            data, products.weights.data.slice(
                      ((matrix * numBlocks + block) * numRows + row) * rowBytes,
                      rowBytes));
  SmallVector<int64_t> shape{numRows, numMatrices * matrices.getNumColumns()};
  if (numBlocks > 1)
    shape.insert(shape.begin(), numBlocks);
  auto type = RankedTensorType::get(shape, table.getElementType());
  return arith::ConstantOp::create(
      builder, loc, createResource(type, products.weights.name, data));
}

/// A matrix for each block of the rows, tensor<? x blocks x rows>.
static Value createBlockProducts(OpBuilder &builder, Location loc, Value rows,
                                 Value weights) {
  auto type = cast<RankedTensorType>(weights.getType());
  AffineExpr block, row, column;
  bindDims(builder.getContext(), block, row, column);
  auto getMap = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(3, 0, results, builder.getContext());
  };
  auto iterators = builder.getStrArrayAttr(
      {utils::stringifyIteratorType(utils::IteratorType::parallel),
       utils::stringifyIteratorType(utils::IteratorType::reduction),
       utils::stringifyIteratorType(utils::IteratorType::parallel)});
  auto update = UpdateOp::create(
      builder, loc,
      RankedTensorType::get(
          {ShapedType::kDynamic, type.getDimSize(0), type.getDimSize(2)},
          type.getElementType()),
      rows, weights,
      builder.getAffineMapArrayAttr({getMap({block, row}),
                                     getMap({block, row, column}),
                                     getMap({block, column})}),
      iterators);
  OpBuilder::InsertionGuard guard(builder);
  Type element = type.getElementType();
  Block *body = builder.createBlock(
      &update.getBody(), {}, {element, element, element}, {loc, loc, loc});
  Value product = arith::MulFOp::create(builder, loc, body->getArgument(0),
                                        body->getArgument(1));
  YieldOp::create(
      builder, loc,
      arith::AddFOp::create(builder, loc, body->getArgument(2), product)
          .getResult());
  return update.getResult();
}

/// What each node's row is multiplied to: tensor<? x [blocks x] (matrices x
/// columns)>.
static Value createTable(OpBuilder &builder, Location loc,
                         const ChosenProducts &products) {
  Value rows = products.function.operands[products.rows];
  Value weights = createSideBySide(builder, loc, products);
  if (products.matrices.getNumBlocks() > 1)
    return createBlockProducts(builder, loc, rows, weights);
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  if (products.matrices.block)
    rows = tensor::CollapseShapeOp::create(builder, loc, rows, groups);
  Value table = createLinearLayer(builder, loc, rows, weights);
  if (!products.matrices.block)
    return table;
  auto type = cast<RankedTensorType>(table.getType());
  return tensor::ExpandShapeOp::create(
      builder, loc,
      RankedTensorType::get({ShapedType::kDynamic, 1, type.getDimSize(1)},
                            type.getElementType()),
      table, groups,
      SmallVector<OpFoldResult>{tensor::getMixedSize(builder, loc, table, 0),
                                builder.getIndexAttr(1),
                                builder.getIndexAttr(type.getDimSize(1))});
}

/// Messages that look their part of the table up, with the loops of the result.
static Value createLookups(OpBuilder &builder, MessageOp op,
                           const ChosenProducts &products, Value table) {
  Location loc = op.getLoc();
  const EdgeFunction &function = products.function;
  const EdgeMatrices &matrices = products.matrices;
  // Loops of the results: a block, if there are blocks, and a column.
  SmallVector<unsigned> positions(function.getNumLoops(), 0);
  for (auto [i, expr] : llvm::enumerate(function.resultMap.getResults()))
    positions[cast<AffineDimExpr>(expr).getPosition()] = i;
  unsigned numLoops = function.resultMap.getNumResults();
  SmallVector<EdgeOperand> operands;
  for (EdgeOperand operand : getEdgeOperands(function)) {
    SmallVector<AffineExpr> results;
    bool isOfRow = false;
    for (AffineExpr expr : operand.map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      isOfRow |= loop == matrices.row;
      results.push_back(builder.getAffineDimExpr(positions[loop]));
    }
    if (isOfRow)
      continue;
    operand.map = AffineMap::get(numLoops, 0, results, builder.getContext());
    operands.push_back(operand);
  }
  GroupedOperands grouped(operands);
  SmallVector<StringRef> iterators(
      numLoops, utils::stringifyIteratorType(utils::IteratorType::parallel));
  auto message = MessageOp::create(
      builder, loc, op.getResult().getType(), op.getGraph(), grouped.dst,
      grouped.src, grouped.edge, grouped.uniform,
      grouped.getMaps(builder, builder.getMultiDimIdentityMap(numLoops)),
      builder.getStrArrayAttr(iterators));
  OpBuilder::InsertionGuard guard(builder);
  IRMapping mapping;
  grouped.createBlock(builder, message.getBody(), mapping);
  auto clone = [&](Value value) {
    for (Operation *inner : function.getComputation(value)) {
      if (auto index = dyn_cast<FeatureIndexOp>(inner))
        mapping.map(
            index.getResult(),
            FeatureIndexOp::create(builder, loc, positions[index.getLoop()])
                .getResult());
      else
        builder.clone(*inner, mapping);
    }
    return mapping.lookupOrDefault(value);
  };
  SmallVector<Value> indices{IndexOp::create(builder, loc, products.side)};
  if (matrices.block)
    indices.push_back(FeatureIndexOp::create(builder, loc, 0));
  Value width =
      arith::ConstantIndexOp::create(builder, loc, matrices.getNumColumns());
  Value first =
      arith::MulIOp::create(builder, loc, clone(matrices.number), width);
  Value column = FeatureIndexOp::create(builder, loc, numLoops - 1);
  indices.push_back(arith::AddIOp::create(builder, loc, first, column));
  Value result = tensor::ExtractOp::create(builder, loc, table, indices);
  if (products.scale)
    result = arith::MulFOp::create(builder, loc, result, clone(products.scale));
  YieldOp::create(builder, loc, result);
  return message.getResult();
}

namespace {
struct LookUpProducts : public OpRewritePattern<MessageOp> {
  LookUpProducts(MLIRContext *context,
                 llvm::function_ref<void()> notifyTabulated, int64_t maxColumns,
                 int64_t maxDenseColumns)
      : OpRewritePattern(context), notifyTabulated(notifyTabulated),
        maxColumns(maxColumns), maxDenseColumns(maxDenseColumns) {}

  LogicalResult matchAndRewrite(MessageOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ChosenProducts> products = getChosenProducts(op);
    if (!products)
      return rewriter.notifyMatchFailure(op, "edges choose no matrix");
    const EdgeMatrices &matrices = products->matrices;
    // Where pairs of nodes are the edges, there are more than matrices.
    Topology topology = op.getGraph().getType().getTopology();
    bool hasList = topology == Topology::CSR || topology == Topology::COO;
    if (matrices.getNumMatrices() * matrices.getNumBlocks() *
            matrices.getNumColumns() >
        (hasList ? maxColumns : maxDenseColumns))
      return rewriter.notifyMatchFailure(op, "there are too many products");
    Value table = createTable(rewriter, op.getLoc(), *products);
    rewriter.replaceOp(op, createLookups(rewriter, op, *products, table));
    notifyTabulated();
    return success();
  }

private:
  llvm::function_ref<void()> notifyTabulated;
  int64_t maxColumns, maxDenseColumns;
};

struct TabulateProductsPass
    : public gnn::impl::TabulateProductsPassBase<TabulateProductsPass> {
  using TabulateProductsPassBase::TabulateProductsPassBase;

  void runOnOperation() override {
    numTabulated += replaceLinearLayers<LookUpProducts>(
        getOperation(), maxColumns.getValue(), maxDenseColumns.getValue());
  }
};
} // namespace
