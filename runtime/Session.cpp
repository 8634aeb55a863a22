//===- Session.cpp - Running compiled models --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flattens what the caller passes into the arguments of the compiled code;
// docs/abi.md describes these. InputCheck.cpp checks it against the model's
// ports first, Results.cpp turns what the code returns into tensors.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Error.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <new>
#include <unistd.h>

using namespace gnn;
using namespace gnn::rt;

gnn_session::~gnn_session() {
  if (pool)
    pool->close();
  if (library)
    dlclose(library);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// How many pointers a graph of this topology flattens to, and how many words
/// of memory these need.
static void countGraph(int32_t topology, int64_t &pointers, int64_t &words) {
  switch (topology) {
  case GNN_TOPOLOGY_CSR:
    pointers += 3;
    words += 2 * descriptorWords(1) + 1;
    return;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL:
    pointers += 2;
    words += 2 * descriptorWords(1);
    return;
  default:
    pointers += 2;
    words += 2;
  }
}

/// Sizes the memory that every run needs.
static gnn_status prepare(gnn_session &session, gnn_error *error) {
  const gnn_model &model = *session.model;
  int64_t pointers = 1, words = 0, resultWords = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      ++session.numGraphs;
      countGraph(port.topology, pointers, words);
      continue;
    }
    session.numTensors += port.kind == GNN_PORT_TENSOR;
    pointers += 1;
    words += descriptorWords(port.rank);
  }
  for (uint32_t i = 0; i < model.num_outputs; ++i)
    resultWords += descriptorWords(model.outputs[i].rank);
  session.pool = MemoryPool::create();
  if (!session.pool || !session.arguments.allocate(pointers) ||
      !session.argumentWords.allocate(words) ||
      !session.resultWords.allocate(resultWords) ||
      !session.results.allocate(model.num_outputs) ||
      !session.lent.reserve(pointers))
    return failMemory(error, "a session", (pointers + words + resultWords) * 8);
  return GNN_OK;
}

static gnn_status openModel(gnn_session &session, const gnn_model *model,
                            const char *weightsPath, gnn_error *error) {
  if (gnn_status status = checkModel(model, error))
    return status;
  session.model = model;
  if (model->target != GNN_TARGET_CPU)
    return fail(error, GNN_UNSUPPORTED,
                "model '%s' was compiled for %s, but this runtime runs models "
                "on the CPU only",
                model->name,
                gnn_target_name(static_cast<gnn_target>(model->target)));
  bool needsFile = needsWeightsFile(*model);
  if (needsFile && !weightsPath)
    return fail(error, GNN_INVALID_ARGUMENT,
                "model '%s' needs its weights file of %" PRId64
                " bytes, but no path was given",
                model->name, model->weight_bytes);
  if (!needsFile && weightsPath)
    return fail(error, GNN_INVALID_ARGUMENT,
                "model '%s' has its weights embedded, so '%.400s' cannot "
                "replace them; give no weights file",
                model->name, weightsPath);
  if (needsFile)
    if (gnn_status status = session.weights.map(weightsPath, *model, error))
      return status;
  return prepare(session, error);
}

gnn_status gnn_session_create(const gnn_model *model, const char *weightsPath,
                              gnn_session **session, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  *session = nullptr;
  if (!model)
    return failNull(error, __func__, "model");
  std::unique_ptr<gnn_session> result(new (std::nothrow) gnn_session);
  if (!result)
    return failMemory(error, "a session", sizeof(gnn_session));
  if (gnn_status status = openModel(*result, model, weightsPath, error))
    return status;
  *session = result.release();
  return GNN_OK;
}

/// Joins two strings; NULL if memory is short.
static bool concatenate(const char *first, const char *second,
                        Array<char> &result) {
  size_t firstLength = strlen(first), secondLength = strlen(second);
  if (!result.allocate(static_cast<int64_t>(firstLength + secondLength + 1)))
    return false;
  memcpy(result.data(), first, firstLength);
  memcpy(result.data() + firstLength, second, secondLength + 1);
  return true;
}

gnn_status gnn_session_open(const char *libraryPath, const char *weightsPath,
                            gnn_session **session, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  *session = nullptr;
  if (!libraryPath)
    return failNull(error, __func__, "library_path");
  if (access(libraryPath, R_OK) != 0)
    return fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", libraryPath,
                strerror(errno));
  std::unique_ptr<gnn_session> result(new (std::nothrow) gnn_session);
  // A name without a slash would be looked for where system libraries are.
  Array<char> path, defaultWeights;
  if (!result ||
      !concatenate(strchr(libraryPath, '/') ? "" : "./", libraryPath, path) ||
      !concatenate(libraryPath, ".weights", defaultWeights))
    return failMemory(error, "a session", sizeof(gnn_session));
  result->library = dlopen(path.data(), RTLD_NOW | RTLD_LOCAL);
  if (!result->library) {
    const char *reason = dlerror();
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' cannot be loaded as a shared library: %s",
                libraryPath, reason ? reason : "unknown reason");
  }
  auto *entry = static_cast<const gnn_model *const *>(
      dlsym(result->library, "gnn_model_entry"));
  if (!entry || !*entry)
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' is a shared library, but not a model made by "
                "gnn-compile: it does not define gnn_model_entry",
                libraryPath);
  const gnn_model *model = *entry;
  if (!weightsPath && model->abi_version == GNN_ABI_VERSION &&
      needsWeightsFile(*model))
    weightsPath = defaultWeights.data();
  if (gnn_status status = openModel(*result, model, weightsPath, error))
    return status;
  *session = result.release();
  return GNN_OK;
}

const gnn_model *gnn_session_model(const gnn_session *session) {
  return session->model;
}

gnn_memory_usage gnn_session_memory_usage(const gnn_session *session) {
  return session->pool->getUsage();
}

void gnn_session_destroy(gnn_session *session) { delete session; }

//===----------------------------------------------------------------------===//
// Flattening
//===----------------------------------------------------------------------===//

/// The data of arrays without elements, which compiled code does not read but
/// could align or compare.
alignas(64) static char nothing[64];

namespace {
/// Lays the arguments out in a session's memory.
class Flattener {
public:
  explicit Flattener(gnn_session &session)
      : session(session), next(session.argumentWords.data()) {
    session.lent.setSize(0);
    push(session.resultWords.data());
  }

  void addGraph(const gnn_graph *graph);
  void addArray(void *data, gnn_dtype dtype, int32_t rank,
                const int64_t *shape);

private:
  void push(void *argument) { session.arguments[numArguments++] = argument; }

  void addSize(int64_t size) {
    *next = size;
    push(next++);
  }

  void addPointers(const int32_t *values, int64_t count) {
    addArray(const_cast<int32_t *>(values), GNN_INT32, 1, &count);
  }

  gnn_session &session;
  int64_t *next;
  int64_t numArguments = 0;
};
} // namespace

void Flattener::addArray(void *data, gnn_dtype dtype, int32_t rank,
                         const int64_t *shape) {
  if (!data)
    data = nothing;
  Descriptor(next, rank).set(data, shape);
  push(next);
  next += descriptorWords(rank);
  int64_t elements, bytes;
  shapeSize(dtype, rank, shape, elements, bytes);
  const char *begin = static_cast<const char *>(data);
  session.lent[session.lent.size()] = {begin, begin + bytes};
  session.lent.setSize(session.lent.size() + 1);
}

void Flattener::addGraph(const gnn_graph *graph) {
  int64_t numSources = gnn_graph_num_sources(graph);
  int64_t numDestinations = gnn_graph_num_destinations(graph);
  switch (gnn_graph_topology(graph)) {
  case GNN_TOPOLOGY_CSR:
    addPointers(gnn_graph_row_pointers(graph), numDestinations + 1);
    addPointers(gnn_graph_column_indices(graph), gnn_graph_num_edges(graph));
    addSize(numSources);
    return;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL: {
    int64_t count = gnn_graph_num_segments(graph) + 1;
    addPointers(gnn_graph_destination_pointers(graph), count);
    addPointers(gnn_graph_source_pointers(graph), count);
    return;
  }
  case GNN_TOPOLOGY_COMPLETE:
  case GNN_TOPOLOGY_CAUSAL:
  case GNN_TOPOLOGY_WINDOW:
    addSize(numDestinations);
    addSize(numSources);
    return;
  }
}

const int32_t *rt::permutationOf(const gnn_port &port,
                                 const gnn_graph *const *graphs) {
  return port.axis == GNN_AXIS_EDGE
             ? gnn_graph_edge_permutation(graphs[port.graph])
             : nullptr;
}

static int64_t bytesOf(const gnn_tensor &tensor) {
  return gnn_tensor_size(&tensor) *
         static_cast<int64_t>(gnn_dtype_size(tensor.dtype));
}

static int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Grows the memory for permuted edge tensors to what this run needs.
static gnn_status reserveEdges(gnn_session &session,
                               const gnn_graph *const *graphs,
                               const gnn_tensor *tensors, gnn_error *error) {
  int64_t needed = 0, index = 0;
  const gnn_model &model = *session.model;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    if (model.inputs[i].kind != GNN_PORT_TENSOR)
      continue;
    const gnn_tensor &tensor = tensors[index++];
    if (permutationOf(model.inputs[i], graphs))
      needed += roundUp(bytesOf(tensor));
  }
  if (needed <= session.edgeRows.size() - 64 || needed == 0)
    return GNN_OK;
  session.edgeRows.clear(); // first, so that both never exist at once
  if (!session.edgeRows.allocate(needed + 64))
    return failMemory(error, "a copy of edge tensors in the graph's order",
                      needed);
  return GNN_OK;
}

gnn_status gnn_session_run(gnn_session *session, const gnn_graph *const *graphs,
                           size_t numGraphs, const gnn_tensor *tensors,
                           size_t numTensors, gnn_tensor *outputs,
                           size_t numOutputs, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  const gnn_model &model = *session->model;
  if (gnn_status status = checkInputs(*session, graphs, numGraphs, tensors,
                                      numTensors, outputs, numOutputs, error))
    return status;
  if (gnn_status status = reserveEdges(*session, graphs, tensors, error))
    return status;

  Flattener flat(*session);
  char *edgeRows = session->edgeRows.data();
  if (edgeRows) // malloc aligns to 16 bytes only
    edgeRows += -reinterpret_cast<uintptr_t>(edgeRows) % 64;
  int64_t graphIndex = 0, tensorIndex = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      flat.addGraph(graphs[graphIndex++]);
      continue;
    }
    if (port.kind == GNN_PORT_WEIGHT) {
      flat.addArray(session->weights.data() + port.offset,
                    static_cast<gnn_dtype>(port.dtype), port.rank, port.shape);
      continue;
    }
    const gnn_tensor &tensor = tensors[tensorIndex++];
    void *data = tensor.data;
    const int32_t *permutation = permutationOf(port, graphs);
    if (int64_t bytes = bytesOf(tensor); permutation && bytes) {
      int64_t rows = tensor.shape[0];
      gatherRows(edgeRows, data, bytes / rows, permutation, rows);
      data = edgeRows;
      edgeRows += roundUp(bytes);
    }
    flat.addArray(data, tensor.dtype, tensor.rank, tensor.shape);
  }
  memset(session->resultWords.data(), 0,
         static_cast<size_t>(session->resultWords.size()) * sizeof(int64_t));
  session->pool->beginRun();
  model.invoke(session->arguments.data(), session->pool);
  return takeResults(*session, graphs, outputs, error);
}
