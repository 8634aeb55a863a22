//===- MemoryPool.cpp - Memory that runs share ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Free blocks are kept in a list for each size class. A request takes one of
// exactly its class, so that a run finds all that the same run before it has
// released; were larger blocks taken as well, what is left for a later request
// would depend on how earlier ones were served.
//
//===----------------------------------------------------------------------===//

#include "MemoryPool.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

using namespace gnn::rt;

/// Lies before a block's memory.
struct alignas(MemoryPool::alignment) MemoryPool::Header {
  MemoryPool *pool;
  Header *next;
  size_t bytes; ///< With the header, without what lies before it.
  int64_t run;  ///< The last run that used the block.
  int sizeClass;
  bool isOfCall;            ///< The current call has not released it:
  Header *previous, *later; ///< nor these, NULL at the ends of the list.

  void *getBlock() { return this + 1; }
  static Header *of(void *block) { return static_cast<Header *>(block) - 1; }
};

/// A call of generated code.
struct MemoryPool::Call {
  jmp_buf end;
  pthread_t thread; ///< Others cannot be left from here.
  Header *blocks;   ///< What it has not released.
  size_t missing;   ///< Bytes that there were none for.

  bool isThisThread() const { return pthread_equal(thread, pthread_self()); }
};

void *MemoryPool::allocateFrom(gnn_memory *memory, int64_t bytes) {
  auto *pool = static_cast<MemoryPool *>(memory);
  void *block = pool->allocateBlock(static_cast<size_t>(bytes));
  if (!block && pool->current && pool->current->isThisThread()) {
    pool->current->missing = static_cast<size_t>(bytes);
    // Only generated code, which has nothing to destroy, is between.
    _longjmp(pool->current->end, 1);
  }
  return block;
}

static void releaseTo(gnn_memory *, void *block) {
  MemoryPool::releaseBlock(block);
}

MemoryPool::MemoryPool(Reuse reuse) : gnn_memory(), reuse(reuse) {
  allocate = allocateFrom;
  release = releaseTo;
}

MemoryPool *MemoryPool::of(gnn_memory &memory) {
  return memory.allocate == allocateFrom ? static_cast<MemoryPool *>(&memory)
                                         : nullptr;
}

MemoryPool *MemoryPool::create(Reuse reuse) {
  return new (std::nothrow) MemoryPool(reuse);
}

//===----------------------------------------------------------------------===//
// Size classes
//===----------------------------------------------------------------------===//

/// Class 4 e + q is of (4 + q) / 4 times 64 * 2^e bytes.
int MemoryPool::classOf(size_t bytes) {
  if (bytes <= alignment)
    return 0;
  // In units of a quarter of the power of two below, rounded up.
  int exponent = 63 - __builtin_clzll(bytes - 1);
  int shift = exponent - 2;
  size_t quarters = ((bytes - 1) >> shift) + 1; // 5 .. 8
  int sizeClass = 4 * (exponent - 6) + static_cast<int>(quarters) - 4;
  return sizeClass < numClasses ? sizeClass : -1;
}

size_t MemoryPool::sizeOf(int sizeClass) {
  return static_cast<size_t>(4 + sizeClass % 4) << (4 + sizeClass / 4);
}

//===----------------------------------------------------------------------===//
// The system
//===----------------------------------------------------------------------===//

/// Maps memory that starts on a huge page; NULL if there is none.
static void *mapHuge(size_t bytes) {
  constexpr size_t page = MemoryPool::hugePage;
  // The kernel aligns to small pages: more is mapped, and the ends returned.
  void *mapped = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(mapped);
  size_t before = -reinterpret_cast<uintptr_t>(start) % page;
  if (before)
    munmap(start, before);
  char *aligned = start + before;
  if (before < page)
    munmap(aligned + bytes, page - before);
  // Advice only: without huge pages everything still works.
  madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned;
}

/// A sanitizer watches malloc's memory only.
static bool isMapped(size_t bytes) {
  return defaultReuse == Reuse::Yes && bytes >= MemoryPool::hugePage;
}

/// What is mapped for a block beyond its bytes, so that it can begin later: a
/// whole page of any kernel, as AArch64's may have 64 KiB, for munmap to take.
static constexpr size_t offsetRoom = size_t(64) << 10;

/// Bytes from the start of a page to the `number`-th block that was asked for.
static size_t getOffset(int64_t number) {
  constexpr int64_t places = 8;
  return static_cast<size_t>(number % places) *
         (MemoryPool::smallPage / places);
}

MemoryPool::Header *MemoryPool::requestFromSystem(size_t bytes) const {
  void *memory = nullptr;
  if (isMapped(bytes)) {
    memory = mapHuge(bytes + offsetRoom);
    if (memory)
      memory = static_cast<char *>(memory) + getOffset(systemRequests);
  } else if (posix_memalign(&memory, alignment, bytes) != 0) {
    memory = nullptr;
  }
  if (!memory)
    return nullptr;
  auto *header = new (memory) Header();
  header->bytes = bytes;
  return header;
}

void MemoryPool::returnToSystem(Header *header) {
  if (!isMapped(header->bytes)) {
    free(header);
    return;
  }
  char *memory = reinterpret_cast<char *>(header);
  memory -= reinterpret_cast<uintptr_t>(memory) % smallPage;
  munmap(memory, header->bytes + offsetRoom);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void MemoryPool::beginRun() {
  std::lock_guard<std::mutex> lock(mutex);
  blocks.beginRun(returnToSystem);
}

MemoryPool::Header *MemoryPool::requestBlock(size_t bytes) {
  ++systemRequests;
  if (Header *header = requestFromSystem(bytes))
    return header;
  blocks.evictAll(returnToSystem);
  return requestFromSystem(bytes);
}

void *MemoryPool::allocateBlock(size_t bytes) {
  if (bytes > SIZE_MAX - sizeof(Header))
    return nullptr;
  bytes += sizeof(Header);
  int sizeClass = classOf(bytes);
  if (sizeClass < 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Header *header = blocks.take(sizeClass);
  if (!header)
    header = requestBlock(reuse == Reuse::Yes ? sizeOf(sizeClass) : bytes);
  if (!header)
    return nullptr;
  header->pool = this;
  ++numInUse;
  blocks.use(header, sizeClass, returnToSystem);
  header->isOfCall = current && current->isThisThread();
  if (header->isOfCall) {
    header->previous = nullptr;
    header->later = current->blocks;
    if (header->later)
      header->later->previous = header;
    current->blocks = header;
  }
  return header->getBlock();
}

void MemoryPool::forget(Header *header) {
  if (!header->isOfCall)
    return;
  header->isOfCall = false;
  (header->previous ? header->previous->later : current->blocks) =
      header->later;
  if (header->later)
    header->later->previous = header->previous;
}

MemoryPool::Header *MemoryPool::takeFirstOfCall() {
  std::lock_guard<std::mutex> lock(mutex);
  Header *first = current->blocks;
  if (first) {
    current->blocks = first->later;
    first->isOfCall = false;
    if (first->later)
      first->later->previous = nullptr;
  }
  return first;
}

size_t MemoryPool::call(void (*code)(void **arguments, gnn_memory *memory),
                        void **arguments) {
  Call call = {};
  call.thread = pthread_self();
  current = &call;
  if (_setjmp(call.end) == 0)
    code(arguments, this);
  // Without a failure they are results, or kept for later runs.
  while (Header *header = takeFirstOfCall())
    if (call.missing)
      (void)takeBack(header); // The session is open.
  current = nullptr;
  return call.missing;
}

void MemoryPool::releaseBlock(void *block) {
  if (!block)
    return;
  Header *header = Header::of(block);
  MemoryPool *pool = header->pool;
  if (pool->takeBack(header))
    delete pool;
}

bool MemoryPool::takeBack(Header *header) {
  std::lock_guard<std::mutex> lock(mutex);
  forget(header);
  blocks.release(header);
  bool isLast = --numInUse == 0 && !isOpen;
  if (isOpen && reuse == Reuse::Yes)
    blocks.keep(header);
  else
    returnToSystem(header);
  return isLast;
}

void MemoryPool::close() {
  bool isLast;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = false;
    blocks.evictAll(returnToSystem);
    isLast = numInUse == 0;
  }
  if (isLast)
    delete this;
}

gnn_memory_usage MemoryPool::getUsage() {
  std::lock_guard<std::mutex> lock(mutex);
  gnn_memory_usage usage;
  usage.bytes_held = blocks.getBytesHeld();
  usage.system_requests = systemRequests;
  return usage;
}
