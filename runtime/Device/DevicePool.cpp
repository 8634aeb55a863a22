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

class DevicePool::Recording {
public:
  Array<Block *> blocks;
};

DevicePool::~DevicePool() { clear(); }

/// Where `address` is among the blocks, or would be.
int64_t DevicePool::findPlace(const char *address) const {
  const auto *place =
      std::lower_bound(byAddress.begin(), byAddress.end(), address,
                       [](const Block *block, const char *wanted) {
                         return block->address < wanted;
                       });
  return place - byAddress.begin();
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
  if (!block || !byAddress.reserve(byAddress.size() + 1)) {
    delete block;
    source.giveBack(address);
    return nullptr;
  }
  block->address = static_cast<char *>(address);
  block->bytes = bytes;
  int64_t place = findPlace(block->address);
  (void)byAddress.push(block);
  std::rotate(byAddress.begin() + place, byAddress.end() - 1, byAddress.end());
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
  std::copy(byAddress.begin() + place + 1, byAddress.end(),
            byAddress.begin() + place);
  byAddress.setSize(byAddress.size() - 1);
  source.giveBack(block->address);
  delete block;
}

void DevicePool::evictAll() {
  blocks.evictAll([this](Block *block) { giveBack(block); });
}

void DevicePool::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  evictAll();
  while (byAddress.size()) {
    Block *block = byAddress[byAddress.size() - 1];
    blocks.release(block);
    giveBack(block);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void DevicePool::beginRun() {
  std::lock_guard<std::mutex> lock(mutex);
  blocks.beginRun([this](Block *block) { giveBack(block); });
}

/// A block that is kept, or a new one, which is in use from now on.
DevicePool::Block *DevicePool::take(int sizeClass) {
  Block *block = blocks.take(sizeClass);
  if (!block)
    block = request(sizeClass);
  if (!block)
    return nullptr;
  block->isKept = false;
  blocks.use(block, sizeClass, [this](Block *stale) { giveBack(stale); });
  return block;
}

void *DevicePool::allocate(size_t bytes) {
  int sizeClass = MemoryPool::classOf(bytes);
  if (sizeClass < 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (current)
    for (Block *block : current->blocks)
      if (block->isKept && block->sizeClass == sizeClass) {
        block->isKept = false;
        return block->address;
      }
  if (current && !current->blocks.reserve(current->blocks.size() + 1))
    return nullptr;
  Block *block = take(sizeClass);
  if (!block)
    return nullptr;
  if (current) {
    block->recording = current;
    (void)current->blocks.push(block);
  }
  return block->address;
}

bool DevicePool::release(void *address) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t place = findPlace(static_cast<char *>(address));
  if (place == byAddress.size() || byAddress[place]->address != address ||
      byAddress[place]->isKept)
    return false;
  Block *block = byAddress[place];
  block->isKept = true;
  if (block->recording)
    return true;
  blocks.release(block);
  blocks.keep(block);
  return true;
}

//===----------------------------------------------------------------------===//
// Captured runs
//===----------------------------------------------------------------------===//
//
// A captured run has the addresses of its blocks in it, and writes to them
// whenever it is replayed, without asking. So a block that it got stays its own
// until the recording is dropped: it counts as in use, even while nobody has
// it, and goes to no list that the pool serves others from. A result that a
// caller still holds when its recording is dropped becomes a block like any
// other, which that caller releases.

DevicePool::Recording *DevicePool::beginRecording() {
  std::lock_guard<std::mutex> lock(mutex);
  return current = new (std::nothrow) Recording();
}

void DevicePool::endRecording() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block *block : current->blocks)
    block->isResult = !block->isKept;
  current = nullptr;
}

bool DevicePool::claim(Recording &recording) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block *block : recording.blocks)
    if (block->isResult && !block->isKept)
      return false;
  for (Block *block : recording.blocks)
    if (block->isResult)
      block->isKept = false;
  return true;
}

void DevicePool::unclaim(Recording &recording) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block *block : recording.blocks)
    block->isKept |= block->isResult;
}

void DevicePool::drop(Recording *recording) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block *block : recording->blocks) {
    block->recording = nullptr;
    if (!block->isKept)
      continue;
    blocks.release(block);
    blocks.keep(block);
  }
  delete recording;
}

gnn_memory_usage DevicePool::getUsage() {
  std::lock_guard<std::mutex> lock(mutex);
  gnn_memory_usage usage;
  usage.bytes_held = blocks.getBytesHeld();
  usage.system_requests = numRequests;
  return usage;
}
