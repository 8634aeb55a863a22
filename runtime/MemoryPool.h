//===- MemoryPool.h - Memory that runs share --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_MEMORYPOOL_H
#define GNN_RUNTIME_MEMORYPOOL_H

#include "KeptBlocks.h"
#include "gnn/Runtime/Runtime.h"

#include <cstddef>
#include <mutex>

namespace gnn::rt {

/// Whether released blocks are kept for the next request.
enum class Reuse {
  Yes,
  No, ///< Each block has its own memory, whose misuse a sanitizer sees.
};

#if defined(__SANITIZE_ADDRESS__)
constexpr Reuse defaultReuse = Reuse::No;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr Reuse defaultReuse = Reuse::No;
#else
constexpr Reuse defaultReuse = Reuse::Yes;
#endif
#else
constexpr Reuse defaultReuse = Reuse::Yes;
#endif

/// The memory of a session: what a run releases serves later requests of about
/// the same size. The system hands out pages that it clears when they are first
/// touched, in the middle of the loop that wants to fill them.
///
/// It holds at most a quarter more than one of the last runs needed, what
/// callers had not yet released included. Any thread may call it; blocks may be
/// released after the session has closed it.
class MemoryPool : public gnn_memory {
public:
  /// What addresses of blocks are multiples of.
  static constexpr size_t alignment = 64;
  /// Blocks from this size on lie on the first small page of a huge one, at
  /// different places one after the other, and ask for such pages. Processors
  /// compare the last twelve bits of addresses, and have loads wait for earlier
  /// stores to the same place of another page.
  static constexpr size_t hugePage = size_t(2) << 20;
  static constexpr size_t smallPage = 4096;
  /// NULL if memory is short.
  static MemoryPool *create(Reuse reuse = defaultReuse);
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// Frees what is kept. The pool itself goes with its last block.
  void close();

  /// Says that what follows belongs to another run.
  void beginRun();

  /// A block of at least `bytes` bytes; NULL if memory is short.
  void *allocateBlock(size_t bytes);

  /// Takes a block back. `block` may be NULL.
  static void releaseBlock(void *block);

  /// Calls generated code, which takes what `allocate` gives as it is: where
  /// memory is short, the code is left in the middle, and what it has not
  /// released is taken back. The bytes that there were none for, or 0. Calls do
  /// not overlap.
  size_t call(void (*code)(void **arguments, gnn_memory *memory),
              void **arguments);

  /// The pool that `memory` is; NULL if it is a device's.
  static MemoryPool *of(gnn_memory &memory);

  gnn_memory_usage getUsage();

  /// Sizes of blocks: four for each power of two, from the alignment up to
  /// 2^48.
  static constexpr int numClasses = 4 * 42 + 1;
  /// The smallest that holds so many bytes; -1 if none does.
  static int classOf(size_t bytes);
  static size_t sizeOf(int sizeClass);

private:
  struct Header;
  struct Call;

  static void *allocateFrom(gnn_memory *memory, int64_t bytes);

  explicit MemoryPool(Reuse reuse);
  ~MemoryPool() = default;

  Header *requestFromSystem(size_t bytes) const;
  static void returnToSystem(Header *header);

  Header *requestBlock(size_t bytes);
  /// Whether it was the last block of a pool that is closed.
  bool takeBack(Header *header);
  /// Removes a block from those that the call has not released.
  void forget(Header *header);
  /// One of these, removed; NULL if there is none.
  Header *takeFirstOfCall();

  const Reuse reuse;
  std::mutex mutex;
  KeptBlocks<Header, numClasses> blocks;
  bool isOpen = true;
  size_t numInUse = 0;
  int64_t systemRequests = 0;
  Call *current = nullptr; ///< NULL between calls of generated code.
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_MEMORYPOOL_H
