//===- Philox.h - Random numbers from a counter -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator Philox4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): a function of a key
// and a counter without state, so that what is drawn for one purpose does not
// depend on what was drawn before, or in which order.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PHILOX_H
#define GNN_RUNTIME_PHILOX_H

#include <array>
#include <cstdint>

namespace gnn::rt {

/// Ten rounds; key and counter are what is drawn for.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key,
                                      std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * counter[0];
    uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Numbers below a bound, one after the other, for one node at one hop.
class NodeRandom {
public:
  NodeRandom(uint64_t seed, uint32_t node, uint32_t hop)
      : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        node(node), hop(hop) {}

  /// A number from 0 to `bound` - 1. The bounds here are below 2^31, so the
  /// probabilities of two numbers differ by less than one part in 2^33.
  uint32_t below(uint32_t bound) {
    std::array<uint32_t, 4> bits = philox(key, {node, hop, next++, 0});
    uint64_t word = static_cast<uint64_t>(bits[0]) << 32 | bits[1];
    return static_cast<uint32_t>(
        (static_cast<unsigned __int128>(word) * bound) >> 64);
  }

private:
  std::array<uint32_t, 2> key;
  uint32_t node, hop, next = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_PHILOX_H
