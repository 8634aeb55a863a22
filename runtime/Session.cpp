//===- Session.cpp - Running compiled models --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes what the caller has to compiled code. InputCheck.cpp checks it against
// the model's ports first, Flattener.cpp makes arguments of it, Results.cpp
// turns what the code returns into tensors, and Device/DeviceSession.cpp does
// what a model for a device wants in between.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Device/DeviceSession.h"
#include "Error.h"
#include "Flattener.h"
#include "LibraryFile.h"
#include "Preparations.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <new>

using namespace gnn;
using namespace gnn::rt;

gnn_session::~gnn_session() {
  // A device has given back what is in its memory.
  if (preparations && !device)
    preparations->clear(*pool);
  delete device;
  delete preparations;
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
static gnn_status prepare(gnn_session &session,
                          const gnn_session_options &options,
                          gnn_error *error) {
  const gnn_model &model = *session.model;
  int64_t pointers = 1, words = 0, resultWords = 0;
  for (uint32_t i = 0; i < model.num_inputs; ++i) {
    const gnn_port &port = model.inputs[i];
    if (port.kind == GNN_PORT_GRAPH) {
      countGraph(port.topology, pointers, words);
      continue;
    }
    session.numTensors += port.kind == GNN_PORT_TENSOR;
    pointers += 1;
    words += descriptorWords(port.rank);
  }
  for (uint32_t i = 0; i < model.num_outputs; ++i)
    resultWords += descriptorWords(model.outputs[i].rank);
  if (model.num_preparations) {
    Preparations::countArguments(model, pointers, words);
    session.preparations =
        new (std::nothrow) Preparations(session, options.recompute);
    if (!session.preparations)
      return failMemory(error, "a session", sizeof(Preparations));
  }
  session.pool = MemoryPool::create();
  if (!session.pool || !session.arguments.allocate(pointers) ||
      !session.argumentWords.allocateZeroed(words) ||
      !session.resultWords.allocate(resultWords) ||
      !session.results.allocate(model.num_outputs) ||
      !session.lent.reserve(pointers))
    return failMemory(error, "a session", (pointers + words + resultWords) * 8);
  return GNN_OK;
}

gnn_session_options gnn_session_default_options(void) {
  gnn_session_options options = {};
  options.device = -1;
  return options;
}

static gnn_status openModel(gnn_session &session, const gnn_model *model,
                            const gnn_session_options &options,
                            gnn_error *error) {
  const char *weightsPath = options.weights_path;
  if (gnn_status status = checkModel(model, error))
    return status;
  const gnn_model *listed = model;
  if (gnn_status status = chooseVersion(model, options.target_cpu, error))
    return status;
  if (model != listed)
    if (gnn_status status = checkModel(model, error))
      return status;
  session.model = model;
  session.allThreads = options.all_threads;
  if (model->target == GNN_TARGET_CPU &&
      (options.device >= 0 || options.device_outputs || options.stream))
    return fail(error, GNN_INVALID_ARGUMENT,
                "model '%s' was compiled for the CPU, so its session has no "
                "device; compile it with --target=cuda for one",
                model->name);
  if (options.replay && model->target != GNN_TARGET_CUDA)
    return fail(error, GNN_INVALID_ARGUMENT,
                "model '%s' was compiled for target '%s', whose runs cannot be "
                "replayed; compile it with --target=cuda, or open it without "
                "replay",
                model->name,
                gnn_target_name(static_cast<gnn_target>(model->target)));
  if (options.device < -1)
    return fail(error, GNN_INVALID_ARGUMENT,
                "%d is no number of a GPU; give 0 or more, or -1 for what "
                "GNN_DEVICE says",
                options.device);
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
  if (gnn_status status = prepare(session, options, error))
    return status;
  return model->target == GNN_TARGET_CPU
             ? GNN_OK
             : DeviceSession::open(session, options, error);
}

/// The options of functions that take no others.
static gnn_session_options optionsFor(const char *weightsPath) {
  gnn_session_options options = gnn_session_default_options();
  options.weights_path = weightsPath;
  return options;
}

gnn_status gnn_session_create(const gnn_model *model, const char *weightsPath,
                              gnn_session **session, gnn_error *error) {
  gnn_session_options options = optionsFor(weightsPath);
  return gnn_session_create_with(model, &options, session, error);
}

gnn_status gnn_session_create_with(const gnn_model *model,
                                   const gnn_session_options *options,
                                   gnn_session **session, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  *session = nullptr;
  if (!model)
    return failNull(error, __func__, "model");
  if (!options)
    return failNull(error, __func__, "options");
  std::unique_ptr<gnn_session> result(new (std::nothrow) gnn_session);
  if (!result)
    return failMemory(error, "a session", sizeof(gnn_session));
  if (gnn_status status = openModel(*result, model, *options, error))
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
  gnn_session_options options = optionsFor(weightsPath);
  return gnn_session_open_with(libraryPath, &options, session, error);
}

gnn_status gnn_session_open_with(const char *libraryPath,
                                 const gnn_session_options *options,
                                 gnn_session **session, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  *session = nullptr;
  if (!libraryPath)
    return failNull(error, __func__, "library_path");
  if (!options)
    return failNull(error, __func__, "options");
  if (gnn_status status = checkLibraryFile(libraryPath, error))
    return status;
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
  gnn_session_options own = *options;
  if (!own.weights_path && model->abi_version == GNN_ABI_VERSION &&
      needsWeightsFile(*model))
    own.weights_path = defaultWeights.data();
  if (gnn_status status = openModel(*result, model, own, error))
    return status;
  *session = result.release();
  return GNN_OK;
}

const gnn_model *gnn_session_model(const gnn_session *session) {
  return session->model;
}

const char *gnn_session_device_name(const gnn_session *session) {
  return session->device ? session->device->getDevice().getName() : nullptr;
}

gnn_status gnn_session_read(gnn_session *session, const gnn_tensor *tensor,
                            gnn_tensor *copy, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  if (!tensor)
    return failNull(error, __func__, "tensor");
  if (!copy)
    return failNull(error, __func__, "copy");
  if (!session->device || tensor->place != GNN_DEVICE)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a tensor cannot be read from a device: %s",
                session->device ? "it is in the host's memory"
                                : "the session runs on the CPU");
  if (gnn_status status = allocateTensor(tensor->dtype, tensor->rank,
                                         tensor->shape, copy, error))
    return status;
  gnn_status status = session->device->read(*tensor, copy->data, error);
  if (status)
    gnn_tensor_release(copy);
  return status;
}

gnn_memory_usage gnn_session_memory_usage(const gnn_session *session) {
  return session->device ? session->device->getUsage()
                         : session->pool->getUsage();
}

gnn_preparation_usage
gnn_session_preparation_usage(const gnn_session *session) {
  return session->preparations ? session->preparations->getUsage()
                               : gnn_preparation_usage{0, 0, 0};
}

gnn_replay_usage gnn_session_replay_usage(const gnn_session *session) {
  return session->device ? session->device->getReplayUsage()
                         : gnn_replay_usage{0, 0, nullptr};
}

int32_t gnn_session_threads(const gnn_session *session) {
  return session->threadsOfRun;
}

void gnn_session_destroy(gnn_session *session) { delete session; }

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The data of arrays without elements, which compiled code does not read but
/// could align or compare.
alignas(64) static char nothing[64];

const int32_t *rt::permutationOf(const gnn_port &port,
                                 const gnn_graph *const *graphs) {
  return port.axis == GNN_AXIS_EDGE
             ? gnn_graph_edge_permutation(graphs[port.graph])
             : nullptr;
}

void gnn_session::clearResults() {
  memset(resultWords.data(), 0,
         static_cast<size_t>(resultWords.size()) * sizeof(int64_t));
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

const void *rt::sortEdgeRows(const gnn_port &port, const gnn_tensor &tensor,
                             const gnn_graph *const *graphs, char *&room) {
  const int32_t *permutation = permutationOf(port, graphs);
  int64_t bytes = bytesOf(tensor);
  if (!permutation || !bytes)
    return tensor.data;
  // malloc aligns to 16 bytes only.
  char *rows = room + -reinterpret_cast<uintptr_t>(room) % 64;
  gatherRows(rows, tensor.data, bytes / tensor.shape[0], permutation,
             tensor.shape[0]);
  room = rows + bytes;
  return rows;
}

/// Nodes, edges and rows of tensors.
static int64_t countRows(const gnn_session &session,
                         const gnn_graph *const *graphs,
                         const gnn_tensor *tensors) {
  int64_t rows = 0, graph = 0, tensor = 0;
  for (uint32_t i = 0; i < session.model->num_inputs; ++i) {
    int32_t kind = session.model->inputs[i].kind;
    if (kind == GNN_PORT_GRAPH) {
      rows += gnn_graph_num_destinations(graphs[graph]) +
              gnn_graph_num_edges(graphs[graph]);
      ++graph;
    } else if (kind == GNN_PORT_TENSOR) {
      rows += tensors[tensor].rank > 0 ? tensors[tensor].shape[0] : 1;
      ++tensor;
    }
  }
  return rows;
}

/// Calls the model on as many threads as its runs take. The bytes that memory
/// is short of, or 0.
static size_t call(gnn_session &session, const gnn_graph *const *graphs,
                   const gnn_tensor *tensors) {
  auto invoke = [&] {
    return session.pool->call(session.model->invoke, session.arguments.data());
  };
  int32_t available = gnn_num_threads();
  session.threadsOfRun = available;
  if (available == 1 || session.allThreads)
    return invoke();
  session.threadsOfRun =
      session.threads.begin(countRows(session, graphs, tensors), available);
  if (session.threadsOfRun != available)
    gnn_set_num_threads(session.threadsOfRun, nullptr);
  using Clock = std::chrono::steady_clock;
  bool isTimed = session.threads.isTimed();
  Clock::time_point start = isTimed ? Clock::now() : Clock::time_point();
  size_t missing = invoke();
  if (isTimed)
    session.threads.end(
        std::chrono::duration<double>(Clock::now() - start).count());
  if (session.threadsOfRun != available)
    gnn_set_num_threads(available, nullptr);
  return missing;
}

static gnn_status runOnHost(gnn_session &session,
                            const gnn_graph *const *graphs,
                            const gnn_tensor *tensors, gnn_tensor *outputs,
                            gnn_error *error) {
  const gnn_model &model = *session.model;
  Flattener flat(session, nothing);
  char *room = session.edgeRows.data();
  addInputs(
      flat, model, graphs, tensors, session.weights.data(),
      [](const gnn_graph &graph) { return getArrays(graph); },
      [&](const gnn_port &port, const gnn_tensor &tensor) {
        return sortEdgeRows(port, tensor, graphs, room);
      });
  if (session.preparations) {
    session.preparations->beginRun(*session.pool);
    if (int64_t missing =
            session.preparations->pass(flat, graphs, *session.pool))
      return failMemory(error, "what is kept for graphs", missing);
  }
  session.clearResults();
  size_t missing = call(session, graphs, tensors);
  gnn_status status = missing ? failMemory(error, "what the model computes",
                                           static_cast<int64_t>(missing))
                              : takeResults(session, graphs, outputs, error);
  if (session.preparations)
    session.preparations->endRun(*session.pool);
  return status;
}

gnn_status gnn_session_run(gnn_session *session, const gnn_graph *const *graphs,
                           size_t numGraphs, const gnn_tensor *tensors,
                           size_t numTensors, gnn_tensor *outputs,
                           size_t numOutputs, gnn_error *error) {
  if (!session)
    return failNull(error, __func__, "session");
  if (gnn_status status =
          checkInputs(*session->model, session->device, graphs, numGraphs,
                      tensors, numTensors, outputs, numOutputs, error))
    return status;
  if (gnn_status status = reserveEdges(*session, graphs, tensors, error))
    return status;

  session->pool->beginRun();
  return session->device ? session->device->run(graphs, tensors, outputs, error)
                         : runOnHost(*session, graphs, tensors, outputs, error);
}
