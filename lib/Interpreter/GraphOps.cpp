//===- GraphOps.cpp - gnn ops on graphs and edge layouts --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

LogicalResult Evaluator::evaluateGNN(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MakeGraphOp op) { return evaluateMakeGraph(op); })
      .Case([&](GraphPartsOp op) { return evaluateGraphParts(op); })
      .Case([&](NumNodesOp op) {
        const Graph &graph = getGraph(op.getGraph());
        set(op.getResult(),
            Value(op.getSide() == NodeSide::Source ? graph.numSources
                                                   : graph.numDestinations));
        return success();
      })
      .Case([&](NumEdgesOp op) {
        set(op.getResult(), Value(getGraph(op.getGraph()).getNumEdges()));
        return success();
      })
      .Case([&](DegreeOp op) { return evaluateDegree(op); })
      .Case([&](PositionOp op) { return evaluatePosition(op); })
      .Case([&](LookupOp op) { return evaluateLookup(op); })
      .Case([&](AddSelfLoopsOp op) { return evaluateAddSelfLoops(op); })
      .Case([&](RemoveSelfLoopsOp op) { return evaluateRemoveSelfLoops(op); })
      .Case([&](ReverseOp op) { return evaluateReverse(op); })
      .Case([&](ToCSROp op) { return evaluateToCSR(op); })
      .Case([&](EdgesFromTensorOp op) { return evaluateEdgesFromTensor(op); })
      .Case([&](EdgesToTensorOp op) { return evaluateEdgesToTensor(op); })
      .Case([&](SpreadEdgesOp op) { return evaluateSpreadEdges(op); })
      .Case([&](MessageOp op) { return evaluateMessage(op); })
      .Case([&](EdgeSoftmaxOp op) { return evaluateEdgeSoftmax(op); })
      .Case([&](EdgeTopKOp op) { return evaluateEdgeTopK(op); })
      .Case([&](TopKGraphOp op) { return evaluateTopKGraph(op); })
      .Case([&](AggregateOp op) { return evaluateAggregate(op); })
      .Case([&](UpdateOp op) { return evaluateUpdate(op); })
      .Case([&](MessageAggregateOp op) { return evaluateMessageAggregate(op); })
      .Case([&](AttentionOp op) { return evaluateAttention(op); })
      .Case([&](IndexOp op) {
        set(op.getResult(),
            Value(op.getSide() == NodeSide::Source ? currentSource
                                                   : currentDestination));
        return success();
      })
      .Case([&](FeatureIndexOp op) {
        set(op.getResult(), Value(featureIndices[op.getLoop()]));
        return success();
      })
      .Default([](Operation *op) {
        return op->emitError()
               << "the interpreter does not know '" << op->getName() << "'";
      });
}

LogicalResult Evaluator::setGraph(mlir::Value result, Graph graph) {
  Operation *op = result.getDefiningOp();
  if (failed(verifyGraph([&] { return op->emitOpError(); }, graph,
                         cast<GNNGraphType>(result.getType()))))
    return failure();
  set(result, Value(std::move(graph)));
  return success();
}

LogicalResult Evaluator::checkEdges(Operation *op, const Graph &graph,
                                    ValueRange edges) const {
  for (mlir::Value edge : edges) {
    int64_t count = getEdges(edge).values.shape.front();
    if (count != graph.getNumEdges())
      return op->emitOpError()
             << "takes values for " << count << " edges, but the graph has "
             << graph.getNumEdges();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateMakeGraph(MakeGraphOp op) {
  auto emitError = [&] { return op.emitOpError(); };
  auto part = [&](unsigned i) { return op.getParts()[i]; };
  auto list = [&](unsigned i) -> ArrayRef<int64_t> {
    return getTensor(part(i)).integers;
  };
  GNNGraphType type = op.getGraph().getType();
  FailureOr<Graph> graph = failure();
  switch (type.getTopology()) {
  case Topology::CSR:
    graph = makeCSRGraph(emitError, list(0), list(1), getInteger(part(2)));
    break;
  case Topology::COO:
    graph = makeCOOGraph(emitError, list(0), list(1), getInteger(part(2)),
                         getInteger(part(3)));
    break;
  case Topology::Complete:
  case Topology::Causal:
  case Topology::Window:
    graph = makeDenseGraph(emitError, type.getTopology(), type.getWindow(),
                           getInteger(part(0)), getInteger(part(1)));
    break;
  case Topology::BlockDiagonal:
    graph = makeBlockDiagonalGraph(emitError, list(0), list(1));
    break;
  }
  if (failed(graph))
    return failure();
  return setGraph(op.getGraph(), std::move(*graph));
}

static interpreter::Value makeList(std::vector<int64_t> integers) {
  Tensor tensor = Tensor::getZero({int64_t(integers.size())}, false);
  tensor.integers = std::move(integers);
  return tensor;
}

std::vector<interpreter::Value> interpreter::getParts(const Graph &graph) {
  switch (graph.topology) {
  case Topology::CSR:
    return {makeList(graph.getRowPointers()), makeList(graph.sources),
            graph.numSources};
  case Topology::COO:
    return {makeList(graph.destinations), makeList(graph.sources),
            graph.numDestinations, graph.numSources};
  case Topology::Complete:
  case Topology::Causal:
  case Topology::Window:
    return {graph.numDestinations, graph.numSources};
  case Topology::BlockDiagonal:
    return {makeList(graph.destinationPointers),
            makeList(graph.sourcePointers)};
  }
  llvm_unreachable("unknown topology");
}

LogicalResult Evaluator::evaluateGraphParts(GraphPartsOp op) {
  for (auto [result, part] :
       llvm::zip(op.getParts(), getParts(getGraph(op.getGraph()))))
    set(result, std::move(part));
  return success();
}

LogicalResult Evaluator::evaluateDegree(DegreeOp op) {
  const Graph &graph = getGraph(op.getGraph());
  bool ofSources = op.getSide() == NodeSide::Source;
  Type elementType = op.getResult().getType().getElementType();
  Tensor degrees =
      Tensor::getZero({ofSources ? graph.numSources : graph.numDestinations},
                      isa<FloatType>(elementType));
  for (int64_t node : ofSources ? graph.sources : graph.destinations) {
    if (degrees.isFloat)
      degrees.floats[node] += 1;
    else
      degrees.integers[node] =
          wrapToType(elementType, degrees.integers[node] + 1);
  }
  set(op.getResult(), Value(std::move(degrees)));
  return success();
}

LogicalResult Evaluator::evaluatePosition(PositionOp op) {
  const Graph &graph = getGraph(op.getGraph());
  Tensor positions = Tensor::getZero({graph.numDestinations}, false);
  size_t segment = 0;
  for (int64_t i = 0; i < graph.numDestinations; ++i) {
    int64_t first = 0;
    if (graph.topology == Topology::BlockDiagonal) {
      while (graph.destinationPointers[segment + 1] <= i)
        ++segment;
      first = graph.destinationPointers[segment];
    }
    positions.integers[i] =
        wrapToType(op.getResult().getType().getElementType(), i - first);
  }
  set(op.getResult(), Value(std::move(positions)));
  return success();
}

//===----------------------------------------------------------------------===//
// Other graphs
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::permuteEdges(Operation *op, const Graph &graph,
                                      Graph permuted, ArrayRef<int64_t> order,
                                      ValueRange edges, mlir::Value resultGraph,
                                      ValueRange resultEdges) {
  if (failed(checkEdges(op, graph, edges)))
    return failure();
  for (auto [edge, result] : llvm::zip(edges, resultEdges)) {
    const Tensor &values = getEdges(edge).values;
    SmallVector<int64_t> shape(values.shape);
    shape[0] = order.size();
    Tensor moved = Tensor::getUndefined(shape, values.isFloat);
    int64_t width = order.empty() ? 0 : moved.size() / int64_t(order.size());
    for (auto [e, from] : llvm::enumerate(order))
      for (int64_t f = 0; f < width; ++f)
        moved.set(e * width + f, values.get(from * width + f));
    set(result, Value(Edges{std::move(moved)}));
  }
  return setGraph(resultGraph, std::move(permuted));
}

LogicalResult Evaluator::evaluateAddSelfLoops(AddSelfLoopsOp op) {
  const Graph &graph = getGraph(op.getGraph());
  if (failed(checkEdges(op, graph, op.getEdges())))
    return failure();
  for (mlir::Value fill : op.getFill())
    if (getTensor(fill).shape.front() != graph.numDestinations)
      return op.emitOpError()
             << "takes a fill of " << getTensor(fill).shape.front()
             << " rows, but the graph has " << graph.numDestinations
             << " nodes";

  // Which value a new edge has: that of an old edge, or the fill of its node.
  struct Origin {
    bool isFill;
    int64_t row;
  };
  SmallVector<Origin> origins;
  Graph looped = graph;
  SelfLoopMode mode = op.getMode();
  if (graph.topology != Topology::CSR) {
    // All loops exist already, and their place is fixed.
    for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
      bool isLoop = graph.destinations[e] == graph.sources[e];
      bool isFill = isLoop && mode == SelfLoopMode::Replace;
      origins.push_back({isFill, isFill ? graph.sources[e] : e});
    }
  } else {
    looped.destinations.clear();
    looped.sources.clear();
    std::vector<int64_t> pointers = graph.getRowPointers();
    for (int64_t i = 0; i < graph.numDestinations; ++i) {
      Origin loop{/*isFill=*/true, i};
      for (int64_t e = pointers[i]; e < pointers[i + 1]; ++e) {
        if (graph.sources[e] == i && mode != SelfLoopMode::Keep) {
          if (mode == SelfLoopMode::Reuse)
            loop = {/*isFill=*/false, e};
          continue;
        }
        looped.destinations.push_back(i);
        looped.sources.push_back(graph.sources[e]);
        origins.push_back({/*isFill=*/false, e});
      }
      if (i >= graph.numSources)
        continue;
      looped.destinations.push_back(i);
      looped.sources.push_back(i);
      origins.push_back(loop);
    }
  }

  for (auto [edge, fill, result] :
       llvm::zip(op.getEdges(), op.getFill(), op.getResultEdges())) {
    const Tensor &values = getEdges(edge).values;
    const Tensor &fills = getTensor(fill);
    SmallVector<int64_t> shape(values.shape);
    shape[0] = origins.size();
    Tensor looped = Tensor::getUndefined(shape, values.isFloat);
    int64_t width =
        origins.empty() ? 0 : looped.size() / int64_t(origins.size());
    for (auto [e, origin] : llvm::enumerate(origins)) {
      const Tensor &from = origin.isFill ? fills : values;
      for (int64_t f = 0; f < width; ++f)
        looped.set(e * width + f, from.get(origin.row * width + f));
    }
    set(result, Value(Edges{std::move(looped)}));
  }
  return setGraph(op.getResult(), std::move(looped));
}

LogicalResult Evaluator::evaluateRemoveSelfLoops(RemoveSelfLoopsOp op) {
  const Graph &graph = getGraph(op.getGraph());
  Graph loopless = graph;
  loopless.destinations.clear();
  loopless.sources.clear();
  SmallVector<int64_t> order;
  for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
    if (graph.destinations[e] == graph.sources[e])
      continue;
    loopless.destinations.push_back(graph.destinations[e]);
    loopless.sources.push_back(graph.sources[e]);
    order.push_back(e);
  }
  return permuteEdges(op, graph, std::move(loopless), order, op.getEdges(),
                      op.getResult(), op.getResultEdges());
}

/// The order of edges after a stable sort by the given end.
static SmallVector<int64_t> sortStably(ArrayRef<int64_t> ends) {
  SmallVector<int64_t> order(ends.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(ends[a], a) < std::pair(ends[b], b);
  });
  return order;
}

LogicalResult Evaluator::evaluateReverse(ReverseOp op) {
  const Graph &graph = getGraph(op.getGraph());
  SmallVector<int64_t> order;
  if (graph.topology == Topology::COO)
    // A list of edges has no rows to keep together.
    llvm::append_range(order, llvm::seq<int64_t>(0, graph.getNumEdges()));
  else
    order = sortStably(graph.sources);
  Graph reversed = graph;
  std::swap(reversed.numDestinations, reversed.numSources);
  std::swap(reversed.destinationPointers, reversed.sourcePointers);
  for (auto [e, from] : llvm::enumerate(order)) {
    reversed.destinations[e] = graph.sources[from];
    reversed.sources[e] = graph.destinations[from];
  }
  return permuteEdges(op, graph, std::move(reversed), order, op.getEdges(),
                      op.getResult(), op.getResultEdges());
}

LogicalResult Evaluator::evaluateToCSR(ToCSROp op) {
  const Graph &graph = getGraph(op.getGraph());
  SmallVector<int64_t> order = sortStably(graph.destinations);
  Graph sorted = graph;
  sorted.topology = Topology::CSR;
  for (auto [e, from] : llvm::enumerate(order)) {
    sorted.destinations[e] = graph.destinations[from];
    sorted.sources[e] = graph.sources[from];
  }
  return permuteEdges(op, graph, std::move(sorted), order, op.getEdges(),
                      op.getResult(), op.getResultEdges());
}

//===----------------------------------------------------------------------===//
// Layouts of edge values
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateEdgesFromTensor(EdgesFromTensorOp op) {
  FailureOr<Edges> edges =
      edgesFromTensor([&] { return op.emitOpError(); }, getGraph(op.getGraph()),
                      getTensor(op.getTensor()));
  if (failed(edges))
    return failure();
  set(op.getResult(), Value(std::move(*edges)));
  return success();
}

LogicalResult Evaluator::evaluateEdgesToTensor(EdgesToTensorOp op) {
  FailureOr<Tensor> tensor =
      edgesToTensor([&] { return op.emitOpError(); }, getGraph(op.getGraph()),
                    getEdges(op.getEdges()));
  if (failed(tensor))
    return failure();
  set(op.getResult(), Value(std::move(*tensor)));
  return success();
}

LogicalResult Evaluator::evaluateSpreadEdges(SpreadEdgesOp op) {
  const Graph &graph = getGraph(op.getGraph());
  const Graph &target = getGraph(op.getTarget());
  if (graph.numDestinations != target.numDestinations ||
      graph.numSources != target.numSources)
    return op.emitOpError()
           << "needs two graphs of the same nodes, but they "
              "have "
           << graph.numDestinations << " and " << target.numDestinations
           << " destinations, " << graph.numSources << " and "
           << target.numSources << " sources";
  if (failed(checkEdges(op, graph, op.getEdges())))
    return failure();
  const Tensor &values = getEdges(op.getEdges()).values;
  SmallVector<int64_t> shape(values.shape);
  shape[0] = target.getNumEdges();
  Tensor spread = Tensor::getZero(shape, values.isFloat);
  std::map<std::pair<int64_t, int64_t>, int64_t> edgeOfPair;
  for (int64_t e = 0; e < target.getNumEdges(); ++e)
    edgeOfPair[{target.destinations[e], target.sources[e]}] = e;
  int64_t width =
      graph.getNumEdges() == 0 ? 0 : values.size() / graph.getNumEdges();
  for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
    auto pair = edgeOfPair.find({graph.destinations[e], graph.sources[e]});
    if (pair == edgeOfPair.end())
      continue;
    for (int64_t f = 0; f < width; ++f) {
      int64_t from = e * width + f, to = pair->second * width + f;
      if (values.isFloat)
        spread.floats[to] += values.floats[from];
      else
        spread.integers[to] += values.integers[from];
    }
  }
  set(op.getResult(), Value(Edges{std::move(spread)}));
  return success();
}
