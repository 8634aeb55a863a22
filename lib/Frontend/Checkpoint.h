//===- Checkpoint.h - Checkpoints of Transformers ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_CHECKPOINT_H
#define GNN_LIB_FRONTEND_CHECKPOINT_H

#include "Description.h"
#include "gnn/Frontend/Safetensors.h"

namespace gnn::frontend {

/// A folder that Hugging Face's Transformers or Sentence Transformers saved.
struct CheckpointFolder {
  /// That of config.json and model.safetensors.
  std::string folder;
  /// What Sentence Transformers makes of the rows of a sentence: layer types
  /// whose results are put side by side. None for the rows themselves.
  llvm::SmallVector<llvm::StringRef> pools;
  bool normalizes = false;
};

/// What a checkpoint is in this compiler's terms.
struct Checkpoint {
  /// As model.yaml would have it, with places in config.json.
  Node description;
  /// Of all names in the state_dict.
  std::string prefix;
  /// Full names of entries that have no part in the result.
  std::vector<std::string> ignored;
};

/// The path of `file` in `folder`.
std::string joinPath(llvm::StringRef folder, llvm::StringRef file);

/// Reads a YAML or JSON file. The reporter's errors are about this file from
/// then on.
llvm::FailureOr<Node> readDescriptionFile(llvm::StringRef path,
                                          Reporter &reporter);

/// Looks whether `folder` is such a folder, and reads modules.json if there is
/// one. Nothing without config.json and modules.json.
llvm::FailureOr<std::optional<CheckpointFolder>>
findCheckpoint(llvm::StringRef folder, Reporter &reporter);

/// Describes the encoder of `config`, a config.json. `weights` are those of the
/// file at `weightsPath`, `name` the model's.
llvm::FailureOr<Checkpoint>
translateCheckpoint(const CheckpointFolder &folder, const Node &config,
                    const Safetensors *weights, llvm::StringRef weightsPath,
                    llvm::StringRef name, Reporter &reporter);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_CHECKPOINT_H
