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

gnn_status rt::fail(gnn_error *Error, gnn_status Status, const char *Format,
                    ...) {
  if (!Error)
    return Status;
  Error->status = Status;
  char *Message = Error->message;
  constexpr int Size = sizeof(Error->message);
  va_list Arguments;
  va_start(Arguments, Format);
  int Length = vsnprintf(Message, Size, Format, Arguments);
  va_end(Arguments);
  if (Length < 0) {
    snprintf(Message, Size, "an error message could not be formatted");
    return Status;
  }
  if (Length >= Size) {
    // Cut before a UTF-8 continuation byte, so that no character is halved.
    int End = Size - 4;
    while (End > 0 && (static_cast<unsigned char>(Message[End]) & 0xC0) == 0x80)
      --End;
    memcpy(Message + End, "...", 4);
  }
  for (char *C = Message; *C; ++C)
    if (static_cast<unsigned char>(*C) < 0x20 || *C == 0x7F)
      *C = ' ';
  return Status;
}

gnn_status rt::failMemory(gnn_error *Error, const char *What, int64_t Bytes) {
  return fail(Error, GNN_OUT_OF_MEMORY, "out of memory: %s needs %lld bytes",
              What, static_cast<long long>(Bytes));
}

gnn_status rt::failNull(gnn_error *Error, const char *Function,
                        const char *Name) {
  return fail(Error, GNN_INVALID_ARGUMENT, "%s was called with NULL as '%s'",
              Function, Name);
}
