//===- Error.cpp - Reporting failures to C callers --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace gnn;

gnn_status rt::fail(gnn_error *error, gnn_status status, const char *format,
                    ...) {
  if (!error)
    return status;
  error->status = status;
  char *message = error->message;
  constexpr int size = sizeof(error->message);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message, size, format, arguments);
  va_end(arguments);
  if (length < 0) {
    snprintf(message, size, "an error message could not be formatted");
    return status;
  }
  if (length >= size) {
    // Cut before a UTF-8 continuation byte, so that no character is halved.
    int end = size - 4;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80)
      --end;
    memcpy(message + end, "...", 4);
  }
  for (char *c = message; *c; ++c)
    if (static_cast<unsigned char>(*c) < 0x20 || *c == 0x7F)
      *c = ' ';
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
