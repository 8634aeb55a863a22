//===- Session.h - State of a model that is run -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_SESSION_H
#define GNN_RUNTIME_SESSION_H

#include "Array.h"
#include "Model.h"
#include "Tensor.h"

#include <cstring>

namespace gnn::rt {

/// Words of a descriptor: two pointers, offset, sizes and strides.
constexpr int64_t descriptorWords(int32_t Rank) { return 3 + 2 * Rank; }

static_assert(sizeof(void *) == sizeof(int64_t),
              "descriptors have pointers and indices of 64 bits");

/// MLIR's strided memref descriptor in memory of 64-bit words:
///   { void *allocated; void *aligned; int64_t offset;
///     int64_t sizes[rank]; int64_t strides[rank]; }
class Descriptor {
public:
  Descriptor(int64_t *Words, int32_t Rank) : Words(Words), Rank(Rank) {}

  void *allocated() const { return pointer(0); }
  char *aligned() const { return static_cast<char *>(pointer(1)); }
  int64_t offset() const { return Words[2]; }
  const int64_t *sizes() const { return Words + 3; }
  const int64_t *strides() const { return Words + 3 + Rank; }
  int32_t rank() const { return Rank; }

  /// Describes a dense row-major array.
  void set(void *Data, const int64_t *Shape) {
    memcpy(&Words[0], &Data, sizeof(Data));
    memcpy(&Words[1], &Data, sizeof(Data));
    Words[2] = 0;
    int64_t Stride = 1;
    for (int32_t I = Rank - 1; I >= 0; --I) {
      Words[3 + I] = Shape[I];
      Words[3 + Rank + I] = Stride;
      Stride *= Shape[I];
    }
  }

private:
  void *pointer(int Index) const {
    void *Result;
    memcpy(&Result, &Words[Index], sizeof(Result));
    return Result;
  }

  int64_t *Words;
  int32_t Rank;
};

/// Memory that the model was lent.
struct MemoryRange {
  const char *Begin;
  const char *End;
};

/// A result while its owner is being decided.
struct Result {
  void *Allocated;
  bool Owned;  ///< Allocated must be freed or handed over.
  bool Shared; ///< Another result has the same Allocated.
  gnn_tensor Tensor;
};

} // namespace gnn::rt

/// Everything a run needs beyond its outputs is allocated once, except that
/// EdgeRows grows with the graph.
struct gnn_session {
  const gnn_model *Model = nullptr;
  void *Library = nullptr;
  gnn::rt::MappedWeights Weights;
  int64_t NumGraphs = 0;
  int64_t NumTensors = 0;
  gnn::rt::Array<void *> Arguments;
  gnn::rt::Array<int64_t> ArgumentWords;
  gnn::rt::Array<int64_t> ResultWords;
  gnn::rt::Array<gnn::rt::Result> Results;
  gnn::rt::Array<gnn::rt::MemoryRange> Lent;
  gnn::rt::Array<char> EdgeRows;

  gnn_session() = default;
  ~gnn_session();
};

namespace gnn::rt {

/// What the rows of a port count, in words and in this graph; NULL if neither
/// nodes nor edges.
const char *axisSize(const gnn_port &Port, const gnn_graph *const *Graphs,
                     int64_t &Size);

/// The permutation of an edge port's rows, or NULL.
const int32_t *permutationOf(const gnn_port &Port,
                             const gnn_graph *const *Graphs);

/// Makes dense tensors with their own memory from the descriptors that the
/// model has returned. The arguments must still be in place.
gnn_status takeResults(gnn_session &Session, const gnn_graph *const *Graphs,
                       gnn_tensor *Outputs, gnn_error *Error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_SESSION_H
