//===- Calibrators.h - What this machine can do at most ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Loops that do one thing as fast as the machine can, to be timed beside a
// kernel that does the same thing among others: products and sums in registers,
// reads of random rows, exponentials. A machine that other programs share runs
// 40 % faster or slower from minute to minute; the ratio of two loops that take
// turns does not.
//
// This is C so that bench/*.py can call it, too.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_CALIBRATORS_H
#define GNN_BENCH_CALIBRATORS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns what was done per second by `threads` threads
   together: the work of all by the time of the slowest. */

/* Floating point operations, two for each multiply-add, of float32. */
double gnn_bench_fma_rate(int32_t threads);

/* Exponentials of float32, read from and written to the first-level cache. */
double gnn_bench_exp_rate(int32_t threads);

/* Bytes of rows of `width` floats read in the order of `indices`, which lie
   in [0, number of rows of `features`). Rows are added up in registers. */
double gnn_bench_gather_rate(const float *features, int64_t width,
                             const int32_t *indices, int64_t count,
                             int32_t threads);

/* The same with what an aggregation writes: each `edges` rows are added up and
   their sum stored to the next row of every one of `numResults` arrays, which
   have at least `count` / `edges` rows. 0 for widths that there is no loop
   for. */
double gnn_bench_sum_rate(const float *features, int64_t width,
                          const int32_t *indices, int64_t count, int64_t edges,
                          float *const *results, int32_t numResults,
                          int32_t threads);

/* Operations on bfloat16 with sums in float32, two products and two sums for
   each 32 bits of a vector register; 0 where there is no such instruction. */
double gnn_bench_bf16_rate(int32_t threads);

/* The same of the AMX unit; 0 where there is none. */
double gnn_bench_amx_rate(int32_t threads);

/* Parallel regions that do nothing, one after the other. */
double gnn_bench_region_rate(int32_t threads);

/* Barriers of one parallel region. */
double gnn_bench_barrier_rate(int32_t threads);

#ifdef __cplusplus
}
#endif

#endif /* GNN_BENCH_CALIBRATORS_H */
