//===- Exhaustion.cpp - Errors of a process without room --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/Exhaustion.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

/// Must not ask for memory.
static void endWithoutMemory(void *program, const char *, bool) {
  for (const char *part :
       {static_cast<const char *>(program),
        ": error: there is not enough memory for this model\n"})
    if (write(STDERR_FILENO, part, strlen(part)) < 0)
      break;
  // Removes temporary files.
  llvm::sys::RunInterruptHandlers();
  _exit(EXIT_FAILURE);
}

void gnn::reportExhaustion(const char *program) {
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::install_bad_alloc_error_handler(endWithoutMemory,
                                        const_cast<char *>(program));
}
