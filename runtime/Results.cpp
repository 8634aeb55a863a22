//===- Results.cpp - Taking over what models return -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code returns memref descriptors, whose memory may be its own (from
// malloc or aligned_alloc), an input or a weight, a constant of the library,
// or that of another result; and they may be views with offset and strides.
// Callers get dense tensors with their own memory. A result is adopted without
// a copy, its `allocated` to be freed by the caller's gnn_tensor_release, if
//   - no input, weight, constant or other result has that memory,
//   - it is row-major and dense, with offset 0, and
//   - its rows need no permutation.
// Otherwise it is copied, and what the code has allocated is freed once.
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Session.h"

#include <cinttypes>

using namespace gnn;
using namespace gnn::rt;

/// MLIR's lowering of memref.get_global gives constants this `allocated`.
static constexpr uintptr_t ConstantMarker = 0xdeadbeef;

static bool isLent(const gnn_session &Session, const void *Allocated) {
  const char *Address = static_cast<const char *>(Allocated);
  for (const MemoryRange &Range : Session.Lent)
    if (Address == Range.Begin ||
        (Address > Range.Begin && Address < Range.End))
      return true;
  return false;
}

/// Decides which results own their memory. Of several that share it, the first
/// does.
static void findOwners(gnn_session &Session) {
  int64_t *Words = Session.ResultWords.data();
  for (uint32_t I = 0; I < Session.Model->num_outputs; ++I) {
    int32_t Rank = Session.Model->outputs[I].rank;
    Result &This = Session.Results[I];
    This = Result();
    This.Allocated = Descriptor(Words, Rank).allocated();
    This.Owned =
        This.Allocated &&
        reinterpret_cast<uintptr_t>(This.Allocated) != ConstantMarker &&
        !isLent(Session, This.Allocated);
    for (uint32_t J = 0; J < I && This.Owned; ++J) {
      Result &Other = Session.Results[J];
      if (Other.Allocated != This.Allocated)
        continue;
      Other.Shared = true;
      This.Shared = true;
      This.Owned = false;
    }
    Words += descriptorWords(Rank);
  }
}

/// Whether dimensions `First` and up are row-major without gaps.
static bool isDense(const Descriptor &Source, int32_t First) {
  int64_t Expected = 1;
  for (int32_t I = Source.rank() - 1; I >= First; --I) {
    if (Source.sizes()[I] != 1 && Source.strides()[I] != Expected)
      return false;
    Expected *= Source.sizes()[I];
  }
  return true;
}

/// Copies a view that has elements; row i becomes row Permutation[i].
static void copyView(const Descriptor &Source, int64_t ElementBytes,
                     const int32_t *Permutation, char *Destination) {
  // Dimensions before Outer are walked through; the others are a dense block.
  int32_t Rank = Source.rank();
  int32_t Outer = Permutation ? 1 : 0;
  while (Outer < Rank && !isDense(Source, Outer))
    ++Outer;
  int64_t BlockBytes = ElementBytes;
  for (int32_t I = Outer; I < Rank; ++I)
    BlockBytes *= Source.sizes()[I];
  int64_t RowBytes = BlockBytes;
  for (int32_t I = 1; I < Outer; ++I)
    RowBytes *= Source.sizes()[I];

  int64_t Index[GNN_MAX_RANK] = {};
  for (int64_t InRow = 0;; InRow = (InRow + BlockBytes) % RowBytes) {
    int64_t Element = Source.offset();
    for (int32_t I = 0; I < Outer; ++I)
      Element += Index[I] * Source.strides()[I];
    int64_t Row = Outer == 0    ? 0
                  : Permutation ? Permutation[Index[0]]
                                : Index[0];
    memcpy(Destination + Row * RowBytes + InRow,
           Source.aligned() + Element * ElementBytes,
           static_cast<size_t>(BlockBytes));
    int32_t I = Outer - 1;
    while (I >= 0 && ++Index[I] == Source.sizes()[I])
      Index[I--] = 0;
    if (I < 0)
      return;
  }
}

/// Wants the shape that the port promises.
static gnn_status checkResult(const gnn_model &Model, const gnn_port &Port,
                              const Descriptor &Source,
                              const gnn_graph *const *Graphs, int64_t &Elements,
                              gnn_error *Error) {
  int64_t Expected[GNN_MAX_RANK], Rows;
  for (int32_t I = 0; I < Port.rank; ++I)
    Expected[I] = Port.shape[I];
  if (axisSize(Port, Graphs, Rows))
    Expected[0] = Rows;
  int64_t Bytes;
  bool Fits = shapeSize(static_cast<gnn_dtype>(Port.dtype), Port.rank,
                        Source.sizes(), Elements, Bytes);
  for (int32_t I = 0; I < Port.rank; ++I)
    Fits &= Expected[I] < 0 || Source.sizes()[I] == Expected[I];
  if (!Fits)
    return fail(Error, GNN_MISMATCH,
                "model '%s' has returned output '%s' of shape %s where %s was "
                "expected (-1: any size); the library and its description "
                "disagree",
                Model.name, Port.name,
                printShape(Port.rank, Source.sizes()).Text,
                printShape(Port.rank, Expected).Text);
  if (Elements && !Source.aligned())
    return fail(Error, GNN_MISMATCH,
                "model '%s' has returned no memory for output '%s'", Model.name,
                Port.name);
  return GNN_OK;
}

/// Makes the tensor of one result.
static gnn_status takeResult(const gnn_model &Model, const gnn_port &Port,
                             const Descriptor &Source,
                             const gnn_graph *const *Graphs, Result &Result,
                             gnn_error *Error) {
  int64_t Elements;
  if (gnn_status Status =
          checkResult(Model, Port, Source, Graphs, Elements, Error))
    return Status;
  auto DType = static_cast<gnn_dtype>(Port.dtype);
  const int32_t *Permutation = permutationOf(Port, Graphs);
  if (Elements && Result.Owned && !Result.Shared && !Permutation &&
      Source.offset() == 0 && isDense(Source, 0)) {
    Result.Tensor =
        gnn_tensor_borrow(Source.aligned(), DType, Port.rank, Source.sizes());
    Result.Tensor.release = free;
    Result.Tensor.owner = Result.Allocated;
    Result.Owned = false;
    return GNN_OK;
  }
  if (gnn_status Status = allocateTensor(DType, Port.rank, Source.sizes(),
                                         &Result.Tensor, Error))
    return Status;
  if (Elements)
    copyView(Source, static_cast<int64_t>(gnn_dtype_size(DType)), Permutation,
             static_cast<char *>(Result.Tensor.data));
  return GNN_OK;
}

gnn_status rt::takeResults(gnn_session &Session, const gnn_graph *const *Graphs,
                           gnn_tensor *Outputs, gnn_error *Error) {
  findOwners(Session);
  const gnn_model &Model = *Session.Model;
  int64_t *Words = Session.ResultWords.data();
  gnn_status Status = GNN_OK;
  for (uint32_t I = 0; I < Model.num_outputs && !Status; ++I) {
    const gnn_port &Port = Model.outputs[I];
    Status = takeResult(Model, Port, Descriptor(Words, Port.rank), Graphs,
                        Session.Results[I], Error);
    Words += descriptorWords(Port.rank);
  }
  for (uint32_t I = 0; I < Model.num_outputs; ++I) {
    Result &Result = Session.Results[I];
    if (Result.Owned)
      free(Result.Allocated);
    if (Status)
      gnn_tensor_release(&Result.Tensor);
    else
      Outputs[I] = Result.Tensor;
  }
  return Status;
}
