//===- MessageOps.cpp - Message, aggregate, update --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

//===----------------------------------------------------------------------===//
// The computation of one edge
//===----------------------------------------------------------------------===//

/// Sets the region's arguments to what the edge sees at the point `loops`;
/// those that differ along a reduction only where `inReduction`.
void Evaluator::setEdgeArguments(const EdgeFunction &function,
                                 ArrayRef<int64_t> loops, int64_t edge,
                                 bool inReduction) {
  featureIndices.assign(loops.begin(), loops.end());
  for (auto [i, operand] : llvm::enumerate(function.operands)) {
    BlockArgument argument = function.body->front().getArgument(i);
    bool differs = llvm::any_of(
        function.operandMaps[i].getResults(), [&](AffineExpr expr) {
          return function.iterators[cast<AffineDimExpr>(expr).getPosition()] ==
                 utils::IteratorType::reduction;
        });
    if (differs && !inReduction)
      continue;
    const Value &value = get(operand);
    auto *edges = std::get_if<Edges>(&value);
    auto *tensor = edges ? &edges->values : std::get_if<Tensor>(&value);
    if (!tensor) {
      set(argument, getScalar(operand));
      continue;
    }
    SmallVector<int64_t> indices;
    if (function.roles[i] == OperandRole::Destination)
      indices.push_back(currentDestination);
    else if (function.roles[i] == OperandRole::Source)
      indices.push_back(currentSource);
    else if (function.roles[i] == OperandRole::Edge)
      indices.push_back(edge);
    llvm::append_range(indices, apply(function.operandMaps[i], loops));
    set(argument, tensor->get(tensor->getPosition(indices)));
  }
}

LogicalResult Evaluator::evaluateEdge(const EdgeFunction &function,
                                      ArrayRef<int64_t> loopSizes,
                                      int64_t destination, int64_t source,
                                      int64_t edge, Tensor &result,
                                      int64_t offset) {
  currentDestination = destination;
  currentSource = source;
  SmallVector<int64_t> resultShape = function.getResultShape();
  auto getPosition = [&](ArrayRef<int64_t> loops) {
    int64_t position = 0;
    for (auto [index, size] :
         llvm::zip(apply(function.resultMap, loops), resultShape))
      position = position * size + index;
    return offset + position;
  };
  auto evaluateAll = [&](ArrayRef<Operation *> ops) -> LogicalResult {
    for (Operation *op : ops)
      if (failed(evaluate(op)))
        return failure();
    return success();
  };

  mlir::Value accumulated = function.getAccumulated();
  SmallVector<Operation *> step = function.getComputation(accumulated);
  SmallVector<int64_t> loops(loopSizes.size(), 0);
  if (!llvm::is_contained(loopSizes, 0)) {
    do {
      setEdgeArguments(function, loops, edge, /*inReduction=*/true);
      int64_t position = getPosition(loops);
      if (BlockArgument accumulator = function.getAccumulator())
        set(accumulator, result.get(position));
      if (failed(evaluateAll(step)))
        return failure();
      result.set(position, getScalar(accumulated));
    } while (advance(loops, loopSizes));
  }
  Operation *reduced = function.getReduced();
  if (!reduced)
    return success();

  // What follows the reduction, once for each element of the result.
  SmallVector<int64_t> parallelSizes(loopSizes);
  for (auto [size, iterator] : llvm::zip(parallelSizes, function.iterators))
    if (iterator == utils::IteratorType::reduction)
      size = 1;
  if (llvm::is_contained(parallelSizes, 0))
    return success();
  SmallVector<Operation *> finish =
      function.getComputation(function.getYieldedValue());
  loops.assign(loopSizes.size(), 0);
  do {
    setEdgeArguments(function, loops, edge, /*inReduction=*/false);
    int64_t position = getPosition(loops);
    set(reduced->getResult(0), result.get(position));
    if (failed(evaluateAll(finish)))
      return failure();
    result.set(position, getScalar(function.getYieldedValue()));
  } while (advance(loops, parallelSizes));
  return success();
}

FailureOr<Tensor> Evaluator::evaluateEdgeFunction(Operation *op,
                                                  const EdgeFunction &function,
                                                  const Graph &graph) {
  SmallVector<int64_t> loopSizes = function.getLoopSizes();
  for (auto [operand, role, map] :
       llvm::zip(function.operands, function.roles, function.operandMaps)) {
    if (role == OperandRole::Uniform)
      continue;
    int64_t expected = role == OperandRole::Destination ? graph.numDestinations
                       : role == OperandRole::Source    ? graph.numSources
                                                        : graph.getNumEdges();
    const Tensor &values = role == OperandRole::Edge ? getEdges(operand).values
                                                     : getTensor(operand);
    if (values.shape.front() != expected)
      return op->emitOpError() << "takes an operand of " << values.shape.front()
                               << " rows where " << expected << " are needed";
  }
  SmallVector<int64_t> shape{graph.getNumEdges()};
  llvm::append_range(shape, function.getResultShape());
  FailureOr<int64_t> size =
      countElements([&] { return op->emitOpError(); }, shape);
  if (failed(size))
    return failure();
  // Zeros, for a reduction accumulates in place.
  Tensor result =
      Tensor::getZero(shape, isa<FloatType>(function.getResultElementType()));
  for (int64_t e = 0; e < graph.getNumEdges(); ++e)
    if (failed(evaluateEdge(function, loopSizes, graph.destinations[e],
                            graph.sources[e], e, result,
                            e * (*size / graph.getNumEdges()))))
      return failure();
  return result;
}

LogicalResult Evaluator::evaluateMessage(MessageOp op) {
  FailureOr<Tensor> values =
      evaluateEdgeFunction(op, op.getEdgeFunction(), getGraph(op.getGraph()));
  if (failed(values))
    return failure();
  set(op.getResult(), Value(Edges{std::move(*values)}));
  return success();
}

LogicalResult Evaluator::evaluateUpdate(UpdateOp op) {
  // An update is a message from every node to itself.
  Graph nodes;
  nodes.numDestinations = getTensor(op.getNode().front()).shape.front();
  nodes.numSources = nodes.numDestinations;
  nodes.destinations.resize(nodes.numDestinations);
  std::iota(nodes.destinations.begin(), nodes.destinations.end(), 0);
  nodes.sources = nodes.destinations;
  FailureOr<Tensor> values =
      evaluateEdgeFunction(op, op.getEdgeFunction(), nodes);
  if (failed(values))
    return failure();
  set(op.getResult(), Value(std::move(*values)));
  return success();
}

LogicalResult Evaluator::evaluateLookup(LookupOp op) {
  const Tensor &table = getTensor(op.getTable());
  const Tensor &numbers = getTensor(op.getNumbers());
  SmallVector<int64_t> shape(numbers.shape);
  llvm::append_range(shape, ArrayRef(table.shape).drop_front());
  int64_t rowSize = llvm::product_of(ArrayRef(table.shape).drop_front());
  Tensor result = Tensor::getZero(shape, table.isFloat);
  for (auto [i, number] : llvm::enumerate(numbers.integers)) {
    if (number < 0 || number >= table.shape.front())
      return op->emitOpError() << "looks row " << number << " up in a table of "
                               << table.shape.front() << " rows";
    for (int64_t k = 0; k < rowSize; ++k)
      result.set(i * rowSize + k, table.get(number * rowSize + k));
  }
  set(op.getResult(), Value(std::move(result)));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions over a neighbourhood
//===----------------------------------------------------------------------===//

std::vector<double> interpreter::softmax(ArrayRef<double> scores) {
  double maximum = -INFINITY;
  for (double score : scores)
    maximum = std::isnan(score) || score > maximum ? score : maximum;
  // A neighbourhood without any weight: nothing to distribute.
  if (maximum == -INFINITY)
    return std::vector<double>(scores.size(), 0.0);
  std::vector<double> weights;
  for (double score : scores)
    weights.push_back(std::exp(score - maximum));
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

/// The sum of `values` weighted by the softmax of `scores`.
static double sumWeighted(ArrayRef<double> scores, ArrayRef<double> values) {
  if (llvm::all_of(scores, [](double score) { return score == -INFINITY; }))
    return 0;
  double sum = 0;
  for (auto [weight, value] : llvm::zip(softmax(scores), values))
    sum += weight * value;
  return sum;
}

/// The sum of `values`, each times its share of the sum of `weights`.
static double averageWeighted(ArrayRef<double> weights,
                              ArrayRef<double> values) {
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total == 0)
    return 0;
  double sum = 0;
  for (auto [weight, value] : llvm::zip(weights, values))
    sum += weight / total * value;
  return sum;
}

static double aggregateFloats(Aggregator aggregator, ArrayRef<double> values) {
  double count = values.size();
  auto sum = [](ArrayRef<double> terms) {
    return std::accumulate(terms.begin(), terms.end(), 0.0);
  };
  auto variance = [&] {
    std::vector<double> squares;
    for (double value : values)
      squares.push_back(value * value);
    double mean = sum(values) / count;
    return sum(squares) / count - mean * mean;
  };
  if (values.empty())
    return aggregator == Aggregator::Mul ? 1 : 0;
  switch (aggregator) {
  case Aggregator::Sum:
    return sum(values);
  case Aggregator::Mean:
    return sum(values) / count;
  case Aggregator::Max:
  case Aggregator::Min: {
    double extreme = values.front();
    for (double value : values) {
      bool isBeyond =
          aggregator == Aggregator::Max ? value > extreme : value < extreme;
      // A NaN, once met, stays: nothing compares beyond it.
      if (std::isnan(value) || isBeyond)
        extreme = value;
    }
    return extreme;
  }
  case Aggregator::Mul:
    return std::accumulate(values.begin(), values.end(), 1.0,
                           std::multiplies<double>());
  case Aggregator::Var:
    return variance();
  case Aggregator::Std: {
    double value = variance();
    return value <= 1e-5 ? 0 : std::sqrt(value);
  }
  case Aggregator::Softmax:
    return sumWeighted(values, values);
  }
  llvm_unreachable("covered switch");
}

static int64_t aggregateIntegers(Aggregator aggregator,
                                 ArrayRef<int64_t> values) {
  if (values.empty())
    return aggregator == Aggregator::Mul ? 1 : 0;
  switch (aggregator) {
  case Aggregator::Max:
    return *llvm::max_element(values);
  case Aggregator::Min:
    return *llvm::min_element(values);
  case Aggregator::Sum:
  case Aggregator::Mul: {
    // Overflow wraps, so this is computed without a sign.
    uint64_t result = aggregator == Aggregator::Mul ? 1 : 0;
    for (int64_t value : values) {
      if (aggregator == Aggregator::Mul)
        result *= uint64_t(value);
      else
        result += uint64_t(value);
    }
    return int64_t(result);
  }
  default:
    llvm_unreachable("the verifier refuses integers here");
  }
}

Tensor interpreter::aggregate(Aggregator aggregator, const Graph &graph,
                              const Tensor &values, Type elementType) {
  SmallVector<int64_t> shape(values.shape);
  shape[0] = graph.numDestinations;
  Tensor result = Tensor::getZero(shape, values.isFloat);
  int64_t width = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_front())
    width *= size;
  std::vector<int64_t> pointers = graph.getRowPointers();
  for (int64_t i = 0; i < graph.numDestinations; ++i)
    for (int64_t f = 0; f < width; ++f) {
      std::vector<double> floats;
      std::vector<int64_t> integers;
      for (int64_t e = pointers[i]; e < pointers[i + 1]; ++e) {
        if (values.isFloat)
          floats.push_back(values.floats[e * width + f]);
        else
          integers.push_back(values.integers[e * width + f]);
      }
      if (values.isFloat)
        result.floats[i * width + f] = aggregateFloats(aggregator, floats);
      else
        result.integers[i * width + f] =
            wrapToType(elementType, aggregateIntegers(aggregator, integers));
    }
  return result;
}

LogicalResult Evaluator::evaluateEdgeSoftmax(EdgeSoftmaxOp op) {
  const Graph &graph = getGraph(op.getGraph());
  if (failed(checkEdges(op, graph, op.getScores())))
    return failure();
  Tensor weights = getEdges(op.getScores()).values;
  int64_t numEdges = graph.getNumEdges();
  int64_t width = numEdges == 0 ? 0 : weights.size() / numEdges;
  std::vector<int64_t> pointers = graph.getRowPointers();
  for (int64_t i = 0; i < graph.numDestinations; ++i)
    for (int64_t f = 0; f < width; ++f) {
      std::vector<double> scores;
      for (int64_t e = pointers[i]; e < pointers[i + 1]; ++e)
        scores.push_back(weights.floats[e * width + f]);
      for (auto [k, weight] : llvm::enumerate(softmax(scores)))
        weights.floats[(pointers[i] + k) * width + f] = weight;
    }
  set(op.getResult(), Value(Edges{std::move(weights)}));
  return success();
}

/// The edges from `begin` to before `end`, those with the largest scores first.
static std::vector<int64_t>
rankEdges(int64_t begin, int64_t end,
          llvm::function_ref<double(int64_t)> getScore) {
  std::vector<int64_t> edges(end - begin);
  std::iota(edges.begin(), edges.end(), begin);
  llvm::sort(edges, [&](int64_t a, int64_t b) {
    double x = getScore(a), y = getScore(b);
    if (std::isnan(x) != std::isnan(y))
      return std::isnan(x);
    // Equal scores, or two NaN: in the order of the edges.
    return x > y || (!(x < y) && a < b);
  });
  return edges;
}

LogicalResult Evaluator::evaluateEdgeTopK(EdgeTopKOp op) {
  const Graph &graph = getGraph(op.getGraph());
  if (failed(checkEdges(op, graph, op.getScores())))
    return failure();
  Tensor kept = getEdges(op.getScores()).values;
  int64_t numEdges = graph.getNumEdges();
  int64_t width = numEdges == 0 ? 0 : kept.size() / numEdges;
  std::vector<int64_t> pointers = graph.getRowPointers();
  for (int64_t i = 0; i < graph.numDestinations; ++i)
    for (int64_t f = 0; f < width; ++f) {
      std::vector<int64_t> edges =
          rankEdges(pointers[i], pointers[i + 1], [&](int64_t edge) {
            return kept.floats[edge * width + f];
          });
      for (int64_t edge : ArrayRef<int64_t>(edges).drop_front(
               std::min<int64_t>(op.getK(), edges.size())))
        kept.floats[edge * width + f] = -INFINITY;
    }
  set(op.getResult(), Value(Edges{std::move(kept)}));
  return success();
}

LogicalResult Evaluator::evaluateTopKGraph(TopKGraphOp op) {
  const Graph &graph = getGraph(op.getGraph());
  FailureOr<Tensor> scores =
      evaluateEdgeFunction(op, op.getEdgeFunction(), graph);
  if (failed(scores))
    return failure();
  Graph result;
  result.numDestinations = graph.numDestinations;
  result.numSources = graph.numSources;
  std::vector<int64_t> pointers = graph.getRowPointers();
  for (int64_t i = 0; i < graph.numDestinations; ++i) {
    std::vector<int64_t> edges =
        rankEdges(pointers[i], pointers[i + 1],
                  [&](int64_t edge) { return scores->floats[edge]; });
    for (int64_t edge : ArrayRef<int64_t>(edges).take_front(op.getK())) {
      if (scores->floats[edge] == -INFINITY)
        break;
      result.destinations.push_back(i);
      result.sources.push_back(graph.sources[edge]);
    }
  }
  return setGraph(op.getResult(), std::move(result));
}

LogicalResult Evaluator::evaluateAggregate(AggregateOp op) {
  const Graph &graph = getGraph(op.getGraph());
  if (failed(checkEdges(op, graph, op.getEdges())))
    return failure();
  Type elementType = op.getEdges().getType().getElementType();
  for (auto [attribute, result] : llvm::zip(
           op.getAggregators().getAsRange<AggregatorAttr>(), op.getResults()))
    set(result, Value(aggregate(attribute.getValue(), graph,
                                getEdges(op.getEdges()).values, elementType)));
  return success();
}

//===----------------------------------------------------------------------===//
// Fused forms
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateMessageAggregate(MessageAggregateOp op) {
  const Graph &graph = getGraph(op.getGraph());
  EdgeFunction function = op.getEdgeFunction();
  FailureOr<Tensor> values = evaluateEdgeFunction(op, function, graph);
  if (failed(values))
    return failure();
  for (auto [attribute, result] : llvm::zip(
           op.getAggregators().getAsRange<AggregatorAttr>(), op.getResults()))
    set(result, Value(aggregate(attribute.getValue(), graph, *values,
                                function.getResultElementType())));
  return success();
}

LogicalResult Evaluator::evaluateAttention(AttentionOp op) {
  const Graph &graph = getGraph(op.getGraph());
  EdgeFunction scoreFunction = op.getScoreFunction();
  EdgeFunction valueFunction = op.getValueFunction();
  FailureOr<Tensor> scores = evaluateEdgeFunction(op, scoreFunction, graph);
  if (failed(scores))
    return failure();
  FailureOr<Tensor> values = evaluateEdgeFunction(op, valueFunction, graph);
  if (failed(values))
    return failure();

  SmallVector<int64_t> features = valueFunction.getResultShape();
  SmallVector<int64_t> shape{graph.numDestinations};
  llvm::append_range(shape, features);
  Tensor result = Tensor::getZero(shape, /*isFloat=*/true);
  std::vector<int64_t> pointers = graph.getRowPointers();
  SmallVector<int64_t> indices(shape.size(), 0);
  for (double &element : result.floats) {
    int64_t i = indices.front();
    ArrayRef<int64_t> feature = ArrayRef<int64_t>(indices).drop_front();
    std::vector<double> rowScores, rowValues;
    for (int64_t e = pointers[i]; e < pointers[i + 1]; ++e) {
      SmallVector<int64_t> scoreIndices{e}, valueIndices{e};
      llvm::append_range(scoreIndices, apply(op.getWeightMap(), feature));
      llvm::append_range(valueIndices, feature);
      rowScores.push_back(scores->floats[scores->getPosition(scoreIndices)]);
      rowValues.push_back(values->floats[values->getPosition(valueIndices)]);
    }
    element = op.getNormalization() == Normalization::Softmax
                  ? sumWeighted(rowScores, rowValues)
                  : averageWeighted(rowScores, rowValues);
    advance(indices, shape);
  }
  set(op.getResult(), Value(std::move(result)));
  return success();
}
