//===- GNNOps.cpp - Operations of the gnn dialect ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace gnn;

bool gnn::isSum(ArrayAttr aggregators) {
  return aggregators.size() == 1 &&
         cast<AggregatorAttr>(aggregators[0]).getValue() == Aggregator::Sum;
}

bool gnn::isSelfLoopTest(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare &&
         (compare.getPredicate() == arith::CmpIPredicate::eq ||
          compare.getPredicate() == arith::CmpIPredicate::ne) &&
         compare.getLhs().getDefiningOp<IndexOp>() &&
         compare.getRhs().getDefiningOp<IndexOp>();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseAggregators(OpAsmParser &parser,
                                    ArrayAttr &aggregators) {
  SmallVector<Attribute> attributes;
  auto parseElement = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Aggregator> aggregator = symbolizeAggregator(keyword);
    if (!aggregator)
      return parser.emitError(loc)
             << "unknown aggregator '" << keyword
             << "'; expected sum, mean, max, min, mul, var, std or softmax";
    attributes.push_back(AggregatorAttr::get(parser.getContext(), *aggregator));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseElement))
    return failure();
  aggregators = parser.getBuilder().getArrayAttr(attributes);
  return success();
}

static void printAggregators(OpAsmPrinter &printer, Operation *,
                             ArrayAttr aggregators) {
  printer << "[";
  llvm::interleaveComma(
      aggregators.getAsRange<AggregatorAttr>(), printer,
      [&](AggregatorAttr a) { printer << stringifyAggregator(a.getValue()); });
  printer << "]";
}

#define GET_OP_CLASSES
#include "gnn/Dialect/GNN/GNNOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// A node tensor of the given features, `?` rows: what an op over nodes yields.
static RankedTensorType getNodeTensorType(ArrayRef<int64_t> features,
                                          Type elementType) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, features);
  return RankedTensorType::get(shape, elementType);
}

static LogicalResult verifyNodeResult(Operation *op, Type result,
                                      ArrayRef<int64_t> features,
                                      Type elementType) {
  RankedTensorType expected = getNodeTensorType(features, elementType);
  if (result != expected)
    return op->emitOpError()
           << "result must be " << expected << ", got " << result;
  return success();
}

static LogicalResult verifyAggregators(Operation *op, ArrayAttr aggregators,
                                       ResultRange results,
                                       ArrayRef<int64_t> features,
                                       Type elementType) {
  if (aggregators.empty())
    return op->emitOpError() << "needs at least one aggregator";
  if (results.size() != aggregators.size())
    return op->emitOpError()
           << "needs one result per aggregator, " << aggregators.size()
           << ", got " << results.size();
  for (Value result : results)
    if (failed(verifyNodeResult(op, result.getType(), features, elementType)))
      return failure();
  for (auto attribute : aggregators.getAsRange<AggregatorAttr>()) {
    Aggregator aggregator = attribute.getValue();
    bool needsFloat =
        aggregator == Aggregator::Mean || aggregator == Aggregator::Var ||
        aggregator == Aggregator::Std || aggregator == Aggregator::Softmax;
    if (needsFloat && !isa<FloatType>(elementType))
      return op->emitOpError()
             << stringifyAggregator(aggregator)
             << " needs floating-point values, got " << elementType;
  }
  return success();
}

/// Ops that turn one graph into another carry edge values along.
static LogicalResult verifyCarriedEdges(Operation *op, TypeRange edges,
                                        TypeRange results) {
  if (edges != results)
    return op->emitOpError()
           << "must return the edge values it takes, with the same types";
  return success();
}

static LogicalResult verifySameKind(Operation *op, GNNGraphType graph,
                                    GNNGraphType result) {
  if (graph.getTopology() != result.getTopology() ||
      graph.getWindow() != result.getWindow() ||
      graph.getIndexWidth() != result.getIndexWidth() ||
      graph.getBipartite() != result.getBipartite())
    return op->emitOpError()
           << "must keep the topology, index type and bipartiteness of "
           << graph << ", got " << result;
  return success();
}

/// Ops that list the edges of a graph, all or some, by destination.
static LogicalResult verifyBecomesCSR(Operation *op, GNNGraphType graph,
                                      GNNGraphType result) {
  if (result.getTopology() != Topology::CSR)
    return op->emitOpError() << "yields a csr graph, got " << result;
  if (graph.getIndexWidth() != result.getIndexWidth() ||
      graph.getBipartite() != result.getBipartite())
    return op->emitOpError() << "must keep the index type and bipartiteness of "
                             << graph << ", got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

LogicalResult MakeGraphOp::verify() {
  GNNGraphType type = getGraph().getType();
  SmallVector<Type> expected = type.getPartTypes();
  if (TypeRange(getParts().getTypes()) != TypeRange(expected))
    return emitOpError() << "a " << stringifyTopology(type.getTopology())
                         << " graph is made of (" << expected << "), got ("
                         << getParts().getTypes() << ")";
  return success();
}

void GraphPartsOp::build(OpBuilder &, OperationState &state, Value graph) {
  state.addOperands(graph);
  state.addTypes(cast<GNNGraphType>(graph.getType()).getPartTypes());
}

LogicalResult GraphPartsOp::verify() {
  GNNGraphType type = getGraph().getType();
  SmallVector<Type> expected = type.getPartTypes();
  if (TypeRange(getParts().getTypes()) != TypeRange(expected))
    return emitOpError() << "a " << stringifyTopology(type.getTopology())
                         << " graph is made of (" << expected << "), got ("
                         << getParts().getTypes() << ")";
  return success();
}

LogicalResult DegreeOp::verify() {
  if (!getResult().getType().isDynamicDim(0))
    return emitOpError() << "the number of nodes is dynamic; result must be "
                         << getNodeTensorType(
                                {}, getResult().getType().getElementType());
  return success();
}

LogicalResult PositionOp::verify() {
  if (getGraph().getType().getBipartite())
    return emitOpError() << "numbers the nodes of one kind, but the graph is "
                            "bipartite";
  if (!getResult().getType().isDynamicDim(0))
    return emitOpError() << "the number of nodes is dynamic; result must be "
                         << getNodeTensorType(
                                {}, getResult().getType().getElementType());
  return success();
}

/// What looking `numbers` up in `table`, which has rows, yields.
static RankedTensorType getLookupType(RankedTensorType table,
                                      RankedTensorType numbers) {
  SmallVector<int64_t> shape(numbers.getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  return RankedTensorType::get(shape, table.getElementType());
}

void LookupOp::build(OpBuilder &, OperationState &state, Value table,
                     Value numbers) {
  state.addOperands({table, numbers});
  state.addTypes(getLookupType(cast<RankedTensorType>(table.getType()),
                               cast<RankedTensorType>(numbers.getType())));
}

LogicalResult LookupOp::verify() {
  auto table = cast<RankedTensorType>(getTable().getType());
  if (table.getRank() == 0)
    return emitOpError() << "needs a table with rows, got " << table;
  auto expected =
      getLookupType(table, cast<RankedTensorType>(getNumbers().getType()));
  if (getResult().getType() != expected)
    return emitOpError() << "yields a row of the table for each number, "
                         << expected << ", got " << getResult().getType();
  return success();
}

LogicalResult AddSelfLoopsOp::verify() {
  GNNGraphType graph = getGraph().getType();
  if (graph.getTopology() == Topology::COO)
    return emitOpError() << "sort the graph with gnn.to_csr first";
  if (graph.getBipartite() && graph.getTopology() == Topology::BlockDiagonal)
    return emitOpError()
           << "cannot add edges between the blocks of a bipartite "
              "block_diagonal graph; use a csr graph";
  if (graph.getTopology() == Topology::BlockDiagonal && !getEdges().empty())
    return emitOpError()
           << "cannot change edge values of a block_diagonal graph";
  if (graph.hasContiguousRows() && getMode() == SelfLoopMode::Keep)
    return emitOpError()
           << "a " << stringifyTopology(graph.getTopology())
           << " graph has every self loop already; use replace or reuse";
  if (getFill().size() != getEdges().size())
    return emitOpError() << "needs one fill per edge operand, "
                         << getEdges().size() << ", got " << getFill().size();
  for (auto [edges, fill] :
       llvm::zip(getEdges().getTypes(), getFill().getTypes())) {
    auto type = cast<EdgesType>(edges);
    RankedTensorType expected =
        getNodeTensorType(type.getShape(), type.getElementType());
    if (fill != expected)
      return emitOpError() << "the fill of " << type << " must be " << expected
                           << ", got " << fill;
  }
  if (failed(verifyCarriedEdges(*this, getEdges().getTypes(),
                                getResultEdges().getTypes())))
    return failure();
  return verifySameKind(*this, graph, getResult().getType());
}

LogicalResult RemoveSelfLoopsOp::verify() {
  GNNGraphType graph = getGraph().getType();
  if (graph.getTopology() == Topology::COO)
    return emitOpError() << "sort the graph with gnn.to_csr first";
  if (!graph.isListed())
    return emitOpError() << "cannot drop edges that the type of a "
                         << stringifyTopology(graph.getTopology())
                         << " graph says exist; use a csr graph";
  if (getResult().getType().getSelfLoops())
    return emitOpError() << "the result has no self loops, but its type "
                         << getResult().getType() << " promises them";
  if (failed(verifyCarriedEdges(*this, getEdges().getTypes(),
                                getResultEdges().getTypes())))
    return failure();
  return verifySameKind(*this, graph, getResult().getType());
}

LogicalResult ReverseOp::verify() {
  GNNGraphType graph = getGraph().getType();
  if (graph.getTopology() == Topology::Causal)
    return emitOpError()
           << "the reverse of a causal graph is no topology of the dialect; "
              "use a csr graph";
  if (failed(verifyCarriedEdges(*this, getEdges().getTypes(),
                                getResultEdges().getTypes())))
    return failure();
  return verifySameKind(*this, graph, getResult().getType());
}

LogicalResult ToCSROp::verify() {
  GNNGraphType graph = getGraph().getType();
  if (graph.getTopology() != Topology::COO)
    return emitOpError() << "takes a coo graph, got " << graph;
  if (failed(verifyBecomesCSR(*this, graph, getResult().getType())))
    return failure();
  return verifyCarriedEdges(*this, getEdges().getTypes(),
                            getResultEdges().getTypes());
}

//===----------------------------------------------------------------------===//
// Edge values
//===----------------------------------------------------------------------===//

LogicalResult EdgesFromTensorOp::verify() {
  RankedTensorType expected =
      getResult().getType().getTensorType(getGraph().getType());
  if (getTensor().getType() != expected)
    return emitOpError() << "values of " << getResult().getType() << " on "
                         << getGraph().getType() << " are held by " << expected
                         << ", got " << getTensor().getType();
  return success();
}

LogicalResult EdgesToTensorOp::verify() {
  RankedTensorType expected =
      getEdges().getType().getTensorType(getGraph().getType());
  if (getResult().getType() != expected)
    return emitOpError() << "values of " << getEdges().getType() << " on "
                         << getGraph().getType() << " are held by " << expected
                         << ", got " << getResult().getType();
  return success();
}

LogicalResult SpreadEdgesOp::verify() {
  GNNGraphType graph = getGraph().getType(), target = getTarget().getType();
  if (graph.getTopology() == Topology::COO)
    return emitOpError() << "spreads values of edges whose order is that of "
                            "their destinations, got "
                         << graph << "; sort it with gnn.to_csr first";
  if (target.isListed())
    return emitOpError() << "spreads values over a graph whose edges follow "
                            "from its type, got "
                         << target;
  if (graph.getBipartite() != target.getBipartite())
    return emitOpError() << "needs two graphs of the same nodes, but one of "
                         << graph << " and " << target << " is bipartite";
  return success();
}

//===----------------------------------------------------------------------===//
// Message, aggregate, update
//===----------------------------------------------------------------------===//

/// Ops over edges need them in rows; only to_csr reads a coo graph.
static LogicalResult verifyRows(Operation *op, GNNGraphType graph) {
  if (graph.getTopology() == Topology::COO)
    return op->emitOpError()
           << "needs the edges of a destination together; sort the coo graph "
              "with gnn.to_csr first";
  return success();
}

EdgeFunction MessageOp::getEdgeFunction() {
  return EdgeFunction::get(getDst(), getSrc(), getEdge(), getUniform(),
                           getIndexingMaps(), getIteratorTypes(), getBody());
}

LogicalResult MessageOp::verifyRegions() {
  if (failed(verifyRows(*this, getGraph().getType())) ||
      failed(EdgeFunction::verify(
          *this, getDst(), getSrc(), getEdge(), getUniform(), getIndexingMaps(),
          getIteratorTypes(), getBody(), "indexing_maps", "iterator_types")))
    return failure();
  EdgeFunction function = getEdgeFunction();
  auto expected = EdgesType::get(getContext(), function.getResultShape(),
                                 function.getResultElementType());
  if (getResult().getType() != expected)
    return emitOpError() << "computes " << expected << ", but its result is "
                         << getResult().getType();
  return success();
}

/// Scores of edges, by destination.
template <typename Op>
static LogicalResult verifyScores(Op op) {
  EdgesType scores = op.getScores().getType();
  if (!isa<FloatType>(scores.getElementType()))
    return op.emitOpError() << "needs floating-point scores, got " << scores;
  return verifyRows(op, op.getGraph().getType());
}

LogicalResult EdgeSoftmaxOp::verify() { return verifyScores(*this); }

/// How many edges of each destination are kept.
template <typename Op>
static LogicalResult verifyK(Op op) {
  if (op.getK() < 1 || op.getK() > 65536)
    return op.emitOpError() << "'k' must be from 1 to 65536, got " << op.getK();
  return success();
}

LogicalResult EdgeTopKOp::verify() {
  return failure(failed(verifyK(*this)) || failed(verifyScores(*this)));
}

EdgeFunction TopKGraphOp::getEdgeFunction() {
  return EdgeFunction::get(getDst(), getSrc(), getEdge(), getUniform(),
                           getIndexingMaps(), getIteratorTypes(), getBody());
}

LogicalResult TopKGraphOp::verifyRegions() {
  GNNGraphType graph = getGraph().getType(), result = getResult().getType();
  if (failed(verifyK(*this)) || failed(verifyRows(*this, graph)) ||
      failed(EdgeFunction::verify(
          *this, getDst(), getSrc(), getEdge(), getUniform(), getIndexingMaps(),
          getIteratorTypes(), getBody(), "indexing_maps", "iterator_types")))
    return failure();
  EdgeFunction function = getEdgeFunction();
  if (!function.getResultShape().empty() ||
      !isa<FloatType>(function.getResultElementType()))
    return emitOpError() << "needs one floating-point score for each edge, got "
                         << EdgesType::get(getContext(),
                                           function.getResultShape(),
                                           function.getResultElementType());
  if (failed(verifyBecomesCSR(*this, graph, result)))
    return failure();
  if (getOrder() && graph.getBipartite())
    return emitOpError() << "'order' is of nodes that are sources and "
                            "destinations, but the graph is bipartite";
  if (getOrder() &&
      getOrder().getType().getElementType() != graph.getIndexType())
    return emitOpError() << "'order' must have the index type of the graph, "
                         << graph.getIndexType() << ", got "
                         << getOrder().getType();
  if (result.getSorted())
    return emitOpError() << "orders edges by their scores, but its type "
                         << result << " promises to order them by sources";
  return success();
}

LogicalResult AggregateOp::verify() {
  if (failed(verifyRows(*this, getGraph().getType())))
    return failure();
  return verifyAggregators(*this, getAggregators(), getResults(),
                           getEdges().getType().getShape(),
                           getEdges().getType().getElementType());
}

EdgeFunction UpdateOp::getEdgeFunction() {
  return EdgeFunction::get(getNode(), {}, {}, getUniform(), getIndexingMaps(),
                           getIteratorTypes(), getBody());
}

LogicalResult UpdateOp::verifyRegions() {
  if (getNode().empty())
    return emitOpError()
           << "needs at least one node operand, which says how many nodes "
              "there are";
  if (failed(EdgeFunction::verify(
          *this, getNode(), {}, {}, getUniform(), getIndexingMaps(),
          getIteratorTypes(), getBody(), "indexing_maps", "iterator_types")))
    return failure();
  EdgeFunction function = getEdgeFunction();
  return verifyNodeResult(*this, getResult().getType(),
                          function.getResultShape(),
                          function.getResultElementType());
}

//===----------------------------------------------------------------------===//
// Fused forms
//===----------------------------------------------------------------------===//

EdgeFunction MessageAggregateOp::getEdgeFunction() {
  return EdgeFunction::get(getDst(), getSrc(), getEdge(), getUniform(),
                           getIndexingMaps(), getIteratorTypes(), getBody());
}

LogicalResult MessageAggregateOp::verifyRegions() {
  if (failed(verifyRows(*this, getGraph().getType())) ||
      failed(EdgeFunction::verify(
          *this, getDst(), getSrc(), getEdge(), getUniform(), getIndexingMaps(),
          getIteratorTypes(), getBody(), "indexing_maps", "iterator_types")))
    return failure();
  EdgeFunction function = getEdgeFunction();
  return verifyAggregators(*this, getAggregators(), getResults(),
                           function.getResultShape(),
                           function.getResultElementType());
}

EdgeFunction AttentionOp::getScoreFunction() {
  return EdgeFunction::get(getScoreDst(), getScoreSrc(), getScoreEdge(),
                           getScoreUniform(), getScoreMaps(),
                           getScoreIterators(), getScore());
}

EdgeFunction AttentionOp::getValueFunction() {
  return EdgeFunction::get(getValueDst(), getValueSrc(), getValueEdge(),
                           getValueUniform(), getValueMaps(),
                           getValueIterators(), getValue());
}

LogicalResult AttentionOp::verifyRegions() {
  if (failed(verifyRows(*this, getGraph().getType())) ||
      failed(EdgeFunction::verify(
          *this, getScoreDst(), getScoreSrc(), getScoreEdge(),
          getScoreUniform(), getScoreMaps(), getScoreIterators(), getScore(),
          "score_maps", "score_iterators")) ||
      failed(EdgeFunction::verify(*this, getValueDst(), getValueSrc(),
                                  getValueEdge(), getValueUniform(),
                                  getValueMaps(), getValueIterators(),
                                  getValue(), "value_maps", "value_iterators")))
    return failure();
  EdgeFunction score = getScoreFunction(), value = getValueFunction();
  if (!isa<FloatType>(score.getResultElementType()) ||
      score.getResultElementType() != value.getResultElementType())
    return emitOpError() << "score and value must yield the same float type, "
                            "got "
                         << score.getResultElementType() << " and "
                         << value.getResultElementType();
  if (getBounded() && getNormalization() != Normalization::Softmax)
    return emitOpError("'bounded' belongs to a softmax");
  AffineMap weightMap = getWeightMap();
  SmallVector<int64_t> valueShape = value.getResultShape();
  SmallVector<int64_t> scoreShape = score.getResultShape();
  if (llvm::is_contained(scoreShape, 0))
    return emitOpError("needs at least one score for each edge");
  if (weightMap.getNumDims() != valueShape.size() ||
      weightMap.getNumSymbols() != 0 || !weightMap.isProjectedPermutation() ||
      weightMap.getNumResults() != scoreShape.size())
    return emitOpError() << "'weight_map' must be a projected permutation from "
                         << valueShape.size()
                         << " dimensions of the value to the "
                         << scoreShape.size() << " of the score, got "
                         << getWeightMapAttr();
  for (auto [expr, size] : llvm::zip(weightMap.getResults(), scoreShape))
    if (valueShape[cast<AffineDimExpr>(expr).getPosition()] != size)
      return emitOpError()
             << "'weight_map' takes a score dimension of extent " << size
             << " to a value dimension of extent "
             << valueShape[cast<AffineDimExpr>(expr).getPosition()];
  return verifyNodeResult(*this, getResult().getType(), valueShape,
                          value.getResultElementType());
}
