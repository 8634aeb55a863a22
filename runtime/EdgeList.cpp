//===- EdgeList.cpp - Reading edge lists ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Tensor.h"
#include "TextGraph.h"

#include <cinttypes>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

gnn_status rt::addEdges(gnn_archive &archive, const EdgeList &edges,
                        gnn_error *error) {
  int64_t count = edges.sources.size();
  gnn_tensor tensor;
  int64_t shape[2] = {2, count};
  if (gnn_status status = allocateTensor(GNN_INT64, 2, shape, &tensor, error))
    return status;
  if (count) {
    size_t bytes = static_cast<size_t>(count) * sizeof(int64_t);
    memcpy(tensor.data, edges.sources.data(), bytes);
    memcpy(static_cast<int64_t *>(tensor.data) + count,
           edges.destinations.data(), bytes);
  }
  if (gnn_status status = archive.add("edge_index", tensor, error))
    return status;
  if (!edges.weighted)
    return GNN_OK;
  if (gnn_status status =
          allocateTensor(GNN_FLOAT32, 1, &shape[1], &tensor, error))
    return status;
  if (count)
    memcpy(tensor.data, edges.weights.data(),
           static_cast<size_t>(count) * sizeof(float));
  return archive.add("edge_weight", tensor, error);
}

gnn_status rt::failEdges(gnn_error *error, const char *path,
                         const EdgeList &edges) {
  return fail(error, GNN_OUT_OF_MEMORY,
              "out of memory: '%.400s' has more than %" PRId64
              " edges, which do not fit",
              path, edges.destinations.size());
}

gnn_status rt::readEdgeList(const char *path, gnn_archive &archive,
                            gnn_error *error) {
  LineReader reader(path, error);
  if (gnn_status status = reader.load())
    return status;
  EdgeList edges;
  int numColumns = 0;
  while (reader.nextContent("#%")) {
    std::string_view fields[3], extra;
    int count = 0;
    while (count < 3 && reader.nextField(fields[count], /*Commas=*/true))
      ++count;
    if (count < 2 || reader.nextField(extra, /*Commas=*/true))
      return reader.failHere(GNN_FORMAT_ERROR,
                             "an edge is 'source destination' or 'source "
                             "destination weight', but the line has %s",
                             count < 2 ? "one field" : "more than 3 fields");
    if (numColumns == 0) {
      numColumns = count;
      edges.weighted = count == 3;
    }
    if (count != numColumns)
      return reader.failHere(GNN_FORMAT_ERROR,
                             "the line has %d fields, but the lines before it "
                             "have %d; give all edges a weight or none",
                             count, numColumns);
    int64_t source, destination;
    float weight = 0;
    if (gnn_status status =
            reader.parseInteger(fields[0], "node number", source))
      return status;
    if (gnn_status status =
            reader.parseInteger(fields[1], "node number", destination))
      return status;
    if (count == 3)
      if (gnn_status status = reader.parseWeight(fields[2], weight))
        return status;
    if (!edges.add(source, destination, weight))
      return failEdges(error, path, edges);
  }
  return addEdges(archive, edges, error);
}
