//===- GraphCache.cpp - Graphs that are on a device -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphCache.h"

using namespace gnn::rt;

void GraphCache::forget(int64_t index, Device &device) {
  Entry &entry = entries[index];
  for (void *block : entry.blocks)
    device.releaseBlock(block);
  entry.identity->drop();
  entry = entries[entries.size() - 1];
  entries.setSize(entries.size() - 1);
}

void GraphCache::beginRun(Device &device) {
  ++run;
  for (int64_t i = entries.size(); i-- > 0;)
    if (!entries[i].identity->isAlive.load(std::memory_order_acquire))
      forget(i, device);
  while (entries.size() > maxKept) {
    int64_t oldest = 0;
    for (int64_t i = 1; i < entries.size(); ++i)
      if (entries[i].lastRun < entries[oldest].lastRun)
        oldest = i;
    forget(oldest, device);
  }
}

bool GraphCache::trim(Device &device) {
  int64_t before = entries.size();
  for (int64_t i = entries.size(); i-- > 0;)
    if (entries[i].lastRun != run)
      forget(i, device);
  return entries.size() < before;
}

void GraphCache::clear(Device &device) {
  while (entries.size())
    forget(entries.size() - 1, device);
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
    if (!added.identity || !entries.push(added)) {
      device.failMemory("the list of graphs on the device");
      for (void *block : added.blocks)
        device.releaseBlock(block);
      if (added.identity)
        added.identity->drop();
      return {{}, {arrays.counts[0], arrays.counts[1]}};
    }
    entry = &entries[entries.size() - 1];
  }
  entry->lastRun = run;
  for (int i = 0; i < 2; ++i)
    arrays.data[i] = static_cast<const int32_t *>(entry->blocks[i]);
  return arrays;
}
