//===- Pairs.h - Which pairs of nodes are edges -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_PAIRS_H
#define GNN_BENCH_PAIRS_H

#include "gnn/Runtime/Runtime.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace gnn::bench {

/// Which pairs of nodes are edges, where nothing lists them.
class Pairs {
public:
  static Pairs getComplete(int64_t numNodes);
  static Pairs getCausal(int64_t numNodes);
  static Pairs getWindow(int64_t numNodes, int64_t window);
  /// A batch of complete graphs, some 25,600 nodes in all. A graph has half as
  /// many to one and a half times as many nodes as `meanNodes`, at random.
  static Pairs getBatch(int64_t meanNodes);

  const std::string &getFamily() const { return family; }
  /// What tells these pairs from others of the family.
  const std::string &getSize() const { return size; }
  /// The topology as a template has it.
  const std::string &getType() const { return type; }
  int64_t getNumNodes() const { return numNodes; }
  int64_t getNumPairs() const { return numPairs; }
  llvm::Expected<std::shared_ptr<gnn_graph>> makeGraph() const;

private:
  Pairs(gnn_topology topology, std::string family, std::string type,
        int64_t numNodes);

  gnn_topology topology;
  std::string family, type, size;
  int64_t numNodes, numPairs, window = 0;
  /// Where the graphs of a batch begin, and the last one ends.
  std::vector<int32_t> pointers;
};

} // namespace gnn::bench

#endif // GNN_BENCH_PAIRS_H
