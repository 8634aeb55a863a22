//===- DeviceSession.h - Runs of a model on a device ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_DEVICESESSION_H
#define GNN_RUNTIME_DEVICE_DEVICESESSION_H

#include "Device.h"
#include "GraphCache.h"
#include "Replays.h"

namespace gnn::rt {

/// What a session whose model is for a device has there.
class DeviceSession {
public:
  /// Opens the device that the session's model wants and copies weights to it.
  static gnn_status open(gnn_session &session,
                         const gnn_session_options &options, gnn_error *error);

  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;
  ~DeviceSession();

  Device &getDevice() const { return *device; }
  /// Whether outputs are to stay on the device.
  bool keepsOutputs() const { return options.device_outputs; }
  gnn_memory_usage getUsage() { return device->getUsage(); }
  gnn_replay_usage getReplayUsage() const { return replays.getUsage(); }

  /// A run with inputs that were checked.
  gnn_status run(const gnn_graph *const *graphs, const gnn_tensor *tensors,
                 gnn_tensor *outputs, gnn_error *error);

  /// Copies a tensor on the device to the host.
  gnn_status read(const gnn_tensor &tensor, void *host, gnn_error *error);

private:
  DeviceSession(gnn_session &session, const gnn_session_options &options,
                Device *device)
      : session(session), options(options), device(device), replays(session) {}

  gnn_status prepare(gnn_error *error);
  void release();
  void passInputs(const gnn_graph *const *graphs, const gnn_tensor *tensors);
  const void *passInput(const gnn_port &port, const gnn_tensor &tensor,
                        const gnn_graph *const *graphs, char *&room);
  void *takeInput(int64_t bytes);
  void *copyInput(const void *data, int64_t bytes);
  gnn_status compute(const gnn_graph *const *graphs, const gnn_tensor *tensors,
                     gnn_error *error);
  /// Forgets what is kept of graphs that this run does not use.
  bool trim();
  void endInputs();

  /// A copy of an input.
  struct Input {
    void *block;
    int64_t bytes;
  };

  gnn_session &session;
  const gnn_session_options options;
  Device *device;
  GraphCache cache;
  void *weights = nullptr;
  void *nothing = nullptr; ///< The data of arrays without elements.
  /// Of the current run, the first numInputs, and more if they are kept: where
  /// runs are replayed, an input's copy must be at the same place every time.
  Array<Input> inputs;
  int64_t numInputs = 0;
  Replays replays;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_DEVICESESSION_H
