//===- Results.cpp - Taking over what models return -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code returns memref descriptors, whose memory may be its own (from
// the session's pool), an input or a weight, a constant of the library,
// or that of another result; and they may be views with offset and strides.
// Callers get dense tensors with their own memory. A result is adopted without
// a copy, its `allocated` to be freed by the caller's gnn_tensor_release, if
//   - no input, weight, constant or other result has that memory,
//   - it is row-major and dense, with offset 0, and
//   - its rows need no permutation.
// Otherwise it is copied, and what the code has allocated is freed once.
// Results on a device are copied to the host, unless they are to stay there.
//
//===----------------------------------------------------------------------===//

#include "Device/DeviceSession.h"
#include "Error.h"
#include "Session.h"

#include <cinttypes>
#include <new>

using namespace gnn;
using namespace gnn::rt;

/// MLIR's lowering of memref.get_global gives constants this `allocated`.
static constexpr uintptr_t constantMarker = 0xdeadbeef;

bool rt::isConstant(const void *allocated) {
  return reinterpret_cast<uintptr_t>(allocated) == constantMarker;
}

bool rt::isLent(const gnn_session &session, const void *allocated) {
  const char *address = static_cast<const char *>(allocated);
  for (const MemoryRange &range : session.lent)
    if (address == range.begin ||
        (address > range.begin && address < range.end))
      return true;
  return false;
}

/// Decides which results own their memory. Of several that share it, the first
/// does.
static void findOwners(gnn_session &session) {
  int64_t *words = session.resultWords.data();
  for (uint32_t i = 0; i < session.model->num_outputs; ++i) {
    int32_t rank = session.model->outputs[i].rank;
    Result &current = session.results[i];
    current = Result();
    current.allocated = Descriptor(words, rank).allocated();
    current.owned = current.allocated && !isConstant(current.allocated) &&
                    !isLent(session, current.allocated);
    for (uint32_t j = 0; j < i && current.owned; ++j) {
      Result &other = session.results[j];
      if (other.allocated != current.allocated)
        continue;
      other.shared = true;
      current.shared = true;
      current.owned = false;
    }
    words += descriptorWords(rank);
  }
}

/// Whether dimensions `first` and up are row-major without gaps.
static bool isDense(const Descriptor &source, int32_t first) {
  int64_t expected = 1;
  for (int32_t i = source.rank() - 1; i >= first; --i) {
    if (source.sizes()[i] != 1 && source.strides()[i] != expected)
      return false;
    expected *= source.sizes()[i];
  }
  return true;
}

/// Copies a view that has elements, the first of which is at `first`; row i
/// becomes row permutation[i].
static void copyView(const Descriptor &source, const char *first,
                     int64_t elementBytes, const int32_t *permutation,
                     char *destination) {
  // Dimensions before outer are walked through; the others are a dense block.
  int32_t rank = source.rank();
  int32_t outer = permutation ? 1 : 0;
  while (outer < rank && !isDense(source, outer))
    ++outer;
  int64_t blockBytes = elementBytes;
  for (int32_t i = outer; i < rank; ++i)
    blockBytes *= source.sizes()[i];
  int64_t rowBytes = blockBytes;
  for (int32_t i = 1; i < outer; ++i)
    rowBytes *= source.sizes()[i];

  int64_t index[GNN_MAX_RANK] = {};
  for (int64_t inRow = 0;; inRow = (inRow + blockBytes) % rowBytes) {
    int64_t element = 0;
    for (int32_t i = 0; i < outer; ++i)
      element += index[i] * source.strides()[i];
    int64_t row = outer == 0    ? 0
                  : permutation ? permutation[index[0]]
                                : index[0];
    memcpy(destination + row * rowBytes + inRow, first + element * elementBytes,
           static_cast<size_t>(blockBytes));
    int32_t i = outer - 1;
    while (i >= 0 && ++index[i] == source.sizes()[i])
      index[i--] = 0;
    if (i < 0)
      return;
  }
}

/// Wants the shape that the port promises.
static gnn_status checkResult(const gnn_model &model, const gnn_port &port,
                              const Descriptor &source,
                              const gnn_graph *const *graphs, int64_t &elements,
                              gnn_error *error) {
  int64_t expected[GNN_MAX_RANK], rows;
  for (int32_t i = 0; i < port.rank; ++i)
    expected[i] = port.shape[i];
  if (axisSize(port, graphs, rows))
    expected[0] = rows;
  int64_t bytes;
  bool fits = shapeSize(static_cast<gnn_dtype>(port.dtype), port.rank,
                        source.sizes(), elements, bytes);
  for (int32_t i = 0; i < port.rank; ++i)
    fits &= expected[i] < 0 || source.sizes()[i] == expected[i];
  if (!fits)
    return fail(error, GNN_MISMATCH,
                "model '%s' has returned output '%s' of shape %s where %s was "
                "expected (-1: any size); the library and its description "
                "disagree",
                model.name, port.name,
                printShape(port.rank, source.sizes()).text,
                printShape(port.rank, expected).text);
  if (elements && !source.aligned())
    return fail(error, GNN_MISMATCH,
                "model '%s' has returned no memory for output '%s'", model.name,
                port.name);
  return GNN_OK;
}

/// Copies a view that has elements from a device.
static gnn_status copyFromDevice(gnn_session &session, const Descriptor &source,
                                 int64_t elementBytes,
                                 const int32_t *permutation, int64_t bytes,
                                 char *destination, gnn_error *error) {
  Device &device = session.device->getDevice();
  // The elements that it touches, relative to the first.
  int64_t low = 0, high = 0;
  for (int32_t i = 0; i < source.rank(); ++i) {
    int64_t reach = (source.sizes()[i] - 1) * source.strides()[i];
    (reach < 0 ? low : high) += reach;
  }
  const char *lowest =
      source.aligned() + (source.offset() + low) * elementBytes;
  if (!permutation && isDense(source, 0)) {
    device.download(destination, lowest, bytes);
    return device.getFailure(error);
  }
  int64_t stagedBytes = (high - low + 1) * elementBytes;
  void *staged = session.pool->allocateBlock(static_cast<size_t>(stagedBytes));
  if (!staged)
    return failMemory(error, "a copy of an output", stagedBytes);
  device.download(staged, lowest, stagedBytes);
  copyView(source, static_cast<char *>(staged) - low * elementBytes,
           elementBytes, permutation, destination);
  MemoryPool::releaseBlock(staged);
  return device.getFailure(error);
}

namespace {
/// What a tensor on a device owns.
struct DeviceBlock {
  Device *device;
  void *block;
};
} // namespace

static void releaseDeviceBlock(void *owner) {
  auto *own = static_cast<DeviceBlock *>(owner);
  own->device->releaseBlock(own->block);
  own->device->drop();
  delete own;
}

/// Copies a result to another block of the device.
static gnn_status copyOnDevice(gnn_session &session, const Descriptor &source,
                               int64_t elementBytes, const int32_t *permutation,
                               int64_t bytes, void *block, gnn_error *error) {
  Device &device = session.device->getDevice();
  if (!permutation && isDense(source, 0)) {
    device.copy(block, source.aligned() + source.offset() * elementBytes,
                bytes);
    return device.getFailure(error);
  }
  void *dense = session.pool->allocateBlock(static_cast<size_t>(bytes));
  if (!dense)
    return failMemory(error, "a copy of an output", bytes);
  gnn_status status = copyFromDevice(session, source, elementBytes, permutation,
                                     bytes, static_cast<char *>(dense), error);
  if (!status) {
    device.upload(block, dense, bytes);
    status = device.getFailure(error);
  }
  MemoryPool::releaseBlock(dense);
  return status;
}

/// Makes a tensor on the device of one result.
static gnn_status keepResult(gnn_session &session, const gnn_port &port,
                             const Descriptor &source, int64_t elements,
                             const int32_t *permutation, Result &result,
                             gnn_error *error) {
  Device &device = session.device->getDevice();
  auto dtype = static_cast<gnn_dtype>(port.dtype);
  auto elementBytes = static_cast<int64_t>(gnn_dtype_size(dtype));
  bool isAdopted = elements && result.owned && !result.shared && !permutation &&
                   isDense(source, 0);
  auto *owner = new (std::nothrow) DeviceBlock{&device, result.allocated};
  if (!owner)
    return failMemory(error, "a tensor", sizeof(DeviceBlock));
  if (!isAdopted)
    owner->block = device.allocateBlock(elements * elementBytes);
  device.retain();
  void *data = isAdopted ? source.aligned() + source.offset() * elementBytes
                         : owner->block;
  result.tensor =
      gnn_tensor_borrow_device(data, dtype, port.rank, source.sizes());
  result.tensor.release = releaseDeviceBlock;
  result.tensor.owner = owner;
  if (isAdopted) {
    result.owned = false;
    return GNN_OK;
  }
  if (!elements || device.hasFailed())
    return device.getFailure(error);
  return copyOnDevice(session, source, elementBytes, permutation,
                      elements * elementBytes, data, error);
}

/// Makes the tensor of one result.
static gnn_status takeResult(gnn_session &session, const gnn_port &port,
                             const Descriptor &source,
                             const gnn_graph *const *graphs, Result &result,
                             gnn_error *error) {
  int64_t elements;
  if (gnn_status status =
          checkResult(*session.model, port, source, graphs, elements, error))
    return status;
  auto dtype = static_cast<gnn_dtype>(port.dtype);
  const int32_t *permutation = permutationOf(port, graphs);
  if (session.device && session.device->keepsOutputs())
    return keepResult(session, port, source, elements, permutation, result,
                      error);
  if (!session.device && elements && result.owned && !result.shared &&
      !permutation && source.offset() == 0 && isDense(source, 0)) {
    result.tensor =
        gnn_tensor_borrow(source.aligned(), dtype, port.rank, source.sizes());
    result.tensor.release = MemoryPool::releaseBlock;
    result.tensor.owner = result.allocated;
    result.owned = false;
    return GNN_OK;
  }
  auto elementBytes = static_cast<int64_t>(gnn_dtype_size(dtype));
  int64_t bytes = elements * elementBytes;
  void *copy = session.pool->allocateBlock(static_cast<size_t>(bytes));
  if (!copy)
    return failMemory(error, "a tensor", bytes);
  result.tensor = gnn_tensor_borrow(copy, dtype, port.rank, source.sizes());
  result.tensor.release = MemoryPool::releaseBlock;
  result.tensor.owner = copy;
  if (!elements)
    return GNN_OK;
  if (session.device)
    return copyFromDevice(session, source, elementBytes, permutation, bytes,
                          static_cast<char *>(copy), error);
  copyView(source, source.aligned() + source.offset() * elementBytes,
           elementBytes, permutation, static_cast<char *>(copy));
  return GNN_OK;
}

static void releaseOwned(gnn_session &session, const Result &result) {
  if (!result.owned)
    return;
  if (session.device)
    session.device->getDevice().releaseBlock(result.allocated);
  else
    MemoryPool::releaseBlock(result.allocated);
}

void rt::dropResults(gnn_session &session) {
  findOwners(session);
  for (const Result &result : session.results)
    releaseOwned(session, result);
}

gnn_status rt::takeResults(gnn_session &session, const gnn_graph *const *graphs,
                           gnn_tensor *outputs, gnn_error *error) {
  findOwners(session);
  const gnn_model &model = *session.model;
  int64_t *words = session.resultWords.data();
  gnn_status status = GNN_OK;
  for (uint32_t i = 0; i < model.num_outputs && !status; ++i) {
    const gnn_port &port = model.outputs[i];
    status = takeResult(session, port, Descriptor(words, port.rank), graphs,
                        session.results[i], error);
    words += descriptorWords(port.rank);
  }
  for (uint32_t i = 0; i < model.num_outputs; ++i) {
    Result &result = session.results[i];
    releaseOwned(session, result);
    if (status)
      gnn_tensor_release(&result.tensor);
    else
      outputs[i] = result.tensor;
  }
  return status;
}
