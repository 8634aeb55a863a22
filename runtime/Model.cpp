//===- Model.cpp - Checking and opening compiled models ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Error.h"
#include "Processor.h"
#include "Tensor.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The whole hash, so that programs need no library for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace gnn;
using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// CPU features
//===----------------------------------------------------------------------===//

static const char *nameProcessor(const gnn_model &model) {
  return model.target_cpu ? model.target_cpu : "a CPU";
}

/// Wants every "+name" of a list such as "+avx2,+fma,-sse4a".
static gnn_status checkFeatures(const gnn_model &model, gnn_error *error) {
  std::string_view rest =
      model.required_features ? model.required_features : "";
  while (!rest.empty()) {
    std::string_view feature = rest.substr(0, rest.find(','));
    rest.remove_prefix(feature.size() == rest.size() ? rest.size()
                                                     : feature.size() + 1);
    if (feature.empty() || feature[0] != '+')
      continue;
    feature.remove_prefix(1);
    if (cpuSupports(feature) == Support::No)
      return fail(error, GNN_UNSUPPORTED,
                  "model '%s' was compiled for %s and needs the CPU feature "
                  "%.*s, which this machine lacks; compile it for this one",
                  model.name, nameProcessor(model),
                  static_cast<int>(feature.size() < 40 ? feature.size() : 40),
                  feature.data());
    if (feature == "amx-tile" && !requestMatrixTiles())
      return fail(
          error, GNN_UNSUPPORTED,
          "model '%s' needs the registers of AMX, which the system does "
          "not give to this process: %s; compile it with "
          "--matrix-tiles=false",
          model.name, strerror(errno));
  }
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Versions for several processors
//===----------------------------------------------------------------------===//

/// "znver4, x86-64-v3"; cut off where there is no more room.
static void listProcessors(const gnn_model *model, char *text, size_t size) {
  size_t length = 0;
  *text = '\0';
  for (; model && length < size; model = model->fallback)
    length += static_cast<size_t>(snprintf(text + length, size - length, "%s%s",
                                           length ? ", " : "",
                                           nameProcessor(*model)));
}

static gnn_status chooseNamed(const gnn_model *&model, const char *targetCPU,
                              gnn_error *error) {
  const char *name = model->name;
  for (const gnn_model *version = model; version; version = version->fallback) {
    if (strcmp(nameProcessor(*version), targetCPU) != 0)
      continue;
    model = version;
    return checkFeatures(*version, error);
  }
  char processors[400];
  listProcessors(model, processors, sizeof(processors));
  return fail(error, GNN_INVALID_ARGUMENT,
              "model '%s' has no code for '%.100s', but for %s", name,
              targetCPU, processors);
}

gnn_status rt::chooseVersion(const gnn_model *&model, const char *targetCPU,
                             gnn_error *error) {
  if (targetCPU)
    return chooseNamed(model, targetCPU, error);
  gnn_status status = GNN_OK;
  // The last one wants the least, so what it lacks is worth saying.
  for (const gnn_model *version = model; version; version = version->fallback) {
    status = checkFeatures(*version, error);
    if (status)
      continue;
    model = version;
    return GNN_OK;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

namespace {
/// Checks the ports of one model, so that running it need not.
struct ModelChecker {
  const gnn_model &model;
  gnn_error *error;
  int64_t numGraphs = 0;
  int64_t numEarlierGraphs = 0;

  gnn_status malformed(const gnn_port &port, const char *what) {
    return fail(error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: port '%s' %s",
                model.name, port.name, what);
  }

  gnn_status checkInput(const gnn_port &port);
  gnn_status checkTensorPort(const gnn_port &port);
  gnn_status checkWeight(const gnn_port &port);
};
} // namespace

gnn_status ModelChecker::checkTensorPort(const gnn_port &port) {
  if (gnn_dtype_size(static_cast<gnn_dtype>(port.dtype)) == 0)
    return malformed(port, "has an unknown dtype");
  if (port.rank < 0 || port.rank > GNN_MAX_RANK)
    return malformed(port, "has an impossible rank");
  for (int32_t i = 0; i < port.rank; ++i)
    if (port.shape[i] < -1)
      return malformed(port, "has an impossible shape");
  if (port.node_types[0] && port.rank == 0)
    return malformed(port, "has a node type, but no rows");
  bool isInteger = port.dtype == GNN_INT32 || port.dtype == GNN_INT64;
  if (port.limit < 0 || (port.limit && !isInteger))
    return malformed(port, "has an impossible limit");
  if (port.num_limits &&
      (port.limit || !isInteger || !port.limits || port.rank == 0 ||
       port.num_limits != port.shape[port.rank - 1]))
    return malformed(port, "has limits that do not fit");
  for (int32_t i = 0; i < port.num_limits; ++i)
    if (port.limits[i] < 1)
      return malformed(port, "has an impossible limit");
  if (port.axis < GNN_AXIS_FIXED || port.axis > GNN_AXIS_ANY)
    return malformed(port, "has an unknown axis");
  if (port.axis == GNN_AXIS_FIXED || port.axis == GNN_AXIS_ANY)
    return GNN_OK;
  if (port.rank == 0)
    return malformed(port, "counts nodes or edges, but has no dimensions");
  if (port.graph < 0 || port.graph >= numGraphs)
    return malformed(port, "refers to a graph that is not there");
  return GNN_OK;
}

gnn_status ModelChecker::checkWeight(const gnn_port &port) {
  int64_t elements, bytes, end;
  auto dtype = static_cast<gnn_dtype>(port.dtype);
  if (!shapeSize(dtype, port.rank, port.shape, elements, bytes))
    return malformed(port, "is a weight of unknown shape");
  if (port.offset < 0 || __builtin_add_overflow(port.offset, bytes, &end) ||
      end > model.weight_bytes)
    return malformed(port, "lies outside the weights file");
  if (static_cast<size_t>(port.offset) % gnn_dtype_size(dtype))
    return malformed(port, "is not aligned in the weights file");
  return GNN_OK;
}

gnn_status ModelChecker::checkInput(const gnn_port &port) {
  switch (port.kind) {
  case GNN_PORT_GRAPH:
    if (port.topology < GNN_TOPOLOGY_CSR ||
        port.topology > GNN_TOPOLOGY_BLOCK_DIAGONAL)
      return malformed(port, "has an unknown topology");
    if (port.limit < 0)
      return malformed(port, "has an impossible limit");
    if (port.rank && (!isSparseMatrix(port) || !port.bipartite ||
                      port.topology != GNN_TOPOLOGY_CSR || port.shape[1] < 1))
      return malformed(port, "is no sparse matrix, but has a shape");
    if ((port.axis == GNN_AXIS_SOURCE || port.axis == GNN_AXIS_DESTINATION) &&
        (port.graph < 0 || port.graph >= numEarlierGraphs))
      return malformed(port, "refers to a graph that is not before it");
    if (!port.node_types[0] != !port.node_types[1])
      return malformed(port, "has a node type on one side only");
    if (port.path_length && (port.path_length < 2 || !port.path))
      return malformed(port, "has a path of less than two graphs");
    for (int32_t i = 0; i < port.path_length; ++i)
      if (port.path[i] < 0 || port.path[i] >= numEarlierGraphs)
        return malformed(port,
                         "has a path along a graph that is not before it");
    ++numEarlierGraphs;
    return GNN_OK;
  case GNN_PORT_TENSOR:
    return checkTensorPort(port);
  case GNN_PORT_WEIGHT:
    if (gnn_status status = checkTensorPort(port))
      return status;
    return checkWeight(port);
  default:
    return malformed(port, "has an unknown kind");
  }
}

const char *gnn_target_name(gnn_target target) {
  static const char *const names[] = {"cpu", "cuda", "gpu-emu"};
  return target >= 0 && target <= GNN_TARGET_GPU_EMULATED ? names[target]
                                                          : "unknown";
}

/// What is wrong with the description of a model's kernels; NULL if nothing.
static const char *findMistake(const gnn_model &model) {
  const gnn_device_code *code = model.device;
  if (model.target == GNN_TARGET_CPU)
    return code || model.weights ? "it is for the CPU, but has code or weights "
                                   "for a device"
                                 : nullptr;
  if (model.target < 0 || model.target > GNN_TARGET_GPU_EMULATED)
    return "it is for an unknown target";
  bool isEmulated = model.target == GNN_TARGET_GPU_EMULATED;
  if (!code || !code->chip || code->num_kernels < 0 ||
      (code->num_kernels && !code->kernels))
    return "it is for a device, but has no code for one";
  if (!isEmulated &&
      (!code->image || code->image_bytes < 1 || code->packed_bytes < 0))
    return "it has no image of its kernels";
  for (int64_t i = 0; i < code->num_kernels; ++i) {
    const gnn_kernel &kernel = code->kernels[i];
    if (!kernel.name || kernel.shared_bytes < 0)
      return "a kernel has no name, or an impossible size";
    if (isEmulated && !kernel.emulate)
      return "a kernel has no code to emulate";
  }
  return nullptr;
}

/// NULL if preparations are described as they should be.
static const char *findMistakeInPreparations(const gnn_model &model,
                                             int64_t numGraphs) {
  if (model.num_preparations < 0 ||
      (model.num_preparations && !model.preparations))
    return "its preparations are missing";
  for (int32_t i = 0; i < model.num_preparations; ++i) {
    const gnn_preparation &preparation = model.preparations[i];
    if (!preparation.compute || !preparation.values ||
        preparation.num_values < 1 || preparation.num_graphs < 0 ||
        (preparation.num_graphs && !preparation.graphs))
      return "a preparation lacks code, values or graphs";
    for (int32_t j = 0; j < preparation.num_graphs; ++j)
      if (preparation.graphs[j] < 0 || preparation.graphs[j] >= numGraphs)
        return "a preparation refers to a graph that is not there";
    for (int32_t j = 0; j < preparation.num_values; ++j) {
      const gnn_prepared_value &value = preparation.values[j];
      if (value.rank < -1 || value.rank > GNN_MAX_RANK ||
          value.element_bytes < 1 || value.element_bytes > 8)
        return "a preparation has a value of impossible rank or size";
    }
  }
  return nullptr;
}

gnn_status rt::checkModel(const gnn_model *model, gnn_error *error) {
  if (model->abi_version != GNN_ABI_VERSION)
    return fail(error, GNN_UNSUPPORTED,
                "the model has ABI version %" PRIu32
                ", but this runtime has version %d; compile the model with the "
                "gnn-compile of this runtime",
                model->abi_version, GNN_ABI_VERSION);
  if (!model->name || !model->invoke || (model->num_inputs && !model->inputs) ||
      (model->num_outputs && !model->outputs) || model->weight_bytes < 0)
    return fail(error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: it lacks a name, "
                "code or ports",
                model->name ? model->name : "");
  if (const char *mistake = findMistake(*model))
    return fail(error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: %s", model->name,
                mistake);

  ModelChecker checker{*model, error};
  for (uint32_t i = 0; i < model->num_inputs; ++i) {
    if (!model->inputs[i].name)
      return fail(error, GNN_FORMAT_ERROR,
                  "the description of model '%s' is malformed: input %" PRIu32
                  " has no name",
                  model->name, i);
    checker.numGraphs += model->inputs[i].kind == GNN_PORT_GRAPH;
  }
  if (const char *mistake =
          findMistakeInPreparations(*model, checker.numGraphs))
    return fail(error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: %s", model->name,
                mistake);
  for (uint32_t i = 0; i < model->num_inputs; ++i)
    if (gnn_status status = checker.checkInput(model->inputs[i]))
      return status;
  for (uint32_t i = 0; i < model->num_outputs; ++i) {
    const gnn_port &port = model->outputs[i];
    if (!port.name || port.kind != GNN_PORT_TENSOR)
      return fail(error, GNN_FORMAT_ERROR,
                  "the description of model '%s' is malformed: output %" PRIu32
                  " is not a tensor with a name",
                  model->name, i);
    if (gnn_status status = checker.checkTensorPort(port))
      return status;
  }
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

MappedWeights::~MappedWeights() {
  if (mapped)
    munmap(mapped, static_cast<size_t>(numBytes));
}

uint64_t gnn_weight_hash(const void *data, size_t size) {
  return XXH3_64bits(data, size);
}

gnn_status MappedWeights::map(const char *path, const gnn_model &model,
                              gnn_error *error) {
  // A pipe would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat stat;
  if (file < 0 || fstat(file, &stat) != 0) {
    int code = errno;
    if (file >= 0)
      close(file);
    return fail(error, GNN_IO_ERROR,
                "the weights of model '%s' cannot be read from '%.400s': %s",
                model.name, path, strerror(code));
  }
  if (!S_ISREG(stat.st_mode) || stat.st_size != model.weight_bytes) {
    close(file);
    return fail(
        error, GNN_MISMATCH,
        "'%.400s' is not the weights file of model '%s': it has %" PRId64
        " bytes, but the model's has %" PRId64,
        path, model.name, static_cast<int64_t>(stat.st_size),
        model.weight_bytes);
  }
  void *memory = mmap(nullptr, static_cast<size_t>(stat.st_size), PROT_READ,
                      MAP_PRIVATE, file, 0);
  int code = errno;
  close(file);
  if (memory == MAP_FAILED)
    return fail(error, code == ENOMEM ? GNN_OUT_OF_MEMORY : GNN_IO_ERROR,
                "the weights of model '%s' cannot be mapped from '%.400s': %s",
                model.name, path, strerror(code));
  mapped = static_cast<char *>(memory);
  numBytes = stat.st_size;
  uint64_t hash = gnn_weight_hash(mapped, static_cast<size_t>(numBytes));
  if (hash != model.weight_hash)
    return fail(error, GNN_MISMATCH,
                "'%.400s' is not the weights file of model '%s': its hash is "
                "%016" PRIx64 ", but the model's is %016" PRIx64,
                path, model.name, hash, model.weight_hash);
  return GNN_OK;
}
