//===- gnn-compile.cpp - Ahead-of-time compiler of models -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Compiler.h"
#include "gnn/Compiler/OutputFiles.h"
#include "gnn/InitAll.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace gnn;
namespace cl = llvm::cl;

namespace {
enum class WeightsPlace { Embedded, External };

/// The options live in main, so that nothing is global.
struct Options {
  cl::OptionCategory category{"gnn-compile options"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("MODEL (a folder or a .mlir file)"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::Required, cl::value_desc("file"),
                              cl::desc("Output file, or - for text"),
                              cl::cat(category)};
  cl::opt<OutputKind> emit{
      "emit",
      cl::desc("What to make (default: by the output's ending, else so)"),
      cl::values(
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
      cl::init(OutputKind::SharedLibrary), cl::cat(category)};
  cl::opt<std::string> cpu{
      "target-cpu", cl::init("native"),
      cl::desc("native, x86-64, x86-64-v2, -v3, -v4, aarch64 or a processor "
               "that LLVM knows; or several, separated by commas, of which the "
               "first that a machine has the features of runs there; or "
               "portable: all that make a difference, down to x86-64"),
      cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::value_desc("name"),
      cl::desc("cpu, cuda, gpu-emu (kernels for a GPU, run by an emulator), or "
               "the triple of a CPU (default: from --target-cpu)"),
      cl::cat(category)};
  cl::opt<std::string> effort{
      "O", cl::Prefix, cl::value_desc("0|1|2|3"),
      cl::desc("How much LLVM does for the speed of code for the CPU (default: "
               "3, with --target=gpu-emu 0)"),
      cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::init("sm_90"),
      cl::desc("With --target=cuda: the compute capability of the GPU"),
      cl::cat(category)};
  cl::opt<WeightsPlace> weights{
      "weights", cl::desc("Where weights go"),
      cl::values(clEnumValN(WeightsPlace::Embedded, "embedded",
                            "into the code (default up to 16 MiB)"),
                 clEnumValN(WeightsPlace::External, "external",
                            "into OUTPUT.weights, mapped at load time (default "
                            "from there)")),
      cl::init(WeightsPlace::Embedded), cl::cat(category)};
  cl::opt<std::string> header{
      "header", cl::value_desc("file"),
      cl::desc("C header (default: the output's name with .h)"),
      cl::cat(category)};
  cl::opt<bool> verifyEach{
      "verify-each",
      cl::desc("Verify the IR after every pass, not only after the last"),
      cl::cat(category)};
  cl::opt<bool> elideWeights{"elide-weights",
                             cl::desc("Leave large constants out of text"),
                             cl::cat(category)};
  cl::opt<bool> fuse{"fuse", cl::init(true),
                     cl::desc("Fuse messages into aggregations"),
                     cl::cat(category)};
  cl::opt<bool> reorderLinear{"reorder-linear", cl::init(true),
                              cl::desc("Aggregate on the narrower side"),
                              cl::cat(category)};
  cl::opt<bool> sparseFeatures{
      "sparse-features", cl::init(true),
      cl::desc("Multiply only the listed entries of sparse inputs"),
      cl::cat(category)};
  cl::opt<TopologyChoice> topology{
      "topology", cl::desc("What attention over listed edges runs on"),
      cl::values(clEnumValN(TopologyChoice::Automatic, "auto",
                            "listed edges or all pairs, by density (default)"),
                 clEnumValN(TopologyChoice::Sparse, "sparse", "listed edges"),
                 clEnumValN(TopologyChoice::Dense, "dense", "all pairs")),
      cl::init(TopologyChoice::Automatic), cl::cat(category)};
  cl::opt<int64_t> longRowEdges{
      "long-row-edges", cl::init(-1), cl::value_desc("number"),
      cl::desc("Edges of a part of a long row, which threads share; 0: rows "
               "stay whole (default: 256 on GPUs, 0 on CPUs)"),
      cl::cat(category)};
  cl::opt<std::string> precision{
      "precision", cl::init("f32"), cl::value_desc("f32|bf16|f16|tf32"),
      cl::desc("Factors of matrix products: f32, or bf16 with sums in f32; for "
               "GPUs also f16 and tf32"),
      cl::cat(category)};
  cl::opt<bool> matrixTiles{
      "matrix-tiles", cl::init(true),
      cl::desc("Use AMX for bf16, where the processor has it"),
      cl::cat(category)};
  cl::opt<bool> scalef{
      "scalef", cl::init(true),
      cl::desc("Use AVX-512's scalef for exponentials of softmaxes, where the "
               "processor has it"),
      cl::cat(category)};
  cl::opt<bool> vectorize{"vectorize", cl::init(true),
                          cl::desc("Emit vector code"), cl::cat(category)};
  cl::opt<bool> fuseEpilogues{
      "fuse-epilogues", cl::init(true),
      cl::desc("Apply biases and activations where rows are computed"),
      cl::cat(category)};
  cl::opt<bool> splitPreparation{
      "split-preparation", cl::init(CompilerOptions().splitPreparation),
      cl::desc("Let sessions keep what depends on graphs and weights alone"),
      cl::cat(category)};
  cl::opt<bool> tileProducts{
      "tile-products", cl::init(true),
      cl::desc("For GPUs: multiply matrices by tiles of blocks of threads"),
      cl::cat(category)};
  cl::opt<bool> tileRowReductions{
      "tile-row-reductions", cl::init(true),
      cl::desc("For GPUs: give rows of norms and of softmax to lanes of "
               "warps"),
      cl::cat(category)};
  cl::opt<bool> tileAttention{
      "tile-attention", cl::init(true),
      cl::desc("For GPUs: keep tiles of attention over all pairs in registers "
               "of warps"),
      cl::cat(category)};
  cl::opt<bool> skipRescaling{
      "skip-rescaling", cl::init(true),
      cl::desc("For GPUs: multiply sums of attention where a maximum of the "
               "warp has moved, not always"),
      cl::cat(category)};
  cl::opt<bool> planMemory{
      "plan-memory", cl::init(true),
      cl::desc("For GPUs: ask for the memory of a run at once (default: not "
               "for gpu-emu)"),
      cl::cat(category)};
  cl::opt<bool> packKernels{
      "pack-kernels", cl::init(true),
      cl::desc("For GPUs: compress the kernels in libraries"),
      cl::cat(category)};
  cl::opt<bool> pack{"pack", cl::init(true),
                     cl::desc("Store weights the way products read them"),
                     cl::cat(category)};
  cl::opt<bool> prefetch{"prefetch", cl::init(true),
                         cl::desc("Ask early for what loops will read"),
                         cl::cat(category)};
  cl::opt<bool> stream{
      "stream", cl::init(true),
      cl::desc("Store results that no cache holds past the caches"),
      cl::cat(category)};
  cl::opt<bool> keepCostly{
      "keep-costly", cl::init(true),
      cl::desc("Leave divisions and their like where there are few of them"),
      cl::cat(category)};
  cl::opt<bool> deferNaN{
      "defer-nan", cl::init(true),
      cl::desc("Look for NaN after loops of maxima, not in them (x86)"),
      cl::cat(category)};
  cl::opt<bool> clusterRows{
      "cluster-rows", cl::init(true),
      cl::desc("Take wide rows that share sources one after another"),
      cl::cat(category)};
  cl::opt<bool> orderRows{
      "order-rows", cl::init(true),
      cl::desc("Take narrow rows of as many edges one after another"),
      cl::cat(category)};
  cl::opt<bool> balance{"balance", cl::init(true),
                        cl::desc("Share out rows by their edges"),
                        cl::cat(category)};
  cl::opt<bool> outline{
      "outline", cl::init(true),
      cl::desc("Make functions of parallel regions, equal ones once"),
      cl::cat(category)};
  cl::opt<bool> parallelize{"parallelize", cl::init(true),
                            cl::desc("Emit OpenMP threads"), cl::cat(category)};
};
} // namespace

/// Weights of more bytes than these slow LLVM and the linker down for nothing.
static constexpr int64_t kMaxEmbeddedBytes = 16 << 20;

/// A failure whose reason was printed where it was found.
static llvm::Error makeReportedError() { return llvm::createStringError(""); }

static int fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    std::string message = info.message();
    if (!message.empty())
      llvm::WithColor::error(llvm::errs(), "gnn-compile") << message << "\n";
  });
  return EXIT_FAILURE;
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

static bool isText(OutputKind kind) { return kind <= OutputKind::PTX; }

/// What is asked for, if it is what a device loads.
static std::optional<DeviceFormat> getDeviceFormat(OutputKind kind) {
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

static llvm::Error emitCode(TranslatedModel &model, const Options &options,
                            OutputKind kind, const CompilerOptions &compiler,
                            const char *program, TimingScope &timing,
                            OutputFiles &files) {
  TimingScope part = timing.nest("LLVM's optimisations");
  std::unique_ptr<llvm::TargetMachine> machine =
      compiler.target.createMachine(compiler.effort);
  if (kind == OutputKind::Executable)
    addMain(*model.module, model.info);
  optimize(*model.module, *machine);
  part = timing.nest("Machine code");

  // What is linked goes through an object file of its own.
  bool isLinked = kind > OutputKind::Object;
  bool isExecutable = kind > OutputKind::StaticLibrary;
  if (isLinked)
    if (llvm::Error error = files.add(options.output, isExecutable).takeError())
      return error;
  OutputFiles objects;
  std::string objectPath = options.output + (isLinked ? ".o" : "");
  auto os = openOutput(isLinked ? objects : files, StringRef(objectPath));
  if (!os)
    return os.takeError();
  if (kind == OutputKind::LLVMIR) {
    model.module->print(**os, nullptr);
  } else {
    llvm::Error error = emitMachineCode(*model.module, *machine, kind, **os);
    if (error)
      return error;
  }
  if (llvm::Error error = close(**os, options.output))
    return error;
  if (!isLinked)
    return llvm::Error::success();
  part = timing.nest("Linking");
  return link(objects.getTemporary(0), kind, program, files.getTemporary(0));
}

/// Whether weights go into a file of their own. Text has none beside it.
static bool hasExternalWeights(ModuleOp module, const Options &options,
                               OutputKind kind) {
  if (options.weights.getNumOccurrences())
    return options.weights == WeightsPlace::External;
  return !isText(kind) && getWeightBytes(module) > kMaxEmbeddedBytes;
}

/// The header and the weights that go with the code.
static llvm::Error emitCompanions(const ModelInfo &info, const Options &options,
                                  bool isExternal, OutputFiles &files) {
  if (isExternal && info.weightBytes > 0) {
    std::string path = options.output + ".weights";
    auto os = openOutput(files, path);
    if (!os)
      return os.takeError();
    std::vector<char> bytes = serializeWeights(info);
    (*os)->write(bytes.data(), bytes.size());
    if (llvm::Error error = close(**os, path))
      return error;
  }
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
  StringRef level = options.effort;
  if (options.effort.getNumOccurrences() == 0) {
    // Emulated kernels are for tests, which compile more than they run.
    if (compiler.device.target == GNN_TARGET_GPU_EMULATED)
      compiler.effort = llvm::CodeGenOptLevel::None;
    return llvm::Error::success();
  }
  std::optional<llvm::CodeGenOptLevel> effort;
  if (level.size() == 1)
    effort = llvm::CodeGenOpt::parseLevel(level.front());
  if (!effort)
    return llvm::createStringError("unknown level -O" + level +
                                   ", expected -O0, -O1, -O2 or -O3");
  compiler.effort = *effort;
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

static llvm::Error run(const Options &options, const char *program) {
  OutputKind kind = options.emit.getNumOccurrences()
                        ? OutputKind(options.emit)
                        : getKindByEnding(options.output);
  if (options.output == "-" && !isText(kind))
    return llvm::createStringError(
        "only text goes to standard output; name a file after -o");
  CompilerOptions compiler;
  // What is no device is the triple of a CPU.
  std::optional<gnn_target> name = getTargetByName(options.target);
  llvm::Expected<DeviceSpec> device = DeviceSpec::get(
      name.value_or(GNN_TARGET_CPU), options.chip, getDeviceFormat(kind));
  if (!device)
    return device.takeError();
  compiler.device = std::move(*device);
  if (compiler.device.target == GNN_TARGET_CUDA && kind > OutputKind::Object &&
      compiler.device.format == DeviceFormat::PTX)
    llvm::errs() << "note: there is no CUDA toolkit here to make machine code "
                    "with, so the driver will compile the kernels when a "
                    "session is opened\n";
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
  compiler.fuse = options.fuse;
  compiler.reorderLinear = options.reorderLinear;
  compiler.sparseFeatures = options.sparseFeatures;
  compiler.topology = options.topology;
  if (options.longRowEdges.getNumOccurrences() > 0) {
    if (options.longRowEdges < 0)
      return llvm::createStringError(
          "--long-row-edges must be at least 0, got " +
          llvm::Twine(options.longRowEdges));
    compiler.longRowEdges = options.longRowEdges;
  }
  compiler.matrixTiles = options.matrixTiles;
  compiler.scalef = options.scalef;
  compiler.vectorize = options.vectorize;
  compiler.fuseEpilogues = options.fuseEpilogues;
  compiler.splitPreparation = options.splitPreparation;
  compiler.tileProducts = options.tileProducts;
  compiler.tileAttention = options.tileAttention;
  compiler.tileRowReductions = options.tileRowReductions;
  compiler.skipRescaling = options.skipRescaling;
  if (options.planMemory.getNumOccurrences() > 0)
    compiler.planMemory = options.planMemory;
  compiler.packKernels = options.packKernels;
  compiler.pack = options.pack;
  compiler.prefetch = options.prefetch;
  compiler.stream = options.stream;
  compiler.keepCostly = options.keepCostly;
  compiler.verifyEach = options.verifyEach;
  compiler.deferNaN = options.deferNaN;
  compiler.clusterRows = options.clusterRows;
  compiler.orderRows = options.orderRows;
  compiler.balance = options.balance;
  compiler.outline = options.outline;
  compiler.parallelize = options.parallelize;
  DialectRegistry registry;
  registerCompilerDialects(registry);
  DefaultTimingManager timings;
  applyDefaultTimingManagerCLOptions(timings);
  TimingScope timing = timings.getRootScope();
  TimingScope part = timing.nest("Reading");
  MLIRContext context(registry);
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
  FailureOr<TranslatedModel> model = translateModel(
      *module, compiler,
      [](PassManager &manager) { (void)applyPassManagerCLOptions(manager); },
      timing.nest("Lowering"));
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
          emitCode(*model, options, kind, compiler, program, timing, files))
    return error;
  part = timing.nest("Weights and header");
  if (!isText(kind))
    if (llvm::Error error = emitCompanions(model->info, options,
                                           compiler.externalWeights, files))
      return error;
  return files.keep();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  // The options of the pass manager name passes.
  registerAllPasses();
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
