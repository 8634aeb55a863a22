//===- Sampler.cpp - Parts of a graph ---------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Batches.h"

#include "Error.h"
#include "Graph.h"
#include "Philox.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>

using namespace gnn;
using namespace gnn::rt;

struct gnn_subgraph {
  gnn_graph graph;
  Array<int32_t> nodes;
  Array<int32_t> edges;
};

struct gnn_sampler {
  const gnn_graph *graph = nullptr;
  /// The number in the part under construction of each node, or -1. All are -1
  /// between calls.
  Array<int32_t> localNumbers;
  /// One bit for each in-edge of a node: drawn. All are 0 between draws.
  Array<uint64_t> isDrawn;
  /// The in-edges drawn, as positions among those of the node.
  Array<int32_t> drawn;
};

//===----------------------------------------------------------------------===//
// Samplers
//===----------------------------------------------------------------------===//

gnn_status rt::checkSquareList(const gnn_graph *graph, const char *purpose,
                               gnn_error *error) {
  if (graph->topology != GNN_TOPOLOGY_CSR)
    return fail(error, GNN_UNSUPPORTED,
                "%s needs a graph that lists its edges (csr), but this is a %s "
                "graph",
                purpose, gnn_topology_name(graph->topology));
  if (graph->numSources != graph->numDestinations)
    return fail(error, GNN_UNSUPPORTED,
                "%s needs a graph whose sources are its destinations, but this "
                "one has %" PRId64 " sources and %" PRId64 " destinations",
                purpose, graph->numSources, graph->numDestinations);
  return GNN_OK;
}

gnn_status gnn_sampler_create(const gnn_graph *graph, gnn_sampler **sampler,
                              gnn_error *error) {
  if (!sampler)
    return failNull(error, __func__, "sampler");
  *sampler = nullptr;
  if (!graph)
    return failNull(error, __func__, "graph");
  if (gnn_status status = checkSquareList(graph, "sampling", error))
    return status;
  std::unique_ptr<gnn_sampler> result(new (std::nothrow) gnn_sampler);
  int64_t numNodes = graph->numDestinations;
  if (!result || !result->localNumbers.allocate(numNodes))
    return failMemory(error, "a sampler", numNodes * 4);
  result->graph = graph;
  std::fill(result->localNumbers.begin(), result->localNumbers.end(), -1);
  *sampler = result.release();
  return GNN_OK;
}

void gnn_sampler_destroy(gnn_sampler *sampler) { delete sampler; }

//===----------------------------------------------------------------------===//
// Building a part
//===----------------------------------------------------------------------===//

namespace {
/// Builds one subgraph row by row, in the order of its nodes.
class Builder {
public:
  Builder(gnn_sampler &sampler, const gnn_tensor &seeds, gnn_error *error)
      : sampler(sampler), whole(*sampler.graph), seeds(seeds), error(error) {}
  ~Builder() {
    if (result)
      for (int32_t node : result->nodes)
        sampler.localNumbers[node] = -1;
  }
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;

  /// Makes the subgraph of the seeds without edges.
  gnn_status start();
  gnn_status addNeighbors(const gnn_sampling &sampling);
  gnn_status addEdgesAmongNodes();
  gnn_status finish(gnn_subgraph **subgraph);

private:
  template <typename Integer>
  gnn_status addSeeds(const Integer *values);
  gnn_status addEdge(int64_t position, int32_t source);
  gnn_status addSampled(int32_t node, int64_t fanOut, NodeRandom random,
                        bool replace);
  gnn_status endRow();
  bool draw(uint32_t degree, uint32_t count, NodeRandom &random, bool replace);

  gnn_status failPart() {
    return fail(error, GNN_OUT_OF_MEMORY,
                "out of memory: a part of %" PRId64 " nodes and %" PRId64
                " edges does not fit",
                result ? result->nodes.size() : 0,
                result ? result->edges.size() : 0);
  }

  gnn_sampler &sampler;
  const gnn_graph &whole;
  const gnn_tensor &seeds;
  gnn_error *error;
  std::unique_ptr<gnn_subgraph> result;
};
} // namespace

template <typename Integer>
gnn_status Builder::addSeeds(const Integer *values) {
  for (int64_t i = 0; i < seeds.shape[0]; ++i) {
    if (values[i] < 0 || values[i] >= whole.numDestinations)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "node %" PRId64 " is wanted, but the graph has %" PRId64
                  " nodes, numbered from 0",
                  static_cast<int64_t>(values[i]), whole.numDestinations);
    auto node = static_cast<int32_t>(values[i]);
    if (sampler.localNumbers[node] >= 0)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "node %d is wanted twice; name each node once", node);
    if (!result->nodes.push(node))
      return failPart();
    sampler.localNumbers[node] = static_cast<int32_t>(i);
  }
  return GNN_OK;
}

gnn_status Builder::start() {
  if (gnn_status status = checkIndexTensor(&seeds, 1, "the nodes", error))
    return status;
  result.reset(new (std::nothrow) gnn_subgraph);
  // The arrays of an empty part are not NULL.
  if (!result || !result->nodes.reserve(1) || !result->edges.reserve(1) ||
      !result->graph.columnIndices.reserve(1) ||
      !result->graph.rowPointers.push(0))
    return failPart();
  return withIntegers(&seeds,
                      [&](const auto *values) { return addSeeds(values); });
}

/// Adds the edge at `position` of the whole graph to the current row.
gnn_status Builder::addEdge(int64_t position, int32_t source) {
  if (result->edges.size() == INT32_MAX)
    return fail(
        error, GNN_UNSUPPORTED,
        "a part has more than 2147483647 edges, but edge numbers are "
        "32 bits wide; draw fewer neighbours or start from fewer seeds");
  const int32_t *permutation = whole.edgePermutation.data();
  if (!result->edges.push(permutation ? permutation[position]
                                      : static_cast<int32_t>(position)) ||
      !result->graph.columnIndices.push(source))
    return failPart();
  return GNN_OK;
}

gnn_status Builder::endRow() {
  return result->graph.rowPointers.push(
             static_cast<int32_t>(result->edges.size()))
             ? GNN_OK
             : failPart();
}

/// Draws `count` of `degree` positions; they are in sampler.drawn, ascending.
/// False if memory is short.
bool Builder::draw(uint32_t degree, uint32_t count, NodeRandom &random,
                   bool replace) {
  Array<int32_t> &drawn = sampler.drawn;
  drawn.setSize(0);
  if (!drawn.reserve(count))
    return false;
  if (replace) {
    for (uint32_t i = 0; i < count; ++i)
      drawn[i] = static_cast<int32_t>(random.below(degree));
  } else {
    int64_t words = degree / 64 + 1, known = sampler.isDrawn.size();
    if (words > known) {
      if (!sampler.isDrawn.reserve(words))
        return false;
      sampler.isDrawn.setSize(words);
      std::fill(sampler.isDrawn.begin() + known, sampler.isDrawn.end(), 0);
    }
    // J. Bentley and B. Floyd, "A sample of brilliance" (CACM 30, 1987): every
    // set of `count` positions is as likely as any other.
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t last = degree - count + i;
      uint32_t position = random.below(last + 1);
      if (sampler.isDrawn[position / 64] >> position % 64 & 1)
        position = last;
      sampler.isDrawn[position / 64] |= uint64_t{1} << position % 64;
      drawn[i] = static_cast<int32_t>(position);
    }
    for (uint32_t i = 0; i < count; ++i)
      sampler.isDrawn[drawn[i] / 64] = 0;
  }
  drawn.setSize(count);
  std::sort(drawn.begin(), drawn.end());
  return true;
}

/// The row of a node: the in-edges that are drawn, and their sources as nodes.
gnn_status Builder::addSampled(int32_t node, int64_t fanOut, NodeRandom random,
                               bool replace) {
  int64_t begin = whole.rowPointers[node];
  int64_t degree = whole.rowPointers[node + 1] - begin;
  bool takesAll = fanOut < 0 || (!replace && fanOut >= degree);
  int64_t count = takesAll ? degree : degree == 0 ? 0 : fanOut;
  if (count > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "%" PRId64 " in-edges are to be drawn of a node, but at most "
                "2147483647 are supported",
                count);
  if (!takesAll && !draw(static_cast<uint32_t>(degree),
                         static_cast<uint32_t>(count), random, replace))
    return failPart();
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = begin + (takesAll ? i : sampler.drawn[i]);
    int32_t source = whole.columnIndices[position];
    int32_t &number = sampler.localNumbers[source];
    if (number < 0) {
      auto next = static_cast<int32_t>(result->nodes.size());
      if (!result->nodes.push(source))
        return failPart();
      number = next;
    }
    if (gnn_status status = addEdge(position, number))
      return status;
  }
  return endRow();
}

gnn_status Builder::addNeighbors(const gnn_sampling &sampling) {
  int64_t begin = 0;
  for (size_t hop = 0; hop < sampling.num_hops; ++hop) {
    int64_t end = result->nodes.size();
    for (int64_t i = begin; i < end; ++i) {
      int32_t node = result->nodes[i];
      NodeRandom random(sampling.seed, static_cast<uint32_t>(node),
                        static_cast<uint32_t>(hop));
      if (gnn_status status = addSampled(node, sampling.fan_outs[hop], random,
                                         sampling.replace != 0))
        return status;
    }
    begin = end;
  }
  for (int64_t i = begin; i < result->nodes.size(); ++i)
    if (gnn_status status = endRow())
      return status;
  return GNN_OK;
}

gnn_status Builder::addEdgesAmongNodes() {
  for (int32_t node : result->nodes) {
    for (int64_t position = whole.rowPointers[node];
         position < whole.rowPointers[node + 1]; ++position) {
      int32_t number = sampler.localNumbers[whole.columnIndices[position]];
      if (number < 0)
        continue;
      if (gnn_status status = addEdge(position, number))
        return status;
    }
    if (gnn_status status = endRow())
      return status;
  }
  return GNN_OK;
}

gnn_status Builder::finish(gnn_subgraph **subgraph) {
  for (int32_t node : result->nodes)
    sampler.localNumbers[node] = -1;
  gnn_graph &graph = result->graph;
  graph.numSources = graph.numDestinations = result->nodes.size();
  graph.numEdges = result->edges.size();
  *subgraph = result.release();
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

gnn_status gnn_sampler_neighbors(gnn_sampler *sampler, const gnn_tensor *seeds,
                                 const gnn_sampling *sampling,
                                 gnn_subgraph **subgraph, gnn_error *error) {
  if (!subgraph)
    return failNull(error, __func__, "subgraph");
  *subgraph = nullptr;
  if (!sampler)
    return failNull(error, __func__, "sampler");
  if (!seeds)
    return failNull(error, __func__, "seeds");
  if (!sampling)
    return failNull(error, __func__, "sampling");
  if (sampling->num_hops && !sampling->fan_outs)
    return failNull(error, __func__, "fan_outs");
  for (size_t hop = 0; hop < sampling->num_hops; ++hop)
    if (sampling->fan_outs[hop] < -1)
      return fail(error, GNN_INVALID_ARGUMENT,
                  "%" PRId64 " neighbours cannot be drawn at hop %zu; give 0 "
                  "or more, or -1 for all of them",
                  sampling->fan_outs[hop], hop);
  Builder builder(*sampler, *seeds, error);
  if (gnn_status status = builder.start())
    return status;
  if (gnn_status status = builder.addNeighbors(*sampling))
    return status;
  if (gnn_status status = builder.finish(subgraph))
    return status;
  (*subgraph)->graph.isSampled = true;
  return GNN_OK;
}

gnn_status gnn_sampler_induced(gnn_sampler *sampler, const gnn_tensor *nodes,
                               gnn_subgraph **subgraph, gnn_error *error) {
  if (!subgraph)
    return failNull(error, __func__, "subgraph");
  *subgraph = nullptr;
  if (!sampler)
    return failNull(error, __func__, "sampler");
  if (!nodes)
    return failNull(error, __func__, "nodes");
  Builder builder(*sampler, *nodes, error);
  if (gnn_status status = builder.start())
    return status;
  if (gnn_status status = builder.addEdgesAmongNodes())
    return status;
  return builder.finish(subgraph);
}

const gnn_graph *gnn_subgraph_graph(const gnn_subgraph *subgraph) {
  return &subgraph->graph;
}

const int32_t *gnn_subgraph_nodes(const gnn_subgraph *subgraph) {
  return subgraph->nodes.data();
}

const int32_t *gnn_subgraph_edges(const gnn_subgraph *subgraph) {
  return subgraph->edges.data();
}

void gnn_subgraph_destroy(gnn_subgraph *subgraph) { delete subgraph; }
