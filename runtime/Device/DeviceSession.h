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

namespace gnn::rt {

/// What a session whose model is for a device has there.
class DeviceSession {
public:
  /// Opens the device that the session's model wants and copies weights to it.
  static gnn_status open(gnn_session &session, gnn_error *error);

  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;
  ~DeviceSession();

  Device &getDevice() { return *device; }
  gnn_memory_usage getUsage() { return device->getUsage(); }

  /// A run with inputs that were checked.
  gnn_status run(const gnn_graph *const *graphs, const gnn_tensor *tensors,
                 gnn_tensor *outputs, gnn_error *error);

private:
  DeviceSession(gnn_session &session, Device *device)
      : session(session), device(device) {}

  gnn_status prepare(gnn_error *error);
  void passInputs(const gnn_graph *const *graphs, const gnn_tensor *tensors);
  void *copyInput(const void *data, int64_t bytes);
  gnn_status compute(const gnn_graph *const *graphs, const gnn_tensor *tensors,
                     gnn_error *error);
  void releaseInputs();

  gnn_session &session;
  Device *device;
  GraphCache cache;
  void *weights = nullptr;
  void *nothing = nullptr; ///< The data of arrays without elements.
  Array<void *> inputs;    ///< Of the current run.
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_DEVICESESSION_H
