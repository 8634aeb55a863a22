//===- Archive.h - Named arrays ---------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ARCHIVE_H
#define GNN_RUNTIME_ARCHIVE_H

#include "Array.h"

#include "gnn/Runtime/Runtime.h"

#include <memory>
#include <string_view>

namespace gnn::rt {

/// An array of an archive; both members belong to it.
struct ArchiveEntry {
  char *name;
  gnn_tensor tensor;
};

} // namespace gnn::rt

struct gnn_archive {
  gnn::rt::Array<gnn::rt::ArchiveEntry> entries;
  /// What the text `format` says, which files of SciPy's sparse matrices have:
  /// "csr"; empty without it.
  char format[8] = {};

  gnn_archive() = default;
  ~gnn_archive();

  /// Takes `tensor` over, also on failure.
  gnn_status add(std::string_view name, gnn_tensor tensor, gnn_error *error);
  gnn::rt::ArchiveEntry *find(std::string_view name);
  /// Drops the array of that name, if there is one.
  void remove(std::string_view name);
};

namespace gnn::rt {
using ArchivePtr = std::unique_ptr<gnn_archive>;
} // namespace gnn::rt

#endif // GNN_RUNTIME_ARCHIVE_H
