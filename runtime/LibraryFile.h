//===- LibraryFile.h - Files that are to be loaded --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_LIBRARYFILE_H
#define GNN_RUNTIME_LIBRARYFILE_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// Refuses what the loader would not refuse in so many words, or at all.
gnn_status checkLibraryFile(const char *path, gnn_error *error);

} // namespace gnn::rt

#endif // GNN_RUNTIME_LIBRARYFILE_H
