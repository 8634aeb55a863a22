//===- Device.h - Where code for GPUs runs ----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_DEVICE_H
#define GNN_RUNTIME_DEVICE_DEVICE_H

#include "gnn/Runtime/Runtime.h"

#include <atomic>

namespace gnn::rt {

/// What a launch asks for, checked.
struct LaunchShape {
  uint32_t grid[3];
  uint32_t block[3];
  int64_t dynamicSharedBytes;

  int64_t numThreads() const {
    return static_cast<int64_t>(block[0]) * block[1] * block[2];
  }
};

/// The launches of a run and the memory that they use, kept to be done again.
class Capture;

/// A GPU, or what stands for one, as one session sees it: memory, and kernels
/// that run in the order of their launches.
///
/// The first failure is kept, and calls after it do nothing. A device lives as
/// long as anything refers to it: its session, or blocks that callers hold.
class Device : public gnn_memory {
public:
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// What the report of a run calls it: "NVIDIA H200", "emulated".
  virtual const char *getName() const = 0;

  /// Lets the calling thread use the device, until it leaves.
  virtual void enter() {}
  virtual void leave() {}

  /// Starts a run: forgets the failure of the last one.
  virtual void beginRun();

  /// A block of at least `bytes` bytes; NULL after a failure.
  void *allocateBlock(int64_t bytes);
  /// Takes a block back, from any thread. `block` may be NULL.
  virtual void releaseBlock(void *block) = 0;
  /// `host` may be changed when the call has returned.
  void upload(void *device, const void *host, int64_t bytes);
  /// Waits for what was launched. Clears `host` after a failure.
  void download(void *host, const void *device, int64_t bytes);
  /// Copies from one place on the device to another.
  void copy(void *to, const void *from, int64_t bytes);
  void launchKernel(int32_t kernel, const int64_t *dimensions,
                    int64_t dynamicSharedBytes, void **parameters);
  /// Waits until all that was asked for is done.
  void synchronize();

  /// What is launched, allocated, released and read until `endCapture` belongs
  /// to a capture. Fails where that cannot be.
  virtual bool beginCapture();
  /// NULL after a failure, of this or of a call in between; the capture's
  /// blocks are the device's again then.
  virtual Capture *endCapture() { return nullptr; }
  /// Does what was captured and takes the blocks that the captured run had left
  /// in use, as it does. False if whoever got them from an earlier run has not
  /// yet released them all, or if values that are read have changed.
  virtual bool replay(Capture &) { return false; }
  /// Forgets a capture. Its blocks are like any others then.
  virtual void dropCapture(Capture *) {}

  virtual gnn_memory_usage getUsage() = 0;

  /// Forgets the failure of an earlier call.
  void forgetFailure() { failure.status = GNN_OK; }
  bool hasFailed() const { return failure.status != GNN_OK; }
  /// Fails because the system has no memory for `what`.
  void failMemory(const char *what) {
    fail(GNN_OUT_OF_MEMORY, "out of memory: there is none for %s", what);
  }
  /// The first failure of this run, if any.
  gnn_status getFailure(gnn_error *error) const;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  /// Destroys the device with its last reference.
  void drop();

protected:
  explicit Device(const gnn_device_code &code);
  virtual ~Device() = default;

  /// Keeps the first failure.
  void fail(gnn_status status, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

  virtual void *doAllocate(int64_t bytes) = 0;
  virtual void doUpload(void *device, const void *host, int64_t bytes) = 0;
  virtual void doDownload(void *host, const void *device, int64_t bytes) = 0;
  virtual void doCopy(void *to, const void *from, int64_t bytes) = 0;
  virtual void doLaunch(int32_t kernel, const LaunchShape &shape,
                        void **parameters) = 0;
  virtual void doSynchronize() = 0;

  const gnn_device_code &code;

private:
  bool checkShape(const gnn_kernel &kernel, const int64_t *dimensions,
                  int64_t dynamicSharedBytes);

  gnn_error failure = {};
  std::atomic<int64_t> references{1};
};

/// Uses a device in the calling thread.
class DeviceScope {
public:
  explicit DeviceScope(Device &device) : device(device) { device.enter(); }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
  ~DeviceScope() { device.leave(); }

private:
  Device &device;
};

/// Which device a session wants.
struct DeviceChoice {
  int32_t number = -1;    ///< Of the GPUs; -1: GNN_DEVICE says, else 0.
  void *stream = nullptr; ///< To work in; NULL: one of its own.
};

/// Opens the device that `model`, which has one, was compiled for.
gnn_status openDevice(const gnn_model &model, const DeviceChoice &choice,
                      Device *&device, gnn_error *error);

/// The two kinds of it.
gnn_status openEmulator(const gnn_model &model, Device *&device,
                        gnn_error *error);
gnn_status openCuda(const gnn_model &model, const DeviceChoice &choice,
                    Device *&device, gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_DEVICE_H
