//===- CheckpointFolder.cpp - Folders of Transformers -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transformers saves a config.json and a model.safetensors. Sentence
// Transformers adds a modules.json: a list of steps of which the first is a
// folder of that kind, the others say what is made of its rows.
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace gnn::frontend;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using llvm::Twine;

/// Descriptions are written by hand; a larger file is another one.
static constexpr uint64_t kMaxDescriptionBytes = 16 << 20;

std::string gnn::frontend::joinPath(StringRef folder, StringRef file) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return path.str().str();
}

FailureOr<Node> gnn::frontend::readDescriptionFile(StringRef path,
                                                   Reporter &reporter) {
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

//===----------------------------------------------------------------------===//
// Steps of Sentence Transformers
//===----------------------------------------------------------------------===//

namespace {
/// A way to make one row of a sentence's.
struct PoolingMode {
  /// As versions of the library call it: a key that is true or not, and a value
  /// of `pooling_mode`.
  StringRef key, name;
  StringRef layer;
};
} // namespace

/// In the order in which the library puts those side by side whose keys are
/// true; a list has its own order.
static constexpr PoolingMode poolingModes[] = {
    {"pooling_mode_cls_token", "cls", "global_first_pool"},
    {"pooling_mode_max_tokens", "max", "global_max_pool"},
    {"pooling_mode_mean_tokens", "mean", "global_mean_pool"},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens",
     "global_mean_sqrt_pool"},
    {"pooling_mode_weightedmean_tokens", "weightedmean",
     "global_weighted_mean_pool"},
    {"pooling_mode_lasttoken", "lasttoken", "global_last_pool"},
};

/// Adds the layers of `pooling_mode`, a name or a list of names.
static LogicalResult addNamedPools(const Node &modes, CheckpointFolder &result,
                                   Reporter &reporter) {
  for (const Node &name : modes.isSequence() ? llvm::ArrayRef(modes.elements)
                                             : llvm::ArrayRef(modes)) {
    const PoolingMode *mode =
        llvm::find_if(poolingModes, [&](const PoolingMode &candidate) {
          return name.isScalar() && candidate.name == name.text;
        });
    if (mode == std::end(poolingModes))
      return reporter.error(
          name, "'pooling_mode' must be " +
                    formatChoices(llvm::map_to_vector(
                        poolingModes,
                        [](const PoolingMode &known) { return known.name; })) +
                    ", or a list of these, got " + name.describe());
    result.pools.push_back(mode->layer);
  }
  return success();
}

/// Reads the config.json of a Pooling step.
static LogicalResult readPooling(StringRef path, CheckpointFolder &result,
                                 Reporter &reporter) {
  FailureOr<Node> config = readDescriptionFile(path, reporter);
  if (failed(config))
    return failure();
  if (!config->isMapping())
    return reporter.error(*config, "the config.json of a Pooling is a mapping, "
                                   "got " +
                                       config->describe());
  const Node *prompt = config->find("include_prompt");
  if (prompt && !prompt->getBoolean().value_or(true))
    return reporter.error(*prompt, "'include_prompt' must be true: a model is "
                                   "not told which tokens are a prompt");
  bool saysModes = false;
  // Where both are there, names are what counts.
  if (const Node *modes = config->find("pooling_mode")) {
    saysModes = true;
    if (failed(addNamedPools(*modes, result, reporter)))
      return failure();
  } else {
    for (const PoolingMode &mode : poolingModes) {
      const Node *value = config->find(mode.key);
      saysModes |= value != nullptr;
      if (value && value->getBoolean().value_or(false))
        result.pools.push_back(mode.layer);
    }
  }
  if (!saysModes)
    result.pools.push_back("global_mean_pool"); // The library's default.
  if (result.pools.empty())
    return reporter.error(*config, "no pooling mode is chosen; 'pooling_mode' "
                                   "names one or several");
  return success();
}

static LogicalResult readStep(StringRef folder, const Node &step, size_t number,
                              CheckpointFolder &result, Reporter &reporter) {
  const Node *path = step.find("path"), *type = step.find("type");
  if (!path || !type || !path->isScalar() || !type->isScalar())
    return reporter.error(step, "a module is a mapping with 'path' and 'type'");
  // The class without the Python module that it is in.
  StringRef kind = StringRef(type->text).rsplit('.').second;
  if (kind.empty())
    kind = type->text;
  bool isFirst = number == 0;
  if (kind == "Transformer" && isFirst) {
    result.folder =
        path->text.empty() ? folder.str() : joinPath(folder, path->text);
    return success();
  }
  if (kind == "Pooling" && !isFirst && result.pools.empty()) {
    std::string list = reporter.getDescriptionPath().str();
    std::string config = joinPath(joinPath(folder, path->text), "config.json");
    if (failed(readPooling(config, result, reporter)))
      return failure();
    reporter.setDescriptionPath(list);
    return success();
  }
  if (kind == "Normalize" && !result.pools.empty() && !result.normalizes) {
    result.normalizes = true;
    return success();
  }
  return reporter.error(*type, "module " + Twine(number) + " is a '" + kind +
                                   "'; supported are a Transformer, then "
                                   "Pooling, then Normalize");
}

FailureOr<std::optional<CheckpointFolder>>
gnn::frontend::findCheckpoint(StringRef folder, Reporter &reporter) {
  CheckpointFolder result;
  result.folder = folder.str();
  std::string list = joinPath(folder, "modules.json");
  if (!llvm::sys::fs::exists(list)) {
    if (!llvm::sys::fs::exists(joinPath(folder, "config.json")))
      return std::optional<CheckpointFolder>();
    return std::optional(result);
  }
  FailureOr<Node> steps = readDescriptionFile(list, reporter);
  if (failed(steps))
    return failure();
  if (!steps->isSequence() || steps->elements.empty())
    return reporter.error(*steps, "modules.json is a list of modules, got " +
                                      steps->describe());
  for (const auto &[number, step] : llvm::enumerate(steps->elements))
    if (failed(readStep(folder, step, number, result, reporter)))
      return failure();
  return std::optional(result);
}
