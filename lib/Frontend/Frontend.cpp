//===- Frontend.cpp - Model folders to gnn IR -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Frontend/Frontend.h"
#include "Checkpoint.h"
#include "ModelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

void gnn::registerFrontendDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, GNNDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  tensor::TensorDialect>();
}

/// Path of the description in `folder`, empty after an error.
static std::string findDescription(StringRef folder, Reporter &reporter) {
  if (!llvm::sys::fs::is_directory(folder)) {
    (void)reporter.fileError(
        folder, llvm::sys::fs::exists(folder)
                    ? "this is no folder; a model is a folder with model.yaml "
                      "and model.safetensors"
                    : "no such folder");
    return "";
  }
  std::string yaml = joinPath(folder, "model.yaml");
  std::string json = joinPath(folder, "model.json");
  bool hasYAML = llvm::sys::fs::exists(yaml);
  bool hasJSON = llvm::sys::fs::exists(json);
  if (hasYAML && hasJSON) {
    (void)reporter.fileError(folder, "the folder has a model.yaml and a "
                                     "model.json; one must go");
    return "";
  }
  if (!hasYAML && !hasJSON) {
    (void)reporter.fileError(folder, "the folder has no model.yaml, no "
                                     "model.json and no config.json");
    return "";
  }
  return hasYAML ? yaml : json;
}

/// The state_dict, or nothing where there is no file: a model without weights
/// needs none.
static FailureOr<std::optional<Safetensors>>
readWeights(const std::string &path, Reporter &reporter) {
  if (!llvm::sys::fs::exists(path))
    return std::optional<Safetensors>();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return reporter.fileError(path, "cannot read the file: " +
                                        buffer.getError().message());
  llvm::Expected<Safetensors> file = Safetensors::parse(std::move(*buffer));
  if (!file)
    return reporter.fileError(path, llvm::toString(file.takeError()));
  return std::optional<Safetensors>(std::move(*file));
}

namespace {
/// What a folder holds.
struct Model {
  Node description;
  std::unique_ptr<Weights> weights;
};
} // namespace

/// A name for the model in `folder`, which C symbols can have a part of.
static std::string getModelName(StringRef folder) {
  SmallString<128> path(folder);
  // Also where the folder is '.'.
  if (llvm::sys::fs::make_absolute(path))
    path = folder;
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  std::string name;
  for (char c : llvm::sys::path::filename(path))
    name += llvm::isAlnum(c) || c == '-' ? c : '_';
  return name.empty() || !llvm::isAlpha(name.front()) ? "model_" + name : name;
}

/// What the first versions of BERT called the weights of norms, which are in
/// old checkpoints still, as Transformers calls them.
static std::string modernizeName(StringRef name) {
  StringRef stem = name;
  if (stem.consume_back("LayerNorm.gamma"))
    return (stem + "LayerNorm.weight").str();
  if (stem.consume_back("LayerNorm.beta"))
    return (stem + "LayerNorm.bias").str();
  return name.str();
}

static FailureOr<Model> readCheckpoint(const CheckpointFolder &checkpoint,
                                       StringRef name, Reporter &reporter) {
  std::string configPath = joinPath(checkpoint.folder, "config.json");
  std::string path = joinPath(checkpoint.folder, "model.safetensors");
  FailureOr<Node> config = readDescriptionFile(configPath, reporter);
  if (failed(config))
    return failure();
  // Transformers would add it to the weights.
  std::string adapter = joinPath(checkpoint.folder, "adapter_config.json");
  if (llvm::sys::fs::exists(adapter))
    return reporter.fileError(adapter,
                              "adapters are not supported; save the model with "
                              "the adapter merged into its weights");
  for (StringRef other : {"model.safetensors.index.json", "pytorch_model.bin"})
    if (!llvm::sys::fs::exists(path) &&
        llvm::sys::fs::exists(joinPath(checkpoint.folder, other)))
      return reporter.fileError(
          path, "there is no such file; the weights in '" + other +
                    "' must be converted to one "
                    "model.safetensors");
  auto file = readWeights(path, reporter);
  if (failed(file))
    return failure();
  if (*file)
    (*file)->rename(modernizeName);
  auto translated = translateCheckpoint(
      checkpoint, *config, *file ? &**file : nullptr, path, name, reporter);
  if (failed(translated))
    return failure();
  Model model;
  model.description = std::move(translated->description);
  model.weights = std::make_unique<Weights>(std::move(*file), path, reporter);
  model.weights->setPrefix(translated->prefix);
  for (const std::string &entry : translated->ignored)
    model.weights->ignoreEntry(entry);
  return model;
}

static FailureOr<Model> readModel(StringRef folder, Reporter &reporter) {
  bool isDescribed = llvm::any_of(
      ArrayRef<StringRef>{"model.yaml", "model.json"}, [&](StringRef file) {
        return llvm::sys::fs::exists(joinPath(folder, file));
      });
  if (!isDescribed) {
    auto checkpoint = findCheckpoint(folder, reporter);
    if (failed(checkpoint))
      return failure();
    if (*checkpoint)
      return readCheckpoint(**checkpoint, getModelName(folder), reporter);
  }
  std::string path = findDescription(folder, reporter);
  if (path.empty())
    return failure();
  FailureOr<Node> description = readDescriptionFile(path, reporter);
  if (failed(description))
    return failure();
  path = joinPath(folder, "model.safetensors");
  auto file = readWeights(path, reporter);
  if (failed(file))
    return failure();
  Model model;
  model.description = std::move(*description);
  model.weights = std::make_unique<Weights>(std::move(*file), path, reporter);
  return model;
}

/// The place in the description that an op was made for.
static Position getPosition(Location loc) {
  Position position;
  loc->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    position = {place.getLine(), place.getColumn()};
    return WalkResult::interrupt();
  });
  return position;
}

OwningOpRef<ModuleOp> gnn::importModel(MLIRContext &context, StringRef folder,
                                       llvm::raw_ostream &errors) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, GNNDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
  Reporter reporter(errors);
  FailureOr<Model> model = readModel(folder, reporter);
  if (failed(model))
    return nullptr;
  Weights &weights = *model->weights;

  // What layers do not check themselves, ops do: for example that they exist
  // for the model's topology.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    std::string message;
    llvm::raw_string_ostream(message) << diagnostic;
    (void)reporter.error(getPosition(diagnostic.getLocation()), message);
  });
  ModelBuilder builder(context, model->description, weights, reporter);
  OwningOpRef<ModuleOp> module = builder.build();
  if (!module || reporter.hadError() || failed(weights.finish()) ||
      failed(verify(*module)))
    return nullptr;
  return module;
}
