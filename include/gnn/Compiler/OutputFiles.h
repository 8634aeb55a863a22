//===- OutputFiles.h - Files that appear together or not at all -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_COMPILER_OUTPUTFILES_H
#define GNN_COMPILER_OUTPUTFILES_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace gnn {

/// Writes files under temporary names beside their own and renames all of them
/// at the end, so that a failure leaves nothing behind.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  /// The temporary name that stands for `path` until `keep`. The file exists.
  llvm::Expected<std::string> add(llvm::StringRef path,
                                  bool isExecutable = false);
  /// The temporary name of the file that was added as number `index`.
  llvm::StringRef getTemporary(size_t index) const {
    return files[index].temporary;
  }
  /// Gives all files their names.
  llvm::Error keep();

private:
  struct File {
    std::string path;
    llvm::SmallString<128> temporary;
  };
  llvm::SmallVector<File> files;
};

} // namespace gnn

#endif // GNN_COMPILER_OUTPUTFILES_H
