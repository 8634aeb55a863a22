//===- Seeds.cpp - Nodes that batches are sampled for -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batches.h"

#include "../Error.h"

#include <cerrno>
#include <cinttypes>
#include <cstdlib>

using namespace gnn::runner;
using gnn::rt::fail;

gnn_status BatchRunner::addSeed(int64_t node, gnn_error *error) {
  if (node < 0 || node >= rows.numNodes)
    return fail(error, GNN_MISMATCH,
                "--seeds names node %" PRId64 ", but the graph has %" PRId64
                " nodes, numbered from 0",
                node, rows.numNodes);
  rows.nodes.push_back(static_cast<int32_t>(node));
  return GNN_OK;
}

/// "0,5,17"
gnn_status BatchRunner::parseSeeds(gnn_error *error) {
  const char *next = options.seeds.c_str();
  for (;;) {
    char *end;
    errno = 0;
    long long node = strtoll(next, &end, 10);
    if (errno || end == next || (*end && *end != ','))
      return fail(error, GNN_INVALID_ARGUMENT,
                  "--seeds wants nodes such as 0,5,17, or @FILE.npy, or all, "
                  "not '%.300s'",
                  options.seeds.c_str());
    if (gnn_status status = addSeed(node, error))
      return status;
    if (!*end)
      return GNN_OK;
    next = end + 1;
  }
}

/// Numbers of nodes, or which nodes there are to be.
gnn_status BatchRunner::takeSeeds(const gnn_tensor &array, gnn_error *error) {
  int64_t size = gnn_tensor_size(&array);
  bool isMask = array.dtype == GNN_BOOL;
  if (array.rank != 1 || (isMask && size != rows.numNodes) ||
      (!isMask && array.dtype != GNN_INT32 && array.dtype != GNN_INT64))
    return fail(error, GNN_MISMATCH,
                "'%.300s' must be a vector of nodes (int32 or int64), or of "
                "bool for each of the graph's %" PRId64
                " nodes, but is %s of rank %d with %" PRId64 " elements",
                options.seeds.c_str() + 1, rows.numNodes,
                gnn_dtype_name(array.dtype), array.rank, size);
  for (int64_t i = 0; i < size; ++i) {
    int64_t node = i;
    if (array.dtype == GNN_INT32)
      node = static_cast<const int32_t *>(array.data)[i];
    else if (array.dtype == GNN_INT64)
      node = static_cast<const int64_t *>(array.data)[i];
    else if (!static_cast<const uint8_t *>(array.data)[i])
      continue;
    if (gnn_status status = addSeed(node, error))
      return status;
  }
  return GNN_OK;
}

gnn_status BatchRunner::readSeeds(gnn_error *error) {
  if (options.seeds == "all") {
    for (int64_t node = 0; node < rows.numNodes; ++node)
      rows.nodes.push_back(static_cast<int32_t>(node));
    return GNN_OK;
  }
  if (options.seeds.empty() || options.seeds[0] != '@')
    return parseSeeds(error);
  TensorHolder array;
  if (gnn_status status =
          gnn_tensor_map(options.seeds.c_str() + 1, &array.tensor, error))
    return status;
  return takeSeeds(array.tensor, error);
}
