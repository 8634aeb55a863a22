//===- DeviceSession.cpp - Runs of a model on a device ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSession.h"

#include "../Error.h"
#include "../Flattener.h"
#include "../Preparations.h"
#include "../Session.h"

#include <new>

using namespace gnn::rt;

gnn_status DeviceSession::open(gnn_session &session,
                               const gnn_session_options &options,
                               gnn_error *error) {
  Device *device = nullptr;
  if (gnn_status status = openDevice(
          *session.model, {options.device, options.stream}, device, error))
    return status;
  session.device = new (std::nothrow) DeviceSession(session, options, device);
  if (!session.device) {
    device->drop();
    return failMemory(error, "a session", sizeof(DeviceSession));
  }
  DeviceScope scope(*device);
  return session.device->prepare(error);
}

void DeviceSession::release() {
  DeviceScope scope(*device);
  replays.clear(*device);
  if (session.preparations)
    session.preparations->clear(*device);
  for (const Input &input : inputs)
    device->releaseBlock(input.block);
  cache.clear(*device);
  device->releaseBlock(weights);
  device->releaseBlock(nothing);
}

DeviceSession::~DeviceSession() {
  release();
  device->drop();
}

gnn_status DeviceSession::prepare(gnn_error *error) {
  const gnn_model &model = *session.model;
  if (!inputs.reserve(session.numTensors))
    return failMemory(error, "a session", session.numTensors * 8);
  nothing = device->allocateBlock(MemoryPool::alignment);
  if (model.weight_bytes) {
    const void *data = model.weights ? model.weights : session.weights.data();
    weights = device->allocateBlock(model.weight_bytes);
    device->upload(weights, data, model.weight_bytes);
  }
  device->synchronize();
  return device->getFailure(error);
}

/// Kernels copy 16 bytes at once, from multiples of 16 bytes.
static constexpr uintptr_t inputAlignment = 16;

/// A block for the next input that is copied.
void *DeviceSession::takeInput(int64_t bytes) {
  if (numInputs == inputs.size())
    (void)inputs.push({nullptr, 0}); // There is room for all.
  Input &input = inputs[numInputs++];
  if (input.bytes < bytes) {
    device->releaseBlock(input.block);
    input.block = device->allocateBlock(bytes);
    input.bytes = input.block ? bytes : 0;
  }
  return input.block;
}

void *DeviceSession::copyInput(const void *data, int64_t bytes) {
  if (!bytes)
    return nullptr;
  void *block = takeInput(bytes);
  device->upload(block, data, bytes);
  return block;
}

/// Where an input is on the device.
const void *DeviceSession::passInput(const gnn_port &port,
                                     const gnn_tensor &tensor,
                                     const gnn_graph *const *graphs,
                                     char *&room) {
  int64_t bytes = bytesOf(tensor);
  if (tensor.place == GNN_HOST)
    return copyInput(sortEdgeRows(port, tensor, graphs, room), bytes);
  if (!permutationOf(port, graphs) || !bytes) {
    if (!bytes ||
        reinterpret_cast<uintptr_t>(tensor.data) % inputAlignment == 0)
      return tensor.data;
    void *block = takeInput(bytes);
    device->copy(block, tensor.data, bytes);
    return block;
  }
  // Rows are sorted on the host.
  gnn_tensor onHost = tensor;
  onHost.data = session.pool->allocateBlock(static_cast<size_t>(bytes));
  if (!onHost.data) {
    device->failMemory("a copy of an edge tensor");
    return nullptr;
  }
  device->download(onHost.data, tensor.data, bytes);
  const void *sorted = sortEdgeRows(port, onHost, graphs, room);
  MemoryPool::releaseBlock(onHost.data);
  return copyInput(sorted, bytes);
}

/// Copies inputs to the device and makes arguments of them.
void DeviceSession::passInputs(const gnn_graph *const *graphs,
                               const gnn_tensor *tensors) {
  Flattener flat(session, nothing);
  char *room = session.edgeRows.data();
  addInputs(
      flat, *session.model, graphs, tensors, static_cast<char *>(weights),
      [&](const gnn_graph &graph) { return cache.get(graph, *device); },
      [&](const gnn_port &port, const gnn_tensor &tensor) {
        return passInput(port, tensor, graphs, room);
      });
  if (session.preparations && !device->hasFailed() &&
      session.preparations->pass(flat, graphs, *device))
    device->failMemory("the list of values that are kept for graphs");
}

void DeviceSession::endInputs() {
  numInputs = 0;
  if (options.replay)
    return;
  for (const Input &input : inputs)
    device->releaseBlock(input.block);
  inputs.setSize(0);
}

/// All up to the results, which are on the device then.
gnn_status DeviceSession::compute(const gnn_graph *const *graphs,
                                  const gnn_tensor *tensors, gnn_error *error) {
  device->beginRun();
  passInputs(graphs, tensors);
  session.clearResults();
  if (!device->hasFailed() && !(options.replay && replays.run(*device)))
    session.model->invoke(session.arguments.data(), device);
  // What a kernel did wrong shows at the latest when it has ended. A caller
  // with a stream waits when it wants to.
  if (!options.stream || !options.device_outputs)
    device->synchronize();
  if (!device->hasFailed())
    return GNN_OK;
  dropResults(session);
  if (session.preparations)
    session.preparations->forgetNew(*device);
  endInputs();
  return device->getFailure(error);
}

bool DeviceSession::trim() {
  bool hasTrimmed = cache.trim(*device);
  return (session.preparations && session.preparations->trim(*device)) ||
         hasTrimmed;
}

gnn_status DeviceSession::run(const gnn_graph *const *graphs,
                              const gnn_tensor *tensors, gnn_tensor *outputs,
                              gnn_error *error) {
  DeviceScope scope(*device);
  cache.beginRun(*device);
  if (session.preparations)
    session.preparations->beginRun(*device);
  gnn_status status = compute(graphs, tensors, error);
  // Graphs of earlier runs are worth less than this one, as are captures.
  if (status == GNN_OUT_OF_MEMORY && trim())
    status = compute(graphs, tensors, error);
  if (status == GNN_OUT_OF_MEMORY && replays.yield(*device))
    status = compute(graphs, tensors, error);
  if (status)
    return status;
  status = takeResults(session, graphs, outputs, error);
  if (session.preparations)
    session.preparations->endRun(*device);
  endInputs();
  return status;
}

gnn_status DeviceSession::read(const gnn_tensor &tensor, void *host,
                               gnn_error *error) {
  DeviceScope scope(*device);
  device->forgetFailure();
  device->download(host, tensor.data, bytesOf(tensor));
  return device->getFailure(error);
}
