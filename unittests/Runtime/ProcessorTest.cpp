//===- ProcessorTest.cpp - What the processor says it has -----------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include "TestUtil.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace gnn::rt;

namespace {
#ifdef __x86_64__
TEST(Processor, SaysWhatLinuxSays) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && line.rfind("flags", 0) != 0)
    ;
  std::istringstream words(line);
  std::set<std::string> flags;
  for (std::string word; words >> word;)
    flags.insert(word);
  if (flags.count("sse2") == 0)
    GTEST_SKIP() << "/proc/cpuinfo does not list the processor's features";
  // What LLVM calls them, and what Linux does.
  const char *old[][2] = {{"avx2", "avx2"},
                          {"fma", "fma"},
                          {"f16c", "f16c"},
                          {"lzcnt", "abm"},
                          {"avx512f", "avx512f"}};
  for (const auto &[name, flag] : old)
    EXPECT_EQ(cpuSupports(name) == Support::Yes, flags.count(flag) == 1)
        << name;
  // An older Linux does not list these on a processor that has them.
  const char *recent[][2] = {{"avx512bf16", "avx512_bf16"},
                             {"avx512fp16", "avx512_fp16"},
                             {"amx-tile", "amx_tile"},
                             {"amx-bf16", "amx_bf16"}};
  for (const auto &[name, flag] : recent)
    if (flags.count(flag) == 1)
      EXPECT_EQ(cpuSupports(name), Support::Yes) << name;
}
#endif

TEST(Processor, DoesNotKnowAllFeatures) {
  EXPECT_EQ(cpuSupports("unheard-of"), Support::Unknown);
}
} // namespace
