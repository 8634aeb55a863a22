//===- SanitizerOptions.cpp - What the sanitizers may report ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into every program when GNN_ENABLE_SANITIZERS is on. The environment's
// ASAN_OPTIONS and UBSAN_OPTIONS are read after these.
//
//===----------------------------------------------------------------------===//

// The sanitizers' names for what they look for.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char *__asan_default_options();
extern "C" const char *__ubsan_default_options();

// LLVM's own libraries are not instrumented. Its headers, which are, poison the
// free memory of allocators, and containers the part they do not use; code of
// the libraries then writes there without telling the sanitizer.
//
// Reports end the program with a signal, which is no error that a test expects.
//
// An allocation that does not fit fails as it does without sanitizers, so that
// its error is tested.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:"
         "abort_on_error=1:allocator_may_return_null=1";
}

extern "C" const char *__ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
