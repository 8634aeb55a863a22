//===- DeviceClock.h - Time and memory of a GPU -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_GPU_DEVICECLOCK_H
#define GNN_BENCH_GPU_DEVICECLOCK_H

#include "Device/CudaDriver.h"

#include <cstddef>
#include <functional>
#include <string>

namespace gnn::bench {

/// Does something once.
using Action = std::function<gnn_status(gnn_error *error)>;

/// What a benchmark needs of the place where kernels run, besides sessions: a
/// stream to give them, memory for inputs, and the time between two moments of
/// that stream. Or all of it on the host, for emulated kernels.
class DeviceClock {
public:
  DeviceClock() = default;
  DeviceClock(const DeviceClock &) = delete;
  DeviceClock &operator=(const DeviceClock &) = delete;
  ~DeviceClock();

  /// Opens a GPU. GNN_DEVICE_ERROR where there is none.
  gnn_status open(int number, gnn_error *error);
  /// Takes the host's clock and memory instead.
  void openHost() { name = "emulated"; }

  const std::string &getName() const { return name; }
  /// 90 for compute capability 9.0; 0 on the host.
  int getCapability() const { return capability; }
  bool isOnHost() const { return !context; }
  /// For gnn_session_options; NULL on the host.
  void *getStream() const { return stream; }

  /// A copy of an array, where kernels are; freed with the clock, or by `free`.
  gnn_status place(const void *data, size_t bytes, void *&copy,
                   gnn_error *error);
  void free(void *copy);

  /// Seconds that `count` actions take, one after the other.
  gnn_status time(const Action &action, int count, double &seconds,
                  gnn_error *error);

  /// Bytes that are read and written in a second when memory is copied.
  gnn_status measureCopy(double &rate, gnn_error *error);

private:
  using Event = struct EventObject *;

  gnn_status findEvents(gnn_error *error);
  gnn_status check(rt::CudaResult result, const char *what, gnn_error *error);

  rt::CudaDriver driver;
  rt::CudaResult (*eventCreate)(Event *event, unsigned flags) = nullptr;
  rt::CudaResult (*eventDestroy)(Event event) = nullptr;
  rt::CudaResult (*eventRecord)(Event event, rt::CudaStream stream) = nullptr;
  rt::CudaResult (*eventElapsedTime)(float *milliseconds, Event begin,
                                     Event end) = nullptr;
  void *library = nullptr;
  rt::CudaDevice device = 0;
  rt::CudaContext context = nullptr;
  rt::CudaStream stream = nullptr;
  Event begin = nullptr, end = nullptr;
  int capability = 0;
  std::string name;
};

} // namespace gnn::bench

#endif // GNN_BENCH_GPU_DEVICECLOCK_H
