//===- Device.cpp - The device that kernels are for -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>

using namespace llvm;
using namespace gnn;

/// Below it there is no maximum that keeps NaN.
static constexpr unsigned kFirstChip = 80;

std::optional<gnn_target> gnn::getTargetByName(StringRef name) {
  for (gnn_target target :
       {GNN_TARGET_CPU, GNN_TARGET_CUDA, GNN_TARGET_GPU_EMULATED})
    if (name == gnn_target_name(target))
      return target;
  return std::nullopt;
}

/// Does LLVM have code generation for the chip?
static bool isKnownChip(StringRef chip) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  // Of the empty name, so that a wrong one is not reported by LLVM.
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  return subtarget && subtarget->isCPUStringValid(chip);
}

static Error checkChip(StringRef chip) {
  unsigned number;
  StringRef rest = chip;
  if (!rest.consume_front("sm_") || rest.consumeInteger(10, number) ||
      !isKnownChip(chip))
    return createStringError("unknown --chip '" + chip +
                             "', expected the compute capability of an NVIDIA "
                             "GPU such as sm_80, sm_90 or sm_100");
  if (number < kFirstChip)
    return createStringError("--chip=" + chip +
                             " is too old, expected sm_80 or later");
  return Error::success();
}

/// Where the toolkit's programs are: named by the environment, on the path, or
/// where its installer puts them.
static std::string findToolkit() {
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *folder = getenv(variable); folder && *folder)
      return folder;
  if (const char *path = getenv("PATH")) {
    SmallVector<StringRef> folders;
    StringRef(path).split(folders, ':');
    for (StringRef folder : folders)
      if (sys::fs::exists(folder + "/ptxas"))
        return sys::path::parent_path(folder).str();
  }
  return sys::fs::exists("/usr/local/cuda/bin/ptxas") ? "/usr/local/cuda" : "";
}

Expected<DeviceSpec> DeviceSpec::get(gnn_target target, StringRef chip,
                                     std::optional<DeviceFormat> format) {
  DeviceSpec device;
  device.target = target;
  if (target != GNN_TARGET_CUDA) {
    if (format)
      return createStringError("--emit=ptx, cubin and fatbin are for GPUs; add "
                               "--target=cuda");
    device.chip = target == GNN_TARGET_CPU ? "" : "emulated";
    return device;
  }
  if (Error error = checkChip(chip))
    return error;
  device.chip = chip.str();
  device.toolkit = findToolkit();
  bool hasAssembler = sys::fs::exists(device.toolkit + "/bin/ptxas");
  bool hasPacker = sys::fs::exists(device.toolkit + "/bin/fatbinary");
  if (!format)
    format =
        hasAssembler && hasPacker ? DeviceFormat::FatBinary : DeviceFormat::PTX;
  StringRef missing = *format != DeviceFormat::PTX && !hasAssembler ? "ptxas"
                      : *format == DeviceFormat::FatBinary && !hasPacker
                          ? "fatbinary"
                          : "";
  if (!missing.empty())
    return createStringError(
        "machine code for " + chip + " needs '" + missing +
        "' of the CUDA toolkit; install it and set CUDA_HOME to its folder, or "
        "use --emit=ptx, which the driver compiles");
  device.format = *format;
  return device;
}
