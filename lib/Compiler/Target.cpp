//===- Target.cpp - The machine code is generated for -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace gnn;

static constexpr StringLiteral aarch64Triple = "aarch64-unknown-linux-gnu";

static const llvm::Target *lookupTarget(StringRef triple, std::string &error) {
  // Once, as several threads may ask. LLVM has the targets in its own lists.
  [[maybe_unused]] static const bool areRegistered = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  return TargetRegistry::lookupTarget(Triple(triple), error);
}

/// Whether models can be compiled for it: descriptors of tensors, calls and the
/// sections of a library are made for 64-bit systems with ELF files.
static bool isSupported(const Triple &triple) {
  return (triple.isX86() || triple.isAArch64()) && triple.isArch64Bit() &&
         triple.isLittleEndian() && triple.isOSBinFormatELF() &&
         !triple.isX32() && triple.getEnvironment() != Triple::GNUILP32;
}

static bool hasFeature(const TargetSpec &target, StringRef feature) {
  std::string error;
  const llvm::Target *found = lookupTarget(target.triple, error);
  std::unique_ptr<MCSubtargetInfo> info(found->createMCSubtargetInfo(
      Triple(target.triple), target.cpu, target.features));
  return info->checkFeatures(("+" + feature).str());
}

static bool isAArch64CPU(StringRef cpu) {
  return cpu == "aarch64" || AArch64::parseCpu(cpu).has_value();
}

Expected<TargetSpec> TargetSpec::get(StringRef cpu, StringRef triple) {
  TargetSpec target;
  target.triple = triple.str();
  if (target.triple.empty())
    target.triple = isAArch64CPU(cpu) && !X86::parseArchX86(cpu)
                        ? aarch64Triple.str()
                        : sys::getDefaultTargetTriple();
  target.triple = Triple::normalize(target.triple);
  std::string error;
  const llvm::Target *found = lookupTarget(target.triple, error);
  if (!found || !isSupported(Triple(target.triple)))
    return createStringError("unknown target '" + triple +
                             "', expected an x86-64 or AArch64 triple of a "
                             "system with ELF files such as "
                             "x86_64-unknown-linux-gnu");
  if (cpu == "native") {
    if (!target.isHostArchitecture())
      return createStringError("--target-cpu=native is this machine's, which "
                               "is no " +
                               target.triple + "; name a processor");
    target.cpu = sys::getHostCPUName().str();
    SubtargetFeatures features;
    for (const auto &[name, isOn] : sys::getHostCPUFeatures())
      features.AddFeature(name, isOn);
    target.features = features.getString();
    return target;
  }
  target.cpu = cpu == "aarch64" ? "generic" : cpu.str();
  std::unique_ptr<MCSubtargetInfo> info(
      found->createMCSubtargetInfo(Triple(target.triple), "", ""));
  if (!info->isCPUStringValid(target.cpu))
    return createStringError(
        "unknown --target-cpu '" + cpu + "' for " + target.triple +
        ", expected native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, "
        "a processor that LLVM knows, several of these, or portable");
  if (Triple(target.triple).isX86() && !hasFeature(target, "64bit"))
    return createStringError("--target-cpu '" + cpu +
                             "' does not run 64-bit code; name a processor "
                             "that does, such as x86-64");
  return target;
}

Expected<std::vector<TargetSpec>>
TargetSpec::getList(StringRef cpus, StringRef triple,
                    ArrayRef<StringRef> portable) {
  SmallVector<StringRef> names;
  cpus.split(names, ',');
  if (cpus == "portable") {
    Triple wanted(triple.empty() ? sys::getDefaultTargetTriple()
                                 : triple.str());
    if (!wanted.isX86())
      return createStringError("--target-cpu=portable is for x86-64");
    names.assign(portable.begin(), portable.end());
  }
  std::vector<TargetSpec> result;
  for (StringRef name : names) {
    Expected<TargetSpec> target = get(name, triple);
    if (!target)
      return target.takeError();
    for (const TargetSpec &other : result) {
      if (other.triple != target->triple)
        return createStringError("--target-cpu names processors of several "
                                 "architectures, '" +
                                 names.front() + "' and '" + name + "'");
      if (other.cpu == target->cpu)
        return createStringError("--target-cpu names '" + target->getName() +
                                 "' twice");
    }
    result.push_back(std::move(*target));
  }
  return result;
}

std::string TargetSpec::getName() const {
  return Triple(triple).isAArch64() && cpu == "generic" ? "aarch64" : cpu;
}

bool TargetSpec::isHostArchitecture() const {
  return Triple(triple).getArch() ==
         Triple(sys::getDefaultTargetTriple()).getArch();
}

std::unique_ptr<TargetMachine>
TargetSpec::createMachine(CodeGenOptLevel effort) const {
  std::string error;
  const llvm::Target *found = lookupTarget(triple, error);
  TargetOptions options;
  // No fast-math: only contraction into fused multiply-adds, which depends on
  // the code alone and so keeps results reproducible.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(Triple(triple), cpu, features, options,
                                 Reloc::PIC_, std::nullopt, effort));
}

int64_t TargetSpec::getVectorWidth() const {
  if (!Triple(triple).isX86())
    return 4;
  if (hasFeature(*this, "avx512f"))
    return 16;
  return hasFeature(*this, "avx") ? 8 : 4;
}

int64_t TargetSpec::getNumVectorRegisters() const {
  return !Triple(triple).isX86() || hasFeature(*this, "avx512f") ? 32 : 16;
}

bool TargetSpec::hasMaskRegisters() const {
  return Triple(triple).isX86() && hasFeature(*this, "avx512f");
}

bool TargetSpec::hasMaximum() const { return !Triple(triple).isX86(); }

bool TargetSpec::hasBFloat16Instructions() const {
  return Triple(triple).isX86() && hasFeature(*this, "avx512bf16") &&
         hasFeature(*this, "avx512vl");
}

bool TargetSpec::hasRegisterTables() const {
  return Triple(triple).isX86() && hasFeature(*this, "avx2") &&
         hasFeature(*this, "fma");
}

static bool isZen(const TargetSpec &target) {
  return Triple(target.triple).isX86() &&
         StringRef(target.cpu).starts_with("znver");
}

int64_t TargetSpec::getStreamBytes() const {
  // Zen's third cache has 4 MiB for each core, and keeps what the second one
  // drops: results would take the place of what is read. 16 MiB were measured
  // on Xeons.
  return isZen(*this) ? 2 << 20 : 16 << 20;
}

int64_t TargetSpec::getStreamGatheredBytes() const {
  // Two threads that read two edges a row write faster than memory takes it.
  return isZen(*this) ? 16 << 20 : 0;
}

int64_t TargetSpec::getStreamPieceBytes() const {
  // Zen puts lines together of what one row and the next store.
  return isZen(*this) ? 16 : 64;
}

bool TargetSpec::copiesTiles() const {
  // Zen 4 takes two cycles for products of 512 bits, time enough for rows to
  // come from the second cache. With AVX2 it makes no difference, on Xeons
  // copies are better.
  return cpu != "znver4";
}

bool TargetSpec::peelsProducts() const {
  // Measured on Zen 3.
  return Triple(triple).isX86() && !hasFeature(*this, "avx512f");
}

int64_t TargetSpec::getSecondCacheBytes() const {
  return isZen(*this) ? 1 << 20 : 2 << 20;
}

bool TargetSpec::hasMatrixTiles() const {
  return hasBFloat16Instructions() && hasFeature(*this, "amx-tile") &&
         hasFeature(*this, "amx-bf16");
}

std::string TargetSpec::getCheckableFeatures(bool usesMatrixTiles) const {
  std::string features = usesMatrixTiles ? "+amx-tile,+amx-bf16" : "";
  // What the runtime knows how to ask the processor for.
  static constexpr StringLiteral ofX86[] = {
      "sse3",       "ssse3",      "sse4.1",      "sse4.2",      "popcnt",
      "avx",        "avx2",       "fma",         "f16c",        "bmi",
      "bmi2",       "lzcnt",      "avx512f",     "avx512bw",    "avx512cd",
      "avx512dq",   "avx512vl",   "avx512vbmi",  "avx512vbmi2", "avx512vnni",
      "avx512bf16", "avx512fp16", "avxneconvert"};
  // No model has atomics of 128 bits, which lse2 and its like are about.
  static constexpr StringLiteral ofAArch64[] = {
      "lse",  "fullfp16",  "rdm",   "complxnum", "rcpc", "dotprod",
      "sve",  "rcpc-immo", "flagm", "sve2",      "i8mm", "bf16",
      "cssc", "sve2p1",    "mops",  "faminmax"};
  for (StringRef feature : Triple(triple).isX86()
                               ? ArrayRef<StringLiteral>(ofX86)
                               : ArrayRef<StringLiteral>(ofAArch64))
    if (hasFeature(*this, feature))
      features += (features.empty() ? "+" : ",+") + feature.str();
  return features;
}
