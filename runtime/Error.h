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

/// Fills `error`, where there is one, with a printf-formatted sentence and
/// returns `status`. What cannot be printed in a line is escaped (Printable.h),
/// and a sentence that is too long ends in "...".
gnn_status fail(gnn_error *error, gnn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports that `bytes` bytes for `what` could not be allocated.
gnn_status failMemory(gnn_error *error, const char *what, int64_t bytes);

/// Reports that the pointer argument `name` is NULL.
gnn_status failNull(gnn_error *error, const char *function, const char *name);

} // namespace gnn::rt

#endif // GNN_RUNTIME_ERROR_H
