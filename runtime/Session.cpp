//===- Session.cpp - Running compiled models --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what the caller passes against the model's ports and flattens it into
// the arguments of the compiled code; docs/abi.md describes these. Results.cpp
// turns what the code returns into tensors.
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
  if (Library)
    dlclose(Library);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// How many pointers a graph of this topology flattens to, and how many words
/// of memory these need.
static void countGraph(int32_t Topology, int64_t &Pointers, int64_t &Words) {
  switch (Topology) {
  case GNN_TOPOLOGY_CSR:
    Pointers += 3;
    Words += 2 * descriptorWords(1) + 1;
    return;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL:
    Pointers += 2;
    Words += 2 * descriptorWords(1);
    return;
  default:
    Pointers += 2;
    Words += 2;
  }
}

/// Sizes the memory that every run needs.
static gnn_status prepare(gnn_session &Session, gnn_error *Error) {
  const gnn_model &Model = *Session.Model;
  int64_t Pointers = 1, Words = 0, ResultWords = 0;
  for (uint32_t I = 0; I < Model.num_inputs; ++I) {
    const gnn_port &Port = Model.inputs[I];
    if (Port.kind == GNN_PORT_GRAPH) {
      ++Session.NumGraphs;
      countGraph(Port.topology, Pointers, Words);
      continue;
    }
    Session.NumTensors += Port.kind == GNN_PORT_TENSOR;
    Pointers += 1;
    Words += descriptorWords(Port.rank);
  }
  for (uint32_t I = 0; I < Model.num_outputs; ++I)
    ResultWords += descriptorWords(Model.outputs[I].rank);
  if (!Session.Arguments.allocate(Pointers) ||
      !Session.ArgumentWords.allocate(Words) ||
      !Session.ResultWords.allocate(ResultWords) ||
      !Session.Results.allocate(Model.num_outputs) ||
      !Session.Lent.reserve(Pointers))
    return failMemory(Error, "a session", (Pointers + Words + ResultWords) * 8);
  return GNN_OK;
}

static gnn_status open(gnn_session &Session, const gnn_model *Model,
                       const char *WeightsPath, gnn_error *Error) {
  if (gnn_status Status = checkModel(Model, Error))
    return Status;
  Session.Model = Model;
  if (Model->weight_bytes && !WeightsPath)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "model '%s' needs its weights file of %" PRId64
                " bytes, but no path was given",
                Model->name, Model->weight_bytes);
  if (!Model->weight_bytes && WeightsPath)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "model '%s' has its weights embedded, so '%.400s' cannot "
                "replace them; give no weights file",
                Model->name, WeightsPath);
  if (Model->weight_bytes)
    if (gnn_status Status = Session.Weights.map(WeightsPath, *Model, Error))
      return Status;
  return prepare(Session, Error);
}

gnn_status gnn_session_create(const gnn_model *Model, const char *WeightsPath,
                              gnn_session **Session, gnn_error *Error) {
  if (!Session)
    return failNull(Error, __func__, "session");
  *Session = nullptr;
  if (!Model)
    return failNull(Error, __func__, "model");
  std::unique_ptr<gnn_session> Result(new (std::nothrow) gnn_session);
  if (!Result)
    return failMemory(Error, "a session", sizeof(gnn_session));
  if (gnn_status Status = open(*Result, Model, WeightsPath, Error))
    return Status;
  *Session = Result.release();
  return GNN_OK;
}

/// Joins two strings; NULL if memory is short.
static bool concatenate(const char *First, const char *Second,
                        Array<char> &Result) {
  size_t FirstLength = strlen(First), SecondLength = strlen(Second);
  if (!Result.allocate(static_cast<int64_t>(FirstLength + SecondLength + 1)))
    return false;
  memcpy(Result.data(), First, FirstLength);
  memcpy(Result.data() + FirstLength, Second, SecondLength + 1);
  return true;
}

gnn_status gnn_session_open(const char *LibraryPath, const char *WeightsPath,
                            gnn_session **Session, gnn_error *Error) {
  if (!Session)
    return failNull(Error, __func__, "session");
  *Session = nullptr;
  if (!LibraryPath)
    return failNull(Error, __func__, "library_path");
  if (access(LibraryPath, R_OK) != 0)
    return fail(Error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", LibraryPath,
                strerror(errno));
  std::unique_ptr<gnn_session> Result(new (std::nothrow) gnn_session);
  // A name without a slash would be looked for where system libraries are.
  Array<char> Path, DefaultWeights;
  if (!Result ||
      !concatenate(strchr(LibraryPath, '/') ? "" : "./", LibraryPath, Path) ||
      !concatenate(LibraryPath, ".weights", DefaultWeights))
    return failMemory(Error, "a session", sizeof(gnn_session));
  Result->Library = dlopen(Path.data(), RTLD_NOW | RTLD_LOCAL);
  if (!Result->Library) {
    const char *Reason = dlerror();
    return fail(Error, GNN_FORMAT_ERROR,
                "'%.400s' cannot be loaded as a shared library: %s",
                LibraryPath, Reason ? Reason : "unknown reason");
  }
  auto *Entry = static_cast<const gnn_model *const *>(
      dlsym(Result->Library, "gnn_model_entry"));
  if (!Entry || !*Entry)
    return fail(Error, GNN_FORMAT_ERROR,
                "'%.400s' is a shared library, but not a model made by "
                "gnn-compile: it does not define gnn_model_entry",
                LibraryPath);
  const gnn_model *Model = *Entry;
  if (!WeightsPath && Model->abi_version == GNN_ABI_VERSION &&
      Model->weight_bytes)
    WeightsPath = DefaultWeights.data();
  if (gnn_status Status = open(*Result, Model, WeightsPath, Error))
    return Status;
  *Session = Result.release();
  return GNN_OK;
}

const gnn_model *gnn_session_model(const gnn_session *Session) {
  return Session->Model;
}

void gnn_session_destroy(gnn_session *Session) { delete Session; }

//===----------------------------------------------------------------------===//
// Checking inputs
//===----------------------------------------------------------------------===//

static gnn_status checkGraph(const gnn_port &Port, const gnn_graph *Graph,
                             gnn_error *Error) {
  if (!Graph)
    return fail(Error, GNN_INVALID_ARGUMENT, "graph '%s' is NULL", Port.name);
  gnn_topology Topology = gnn_graph_topology(Graph);
  if (Topology != Port.topology)
    return fail(Error, GNN_MISMATCH,
                "graph '%s' is a %s graph, but the model was compiled for %s "
                "graphs",
                Port.name, topologyName(Topology), topologyName(Port.topology));
  if (Topology == GNN_TOPOLOGY_WINDOW && gnn_graph_window(Graph) != Port.window)
    return fail(Error, GNN_MISMATCH,
                "graph '%s' has window %" PRId64
                ", but the model was compiled for window %" PRId64,
                Port.name, gnn_graph_window(Graph), Port.window);
  return GNN_OK;
}

const char *rt::axisSize(const gnn_port &Port, const gnn_graph *const *Graphs,
                         int64_t &Size) {
  switch (Port.axis) {
  case GNN_AXIS_SOURCE:
    Size = gnn_graph_num_sources(Graphs[Port.graph]);
    return "source nodes";
  case GNN_AXIS_DESTINATION:
    Size = gnn_graph_num_destinations(Graphs[Port.graph]);
    return "destination nodes";
  case GNN_AXIS_EDGE:
    Size = gnn_graph_num_edges(Graphs[Port.graph]);
    return "edges";
  default:
    return nullptr;
  }
}

static gnn_status checkInput(const gnn_port &Port, const gnn_tensor &Tensor,
                             const gnn_graph *const *Graphs, gnn_error *Error) {
  char What[160];
  snprintf(What, sizeof(What), "input '%.140s'", Port.name);
  if (gnn_status Status = checkTensor(&Tensor, What, Error))
    return Status;
  if (Tensor.dtype != Port.dtype)
    return fail(Error, GNN_MISMATCH, "%s is %s, but the model takes %s", What,
                gnn_dtype_name(Tensor.dtype),
                gnn_dtype_name(static_cast<gnn_dtype>(Port.dtype)));
  if (Tensor.rank != Port.rank)
    return fail(Error, GNN_MISMATCH,
                "%s has shape %s, but the model takes %d dimensions, %s (-1: "
                "any size)",
                What, printShape(Tensor.rank, Tensor.shape).Text, Port.rank,
                printShape(Port.rank, Port.shape).Text);
  int64_t Rows = 0;
  const char *Counted = axisSize(Port, Graphs, Rows);
  if (Counted && Tensor.shape[0] != Rows)
    return fail(Error, GNN_MISMATCH,
                "%s has %" PRId64 " rows, but the graph has %" PRId64 " %s",
                What, Tensor.shape[0], Rows, Counted);
  for (int32_t I = 0; I < Port.rank; ++I)
    if (Port.shape[I] >= 0 && Tensor.shape[I] != Port.shape[I])
      return fail(Error, GNN_MISMATCH,
                  "%s has shape %s, but the model takes %s (-1: any size)",
                  What, printShape(Tensor.rank, Tensor.shape).Text,
                  printShape(Port.rank, Port.shape).Text);
  return GNN_OK;
}

static gnn_status checkCount(const gnn_model &Model, const char *What,
                             size_t Given, size_t Wanted, const void *Values,
                             gnn_error *Error) {
  if (Given != Wanted)
    return fail(Error, GNN_MISMATCH,
                "model '%s' has %zu %s%s, but %zu %s passed", Model.name,
                Wanted, What, Wanted == 1 ? "" : "s", Given,
                Given == 1 ? "was" : "were");
  if (Given && !Values)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "model '%s' has %zu %s%s, but NULL was passed", Model.name,
                Wanted, What, Wanted == 1 ? "" : "s");
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Flattening
//===----------------------------------------------------------------------===//

/// The data of arrays without elements, which compiled code does not read but
/// could align or compare.
alignas(64) static char Nothing[64];

namespace {
/// Lays the arguments out in a session's memory.
class Flattener {
public:
  explicit Flattener(gnn_session &Session)
      : Session(Session), Next(Session.ArgumentWords.data()) {
    Session.Lent.setSize(0);
    push(Session.ResultWords.data());
  }

  void addGraph(const gnn_graph *Graph);
  void addArray(void *Data, gnn_dtype DType, int32_t Rank,
                const int64_t *Shape);

private:
  void push(void *Argument) { Session.Arguments[NumArguments++] = Argument; }

  void addSize(int64_t Size) {
    *Next = Size;
    push(Next++);
  }

  void addPointers(const int32_t *Values, int64_t Count) {
    addArray(const_cast<int32_t *>(Values), GNN_INT32, 1, &Count);
  }

  gnn_session &Session;
  int64_t *Next;
  int64_t NumArguments = 0;
};
} // namespace

void Flattener::addArray(void *Data, gnn_dtype DType, int32_t Rank,
                         const int64_t *Shape) {
  if (!Data)
    Data = Nothing;
  Descriptor(Next, Rank).set(Data, Shape);
  push(Next);
  Next += descriptorWords(Rank);
  int64_t Elements, Bytes;
  shapeSize(DType, Rank, Shape, Elements, Bytes);
  const char *Begin = static_cast<const char *>(Data);
  Session.Lent[Session.Lent.size()] = {Begin, Begin + Bytes};
  Session.Lent.setSize(Session.Lent.size() + 1);
}

void Flattener::addGraph(const gnn_graph *Graph) {
  int64_t NumSources = gnn_graph_num_sources(Graph);
  int64_t NumDestinations = gnn_graph_num_destinations(Graph);
  switch (gnn_graph_topology(Graph)) {
  case GNN_TOPOLOGY_CSR:
    addPointers(gnn_graph_row_pointers(Graph), NumDestinations + 1);
    addPointers(gnn_graph_column_indices(Graph), gnn_graph_num_edges(Graph));
    addSize(NumSources);
    return;
  case GNN_TOPOLOGY_BLOCK_DIAGONAL: {
    int64_t Count = gnn_graph_num_segments(Graph) + 1;
    addPointers(gnn_graph_destination_pointers(Graph), Count);
    addPointers(gnn_graph_source_pointers(Graph), Count);
    return;
  }
  case GNN_TOPOLOGY_COMPLETE:
  case GNN_TOPOLOGY_CAUSAL:
  case GNN_TOPOLOGY_WINDOW:
    addSize(NumDestinations);
    addSize(NumSources);
    return;
  }
}

const int32_t *rt::permutationOf(const gnn_port &Port,
                                 const gnn_graph *const *Graphs) {
  return Port.axis == GNN_AXIS_EDGE
             ? gnn_graph_edge_permutation(Graphs[Port.graph])
             : nullptr;
}

static int64_t bytesOf(const gnn_tensor &Tensor) {
  return gnn_tensor_size(&Tensor) *
         static_cast<int64_t>(gnn_dtype_size(Tensor.dtype));
}

static int64_t roundUp(int64_t Bytes) { return (Bytes + 63) / 64 * 64; }

/// Grows the memory for permuted edge tensors to what this run needs.
static gnn_status reserveEdges(gnn_session &Session,
                               const gnn_graph *const *Graphs,
                               const gnn_tensor *Tensors, gnn_error *Error) {
  int64_t Needed = 0, Index = 0;
  const gnn_model &Model = *Session.Model;
  for (uint32_t I = 0; I < Model.num_inputs; ++I) {
    if (Model.inputs[I].kind != GNN_PORT_TENSOR)
      continue;
    const gnn_tensor &Tensor = Tensors[Index++];
    if (permutationOf(Model.inputs[I], Graphs))
      Needed += roundUp(bytesOf(Tensor));
  }
  if (Needed <= Session.EdgeRows.size() - 64 || Needed == 0)
    return GNN_OK;
  Session.EdgeRows.clear(); // first, so that both never exist at once
  if (!Session.EdgeRows.allocate(Needed + 64))
    return failMemory(Error, "a copy of edge tensors in the graph's order",
                      Needed);
  return GNN_OK;
}

gnn_status gnn_session_run(gnn_session *Session, const gnn_graph *const *Graphs,
                           size_t NumGraphs, const gnn_tensor *Tensors,
                           size_t NumTensors, gnn_tensor *Outputs,
                           size_t NumOutputs, gnn_error *Error) {
  if (!Session)
    return failNull(Error, __func__, "session");
  const gnn_model &Model = *Session->Model;
  if (gnn_status Status =
          checkCount(Model, "graph input", NumGraphs,
                     static_cast<size_t>(Session->NumGraphs), Graphs, Error))
    return Status;
  if (gnn_status Status =
          checkCount(Model, "tensor input", NumTensors,
                     static_cast<size_t>(Session->NumTensors), Tensors, Error))
    return Status;
  if (gnn_status Status = checkCount(Model, "output", NumOutputs,
                                     Model.num_outputs, Outputs, Error))
    return Status;

  int64_t GraphIndex = 0, TensorIndex = 0;
  for (uint32_t I = 0; I < Model.num_inputs; ++I)
    if (Model.inputs[I].kind == GNN_PORT_GRAPH)
      if (gnn_status Status =
              checkGraph(Model.inputs[I], Graphs[GraphIndex++], Error))
        return Status;
  for (uint32_t I = 0; I < Model.num_inputs; ++I)
    if (Model.inputs[I].kind == GNN_PORT_TENSOR)
      if (gnn_status Status = checkInput(Model.inputs[I],
                                         Tensors[TensorIndex++], Graphs, Error))
        return Status;
  if (gnn_status Status = reserveEdges(*Session, Graphs, Tensors, Error))
    return Status;

  Flattener Flat(*Session);
  char *EdgeRows = Session->EdgeRows.data();
  if (EdgeRows) // malloc aligns to 16 bytes only
    EdgeRows += -reinterpret_cast<uintptr_t>(EdgeRows) % 64;
  GraphIndex = TensorIndex = 0;
  for (uint32_t I = 0; I < Model.num_inputs; ++I) {
    const gnn_port &Port = Model.inputs[I];
    if (Port.kind == GNN_PORT_GRAPH) {
      Flat.addGraph(Graphs[GraphIndex++]);
      continue;
    }
    if (Port.kind == GNN_PORT_WEIGHT) {
      Flat.addArray(Session->Weights.data() + Port.offset,
                    static_cast<gnn_dtype>(Port.dtype), Port.rank, Port.shape);
      continue;
    }
    const gnn_tensor &Tensor = Tensors[TensorIndex++];
    void *Data = Tensor.data;
    const int32_t *Permutation = permutationOf(Port, Graphs);
    if (int64_t Bytes = bytesOf(Tensor); Permutation && Bytes) {
      int64_t Rows = Tensor.shape[0];
      gatherRows(EdgeRows, Data, Bytes / Rows, Permutation, Rows);
      Data = EdgeRows;
      EdgeRows += roundUp(Bytes);
    }
    Flat.addArray(Data, Tensor.dtype, Tensor.rank, Tensor.shape);
  }
  memset(Session->ResultWords.data(), 0,
         static_cast<size_t>(Session->ResultWords.size()) * sizeof(int64_t));
  Model.invoke(Session->Arguments.data());
  return takeResults(*Session, Graphs, Outputs, Error);
}
