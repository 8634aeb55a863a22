//===- Graphs.cpp - Graphs with their edges written out ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include <map>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

/// Pointers must start at 0 and ascend; `what` names them.
static LogicalResult verifyPointers(EmitError emitError, StringRef what,
                                    ArrayRef<int64_t> pointers) {
  if (pointers.empty())
    return emitError() << what << " are empty; even without rows there is one";
  if (pointers.front() != 0)
    return emitError() << what << " must start at 0, got " << pointers.front();
  for (size_t i = 1; i < pointers.size(); ++i)
    if (pointers[i] < pointers[i - 1])
      return emitError() << what << " must ascend, but entry " << i << " is "
                         << pointers[i] << " after " << pointers[i - 1];
  return success();
}

static LogicalResult verifyIndices(EmitError emitError, StringRef what,
                                   ArrayRef<int64_t> indices, int64_t count) {
  for (auto [i, index] : llvm::enumerate(indices))
    if (index < 0 || index >= count)
      return emitError() << what << " " << index << " of edge " << i
                         << " is out of range; there are " << count;
  return success();
}

std::vector<int64_t> Graph::getRowPointers() const {
  std::vector<int64_t> pointers(numDestinations + 1, 0);
  for (int64_t destination : destinations)
    ++pointers[destination + 1];
  for (int64_t i = 0; i < numDestinations; ++i)
    pointers[i + 1] += pointers[i];
  return pointers;
}

FailureOr<Graph> interpreter::makeCSRGraph(EmitError emitError,
                                           ArrayRef<int64_t> rowPointers,
                                           ArrayRef<int64_t> columns,
                                           int64_t numSources) {
  if (failed(verifyPointers(emitError, "row pointers", rowPointers)))
    return failure();
  if (rowPointers.back() != int64_t(columns.size()))
    return emitError() << "row pointers end at " << rowPointers.back()
                       << ", but there are " << columns.size()
                       << " column indices";
  if (failed(countElements(emitError, {numSources})) ||
      failed(verifyIndices(emitError, "source", columns, numSources)))
    return failure();
  Graph graph;
  graph.topology = Topology::CSR;
  graph.numDestinations = rowPointers.size() - 1;
  graph.numSources = numSources;
  for (int64_t i = 0; i < graph.numDestinations; ++i)
    for (int64_t e = rowPointers[i]; e < rowPointers[i + 1]; ++e) {
      graph.destinations.push_back(i);
      graph.sources.push_back(columns[e]);
    }
  return graph;
}

FailureOr<Graph> interpreter::makeCOOGraph(EmitError emitError,
                                           ArrayRef<int64_t> destinations,
                                           ArrayRef<int64_t> sources,
                                           int64_t numDestinations,
                                           int64_t numSources) {
  if (destinations.size() != sources.size())
    return emitError() << "an edge has two ends, but there are "
                       << destinations.size() << " destinations and "
                       << sources.size() << " sources";
  if (failed(countElements(emitError, {numDestinations})) ||
      failed(countElements(emitError, {numSources})) ||
      failed(verifyIndices(emitError, "destination", destinations,
                           numDestinations)) ||
      failed(verifyIndices(emitError, "source", sources, numSources)))
    return failure();
  Graph graph;
  graph.topology = Topology::COO;
  graph.numDestinations = numDestinations;
  graph.numSources = numSources;
  graph.destinations.assign(destinations.begin(), destinations.end());
  graph.sources.assign(sources.begin(), sources.end());
  return graph;
}

FailureOr<Graph> interpreter::makeDenseGraph(EmitError emitError,
                                             Topology topology, int64_t window,
                                             int64_t numDestinations,
                                             int64_t numSources) {
  if (failed(countElements(emitError, {numDestinations, numSources})))
    return failure();
  Graph graph;
  graph.topology = topology;
  graph.window = window;
  graph.numDestinations = numDestinations;
  graph.numSources = numSources;
  for (int64_t i = 0; i < numDestinations; ++i)
    for (int64_t j = 0; j < numSources; ++j) {
      if (topology == Topology::Causal && j > i)
        continue;
      if (topology == Topology::Window && std::abs(i - j) > window)
        continue;
      graph.destinations.push_back(i);
      graph.sources.push_back(j);
    }
  return graph;
}

FailureOr<Graph>
interpreter::makeBlockDiagonalGraph(EmitError emitError,
                                    ArrayRef<int64_t> destinationPointers,
                                    ArrayRef<int64_t> sourcePointers) {
  if (failed(verifyPointers(emitError, "destination pointers",
                            destinationPointers)) ||
      failed(verifyPointers(emitError, "source pointers", sourcePointers)))
    return failure();
  if (destinationPointers.size() != sourcePointers.size())
    return emitError() << "the numbers of segments differ: "
                       << destinationPointers.size() - 1
                       << " of destinations and " << sourcePointers.size() - 1
                       << " of sources";
  Graph graph;
  graph.topology = Topology::BlockDiagonal;
  graph.numDestinations = destinationPointers.back();
  graph.numSources = sourcePointers.back();
  graph.destinationPointers.assign(destinationPointers.begin(),
                                   destinationPointers.end());
  graph.sourcePointers.assign(sourcePointers.begin(), sourcePointers.end());
  if (failed(
          countElements(emitError, {graph.numDestinations, graph.numSources})))
    return failure();
  for (size_t s = 0; s + 1 < destinationPointers.size(); ++s)
    for (int64_t i = destinationPointers[s]; i < destinationPointers[s + 1];
         ++i)
      for (int64_t j = sourcePointers[s]; j < sourcePointers[s + 1]; ++j) {
        graph.destinations.push_back(i);
        graph.sources.push_back(j);
      }
  return graph;
}

//===----------------------------------------------------------------------===//
// Promises of a type
//===----------------------------------------------------------------------===//

/// Sources ascend within a row; edges of a coo graph that lie between those of
/// a row do not matter.
static LogicalResult verifySorted(EmitError emitError, const Graph &graph,
                                  GNNGraphType type) {
  std::vector<int64_t> previous(graph.numDestinations, 0);
  for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
    int64_t &last = previous[graph.destinations[e]];
    if (graph.sources[e] < last)
      return emitError() << type
                         << " promises ascending sources, but in the row of "
                         << graph.destinations[e] << " source "
                         << graph.sources[e] << " follows " << last;
    last = graph.sources[e];
  }
  return success();
}

LogicalResult interpreter::verifyGraph(EmitError emitError, const Graph &graph,
                                       GNNGraphType type) {
  if (graph.topology != type.getTopology() || graph.window != type.getWindow())
    return emitError() << "the graph is no " << type;
  if (type.getSorted() && failed(verifySorted(emitError, graph, type)))
    return failure();
  if (type.getBipartite())
    return success();
  if (graph.numDestinations != graph.numSources)
    return emitError() << "sources and destinations of a graph that is not "
                          "bipartite are the same nodes, but there are "
                       << graph.numSources << " and " << graph.numDestinations;
  if (graph.destinationPointers != graph.sourcePointers)
    return emitError() << "segments of sources and destinations differ, but "
                          "the graph is not bipartite";
  if (type.getSelfLoops()) {
    std::vector<int64_t> loops(graph.numDestinations, 0);
    for (int64_t e = 0; e < graph.getNumEdges(); ++e)
      if (graph.destinations[e] == graph.sources[e])
        ++loops[graph.destinations[e]];
    for (auto [node, count] : llvm::enumerate(loops))
      if (count != 1)
        return emitError() << type << " promises one self loop per node, but "
                           << "node " << node << " has " << count;
  }
  if (type.getSymmetric()) {
    std::map<std::pair<int64_t, int64_t>, int64_t> counts;
    for (int64_t e = 0; e < graph.getNumEdges(); ++e)
      ++counts[{graph.destinations[e], graph.sources[e]}];
    for (auto [edge, count] : counts) {
      auto [destination, source] = edge;
      auto opposite = counts.find({source, destination});
      if (opposite == counts.end() || opposite->second != count)
        return emitError() << type << " promises as many edges " << source
                           << " -> " << destination << " as " << destination
                           << " -> " << source;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts of edge values
//===----------------------------------------------------------------------===//

static bool hasDenseEdges(const Graph &graph) {
  return graph.topology == Topology::Complete ||
         graph.topology == Topology::Causal ||
         graph.topology == Topology::Window;
}

FailureOr<Edges> interpreter::edgesFromTensor(EmitError emitError,
                                              const Graph &graph,
                                              const Tensor &tensor) {
  if (!hasDenseEdges(graph)) {
    if (tensor.shape.empty() || tensor.shape[0] != graph.getNumEdges())
      return emitError() << "a tensor of edge values needs one row for each of "
                         << graph.getNumEdges() << " edges, got "
                         << (tensor.shape.empty() ? 0 : tensor.shape[0]);
    return Edges{tensor};
  }
  if (tensor.shape.size() < 2 || tensor.shape[0] != graph.numDestinations ||
      tensor.shape[1] != graph.numSources)
    return emitError() << "a tensor of edge values needs the leading "
                          "dimensions "
                       << graph.numDestinations << "x" << graph.numSources;
  SmallVector<int64_t> shape{graph.getNumEdges()};
  llvm::append_range(shape, ArrayRef<int64_t>(tensor.shape).drop_front(2));
  Edges edges{Tensor::getUndefined(shape, tensor.isFloat)};
  if (tensor.size() == 0 || graph.getNumEdges() == 0)
    return edges;
  int64_t width = edges.values.size() / graph.getNumEdges();
  for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
    int64_t row = graph.destinations[e] * graph.numSources + graph.sources[e];
    for (int64_t f = 0; f < width; ++f)
      edges.values.set(e * width + f, tensor.get(row * width + f));
  }
  return edges;
}

FailureOr<Tensor> interpreter::edgesToTensor(EmitError emitError,
                                             const Graph &graph,
                                             const Edges &edges) {
  ArrayRef<int64_t> edgeShape = edges.values.shape;
  if (edgeShape.empty() || edgeShape[0] != graph.getNumEdges())
    return emitError() << "the graph has " << graph.getNumEdges()
                       << " edges, but there are values for "
                       << (edgeShape.empty() ? 0 : edgeShape[0]);
  if (!hasDenseEdges(graph))
    return edges.values;
  SmallVector<int64_t> shape{graph.numDestinations, graph.numSources};
  llvm::append_range(shape, edgeShape.drop_front());
  if (failed(countElements(emitError, shape)))
    return failure();
  Tensor tensor = Tensor::getUndefined(shape, edges.values.isFloat);
  if (graph.getNumEdges() == 0)
    return tensor;
  int64_t width = edges.values.size() / graph.getNumEdges();
  for (int64_t e = 0; e < graph.getNumEdges(); ++e) {
    int64_t row = graph.destinations[e] * graph.numSources + graph.sources[e];
    for (int64_t f = 0; f < width; ++f)
      tensor.set(row * width + f, edges.values.get(e * width + f));
  }
  return tensor;
}
