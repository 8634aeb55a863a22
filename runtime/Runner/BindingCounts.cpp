//===- BindingCounts.cpp - How many nodes the arrays of a file tell -------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Binder.h"

#include "../Error.h"
#include "../Model.h"

#include <cinttypes>
#include <cstring>

using namespace gnn;
using namespace gnn::runner;
using gnn::rt::fail;

/// A whole number stored as an array of one element.
gnn_status Binder::readCount(const char *name, int64_t &count, bool &found) {
  const gnn_tensor *array = find(name);
  found = array != nullptr;
  if (!found)
    return GNN_OK;
  if (gnn_tensor_size(array) != 1 ||
      (array->dtype != GNN_INT64 && array->dtype != GNN_INT32))
    return fail(error, GNN_MISMATCH,
                "'%s' in '%.300s' must be one integer, but has dtype %s and "
                "%" PRId64 " elements",
                name, path.c_str(), gnn_dtype_name(array->dtype),
                gnn_tensor_size(array));
  count = array->dtype == GNN_INT64
              ? *static_cast<const int64_t *>(array->data)
              : *static_cast<const int32_t *>(array->data);
  if (count < 0)
    return fail(error, GNN_MISMATCH, "'%s' in '%.300s' is negative: %" PRId64,
                name, path.c_str(), count);
  return GNN_OK;
}

/// Grows `count` to one more than the largest index in a row of edge_index.
static void countIndices(const gnn_tensor &edgeIndex, int row, int64_t &count) {
  int64_t numEdges = edgeIndex.shape[1];
  for (int64_t i = row * numEdges, end = (row + 1) * numEdges; i < end; ++i) {
    int64_t index = edgeIndex.dtype == GNN_INT64
                        ? static_cast<const int64_t *>(edgeIndex.data)[i]
                        : static_cast<const int32_t *>(edgeIndex.data)[i];
    // Larger ones are reported when the graph is made.
    if (index >= count && index < INT32_MAX)
      count = index + 1;
  }
}

static bool isEdgeIndex(const gnn_tensor *array) {
  return array && array->rank == 2 && array->shape[0] == 2 &&
         (array->dtype == GNN_INT64 || array->dtype == GNN_INT32);
}

const gnn_port &gnn::runner::getGraphPort(const gnn_model &model,
                                          int32_t number) {
  const gnn_port *port = model.inputs;
  while (port->kind != GNN_PORT_GRAPH || number-- > 0)
    ++port;
  return *port;
}

/// Rows of what the file has for a tensor or a sparse matrix; false if that is
/// nothing.
bool Binder::countRows(const gnn_port &port, int64_t &count) const {
  if (rt::isSparseMatrix(port)) {
    const gnn_tensor *pointers =
        find((std::string(port.name) + ".indptr").c_str());
    if (pointers && pointers->rank == 1 && pointers->shape[0] > 0) {
      count = pointers->shape[0] - 1;
      return true;
    }
  }
  const gnn_tensor *rows = find(port.name);
  if (!rows || rows->rank == 0)
    return false;
  count = rows->shape[0];
  return true;
}

/// The type of the nodes that a tensor or sparse matrix has rows for, or NULL.
const char *Binder::findRowType(const gnn_port &port) const {
  if (port.kind == GNN_PORT_TENSOR)
    return port.node_types[0];
  bool hasRows =
      rt::isSparseMatrix(port) &&
      (port.axis == GNN_AXIS_SOURCE || port.axis == GNN_AXIS_DESTINATION);
  return hasRows ? getGraphPort(model, port.graph)
                       .node_types[port.axis == GNN_AXIS_DESTINATION]
                 : nullptr;
}

/// Nodes of a type: as many as the file says, or as an input has rows, or one
/// more than the largest index in the edges of any type.
gnn_status Binder::countTypedNodes(const char *type, int64_t &count) {
  bool found = false;
  std::string own = std::string("num_nodes/") + type;
  if (gnn_status status = readCount(own.c_str(), count, found))
    return status;
  if (found)
    return GNN_OK;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    const char *rowType = findRowType(port);
    if (rowType && strcmp(rowType, type) == 0 && countRows(port, count))
      return GNN_OK;
  }
  count = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind != GNN_PORT_GRAPH || !port.node_types[0])
      continue;
    for (int side = 0; side < 2; ++side) {
      const char *sideType = port.node_types[side];
      if (!sideType || strcmp(sideType, type) != 0)
        continue;
      const gnn_tensor *edges = find(nameArray("edge_index", port).c_str());
      if (isEdgeIndex(edges)) {
        countIndices(*edges, side, count);
        found = true;
      }
      const gnn_tensor *rows = find(nameArray("indptr", port).c_str());
      if (side == 1 && rows && rows->rank == 1 && rows->shape[0] > count) {
        count = rows->shape[0] - 1;
        found = true;
      }
    }
  }
  return found ? GNN_OK
               : missing(own.c_str(), "which says how many nodes there are");
}

/// Nodes on one side of graph `Number`: as many as the file says, or as an
/// input has rows, or one more than the largest index.
gnn_status Binder::countNodes(const gnn_port &port, int32_t number,
                              gnn_axis axis, int64_t &count) {
  if (port.node_types[0])
    return countTypedNodes(port.node_types[axis == GNN_AXIS_DESTINATION],
                           count);
  bool found = false;
  const char *own =
      axis == GNN_AXIS_SOURCE ? "num_sources" : "num_destinations";
  if (gnn_status status =
          readCount(port.bipartite ? own : "num_nodes", count, found))
    return status;
  if (found)
    return GNN_OK;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &other = model.inputs[i];
    bool counts = other.axis == axis ||
                  (!port.bipartite && (other.axis == GNN_AXIS_SOURCE ||
                                       other.axis == GNN_AXIS_DESTINATION));
    bool hasRows = other.kind == GNN_PORT_TENSOR || rt::isSparseMatrix(other);
    if (hasRows && other.graph == number && counts && countRows(other, count))
      return GNN_OK;
  }
  // CSR says how many destinations there are.
  const gnn_tensor *rowPointers = find("indptr");
  if (rowPointers && rowPointers->rank == 1 && rowPointers->shape[0] > 0 &&
      (!port.bipartite || axis == GNN_AXIS_DESTINATION)) {
    count = rowPointers->shape[0] - 1;
    return GNN_OK;
  }
  const gnn_tensor *edgeIndex = find("edge_index");
  if (!isEdgeIndex(edgeIndex))
    return missing(port.bipartite ? own : "num_nodes",
                   "which says how many nodes there are");
  count = 0;
  if (axis == GNN_AXIS_SOURCE || !port.bipartite)
    countIndices(*edgeIndex, 0, count);
  if (axis == GNN_AXIS_DESTINATION || !port.bipartite)
    countIndices(*edgeIndex, 1, count);
  return GNN_OK;
}

gnn_status Binder::countBothSides(const gnn_port &port, int32_t number,
                                  int64_t &numSources,
                                  int64_t &numDestinations) {
  if (gnn_status status = countNodes(port, number, GNN_AXIS_SOURCE, numSources))
    return status;
  return countNodes(port, number, GNN_AXIS_DESTINATION, numDestinations);
}
