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
#include "MemoryPool.h"
#include "Model.h"
#include "Tensor.h"
#include "ThreadChoice.h"

#include <cstring>

namespace gnn::rt {

/// Words of a descriptor: two pointers, offset, sizes and strides.
constexpr int64_t descriptorWords(int32_t rank) { return 3 + 2 * rank; }

static_assert(sizeof(void *) == sizeof(int64_t),
              "descriptors have pointers and indices of 64 bits");

/// MLIR's strided memref descriptor in memory of 64-bit words:
///   { void *allocated; void *aligned; int64_t offset;
///     int64_t sizes[rank]; int64_t strides[rank]; }
class Descriptor {
public:
  Descriptor(int64_t *words, int32_t rank)
      : words(words), numDimensions(rank) {}

  void *allocated() const { return pointer(0); }
  char *aligned() const { return static_cast<char *>(pointer(1)); }
  int64_t offset() const { return words[2]; }
  const int64_t *sizes() const { return words + 3; }
  const int64_t *strides() const { return words + 3 + numDimensions; }
  int32_t rank() const { return numDimensions; }

  /// Describes a dense row-major array.
  void set(void *data, const int64_t *shape) {
    memcpy(&words[0], static_cast<const void *>(&data), sizeof(data));
    memcpy(&words[1], static_cast<const void *>(&data), sizeof(data));
    words[2] = 0;
    int64_t stride = 1;
    for (int32_t i = numDimensions - 1; i >= 0; --i) {
      words[3 + i] = shape[i];
      words[3 + numDimensions + i] = stride;
      stride *= shape[i];
    }
  }

private:
  void *pointer(int index) const {
    void *result;
    memcpy(static_cast<void *>(&result), &words[index], sizeof(result));
    return result;
  }

  int64_t *words;
  int32_t numDimensions;
};

/// Memory that the model was lent.
struct MemoryRange {
  const char *begin;
  const char *end;
};

/// A result while its owner is being decided.
struct Result {
  void *allocated;
  bool owned;  ///< Allocated must be freed or handed over.
  bool shared; ///< Another result has the same Allocated.
  gnn_tensor tensor;
};

class DeviceSession;
class Preparations;

} // namespace gnn::rt

/// Everything a run needs is allocated once: EdgeRows grows with the graph, and
/// the pool with what runs need at a time.
struct gnn_session {
  const gnn_model *model = nullptr;
  void *library = nullptr;
  gnn::rt::MappedWeights weights;
  int64_t numTensors = 0;
  gnn::rt::Array<void *> arguments;
  gnn::rt::Array<int64_t> argumentWords;
  gnn::rt::Array<int64_t> resultWords;
  gnn::rt::Array<gnn::rt::Result> results;
  gnn::rt::Array<gnn::rt::MemoryRange> lent;
  gnn::rt::Array<char> edgeRows;
  gnn::rt::MemoryPool *pool = nullptr;
  gnn::rt::DeviceSession *device = nullptr;      ///< NULL for the CPU.
  gnn::rt::Preparations *preparations = nullptr; ///< NULL if there are none.
  bool allThreads = false;  ///< In each run, without a choice.
  int32_t threadsOfRun = 0; ///< Of the last one.
  gnn::rt::ThreadChoice threads;

  gnn_session() = default;
  ~gnn_session();

  /// Makes the descriptors of results describe nothing.
  void clearResults();
};

namespace gnn::rt {

/// Checks what a caller of gnn_session_run passes against the model's ports.
/// `device` is that of the session, or NULL.
gnn_status checkInputs(const gnn_model &model, DeviceSession *device,
                       const gnn_graph *const *graphs, size_t numGraphs,
                       const gnn_tensor *tensors, size_t numTensors,
                       const gnn_tensor *outputs, size_t numOutputs,
                       gnn_error *error);

/// What the rows of a port count, in words and in this graph; NULL if neither
/// nodes nor edges.
const char *axisSize(const gnn_port &port, const gnn_graph *const *graphs,
                     int64_t &size);

/// The permutation of an edge port's rows, or NULL.
const int32_t *permutationOf(const gnn_port &port,
                             const gnn_graph *const *graphs);

/// The data of a tensor for compiled code: if its rows are to be in the graph's
/// order, a copy at `room`, which is then advanced.
const void *sortEdgeRows(const gnn_port &port, const gnn_tensor &tensor,
                         const gnn_graph *const *graphs, char *&room);

/// Whether `allocated` is what constants of the model's code have for it.
bool isConstant(const void *allocated);

/// Whether `allocated` is memory of an argument.
bool isLent(const gnn_session &session, const void *allocated);

inline int64_t bytesOf(const gnn_tensor &tensor) {
  return gnn_tensor_size(&tensor) *
         static_cast<int64_t>(gnn_dtype_size(tensor.dtype));
}

/// Gives back the memory of results that are not wanted.
void dropResults(gnn_session &session);

/// Makes dense tensors with their own memory from the descriptors that the
/// model has returned. The arguments must still be in place.
gnn_status takeResults(gnn_session &session, const gnn_graph *const *graphs,
                       gnn_tensor *outputs, gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_SESSION_H
