//===- GuardedMemory.cpp - Blocks with guards around them -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of the system is laid out as
//   guard, memory, guard
// and the list of blocks lies elsewhere, where a kernel that writes beside a
// block does not reach it. Only the first byte behind a block is surely
// watched: to a kernel that strides past the guard nothing is said.
//
//===----------------------------------------------------------------------===//

#include "GuardedMemory.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

using namespace gnn::rt;

namespace {
/// What lies before a block's memory: a guard, and so much that addresses of
/// blocks are multiples of the alignment, but of no more by chance.
constexpr int64_t frontBytes =
    GuardedMemory::guardBytes + GuardedMemory::alignment;
static_assert(GuardedMemory::guardBytes % (2 * GuardedMemory::alignment) == 0);

constexpr int guardByte = 0xA5;
constexpr int unwrittenByte = 0xFF;
} // namespace

struct GuardedMemory::Block {
  Block *next;
  char *memory;
  int64_t bytes;

  char *front() const { return memory - guardBytes; }
  char *back() const { return memory + bytes; }
  void *storage() const { return memory - frontBytes; }
};

/// The first byte of a guard that is not as it was; `guardBytes` if all are.
static int64_t findChange(const char *guard) {
  int64_t i = 0;
  while (i < GuardedMemory::guardBytes &&
         static_cast<unsigned char>(guard[i]) == guardByte)
    ++i;
  return i;
}

static void fillGuard(char *guard) {
  memset(guard, guardByte, GuardedMemory::guardBytes);
}

GuardedMemory::~GuardedMemory() {
  while (blocks)
    release(blocks->memory);
}

void *GuardedMemory::allocate(int64_t bytes) {
  void *storage = nullptr;
  auto size = static_cast<size_t>(bytes);
  constexpr int64_t extra = frontBytes + guardBytes;
  if (bytes > INT64_MAX - extra ||
      posix_memalign(&storage, 2 * alignment, size + extra) != 0)
    return nullptr;
  auto *block = new (std::nothrow) Block;
  if (!block) {
    free(storage);
    return nullptr;
  }
  block->memory = static_cast<char *>(storage) + frontBytes;
  block->bytes = bytes;
  block->next = blocks;
  blocks = block;
  fillGuard(block->front());
  memset(block->memory, unwrittenByte, size);
  fillGuard(block->back());
  bytesInUse += bytes;
  ++numRequests;
  return block->memory;
}

bool GuardedMemory::release(void *memory) {
  for (Block **link = &blocks; *link; link = &(*link)->next) {
    Block *block = *link;
    if (block->memory != memory)
      continue;
    *link = block->next;
    bytesInUse -= block->bytes;
    free(block->storage());
    delete block;
    return true;
  }
  return false;
}

bool GuardedMemory::contains(const void *address, int64_t bytes) const {
  const char *begin = static_cast<const char *>(address);
  for (Block *block = blocks; block; block = block->next)
    if (begin >= block->memory && begin <= block->back() &&
        bytes <= block->back() - begin)
      return true;
  return false;
}

bool GuardedMemory::findDamage(Damage &damage) {
  for (Block *block = blocks; block; block = block->next) {
    for (char *guard : {block->back(), block->front()}) {
      int64_t byte = findChange(guard);
      if (byte == guardBytes)
        continue;
      damage = {block->bytes, guard + byte - block->memory};
      fillGuard(guard);
      return true;
    }
  }
  return false;
}

gnn_memory_usage GuardedMemory::getUsage() const {
  gnn_memory_usage usage;
  usage.bytes_held = bytesInUse;
  usage.system_requests = numRequests;
  return usage;
}
