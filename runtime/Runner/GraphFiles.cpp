//===- GraphFiles.cpp - Reading the graph or graphs of a run ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Batches.h"

#include "../Archive.h"
#include "../Error.h"
#include "../Model.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <dirent.h>
#include <sys/stat.h>

using namespace gnn::runner;
using gnn::rt::fail;

static bool isFolder(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

static bool endsLikeGraph(const std::string &name) {
  for (const char *ending : {".npz", ".mtx", ".txt", ".edges", ".csv", ".tsv"})
    if (size_t length = strlen(ending);
        name.size() > length && name[0] != '.' &&
        name.compare(name.size() - length, length, ending) == 0)
      return true;
  return false;
}

/// Adds the graph files of a folder, ordered by name.
static gnn_status listFolder(const std::string &folder,
                             std::vector<std::string> &paths,
                             gnn_error *error) {
  DIR *entries = opendir(folder.c_str());
  if (!entries)
    return fail(error, GNN_IO_ERROR, "the folder '%.400s' cannot be read: %s",
                folder.c_str(), strerror(errno));
  std::vector<std::string> names;
  while (const dirent *entry = readdir(entries))
    if (endsLikeGraph(entry->d_name))
      names.emplace_back(entry->d_name);
  closedir(entries);
  if (names.empty())
    return fail(error, GNN_IO_ERROR,
                "the folder '%.400s' has no graph files; their names end in "
                ".npz, .mtx, .txt, .edges, .csv or .tsv",
                folder.c_str());
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    std::string path = folder;
    if (path.back() != '/')
      path += '/';
    paths.push_back(path += name);
  }
  return GNN_OK;
}

/// Graphs can lie side by side only if the model keeps them apart.
static gnn_status checkJoinable(const gnn_model &model, gnn_error *error) {
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH && port.node_types[0])
      return fail(error, GNN_UNSUPPORTED,
                  "model '%.200s' has node types, and only graphs whose nodes "
                  "are all of one type can be joined; give one graph",
                  model.name);
    if (port.kind != GNN_PORT_GRAPH ||
        port.topology == GNN_TOPOLOGY_BLOCK_DIAGONAL ||
        gnn::rt::isSparseMatrix(port))
      continue;
    if (port.topology != GNN_TOPOLOGY_CSR)
      return fail(error, GNN_UNSUPPORTED,
                  "model '%.200s' takes a %s graph, whose edges would join "
                  "separate graphs; give one graph, or compile the model with "
                  "'graph: block_diagonal'",
                  model.name,
                  gnn_topology_name(static_cast<gnn_topology>(port.topology)));
    if (port.bipartite)
      return fail(error, GNN_UNSUPPORTED,
                  "model '%.200s' takes a bipartite graph, and only graphs "
                  "whose sources are their destinations can be joined; give "
                  "one graph",
                  model.name);
  }
  return GNN_OK;
}

bool gnn::runner::countsRows(const gnn_model &model, const gnn_port &port,
                             bool &countsEdges) {
  countsEdges = port.axis == GNN_AXIS_EDGE;
  if (port.kind != GNN_PORT_TENSOR && !gnn::rt::isSparseMatrix(port))
    return false;
  if (port.axis == GNN_AXIS_FIXED || port.axis == GNN_AXIS_ANY)
    return false;
  const gnn_port &graph = getGraphPort(model, port.graph);
  // A matrix is dense in the files that are joined, so its values are no array.
  if (countsEdges)
    return !gnn::rt::isSparseMatrix(graph);
  // The destinations of a bipartite graph are what nodes are pooled to.
  return port.axis == GNN_AXIS_SOURCE || !graph.bipartite;
}

/// Each graph's inputs must have the rows it needs: once graphs are joined, one
/// with too few would take those of the next. The rows of an input that has one
/// for each node say how many there are if the file does not.
static gnn_status checkRows(const gnn_model &model, const std::string &path,
                            gnn_archive &file, gnn_error *error) {
  int64_t numNodes = -1, numEdges = -1;
  const gnn_tensor *number = gnn_archive_find(&file, "num_nodes");
  if (number) // gnn_graph_file_read has made it an int64
    numNodes = *static_cast<const int64_t *>(number->data);
  const gnn_tensor *edges = gnn_archive_find(&file, "edge_index");
  if (edges && edges->rank == 2)
    numEdges = edges->shape[1];
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    const gnn_tensor *rows = gnn_archive_find(&file, port.name);
    bool countsEdges;
    if (!countsRows(model, port, countsEdges) || !rows || rows->rank == 0)
      continue;
    int64_t &count = countsEdges ? numEdges : numNodes;
    if (count < 0)
      count = rows->shape[0];
    if (rows->shape[0] != count)
      return fail(error, GNN_MISMATCH,
                  "'%.300s': input '%.140s' has %" PRId64
                  " rows, but the graph has %" PRId64 " %s",
                  path.c_str(), port.name, rows->shape[0], count,
                  countsEdges ? "edges" : "nodes");
  }
  if (number || numNodes < 0)
    return GNN_OK;
  TensorHolder added;
  if (gnn_status status =
          gnn_tensor_allocate(GNN_INT64, 0, nullptr, &added.tensor, error))
    return status;
  *static_cast<int64_t *>(added.tensor.data) = numNodes;
  return gnn_archive_set(&file, "num_nodes", &added.tensor, error);
}

static gnn_status readFile(const std::string &path, ArchivePtr &result,
                           gnn_error *error) {
  gnn_archive *archive = nullptr;
  if (gnn_status status = gnn_graph_file_read(path.c_str(), &archive, error))
    return status;
  result.reset(archive);
  return GNN_OK;
}

static gnn_status joinFiles(const gnn_model &model,
                            const std::vector<std::string> &paths,
                            ArchivePtr &result, gnn_error *error) {
  if (gnn_status status = checkJoinable(model, error))
    return status;
  std::vector<ArchivePtr> files(paths.size());
  std::vector<const gnn_archive *> graphs;
  std::vector<const char *> names;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (gnn_status status = readFile(paths[i], files[i], error))
      return status;
    if (gnn_status status = checkRows(model, paths[i], *files[i], error))
      return status;
    graphs.push_back(files[i].get());
    names.push_back(paths[i].c_str());
  }
  gnn_archive *batch = nullptr;
  if (gnn_status status = gnn_archive_batch(graphs.data(), names.data(),
                                            graphs.size(), &batch, error))
    return status;
  result.reset(batch);
  return GNN_OK;
}

/// Takes a sparse matrix that SciPy saved as `NAME.indptr`, `NAME.indices`, ...
static gnn_status readMatrix(const gnn_model &model, const std::string &name,
                             const std::string &path, gnn_archive &file,
                             gnn_error *error) {
  bool isWanted = std::any_of(
      model.inputs, model.inputs + model.num_inputs, [&](const gnn_port &port) {
        return gnn::rt::isSparseMatrix(port) && name == port.name;
      });
  if (!isWanted)
    return fail(error, GNN_MISMATCH,
                "'%.300s' would be a sparse matrix, but model '%.200s' has no "
                "sparse input '%.200s'; give an .npy file, or say 'sparse: "
                "true' in the model's description",
                path.c_str(), model.name, name.c_str());
  gnn_archive *archive = nullptr;
  if (gnn_status status = gnn_archive_read(path.c_str(), &archive, error))
    return status;
  ArchivePtr matrix(archive);
  bool isCSR = strcmp(archive->format, "csr") == 0;
  if (archive->format[0] && !isCSR)
    return fail(error, GNN_UNSUPPORTED,
                "'%.400s' holds a sparse matrix in %s form; save its tocsr() "
                "by scipy.sparse.save_npz",
                path.c_str(), archive->format);
  for (const char *part : {"indptr", "indices", "data", "shape"}) {
    gnn::rt::ArchiveEntry *entry = archive->find(part);
    if (!isCSR || !entry)
      return fail(error, GNN_MISMATCH,
                  "'%.400s' has no array '%s', so it is no sparse matrix as "
                  "scipy.sparse.save_npz writes it in csr form",
                  path.c_str(), isCSR ? part : "format");
    if (gnn_status status = gnn_archive_set(&file, (name + "." + part).c_str(),
                                            &entry->tensor, error))
      return status;
  }
  file.remove(name); // a dense one in the graph's file
  return GNN_OK;
}

static bool hasNodeTypes(const gnn_model &model) {
  for (uint32_t i = 0; i < model.num_inputs; ++i)
    if (model.inputs[i].kind == GNN_PORT_GRAPH && model.inputs[i].node_types[0])
      return true;
  return false;
}

/// Whether something other than an input of the model is made from an array of
/// this name: a graph, or what is reported of a run. Where nodes have types,
/// one of these follows.
static bool isGraphArray(const gnn_model &model, const std::string &name) {
  std::string array = name.substr(0, name.find('/'));
  // Types have graphs of a batch of their own.
  if (name == "batch" || name == "ptr")
    return !hasNodeTypes(model);
  for (const char *known :
       {"edge_index", "indptr", "indices", "num_nodes", "num_sources",
        "num_destinations", "batch", "ptr", "num_graphs", "num_clusters", "y",
        "train_mask", "val_mask", "test_mask"})
    if (array == known)
      return true;
  return takesPadding(model, name);
}

bool gnn::runner::isReadBy(const gnn_model &model, const std::string &name) {
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_WEIGHT)
      continue;
    // A sparse matrix has several arrays: `x.indptr`, `x.indices`, ...
    std::string input = port.name;
    if (name == input || (gnn::rt::isSparseMatrix(port) &&
                          name.compare(0, input.size() + 1, input + ".") == 0))
      return true;
  }
  return isGraphArray(model, name);
}

/// An array that nothing reads was meant to be another one.
static gnn_status checkFeature(const gnn_model &model, const std::string &name,
                               gnn_error *error) {
  if (isReadBy(model, name))
    return GNN_OK;
  std::string inputs;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_WEIGHT)
      continue;
    bool isMatrix = gnn::rt::isSparseMatrix(port);
    bool isPart = port.kind == GNN_PORT_TENSOR && port.axis == GNN_AXIS_EDGE &&
                  gnn::rt::isSparseMatrix(getGraphPort(model, port.graph));
    if (isMatrix || (port.kind == GNN_PORT_TENSOR && !isPart))
      inputs += (inputs.empty() ? "'" : ", '") + std::string(port.name) + "'";
  }
  return fail(error, GNN_MISMATCH,
              "--features gives an array '%.200s', but model '%.200s' has no "
              "such input; it has %.400s",
              name.c_str(), model.name,
              inputs.empty() ? "none" : inputs.c_str());
}

gnn_status gnn::runner::readGraphs(const Options &options,
                                   const gnn_model &model, ArchivePtr &result,
                                   std::string &label, gnn_error *error) {
  for (const auto &[name, path] : options.features)
    if (gnn_status status = checkFeature(model, name, error))
      return status;
  std::vector<std::string> paths;
  for (const std::string &path : options.graphs) {
    if (!isFolder(path))
      paths.push_back(path);
    else if (gnn_status status = listFolder(path, paths, error))
      return status;
  }
  label = options.graphs.front();
  bool isOneFile = paths.size() == 1 && paths.front() == label;
  if (options.graphs.size() > 1)
    label += " and " + std::to_string(options.graphs.size() - 1) + " more";
  if (gnn_status status = isOneFile ? readFile(paths.front(), result, error)
                                    : joinFiles(model, paths, result, error))
    return status;
  for (const auto &[name, path] : options.features) {
    if (path.size() > 4 && path.compare(path.size() - 4, 4, ".npz") == 0) {
      if (gnn_status status = readMatrix(model, name, path, *result, error))
        return status;
      continue;
    }
    TensorHolder array;
    if (gnn_status status = gnn_tensor_map(path.c_str(), &array.tensor, error))
      return status;
    if (gnn_status status =
            gnn_archive_set(result.get(), name.c_str(), &array.tensor, error))
      return status;
    // In place of a sparse one in the graph's file, if that is there.
    result->remove(name + ".indptr");
  }
  return GNN_OK;
}
