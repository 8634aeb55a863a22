//===- Options.cpp - The command line of gnn-compile ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace gnn;
namespace cl = llvm::cl;

Options::Options() {
  GNNToLLVMOptions pipeline;
  for (GNNToLLVMOptions::Switch *pass : pipeline.getSwitches())
    switches.push_back(std::make_unique<cl::opt<bool>>(
        pass->ArgStr, cl::desc(pass->HelpStr), cl::cat(category)));
}

/// The kind that an output's ending asks for.
static OutputKind getKindByEnding(StringRef path) {
  return llvm::StringSwitch<OutputKind>(llvm::sys::path::extension(path))
      .Case(".mlir", OutputKind::GNN)
      .Case(".ll", OutputKind::LLVMIR)
      .Case(".s", OutputKind::Assembly)
      .Case(".ptx", OutputKind::PTX)
      .Case(".cubin", OutputKind::Cubin)
      .Case(".fatbin", OutputKind::FatBinary)
      .Case(".o", OutputKind::Object)
      .Case(".a", OutputKind::StaticLibrary)
      .Default(OutputKind::SharedLibrary);
}

OutputKind Options::getKind() const {
  return emit.getNumOccurrences() ? OutputKind(emit) : getKindByEnding(output);
}

/// What is asked for, if it is what a device loads.
std::optional<DeviceFormat> gnn::getDeviceFormat(OutputKind kind) {
  switch (kind) {
  case OutputKind::PTX:
    return DeviceFormat::PTX;
  case OutputKind::Cubin:
    return DeviceFormat::Cubin;
  case OutputKind::FatBinary:
    return DeviceFormat::FatBinary;
  default:
    return std::nullopt;
  }
}

static llvm::Error setPrecision(StringRef name, CompilerOptions &compiler) {
  std::optional<Precision> precision = parsePrecision(name);
  bool isGPU = compiler.device.isGPU();
  if (!precision)
    return llvm::createStringError(
        "unknown --precision '" + name + "', expected " +
        (isGPU ? "f32, tf32, bf16 or f16" : "f32 or bf16"));
  if (!isGPU &&
      (*precision == Precision::Float16 || *precision == Precision::TF32))
    return llvm::createStringError("--precision=" + name +
                                   " is for GPUs (--target=cuda or gpu-emu); "
                                   "CPUs have f32 and bf16");
  compiler.precision = *precision;
  return llvm::Error::success();
}

static llvm::Error setEffort(const Options &options,
                             CompilerOptions &compiler) {
  compiler.effort.passes = options.llvmPasses;
  if (!options.llvmPasses.empty())
    if (llvm::Error error = compiler.effort.verify())
      return llvm::createStringError("--llvm-passes: " +
                                     llvm::toString(std::move(error)));
  StringRef level = options.effort;
  if (options.effort.getNumOccurrences() == 0) {
    // Emulated kernels are for tests, which compile more than they run.
    if (compiler.device.target == GNN_TARGET_GPU_EMULATED)
      compiler.effort.level = llvm::CodeGenOptLevel::None;
    return llvm::Error::success();
  }
  std::optional<llvm::CodeGenOptLevel> effort;
  if (level.size() == 1)
    effort = llvm::CodeGenOpt::parseLevel(level.front());
  if (!effort)
    return llvm::createStringError("unknown level -O" + level +
                                   ", expected -O0, -O1, -O2 or -O3");
  compiler.effort.level = *effort;
  return llvm::Error::success();
}

/// The processors that --target-cpu names.
static llvm::Error setTargets(const Options &options, StringRef triple,
                              OutputKind kind, CompilerOptions &compiler) {
  SmallVector<StringRef> portable = {"x86-64-v4", "x86-64-v3", "x86-64"};
  // With AMX, and with instructions for vectors of bfloat16.
  if (compiler.precision == Precision::BFloat16)
    portable.insert(portable.begin(), {"sapphirerapids", "cooperlake"});
  llvm::Expected<std::vector<TargetSpec>> targets =
      TargetSpec::getList(options.cpu, triple, portable);
  if (!targets)
    return targets.takeError();
  compiler.target = targets->front();
  compiler.fallbacks.assign(targets->begin() + 1, targets->end());
  if (compiler.fallbacks.empty())
    return llvm::Error::success();
  if (compiler.device.isGPU())
    return llvm::createStringError(
        "--target-cpu names several processors, but a model for GPUs has host "
        "code for one");
  if (kind > OutputKind::GNN && kind <= OutputKind::LLVMDialect)
    return llvm::createStringError(
        "--target-cpu names several processors, but this text is about one");
  return llvm::Error::success();
}

/// Options that say something of what is not made.
static llvm::Error checkUnused(const Options &options) {
  OutputKind kind = options.getKind();
  if (options.header.getNumOccurrences() && kind < OutputKind::Object)
    return llvm::createStringError("--header is for objects, libraries and "
                                   "programs; nothing else has one");
  if (options.elideWeights && kind > OutputKind::LLVMDialect)
    return llvm::createStringError("--elide-weights is for --emit=gnn, linalg "
                                   "and llvm-dialect; code needs "
                                   "weights");
  if (options.chip.getNumOccurrences() && options.target != "cuda")
    return llvm::createStringError("--chip is for --target=cuda");
  return llvm::Error::success();
}

llvm::Expected<CompilerOptions>
gnn::getCompilerOptions(const Options &options) {
  if (llvm::Error error = checkUnused(options))
    return error;
  OutputKind kind = options.getKind();
  CompilerOptions compiler;
  // What is no device is the triple of a CPU.
  std::optional<gnn_target> name = getTargetByName(options.target);
  llvm::Expected<DeviceSpec> device = DeviceSpec::get(
      name.value_or(GNN_TARGET_CPU), options.chip, getDeviceFormat(kind));
  if (!device)
    return device.takeError();
  compiler.device = std::move(*device);
  if (llvm::Error error = setPrecision(options.precision, compiler))
    return error;
  if (llvm::Error error = setEffort(options, compiler))
    return error;
  if (llvm::Error error = setTargets(
          options, name ? "" : StringRef(options.target), kind, compiler))
    return error;
  if (kind > OutputKind::StaticLibrary && !compiler.target.isHostArchitecture())
    return llvm::createStringError(
        "code for " + compiler.target.triple +
        " cannot be linked here; use --emit=obj or --emit=lib");
  compiler.topology = options.topology;
  for (auto [option, edges] :
       {std::pair(&options.longRowEdges, &compiler.longRowEdges),
        std::pair(&options.longSegmentEdges, &compiler.longSegmentEdges)})
    if (option->getNumOccurrences() > 0) {
      if (*option < 0)
        return llvm::createStringError("--" + option->ArgStr +
                                       " must be at least 0, got " +
                                       llvm::Twine(*option));
      *edges = *option;
    }
  compiler.packKernels = options.packKernels;
  compiler.verifyEvery = options.verifyEvery;
  for (const std::unique_ptr<cl::opt<bool>> &pass : options.switches)
    if (pass->getNumOccurrences() > 0)
      compiler.switches[pass->ArgStr] = pass->getValue();
  return compiler;
}
