//===- Compiler.h - From gnn IR to a file or to code in memory --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_COMPILER_H
#define GNN_COMPILER_COMPILER_H

#include "gnn/Codegen/Pipelines.h"
#include "gnn/Compiler/Device.h"
#include "gnn/Compiler/ModelInfo.h"
#include "gnn/Compiler/Target.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class PassManager;
} // namespace mlir

namespace gnn {

/// What a compilation makes, in the order in which the forms of a model
/// follow on each other.
enum class OutputKind {
  GNN,
  Linalg,
  LLVMDialect,
  LLVMIR,
  Assembly,
  PTX,
  Cubin,
  FatBinary,
  Object,
  StaticLibrary,
  SharedLibrary,
  Executable
};

/// What LLVM does for the speed of code for the CPU.
struct CodeEffort {
  /// Of passes and of machine code.
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Aggressive;
  /// Passes as LLVM's `opt -passes` takes them; empty: those of the level.
  std::string passes;

  llvm::StringRef getPasses() const;
  /// Fails if LLVM does not know the passes.
  llvm::Error verify() const;
};

struct CompilerOptions {
  /// Of the code that runs on the CPU: all of it, or what launches kernels.
  TargetSpec target;
  /// Other processors that there is to be code for, each for machines that
  /// lack what those before it want.
  std::vector<TargetSpec> fallbacks;
  /// Where kernels run, if there are any.
  DeviceSpec device;
  /// Passes that are to be on or off, by their names in GNNToLLVMOptions. On
  /// are all others but those that the target has no use for.
  llvm::StringMap<bool> switches;
  TopologyChoice topology = TopologyChoice::Automatic;
  /// Edges of a part of a long row; the default of the target if not set.
  std::optional<int64_t> longRowEdges;
  /// Nodes of a part of a graph that is large in its batch, likewise.
  std::optional<int64_t> longSegmentEdges;
  Precision precision = Precision::Float32;
  /// Kernels are compressed in libraries.
  bool packKernels = true;
  /// The IR is verified after the last pass, and after one in so many of those
  /// over the whole module; 1: after every pass, which takes a sixth of the
  /// time.
  unsigned verifyEvery = 1;
  /// Weights go into a file of their own.
  bool externalWeights = false;
  CodeEffort effort;
};

/// The dialects of models and of what they become, with their translations to
/// LLVM IR.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// "f32", "bf16", "f16" or "tf32".
std::optional<Precision> parsePrecision(llvm::StringRef name);

/// Reads a model: a folder, see docs/model-format.md, or a file of gnn IR.
/// Mistakes are printed to `errors`; returns null after one.
mlir::OwningOpRef<mlir::ModuleOp> loadModel(mlir::MLIRContext &context,
                                            llvm::StringRef path,
                                            llvm::raw_ostream &errors);

/// Bytes of the model's constants that `externalWeights` would move.
int64_t getWeightBytes(mlir::ModuleOp module);

/// Adds the passes that take a model up to `kind`, or to the LLVM dialect for
/// all that lies beyond it.
void buildPipeline(mlir::PassManager &manager, OutputKind kind,
                   const CompilerOptions &options);

/// A model as LLVM IR.
struct TranslatedModel {
  ModelInfo info;
  /// What the device loads; empty if there is none, or for the emulator.
  std::string deviceImage;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Runs the whole pipeline over `module`, translates it and adds the model's
/// description, which is all that the result exports. With fallbacks, it does
/// so for each processor, and the results are one module. `instrument`, if any,
/// is called on the pass managers before they run; `timing` says how long each
/// part took. `described`, if any, is called when weights have their last form,
/// long before the code has; what it is given is not valid any longer once it
/// returns, but the values of weights are. Emits errors.
llvm::FailureOr<TranslatedModel>
translateModel(mlir::ModuleOp module, const CompilerOptions &options,
               llvm::function_ref<llvm::LogicalResult(mlir::PassManager &)>
                   instrument = {},
               mlir::TimingScope timing = {},
               llvm::function_ref<void(const ModelInfo &)> described = {});

/// What the runtime has to know of a model's kernels.
struct DeviceCode {
  gnn_target target = GNN_TARGET_CPU;
  std::string chip;
  /// What the device loads; empty for the emulator.
  std::string image;
  /// Whether the library has the image compressed.
  bool isPacked = true;
  struct Kernel {
    std::string name;
    int64_t sharedBytes;
  };
  std::vector<Kernel> kernels;
  /// The weights, if they are part of the library.
  std::vector<char> weights;
};

/// Which of a model's descriptions is meant: the first is for the processor
/// that is preferred.
struct ModelVersion {
  unsigned number = 0;
  bool hasFallback = false; ///< Whether another follows.

  /// "x_model", "x_model.1", ...
  std::string getSymbol(const ModelInfo &info) const;
};

/// A function that computes values from graphs and weights alone, see
/// gnn/Dialect/GNN/Preparation.h.
struct PreparationInfo {
  std::string function;
  llvm::SmallVector<int64_t> inputs, ranks, bytes;
};

/// A model's functions, by their names before the C interface.
struct ModelFunctions {
  std::string forward;
  std::vector<PreparationInfo> preparations;
};

/// Puts the constant `NAME_model` of type gnn_model, the code it calls and, for
/// the first version, `gnn_model_entry` into `module`, and makes the rest
/// internal.
void addModelDescription(llvm::Module &module, const ModelFunctions &functions,
                         const ModelInfo &info, const TargetSpec &target,
                         const DeviceCode &device, ModelVersion version);

/// Gives `module`, which has its description, a main function that runs the
/// model as gnn-run does.
void addMain(llvm::Module &module, const ModelInfo &info);

/// Merges equal functions and runs LLVM's passes that `passes` names, which are
/// known to be valid (CodeEffort).
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::StringRef passes);

/// Machine code of `module`: an object, or assembly.
llvm::Error emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                            OutputKind kind, llvm::raw_pwrite_stream &os);

/// The bytes of an object file.
using ObjectCode = llvm::SmallVector<char, 0>;

/// How a model becomes object files.
struct ObjectOptions {
  CodeEffort effort;
  /// How many there are to be; 0: as many as the code is worth. Each is
  /// optimised by itself, and they are the same for any number of threads.
  unsigned parts = 0;
  /// Who does it, if not the calling thread.
  llvm::ThreadPoolInterface *threads = nullptr;
};

/// Object files that are the model's code together, after LLVM's optimisations.
/// Leaves the model's module useless. Only its description can be seen from
/// libraries made of them.
llvm::Expected<std::vector<ObjectCode>>
makeObjects(TranslatedModel &model, const TargetSpec &target,
            const ObjectOptions &options, mlir::TimingScope timing = {});

/// Makes a static library of object files.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeArchive(llvm::ArrayRef<ObjectCode> objects);

/// Makes `outputPath` of object files with the system's compiler driver; for an
/// executable together with the runtime that lies beside `program`, a path of
/// the running program.
llvm::Error link(llvm::ArrayRef<std::string> objectPaths, OutputKind kind,
                 llvm::StringRef program, llvm::StringRef outputPath);

/// A C header that declares the model and says what it takes.
void writeHeader(const ModelInfo &info, bool externalWeights,
                 llvm::raw_ostream &os);

} // namespace gnn

#endif // GNN_COMPILER_COMPILER_H
