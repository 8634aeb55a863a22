//===- Emulator.cpp - Runs kernels without a GPU ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is done when a call returns, so order needs no care. Memory of the
// device is never the caller's: a kernel that writes where it must not cannot
// reach that.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include "../Error.h"

#include <cinttypes>
#include <cstring>
#include <new>

using namespace gnn::rt;

/// What a block of a GPU of compute capability 9.0 can have.
static constexpr int64_t maxSharedBytes = 227 << 10;

gnn_status gnn::rt::openEmulator(const gnn_model &model, Device *&device,
                                 gnn_error *error) {
  device = new (std::nothrow) Emulator(*model.device);
  return device ? GNN_OK
                : failMemory(error, "an emulated device", sizeof(Emulator));
}

void *Emulator::doAllocate(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  void *block = memory.allocate(bytes);
  if (!block)
    fail(GNN_OUT_OF_MEMORY,
         "out of memory: the emulated device has no block of %" PRId64 " bytes",
         bytes);
  return block;
}

void Emulator::releaseBlock(void *block) {
  if (!block)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (!memory.release(block))
    fail(GNN_DEVICE_ERROR, "the model released what is no block of the device, "
                           "or was released before");
}

gnn_memory_usage Emulator::getUsage() {
  std::lock_guard<std::mutex> lock(mutex);
  return memory.getUsage();
}

bool Emulator::checkRange(const void *device, int64_t bytes, const char *what) {
  std::lock_guard<std::mutex> lock(mutex);
  if (memory.contains(device, bytes))
    return true;
  fail(GNN_DEVICE_ERROR,
       "%" PRId64
       " bytes were to be copied %s where the device has no block of "
       "so many",
       bytes, what);
  return false;
}

void Emulator::doUpload(void *device, const void *host, int64_t bytes) {
  if (checkRange(device, bytes, "to"))
    memcpy(device, host, static_cast<size_t>(bytes));
}

void Emulator::doDownload(void *host, const void *device, int64_t bytes) {
  if (checkRange(device, bytes, "from"))
    memcpy(host, device, static_cast<size_t>(bytes));
}

void Emulator::doCopy(void *to, const void *from, int64_t bytes) {
  if (checkRange(from, bytes, "from") && checkRange(to, bytes, "to"))
    memmove(to, from, static_cast<size_t>(bytes));
}

void Emulator::doLaunch(int32_t number, const LaunchShape &shape,
                        void **parameters) {
  const gnn_kernel &kernel = code.kernels[number];
  if (int64_t bytes = kernel.shared_bytes + shape.dynamicSharedBytes;
      bytes > maxSharedBytes) {
    fail(GNN_DEVICE_ERROR,
         "kernel '%.200s' wants %" PRId64
         " bytes of workgroup memory, but a block has at most %" PRId64,
         kernel.name, bytes, maxSharedBytes);
    return;
  }
  gnn_error error = {};
  if (gnn_status status = grid.run(kernel, shape, parameters, &error)) {
    fail(status, "%s", error.message);
    return;
  }
  GuardedMemory::Damage damage;
  std::lock_guard<std::mutex> lock(mutex);
  if (!memory.findDamage(damage))
    return;
  bool isBefore = damage.offset < 0;
  fail(GNN_DEVICE_ERROR,
       "kernel '%.200s' has written outside of a block of %" PRId64
       " bytes: %" PRId64 " bytes %s",
       kernel.name, damage.blockBytes,
       isBefore ? -damage.offset : damage.offset - damage.blockBytes,
       isBefore ? "before it" : "behind its end");
}
