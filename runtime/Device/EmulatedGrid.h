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
#include "WarpProduct.h"

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
  enum class State { Unstarted, Running, AtBarrier, AtExchange, Ended };

  /// What lanes of a warp can only do together: the modes of a shuffle, and
  /// behind them
  enum ExchangeMode : int32_t {
    Multiply = GNN_SHUFFLE_INDEX + 1, ///< `offset` is the type of factors.
    LoadMatrices,                     ///< `offset` is their number.
    Vote
  };

  /// What a thread has for others, and gets.
  struct Exchange {
    int32_t mode, width, offset, valid;
    uint32_t value, result;
    WarpProduct::Lane product;
    const char *row;
    bool isTransposed;
    uint32_t *registers;
  };

  /// A copy that a thread has begun, and not waited for.
  struct Copy {
    char *destination;
    const char *source;
    int32_t bytes, sourceBytes;
    int32_t group;
    int32_t next; ///< The thread's next one, or the next unused place; or -1.
  };

  struct Thread : gnn_emulated_thread {
    EmulatedGrid *grid;
    Fiber *fiber; ///< On which it waits.
    int32_t number;
    State state;
    Exchange exchange;
    /// Of the first of those that exchange something: how many have come so
    /// far, and who came first.
    int32_t numExchanging;
    int32_t firstExchanging;
    /// Of its copies, in the order in which it has begun them; -1 without any.
    int32_t firstCopy;
    int32_t lastCopy;
    int32_t numGroups;
  };

  // What kernels call.
  static void barrierOf(gnn_emulated_thread *thread);
  static uint32_t shuffleOf(gnn_emulated_thread *thread, int32_t mode,
                            uint32_t value, int32_t offset, int32_t width,
                            int32_t *valid);
  static void accessOf(gnn_emulated_thread *thread, const void *address,
                       int64_t bytes, int32_t isWrite, const char *what);
  static void failOf(gnn_emulated_thread *thread, const char *message);
  static void multiplyOf(gnn_emulated_thread *thread, int32_t type,
                         const uint32_t *first, const uint32_t *second,
                         float *sums);
  static void loadMatricesOf(gnn_emulated_thread *thread, const void *row,
                             int32_t count, int32_t transposed,
                             uint32_t *result);
  static uint32_t voteOf(gnn_emulated_thread *thread, int32_t vote);
  static void copyOf(gnn_emulated_thread *thread, void *destination,
                     const void *source, int64_t bytes, int64_t sourceBytes);
  static void groupCopiesOf(gnn_emulated_thread *thread);
  static void awaitCopiesOf(gnn_emulated_thread *thread, int32_t remaining);

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

  static const char *nounOf(int32_t mode);
  static const char *kindOf(const Exchange &exchange);
  void joinExchange(Thread &thread);
  void joinWarp(Thread &thread, const char *does);
  void finishExchange(Thread &first, int32_t numLanes, const Thread &last);
  void shuffle(Thread &first, int32_t numLanes);
  void count(Thread &first, int32_t numLanes);
  void multiply(Thread &first);
  void loadMatrices(Thread &first);
  void readMatrixRow(Thread &first, int32_t lane);
  static int32_t findLane(const Thread &thread, int32_t lane);

  void endCopies(Thread &thread, int32_t firstGroupLeft);
  /// Ends the launch if there is something to report.
  void checkReport(const Thread &thread, const SharedMemory::Report &report,
                   int64_t bytes, bool isWrite, const char *what);

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
  Array<Copy> copies;
  int32_t firstUnusedCopy = -1;

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
