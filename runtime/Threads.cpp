//===- Threads.cpp - Number of threads --------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

// Declared here and not taken from omp.h: the compiler's own header may belong
// to another OpenMP runtime than libomp, which compiled models use.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" void omp_set_num_threads(int threads);
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int omp_get_max_threads(void);

using namespace gnn::rt;

// libomp ends the process when it cannot start a thread.
static constexpr int32_t maxThreads = 4096;

gnn_status gnn_set_num_threads(int32_t threads, gnn_error *error) {
  if (threads < 1 || threads > maxThreads)
    return fail(error, GNN_INVALID_ARGUMENT,
                "a model cannot run on %d threads; give 1 to %d", threads,
                maxThreads);
  omp_set_num_threads(threads);
  return GNN_OK;
}

int32_t gnn_num_threads(void) { return omp_get_max_threads(); }
