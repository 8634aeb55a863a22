//===- EmulatedKernel.h - Kernels on the emulator ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_EMULATEDKERNEL_H
#define GNN_UNITTESTS_RUNTIME_EMULATEDKERNEL_H

#include "Device/Device.h"
#include "DeviceModel.h"
#include "TestUtil.h"

namespace gnn::test {

/// The number of a thread in its block.
inline int numberOf(const gnn_emulated_thread *thread) {
  return static_cast<int>(
      thread->thread[0] +
      thread->block_size[0] *
          (thread->thread[1] + thread->block_size[1] * thread->thread[2]));
}

/// A float of workgroup memory, after saying so.
inline float &sharedFloat(gnn_emulated_thread *thread, int index, bool writes,
                          const char *what = nullptr) {
  float *address = reinterpret_cast<float *>(thread->shared) + index;
  thread->access(thread, address, sizeof(float), writes, what);
  return *address;
}

/// A device with one kernel.
struct EmulatedKernel {
  gnn_kernel kernel = {};
  gnn_device_code code = {};
  gnn_model model = {};
  rt::Device *device = nullptr;

  explicit EmulatedKernel(void (*emulate)(gnn_emulated_thread *, void **),
                          int64_t sharedBytes = 0) {
    kernel.name = "kernel";
    kernel.shared_bytes = sharedBytes;
    kernel.emulate = emulate;
    code.chip = "emulated";
    code.num_kernels = 1;
    code.kernels = &kernel;
    model.target = GNN_TARGET_GPU_EMULATED;
    model.device = &code;
    EXPECT_EQ(rt::openDevice(model, {}, device, nullptr), GNN_OK);
  }
  EmulatedKernel(const EmulatedKernel &) = delete;
  EmulatedKernel &operator=(const EmulatedKernel &) = delete;
  ~EmulatedKernel() { device->drop(); }

  void launch(std::initializer_list<int64_t> dimensions,
              std::vector<void *> parameters = {}, int64_t dynamicBytes = 0,
              int32_t number = 0) const {
    ASSERT_EQ(dimensions.size(), 6U);
    device->launchKernel(number, dimensions.begin(), dynamicBytes,
                         parameters.data());
  }

  std::string message() const {
    gnn_error error = {};
    device->getFailure(&error);
    return error.message;
  }

  /// The message of one launch; empty if all was right.
  std::string run(std::initializer_list<int64_t> dimensions,
                  std::vector<void *> parameters = {},
                  int64_t dynamicBytes = 0) const {
    device->beginRun();
    launch(dimensions, std::move(parameters), dynamicBytes);
    return message();
  }
};

/// An array on the device.
template <typename T>
struct DeviceArray {
  rt::Device *device;
  T *data;
  size_t count;

  DeviceArray(rt::Device *owner, const std::vector<T> &values)
      : device(owner), data(static_cast<T *>(device->allocateBlock(
                           static_cast<int64_t>(values.size() * sizeof(T))))),
        count(values.size()) {
    device->upload(data, values.data(),
                   static_cast<int64_t>(count * sizeof(T)));
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { device->releaseBlock(data); }

  /// What a launch takes for it.
  void *argument() { return static_cast<void *>(&data); }

  std::vector<T> read() const {
    std::vector<T> values(count);
    device->download(values.data(), data,
                     static_cast<int64_t>(count * sizeof(T)));
    return values;
  }
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_RUNTIME_EMULATEDKERNEL_H
