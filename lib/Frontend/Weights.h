//===- Weights.h - The state_dict of a model --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_WEIGHTS_H
#define GNN_LIB_FRONTEND_WEIGHTS_H

#include "Description.h"
#include "gnn/Frontend/Safetensors.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"

namespace gnn::frontend {

/// The layer that needs an entry, for messages.
struct WeightOwner {
  std::string description;
  Position position;
};

/// The entries of a state_dict and what became of them.
class Weights {
public:
  /// Without a file, every entry is missing.
  Weights(std::optional<Safetensors> file, llvm::StringRef path,
          Reporter &reporter)
      : file(std::move(file)), path(path), reporter(reporter) {}

  /// What the names in the file begin with, before those that layers know.
  void setPrefix(llvm::StringRef text) { prefix = text.str(); }
  bool has(llvm::StringRef name) const { return lookup(prefix + name.str()); }
  /// An entry that may be there but has no part in the result.
  void ignore(llvm::StringRef name) { ignoreEntry(prefix + name.str()); }
  /// The same by its full name.
  void ignoreEntry(llvm::StringRef name) { used.insert(name); }
  /// The values of an entry, none if it is faulty. Another shape or dtype is
  /// reported now, that it is missing by `finish`.
  std::vector<float> read(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                          const WeightOwner &owner);
  /// Reports entries that are missing or that nobody used.
  llvm::LogicalResult finish();

private:
  const Safetensors::Entry *lookup(llvm::StringRef name) const {
    return file ? file->lookup(name) : nullptr;
  }

  /// What stands before the names of all missing entries in the file, as that
  /// of the module that a model was wrapped in. Empty if nothing does.
  llvm::StringRef findStrayPrefix() const;

  struct Missing {
    std::string name;
    llvm::SmallVector<int64_t> shape;
    WeightOwner owner;
  };

  std::optional<Safetensors> file;
  std::string path;
  std::string prefix;
  Reporter &reporter;
  llvm::StringSet<> used;
  /// Entries that have been reported or will be: a layer may read one twice.
  llvm::StringSet<> faulty;
  std::vector<Missing> missing;
};

/// Values as an attribute backed by a 64-byte aligned blob called `name`.
mlir::DenseResourceElementsAttr makeResource(mlir::MLIRContext *context,
                                             llvm::StringRef name,
                                             llvm::ArrayRef<float> values,
                                             llvm::ArrayRef<int64_t> shape);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_WEIGHTS_H
