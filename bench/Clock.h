//===- Clock.h - Seconds of a measurement -----------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_CLOCK_H
#define GNN_BENCH_CLOCK_H

#include <cstdint>
#include <ctime>

namespace gnn::bench {

/// Seconds since some moment. What one thread does is measured by the time that
/// a processor spent on it, which other programs on the machine disturb less;
/// threads that wait for each other are measured by elapsed time.
inline double getSeconds(int32_t threads) {
  timespec now;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace gnn::bench

#endif // GNN_BENCH_CLOCK_H
