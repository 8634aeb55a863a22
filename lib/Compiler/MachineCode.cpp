//===- MachineCode.cpp - From LLVM IR to files ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/LinkConfig.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include <tuple>

using namespace llvm;
using namespace gnn;

static OptimizationLevel getPipelineLevel(CodeGenOptLevel effort) {
  switch (effort) {
  case CodeGenOptLevel::None:
    return OptimizationLevel::O0;
  case CodeGenOptLevel::Less:
    return OptimizationLevel::O1;
  case CodeGenOptLevel::Default:
    return OptimizationLevel::O2;
  case CodeGenOptLevel::Aggressive:
    return OptimizationLevel::O3;
  }
  llvm_unreachable("unknown effort");
}

void gnn::optimize(Module &module, TargetMachine &machine) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  // Layers of one shape have the same parallel loops, each a function by now.
  // Nobody compares where these lie, so that equal ones are one function, not
  // many that call it, into which LLVM would put it again.
  for (Function &function : module)
    if (function.hasLocalLinkage())
      function.setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) {
        passes.addPass(MergeFunctionsPass());
      });
  builder.buildPerModuleDefaultPipeline(getPipelineLevel(machine.getOptLevel()))
      .run(module, modules);
}

Error gnn::emitMachineCode(Module &module, TargetMachine &machine,
                           OutputKind kind, raw_pwrite_stream &os) {
  legacy::PassManager manager;
  CodeGenFileType type = kind == OutputKind::Assembly
                             ? CodeGenFileType::AssemblyFile
                             : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(manager, os, nullptr, type))
    return createStringError("LLVM cannot emit code for " +
                             machine.getTargetTriple().str());
  manager.run(module);
  return Error::success();
}

static Error makeArchive(StringRef objectPath, StringRef outputPath) {
  Expected<NewArchiveMember> member =
      NewArchiveMember::getFile(objectPath, /*Deterministic=*/true);
  if (!member)
    return member.takeError();
  std::vector<NewArchiveMember> members;
  members.push_back(std::move(*member));
  members.back().MemberName = "model.o";
  return writeArchive(outputPath, members, SymtabWritingMode::NormalSymtab,
                      object::Archive::K_GNU, /*Deterministic=*/true,
                      /*Thin=*/false);
}

/// The folder with the runtime's libraries: where `cmake --install` puts them
/// relative to the program, or of the build.
static Expected<std::string> findRuntime(StringRef program) {
  std::string executable = sys::fs::getMainExecutable(
      program.str().c_str(), reinterpret_cast<void *>(&findRuntime));
  SmallString<128> installed(sys::path::parent_path(executable));
  sys::path::append(installed, "..", GNN_INSTALL_LIBDIR);
  for (StringRef folder : {installed.str(), StringRef(GNN_BUILD_LIBDIR)})
    if (sys::fs::exists(folder + "/libgnn_runtime.a"))
      return folder.str();
  return createStringError("cannot find libgnn_runtime.a beside " + executable +
                           ", which an executable needs; install the compiler "
                           "together with its runtime");
}

/// The compiler driver links: it knows the system's libraries.
static Expected<std::string> findLinker() {
  if (const char *chosen = getenv("GNN_LINKER")) {
    ErrorOr<std::string> path = sys::findProgramByName(chosen);
    if (path)
      return *path;
    return createStringError("cannot find the program '" + Twine(chosen) +
                             "' that GNN_LINKER names");
  }
  for (StringRef name : {"cc", "clang", "clang-22", "gcc"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return createStringError("cannot find a compiler driver to link with: "
                           "install gcc or clang, name one in GNN_LINKER, or "
                           "use --emit=obj");
}

Error gnn::link(StringRef objectPath, OutputKind kind, StringRef program,
                StringRef outputPath) {
  if (kind == OutputKind::StaticLibrary)
    return makeArchive(objectPath, outputPath);
  Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  SmallVector<std::string> arguments = {*linker, "-o", outputPath.str(),
                                        objectPath.str()};
  if (kind == OutputKind::SharedLibrary) {
    llvm::append_range(arguments, ArrayRef<StringRef>{"-shared", "-Wl,-z,defs",
                                                      "-Wl,--gc-sections"});
  } else {
    Expected<std::string> runtime = findRuntime(program);
    if (!runtime)
      return runtime.takeError();
    arguments.push_back(*runtime + "/libgnn_runner.a");
    arguments.push_back(*runtime + "/libgnn_runtime.a");
    arguments.push_back(GNN_LIBZIP);
    arguments.push_back(GNN_LIBZ);
    arguments.push_back(GNN_LIBMETIS);
    arguments.push_back("-lstdc++");
    arguments.push_back("-ldl");
  }
  arguments.push_back(GNN_LIBOMP);
  // It may lie where the dynamic linker does not look by itself.
  arguments.push_back("-Wl,-rpath," + sys::path::parent_path(GNN_LIBOMP).str());
  arguments.push_back("-lm");

  SmallString<128> log;
  if (std::error_code code =
          sys::fs::createTemporaryFile("gnn-link", "log", log))
    return createStringError("cannot write a temporary file: " +
                             code.message());
  scope_exit removeLog([&] { std::ignore = sys::fs::remove(log); });
  SmallVector<StringRef> references(arguments.begin(), arguments.end());
  std::string message;
  int status = sys::ExecuteAndWait(
      *linker, references, std::nullopt, {std::nullopt, log.str(), log.str()},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0)
    return Error::success();
  if (auto buffer = MemoryBuffer::getFile(log); buffer && message.empty())
    message = (*buffer)->getBuffer().rtrim().str();
  if (message.empty())
    message = "it ended with status " + std::to_string(status);
  return createStringError("linking with " + *linker + " failed: " + message);
}
