//===- InputCheck.cpp - What a caller passes to a model ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device/DeviceSession.h"
#include "Error.h"
#include "Graph.h"
#include "Model.h"
#include "Session.h"
#include "Tensor.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

/// Models look positions up in tables of so many rows.
static gnn_status checkNumNodes(const gnn_port &port, const gnn_graph *graph,
                                gnn_error *error) {
  if (port.topology != GNN_TOPOLOGY_BLOCK_DIAGONAL) {
    int64_t numNodes = gnn_graph_num_destinations(graph);
    if (numNodes <= port.limit)
      return GNN_OK;
    return fail(error, GNN_MISMATCH,
                "graph '%s' has %" PRId64
                " nodes, but the model takes at most %d",
                port.name, numNodes, port.limit);
  }
  const int32_t *pointers = gnn_graph_destination_pointers(graph);
  for (int64_t i = 0, e = gnn_graph_num_segments(graph); i < e; ++i)
    if (int32_t numNodes = pointers[i + 1] - pointers[i]; numNodes > port.limit)
      return fail(error, GNN_MISMATCH,
                  "segment %" PRId64
                  " of graph '%s' has %d nodes, but the model takes at most %d",
                  i, port.name, numNodes, port.limit);
  return GNN_OK;
}

static gnn_status checkGraph(const gnn_port &port, const gnn_graph *graph,
                             gnn_error *error) {
  if (!graph)
    return fail(error, GNN_INVALID_ARGUMENT, "graph '%s' is NULL", port.name);
  gnn_topology topology = gnn_graph_topology(graph);
  if (topology != port.topology)
    return fail(error, GNN_MISMATCH,
                "graph '%s' is a %s graph, but the model was compiled for %s "
                "graphs",
                port.name, gnn_topology_name(topology),
                gnn_topology_name(static_cast<gnn_topology>(port.topology)));
  if (topology == GNN_TOPOLOGY_WINDOW && gnn_graph_window(graph) != port.window)
    return fail(error, GNN_MISMATCH,
                "graph '%s' has window %" PRId64
                ", but the model was compiled for window %" PRId64,
                port.name, gnn_graph_window(graph), port.window);
  int64_t sources = gnn_graph_num_sources(graph);
  int64_t destinations = gnn_graph_num_destinations(graph);
  if (!port.bipartite && sources != destinations)
    return fail(error, GNN_MISMATCH,
                "graph '%s' has %" PRId64 " source and %" PRId64
                " destination nodes, but the model was compiled for graphs "
                "whose sources are their destinations",
                port.name, sources, destinations);
  return port.limit ? checkNumNodes(port, graph, error) : GNN_OK;
}

const char *rt::axisSize(const gnn_port &port, const gnn_graph *const *graphs,
                         int64_t &size) {
  if (!graphs) // of a model that takes none
    return nullptr;
  switch (port.axis) {
  case GNN_AXIS_SOURCE:
    size = gnn_graph_num_sources(graphs[port.graph]);
    return "source nodes";
  case GNN_AXIS_DESTINATION:
    size = gnn_graph_num_destinations(graphs[port.graph]);
    return "destination nodes";
  case GNN_AXIS_EDGE:
    size = gnn_graph_num_edges(graphs[port.graph]);
    return "edges";
  default:
    return nullptr;
  }
}

/// Sparse matrices have a row for each node of another graph.
static gnn_status checkMatrix(const gnn_port &port, const gnn_graph *graph,
                              const gnn_graph *const *graphs,
                              gnn_error *error) {
  int64_t columns = gnn_graph_num_sources(graph);
  if (columns != port.shape[1])
    return fail(error, GNN_MISMATCH,
                "sparse matrix '%s' has %" PRId64
                " columns, but the model takes %" PRId64,
                port.name, columns, port.shape[1]);
  int64_t size = 0, rows = gnn_graph_num_destinations(graph);
  const char *what = axisSize(port, graphs, size);
  if (!what || rows == size)
    return GNN_OK;
  return fail(error, GNN_MISMATCH,
              "sparse matrix '%s' has %" PRId64
              " rows, but the graph has %" PRId64 " %s",
              port.name, rows, size, what);
}

/// The sources of some graphs are nodes of another.
static gnn_status checkSources(const gnn_port &port, const gnn_graph *graph,
                               const gnn_graph *const *graphs,
                               gnn_error *error) {
  if (port.axis != GNN_AXIS_SOURCE && port.axis != GNN_AXIS_DESTINATION)
    return GNN_OK;
  int64_t size = 0;
  const char *what = axisSize(port, graphs, size);
  int64_t sources = gnn_graph_num_sources(graph);
  if (sources == size)
    return GNN_OK;
  return fail(error, GNN_MISMATCH,
              "graph '%s' has %" PRId64
              " source nodes, but graph %d has %" PRId64
              " %s, which must be the same",
              port.name, sources, port.graph, size, what);
}

namespace {
/// The first place that counted the nodes of some type.
struct TypeCount {
  const char *input = nullptr;
  int64_t count = 0;
};
} // namespace

/// The nodes of `type` as the inputs before number `end` count them.
static TypeCount findCount(const gnn_model &model, uint32_t end,
                           const char *type, const gnn_graph *const *graphs,
                           const gnn_tensor *tensors) {
  int64_t graphIndex = 0, tensorIndex = 0;
  for (uint32_t i = 0; i < end; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      const gnn_graph *graph = graphs[graphIndex++];
      if (port.node_types[0] && !strcmp(port.node_types[0], type))
        return {port.name, gnn_graph_num_sources(graph)};
      if (port.node_types[1] && !strcmp(port.node_types[1], type))
        return {port.name, gnn_graph_num_destinations(graph)};
    } else if (port.kind == GNN_PORT_TENSOR) {
      const gnn_tensor &tensor = tensors[tensorIndex++];
      if (port.node_types[0] && !strcmp(port.node_types[0], type))
        return {port.name, tensor.shape[0]};
    }
  }
  return {};
}

/// Inputs agree on how many nodes there are of each type.
static gnn_status checkNodeTypes(const gnn_model &model,
                                 const gnn_graph *const *graphs,
                                 const gnn_tensor *tensors, gnn_error *error) {
  int64_t graphIndex = 0, tensorIndex = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_WEIGHT)
      continue;
    bool isGraph = port.kind == GNN_PORT_GRAPH;
    const gnn_graph *graph = isGraph ? graphs[graphIndex++] : nullptr;
    const gnn_tensor *tensor = isGraph ? nullptr : &tensors[tensorIndex++];
    for (int side = 0; side < (isGraph ? 2 : 1); ++side) {
      const char *type = port.node_types[side];
      if (!type)
        continue;
      int64_t count = !isGraph    ? tensor->shape[0]
                      : side == 0 ? gnn_graph_num_sources(graph)
                                  : gnn_graph_num_destinations(graph);
      TypeCount first = findCount(model, i, type, graphs, tensors);
      if (first.input && first.count != count)
        return fail(error, GNN_MISMATCH,
                    "'%.200s' has %" PRId64 " nodes of type '%.100s', but "
                    "'%.200s' has %" PRId64 "; the two must agree",
                    port.name, count, type, first.input, first.count);
    }
  }
  return GNN_OK;
}

/// Models look these numbers up in tables of so many rows, the same table for
/// all or one for each place in the last dimension.
template <typename T>
static gnn_status checkElements(const gnn_port &port, const gnn_tensor &tensor,
                                const char *what, gnn_error *error) {
  const T *elements = static_cast<const T *>(tensor.data);
  const int32_t *limits = port.num_limits ? port.limits : &port.limit;
  int64_t columns = port.num_limits ? port.num_limits : 1;
  int64_t size = gnn_tensor_size(&tensor);
  for (int64_t begin = 0; begin < size; begin += columns)
    for (int64_t column = 0; column < columns; ++column) {
      auto element = static_cast<int64_t>(elements[begin + column]);
      if (element >= 0 && element < limits[column])
        continue;
      int64_t rows = tensor.rank ? tensor.shape[0] : 1;
      char place[32] = "";
      if (port.num_limits)
        snprintf(place, sizeof(place), ", column %" PRId64, column);
      return fail(error, GNN_MISMATCH,
                  "%s has %" PRId64 " in row %" PRId64
                  "%s, but the model takes numbers from 0 to %d%s",
                  what, element, begin / (size / rows), place,
                  limits[column] - 1, port.num_limits ? " there" : "");
    }
  return GNN_OK;
}

/// Reads elements from where they are.
static gnn_status checkElements(DeviceSession *device, const gnn_port &port,
                                const gnn_tensor &tensor, const char *what,
                                gnn_error *error) {
  gnn_tensor onHost = tensor;
  Array<char> copy;
  if (tensor.place == GNN_DEVICE) {
    if (!copy.allocate(bytesOf(tensor)))
      return failMemory(error, "a copy of an input", bytesOf(tensor));
    if (gnn_status status = device->read(tensor, copy.data(), error))
      return status;
    onHost.data = copy.data();
  }
  return tensor.dtype == GNN_INT64
             ? checkElements<int64_t>(port, onHost, what, error)
             : checkElements<int32_t>(port, onHost, what, error);
}

/// Refuses tensors that are where the model cannot use them.
static gnn_status checkPlace(DeviceSession *device, const gnn_tensor &tensor,
                             const char *what, gnn_error *error) {
  if (tensor.place != GNN_HOST && tensor.place != GNN_DEVICE)
    return fail(error, GNN_INVALID_ARGUMENT, "%s has the unknown place %d",
                what, tensor.place);
  if (tensor.place == GNN_DEVICE && !device)
    return fail(error, GNN_MISMATCH,
                "%s is on a device, but the model runs on the CPU", what);
  gnn_tensor onHost = tensor;
  onHost.place = GNN_HOST;
  return checkTensor(&onHost, what, error);
}

static gnn_status checkInput(DeviceSession *device, const gnn_port &port,
                             const gnn_tensor &tensor,
                             const gnn_graph *const *graphs, gnn_error *error) {
  char what[160];
  snprintf(what, sizeof(what), "input '%.140s'", port.name);
  if (gnn_status status = checkPlace(device, tensor, what, error))
    return status;
  if (tensor.dtype != port.dtype)
    return fail(error, GNN_MISMATCH, "%s is %s, but the model takes %s", what,
                gnn_dtype_name(tensor.dtype),
                gnn_dtype_name(static_cast<gnn_dtype>(port.dtype)));
  if (tensor.rank != port.rank)
    return fail(error, GNN_MISMATCH,
                "%s has shape %s, but the model takes %d dimension%s, %s (-1: "
                "any size)",
                what, printShape(tensor.rank, tensor.shape).text, port.rank,
                port.rank == 1 ? "" : "s",
                printShape(port.rank, port.shape).text);
  int64_t rows = 0;
  // checkNodeTypes compares rows that have a node type.
  const char *counted =
      port.node_types[0] ? nullptr : axisSize(port, graphs, rows);
  if (counted && tensor.shape[0] != rows)
    return fail(error, GNN_MISMATCH,
                "%s has %" PRId64 " rows, but the graph has %" PRId64 " %s",
                what, tensor.shape[0], rows, counted);
  for (int32_t i = 0; i < port.rank; ++i)
    if (port.shape[i] >= 0 && tensor.shape[i] != port.shape[i])
      return fail(error, GNN_MISMATCH,
                  "%s has shape %s, but the model takes %s (-1: any size)",
                  what, printShape(tensor.rank, tensor.shape).text,
                  printShape(port.rank, port.shape).text);
  return port.limit || port.num_limits
             ? checkElements(device, port, tensor, what, error)
             : GNN_OK;
}

static gnn_status checkCount(const gnn_model &model, const char *what,
                             size_t given, size_t wanted, bool isNull,
                             gnn_error *error) {
  if (given != wanted)
    return fail(error, GNN_MISMATCH,
                "model '%s' has %zu %s%s, but %zu %s passed", model.name,
                wanted, what, wanted == 1 ? "" : "s", given,
                given == 1 ? "was" : "were");
  if (given && isNull)
    return fail(error, GNN_INVALID_ARGUMENT,
                "model '%s' has %zu %s%s, but NULL was passed", model.name,
                wanted, what, wanted == 1 ? "" : "s");
  return GNN_OK;
}

static size_t countInputs(const gnn_model &model, gnn_port_kind kind) {
  return static_cast<size_t>(
      std::count_if(model.inputs, model.inputs + model.num_inputs,
                    [&](const gnn_port &port) { return port.kind == kind; }));
}

gnn_status rt::checkInputs(const gnn_model &model, DeviceSession *device,
                           const gnn_graph *const *graphs, size_t numGraphs,
                           const gnn_tensor *tensors, size_t numTensors,
                           const gnn_tensor *outputs, size_t numOutputs,
                           gnn_error *error) {
  if (gnn_status status =
          checkCount(model, "graph input", numGraphs,
                     countInputs(model, GNN_PORT_GRAPH), !graphs, error))
    return status;
  if (gnn_status status =
          checkCount(model, "tensor input", numTensors,
                     countInputs(model, GNN_PORT_TENSOR), !tensors, error))
    return status;
  if (gnn_status status = checkCount(model, "output", numOutputs,
                                     model.num_outputs, !outputs, error))
    return status;

  int64_t graphIndex = 0, tensorIndex = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind != GNN_PORT_GRAPH)
      continue;
    const gnn_graph *graph = graphs ? graphs[graphIndex++] : nullptr;
    if (gnn_status status = checkGraph(port, graph, error))
      return status;
    if (model.reads_out_edges && graph->isSampled)
      return fail(error, GNN_MISMATCH,
                  "graph '%s' was sampled from another, so it lacks edges out "
                  "of its nodes, but model '%.200s' reads these",
                  port.name, model.name);
    if (isSparseMatrix(port)) {
      if (gnn_status status = checkMatrix(port, graph, graphs, error))
        return status;
    } else if (!port.node_types[0]) { // else there is a clearer message below
      if (gnn_status status = checkSources(port, graph, graphs, error))
        return status;
    }
  }
  for (uint32_t i = 0; i < model.num_inputs; ++i)
    if (model.inputs[i].kind == GNN_PORT_TENSOR && tensors)
      if (gnn_status status = checkInput(device, model.inputs[i],
                                         tensors[tensorIndex++], graphs, error))
        return status;
  return checkNodeTypes(model, graphs, tensors, error);
}
