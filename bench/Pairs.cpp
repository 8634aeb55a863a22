//===- Pairs.cpp - Which pairs of nodes are edges ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"

#include "Kernel.h"
#include "Random.h"

using namespace gnn;
using namespace gnn::bench;

static constexpr int64_t batchNodes = 25600;

Pairs::Pairs(gnn_topology topology, std::string family, std::string type,
             int64_t numNodes)
    : topology(topology), family(std::move(family)), type(std::move(type)),
      size("/S:" + std::to_string(numNodes)), numNodes(numNodes),
      numPairs(numNodes * numNodes) {}

Pairs Pairs::getComplete(int64_t numNodes) {
  return {GNN_TOPOLOGY_COMPLETE, "dense", "complete", numNodes};
}

Pairs Pairs::getCausal(int64_t numNodes) {
  Pairs pairs(GNN_TOPOLOGY_CAUSAL, "causal", "causal", numNodes);
  pairs.numPairs = numNodes * (numNodes + 1) / 2;
  return pairs;
}

Pairs Pairs::getWindow(int64_t numNodes, int64_t window) {
  std::string text = std::to_string(window);
  Pairs pairs(GNN_TOPOLOGY_WINDOW, "window", "window<" + text + ">", numNodes);
  pairs.window = window;
  pairs.size += "/w:" + text;
  int64_t reach = std::min(window, numNodes - 1);
  pairs.numPairs = numNodes * (2 * reach + 1) - reach * (reach + 1);
  return pairs;
}

Pairs Pairs::getBatch(int64_t meanNodes) {
  std::vector<int32_t> pointers{0};
  int64_t numPairs = 0;
  Random random;
  while (pointers.back() < batchNodes) {
    int64_t nodes = meanNodes / 2 + random.draw(meanNodes + 1);
    numPairs += nodes * nodes;
    pointers.push_back(static_cast<int32_t>(pointers.back() + nodes));
  }
  Pairs pairs(GNN_TOPOLOGY_BLOCK_DIAGONAL, "batch", "block_diagonal",
              pointers.back());
  pairs.size = "/n:" + std::to_string(meanNodes);
  pairs.numPairs = numPairs;
  pairs.pointers = std::move(pointers);
  return pairs;
}

llvm::Expected<std::shared_ptr<gnn_graph>> Pairs::makeGraph() const {
  gnn_graph *graph = nullptr;
  gnn_error error = {};
  gnn_status status;
  if (pointers.empty()) {
    status =
        gnn_graph_regular(topology, numNodes, numNodes, window, &graph, &error);
  } else {
    gnn_tensor tensor = {};
    tensor.data = const_cast<int32_t *>(pointers.data());
    tensor.dtype = GNN_INT32;
    tensor.rank = 1;
    tensor.shape[0] = static_cast<int64_t>(pointers.size());
    status = gnn_graph_block_diagonal(&tensor, &tensor, &graph, &error);
  }
  if (llvm::Error failure = toError(status, error))
    return failure;
  return std::shared_ptr<gnn_graph>(graph, gnn_graph_destroy);
}
