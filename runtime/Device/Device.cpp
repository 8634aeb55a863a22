//===- Device.cpp - Where code for GPUs runs --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "../Error.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

static void *allocateFrom(gnn_memory *memory, int64_t bytes) {
  return static_cast<Device *>(memory)->allocateBlock(bytes);
}

static void releaseTo(gnn_memory *memory, void *block) {
  static_cast<Device *>(memory)->releaseBlock(block);
}

static void launchOn(gnn_memory *memory, int32_t kernel,
                     const int64_t *dimensions, int64_t dynamicSharedBytes,
                     void **parameters) {
  static_cast<Device *>(memory)->launchKernel(kernel, dimensions,
                                              dynamicSharedBytes, parameters);
}

static void readFrom(gnn_memory *memory, void *host, const void *device,
                     int64_t bytes) {
  static_cast<Device *>(memory)->download(host, device, bytes);
}

Device::Device(const gnn_device_code &code) : gnn_memory(), code(code) {
  allocate = allocateFrom;
  release = releaseTo;
  launch = launchOn;
  read = readFrom;
}

void Device::drop() {
  if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void Device::fail(gnn_status status, const char *format, ...) {
  if (hasFailed())
    return;
  char message[sizeof(failure.message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  rt::fail(&failure, status, "%s", message);
}

gnn_status Device::getFailure(gnn_error *error) const {
  if (hasFailed() && error)
    *error = failure;
  return failure.status;
}

void Device::beginRun() { forgetFailure(); }

bool Device::beginCapture() {
  fail(GNN_UNSUPPORTED, "%s does not capture runs", getName());
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *Device::allocateBlock(int64_t bytes) {
  if (hasFailed())
    return nullptr;
  if (bytes < 0) {
    fail(GNN_DEVICE_ERROR, "the model asked for a block of %" PRId64 " bytes",
         bytes);
    return nullptr;
  }
  return doAllocate(bytes);
}

void Device::upload(void *device, const void *host, int64_t bytes) {
  if (!hasFailed() && bytes > 0)
    doUpload(device, host, bytes);
}

void Device::download(void *host, const void *device, int64_t bytes) {
  if (bytes <= 0)
    return;
  if (!hasFailed())
    doDownload(host, device, bytes);
  if (hasFailed())
    memset(host, 0, static_cast<size_t>(bytes));
}

void Device::copy(void *to, const void *from, int64_t bytes) {
  if (!hasFailed() && bytes > 0)
    doCopy(to, from, bytes);
}

void Device::synchronize() {
  if (!hasFailed())
    doSynchronize();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// What every GPU since compute capability 3.5 can do at most.
constexpr int64_t maxGrid[3] = {INT32_MAX, 65535, 65535};
constexpr int64_t maxBlock[3] = {1024, 1024, 64};
constexpr int64_t maxThreads = 1024;
} // namespace

bool Device::checkShape(const gnn_kernel &kernel, const int64_t *dimensions,
                        int64_t dynamicSharedBytes) {
  const int64_t *grid = dimensions, *block = dimensions + 3;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] > maxGrid[i] || grid[i] < 0) {
      fail(GNN_DEVICE_ERROR,
           "kernel '%.200s' was launched on a grid of %" PRId64 " x %" PRId64
           " x %" PRId64 " blocks, but at most %" PRId64 " x %" PRId64
           " x %" PRId64 " are possible",
           kernel.name, grid[0], grid[1], grid[2], maxGrid[0], maxGrid[1],
           maxGrid[2]);
      return false;
    }
    if (block[i] > maxBlock[i] || block[i] < 1) {
      fail(GNN_DEVICE_ERROR,
           "kernel '%.200s' was launched with blocks of %" PRId64 " x %" PRId64
           " x %" PRId64
           " threads; each must be at least 1 and at most %" PRId64
           " x %" PRId64 " x %" PRId64,
           kernel.name, block[0], block[1], block[2], maxBlock[0], maxBlock[1],
           maxBlock[2]);
      return false;
    }
  }
  if (int64_t threads = block[0] * block[1] * block[2]; threads > maxThreads) {
    fail(GNN_DEVICE_ERROR,
         "kernel '%.200s' was launched with blocks of %" PRId64
         " threads, but at most %" PRId64 " are possible",
         kernel.name, threads, maxThreads);
    return false;
  }
  if (dynamicSharedBytes < 0) {
    fail(GNN_DEVICE_ERROR,
         "kernel '%.200s' was launched with %" PRId64
         " bytes of workgroup memory",
         kernel.name, dynamicSharedBytes);
    return false;
  }
  return true;
}

void Device::launchKernel(int32_t kernel, const int64_t *dimensions,
                          int64_t dynamicSharedBytes, void **parameters) {
  if (hasFailed())
    return;
  if (kernel < 0 || kernel >= code.num_kernels) {
    fail(GNN_DEVICE_ERROR,
         "the model launched kernel %d, but it has %" PRId64 " kernels only",
         kernel, code.num_kernels);
    return;
  }
  if (!checkShape(code.kernels[kernel], dimensions, dynamicSharedBytes))
    return;
  LaunchShape shape;
  for (int i = 0; i < 3; ++i) {
    shape.grid[i] = static_cast<uint32_t>(dimensions[i]);
    shape.block[i] = static_cast<uint32_t>(dimensions[3 + i]);
  }
  shape.dynamicSharedBytes = dynamicSharedBytes;
  if (shape.grid[0] && shape.grid[1] && shape.grid[2])
    doLaunch(kernel, shape, parameters);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

gnn_status gnn::rt::openDevice(const gnn_model &model,
                               const DeviceChoice &choice, Device *&device,
                               gnn_error *error) {
  return model.target == GNN_TARGET_CUDA
             ? openCuda(model, choice, device, error)
             : openEmulator(model, device, error);
}
