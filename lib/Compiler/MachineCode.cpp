//===- MachineCode.cpp - From LLVM IR to files ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeParts.h"
#include "LLVMPasses.h"
#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/LinkConfig.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ThreadPool.h"
#include <tuple>

using namespace llvm;
using namespace gnn;

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

/// Instructions for which a part more is worth its while. Those that nothing
/// optimises are compiled about as fast as they get to another thread.
static unsigned getPartInstructions(CodeGenOptLevel level) {
  return level == CodeGenOptLevel::None ? 10000 : 500;
}

static Expected<ObjectCode> makeObject(Module &module, TargetMachine &machine,
                                       StringRef passes,
                                       mlir::TimingScope timing) {
  mlir::TimingScope part = timing.nest("LLVM's optimisations");
  runLLVMPasses(module, machine, passes);
  part = timing.nest("Machine code");
  ObjectCode object;
  raw_svector_ostream os(object);
  if (Error error = emitMachineCode(module, machine, OutputKind::Object, os))
    return error;
  return object;
}

Expected<std::vector<ObjectCode>>
gnn::makeObjects(TranslatedModel &model, const gnn::TargetSpec &target,
                 const ObjectOptions &options, mlir::TimingScope timing) {
  Module &rest = *model.module;
  CodeGenOptLevel level = options.effort.level;
  StringRef passes = options.effort.getPasses();
  mergeFunctions(rest);
  std::vector<std::unique_ptr<Module>> modules =
      splitOffParts(rest, ModelVersion().getSymbol(model.info), options.parts,
                    getPartInstructions(level));

  SingleThreadExecutor thisThread(hardware_concurrency(1));
  ThreadPoolTaskGroup tasks(options.threads ? *options.threads : thisThread);
  std::vector<std::optional<Expected<ObjectCode>>> results(modules.size() + 1);
  for (auto [i, module] : llvm::enumerate(modules)) {
    // Threads share no context, but text.
    SmallString<0> bitcode;
    raw_svector_ostream os(bitcode);
    WriteBitcodeToFile(*module, os);
    tasks.async([&, i = i, bitcode = std::move(bitcode)] {
      LLVMContext context;
      Expected<std::unique_ptr<Module>> part =
          parseBitcodeFile(MemoryBufferRef(bitcode, "part"), context);
      if (!part) {
        results[i] = part.takeError();
        return;
      }
      std::unique_ptr<TargetMachine> machine = target.createMachine(level);
      results[i] = makeObject(**part, *machine, passes, timing.nest("Parts"));
    });
  }
  tasks.async([&] {
    std::unique_ptr<TargetMachine> machine = target.createMachine(level);
    results.back() = makeObject(rest, *machine, passes, timing.nest("Parts"));
  });
  tasks.wait();

  std::vector<ObjectCode> objects;
  Error error = Error::success();
  for (std::optional<Expected<ObjectCode>> &result : results)
    if (*result)
      objects.push_back(std::move(**result));
    else
      error = joinErrors(std::move(error), result->takeError());
  if (error)
    return error;
  return objects;
}

Expected<std::unique_ptr<MemoryBuffer>>
gnn::makeArchive(ArrayRef<ObjectCode> objects) {
  std::vector<std::string> names;
  names.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i)
    names.push_back(i == 0 ? "model.o" : "model." + std::to_string(i) + ".o");
  std::vector<NewArchiveMember> members;
  for (auto [object, name] : llvm::zip_equal(objects, names))
    members.emplace_back(
        MemoryBufferRef(StringRef(object.data(), object.size()), name));
  return writeArchiveToBuffer(members, SymtabWritingMode::NormalSymtab,
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

Error gnn::link(ArrayRef<std::string> objectPaths, OutputKind kind,
                StringRef program, StringRef outputPath) {
  Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  SmallVector<std::string> arguments = {*linker, "-o", outputPath.str()};
  llvm::append_range(arguments, objectPaths);
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
