//===- Binding.cpp - A model's inputs from the arrays of a graph file -----===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include "Batches.h"

#include "../Error.h"
#include "../Model.h"

#include <cinttypes>
#include <cstring>

using namespace gnn;
using namespace gnn::runner;
using gnn::rt::fail;

std::vector<const gnn_graph *> Inputs::getGraphs() const {
  std::vector<const gnn_graph *> result;
  result.reserve(graphs.size());
  for (const GraphPtr &graph : graphs)
    result.push_back(graph.get());
  return result;
}

std::vector<gnn_tensor> Inputs::getTensors() const {
  std::vector<gnn_tensor> result;
  result.reserve(tensors.size());
  for (const TensorHolder &holder : tensors)
    result.push_back(holder.tensor);
  return result;
}

namespace {
class Binder {
public:
  Binder(const gnn_model &model, const gnn_archive &file,
         const std::string &path, bool makeTensors, Inputs &result,
         gnn_error *error)
      : model(model), file(file), path(path), makeTensors(makeTensors),
        result(result), error(error) {}

  gnn_status bind();

private:
  const gnn_tensor *find(const char *name) const {
    return gnn_archive_find(&file, name);
  }
  gnn_status bindGraph(const gnn_port &port, int32_t number);
  gnn_status bindTensor(const gnn_port &port);
  gnn_status makeListed(const gnn_port &port, int32_t number,
                        gnn_graph **graph);
  gnn_status composePath(const gnn_port &port, gnn_graph **graph);
  gnn_status makeComplete(int64_t numSources, int64_t numDestinations,
                          gnn_graph **graph);
  gnn_status makeAssignment(const gnn_port &port, gnn_graph **graph);
  gnn_status makeBlockDiagonal(const gnn_port &port, int32_t number,
                               gnn_graph **graph);
  gnn_status makeSegments(const gnn_port &port, int32_t number,
                          TensorHolder &pointers);
  gnn_status takePointers(const gnn_tensor &ready, const gnn_tensor *batch,
                          const gnn_port &square, int32_t nodesOf,
                          TensorHolder &pointers);
  gnn_status countNodes(const gnn_port &port, int32_t number, gnn_axis axis,
                        int64_t &count);
  gnn_status countTypedNodes(const char *type, int64_t &count);
  gnn_status countBothSides(const gnn_port &port, int32_t number,
                            int64_t &numSources, int64_t &numDestinations);
  /// What an array of this name is called for a graph: `edge_index`, or
  /// `edge_index/author__writes__paper` where nodes have types.
  static std::string nameArray(const char *array, const gnn_port &port) {
    return port.node_types[0] ? std::string(array) + "/" + port.name : array;
  }
  int32_t findSquareGraph(int32_t otherwise) const;
  gnn_status readCount(const char *name, int64_t &count, bool &found);
  gnn_status missing(const char *name, const char *purpose);
  gnn_status nameFile(const gnn_port &port, gnn_status status);

  const gnn_model &model;
  const gnn_archive &file;
  const std::string &path;
  bool makeTensors;
  Inputs &result;
  gnn_error *error;
};
} // namespace

gnn_status Binder::missing(const char *name, const char *purpose) {
  std::string present;
  for (size_t i = 0, e = gnn_archive_size(&file); i < e; ++i)
    present +=
        (i ? ", '" : "'") + std::string(gnn_archive_name(&file, i)) + "'";
  return fail(error, GNN_MISMATCH,
              "'%.300s' has no array '%s', %s; it has %.400s", path.c_str(),
              name, purpose, present.empty() ? "none" : present.c_str());
}

/// Puts the file's name before a message of the runtime, which only saw arrays.
gnn_status Binder::nameFile(const gnn_port &port, gnn_status status) {
  std::string cause = error->message;
  if (cause.find(path) != std::string::npos)
    return status;
  if (port.node_types[0])
    cause = "edges '" + std::string(port.name) + "': " + cause;
  return fail(error, status, "'%.300s': %.700s", path.c_str(), cause.c_str());
}

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
    if (port.kind != GNN_PORT_TENSOR || !port.node_types[0] ||
        strcmp(port.node_types[0], type) != 0)
      continue;
    if (const gnn_tensor *rows = find(port.name); rows && rows->rank > 0) {
      count = rows->shape[0];
      return GNN_OK;
    }
  }
  count = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind != GNN_PORT_GRAPH || !port.node_types[0])
      continue;
    for (int side = 0; side < 2; ++side) {
      if (strcmp(port.node_types[side], type) != 0)
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
    if (other.kind != GNN_PORT_TENSOR || other.graph != number || !counts)
      continue;
    if (const gnn_tensor *rows = find(other.name); rows && rows->rank > 0) {
      count = rows->shape[0];
      return GNN_OK;
    }
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

/// All edges, written out: a model for listed graphs on a file without edges.
gnn_status Binder::makeComplete(int64_t numSources, int64_t numDestinations,
                                gnn_graph **graph) {
  int64_t numEdges;
  if (__builtin_mul_overflow(numSources, numDestinations, &numEdges) ||
      numEdges > INT32_MAX)
    return fail(error, GNN_UNSUPPORTED,
                "'%.300s' has neither 'edge_index' nor 'indptr', and the "
                "complete graph of %" PRId64 " x %" PRId64
                " nodes has too many edges to list; compile the model with "
                "'graph: complete'",
                path.c_str(), numSources, numDestinations);
  TensorHolder rowPointers, columns;
  int64_t numPointers = numDestinations + 1;
  if (gnn_status status = gnn_tensor_allocate(GNN_INT32, 1, &numPointers,
                                              &rowPointers.tensor, error))
    return status;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT32, 1, &numEdges, &columns.tensor, error))
    return status;
  auto *pointers = static_cast<int32_t *>(rowPointers.tensor.data);
  auto *indices = static_cast<int32_t *>(columns.tensor.data);
  for (int64_t i = 0; i <= numDestinations; ++i)
    pointers[i] = static_cast<int32_t>(i * numSources);
  for (int64_t i = 0; i < numEdges; ++i)
    indices[i] = static_cast<int32_t>(i % numSources);
  result.notes.push_back("the file lists no edges: complete graph");
  return gnn_graph_from_csr(numSources, &rowPointers.tensor, &columns.tensor,
                            graph, error);
}

gnn_status Binder::countBothSides(const gnn_port &port, int32_t number,
                                  int64_t &numSources,
                                  int64_t &numDestinations) {
  if (gnn_status status = countNodes(port, number, GNN_AXIS_SOURCE, numSources))
    return status;
  return countNodes(port, number, GNN_AXIS_DESTINATION, numDestinations);
}

gnn_status Binder::makeListed(const gnn_port &port, int32_t number,
                              gnn_graph **graph) {
  int64_t numSources = 0, numDestinations = 0;
  if (gnn_status status =
          countBothSides(port, number, numSources, numDestinations))
    return status;
  std::string edgeName = nameArray("edge_index", port);
  std::string pointerName = nameArray("indptr", port);
  std::string columnName = nameArray("indices", port);
  if (const gnn_tensor *edgeIndex = find(edgeName.c_str()))
    return gnn_graph_from_coo(numSources, numDestinations, edgeIndex, graph,
                              error);
  const gnn_tensor *rowPointers = find(pointerName.c_str());
  const gnn_tensor *columns = find(columnName.c_str());
  if (rowPointers && columns)
    return gnn_graph_from_csr(numSources, rowPointers, columns, graph, error);
  if (rowPointers)
    return missing(columnName.c_str(),
                   ("which goes with '" + pointerName + "'").c_str());
  if (port.node_types[0])
    return missing(edgeName.c_str(), "which lists the edges of that type (of "
                                     "shape [2, 0] where there are none)");
  return makeComplete(numSources, numDestinations, graph);
}

/// The graph of nodes and their clusters.
gnn_status Binder::makeAssignment(const gnn_port &port, gnn_graph **graph) {
  const gnn_tensor *clusters = find(port.name);
  if (!clusters)
    return missing(port.name, "which says for each node which cluster it "
                              "belongs to");
  int64_t numClusters = -1, numNodes = 0;
  bool found;
  if (gnn_status status = readCount("num_clusters", numClusters, found))
    return status;
  if (gnn_status status = gnn_graph_from_assignment(
          clusters, found ? numClusters : -1, graph, error))
    return status;
  // No tensor has its rows counted by this graph, so nothing else compares.
  gnn_port square = port;
  square.bipartite = 0;
  if (gnn_status status =
          countNodes(square, findSquareGraph(0), GNN_AXIS_SOURCE, numNodes))
    return status;
  if (clusters->shape[0] != numNodes)
    return fail(error, GNN_MISMATCH,
                "'%s' has %" PRId64 " entries, but there are %" PRId64
                " nodes; it must say for each node which cluster it belongs to",
                port.name, clusters->shape[0], numNodes);
  return GNN_OK;
}

/// The number of the first graph whose nodes are sources and destinations.
int32_t Binder::findSquareGraph(int32_t otherwise) const {
  int32_t number = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    if (model.inputs[i].kind != GNN_PORT_GRAPH)
      continue;
    if (!model.inputs[i].bipartite)
      return number;
    ++number;
  }
  return otherwise;
}

/// `ptr`, which must end at the number of nodes. Where there is `batch` too, it
/// must say the same.
gnn_status Binder::takePointers(const gnn_tensor &ready,
                                const gnn_tensor *batch, const gnn_port &square,
                                int32_t nodesOf, TensorHolder &pointers) {
  if (ready.rank != 1 || ready.shape[0] == 0 ||
      (ready.dtype != GNN_INT64 && ready.dtype != GNN_INT32))
    return fail(error, GNN_MISMATCH,
                "'ptr' must hold at least one integer, where the nodes of each "
                "graph begin, but is %s of rank %d",
                gnn_dtype_name(ready.dtype), ready.rank);
  // That they ascend from 0 is seen when the graph is made.
  if (gnn_status status =
          gnn_tensor_convert(&ready, GNN_INT32, &pointers.tensor, error))
    return status;
  int64_t numNodes = 0, numGraphs = ready.shape[0] - 1;
  if (gnn_status status =
          countNodes(square, nodesOf, GNN_AXIS_SOURCE, numNodes))
    return status;
  const auto *values = static_cast<const int32_t *>(pointers.tensor.data);
  if (values[numGraphs] != numNodes)
    return fail(error, GNN_MISMATCH,
                "'ptr' ends in %d, but there are %" PRId64
                " nodes; it must say where the nodes of each graph begin and "
                "the last ones end",
                values[numGraphs], numNodes);
  if (!batch)
    return GNN_OK;
  TensorHolder others;
  if (gnn_status status =
          gnn_batch_to_pointers(batch, numGraphs, &others.tensor, error))
    return status;
  for (int64_t i = 0; i <= numGraphs; ++i)
    if (int32_t other = static_cast<const int32_t *>(others.tensor.data)[i];
        other != values[i])
      return fail(error, GNN_MISMATCH,
                  "'ptr' and 'batch' disagree: graph %" PRId64
                  " begins at node %d by the one and at %d by the other",
                  i, values[i], other);
  return GNN_OK;
}

/// The pointers to where each segment's nodes begin, from `ptr` or `batch`, or
/// one segment with all nodes.
gnn_status Binder::makeSegments(const gnn_port &port, int32_t number,
                                TensorHolder &pointers) {
  // What is pooled are the nodes of the model's graph.
  gnn_port square = port;
  square.bipartite = 0;
  int32_t nodesOf = port.bipartite ? findSquareGraph(number) : number;
  const gnn_tensor *batch = find("batch");
  if (const gnn_tensor *ready = find("ptr"))
    return takePointers(*ready, batch, square, nodesOf, pointers);
  if (!batch) {
    int64_t numNodes = 0;
    if (gnn_status status =
            countNodes(square, nodesOf, GNN_AXIS_SOURCE, numNodes))
      return status;
    int64_t two = 2;
    if (gnn_status status =
            gnn_tensor_allocate(GNN_INT64, 1, &two, &pointers.tensor, error))
      return status;
    static_cast<int64_t *>(pointers.tensor.data)[1] = numNodes;
    return GNN_OK;
  }
  int64_t numSegments = -1;
  bool found;
  if (gnn_status status = readCount("num_graphs", numSegments, found))
    return status;
  if (gnn_status status = gnn_batch_to_pointers(batch, found ? numSegments : -1,
                                                &pointers.tensor, error))
    return status;
  if (nodesOf == number)
    return GNN_OK;
  // No tensor has its rows counted by this graph, so nothing else compares.
  int64_t numNodes = 0;
  if (gnn_status status =
          countNodes(square, nodesOf, GNN_AXIS_SOURCE, numNodes))
    return status;
  if (batch->shape[0] != numNodes)
    return fail(error, GNN_MISMATCH,
                "'batch' has %" PRId64 " entries, but there are %" PRId64
                " nodes; it must say for each node which graph it belongs to",
                batch->shape[0], numNodes);
  return GNN_OK;
}

gnn_status Binder::makeBlockDiagonal(const gnn_port &port, int32_t number,
                                     gnn_graph **graph) {
  TensorHolder pointers;
  if (gnn_status status = makeSegments(port, number, pointers))
    return status;
  if (!port.bipartite)
    return gnn_graph_block_diagonal(&pointers.tensor, &pointers.tensor, graph,
                                    error);
  // Nodes are the sources, and each segment is one destination: pooling.
  TensorHolder segments;
  if (gnn_status status = gnn_tensor_allocate(
          GNN_INT32, 1, pointers.tensor.shape, &segments.tensor, error))
    return status;
  for (int64_t i = 0; i < segments.tensor.shape[0]; ++i)
    static_cast<int32_t *>(segments.tensor.data)[i] = static_cast<int32_t>(i);
  return gnn_graph_block_diagonal(&pointers.tensor, &segments.tensor, graph,
                                  error);
}

/// The graph of a meta-path, from graphs made before it.
gnn_status Binder::composePath(const gnn_port &port, gnn_graph **graph) {
  GraphPtr composed;
  const gnn_graph *current = result.graphs[port.path[0]].get();
  for (int32_t i = 1; i < port.path_length; ++i) {
    gnn_graph *longer = nullptr;
    if (gnn_status status = gnn_graph_compose(
            current, result.graphs[port.path[i]].get(), &longer, error))
      return status;
    composed.reset(longer);
    current = longer;
  }
  *graph = composed.release();
  return GNN_OK;
}

gnn_status Binder::bindGraph(const gnn_port &port, int32_t number) {
  gnn_graph *graph = nullptr;
  gnn_status status = GNN_OK;
  if (port.topology == GNN_TOPOLOGY_CSR) {
    // What comes after the model's own graph has nodes for sources.
    bool isAssignment =
        port.bipartite && number > 0 && port.node_types[0] == nullptr;
    if (port.path_length)
      status = composePath(port, &graph);
    else if (isAssignment)
      status = makeAssignment(port, &graph);
    else
      status = makeListed(port, number, &graph);
  } else if (port.topology == GNN_TOPOLOGY_BLOCK_DIAGONAL) {
    status = makeBlockDiagonal(port, number, &graph);
  } else {
    int64_t numSources = 0, numDestinations = 0;
    status = countBothSides(port, number, numSources, numDestinations);
    if (!status)
      status = gnn_graph_regular(static_cast<gnn_topology>(port.topology),
                                 numSources, numDestinations, port.window,
                                 &graph, error);
    if (find(nameArray("edge_index", port).c_str()) ||
        find(nameArray("indptr", port).c_str()))
      result.notes.push_back("the file's edges are ignored: the model is for " +
                             std::string(gnn_topology_name(
                                 static_cast<gnn_topology>(port.topology))) +
                             " graphs");
  }
  result.graphs.push_back(GraphPtr(graph));
  return status ? nameFile(port, status) : GNN_OK;
}

gnn_status Binder::bindTensor(const gnn_port &port) {
  const gnn_tensor *array = find(port.name);
  if (!array)
    return missing(port.name, "which the model takes");
  result.arrays.push_back(array);
  if (!makeTensors)
    return GNN_OK;
  TensorHolder holder;
  holder.tensor =
      gnn_tensor_borrow(array->data, array->dtype, array->rank, array->shape);
  if (gnn_status status = convertInput(port, path, holder, error))
    return status;
  result.tensors.push_back(std::move(holder));
  return GNN_OK;
}

gnn_status Binder::bind() {
  int32_t number = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    gnn_status status = GNN_OK;
    if (port.kind == GNN_PORT_GRAPH)
      status = bindGraph(port, number++);
    else if (port.kind == GNN_PORT_TENSOR)
      status = bindTensor(port);
    if (status)
      return status;
  }
  return GNN_OK;
}

gnn_status gnn::runner::bindInputs(const gnn_model &model,
                                   const gnn_archive &file,
                                   const std::string &path, bool makeTensors,
                                   Inputs &result, gnn_error *error) {
  return Binder(model, file, path, makeTensors, result, error).bind();
}
