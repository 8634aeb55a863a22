//===- Walks.cpp - Random walks, degrees, shortest paths --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batch.h"

#include "../Error.h"
#include "../Tensor.h"

#include <algorithm>
#include <cinttypes>

using namespace gnn;
using namespace gnn::rt;

static gnn_status checkCount(int64_t count, const char *what,
                             gnn_error *error) {
  if (count >= 1)
    return GNN_OK;
  return fail(error, GNN_INVALID_ARGUMENT,
              "%s must be at least 1, got %" PRId64, what, count);
}

//===----------------------------------------------------------------------===//
// Random walks
//===----------------------------------------------------------------------===//

namespace {
/// Nodes that are reached in some step, in the order they are.
struct Frontier {
  Array<int32_t> nodes;
  int64_t size = 0;

  void add(int32_t node) { nodes[size++] = node; }
};

/// Follows walks backwards, from one node at a time: a walk that ends where it
/// began has the same probability in both directions.
class Walker {
public:
  explicit Walker(const Batch &batch) : batch(batch) {}

  gnn_status prepare(gnn_error *error);
  /// Writes the probabilities of 1 .. steps.
  void walk(int64_t node, int64_t steps, float *result);

private:
  const Batch &batch;
  /// Predecessors without duplicates.
  Array<int64_t> rows;
  Array<int32_t> columns;
  /// Probability of each edge out of a node.
  Array<double> chance;
  /// Where the walk is before and after a step.
  Array<double> masses[2];
  Frontier frontiers[2];
  /// The last step, of all walks, that reached a node.
  Array<int64_t> reached;
  int64_t stepNumber = 0;
};
} // namespace

gnn_status Walker::prepare(gnn_error *error) {
  int64_t n = batch.numNodes;
  if (!rows.allocateZeroed(n + 1) || !columns.allocate(batch.numEdges) ||
      !chance.allocateZeroed(n) || !masses[0].allocateZeroed(n) ||
      !masses[1].allocateZeroed(n) || !frontiers[0].nodes.allocate(n) ||
      !frontiers[1].nodes.allocate(n) || !reached.allocateZeroed(n))
    return failMemory(error, "random walks", 48 * n + 4 * batch.numEdges);
  int32_t *end = columns.begin();
  for (int64_t i = 0; i < n; ++i) {
    int32_t *begin = end;
    for (int64_t e = batch.rows[i]; e < batch.rows[i + 1]; ++e) {
      chance[batch.columns[e]] += static_cast<double>(batch.getWeight(e));
      *end++ = batch.columns[e];
    }
    std::sort(begin, end);
    end = std::unique(begin, end);
    rows[i + 1] = end - columns.begin();
  }
  for (double &value : chance)
    value = 1 / std::max(value, 1.0);
  return GNN_OK;
}

void Walker::walk(int64_t node, int64_t steps, float *result) {
  int now = 0;
  frontiers[now].size = 0;
  frontiers[now].add(static_cast<int32_t>(node));
  masses[now][node] = 1;
  for (int64_t step = 0; step < steps; ++step) {
    ++stepNumber;
    Array<double> &mass = masses[now], &nextMass = masses[1 - now];
    Frontier &frontier = frontiers[now], &next = frontiers[1 - now];
    next.size = 0;
    for (int64_t f = 0; f < frontier.size; ++f) {
      int32_t i = frontier.nodes[f];
      for (int64_t e = rows[i]; e < rows[i + 1]; ++e) {
        int32_t j = columns[e];
        if (reached[j] != stepNumber)
          next.add(j);
        reached[j] = stepNumber;
        nextMass[j] += mass[i] * chance[j];
      }
      mass[i] = 0;
    }
    now = 1 - now;
    result[step] = static_cast<float>(masses[now][node]);
  }
  for (int64_t f = 0; f < frontiers[now].size; ++f)
    masses[now][frontiers[now].nodes[f]] = 0;
}

gnn_status gnn_encode_random_walk(const gnn_graph *graph,
                                  const gnn_tensor *edge_weight, int64_t steps,
                                  gnn_tensor *probabilities, gnn_error *error) {
  if (!probabilities)
    return failNull(error, __func__, "probabilities");
  Batch batch;
  if (gnn_status status = checkCount(steps, "the length of walks", error))
    return status;
  if (gnn_status status = readBatch(graph, edge_weight, nullptr, batch, error))
    return status;
  Walker walker(batch);
  if (gnn_status status = walker.prepare(error))
    return status;
  gnn_tensor result;
  int64_t shape[2] = {batch.numNodes, steps};
  if (gnn_status status = allocateTensor(GNN_FLOAT32, 2, shape, &result, error))
    return status;
  auto *rows = static_cast<float *>(result.data);
  for (int64_t node = 0; node < batch.numNodes; ++node)
    walker.walk(node, steps, rows + node * steps);
  *probabilities = result;
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Degrees
//===----------------------------------------------------------------------===//

gnn_status gnn_encode_degrees(const gnn_graph *graph, gnn_tensor *in_degrees,
                              gnn_tensor *out_degrees, gnn_error *error) {
  if (!in_degrees)
    return failNull(error, __func__, "in_degrees");
  if (!out_degrees)
    return failNull(error, __func__, "out_degrees");
  Batch batch;
  if (gnn_status status = readBatch(graph, nullptr, nullptr, batch, error))
    return status;
  gnn_tensor in, out;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 1, &batch.numNodes, &in, error))
    return status;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 1, &batch.numNodes, &out, error)) {
    gnn_tensor_release(&in);
    return status;
  }
  auto *into = static_cast<int64_t *>(in.data);
  auto *outOf = static_cast<int64_t *>(out.data);
  for (int64_t i = 0; i < batch.numNodes; ++i) {
    into[i] = batch.rows[i + 1] - batch.rows[i];
    for (int64_t e = batch.rows[i]; e < batch.rows[i + 1]; ++e)
      ++outOf[batch.columns[e]];
  }
  *in_degrees = in;
  *out_degrees = out;
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Shortest paths
//===----------------------------------------------------------------------===//

namespace {
/// Breadth-first searches from destinations against the direction of edges.
struct PathFinder {
  const Batch &batch;
  int64_t maxDistance, pathLength;
  Array<int32_t> queue;

  /// Fills the row of `destination` for the sources of graph `g`. `distances`
  /// holds a number for each source, `paths` may be null.
  void search(int64_t g, int64_t destination, int64_t *distances,
              int64_t *paths);
};
} // namespace

void PathFinder::search(int64_t g, int64_t destination, int64_t *distances,
                        int64_t *paths) {
  int64_t first = batch.nodes[g], count = batch.nodes[g + 1] - first;
  std::fill(distances, distances + count, int64_t(-1));
  if (paths)
    std::fill(paths, paths + count * pathLength, int64_t(-1));
  int64_t end = 0;
  distances[destination - first] = 0;
  queue[end++] = static_cast<int32_t>(destination);
  for (int64_t begin = 0; begin < end; ++begin) {
    int64_t i = queue[begin], distance = distances[i - first];
    for (int64_t e = batch.rows[i]; e < batch.rows[i + 1]; ++e) {
      int64_t j = batch.columns[e] - first;
      if (distances[j] >= 0)
        continue;
      distances[j] = distance + 1;
      queue[end++] = batch.columns[e];
      if (!paths)
        continue;
      const int64_t *shorter = paths + (i - first) * pathLength;
      std::copy(shorter, shorter + pathLength, paths + j * pathLength);
      if (distance < pathLength)
        paths[j * pathLength + distance] = batch.getPlace(e);
    }
  }
  for (int64_t j = 0; j < count; ++j)
    distances[j] = distances[j] < 0 ? maxDistance + 1
                                    : std::min(distances[j], maxDistance);
}

gnn_status gnn_encode_shortest_paths(const gnn_graph *graph,
                                     const gnn_tensor *node_pointers,
                                     int64_t max_distance, int64_t path_length,
                                     gnn_tensor *distances, gnn_tensor *paths,
                                     gnn_error *error) {
  if (!distances)
    return failNull(error, __func__, "distances");
  if (gnn_status status =
          checkCount(max_distance, "the largest distance", error))
    return status;
  if (paths)
    if (gnn_status status =
            checkCount(path_length, "the length of paths", error))
      return status;
  Batch batch;
  if (gnn_status status =
          readBatch(graph, nullptr, node_pointers, batch, error))
    return status;
  int64_t numPairs = 0, largest = 0;
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t count = batch.nodes[g + 1] - batch.nodes[g];
    largest = std::max(largest, count);
    // Counts are below 2^31, so that one square always fits.
    if (__builtin_add_overflow(numPairs, count * count, &numPairs))
      return fail(error, GNN_UNSUPPORTED,
                  "the graphs of the batch have too many pairs of nodes");
  }
  PathFinder finder{batch, max_distance, path_length, {}};
  if (!finder.queue.allocate(largest))
    return failMemory(error, "shortest paths", 4 * largest);
  gnn_tensor lengths, edges = {};
  if (gnn_status status =
          allocateTensor(GNN_INT64, 1, &numPairs, &lengths, error))
    return status;
  int64_t shape[2] = {numPairs, path_length};
  if (paths)
    if (gnn_status status =
            allocateTensor(GNN_INT64, 2, shape, &edges, error)) {
      gnn_tensor_release(&lengths);
      return status;
    }
  auto *row = static_cast<int64_t *>(lengths.data);
  auto *path = static_cast<int64_t *>(edges.data);
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t count = batch.nodes[g + 1] - batch.nodes[g];
    for (int64_t i = batch.nodes[g]; i < batch.nodes[g + 1]; ++i) {
      finder.search(g, i, row, path);
      row += count;
      if (path)
        path += count * path_length;
    }
  }
  *distances = lengths;
  if (paths)
    *paths = edges;
  return GNN_OK;
}

/// Virtual nodes are connected to all by what a model learns, not by edges.
static gnn_status checkVirtualNodes(const Batch &batch, gnn_error *error) {
  auto refuse = [&](int64_t node) {
    return fail(error, GNN_INVALID_ARGUMENT,
                "node %" PRId64 " is the first of its graph and has an edge, "
                "but virtual nodes have none",
                node);
  };
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t first = batch.nodes[g], last = batch.nodes[g + 1];
    if (first == last)
      continue;
    if (batch.rows[first + 1] > batch.rows[first])
      return refuse(first);
    for (int64_t e = batch.rows[first]; e < batch.rows[last]; ++e)
      if (batch.columns[e] == first)
        return refuse(first);
  }
  return GNN_OK;
}

gnn_status gnn_encode_virtual_nodes(const gnn_graph *graph,
                                    const gnn_tensor *node_pointers,
                                    int64_t number, gnn_tensor *distances,
                                    gnn_error *error) {
  if (gnn_status status = checkTensor(distances, "'distances'", error))
    return status;
  Batch batch;
  if (gnn_status status =
          readBatch(graph, nullptr, node_pointers, batch, error))
    return status;
  if (gnn_status status = checkVirtualNodes(batch, error))
    return status;
  int64_t numPairs = 0;
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t count = batch.nodes[g + 1] - batch.nodes[g];
    if (__builtin_add_overflow(numPairs, count * count, &numPairs))
      return fail(error, GNN_UNSUPPORTED,
                  "the graphs of the batch have too many pairs of nodes");
  }
  if (distances->dtype != GNN_INT64 || distances->rank != 1 ||
      distances->shape[0] != numPairs)
    return fail(error, GNN_INVALID_ARGUMENT,
                "distances are %s of shape %s, but must be int64 of shape "
                "[%" PRId64 "], a number for each pair of nodes of one graph",
                gnn_dtype_name(distances->dtype),
                printShape(distances->rank, distances->shape).text, numPairs);
  auto *block = static_cast<int64_t *>(distances->data);
  for (int64_t g = 0; g < batch.numGraphs; ++g) {
    int64_t count = batch.nodes[g + 1] - batch.nodes[g];
    for (int64_t i = 0; i < count; ++i)
      block[i] = block[i * count] = number;
    block += count * count;
  }
  return GNN_OK;
}

gnn_status gnn_encode_path_values(const gnn_tensor *paths,
                                  const gnn_tensor *edge_values,
                                  gnn_tensor *values, gnn_tensor *lengths,
                                  gnn_error *error) {
  if (!values)
    return failNull(error, __func__, "values");
  if (!lengths)
    return failNull(error, __func__, "lengths");
  if (gnn_status status = checkTensor(paths, "'paths'", error))
    return status;
  if (gnn_status status = checkTensor(edge_values, "'edge_values'", error))
    return status;
  if (paths->dtype != GNN_INT64 || paths->rank != 2)
    return fail(error, GNN_INVALID_ARGUMENT,
                "paths are int64 with two dimensions, got %s with %d",
                gnn_dtype_name(paths->dtype), static_cast<int>(paths->rank));
  if (edge_values->dtype != GNN_FLOAT32 || edge_values->rank < 1 ||
      edge_values->rank > 2)
    return fail(error, GNN_INVALID_ARGUMENT,
                "values of edges are float32 with one or two dimensions, got "
                "%s with %d",
                gnn_dtype_name(edge_values->dtype),
                static_cast<int>(edge_values->rank));
  int64_t numPairs = paths->shape[0], length = paths->shape[1];
  int64_t numEdges = edge_values->shape[0];
  int64_t width = edge_values->rank == 2 ? edge_values->shape[1] : 1;
  const auto *places = static_cast<const int64_t *>(paths->data);
  for (int64_t i = 0; i < numPairs * length; ++i)
    if (places[i] < -1 || places[i] >= numEdges)
      return fail(error, GNN_MISMATCH,
                  "paths name edge %" PRId64
                  ", but there are values of %" PRId64 " edges",
                  places[i], numEdges);
  gnn_tensor along, counts;
  int64_t shape[3] = {numPairs, length, width};
  // Both are all zeros.
  if (gnn_status status =
          gnn_tensor_allocate(GNN_FLOAT32, 3, shape, &along, error))
    return status;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 1, &numPairs, &counts, error)) {
    gnn_tensor_release(&along);
    return status;
  }
  const auto *from = static_cast<const float *>(edge_values->data);
  auto *to = static_cast<float *>(along.data);
  auto *count = static_cast<int64_t *>(counts.data);
  for (int64_t i = 0; i < numPairs * length; ++i) {
    if (places[i] < 0)
      continue;
    ++count[i / length];
    std::copy(from + places[i] * width, from + (places[i] + 1) * width,
              to + i * width);
  }
  *values = along;
  *lengths = counts;
  return GNN_OK;
}
