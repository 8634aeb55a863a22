//===- gnn-run.cpp - Runs models on graph files -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpret.h"
#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/Exhaustion.h"
#include "gnn/Compiler/JIT.h"
#include "gnn/Runtime/Runner.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace gnn;

static int fail(const char *program, const std::string &message) {
  runner::printError(program, message);
  return EXIT_FAILURE;
}

/// Runs the session, which was opened or created by the caller.
static int runSession(const runner::Options &options, gnn_session *session,
                      const char *prepareName, double prepareMs,
                      const char *program) {
  runner::Engine engine = runner::makeEngine(session);
  engine.prepareName = prepareName;
  engine.prepareMs = prepareMs;
  int code = runner::run(options, engine, program);
  gnn_session_destroy(session);
  return code;
}

static int runLibrary(const runner::Options &options, const char *program) {
  if (options.interpret)
    return fail(program, "a library cannot be interpreted; name the model "
                         "folder or the .mlir file it was compiled from");
  runner::Stopwatch loading;
  gnn_session *session = nullptr;
  gnn_error error = {};
  gnn_session_options sessionOptions = runner::getSessionOptions(options);
  if (gnn_session_open_with(options.model.c_str(), &sessionOptions, &session,
                            &error))
    return fail(program, error.message);
  return runSession(options, session, "load", loading.getMs(), program);
}

static int runSource(const runner::Options &options, const char *program) {
  runner::Stopwatch compiling;
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      loadModel(context, options.model, llvm::errs());
  if (!module)
    return EXIT_FAILURE;
  if (!options.weights.empty())
    return fail(program, "--weights is for libraries; a model folder has its "
                         "own weights");
  if (options.device >= 0)
    return fail(program, "--device is for libraries that were compiled for a "
                         "GPU; a model folder runs on the CPU");
  if (options.replay)
    return fail(program, "--replay is for libraries that were compiled with "
                         "--target=cuda; a model folder runs on the CPU");
  if (!options.targetCPU.empty())
    return fail(program, "--target-cpu is for libraries that were compiled for "
                         "several processors; a model folder is compiled for "
                         "this one");
  if (options.interpret)
    return interpretModel(options, *module, program);

  CompilerOptions compiler;
  llvm::Expected<TargetSpec> target = TargetSpec::get("native");
  if (!target)
    return fail(program, llvm::toString(target.takeError()));
  compiler.target = std::move(*target);
  llvm::FailureOr<TranslatedModel> model = translateModel(*module, compiler);
  if (failed(model))
    return fail(program,
                "'" + options.model + "' cannot be compiled, see above");
  module = nullptr;
  llvm::Expected<JITModel> code =
      JITModel::create(std::move(*model), compiler.target);
  if (!code)
    return fail(program, llvm::toString(code.takeError()));
  gnn_session *session = nullptr;
  gnn_error error = {};
  if (gnn_session_create(code->get(), nullptr, &session, &error))
    return fail(program, error.message);
  return runSession(options, session, "compile", compiling.getMs(), program);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportExhaustion(argv[0]);
  runner::Options options;
  if (std::optional<int> code =
          runner::parseOptions(argc, argv, runner::Models::Any, options))
    return *code;
  llvm::StringRef path = options.model;
  if (path.ends_with(".mlir") || llvm::sys::fs::is_directory(path))
    return runSource(options, argv[0]);
  return runLibrary(options, argv[0]);
}
