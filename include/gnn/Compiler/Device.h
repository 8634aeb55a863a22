//===- Device.h - The device that kernels are for ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_DEVICE_H
#define GNN_COMPILER_DEVICE_H

#include "gnn/Runtime/Runtime.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace gnn {

/// "cpu", "cuda" or "gpu-emu".
std::optional<gnn_target> getTargetByName(llvm::StringRef name);

/// What a library carries for a device.
enum class DeviceFormat {
  /// Text that the driver compiles.
  PTX,
  /// Machine code of one chip.
  Cubin,
  /// Both.
  FatBinary
};

struct DeviceSpec {
  gnn_target target = GNN_TARGET_CPU;
  std::string chip;
  DeviceFormat format = DeviceFormat::PTX;
  /// The folder of the CUDA toolkit; empty if there is none.
  std::string toolkit;

  /// A chip is one of LLVM's, from sm_80 on. Without a format it is what the
  /// toolkit on this machine can make; one that it cannot is an error.
  static llvm::Expected<DeviceSpec>
  get(gnn_target target, llvm::StringRef chip,
      std::optional<DeviceFormat> format = std::nullopt);

  bool isGPU() const { return target != GNN_TARGET_CPU; }
};

} // namespace gnn

#endif // GNN_COMPILER_DEVICE_H
