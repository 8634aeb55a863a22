//===- Compiler.cpp - From a module of gnn IR to LLVM IR --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Compiler.h"
#include "SmallRegions.h"
#include "gnn/Codegen/GPU/Pipelines.h"
#include "gnn/Codegen/Pipelines.h"
#include "gnn/Compiler/PeriodicVerifier.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Dialect/GNN/Preparation.h"
#include "gnn/Frontend/Frontend.h"
#include "gnn/InitAll.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace gnn;

void gnn::registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerFrontendDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}

std::optional<Precision> gnn::parsePrecision(StringRef name) {
  return llvm::StringSwitch<std::optional<Precision>>(name)
      .Case("f32", Precision::Float32)
      .Case("bf16", Precision::BFloat16)
      .Case("f16", Precision::Float16)
      .Case("tf32", Precision::TF32)
      .Default(std::nullopt);
}

/// Whether the constants whose values stand behind the IR have them.
static LogicalResult verifyResources(ModuleOp module) {
  WalkResult walk = module.walk([](arith::ConstantOp op) {
    auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!value)
      return WalkResult::advance();
    auto handle = value.getRawHandle();
    const AsmResourceBlob *blob = handle.getBlob();
    if (!blob) {
      op.emitError() << "the file does not have the values of '"
                     << handle.getKey()
                     << "'; was it printed with --elide-weights?";
      return WalkResult::interrupt();
    }
    size_t bytes = llvm::divideCeil(
        value.getNumElements() * value.getElementType().getIntOrFloatBitWidth(),
        8);
    if (blob->getData().size() != bytes) {
      op.emitError() << "'" << handle.getKey() << "' has "
                     << blob->getData().size() << " bytes, but a "
                     << value.getType() << " has " << bytes;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

OwningOpRef<ModuleOp> gnn::loadModel(MLIRContext &context, StringRef path,
                                     raw_ostream &errors) {
  if (llvm::sys::fs::is_directory(path))
    return importModel(context, path, errors);
  if (!path.ends_with(".mlir") && path != "-") {
    StringRef folder = llvm::sys::path::parent_path(path);
    StringRef name = llvm::sys::path::filename(path);
    if (llvm::is_contained(
            {"model.yaml", "model.json", "config.json", "model.safetensors"},
            name) &&
        llvm::sys::fs::exists(path)) {
      errors << "error: '" << path
             << "' is one file of a model; name its folder, '"
             << (folder.empty() ? "." : folder) << "'\n";
      return nullptr;
    }
    errors << "error: '" << path
           << "' is no model, expected a folder with model.yaml or a file of "
              "gnn IR that ends in .mlir"
           << (llvm::sys::fs::exists(path) ? "" : " (it does not exist)")
           << "\n";
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    errors << "error: cannot read '" << path
           << "': " << buffer.getError().message() << "\n";
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, errors);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || !findEntry(*module) || failed(verifyResources(*module)))
    return nullptr;
  return module;
}

int64_t gnn::getWeightBytes(ModuleOp module) {
  int64_t bytes = 0;
  module.walk([&](arith::ConstantOp op) {
    if (auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
      bytes += value.getData().size();
  });
  return bytes;
}

static void setPipelineOptions(const CompilerOptions &options,
                               GNNToLLVMOptions &pipeline) {
  pipeline.topology = options.topology;
  pipeline.precision = options.precision;
  pipeline.bfloat16Instructions = options.target.hasBFloat16Instructions();
  pipeline.streamBytes = options.target.getStreamBytes();
  pipeline.streamGatheredBytes = options.target.getStreamGatheredBytes();
  pipeline.streamPieceBytes = options.target.getStreamPieceBytes();
  pipeline.copyTiles = options.target.copiesTiles();
  pipeline.peelProducts = options.target.peelsProducts();
  pipeline.secondCacheBytes = options.target.getSecondCacheBytes();
  pipeline.vectorWidth = options.target.getVectorWidth();
  pipeline.vectorRegisters = options.target.getNumVectorRegisters();
  pipeline.maskRegisters = options.target.hasMaskRegisters();
  pipeline.splitPreparation = true;
  // The emulator finds what is written beside a buffer of its own.
  pipeline.planMemory = options.device.target == GNN_TARGET_CUDA;
  pipeline.matrixTiles = pipeline.tabulateExponentials = true;
  for (GNNToLLVMOptions::Switch *pass : pipeline.getSwitches())
    if (auto chosen = options.switches.find(pass->ArgStr);
        chosen != options.switches.end())
      *pass = chosen->second;
  // What the processor does not have.
  pipeline.tabulateExponentials =
      pipeline.tabulateExponentials && options.target.hasRegisterTables();
  pipeline.matrixTiles = pipeline.matrixTiles && pipeline.vectorize &&
                         options.precision == Precision::BFloat16 &&
                         options.target.hasMatrixTiles();
  // Without optimisations LLVM crashes where a loop carries a tile.
  if (options.effort.level == llvm::CodeGenOptLevel::None)
    pipeline.matrixTiles = false;
  pipeline.deferNaN =
      pipeline.deferNaN && pipeline.vectorize && !options.target.hasMaximum();
  pipeline.reduceExtrema = pipeline.reduceExtrema && pipeline.relaxZeroSigns &&
                           pipeline.vectorize && !options.target.hasMaximum();
  if (options.device.isGPU())
    chooseGPUOptions(pipeline);
  if (options.longRowEdges)
    pipeline.longRowEdges = *options.longRowEdges;
  if (options.longSegmentEdges)
    pipeline.longSegmentEdges = *options.longSegmentEdges;
}

static void setNVVMOptions(const DeviceSpec &device, NVVMOptions &options) {
  options.chip = device.chip;
  options.toolkit = device.toolkit;
  switch (device.format) {
  case DeviceFormat::PTX:
    options.format = "isa";
    break;
  case DeviceFormat::Cubin:
    options.format = "bin";
    break;
  case DeviceFormat::FatBinary:
    options.format = "fatbin";
    break;
  }
}

void gnn::buildPipeline(PassManager &manager, OutputKind kind,
                        const CompilerOptions &options) {
  if (kind == OutputKind::GNN)
    return;
  GNNToLLVMOptions pipeline;
  setPipelineOptions(options, pipeline);
  buildOptimizePipeline(manager, pipeline);
  buildLowerPipeline(manager, pipeline);
  if (kind == OutputKind::Linalg)
    return;
  if (options.device.isGPU()) {
    buildGPUTilePipeline(manager, pipeline);
    buildGPUBufferizePipeline(manager, pipeline);
    buildGPUMapPipeline(manager, pipeline);
    if (options.device.target == GNN_TARGET_CUDA) {
      NVVMOptions nvvm;
      setNVVMOptions(options.device, nvvm);
      buildGPUNVVMPipeline(manager, nvvm);
      return;
    }
    buildGPUEmulatePipeline(manager);
    return;
  }
  buildVectorizePipeline(manager, pipeline);
  buildBufferizePipeline(manager, pipeline);
  buildToLLVMDialectPipeline(manager, pipeline);
}

/// What the arguments' and results' attributes say is in ModelInfo; LLVM has no
/// use for them, and weights' values would only be in the way. `markWeights`
/// says which arguments were weights.
static void dropPortAttributes(func::FuncOp entry, bool markWeights) {
  auto isOurs = [](NamedAttribute attribute) {
    return isa_and_nonnull<GNNDialect>(attribute.getNameDialect());
  };
  auto filter = [&](DictionaryAttr attributes) {
    SmallVector<NamedAttribute> kept(attributes.getValue());
    llvm::erase_if(kept, isOurs);
    return DictionaryAttr::get(entry.getContext(), kept);
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (DictionaryAttr attributes = entry.getArgAttrDict(i)) {
      entry.setArgAttrs(i, filter(attributes));
      if (markWeights && attributes.contains(GNNDialect::kWeightAttr))
        entry.setArgAttr(i, kFixedAttr,
                         StringAttr::get(entry.getContext(), kWeightPart));
    }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (DictionaryAttr attributes = entry.getResultAttrDict(i))
      entry.setResultAttrs(i, filter(attributes));
}

/// Keeps the model's functions apart from those of the C library, whose names
/// they may have.
static LogicalResult renameFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!function.isExternal() &&
        failed(symbols.rename(function, "gnn." + function.getName().str())))
      return failure();
  return success();
}

/// Takes what `-gnn-split-preparation` says of the entry.
static std::vector<PreparationInfo> takePreparations(Operation *entry) {
  std::vector<PreparationInfo> result;
  auto described = dyn_cast_or_null<ArrayAttr>(
      entry->removeDiscardableAttr(kPreparationsAttr));
  if (!described)
    return result;
  for (auto preparation : described.getAsRange<DictionaryAttr>()) {
    auto get = [&](StringRef name) {
      return SmallVector<int64_t>(
          preparation.getAs<DenseI64ArrayAttr>(name).asArrayRef());
    };
    result.push_back({preparation.getAs<StringAttr>("function").str(),
                      get("inputs"), get("ranks"), get("bytes")});
  }
  return result;
}

/// Gathers what the passes have left about kernels.
static DeviceCode describeDevice(ModuleOp module, const ModelInfo &info,
                                 const CompilerOptions &options) {
  DeviceCode device;
  device.target = options.device.target;
  if (!options.device.isGPU())
    return device;
  device.chip = options.device.chip;
  device.isPacked = options.packKernels;
  auto kernels = module->getAttrOfType<ArrayAttr>(GNNDialect::kKernelsAttr);
  for (auto kernel : kernels.getAsRange<DictionaryAttr>())
    device.kernels.push_back(
        {kernel.getAs<StringAttr>("name").str(),
         kernel.getAs<IntegerAttr>("shared_bytes").getInt()});
  if (auto image =
          module->getAttrOfType<StringAttr>(GNNDialect::kDeviceImageAttr))
    device.image = image.str();
  if (!options.externalWeights)
    device.weights = serializeWeights(info);
  return device;
}

/// Whether nothing is left that has no translation to LLVM IR. What is left are
/// ops that a model in MLIR may have, but that no pass knows.
static LogicalResult verifyTranslatable(ModuleOp module) {
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_present<LLVM::LLVMDialect, omp::OpenMPDialect>(
            op->getDialect()))
      return WalkResult::advance();
    left = op;
    // A cast between types says less than the op that wants it.
    return isa<UnrealizedConversionCastOp>(op) ? WalkResult::advance()
                                               : WalkResult::interrupt();
  });
  if (!left)
    return success();
  return left->emitError() << "'" << left->getName()
                           << "' has no lowering to the LLVM dialect";
}

/// Whether constants are not further from code than its addresses reach.
static LogicalResult verifyConstantSize(ModuleOp module) {
  constexpr int64_t limit = INT32_MAX;
  int64_t bytes = 0, largestBytes = 0;
  LLVM::GlobalOp largest;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!value || !value.getElementType().isIntOrFloat())
      continue;
    int64_t size = llvm::SaturatingMultiply<uint64_t>(
                       value.getNumElements(),
                       value.getElementType().getIntOrFloatBitWidth()) /
                   8;
    bytes = llvm::SaturatingAdd<uint64_t>(bytes, size);
    if (!largest || size > largestBytes)
      std::tie(largest, largestBytes) = std::pair(global, size);
  }
  if (bytes <= limit)
    return success();
  return largest.emitError()
         << "constants have " << bytes << " bytes, this one " << largestBytes
         << ", and code has room for " << limit
         << "; larger ones can be weights in a file (--weights=external) or "
            "inputs";
}

namespace {
/// The model for one processor, as a module of its own.
struct TranslatedVersion {
  ModelInfo info;
  std::string deviceImage;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

static FailureOr<TranslatedVersion>
translateVersion(ModuleOp module, const CompilerOptions &options,
                 llvm::function_ref<LogicalResult(PassManager &)> instrument,
                 TimingScope &timing, llvm::LLVMContext &llvmContext,
                 ModelVersion version,
                 llvm::function_ref<void(const ModelInfo &)> described = {}) {
  MLIRContext *context = module.getContext();
  func::FuncOp entry = findEntry(module);
  if (!entry)
    return failure();
  TimingScope passes = timing.nest("Passes");
  PassManager weights(context);
  weights.enableTiming(passes);
  GNNToLLVMOptions pipeline;
  setPipelineOptions(options, pipeline);
  buildWeightsPipeline(weights, pipeline);
  // A device has weights in its own memory.
  if (options.externalWeights || options.device.isGPU())
    weights.nest<func::FuncOp>().addPass(createExternalizeWeightsPass());
  if (failed(runAndVerify(weights, module, options.verifyEvery)))
    return failure();
  TranslatedVersion result;
  FailureOr<ModelInfo> info = describeModel(entry);
  if (failed(info))
    return failure();
  result.info = std::move(*info);
  if (described)
    described(result.info);
  dropPortAttributes(entry, pipeline.splitPreparation);
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                 UnitAttr::get(context));
  if (failed(renameFunctions(module)))
    return failure();
  std::string name = entry.getName().str();

  PassManager manager(context);
  buildPipeline(manager, OutputKind::LLVMDialect, options);
  manager.enableTiming(passes);
  if (instrument && failed(instrument(manager)))
    return failure();
  // Libdevice is looked for even if no kernel calls it. Where one does,
  // gnn-embed-device-code says that it is missing.
  ScopedDiagnosticHandler ignoreLibdevice(context, [](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    return success(StringRef(text).starts_with("CUDA path: ") ||
                   StringRef(text).starts_with("LibDevice path: "));
  });
  if (failed(runAndVerify(manager, module, options.verifyEvery)) ||
      failed(verifyTranslatable(module)) || failed(verifyConstantSize(module)))
    return failure();

  DeviceCode device = describeDevice(module, result.info, options);
  std::vector<PreparationInfo> preparations =
      takePreparations(module.lookupSymbol(name));
  result.deviceImage = device.image;
  passes.stop();
  TimingScope translation = timing.nest("Translation to LLVM IR");
  result.module =
      translateModuleToLLVMIR(module, llvmContext, result.info.name);
  if (!result.module)
    return module.emitError("cannot be translated to LLVM IR");
  if (pipeline.callRegions)
    callSmallRegions(*result.module);
  std::unique_ptr<llvm::TargetMachine> machine = options.target.createMachine();
  result.module->setTargetTriple(machine->getTargetTriple());
  result.module->setDataLayout(machine->createDataLayout());
  addModelDescription(*result.module, {name, std::move(preparations)},
                      result.info, options.target, device, version);
  return result;
}

/// Adds the versions for other processors to a model, from copies of the
/// module.
static LogicalResult
addFallbacks(MutableArrayRef<OwningOpRef<ModuleOp>> copies,
             const CompilerOptions &options,
             llvm::function_ref<LogicalResult(PassManager &)> instrument,
             TimingScope &timing, TranslatedModel &model) {
  llvm::Linker linker(*model.module);
  for (auto [i, copy] : llvm::enumerate(copies)) {
    CompilerOptions own = options;
    own.target = options.fallbacks[i];
    unsigned number = i + 1;
    FailureOr<TranslatedVersion> version =
        translateVersion(*copy, own, instrument, timing, *model.context,
                         {number, number < copies.size()});
    if (failed(version))
      return failure();
    // There is one weights file.
    if (options.externalWeights &&
        (version->info.weightBytes != model.info.weightBytes ||
         version->info.weightHash != model.info.weightHash))
      return emitError(copy->getLoc())
             << "weights in a file are laid out for one processor, but "
             << options.target.getName() << " and " << own.target.getName()
             << " read them in different ways; use --weights=embedded or name "
                "one processor";
    if (linker.linkInModule(std::move(version->module)))
      return emitError(copy->getLoc())
             << "code for " << own.target.getName() << " cannot be added";
  }
  std::string symbol = ModelVersion().getSymbol(model.info);
  internalizeModule(*model.module, [&](const llvm::GlobalValue &value) {
    return value.getName() == symbol || value.getName() == "gnn_model_entry";
  });
  return success();
}

FailureOr<TranslatedModel>
gnn::translateModel(ModuleOp module, const CompilerOptions &options,
                    llvm::function_ref<LogicalResult(PassManager &)> instrument,
                    TimingScope timing,
                    llvm::function_ref<void(const ModelInfo &)> described) {
  SmallVector<OwningOpRef<ModuleOp>> copies;
  for (size_t i = 0; i < options.fallbacks.size(); ++i)
    copies.push_back(module.clone());
  TranslatedModel result;
  result.context = std::make_unique<llvm::LLVMContext>();
  FailureOr<TranslatedVersion> first =
      translateVersion(module, options, instrument, timing, *result.context,
                       {0, !options.fallbacks.empty()}, described);
  if (failed(first))
    return failure();
  result.info = std::move(first->info);
  result.deviceImage = std::move(first->deviceImage);
  result.module = std::move(first->module);
  if (!copies.empty() &&
      failed(addFallbacks(copies, options, instrument, timing, result)))
    return failure();
  return result;
}
