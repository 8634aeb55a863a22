//===- Emulator.h - Runs kernels without a GPU ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_EMULATOR_H
#define GNN_RUNTIME_DEVICE_EMULATOR_H

#include "../Array.h"
#include "Device.h"
#include "EmulatedGrid.h"
#include "GuardedMemory.h"

#include <mutex>

namespace gnn::rt {

/// Runs kernels that were compiled for the CPU, one block after the other, and
/// reports what a GPU would let pass.
class Emulator final : public Device {
public:
  explicit Emulator(const gnn_device_code &code) : Device(code) {}

  const char *getName() const override { return "emulated"; }
  void releaseBlock(void *block) override;
  gnn_memory_usage getUsage() override;

private:
  void *doAllocate(int64_t bytes) override;
  void doUpload(void *device, const void *host, int64_t bytes) override;
  void doDownload(void *host, const void *device, int64_t bytes) override;
  void doCopy(void *to, const void *from, int64_t bytes) override;
  void doLaunch(int32_t kernel, const LaunchShape &shape,
                void **parameters) override;
  void doSynchronize() override {}

  bool checkRange(const void *device, int64_t bytes, const char *what);

  EmulatedGrid grid;
  std::mutex mutex; ///< Of `memory`: callers release results in any thread.
  GuardedMemory memory;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_EMULATOR_H
