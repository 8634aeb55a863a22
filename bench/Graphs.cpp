//===- Graphs.cpp - Graphs to measure on ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

const char *const gnn_bench_graph_names[] = {
    "cora",     "citeseer", "facebook", "uniform",   "hub",
    "star",     "rmat",     "web",      "arxiv",     "large",
    "products", "citation", "small",    "molecules", nullptr};

namespace {
/// Numbers of a fixed seed, the same with every standard library (SplitMix64
/// by Steele, Lea and Flood).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, 1).
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [0, limit).
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(real() * static_cast<double>(limit));
  }

private:
  uint64_t state;
};

/// The sources and destinations to fill in.
struct Edges {
  int64_t *sources, *destinations;
  int64_t count;
};

struct Generator {
  int64_t numNodes, numEdges;
  std::function<void(int64_t numNodes, Edges edges)> fill;
};
} // namespace

static void fillUniform(int64_t numNodes, Edges edges) {
  Random random(1);
  for (int64_t e = 0; e < edges.count; ++e) {
    edges.sources[e] = random.below(numNodes);
    edges.destinations[e] = random.below(numNodes);
  }
}

/// Half of all edges lead to four nodes.
static void fillHub(int64_t numNodes, Edges edges) {
  Random random(2);
  for (int64_t e = 0; e < edges.count; ++e) {
    edges.sources[e] = random.below(numNodes);
    edges.destinations[e] =
        e % 2 ? random.below(numNodes) : numNodes / 5 * (1 + random.below(4));
  }
}

/// Half of all edges lead to one node, which a thread that takes whole rows has
/// alone.
static void fillStar(int64_t numNodes, Edges edges) {
  Random random(6);
  for (int64_t e = 0; e < edges.count; ++e) {
    edges.sources[e] = random.below(numNodes);
    edges.destinations[e] = e % 2 ? random.below(numNodes) : numNodes / 2;
  }
}

/// R-MAT (Chakrabarti, Zhan and Faloutsos 2004) with Graph500's probabilities,
/// then a random numbering, without which neighbours would be near each other.
static void fillRMAT(int64_t numNodes, Edges edges) {
  Random random(3);
  std::string permutation(numNodes * sizeof(int64_t), '\0');
  auto *number = reinterpret_cast<int64_t *>(permutation.data());
  for (int64_t i = 0; i < numNodes; ++i)
    number[i] = i;
  for (int64_t i = numNodes - 1; i > 0; --i)
    std::swap(number[i], number[random.below(i + 1)]);
  int64_t levels = std::ilogb(static_cast<double>(numNodes - 1)) + 1;
  for (int64_t e = 0; e < edges.count;) {
    int64_t source = 0, destination = 0;
    for (int64_t level = 0; level < levels; ++level) {
      double r = random.real();
      source = 2 * source + (r >= 0.76);
      destination = 2 * destination + ((r >= 0.57 && r < 0.76) || r >= 0.95);
    }
    if (source >= numNodes || destination >= numNodes)
      continue;
    edges.sources[e] = number[source];
    edges.destinations[e++] = number[destination];
  }
}

/// In-degrees that fall with a power of the rank, as those of web pages do;
/// most sources are near their destination, as links within a site.
static void fillWeb(int64_t numNodes, Edges edges) {
  Random random(4);
  auto nodes = static_cast<double>(numNodes);
  for (int64_t e = 0; e < edges.count; ++e) {
    // Inversion of the distribution of a Pareto variable on [1, nodes].
    constexpr double power = 0.75;
    double rank = std::pow(1 + random.real() * (std::pow(nodes, 1 - power) - 1),
                           1 / (1 - power));
    // A fixed stride spreads the ranks over all numbers.
    int64_t destination =
        static_cast<int64_t>(rank - 1) % numNodes * 7919 % numNodes;
    int64_t source =
        random.real() < 0.7
            ? (destination + random.below(201) - 100 + numNodes) % numNodes
            : random.below(numNodes);
    edges.sources[e] = source;
    edges.destinations[e] = destination;
  }
}

static constexpr int64_t kAtoms = 25, kBonds = 27;

/// Batches of rings with side chains: 25 atoms with 27 bonds, in both
/// directions.
static void fillMolecules(int64_t, Edges edges) {
  Random random(5);
  for (int64_t e = 0; e < edges.count; e += 2) {
    int64_t first = e / (2 * kBonds) * kAtoms, bond = e / 2 % kBonds;
    int64_t a = bond < kAtoms - 1 ? bond + 1 : 6 * (bond - kAtoms + 2);
    int64_t b = bond >= kAtoms - 1 ? a - 5
                : a % 6            ? a - 1
                                   : a - 1 - random.below(6);
    for (int64_t direction = 0; direction < 2; ++direction) {
      edges.sources[e + direction] = first + (direction ? a : b);
      edges.destinations[e + direction] = first + (direction ? b : a);
    }
  }
}

static bool findGenerator(const char *name, Generator &generator) {
  struct {
    const char *name;
    Generator generator;
  } table[] = {
      {"uniform", {100000, 1000000, fillUniform}},
      {"hub", {100000, 1000000, fillHub}},
      {"star", {100000, 1000000, fillStar}},
      {"rmat", {65536, 1000000, fillRMAT}},
      {"web", {200000, 1600000, fillWeb}},
      {"arxiv", {169343, 1166243, fillRMAT}}, // as large as ogbn-arxiv
      {"large", {1000000, 20000000, fillRMAT}},
      {"products", {2449029, 61859140, fillRMAT}}, // as large as ogbn-products
      {"citation", {2708, 10556, fillRMAT}},       // as large as Cora
      {"small", {50, 200, fillHub}},               // for tests
      {"molecules", {1000 * kAtoms, 1000 * 2 * kBonds, fillMolecules}},
  };
  for (auto &entry : table)
    if (!strcmp(entry.name, name)) {
      generator = entry.generator;
      return true;
    }
  return false;
}

/// Reads a real graph with the runtime's reader.
static gnn_status readGraph(const char *name, const char *folder,
                            int64_t *numNodes, gnn_tensor *edges,
                            gnn_error *error) {
  std::string path = std::string(folder ? folder : ".") + "/" + name + ".npz";
  gnn_archive *archive = nullptr;
  if (gnn_status status = gnn_graph_file_read(path.c_str(), &archive, error))
    return status;
  const gnn_tensor *x = gnn_archive_find(archive, "x");
  const gnn_tensor *index = gnn_archive_find(archive, "edge_index");
  gnn_status status = GNN_FORMAT_ERROR;
  if (x && index) {
    *numNodes = x->shape[0];
    status = gnn_tensor_convert(index, GNN_INT64, edges, error);
  } else if (error) {
    error->status = status;
    snprintf(error->message, sizeof error->message,
             "'%.400s' needs the arrays x and edge_index", path.c_str());
  }
  gnn_archive_destroy(archive);
  return status;
}

int64_t gnn_bench_graph_edges(const char *name) {
  Generator generator;
  return findGenerator(name, generator) ? generator.numEdges : 0;
}

gnn_status gnn_bench_graph(const char *name, const char *folder,
                           int64_t *numNodes, gnn_tensor *edges,
                           gnn_error *error) {
  Generator generator;
  if (!findGenerator(name, generator))
    return readGraph(name, folder, numNodes, edges, error);
  int64_t shape[] = {2, generator.numEdges};
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 2, shape, edges, error))
    return status;
  *numNodes = generator.numNodes;
  auto *data = static_cast<int64_t *>(edges->data);
  generator.fill(generator.numNodes,
                 {data, data + generator.numEdges, generator.numEdges});
  return GNN_OK;
}
