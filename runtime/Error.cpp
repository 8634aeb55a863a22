//===- Error.cpp - Reporting failures to C callers --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "gnn/Support/Printable.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace gnn;

gnn_status rt::fail(gnn_error *error, gnn_status status, const char *format,
                    ...) {
  if (!error)
    return status;
  error->status = status;
  constexpr size_t size = sizeof(error->message);
  char text[size];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, size, format, arguments);
  va_end(arguments);
  char *message = error->message;
  if (length < 0) {
    snprintf(message, size, "an error message could not be formatted");
    return status;
  }
  // Whole characters and escape sequences; `cutEnd` leaves room for "...".
  size_t end = 0, cutEnd = 0;
  bool isCut = static_cast<size_t>(length) >= size;
  forEachPrintable(text, [&](std::string_view part) {
    if (end + part.size() >= size) {
      isCut = true;
      return;
    }
    memcpy(message + end, part.data(), part.size());
    end += part.size();
    if (end + strlen("...") < size)
      cutEnd = end;
  });
  strcpy(message + (isCut ? cutEnd : end), isCut ? "..." : "");
  return status;
}

gnn_status rt::failMemory(gnn_error *error, const char *what, int64_t bytes) {
  return fail(error, GNN_OUT_OF_MEMORY, "out of memory: %s needs %lld bytes",
              what, static_cast<long long>(bytes));
}

gnn_status rt::failNull(gnn_error *error, const char *function,
                        const char *name) {
  return fail(error, GNN_INVALID_ARGUMENT, "%s was called with NULL as '%s'",
              function, name);
}
