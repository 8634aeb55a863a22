//===- Model.cpp - Checking and opening compiled models ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Error.h"
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

using namespace gnn;
using namespace gnn::rt;

const char *rt::topologyName(int32_t Topology) {
  static const char *const Names[] = {"csr", "complete", "causal", "window",
                                      "block-diagonal"};
  return Topology >= 0 && Topology <= GNN_TOPOLOGY_BLOCK_DIAGONAL
             ? Names[Topology]
             : "unknown";
}

//===----------------------------------------------------------------------===//
// CPU features
//===----------------------------------------------------------------------===//

namespace {
enum class Support { Yes, No, Unknown };
} // namespace

static Support cpuSupports([[maybe_unused]] std::string_view Feature) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  // The builtin wants literals; these are what both GCC and Clang know and
  // LLVM calls by the same name.
#define GNN_FEATURE(NAME)                                                      \
  if (Feature == NAME)                                                         \
  return __builtin_cpu_supports(NAME) ? Support::Yes : Support::No
  GNN_FEATURE("sse");
  GNN_FEATURE("sse2");
  GNN_FEATURE("sse3");
  GNN_FEATURE("ssse3");
  GNN_FEATURE("sse4.1");
  GNN_FEATURE("sse4.2");
  GNN_FEATURE("sse4a");
  GNN_FEATURE("popcnt");
  GNN_FEATURE("aes");
  GNN_FEATURE("pclmul");
  GNN_FEATURE("avx");
  GNN_FEATURE("avx2");
  GNN_FEATURE("fma");
  GNN_FEATURE("fma4");
  GNN_FEATURE("xop");
  GNN_FEATURE("bmi");
  GNN_FEATURE("bmi2");
  GNN_FEATURE("gfni");
  GNN_FEATURE("vpclmulqdq");
  GNN_FEATURE("avx512f");
  GNN_FEATURE("avx512bw");
  GNN_FEATURE("avx512cd");
  GNN_FEATURE("avx512dq");
  GNN_FEATURE("avx512vl");
  GNN_FEATURE("avx512ifma");
  GNN_FEATURE("avx512vbmi");
  GNN_FEATURE("avx512vbmi2");
  GNN_FEATURE("avx512vnni");
  GNN_FEATURE("avx512bitalg");
  GNN_FEATURE("avx512vpopcntdq");
  GNN_FEATURE("avx512bf16");
  GNN_FEATURE("avx512vp2intersect");
#undef GNN_FEATURE
#endif
  return Support::Unknown;
}

/// Wants every "+name" of a list such as "+avx2,+fma,-sse4a".
static gnn_status checkFeatures(const gnn_model &Model, gnn_error *Error) {
  std::string_view Rest =
      Model.required_features ? Model.required_features : "";
  while (!Rest.empty()) {
    std::string_view Feature = Rest.substr(0, Rest.find(','));
    Rest.remove_prefix(Feature.size() == Rest.size() ? Rest.size()
                                                     : Feature.size() + 1);
    if (Feature.empty() || Feature[0] != '+')
      continue;
    Feature.remove_prefix(1);
    if (cpuSupports(Feature) == Support::No)
      return fail(Error, GNN_UNSUPPORTED,
                  "model '%s' was compiled for %s and needs the CPU feature "
                  "%.*s, which this machine lacks; compile it for this one",
                  Model.name, Model.target_cpu ? Model.target_cpu : "a CPU",
                  static_cast<int>(Feature.size() < 40 ? Feature.size() : 40),
                  Feature.data());
  }
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

namespace {
/// Checks the ports of one model, so that running it need not.
struct ModelChecker {
  const gnn_model &Model;
  gnn_error *Error;
  int64_t NumGraphs = 0;

  gnn_status malformed(const gnn_port &Port, const char *What) {
    return fail(Error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: port '%s' %s",
                Model.name, Port.name, What);
  }

  gnn_status checkInput(const gnn_port &Port);
  gnn_status checkTensorPort(const gnn_port &Port);
  gnn_status checkWeight(const gnn_port &Port);
};
} // namespace

gnn_status ModelChecker::checkTensorPort(const gnn_port &Port) {
  if (gnn_dtype_size(static_cast<gnn_dtype>(Port.dtype)) == 0)
    return malformed(Port, "has an unknown dtype");
  if (Port.rank < 0 || Port.rank > GNN_MAX_RANK)
    return malformed(Port, "has an impossible rank");
  for (int32_t I = 0; I < Port.rank; ++I)
    if (Port.shape[I] < -1)
      return malformed(Port, "has an impossible shape");
  if (Port.axis < GNN_AXIS_FIXED || Port.axis > GNN_AXIS_ANY)
    return malformed(Port, "has an unknown axis");
  if (Port.axis == GNN_AXIS_FIXED || Port.axis == GNN_AXIS_ANY)
    return GNN_OK;
  if (Port.rank == 0)
    return malformed(Port, "counts nodes or edges, but has no dimensions");
  if (Port.graph < 0 || Port.graph >= NumGraphs)
    return malformed(Port, "refers to a graph that is not there");
  return GNN_OK;
}

gnn_status ModelChecker::checkWeight(const gnn_port &Port) {
  int64_t Elements, Bytes, End;
  auto DType = static_cast<gnn_dtype>(Port.dtype);
  if (!shapeSize(DType, Port.rank, Port.shape, Elements, Bytes))
    return malformed(Port, "is a weight of unknown shape");
  if (Port.offset < 0 || __builtin_add_overflow(Port.offset, Bytes, &End) ||
      End > Model.weight_bytes)
    return malformed(Port, "lies outside the weights file");
  if (static_cast<size_t>(Port.offset) % gnn_dtype_size(DType))
    return malformed(Port, "is not aligned in the weights file");
  return GNN_OK;
}

gnn_status ModelChecker::checkInput(const gnn_port &Port) {
  switch (Port.kind) {
  case GNN_PORT_GRAPH:
    if (Port.topology < GNN_TOPOLOGY_CSR ||
        Port.topology > GNN_TOPOLOGY_BLOCK_DIAGONAL)
      return malformed(Port, "has an unknown topology");
    return GNN_OK;
  case GNN_PORT_TENSOR:
    return checkTensorPort(Port);
  case GNN_PORT_WEIGHT:
    if (gnn_status Status = checkTensorPort(Port))
      return Status;
    return checkWeight(Port);
  }
  return malformed(Port, "has an unknown kind");
}

gnn_status rt::checkModel(const gnn_model *Model, gnn_error *Error) {
  if (Model->abi_version != GNN_ABI_VERSION)
    return fail(Error, GNN_UNSUPPORTED,
                "the model has ABI version %" PRIu32
                ", but this runtime has version %d; compile the model with the "
                "gnn-compile of this runtime",
                Model->abi_version, GNN_ABI_VERSION);
  if (!Model->name || !Model->invoke || (Model->num_inputs && !Model->inputs) ||
      (Model->num_outputs && !Model->outputs) || Model->weight_bytes < 0)
    return fail(Error, GNN_FORMAT_ERROR,
                "the description of model '%s' is malformed: it lacks a name, "
                "code or ports",
                Model->name ? Model->name : "");
  if (gnn_status Status = checkFeatures(*Model, Error))
    return Status;

  ModelChecker Checker{*Model, Error};
  for (uint32_t I = 0; I < Model->num_inputs; ++I) {
    if (!Model->inputs[I].name)
      return fail(Error, GNN_FORMAT_ERROR,
                  "the description of model '%s' is malformed: input %" PRIu32
                  " has no name",
                  Model->name, I);
    Checker.NumGraphs += Model->inputs[I].kind == GNN_PORT_GRAPH;
  }
  for (uint32_t I = 0; I < Model->num_inputs; ++I)
    if (gnn_status Status = Checker.checkInput(Model->inputs[I]))
      return Status;
  for (uint32_t I = 0; I < Model->num_outputs; ++I) {
    const gnn_port &Port = Model->outputs[I];
    if (!Port.name || Port.kind != GNN_PORT_TENSOR)
      return fail(Error, GNN_FORMAT_ERROR,
                  "the description of model '%s' is malformed: output %" PRIu32
                  " is not a tensor with a name",
                  Model->name, I);
    if (gnn_status Status = Checker.checkTensorPort(Port))
      return Status;
  }
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

MappedWeights::~MappedWeights() {
  if (Data)
    munmap(Data, static_cast<size_t>(Size));
}

static uint64_t hashBytes(const char *Data, int64_t Size) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (int64_t I = 0; I < Size; ++I)
    Hash = (Hash ^ static_cast<unsigned char>(Data[I])) * 0x100000001b3;
  return Hash;
}

gnn_status MappedWeights::map(const char *Path, const gnn_model &Model,
                              gnn_error *Error) {
  int File = open(Path, O_RDONLY | O_CLOEXEC);
  struct stat Stat;
  if (File < 0 || fstat(File, &Stat) != 0) {
    int Code = errno;
    if (File >= 0)
      close(File);
    return fail(Error, GNN_IO_ERROR,
                "the weights of model '%s' cannot be read from '%.400s': %s",
                Model.name, Path, strerror(Code));
  }
  if (!S_ISREG(Stat.st_mode) || Stat.st_size != Model.weight_bytes) {
    close(File);
    return fail(
        Error, GNN_MISMATCH,
        "'%.400s' is not the weights file of model '%s': it has %" PRId64
        " bytes, but the model's has %" PRId64,
        Path, Model.name, static_cast<int64_t>(Stat.st_size),
        Model.weight_bytes);
  }
  void *Mapped = mmap(nullptr, static_cast<size_t>(Stat.st_size), PROT_READ,
                      MAP_PRIVATE, File, 0);
  int Code = errno;
  close(File);
  if (Mapped == MAP_FAILED)
    return fail(Error, Code == ENOMEM ? GNN_OUT_OF_MEMORY : GNN_IO_ERROR,
                "the weights of model '%s' cannot be mapped from '%.400s': %s",
                Model.name, Path, strerror(Code));
  Data = static_cast<char *>(Mapped);
  Size = Stat.st_size;
  uint64_t Hash = hashBytes(Data, Size);
  if (Hash != Model.weight_hash)
    return fail(Error, GNN_MISMATCH,
                "'%.400s' is not the weights file of model '%s': its hash is "
                "%016" PRIx64 ", but the model's is %016" PRIx64,
                Path, Model.name, Hash, Model.weight_hash);
  return GNN_OK;
}
