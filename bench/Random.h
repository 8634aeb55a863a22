//===- Random.h - Numbers drawn from a fixed seed ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_BENCH_RANDOM_H
#define GNN_BENCH_RANDOM_H

#include <cstdint>

namespace gnn::bench {

/// A linear congruential generator with the multiplier and increment of Knuth's
/// MMIX: the same numbers wherever it runs.
class Random {
public:
  /// From 0 to before `bound`.
  int64_t draw(int64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<int64_t>(state >> 33) % bound;
  }

private:
  uint64_t state = 1;
};

} // namespace gnn::bench

#endif // GNN_BENCH_RANDOM_H
