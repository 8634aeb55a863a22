//===- Error.h - Reporting failures to C callers ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ERROR_H
#define GNN_RUNTIME_ERROR_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// Fills `Error`, where there is one, with a printf-formatted sentence and
/// returns `Status`. Control characters are replaced by spaces, and a sentence
/// that is too long ends in "...".
gnn_status fail(gnn_error *Error, gnn_status Status, const char *Format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports that `Bytes` bytes for `What` could not be allocated.
gnn_status failMemory(gnn_error *Error, const char *What, int64_t Bytes);

/// Reports that the pointer argument `Name` is NULL.
gnn_status failNull(gnn_error *Error, const char *Function, const char *Name);

} // namespace gnn::rt

#endif // GNN_RUNTIME_ERROR_H
