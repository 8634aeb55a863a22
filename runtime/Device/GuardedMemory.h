//===- GuardedMemory.h - Blocks with guards around them ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_GUARDEDMEMORY_H
#define GNN_RUNTIME_DEVICE_GUARDEDMEMORY_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

/// The memory of an emulated device: blocks that say when something has been
/// written beside them. What was not written reads as NaN, or as -1.
class GuardedMemory {
public:
  /// What addresses of blocks are multiples of, and no more.
  static constexpr int64_t alignment = 64;
  /// Bytes before and behind a block that are watched.
  static constexpr int64_t guardBytes = 256;

  GuardedMemory() = default;
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  ~GuardedMemory();

  /// NULL if memory is short.
  void *allocate(int64_t bytes);
  /// False if `block` is none.
  bool release(void *block);

  /// Whether these bytes lie within one block.
  bool contains(const void *address, int64_t bytes) const;

  struct Damage {
    int64_t blockBytes;
    int64_t offset; ///< Of what was written, from the start of the block.
  };
  /// Looks for a guard that was written to; repairs it.
  bool findDamage(Damage &damage);

  gnn_memory_usage getUsage() const;

private:
  struct Block;

  Block *blocks = nullptr;
  int64_t bytesInUse = 0;
  int64_t numRequests = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_GUARDEDMEMORY_H
