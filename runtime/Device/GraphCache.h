//===- GraphCache.h - Graphs that are on a device ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_GRAPHCACHE_H
#define GNN_RUNTIME_DEVICE_GRAPHCACHE_H

#include "../Flattener.h"
#include "../Graph.h"
#include "../GraphEntries.h"
#include "Device.h"

namespace gnn::rt {

/// The arrays of graphs that a session has run on, so that later runs need not
/// copy them to the device again.
class GraphCache {
public:
  /// Starts a run: forgets graphs that were destroyed, and those not used for
  /// longest if there are many.
  void beginRun(Device &device);

  /// The arrays of `graph` on `device`, NULL where empty. After a failure, of
  /// the device or for want of memory, also NULL.
  GraphArrays get(const gnn_graph &graph, Device &device);

  /// Forgets all graphs that this run has not used; false if there are none.
  bool trim(Device &device);

  /// Forgets all.
  void clear(Device &device);

private:
  struct Entry {
    GraphIdentity *identity;
    void *blocks[2];
    int64_t lastRun;

    bool isAlive() const {
      return identity->isAlive.load(std::memory_order_acquire);
    }
  };

  Entry *find(const gnn_graph &graph);
  static void free(Entry &entry, Device &device);

  GraphEntries<Entry> entries;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_GRAPHCACHE_H
