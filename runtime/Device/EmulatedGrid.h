//===- EmulatedGrid.h - The threads of an emulated kernel -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_EMULATEDGRID_H
#define GNN_RUNTIME_DEVICE_EMULATEDGRID_H

#include "../Array.h"
#include "Device.h"
#include "Fiber.h"
#include "SharedMemory.h"

namespace gnn::rt {

/// Runs the blocks of a grid one after the other, and the threads of each block
/// by turns: a thread runs until it ends or waits for others.
class EmulatedGrid {
public:
  static constexpr int32_t warpThreads = 32;

  EmulatedGrid() = default;
  EmulatedGrid(const EmulatedGrid &) = delete;
  EmulatedGrid &operator=(const EmulatedGrid &) = delete;
  ~EmulatedGrid();

  /// Runs a grid that has blocks. A mistake of the kernel ends it.
  gnn_status run(const gnn_kernel &kernel, const LaunchShape &shape,
                 void **parameters, gnn_error *error);

private:
  enum class State { Unstarted, Running, AtBarrier, AtShuffle, Ended };

  /// What a thread has for others, and gets.
  struct Exchange {
    int32_t mode, width, offset, valid;
    uint32_t value, result;
  };

  struct Thread : gnn_emulated_thread {
    EmulatedGrid *grid;
    Fiber *fiber; ///< On which it waits.
    int32_t number;
    State state;
    Exchange exchange;
    /// Of the first of those that shuffle together: how many have come so far,
    /// and who came first.
    int32_t numShuffling;
    int32_t firstShuffling;
  };

  // What kernels call.
  static void barrierOf(gnn_emulated_thread *thread);
  static uint32_t shuffleOf(gnn_emulated_thread *thread, int32_t mode,
                            uint32_t value, int32_t offset, int32_t width,
                            int32_t *valid);
  static void accessOf(gnn_emulated_thread *thread, const void *address,
                       int64_t bytes, int32_t isWrite, const char *what);
  static void failOf(gnn_emulated_thread *thread, const char *message);

  bool prepare(const gnn_kernel &kernel, const LaunchShape &shape);
  bool addFiber();
  void beginBlock();
  static void work(void *grid);
  bool runThreads();
  void startThread();
  void leave();

  void switchTo(Fiber &next);
  void wait(Thread &thread);
  void makeReady(Thread &thread);
  Thread &takeReady();

  void joinShuffle(Thread &thread);
  void finishShuffle(Thread &first, int32_t numLanes, const Thread &last);
  static int32_t findLane(const Thread &thread, int32_t lane);

  /// Ends the launch with a sentence about `thread`.
  [[noreturn]] void fail(const Thread &thread, const char *format, ...)
      __attribute__((format(printf, 3, 4)));
  [[noreturn]] void failStuck();
  [[noreturn]] void abandon();

  const gnn_kernel *kernel = nullptr;
  void **parameters = nullptr;
  gnn_error *error = nullptr;
  gnn_status status = GNN_OK;

  uint32_t block[3] = {};
  const LaunchShape *shape = nullptr;
  SharedMemory shared;

  Array<Thread> threads;
  int32_t numThreads = 0;
  int32_t nextThread = 0; ///< The first that was not started.
  int32_t numEnded = 0;
  int32_t numAtBarrier = 0;
  /// Numbers of threads that no longer wait, as a ring.
  Array<int32_t> ready;
  int32_t firstReady = 0;
  int32_t numReady = 0;

  Fiber caller;
  Fiber *current = nullptr;
  Array<Fiber *> fibers;
  Array<Fiber *> freeFibers;
  bool quits = false;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_EMULATEDGRID_H
