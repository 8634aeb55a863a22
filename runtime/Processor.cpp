//===- Processor.cpp - What this machine can run ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include <cerrno>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <cstdint>
#include <sys/auxv.h>
#endif

using namespace gnn;
using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// x86
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
/// What the builtin of some compilers does not know: where CPUID says it.
static Support lookUpBits(std::string_view feature) {
  enum Register { EAX, EBX, ECX, EDX };
  static constexpr struct {
    std::string_view name; ///< LLVM's.
    unsigned leaf, subleaf;
    Register where;
    unsigned bit;
  } known[] = {
      {"f16c", 1, 0, ECX, 29},       {"lzcnt", 0x80000001, 0, ECX, 5},
      {"avx512fp16", 7, 0, EDX, 23}, {"avxneconvert", 7, 1, EDX, 5},
      {"amx-bf16", 7, 0, EDX, 22},   {"amx-tile", 7, 0, EDX, 24},
  };
  for (const auto &[name, leaf, subleaf, where, bit] : known)
    if (name == feature) {
      unsigned values[4] = {};
      __get_cpuid_count(leaf, subleaf, &values[EAX], &values[EBX], &values[ECX],
                        &values[EDX]);
      return values[where] >> bit & 1 ? Support::Yes : Support::No;
    }
  return Support::Unknown;
}
#endif

bool rt::requestMatrixTiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}

#if defined(__x86_64__) || defined(__i386__)
static Support lookUp(std::string_view feature) {
#ifdef __x86_64__
  if (Support support = lookUpBits(feature); support != Support::Unknown)
    return support;
#endif
  __builtin_cpu_init();
  // The builtin wants literals; these are what both GCC and Clang know and
  // LLVM calls by the same name.
#define GNN_FEATURE(NAME)                                                      \
  if (feature == (NAME))                                                       \
  return __builtin_cpu_supports(NAME) ? Support::Yes : Support::No
  GNN_FEATURE("sse");
  GNN_FEATURE("sse2");
  GNN_FEATURE("sse3");
  GNN_FEATURE("ssse3");
  GNN_FEATURE("sse4.1");
  GNN_FEATURE("sse4.2");
  GNN_FEATURE("sse4a");
  GNN_FEATURE("popcnt");
  GNN_FEATURE("aes");
  GNN_FEATURE("pclmul");
  GNN_FEATURE("avx");
  GNN_FEATURE("avx2");
  GNN_FEATURE("fma");
  GNN_FEATURE("fma4");
  GNN_FEATURE("xop");
  GNN_FEATURE("bmi");
  GNN_FEATURE("bmi2");
  GNN_FEATURE("gfni");
  GNN_FEATURE("vpclmulqdq");
  GNN_FEATURE("avx512f");
  GNN_FEATURE("avx512bw");
  GNN_FEATURE("avx512cd");
  GNN_FEATURE("avx512dq");
  GNN_FEATURE("avx512vl");
  GNN_FEATURE("avx512ifma");
  GNN_FEATURE("avx512vbmi");
  GNN_FEATURE("avx512vbmi2");
  GNN_FEATURE("avx512vnni");
  GNN_FEATURE("avx512bitalg");
  GNN_FEATURE("avx512vpopcntdq");
  GNN_FEATURE("avx512bf16");
  GNN_FEATURE("avx512vp2intersect");
#undef GNN_FEATURE
  return Support::Unknown;
}
#elif defined(__aarch64__) && defined(__linux__)

//===----------------------------------------------------------------------===//
// AArch64
//===----------------------------------------------------------------------===//

/// Linux says what programs may use. The bits are part of its interface, and
/// the headers that name them may be older than the machine.
static Support lookUp(std::string_view feature) {
  static constexpr struct {
    std::string_view name; ///< LLVM's.
    uint64_t first;        ///< In AT_HWCAP.
    uint64_t second;       ///< In AT_HWCAP2.
  } known[] = {
      {"neon", 1 << 1, 0},
      {"lse", 1 << 8, 0},
      {"fullfp16", 1 << 9 | 1 << 10, 0},
      {"rdm", 1 << 12, 0},
      {"complxnum", 1 << 14, 0},
      {"rcpc", 1 << 15, 0},
      {"dotprod", 1 << 20, 0},
      {"sve", 1 << 22, 0},
      {"rcpc-immo", 1 << 26, 0},
      {"flagm", 1 << 27, 0},
      {"sve2", 0, 1 << 1},
      {"i8mm", 0, 1 << 13},
      {"bf16", 0, 1 << 14},
      {"cssc", 0, uint64_t(1) << 34},
      {"sve2p1", 0, uint64_t(1) << 36},
      {"mops", 0, uint64_t(1) << 43},
      {"faminmax", 0, uint64_t(1) << 50},
  };
  for (const auto &[name, first, second] : known)
    if (name == feature) {
      bool isThere = (getauxval(AT_HWCAP) & first) == first &&
                     (getauxval(AT_HWCAP2) & second) == second;
      return isThere ? Support::Yes : Support::No;
    }
  return Support::Unknown;
}
#else
static Support lookUp(std::string_view) { return Support::Unknown; }
#endif

Support rt::cpuSupports(std::string_view feature) { return lookUp(feature); }
