//===- DevicePool.cpp - Memory of a GPU that runs share ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DevicePool.h"

#include <algorithm>
#include <new>

using namespace gnn::rt;

DevicePool::~DevicePool() { clear(); }

/// Where `address` is among the blocks, or would be.
int64_t DevicePool::findPlace(const char *address) const {
  const auto *place =
      std::lower_bound(blocks.begin(), blocks.end(), address,
                       [](const Block *block, const char *wanted) {
                         return block->address < wanted;
                       });
  return place - blocks.begin();
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

DevicePool::Block *DevicePool::requestOnce(size_t bytes) {
  ++numRequests;
  void *address = source.request(bytes);
  if (!address)
    return nullptr;
  auto *block = new (std::nothrow) Block();
  if (!block || !blocks.reserve(blocks.size() + 1)) {
    delete block;
    source.giveBack(address);
    return nullptr;
  }
  block->address = static_cast<char *>(address);
  block->bytes = bytes;
  int64_t place = findPlace(block->address);
  (void)blocks.push(block);
  std::rotate(blocks.begin() + place, blocks.end() - 1, blocks.end());
  return block;
}

DevicePool::Block *DevicePool::request(int sizeClass) {
  size_t bytes = MemoryPool::sizeOf(sizeClass);
  if (Block *block = requestOnce(bytes))
    return block;
  evictAll();
  return requestOnce(bytes);
}

void DevicePool::giveBack(Block *block) {
  int64_t place = findPlace(block->address);
  std::copy(blocks.begin() + place + 1, blocks.end(), blocks.begin() + place);
  blocks.setSize(blocks.size() - 1);
  source.giveBack(block->address);
  delete block;
}

/// Frees blocks that this run has not used, the largest first, until no more
/// than `limit` bytes are held or none is left.
void DevicePool::evictStale(size_t limit) {
  for (int i = MemoryPool::numClasses - 1; i >= 0 && bytesStale; --i) {
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
      giveBack(block);
    }
  }
}

void DevicePool::evictAll() {
  for (Block *&list : kept)
    while (Block *block = list) {
      list = block->next;
      giveBack(block);
    }
  bytesRecent = bytesStale = 0;
}

void DevicePool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  evictAll();
  while (blocks.size())
    giveBack(blocks[blocks.size() - 1]);
  bytesInUse = 0;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void DevicePool::beginRun() {
  std::lock_guard<std::mutex> lock(mutex);
  bytesStale += bytesRecent;
  bytesRecent = 0;
  need.beginRun();
  noteNeed();
  evictStale(need.getLimit());
}

DevicePool::Block *DevicePool::takeKept(int sizeClass) {
  Block *block = kept[sizeClass];
  if (!block)
    return nullptr;
  kept[sizeClass] = block->next;
  (block->run == need.getRun() ? bytesRecent : bytesStale) -= block->bytes;
  return block;
}

void *DevicePool::allocate(size_t bytes) {
  int sizeClass = MemoryPool::classOf(bytes);
  if (sizeClass < 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Block *block = takeKept(sizeClass);
  if (!block)
    block = request(sizeClass);
  if (!block)
    return nullptr;
  block->sizeClass = sizeClass;
  block->run = need.getRun();
  block->isKept = false;
  bytesInUse += block->bytes;
  noteNeed();
  evictStale(need.getLimit());
  return block->address;
}

bool DevicePool::release(void *address) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t place = findPlace(static_cast<char *>(address));
  if (place == blocks.size() || blocks[place]->address != address ||
      blocks[place]->isKept)
    return false;
  Block *block = blocks[place];
  block->isKept = true;
  block->next = kept[block->sizeClass];
  kept[block->sizeClass] = block;
  bytesInUse -= block->bytes;
  (block->run == need.getRun() ? bytesRecent : bytesStale) += block->bytes;
  return true;
}

gnn_memory_usage DevicePool::getUsage() {
  std::lock_guard<std::mutex> lock(mutex);
  gnn_memory_usage usage;
  usage.bytes_held =
      static_cast<int64_t>(bytesInUse + bytesRecent + bytesStale);
  usage.system_requests = numRequests;
  return usage;
}
