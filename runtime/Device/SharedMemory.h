//===- SharedMemory.h - Watched workgroup memory ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_SHAREDMEMORY_H
#define GNN_RUNTIME_DEVICE_SHAREDMEMORY_H

#include "../Array.h"

namespace gnn::rt {

/// The workgroup memory of the block that is running, and who has touched each
/// of its bytes. Barriers divide what a block does into epochs; what two
/// threads do in the same one has no order.
class SharedMemory {
public:
  static constexpr int64_t alignment = 128;

  enum class Finding {
    None,
    Outside,   ///< Of the memory.
    Unwritten, ///< Read, but not written in this block.
    Race,      ///< Another thread's access has no order with this one.
    Copied,    ///< A copy to there was begun and not waited for.
  };
  struct Report {
    Finding finding = Finding::None;
    int64_t byte = 0; ///< The first that was wrong.
    /// Of a race: the other thread, or -1 if several, and what it did; of a
    /// copy, who has begun it.
    int32_t other = 0;
    bool otherWrites = false;
  };

  /// Makes room for `bytes` bytes; false if memory is short.
  bool resize(int64_t bytes);

  char *data() { return memory; }
  int64_t size() const { return numBytes; }

  /// Nothing is written as yet.
  void beginBlock();
  /// Copies that were begun end nowhere.
  void forget() { clearShadow(); }
  /// All threads have come to a barrier.
  void beginEpoch() { ++epoch; }

  Report noteRead(const void *address, int64_t bytes, int32_t thread);
  Report noteWrite(const void *address, int64_t bytes, int32_t thread);

  /// From the one to the other nobody may touch the bytes.
  Report beginCopy(const void *address, int64_t bytes, int32_t thread);
  void endCopy(const void *address, int64_t bytes, int32_t thread);

private:
  /// Of one byte: the epochs in which it was last written and read, and by
  /// whom.
  struct Shadow {
    uint32_t written;
    uint32_t read;
    int16_t writer;
    int16_t reader; ///< Or `several`.
  };
  static constexpr int16_t several = -1;
  /// In place of the epoch in which a byte was written.
  static constexpr uint32_t copied = UINT32_MAX;

  bool findBytes(const void *address, int64_t bytes, Report &report) const;
  /// Whether another thread has written the byte since the last barrier.
  bool isOthers(const Shadow &byte, int32_t thread, Report &report) const;
  /// Whether a copy has been begun to there.
  static bool isCopied(const Shadow &byte, Report &report);
  void clearShadow();

  Array<char> storage;
  Array<Shadow> shadow;
  char *memory = nullptr;
  int64_t numBytes = 0;
  /// Epochs of all blocks are counted, so that what an earlier block has
  /// written needs not be forgotten byte by byte. None is 0.
  uint32_t epoch = 1;
  uint32_t firstEpoch = 1; ///< Of this block.
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_SHAREDMEMORY_H
