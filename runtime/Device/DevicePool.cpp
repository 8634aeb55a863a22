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

void *DevicePool::allocate(size_t bytes) {
  int sizeClass = MemoryPool::classOf(bytes);
  if (sizeClass < 0)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Block *block = blocks.take(sizeClass);
  if (!block)
    block = request(sizeClass);
  if (!block)
    return nullptr;
  block->isKept = false;
  blocks.use(block, sizeClass, [this](Block *stale) { giveBack(stale); });
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
  blocks.release(block);
  blocks.keep(block);
  return true;
}

gnn_memory_usage DevicePool::getUsage() {
  std::lock_guard<std::mutex> lock(mutex);
  gnn_memory_usage usage;
  usage.bytes_held = blocks.getBytesHeld();
  usage.system_requests = numRequests;
  return usage;
}
