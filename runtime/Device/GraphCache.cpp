//===- GraphCache.cpp - Graphs that are on a device -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphCache.h"

using namespace gnn::rt;

void GraphCache::free(Entry &entry, Device &device) {
  for (void *block : entry.blocks)
    device.releaseBlock(block);
  entry.identity->drop();
}

void GraphCache::beginRun(Device &device) {
  entries.beginRun([&](Entry &entry) { free(entry, device); });
}

bool GraphCache::trim(Device &device) {
  return entries.trim([&](Entry &entry) { free(entry, device); });
}

void GraphCache::clear(Device &device) {
  entries.clear([&](Entry &entry) { free(entry, device); });
}

GraphCache::Entry *GraphCache::find(const gnn_graph &graph) {
  GraphIdentity *identity = graph.identity.load(std::memory_order_acquire);
  for (Entry &entry : entries)
    if (entry.identity == identity)
      return &entry;
  return nullptr;
}

GraphArrays GraphCache::get(const gnn_graph &graph, Device &device) {
  GraphArrays arrays = getArrays(graph);
  if (!arrays.data[0])
    return arrays;
  Entry *entry = find(graph);
  if (!entry) {
    Entry added = {};
    for (int i = 0; i < 2; ++i) {
      int64_t bytes = arrays.counts[i] * static_cast<int64_t>(sizeof(int32_t));
      if (bytes)
        added.blocks[i] = device.allocateBlock(bytes);
      device.upload(added.blocks[i], arrays.data[i], bytes);
    }
    added.identity = device.hasFailed() ? nullptr : retainIdentity(graph);
    if (added.identity)
      entry = entries.add(added);
    if (!entry) {
      device.failMemory("the list of graphs on the device");
      for (void *block : added.blocks)
        device.releaseBlock(block);
      if (added.identity)
        added.identity->drop();
      return {{}, {arrays.counts[0], arrays.counts[1]}};
    }
  }
  entry->lastRun = entries.getRun();
  for (int i = 0; i < 2; ++i)
    arrays.data[i] = static_cast<const int32_t *>(entry->blocks[i]);
  return arrays;
}
