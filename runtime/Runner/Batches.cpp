//===- Batches.cpp - Running a model batch by batch -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batches.h"

#include "../Error.h"
#include "../Model.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <deque>
#include <sys/stat.h>
#include <unordered_map>

using namespace gnn::runner;
using gnn::rt::fail;

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

/// What is wrong with the graphs that a model takes, for sampling and clusters;
/// empty if nothing is.
static std::string describeOtherGraph(const gnn_model &model) {
  int count = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind != GNN_PORT_GRAPH || gnn::rt::isSparseMatrix(port))
      continue;
    if (port.node_types[0])
      return "has node types";
    if (++count > 1)
      return port.topology == GNN_TOPOLOGY_BLOCK_DIAGONAL && port.bipartite
                 ? "pools the nodes of a batch of graphs"
                 : "takes several graphs";
    if (port.bipartite)
      return "takes a bipartite graph";
    if (port.topology != GNN_TOPOLOGY_CSR)
      return std::string("takes a ") +
             gnn_topology_name(static_cast<gnn_topology>(port.topology)) +
             " graph";
  }
  return count ? "" : "takes no graph";
}

static bool countsNodes(const gnn_port &port) {
  return port.axis == GNN_AXIS_SOURCE || port.axis == GNN_AXIS_DESTINATION;
}

gnn_status BatchRunner::checkModel(gnn_error *error) const {
  const gnn_model &model = *engine.model;
  if (std::string other = describeOtherGraph(model); !other.empty())
    return fail(error, GNN_UNSUPPORTED,
                "%s needs a model of one square graph that lists its edges "
                "(graph: csr), but model '%.200s' %s",
                optionName(), model.name, other.c_str());
  if (model.reads_node_numbers)
    return fail(error, GNN_UNSUPPORTED,
                "%s needs a model that does not read the numbers of nodes, "
                "which are others in a part of the graph, but model '%.200s' "
                "does, for positions, distances or order",
                optionName(), model.name);
  // Clusters have all edges among their nodes.
  if (model.reads_out_edges && !options.clusters)
    return fail(error, GNN_UNSUPPORTED,
                "%s needs a model that reads no edges out of nodes, which a "
                "sampled part of the graph lacks, but model '%.200s' does; use "
                "--clusters, or run it on the whole graph",
                optionName(), model.name);
  for (uint32_t i = 0; i < model.num_outputs; ++i)
    if (!countsNodes(model.outputs[i]))
      return fail(error, GNN_UNSUPPORTED,
                  "%s needs outputs with one row per node, but output '%.200s' "
                  "of model '%.200s' has other rows",
                  optionName(), model.outputs[i].name, model.name);
  return GNN_OK;
}

/// Are these the values of a sparse matrix, whose graph is not the first one?
static bool isOfMatrix(const gnn_port &port) {
  return port.axis == GNN_AXIS_EDGE && port.graph > 0;
}

/// Rows are looked up before the session sees them.
gnn_status BatchRunner::checkArrays(gnn_error *error) const {
  const gnn_graph *graph = inputs.graphs.front().get();
  size_t index = 0, graphIndex = 0;
  for (uint32_t i = 0; i < engine.model->num_inputs; ++i) {
    const gnn_port &port = engine.model->inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      const gnn_graph *matrix = inputs.graphs[graphIndex++].get();
      int64_t numNodes = gnn_graph_num_destinations(graph);
      if (gnn_graph_num_destinations(matrix) != numNodes)
        return fail(error, GNN_MISMATCH,
                    "input '%.200s' has %" PRId64
                    " rows, but the graph has %" PRId64 " nodes",
                    port.name, gnn_graph_num_destinations(matrix), numNodes);
      continue;
    }
    if (port.kind != GNN_PORT_TENSOR)
      continue;
    const gnn_tensor &array = *inputs.arrays[index++];
    bool isNodes = countsNodes(port);
    if (isOfMatrix(port) || (!isNodes && port.axis != GNN_AXIS_EDGE))
      continue;
    int64_t wanted = isNodes ? gnn_graph_num_destinations(graph)
                             : gnn_graph_num_edges(graph);
    if (array.rank == 0 || array.shape[0] != wanted)
      return fail(error, GNN_MISMATCH,
                  "input '%.200s' has %" PRId64
                  " rows, but the graph has %" PRId64 " %s",
                  port.name, array.rank ? array.shape[0] : 0, wanted,
                  isNodes ? "nodes" : "edges");
  }
  return GNN_OK;
}

gnn_status BatchRunner::prepare(gnn_error *error) {
  if (gnn_status status = checkModel(error))
    return status;
  if (gnn_status status = checkArrays(error))
    return status;
  const gnn_graph *graph = inputs.graphs.front().get();
  gnn_sampler *made = nullptr;
  if (gnn_status status = gnn_sampler_create(graph, &made, error))
    return status;
  sampler.reset(made);
  rows.numNodes = gnn_graph_num_destinations(graph);
  if (!options.clusters)
    if (gnn_status status = readSeeds(error))
      return status;
  if (options.saveBatches.empty() ||
      mkdir(options.saveBatches.c_str(), 0777) == 0)
    return GNN_OK;
  int cause = errno;
  struct stat info;
  if (stat(options.saveBatches.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return GNN_OK;
  return fail(error, GNN_IO_ERROR, "the folder '%.400s' cannot be made: %s",
              options.saveBatches.c_str(), strerror(cause));
}

//===----------------------------------------------------------------------===//
// One batch
//===----------------------------------------------------------------------===//

gnn_status gnn::runner::convertInput(const gnn_port &port,
                                     const std::string &path,
                                     TensorHolder &tensor, gnn_error *error) {
  auto dtype = static_cast<gnn_dtype>(port.dtype);
  if (tensor.tensor.dtype == dtype)
    return GNN_OK;
  TensorHolder converted;
  if (gnn_status status =
          gnn_tensor_convert(&tensor.tensor, dtype, &converted.tensor, error)) {
    std::string cause = error->message;
    return fail(error, status, "'%s' in '%.300s': %.500s", port.name,
                path.c_str(), cause.c_str());
  }
  tensor = std::move(converted);
  return GNN_OK;
}

/// What an input is in the batch. The graphs of sparse matrices are added to
/// `matrices`.
gnn_status BatchRunner::gatherArray(const Batch &batch, const gnn_port &port,
                                    const gnn_tensor &array,
                                    std::vector<GraphPtr> &matrices,
                                    TensorHolder &tensor,
                                    gnn_error *error) const {
  const gnn_graph *graph = gnn_subgraph_graph(batch.part.get());
  const int32_t *nodes = gnn_subgraph_nodes(batch.part.get());
  int64_t numNodes = gnn_graph_num_destinations(graph);
  if (isOfMatrix(port)) {
    gnn_graph *matrix = nullptr;
    gnn_status status = gnn_graph_gather_rows(
        inputs.graphs[static_cast<size_t>(port.graph)].get(), &array, nodes,
        numNodes, &matrix, &tensor.tensor, error);
    matrices.emplace_back(matrix);
    return status;
  }
  if (countsNodes(port))
    return gnn_tensor_gather(&array, nodes, numNodes, &tensor.tensor, error);
  if (port.axis == GNN_AXIS_EDGE)
    return gnn_tensor_gather(&array, gnn_subgraph_edges(batch.part.get()),
                             gnn_graph_num_edges(graph), &tensor.tensor, error);
  tensor.tensor =
      gnn_tensor_borrow(array.data, array.dtype, array.rank, array.shape);
  return GNN_OK;
}

gnn_status BatchRunner::gather(const Batch &batch,
                               std::vector<GraphPtr> &matrices,
                               std::vector<TensorHolder> &tensors,
                               gnn_error *error) const {
  size_t index = 0;
  for (uint32_t i = 0; i < engine.model->num_inputs; ++i) {
    const gnn_port &port = engine.model->inputs[i];
    if (port.kind != GNN_PORT_TENSOR)
      continue;
    const gnn_tensor &array = *inputs.arrays[index++];
    TensorHolder tensor;
    gnn_status status =
        gatherArray(batch, port, array, matrices, tensor, error);
    if (!status)
      status = convertInput(port, path, tensor, error);
    if (status)
      return status;
    tensors.push_back(std::move(tensor));
  }
  return GNN_OK;
}

static int64_t rowBytesOf(const gnn_tensor &tensor) {
  auto bytes = static_cast<int64_t>(gnn_dtype_size(tensor.dtype));
  for (int32_t i = 1; i < tensor.rank; ++i)
    bytes *= tensor.shape[i];
  return bytes;
}

/// Puts the rows of a batch where they belong.
gnn_status BatchRunner::collect(const Batch &batch,
                                const std::vector<TensorHolder> &results,
                                std::vector<TensorHolder> &outputs,
                                gnn_error *error) const {
  for (size_t i = 0; i < results.size(); ++i) {
    const gnn_tensor &result = results[i].tensor;
    gnn_tensor &output = outputs[i].tensor;
    if (!output.data) {
      int64_t shape[GNN_MAX_RANK];
      memcpy(shape, result.shape, sizeof(shape));
      shape[0] = report->seeds;
      if (gnn_status status = gnn_tensor_allocate(result.dtype, result.rank,
                                                  shape, &output, error))
        return status;
    }
    if (!std::equal(result.shape + 1, result.shape + result.rank,
                    output.shape + 1))
      return fail(error, GNN_MISMATCH,
                  "the rows of output '%.200s' are not of the same shape in "
                  "all batches, so they cannot be put together",
                  engine.model->outputs[i].name);
    auto bytes = static_cast<size_t>(rowBytesOf(result));
    for (size_t row = 0; row < batch.from.size(); ++row)
      memcpy(static_cast<char *>(output.data) +
                 static_cast<size_t>(batch.to[row]) * bytes,
             static_cast<const char *>(result.data) +
                 static_cast<size_t>(batch.from[row]) * bytes,
             bytes);
  }
  return GNN_OK;
}

/// Numbers as int64, as in the files that PyTorch Geometric's data make.
static gnn_status widen(const int32_t *values, int64_t count,
                        TensorHolder &result, gnn_error *error) {
  gnn_tensor narrow =
      gnn_tensor_borrow(const_cast<int32_t *>(values), GNN_INT32, 1, &count);
  return gnn_tensor_convert(&narrow, GNN_INT64, &result.tensor, error);
}

/// Writes a batch as a graph file, with PyTorch Geometric's names for the nodes
/// and edges that it has.
gnn_status BatchRunner::save(const Batch &batch,
                             const std::vector<GraphPtr> &matrices,
                             const std::vector<TensorHolder> &tensors,
                             gnn_error *error) const {
  const gnn_graph *graph = gnn_subgraph_graph(batch.part.get());
  int64_t numNodes = gnn_graph_num_destinations(graph);
  int64_t numEdges = gnn_graph_num_edges(graph), numSeeds = batch.numSeeds;
  const int32_t *pointers = gnn_graph_row_pointers(graph);
  const int32_t *columns = gnn_graph_column_indices(graph);
  TensorHolder edges, nodeNumbers, edgeNumbers;
  int64_t shape[2] = {2, numEdges};
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 2, shape, &edges.tensor, error))
    return status;
  auto *sources = static_cast<int64_t *>(edges.tensor.data);
  for (int64_t node = 0; node < numNodes; ++node)
    for (int64_t e = pointers[node]; e < pointers[node + 1]; ++e) {
      sources[e] = columns[e];
      sources[numEdges + e] = node;
    }
  if (gnn_status status = widen(gnn_subgraph_nodes(batch.part.get()), numNodes,
                                nodeNumbers, error))
    return status;
  if (gnn_status status = widen(gnn_subgraph_edges(batch.part.get()), numEdges,
                                edgeNumbers, error))
    return status;
  std::vector<const char *> names = {"edge_index", "n_id", "e_id", "num_nodes",
                                     "batch_size"};
  std::vector<gnn_tensor> arrays = {
      edges.tensor, nodeNumbers.tensor, edgeNumbers.tensor,
      gnn_tensor_borrow(&numNodes, GNN_INT64, 0, nullptr),
      gnn_tensor_borrow(&numSeeds, GNN_INT64, 0, nullptr)};
  size_t index = 0, matrixIndex = 0;
  std::deque<std::string> partNames;
  auto addPart = [&](const gnn_port &port, const char *part,
                     const int32_t *values, int64_t count) {
    partNames.push_back(std::string(port.name) + part);
    names.push_back(partNames.back().c_str());
    arrays.push_back(
        gnn_tensor_borrow(const_cast<int32_t *>(values), GNN_INT32, 1, &count));
  };
  for (uint32_t i = 0; i < engine.model->num_inputs; ++i) {
    const gnn_port &port = engine.model->inputs[i];
    if (gnn::rt::isSparseMatrix(port)) {
      const gnn_graph *matrix = matrices[matrixIndex++].get();
      addPart(port, ".indptr", gnn_graph_row_pointers(matrix), numNodes + 1);
      addPart(port, ".indices", gnn_graph_column_indices(matrix),
              gnn_graph_num_edges(matrix));
    } else if (port.kind == GNN_PORT_TENSOR) {
      names.push_back(port.name);
      arrays.push_back(tensors[index++].tensor);
    }
  }
  char name[40];
  snprintf(name, sizeof(name), "/batch-%06" PRId64 ".npz", report->batches);
  return gnn_archive_write((options.saveBatches + name).c_str(), names.data(),
                           arrays.data(), arrays.size(), error);
}

gnn_status BatchRunner::runBatch(const Batch &batch,
                                 std::vector<TensorHolder> &outputs,
                                 gnn_error *error) {
  std::vector<GraphPtr> matrices;
  std::vector<TensorHolder> inputsOfBatch;
  if (gnn_status status = gather(batch, matrices, inputsOfBatch, error))
    return status;
  if (!options.saveBatches.empty())
    if (gnn_status status = save(batch, matrices, inputsOfBatch, error))
      return status;
  std::vector<gnn_tensor> tensors;
  tensors.reserve(inputsOfBatch.size());
  for (const TensorHolder &holder : inputsOfBatch)
    tensors.push_back(holder.tensor);
  const gnn_graph *graph = gnn_subgraph_graph(batch.part.get());
  std::vector<const gnn_graph *> graphs = {graph};
  for (const GraphPtr &matrix : matrices)
    graphs.push_back(matrix.get());
  std::vector<TensorHolder> results(engine.model->num_outputs);
  Stopwatch running;
  if (gnn_status status = engine.run(graphs, tensors, results, error))
    return status;
  modelMs += running.getMs();
  ++report->batches;
  report->batchNodes =
      std::max(report->batchNodes, gnn_graph_num_destinations(graph));
  report->batchEdges = std::max(report->batchEdges, gnn_graph_num_edges(graph));
  return collect(batch, results, outputs, error);
}

//===----------------------------------------------------------------------===//
// All batches
//===----------------------------------------------------------------------===//

gnn_status BatchRunner::runSampled(std::vector<TensorHolder> &outputs,
                                   gnn_error *error) {
  gnn_sampling sampling = {};
  sampling.fan_outs = options.fanOuts.data();
  sampling.num_hops = options.fanOuts.size();
  sampling.seed = options.randomSeed;
  sampling.replace = options.replace;
  auto numSeeds = static_cast<int64_t>(rows.nodes.size());
  report->seeds = numSeeds;
  int64_t begin = 0;
  do { // Without seeds there is still the shape of the outputs.
    Batch batch;
    std::vector<int32_t> nodes;
    std::unordered_map<int32_t, int32_t> numbers;
    int64_t end = std::min<int64_t>(numSeeds, begin + options.batchSize);
    for (int64_t i = begin; i < end; ++i) {
      // A node that is named twice is computed once.
      auto [entry, isNew] = numbers.try_emplace(
          rows.nodes[i], static_cast<int32_t>(nodes.size()));
      if (isNew)
        nodes.push_back(rows.nodes[i]);
      batch.from.push_back(entry->second);
      batch.to.push_back(static_cast<int32_t>(i));
    }
    batch.numSeeds = static_cast<int64_t>(nodes.size());
    gnn_tensor seeds =
        gnn_tensor_borrow(nodes.data(), GNN_INT32, 1, &batch.numSeeds);
    gnn_subgraph *part = nullptr;
    if (gnn_status status = gnn_sampler_neighbors(sampler.get(), &seeds,
                                                  &sampling, &part, error))
      return status;
    batch.part.reset(part);
    if (gnn_status status = runBatch(batch, outputs, error))
      return status;
    begin = end;
  } while (begin < numSeeds);
  return GNN_OK;
}

gnn_status BatchRunner::runClusters(std::vector<TensorHolder> &outputs,
                                    gnn_error *error) {
  TensorHolder parts;
  if (gnn_status status = gnn_graph_partition(
          inputs.graphs.front().get(), options.clusters, &parts.tensor, error))
    return status;
  report->seeds = rows.numNodes;
  const auto *partOf = static_cast<const int32_t *>(parts.tensor.data);
  std::vector<std::vector<int32_t>> members(options.clusters);
  for (int64_t node = 0; node < rows.numNodes; ++node)
    members[partOf[node]].push_back(static_cast<int32_t>(node));
  for (std::vector<int32_t> &nodes : members) {
    // Of a graph without nodes there is still the shape of the outputs.
    if (nodes.empty() && rows.numNodes > 0)
      continue;
    Batch batch;
    batch.numSeeds = static_cast<int64_t>(nodes.size());
    gnn_tensor wanted =
        gnn_tensor_borrow(nodes.data(), GNN_INT32, 1, &batch.numSeeds);
    gnn_subgraph *part = nullptr;
    if (gnn_status status =
            gnn_sampler_induced(sampler.get(), &wanted, &part, error))
      return status;
    batch.part.reset(part);
    for (size_t i = 0; i < nodes.size(); ++i)
      batch.from.push_back(static_cast<int32_t>(i));
    batch.to = std::move(nodes);
    if (gnn_status status = runBatch(batch, outputs, error))
      return status;
  }
  return GNN_OK;
}

gnn_status BatchRunner::run(std::vector<TensorHolder> &outputs, Report &result,
                            double &runMs, gnn_error *error) {
  report = &result;
  result.batches = result.batchNodes = result.batchEdges = 0;
  modelMs = 0;
  Stopwatch whole;
  if (gnn_status status = options.clusters ? runClusters(outputs, error)
                                           : runSampled(outputs, error))
    return status;
  runMs = modelMs;
  result.sampleMs = whole.getMs() - modelMs;
  return GNN_OK;
}
