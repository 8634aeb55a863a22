//===- gnn-compile.cpp - Ahead-of-time compiler of models -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/Exhaustion.h"
#include "gnn/Compiler/OutputFiles.h"
#include "gnn/InitAll.h"
#include "gnn/Support/Printable.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace gnn;
namespace cl = llvm::cl;

/// Weights of more bytes than these slow LLVM and the linker down for nothing.
static constexpr int64_t kMaxEmbeddedBytes = 16 << 20;

/// A failure whose reason was printed where it was found.
static llvm::Error makeReportedError() { return llvm::createStringError(""); }

static int fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    std::string message = info.message();
    if (!message.empty())
      llvm::WithColor::error(llvm::errs(), "gnn-compile")
          << makePrintable(message) << "\n";
  });
  return EXIT_FAILURE;
}

static bool isText(OutputKind kind) { return kind <= OutputKind::PTX; }

/// Opens the temporary file that stands for `path`, or standard output.
static llvm::Expected<std::unique_ptr<llvm::raw_fd_ostream>>
openOutput(OutputFiles &files, StringRef path) {
  std::string temporary = "-";
  if (path != "-") {
    llvm::Expected<std::string> added = files.add(path);
    if (!added)
      return added.takeError();
    temporary = *added;
  }
  std::error_code code;
  auto os = std::make_unique<llvm::raw_fd_ostream>(temporary, code);
  if (code)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  return os;
}

/// A full disk is an error, not an abort.
static llvm::Error close(llvm::raw_fd_ostream &os, StringRef path) {
  os.flush();
  if (!os.has_error())
    return llvm::Error::success();
  std::string message = os.error().message();
  os.clear_error();
  return llvm::createStringError("cannot write '" + path + "': " + message);
}

static llvm::Error emitDialect(ModuleOp module, const Options &options,
                               OutputKind kind, const CompilerOptions &compiler,
                               OutputFiles &files) {
  PassManager manager(module.getContext());
  buildPipeline(manager, kind, compiler);
  if (failed(applyPassManagerCLOptions(manager)) || failed(manager.run(module)))
    return llvm::createStringError("'" + options.model +
                                   "' cannot be lowered, see above");
  auto os = openOutput(files, options.output);
  if (!os)
    return os.takeError();
  OpPrintingFlags flags;
  if (options.elideWeights)
    flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
  module.print(**os, flags);
  **os << "\n";
  return close(**os, options.output);
}

/// Text, or one object file.
static llvm::Error emitFile(TranslatedModel &model, const Options &options,
                            OutputKind kind, const CompilerOptions &compiler,
                            TimingScope &timing, OutputFiles &files) {
  TimingScope part = timing.nest("LLVM's optimisations");
  std::unique_ptr<llvm::TargetMachine> machine =
      compiler.target.createMachine(compiler.effort.level);
  optimize(*model.module, *machine, compiler.effort.getPasses());
  part = timing.nest("Machine code");
  auto os = openOutput(files, options.output);
  if (!os)
    return os.takeError();
  if (kind == OutputKind::LLVMIR)
    model.module->print(**os, nullptr);
  else if (llvm::Error error =
               emitMachineCode(*model.module, *machine, kind, **os))
    return error;
  return close(**os, options.output);
}

/// A library or a program, of objects that are made side by side.
static llvm::Error emitLinked(TranslatedModel &model, const Options &options,
                              OutputKind kind, const CompilerOptions &compiler,
                              const char *program,
                              llvm::ThreadPoolInterface *threads,
                              TimingScope &timing, OutputFiles &files) {
  if (kind == OutputKind::Executable)
    addMain(*model.module, model.info);
  ObjectOptions making;
  making.effort = compiler.effort;
  making.parts = options.codeParts;
  making.threads = threads;
  llvm::Expected<std::vector<ObjectCode>> objects =
      makeObjects(model, compiler.target, making, timing.nest("LLVM"));
  if (!objects)
    return objects.takeError();
  TimingScope part = timing.nest("Linking");
  if (kind == OutputKind::StaticLibrary) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
        makeArchive(*objects);
    if (!archive)
      return archive.takeError();
    auto os = openOutput(files, options.output);
    if (!os)
      return os.takeError();
    **os << (*archive)->getBuffer();
    return close(**os, options.output);
  }
  llvm::Expected<std::string> output =
      files.add(options.output, /*isExecutable=*/true);
  if (!output)
    return output.takeError();
  OutputFiles parts;
  std::vector<std::string> paths;
  for (auto [i, object] : llvm::enumerate(*objects)) {
    std::string path = options.output + "." + std::to_string(i) + ".o";
    auto os = openOutput(parts, path);
    if (!os)
      return os.takeError();
    (*os)->write(object.data(), object.size());
    if (llvm::Error error = close(**os, options.output))
      return error;
    paths.push_back(parts.getTemporary(i).str());
  }
  return link(paths, kind, program, *output);
}

/// Whether weights go into a file of their own. Text has none beside it.
static bool hasExternalWeights(ModuleOp module, const Options &options,
                               OutputKind kind) {
  if (options.weights.getNumOccurrences())
    return options.weights == WeightsPlace::External;
  return !isText(kind) && getWeightBytes(module) > kMaxEmbeddedBytes;
}

namespace {
/// Writes the weights while the code that reads them is still being made: much
/// of that keeps one processor busy, and much of this the kernel.
class WeightsWriter {
public:
  WeightsWriter(OutputFiles &files, std::string path,
                llvm::ThreadPoolInterface *threads, TimingScope &timing)
      : files(files), path(std::move(path)), timing(timing) {
    if (threads)
      tasks.emplace(*threads);
  }
  ~WeightsWriter() { llvm::consumeError(finish()); }

  /// The values of `info` must live until the end.
  void start(ModelInfo info) {
    auto opened = openOutput(files, path);
    if (!opened) {
      error = opened.takeError();
      return;
    }
    os = std::move(*opened);
    auto write = [this, info = std::move(info)] {
      TimingScope part = timing.nest("Weights");
      writeWeights(info, [&](ArrayRef<char> bytes) {
        os->write(bytes.data(), bytes.size());
      });
      error = close(*os, path);
    };
    if (tasks)
      tasks->async(std::move(write));
    else
      write();
  }

  llvm::Error finish() {
    if (tasks)
      tasks->wait();
    return std::exchange(error, std::nullopt).value_or(llvm::Error::success());
  }

private:
  OutputFiles &files;
  std::string path;
  TimingScope &timing;
  std::unique_ptr<llvm::raw_fd_ostream> os;
  std::optional<llvm::Error> error;
  std::optional<llvm::ThreadPoolTaskGroup> tasks;
};
} // namespace

static llvm::Error emitHeader(const ModelInfo &info, const Options &options,
                              bool isExternal, OutputFiles &files) {
  SmallString<128> header(options.header);
  if (header.empty()) {
    header = options.output;
    llvm::sys::path::replace_extension(header, "h");
  }
  auto os = openOutput(files, header);
  if (!os)
    return os.takeError();
  writeHeader(info, isExternal, **os);
  return close(**os, header);
}

static llvm::Error run(const Options &options, const char *program) {
  OutputKind kind = options.getKind();
  if (options.output == "-" && !isText(kind))
    return llvm::createStringError(
        "only text goes to standard output; name a file after -o");
  llvm::Expected<CompilerOptions> made = getCompilerOptions(options);
  if (!made)
    return made.takeError();
  CompilerOptions compiler = std::move(*made);
  if (compiler.device.target == GNN_TARGET_CUDA && kind > OutputKind::Object &&
      compiler.device.format == DeviceFormat::PTX)
    llvm::errs() << "note: there is no CUDA toolkit here to make machine code "
                    "with, so the driver will compile the kernels when a "
                    "session is opened\n";
  DialectRegistry registry;
  registerCompilerDialects(registry);
  DefaultTimingManager timings;
  applyDefaultTimingManagerCLOptions(timings);
  TimingScope timing = timings.getRootScope();
  TimingScope part = timing.nest("Reading");
  // One thread needs no pool.
  std::unique_ptr<llvm::DefaultThreadPool> pool;
  if (options.threads != 1)
    pool = std::make_unique<llvm::DefaultThreadPool>(
        llvm::hardware_concurrency(options.threads));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (pool)
    context.setThreadPool(*pool);
  context.printOpOnDiagnostic(false);
  // Shows where errors are in files that were not read as MLIR, too.
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context, llvm::errs());
  OwningOpRef<ModuleOp> module =
      loadModel(context, options.model, llvm::errs());
  if (!module)
    return makeReportedError();

  part.stop();
  compiler.externalWeights = hasExternalWeights(*module, options, kind);
  OutputFiles files;
  if (kind <= OutputKind::LLVMDialect) {
    if (llvm::Error error =
            emitDialect(*module, options, kind, compiler, files))
      return error;
    return files.keep();
  }
  WeightsWriter weights(files, options.output + ".weights", pool.get(), timing);
  FailureOr<TranslatedModel> model = translateModel(
      *module, compiler,
      [](PassManager &manager) { return applyPassManagerCLOptions(manager); },
      timing.nest("Lowering"),
      [&](const ModelInfo &info) {
        if (compiler.externalWeights && info.weightBytes > 0 && !isText(kind) &&
            !getDeviceFormat(kind))
          weights.start(info);
      });
  if (failed(model))
    return llvm::createStringError("'" + options.model +
                                   "' cannot be compiled, see above");
  // MLIR's copy of the weights is not needed any more.
  module = nullptr;
  if (getDeviceFormat(kind)) {
    auto os = openOutput(files, options.output);
    if (!os)
      return os.takeError();
    **os << model->deviceImage;
    if (llvm::Error error = close(**os, options.output))
      return error;
    return files.keep();
  }
  if (llvm::Error error =
          kind > OutputKind::Object
              ? emitLinked(*model, options, kind, compiler, program, pool.get(),
                           timing, files)
              : emitFile(*model, options, kind, compiler, timing, files))
    return error;
  if (llvm::Error error = weights.finish())
    return error;
  part = timing.nest("Header");
  if (!isText(kind))
    if (llvm::Error error =
            emitHeader(model->info, options, compiler.externalWeights, files))
      return error;
  return files.keep();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportExhaustion("gnn-compile");
  Options options;
  // The options of the pass manager name passes.
  registerAllPasses();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a graph neural network ahead of time\n",
      /*Errs=*/nullptr, /*VFS=*/nullptr, "GNN_COMPILE_OPTIONS");
  if (llvm::Error error = run(options, argv[0]))
    return fail(std::move(error));
  return EXIT_SUCCESS;
}
