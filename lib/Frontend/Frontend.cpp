//===- Frontend.cpp - Model folders to gnn IR -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Frontend/Frontend.h"
#include "ModelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// Descriptions are written by hand; a larger file is another one.
static constexpr uint64_t kMaxDescriptionBytes = 16 << 20;

void gnn::registerFrontendDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, GNNDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  tensor::TensorDialect>();
}

static std::string joinPath(StringRef folder, StringRef file) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return path.str().str();
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
    (void)reporter.fileError(folder, "the folder has no model.yaml and no "
                                     "model.json");
    return "";
  }
  return hasYAML ? yaml : json;
}

static FailureOr<Node> readDescription(StringRef folder, Reporter &reporter) {
  std::string path = findDescription(folder, reporter);
  if (path.empty())
    return failure();
  reporter.setDescriptionPath(path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return reporter.fileError(path, "cannot read the file: " +
                                        buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (text.size() > kMaxDescriptionBytes)
    return reporter.fileError(path, "the file has " + Twine(text.size()) +
                                        " bytes; a description has at most " +
                                        Twine(kMaxDescriptionBytes));
  if (text.contains('\0'))
    return reporter.fileError(path, "this is no text file");
  return parseDescription(text, reporter);
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
  FailureOr<Node> description = readDescription(folder, reporter);
  if (failed(description))
    return nullptr;
  std::string weightsPath = joinPath(folder, "model.safetensors");
  auto file = readWeights(weightsPath, reporter);
  if (failed(file))
    return nullptr;
  Weights weights(std::move(*file), weightsPath, reporter);

  // What layers do not check themselves, ops do: for example that they exist
  // for the model's topology.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    std::string message;
    llvm::raw_string_ostream(message) << diagnostic;
    (void)reporter.error(getPosition(diagnostic.getLocation()), message);
  });
  ModelBuilder builder(context, *description, weights, reporter);
  OwningOpRef<ModuleOp> module = builder.build();
  if (!module || reporter.hadError() || failed(weights.finish()) ||
      failed(verify(*module)))
    return nullptr;
  return module;
}
