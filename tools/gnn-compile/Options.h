//===- Options.h - The command line of gnn-compile --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_GNNCOMPILE_OPTIONS_H
#define GNN_TOOLS_GNNCOMPILE_OPTIONS_H

#include "gnn/Compiler/Compiler.h"
#include "llvm/Support/CommandLine.h"

namespace gnn {

enum class WeightsPlace { Embedded, External };

/// The options live in main, so that nothing is global.
struct Options {
  llvm::cl::OptionCategory category{"gnn-compile options"};
  llvm::cl::opt<std::string> model{
      llvm::cl::Positional, llvm::cl::Required,
      llvm::cl::desc("MODEL (a folder or a .mlir file)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::Required, llvm::cl::value_desc("file"),
      llvm::cl::desc("Output file, or - for text"), llvm::cl::cat(category)};
  llvm::cl::opt<OutputKind> emit{
      "emit",
      llvm::cl::desc("What to make (default: by the output's ending, else so)"),
      llvm::cl::values(
          clEnumValN(OutputKind::GNN, "gnn", "the model in the gnn dialect"),
          clEnumValN(OutputKind::Linalg, "linalg",
                     "optimised and lowered to linalg and scf"),
          clEnumValN(OutputKind::LLVMDialect, "llvm-dialect",
                     "MLIR's LLVM dialect"),
          clEnumValN(OutputKind::LLVMIR, "llvm-ir", "optimised LLVM IR"),
          clEnumValN(OutputKind::Assembly, "asm", "assembly"),
          clEnumValN(OutputKind::PTX, "ptx", "kernels as PTX"),
          clEnumValN(OutputKind::Cubin, "cubin", "kernels as machine code"),
          clEnumValN(OutputKind::FatBinary, "fatbin", "both of these in one"),
          clEnumValN(OutputKind::Object, "obj", "an object file"),
          clEnumValN(OutputKind::StaticLibrary, "lib", "a static archive"),
          clEnumValN(OutputKind::SharedLibrary, "so", "a shared library"),
          clEnumValN(OutputKind::Executable, "exe",
                     "a program with gnn-run's options")),
      llvm::cl::init(OutputKind::SharedLibrary), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> cpu{
      "target-cpu", llvm::cl::init("native"),
      llvm::cl::desc(
          "native, x86-64, x86-64-v2, -v3, -v4, aarch64 or a processor "
          "that LLVM knows; or several, separated by commas, of which the "
          "first that a machine has the features of runs there; or "
          "portable: all that make a difference, down to x86-64"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::value_desc("name"),
      llvm::cl::desc(
          "cpu, cuda, gpu-emu (kernels for a GPU, run by an emulator), or "
          "the triple of a CPU (default: from --target-cpu)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> effort{
      "O", llvm::cl::Prefix, llvm::cl::value_desc("0|1|2|3"),
      llvm::cl::desc(
          "How much LLVM does for the speed of code for the CPU (default: "
          "3, with --target=gpu-emu 0)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> llvmPasses{
      "llvm-passes", llvm::cl::value_desc("passes"),
      llvm::cl::desc("LLVM's passes, as its opt takes them, for instance "
                     "'default<O3>' (default: those of the level)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::init("sm_90"),
      llvm::cl::desc("With --target=cuda: the compute capability of the GPU"),
      llvm::cl::cat(category)};
  llvm::cl::opt<WeightsPlace> weights{
      "weights", llvm::cl::desc("Where weights go"),
      llvm::cl::values(
          clEnumValN(WeightsPlace::Embedded, "embedded",
                     "into the code (default up to 16 MiB)"),
          clEnumValN(WeightsPlace::External, "external",
                     "into OUTPUT.weights, mapped at load time (default "
                     "from there)")),
      llvm::cl::init(WeightsPlace::Embedded), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> header{
      "header", llvm::cl::value_desc("file"),
      llvm::cl::desc("C header (default: the output's name with .h)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> threads{
      "j",
      llvm::cl::Prefix,
      llvm::cl::init(0),
      llvm::cl::value_desc("number"),
      llvm::cl::desc("Threads that compile, which make no difference to the "
                     "code (default: as many as there are processors)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> codeParts{
      "code-parts", llvm::cl::init(0), llvm::cl::value_desc("number"),
      llvm::cl::desc("Parts of a library's code that LLVM compiles side by "
                     "side; 1: all of it at once (default: by how much there "
                     "is)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> verifyEvery{
      "verify-every", llvm::cl::init(0), llvm::cl::value_desc("number"),
      llvm::cl::desc(
          "Verify the IR after one in so many passes over the module, "
          "not only after the last; 1: after every pass"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> elideWeights{
      "elide-weights", llvm::cl::desc("Leave large constants out of text"),
      llvm::cl::cat(category)};
  llvm::cl::opt<TopologyChoice> topology{
      "topology", llvm::cl::desc("What attention over listed edges runs on"),
      llvm::cl::values(
          clEnumValN(TopologyChoice::Automatic, "auto",
                     "listed edges or all pairs, by density (default)"),
          clEnumValN(TopologyChoice::Sparse, "sparse", "listed edges"),
          clEnumValN(TopologyChoice::Dense, "dense", "all pairs")),
      llvm::cl::init(TopologyChoice::Automatic), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> longRowEdges{
      "long-row-edges", llvm::cl::init(-1), llvm::cl::value_desc("number"),
      llvm::cl::desc(
          "Edges of a part of a long row, which threads share; 0: rows "
          "stay whole (default: 256 on GPUs, 0 on CPUs)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> longSegmentEdges{
      "long-segment-edges", llvm::cl::init(-1), llvm::cl::value_desc("number"),
      llvm::cl::desc(
          "Nodes of a part of a large graph, which threads share where "
          "something is aggregated for each graph of a batch; 0: graphs stay "
          "whole (default: 2048 on CPUs, which GPUs do not look at)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> precision{
      "precision", llvm::cl::init("f32"),
      llvm::cl::value_desc("f32|bf16|f16|tf32"),
      llvm::cl::desc(
          "Factors of matrix products: f32, or bf16 with sums in f32; for "
          "GPUs also f16 and tf32"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> packKernels{
      "pack-kernels", llvm::cl::init(true),
      llvm::cl::desc("For GPUs: compress the kernels in libraries"),
      llvm::cl::cat(category)};
  /// One for each pass that can be left out, see GNNToLLVMOptions.
  std::vector<std::unique_ptr<llvm::cl::opt<bool>>> switches;

  Options();

  /// By `emit`, or else by the output's ending.
  OutputKind getKind() const;
};

/// What is asked for, if it is what a device loads.
std::optional<DeviceFormat> getDeviceFormat(OutputKind kind);

/// What `options` say of the code, as far as the model does not matter.
llvm::Expected<CompilerOptions> getCompilerOptions(const Options &options);

} // namespace gnn

#endif // GNN_TOOLS_GNNCOMPILE_OPTIONS_H
