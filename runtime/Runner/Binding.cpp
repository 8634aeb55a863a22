//===- Binding.cpp - A model's inputs from the arrays of a graph file -----===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Runtime/Runner.h"

#include "Binder.h"

#include "../Error.h"
#include "../Model.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
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

/// Whether something in a file without `edge_index` shows that there are edges:
/// all pairs in their place would give other numbers than were asked for.
bool Binder::showsEdges(int64_t numSources, int64_t numDestinations) const {
  if (find("indices"))
    return true;
  int64_t numPairs;
  if (__builtin_mul_overflow(numSources, numDestinations, &numPairs))
    numPairs = INT64_MAX;
  for (size_t i = 0, e = gnn_archive_size(&file); i < e; ++i) {
    const char *name = gnn_archive_name(&file, i);
    const gnn_tensor &tensor = *find(name);
    const gnn_port *end = model.inputs + model.num_inputs;
    const gnn_port *input =
        std::find_if(model.inputs, end, [&](const gnn_port &port) {
          return strcmp(port.name, name) == 0;
        });
    bool isWhole = tensor.dtype == GNN_INT32 || tensor.dtype == GNN_INT64;
    if (input == end && isWhole && tensor.rank == 2 && tensor.shape[0] == 2)
      return true;
    if (input != end && input->kind == GNN_PORT_TENSOR &&
        input->axis == GNN_AXIS_EDGE && tensor.rank > 0 &&
        tensor.shape[0] != numPairs)
      return true;
  }
  return false;
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

gnn_status Binder::makeListed(const gnn_port &port, int32_t number,
                              gnn_graph **graph) {
  int64_t numSources = 0, numDestinations = 0;
  if (gnn_status status =
          countBothSides(port, number, numSources, numDestinations))
    return status;
  std::string edgeName = nameArray("edge_index", port);
  std::string pointerName = nameArray("indptr", port);
  std::string columnName = nameArray("indices", port);
  const gnn_tensor *edgeIndex = find(edgeName.c_str());
  const gnn_tensor *rowPointers = find(pointerName.c_str());
  const gnn_tensor *columns = find(columnName.c_str());
  if (edgeIndex && rowPointers)
    return fail(error, GNN_MISMATCH,
                "'%.300s' has both '%.200s' and '%.200s', which may list other "
                "edges; give them in one form",
                path.c_str(), edgeName.c_str(), pointerName.c_str());
  if (edgeIndex)
    return gnn_graph_from_coo(numSources, numDestinations, edgeIndex, graph,
                              error);
  if (rowPointers && columns) {
    if (gnn_status status =
            gnn_graph_from_csr(numSources, rowPointers, columns, graph, error))
      return status;
    if (gnn_graph_num_destinations(*graph) == numDestinations)
      return GNN_OK;
    return fail(error, GNN_MISMATCH,
                "'%.200s' has %" PRId64 " entries, but for %" PRId64
                " destination nodes it needs one more than nodes",
                pointerName.c_str(), rowPointers->shape[0], numDestinations);
  }
  if (rowPointers)
    return missing(columnName.c_str(),
                   ("which goes with '" + pointerName + "'").c_str());
  if (port.node_types[0])
    return missing(edgeName.c_str(), "which lists the edges of that type (of "
                                     "shape [2, 0] where there are none)");
  if (showsEdges(numSources, numDestinations))
    return missing("edge_index", "which lists the edges");
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
  int64_t said = numGraphs;
  bool found;
  if (gnn_status status = readCount("num_graphs", said, found))
    return status;
  if (said != numGraphs)
    return fail(error, GNN_MISMATCH,
                "'ptr' has the nodes of %" PRId64
                " graphs, but 'num_graphs' is %" PRId64,
                numGraphs, said);
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

/// Segments of nodes of two types, from `ptr/TYPE` or `batch/TYPE`, as a batch
/// of HeteroData has them, or one of all nodes where neither type has either.
/// That they are as many as the types have rows is seen in the run.
gnn_status Binder::makeTypedBlocks(const gnn_port &port, gnn_graph **graph) {
  const gnn_tensor *batches[2], *pointers[2];
  int64_t numSegments = -1;
  bool found;
  if (gnn_status status = readCount("num_graphs", numSegments, found))
    return status;
  bool isOne = true;
  for (int side = 0; side < 2; ++side) {
    std::string type = std::string("/") + port.node_types[side];
    batches[side] = find(("batch" + type).c_str());
    pointers[side] = find(("ptr" + type).c_str());
    isOne &= !batches[side] && !pointers[side];
    if (pointers[side])
      numSegments = gnn_tensor_size(pointers[side]) - 1;
  }
  // The last graphs may have nodes of one of the types only.
  if (numSegments < 0)
    for (const gnn_tensor *batch : batches) {
      TensorHolder counted;
      if (!batch)
        continue;
      if (gnn_status status =
              gnn_batch_to_pointers(batch, -1, &counted.tensor, error))
        return status;
      numSegments = std::max(numSegments, counted.tensor.shape[0] - 1);
    }
  TensorHolder made[2];
  for (int side = 0; side < 2; ++side) {
    if (pointers[side])
      continue;
    const char *type = port.node_types[side];
    gnn_tensor &tensor = made[side].tensor;
    gnn_status status = GNN_OK;
    int64_t two = 2;
    if (!isOne && !batches[side])
      return missing((std::string("batch/") + type).c_str(),
                     "which says for each node which graph it belongs to");
    if (!isOne)
      status =
          gnn_batch_to_pointers(batches[side], numSegments, &tensor, error);
    else if (!(status =
                   gnn_tensor_allocate(GNN_INT64, 1, &two, &tensor, error)))
      status = countTypedNodes(type, static_cast<int64_t *>(tensor.data)[1]);
    if (status)
      return status;
    pointers[side] = &tensor;
  }
  return gnn_graph_block_diagonal(pointers[0], pointers[1], graph, error);
}

gnn_status Binder::makeBlockDiagonal(const gnn_port &port, int32_t number,
                                     gnn_graph **graph) {
  if (port.node_types[0])
    return makeTypedBlocks(port, graph);
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
  if (rt::isSparseMatrix(port)) {
    status = bindMatrix(port, &graph);
  } else if (port.topology == GNN_TOPOLOGY_CSR) {
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

/// Rows of nodes that are mostly zeros cost more than they need to.
void Binder::noteZeros(const gnn_port &port, const gnn_tensor &tensor) {
  constexpr int64_t fewElements = 1 << 16, manyElements = 1 << 20;
  constexpr double sparseBelow = 0.05;
  int64_t size = gnn_tensor_size(&tensor);
  bool hasRows =
      port.axis == GNN_AXIS_SOURCE || port.axis == GNN_AXIS_DESTINATION;
  if (!hasRows || tensor.rank != 2 || tensor.dtype != GNN_FLOAT32 ||
      size < fewElements)
    return;
  // Of a large array some rows tell enough.
  int64_t width = tensor.shape[1], step = 1 + size / manyElements;
  int64_t seen = 0, others = 0;
  for (int64_t row = 0; row < tensor.shape[0]; row += step) {
    const auto *elements =
        static_cast<const float *>(tensor.data) + row * width;
    others += width - std::count(elements, elements + width, 0.0F);
    seen += width;
  }
  double density = static_cast<double>(others) / static_cast<double>(seen);
  if (density >= sparseBelow)
    return;
  char text[300];
  snprintf(
      text, sizeof(text),
      "only %.1f %% of input '%.160s' is not 0: with 'sparse: true' in its "
      "description the model would skip the zeros",
      100 * density, port.name);
  result.notes.emplace_back(text);
}

gnn_status Binder::bindTensor(const gnn_port &port) {
  const gnn_tensor *array = find(port.name);
  if (port.axis == GNN_AXIS_EDGE &&
      rt::isSparseMatrix(getGraphPort(model, port.graph)))
    array = &result.values[matrixOf[port.graph]]->tensor;
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
  noteZeros(port, holder.tensor);
  result.tensors.push_back(std::move(holder));
  return GNN_OK;
}

/// Graph files may well hold more than one model reads, and one array too many
/// may be an input by another name.
void Binder::noteUnread() {
  std::string names;
  for (size_t i = 0, e = gnn_archive_size(&file); i < e; ++i)
    if (std::string name = gnn_archive_name(&file, i); !isReadBy(model, name))
      names += (names.empty() ? "'" : ", '") + name + "'";
  if (!names.empty())
    result.notes.push_back("the model does not read " + names);
}

gnn_status Binder::bind() {
  if (gnn_status status = dropPadding())
    return nameFile(getGraphPort(model, 0), status);
  noteUnread();
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

gnn_status gnn::runner::bindInputs(const gnn_model &model, gnn_archive &file,
                                   const std::string &path, bool makeTensors,
                                   Inputs &result, gnn_error *error) {
  return Binder(model, file, path, makeTensors, result, error).bind();
}
