//===- TargetTest.cpp - Names and properties of processors ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using gnn::TargetSpec;

static constexpr StringLiteral x86Triple = "x86_64-unknown-linux-gnu";

/// The target, which must be known.
static TargetSpec get(StringRef cpu, StringRef triple = "") {
  Expected<TargetSpec> target = TargetSpec::get(cpu, triple);
  if (target)
    return *target;
  ADD_FAILURE() << toString(target.takeError());
  return {};
}

static std::string getError(StringRef cpu, StringRef triple = "") {
  Expected<TargetSpec> target = TargetSpec::get(cpu, triple);
  return target ? "" : toString(target.takeError());
}

TEST(TargetTest, NativeIsThisMachine) {
  TargetSpec target = get("native");
  EXPECT_TRUE(target.isHostArchitecture());
  EXPECT_FALSE(target.cpu.empty());
  EXPECT_NE(target.createMachine(), nullptr);
}

TEST(TargetTest, LevelsOfX86) {
  TargetSpec baseline = get("x86-64", x86Triple);
  EXPECT_EQ(baseline.getVectorWidth(), 4);
  EXPECT_EQ(baseline.getNumVectorRegisters(), 16);
  EXPECT_EQ(baseline.getCheckableFeatures(), "");

  TargetSpec third = get("x86-64-v3", x86Triple);
  EXPECT_EQ(third.getVectorWidth(), 8);
  EXPECT_EQ(third.getNumVectorRegisters(), 16);
  std::string features = third.getCheckableFeatures();
  EXPECT_NE(features.find("+avx2"), std::string::npos) << features;
  EXPECT_NE(features.find("+fma"), std::string::npos) << features;
  EXPECT_EQ(features.find("avx512"), std::string::npos) << features;
  EXPECT_EQ(features.front(), '+');

  TargetSpec fourth = get("x86-64-v4", x86Triple);
  EXPECT_EQ(fourth.getVectorWidth(), 16);
  EXPECT_EQ(fourth.getNumVectorRegisters(), 32);
  EXPECT_NE(fourth.getCheckableFeatures().find("+avx512f"), std::string::npos);
}

TEST(TargetTest, StreamBytes) {
  EXPECT_EQ(get("znver4", x86Triple).getStreamBytes(), 2 << 20);
  EXPECT_EQ(get("sapphirerapids", x86Triple).getStreamBytes(), 16 << 20);
  EXPECT_EQ(get("neoverse-v1").getStreamBytes(), 16 << 20);
  EXPECT_EQ(get("znver4", x86Triple).getStreamGatheredBytes(), 16 << 20);
  EXPECT_EQ(get("sapphirerapids", x86Triple).getStreamGatheredBytes(), 0);
  EXPECT_EQ(get("znver4", x86Triple).getStreamPieceBytes(), 16);
  EXPECT_EQ(get("sapphirerapids", x86Triple).getStreamPieceBytes(), 64);
}

TEST(TargetTest, CopiesTiles) {
  EXPECT_FALSE(get("znver4", x86Triple).copiesTiles());
  EXPECT_TRUE(get("znver3", x86Triple).copiesTiles());
  EXPECT_TRUE(get("sapphirerapids", x86Triple).copiesTiles());
}

TEST(TargetTest, PeelsProducts) {
  EXPECT_TRUE(get("znver3", x86Triple).peelsProducts());
  EXPECT_FALSE(get("znver4", x86Triple).peelsProducts());
  EXPECT_FALSE(get("neoverse-v1").peelsProducts());
}

TEST(TargetTest, MaskRegisters) {
  EXPECT_TRUE(get("znver4", x86Triple).hasMaskRegisters());
  EXPECT_FALSE(get("znver3", x86Triple).hasMaskRegisters());
  EXPECT_FALSE(get("aarch64", "").hasMaskRegisters());
}

TEST(TargetTest, SecondCache) {
  EXPECT_EQ(get("znver4", x86Triple).getSecondCacheBytes(), 1 << 20);
  EXPECT_EQ(get("sapphirerapids", x86Triple).getSecondCacheBytes(), 2 << 20);
}

TEST(TargetTest, BFloat16OfX86) {
  TargetSpec fourth = get("x86-64-v4", x86Triple);
  EXPECT_FALSE(fourth.hasBFloat16Instructions());
  TargetSpec zen = get("znver4", x86Triple);
  EXPECT_TRUE(zen.hasBFloat16Instructions());
  EXPECT_TRUE(zen.hasRegisterTables());
  EXPECT_TRUE(get("x86-64-v3", x86Triple).hasRegisterTables());
  EXPECT_FALSE(get("x86-64-v2", x86Triple).hasRegisterTables());
  EXPECT_FALSE(get("neoverse-v1").hasRegisterTables());
  EXPECT_FALSE(zen.hasMatrixTiles());
  TargetSpec rapids = get("sapphirerapids", x86Triple);
  EXPECT_TRUE(rapids.hasMatrixTiles());
  // A process has to ask for AMX, and only code that uses it needs it.
  StringRef tiles = "+amx-tile,+amx-bf16,";
  EXPECT_TRUE(StringRef(rapids.getCheckableFeatures(true)).starts_with(tiles));
  EXPECT_EQ(rapids.getCheckableFeatures().find("amx"), std::string::npos);
  // Moves of one element of 16 bits.
  EXPECT_NE(rapids.getCheckableFeatures().find(",+avx512fp16"),
            std::string::npos);
  EXPECT_EQ(zen.getCheckableFeatures().find("avx512fp16"), std::string::npos);
  EXPECT_FALSE(get("neoverse-v1").hasMatrixTiles());
}

/// The names of a list's processors, or the error.
static std::string getList(StringRef cpus, StringRef triple = x86Triple) {
  Expected<std::vector<TargetSpec>> targets =
      TargetSpec::getList(cpus, triple, {"x86-64-v3", "x86-64"});
  if (!targets)
    return toString(targets.takeError());
  std::string names;
  for (const TargetSpec &target : *targets)
    names += target.cpu + ";";
  return names;
}

TEST(TargetTest, Lists) {
  EXPECT_EQ(getList("znver4"), "znver4;");
  EXPECT_EQ(getList("znver4,x86-64-v3,x86-64"), "znver4;x86-64-v3;x86-64;");
  EXPECT_EQ(getList("portable"), "x86-64-v3;x86-64;");
  EXPECT_EQ(getList("cortex-a72,neoverse-n1", ""), "cortex-a72;neoverse-n1;");
  EXPECT_EQ(getList("znver4,vax").find("unknown --target-cpu 'vax'"), 0U);
  EXPECT_EQ(getList("znver4,").find("unknown --target-cpu ''"), 0U);
  EXPECT_EQ(getList("znver4,x86-64,znver4"),
            "--target-cpu names 'znver4' twice");
  EXPECT_NE(getList("portable", "aarch64-unknown-linux-gnu"), "");
}

TEST(TargetTest, AArch64FollowsFromTheProcessor) {
  for (StringRef cpu : {"aarch64", "cortex-a72", "neoverse-v1"}) {
    TargetSpec target = get(cpu);
    EXPECT_TRUE(Triple(target.triple).isAArch64()) << cpu.str();
    EXPECT_EQ(target.getVectorWidth(), 4);
    EXPECT_EQ(target.getNumVectorRegisters(), 32);
    EXPECT_NE(target.createMachine(), nullptr);
  }
  EXPECT_EQ(get("aarch64").cpu, "generic");
  EXPECT_EQ(get("aarch64").getName(), "aarch64");
  EXPECT_EQ(get("neoverse-v1").getName(), "neoverse-v1");
  EXPECT_EQ(getList("aarch64,aarch64", ""),
            "--target-cpu names 'aarch64' twice");
}

TEST(TargetTest, FeaturesOfAArch64) {
  for (StringRef cpu : {"aarch64", "cortex-a53", "cortex-a72"})
    EXPECT_EQ(get(cpu).getCheckableFeatures(), "") << cpu.str();
  EXPECT_EQ(get("neoverse-n1").getCheckableFeatures(),
            "+lse,+fullfp16,+rdm,+rcpc,+dotprod");
  std::string features = get("neoverse-v2").getCheckableFeatures();
  for (StringRef feature : {"+lse", "+sve", "+sve2", "+bf16", "+i8mm"})
    EXPECT_TRUE(is_contained(split(features, ','), feature)) << features;
}

TEST(TargetTest, HostArchitectureIsOneOfThem) {
  EXPECT_NE(get("x86-64", x86Triple).isHostArchitecture(),
            get("aarch64").isHostArchitecture());
}

TEST(TargetTest, Errors) {
  EXPECT_EQ(getError("vax", x86Triple),
            "unknown --target-cpu 'vax' for x86_64-unknown-linux-gnu, expected "
            "native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, a "
            "processor that LLVM knows, several of these, or portable");
  EXPECT_EQ(getError("x86-64", "riscv64-linux-gnu"),
            "unknown target 'riscv64-linux-gnu', expected an x86-64 or AArch64 "
            "triple of a system with ELF files such as "
            "x86_64-unknown-linux-gnu");
  for (StringRef triple :
       {"i686-linux-gnu", "x86_64-linux-gnux32", "x86_64-pc-windows-msvc",
        "x86_64-apple-darwin", "aarch64_be-linux-gnu", "aarch64_32-linux-gnu",
        "arm64-apple-darwin"})
    EXPECT_EQ(
        getError("generic", triple).find("unknown target '" + triple.str()), 0U)
        << triple.str();
  for (StringRef cpu : {"pentium3", "i386", "geode", "athlon", "lakemont"})
    EXPECT_EQ(getError(cpu, x86Triple),
              "--target-cpu '" + cpu.str() +
                  "' does not run 64-bit code; name a processor that does, "
                  "such as x86-64");
  EXPECT_EQ(getError("generic", x86Triple), "");
  EXPECT_EQ(getError("core2", x86Triple), "");
  EXPECT_EQ(getList("znver4,i486").find("--target-cpu 'i486' does not run"),
            0U);
  // Known, but not there.
  EXPECT_NE(getError("cortex-a72", x86Triple).find("unknown --target-cpu"),
            std::string::npos);
  StringRef foreign = get("native").triple.find("aarch64") == 0
                          ? StringRef(x86Triple)
                          : StringRef("aarch64-unknown-linux-gnu");
  EXPECT_NE(getError("native", foreign).find("is this machine's"),
            std::string::npos);
}
