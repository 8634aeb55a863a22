//===- DevicePool.h - Memory of a GPU that runs share -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_DEVICEPOOL_H
#define GNN_RUNTIME_DEVICE_DEVICEPOOL_H

#include "../Array.h"
#include "../MemoryPool.h"

#include <mutex>

namespace gnn::rt {

/// Gives out a device's memory as MemoryPool does the system's, but what it
/// knows of a block cannot lie beside it. Work on the device is in order, so a
/// block serves the next request while kernels that use it have yet to run.
class DevicePool {
public:
  /// Where blocks come from. NULL: memory is short.
  struct Source {
    virtual void *request(size_t bytes) = 0;
    virtual void giveBack(void *block) = 0;

  protected:
    ~Source() = default;
  };

  /// The blocks of a captured run.
  class Recording;

  explicit DevicePool(Source &source) : source(source) {}
  DevicePool(const DevicePool &) = delete;
  DevicePool &operator=(const DevicePool &) = delete;
  ~DevicePool();

  /// Says that what follows belongs to another run.
  void beginRun();
  /// A block of at least `bytes` bytes; NULL if memory is short.
  void *allocate(size_t bytes);
  /// Keeps a block for later, without a word to the source: any thread may
  /// release. False if `address` is none that is in use.
  bool release(void *address);
  /// From now on, blocks belong to a recording: those that are released serve
  /// it alone, and when it has ended nobody. NULL if memory is short.
  Recording *beginRecording();
  void endRecording();
  /// Takes those of its blocks that were in use at its end. False if some of
  /// them still are.
  bool claim(Recording &recording);
  /// Releases them.
  void unclaim(Recording &recording);
  /// Makes its blocks, in use or kept, ordinary ones.
  void drop(Recording *recording);

  /// Frees all blocks, also those in use.
  void clear();

  gnn_memory_usage getUsage();

private:
  struct Block {
    char *address;
    Block *next; ///< Of the same class, if kept.
    size_t bytes;
    int64_t run; ///< The last that used it.
    int sizeClass;
    bool isKept;
    Recording *recording; ///< NULL for ordinary blocks.
    bool isResult;        ///< In use when its recording had ended.
  };

  Block *take(int sizeClass);
  Block *request(int sizeClass);
  Block *requestOnce(size_t bytes);
  int64_t findPlace(const char *address) const;
  void giveBack(Block *block);
  void evictAll();

  Source &source;
  std::mutex mutex;
  Array<Block *> byAddress; ///< All that there are, in that order.
  KeptBlocks<Block, MemoryPool::numClasses> blocks;
  int64_t numRequests = 0;
  Recording *current = nullptr;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_DEVICEPOOL_H
