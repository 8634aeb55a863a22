//===- KeptBlocks.h - Which released memory to keep -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_KEPTBLOCKS_H
#define GNN_RUNTIME_KEPTBLOCKS_H

#include <cstddef>
#include <cstdint>

namespace gnn::rt {

/// How much the last runs needed, to decide how much a pool keeps.
class NeedWindow {
public:
  /// What a run needed is forgotten after one to two times as many runs.
  static constexpr int64_t windowRuns = 16;

  /// Says that what follows belongs to another run.
  void beginRun() {
    if (++run % windowRuns == 0) {
      previousPeak = windowPeak;
      windowPeak = 0;
    }
  }

  int64_t getRun() const { return run; }

  void note(size_t bytes) {
    if (bytes > windowPeak)
      windowPeak = bytes;
  }

  /// A quarter more than one of the last runs needed. That is for runs that
  /// take turns: a small graph needs blocks that a large one does not, but not
  /// so many that it were worth freeing the large ones.
  size_t getLimit() const {
    size_t peak = windowPeak > previousPeak ? windowPeak : previousPeak;
    return peak + peak / 4;
  }

private:
  /// The most that a run needed, in this window of runs and the one before.
  size_t windowPeak = 0;
  size_t previousPeak = 0;
  int64_t run = 0;
};

/// What a pool of memory knows of its blocks: those that were released and are
/// kept for later, by size, and how many bytes all take. `Block` has `next`,
/// `bytes`, `run` and `sizeClass`. Blocks are freed by what the pool passes.
template <typename Block, int NumClasses>
class KeptBlocks {
public:
  /// Says that what follows belongs to another run.
  template <typename Free>
  void beginRun(Free free) {
    bytesStale += bytesRecent;
    bytesRecent = 0;
    need.beginRun();
    noteNeed();
    evictStale(free);
  }

  /// A block of a class that is kept no longer; NULL if there is none.
  Block *take(int sizeClass) {
    Block *block = kept[sizeClass];
    if (!block)
      return nullptr;
    kept[sizeClass] = block->next;
    bytesOfAge(*block) -= block->bytes;
    return block;
  }

  /// A block, taken or new, is in use from now on.
  template <typename Free>
  void use(Block *block, int sizeClass, Free free) {
    block->run = need.getRun();
    block->sizeClass = sizeClass;
    bytesInUse += block->bytes;
    noteNeed();
    evictStale(free);
  }

  /// A block is in use no longer.
  void release(const Block *block) { bytesInUse -= block->bytes; }

  /// Keeps a block that was released.
  void keep(Block *block) {
    block->next = kept[block->sizeClass];
    kept[block->sizeClass] = block;
    bytesOfAge(*block) += block->bytes;
  }

  template <typename Free>
  void evictAll(Free free) {
    for (Block *&list : kept)
      while (Block *block = list) {
        list = block->next;
        free(block);
      }
    bytesRecent = bytesStale = 0;
  }

  int64_t getBytesHeld() const {
    return static_cast<int64_t>(bytesInUse + bytesRecent + bytesStale);
  }

private:
  size_t &bytesOfAge(const Block &block) {
    return block.run == need.getRun() ? bytesRecent : bytesStale;
  }

  /// What the current run needs is what is in use, whoever holds it, and what
  /// it has used and released: the same run would want all of that again.
  void noteNeed() { need.note(bytesInUse + bytesRecent); }

  /// Frees blocks that this run has not used, the largest first, until no more
  /// than the limit is held or none is left.
  template <typename Free>
  void evictStale(Free free) {
    size_t limit = need.getLimit();
    for (int i = NumClasses - 1; i >= 0 && bytesStale; --i) {
      Block **link = &kept[i];
      while (Block *block = *link) {
        if (bytesInUse + bytesRecent + bytesStale <= limit)
          return;
        if (block->run == need.getRun()) {
          link = &block->next;
          continue;
        }
        *link = block->next;
        bytesStale -= block->bytes;
        free(block);
      }
    }
  }

  Block *kept[NumClasses] = {};
  size_t bytesInUse = 0;
  /// Of what is kept: used in the current run, and not used in it.
  size_t bytesRecent = 0;
  size_t bytesStale = 0;
  NeedWindow need;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_KEPTBLOCKS_H
