//===- EmulatedGrid.cpp - The threads of an emulated kernel -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fiber runs one thread after the other, and block after block, as long as
// none of them waits. A thread that does wait keeps its fiber, and another one
// goes on: with the next thread that was not started, or else with the first
// that no longer waits. So kernels in which nothing waits need a single fiber,
// and two switches for all of their threads. The order is always the same.
//
//===----------------------------------------------------------------------===//

#include "EmulatedGrid.h"

#include "../Error.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

EmulatedGrid::~EmulatedGrid() {
  // Each idle fiber leaves its stack, so that a sanitizer forgets it.
  quits = true;
  for (Fiber *fiber : freeFibers) {
    current = fiber;
    caller.switchTo(*fiber);
  }
  for (Fiber *fiber : fibers)
    delete fiber;
}

bool EmulatedGrid::addFiber() {
  if (!fibers.reserve(fibers.size() + 1) ||
      !freeFibers.reserve(fibers.size() + 1))
    return false;
  auto *fiber = new (std::nothrow) Fiber;
  if (!fiber || !fiber->allocateStack(static_cast<size_t>(fibers.size()))) {
    delete fiber;
    return false;
  }
  fiber->start(work, this);
  (void)fibers.push(fiber);
  (void)freeFibers.push(fiber);
  return true;
}

bool EmulatedGrid::prepare(const gnn_kernel &newKernel,
                           const LaunchShape &newShape) {
  kernel = &newKernel;
  shape = &newShape;
  auto count = static_cast<int32_t>(newShape.numThreads());
  if (!shared.resize(newKernel.shared_bytes + newShape.dynamicSharedBytes) ||
      (freeFibers.size() == 0 && !addFiber()))
    return false;
  if (count > threads.size() &&
      (!threads.allocate(count) || !ready.allocate(count)))
    return false;
  numThreads = count;
  for (int32_t i = 0; i < count; ++i) {
    Thread &thread = threads[i];
    thread = Thread();
    auto number = static_cast<uint32_t>(i);
    thread.thread[0] = number % newShape.block[0];
    thread.thread[1] = number / newShape.block[0] % newShape.block[1];
    thread.thread[2] = number / newShape.block[0] / newShape.block[1];
    for (int axis = 0; axis < 3; ++axis) {
      thread.block_size[axis] = newShape.block[axis];
      thread.grid_size[axis] = newShape.grid[axis];
    }
    thread.shared = shared.data();
    thread.barrier = barrierOf;
    thread.shuffle = shuffleOf;
    thread.access = accessOf;
    thread.fail = failOf;
    thread.grid = this;
    thread.number = i;
  }
  return true;
}

gnn_status EmulatedGrid::run(const gnn_kernel &newKernel,
                             const LaunchShape &newShape, void **newParameters,
                             gnn_error *newError) {
  if (!prepare(newKernel, newShape))
    return failMemory(newError, "the threads of an emulated kernel",
                      newShape.numThreads() *
                          static_cast<int64_t>(Fiber::stackBytes));
  parameters = newParameters;
  error = newError;
  status = GNN_OK;
  for (uint32_t &number : block)
    number = 0;
  beginBlock();
  current = freeFibers[freeFibers.size() - 1];
  freeFibers.setSize(freeFibers.size() - 1);
  caller.switchTo(*current);
  if (!status)
    return status;
  // Some fibers were left in the middle of a thread.
  freeFibers.setSize(0);
  for (Fiber *fiber : fibers) {
    fiber->start(work, this);
    (void)freeFibers.push(fiber);
  }
  return status;
}

void EmulatedGrid::beginBlock() {
  nextThread = numEnded = numAtBarrier = firstReady = numReady = 0;
  for (int32_t i = 0; i < numThreads; ++i)
    threads[i].state = State::Unstarted;
  shared.beginBlock();
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void EmulatedGrid::work(void *grid) {
  auto *self = static_cast<EmulatedGrid *>(grid);
  while (self->runThreads()) {
  }
  // Only when the grid is destroyed.
  self->current->switchTo(self->caller, /*isLast=*/true);
}

void EmulatedGrid::startThread() {
  Thread &thread = threads[nextThread++];
  for (int axis = 0; axis < 3; ++axis)
    thread.block[axis] = block[axis];
  thread.state = State::Running;
  kernel->emulate(&thread, parameters);
  thread.state = State::Ended;
  ++numEnded;
}

/// Runs on a fiber that no thread is on. False: the fiber is to end.
bool EmulatedGrid::runThreads() {
  if (quits)
    return false;
  if (nextThread < numThreads) {
    startThread();
    return true;
  }
  if (numEnded < numThreads) {
    if (!numReady)
      failStuck();
    Fiber *next = takeReady().fiber;
    (void)freeFibers.push(current);
    switchTo(*next);
    return true;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (++block[axis] < shape->grid[axis]) {
      beginBlock();
      return true;
    }
    block[axis] = 0;
  }
  (void)freeFibers.push(current);
  current->switchTo(caller);
  return true;
}

void EmulatedGrid::switchTo(Fiber &next) {
  Fiber *previous = current;
  current = &next;
  if (previous != &next)
    previous->switchTo(next);
}

/// Lets others run until `thread` has been made ready.
void EmulatedGrid::wait(Thread &thread) {
  thread.fiber = current;
  if (nextThread == numThreads) {
    if (!numReady)
      failStuck();
    switchTo(*takeReady().fiber);
    return;
  }
  if (freeFibers.size() == 0 && !addFiber())
    fail(thread, "memory is short for the stacks of %d threads", numThreads);
  Fiber *next = freeFibers[freeFibers.size() - 1];
  freeFibers.setSize(freeFibers.size() - 1);
  switchTo(*next);
}

void EmulatedGrid::makeReady(Thread &thread) {
  thread.state = State::Running;
  int32_t place = firstReady + numReady++;
  ready[place < numThreads ? place : place - numThreads] = thread.number;
}

EmulatedGrid::Thread &EmulatedGrid::takeReady() {
  int32_t number = ready[firstReady];
  if (++firstReady == numThreads)
    firstReady = 0;
  --numReady;
  return threads[number];
}

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

void EmulatedGrid::barrierOf(gnn_emulated_thread *thread) {
  auto &self = *static_cast<Thread *>(thread);
  EmulatedGrid &grid = *self.grid;
  if (++grid.numAtBarrier < grid.numThreads) {
    self.state = State::AtBarrier;
    grid.wait(self);
    return;
  }
  grid.numAtBarrier = 0;
  grid.shared.beginEpoch();
  for (int32_t i = 0; i < grid.numThreads; ++i)
    if (i != self.number)
      grid.makeReady(grid.threads[i]);
}

uint32_t EmulatedGrid::shuffleOf(gnn_emulated_thread *thread, int32_t mode,
                                 uint32_t value, int32_t offset, int32_t width,
                                 int32_t *valid) {
  auto &self = *static_cast<Thread *>(thread);
  EmulatedGrid &grid = *self.grid;
  if (width < 1 || width > warpThreads || (width & (width - 1)))
    grid.fail(self,
              "shuffles among %d lanes, which is no power of two up to "
              "32",
              width);
  if (mode < GNN_SHUFFLE_XOR || mode > GNN_SHUFFLE_INDEX)
    grid.fail(self, "shuffles in the unknown mode %d", mode);
  self.exchange = {mode, width, offset, 0, value, value};
  grid.joinShuffle(self);
  *valid = self.exchange.valid;
  return self.exchange.result;
}

/// The lane that `thread`, which is `lane`, reads from; -1 if there is none.
int32_t EmulatedGrid::findLane(const Thread &thread, int32_t lane) {
  const Exchange &exchange = thread.exchange;
  int64_t source = exchange.offset;
  if (exchange.mode == GNN_SHUFFLE_XOR)
    source = lane ^ exchange.offset;
  else if (exchange.mode == GNN_SHUFFLE_UP)
    source = lane - source;
  else if (exchange.mode == GNN_SHUFFLE_DOWN)
    source = lane + source;
  return source >= 0 && source < exchange.width ? static_cast<int32_t>(source)
                                                : -1;
}

static const char *nameOf(int32_t mode) {
  static const char *const names[] = {"xor", "up", "down", "idx"};
  return names[mode];
}

void EmulatedGrid::joinShuffle(Thread &thread) {
  int32_t width = thread.exchange.width;
  Thread &first = threads[thread.number & ~(width - 1)];
  if (!first.numShuffling)
    first.firstShuffling = thread.number;
  const Thread &other = threads[first.firstShuffling];
  if (other.exchange.mode != thread.exchange.mode ||
      other.exchange.width != width)
    fail(thread,
         "shuffles (%s among %d lanes), but thread (%u, %u, %u) of the same "
         "warp waits for another shuffle (%s among %d)",
         nameOf(thread.exchange.mode), width, other.thread[0], other.thread[1],
         other.thread[2], nameOf(other.exchange.mode), other.exchange.width);
  int32_t numLanes = std::min(width, numThreads - first.number);
  thread.state = State::AtShuffle;
  if (++first.numShuffling < numLanes)
    wait(thread);
  else
    finishShuffle(first, numLanes, thread);
}

void EmulatedGrid::finishShuffle(Thread &first, int32_t numLanes,
                                 const Thread &last) {
  first.numShuffling = 0;
  for (int32_t i = 0; i < numLanes; ++i) {
    Thread &thread = threads[first.number + i];
    int32_t lane = findLane(thread, i);
    if (lane >= numLanes)
      fail(thread, "reads lane %d in a shuffle, but its warp has %d threads",
           first.number % warpThreads + lane,
           std::min(warpThreads,
                    numThreads - first.number / warpThreads * warpThreads));
    if (lane < 0)
      continue;
    thread.exchange.valid = 1;
    thread.exchange.result = threads[first.number + lane].exchange.value;
  }
  for (int32_t i = 0; i < numLanes; ++i)
    if (Thread &thread = threads[first.number + i]; &thread != &last)
      makeReady(thread);
    else
      thread.state = State::Running;
}

//===----------------------------------------------------------------------===//
// Mistakes of kernels
//===----------------------------------------------------------------------===//

void EmulatedGrid::accessOf(gnn_emulated_thread *thread, const void *address,
                            int64_t bytes, int32_t isWrite, const char *what) {
  auto &self = *static_cast<Thread *>(thread);
  EmulatedGrid &grid = *self.grid;
  SharedMemory &shared = grid.shared;
  SharedMemory::Report report =
      isWrite ? shared.noteWrite(address, bytes, self.number)
              : shared.noteRead(address, bytes, self.number);
  if (report.finding == SharedMemory::Finding::None)
    return;
  char access[200];
  snprintf(access, sizeof(access), "%s%.120s%s%" PRId64 " bytes",
           what ? "in " : "", what ? what : "", what ? ", " : "", bytes);
  const char *verb = isWrite ? "writes" : "reads";
  switch (report.finding) {
  case SharedMemory::Finding::Outside:
    grid.fail(self,
              "%s %s at byte %" PRId64
              " of workgroup memory, which has %" PRId64 " bytes",
              access, isWrite ? "written" : "read", report.byte, shared.size());
  case SharedMemory::Finding::Unwritten:
    grid.fail(self,
              "%s %s, but byte %" PRId64
              " of workgroup memory was never written",
              access, isWrite ? "written" : "read", report.byte);
  default:
    break;
  }
  if (report.other < 0)
    grid.fail(self,
              "%s byte %" PRId64 " of workgroup memory (%s), which other "
              "threads read with no barrier in between",
              verb, report.byte, access);
  const Thread &other = grid.threads[report.other];
  grid.fail(self,
            "%s byte %" PRId64 " of workgroup memory (%s), which thread (%u, "
            "%u, %u) %s with no barrier in between",
            verb, report.byte, access, other.thread[0], other.thread[1],
            other.thread[2], report.otherWrites ? "writes" : "reads");
}

void EmulatedGrid::failOf(gnn_emulated_thread *thread, const char *message) {
  auto &self = *static_cast<Thread *>(thread);
  self.grid->fail(self, "%s", message);
}

void EmulatedGrid::fail(const Thread &thread, const char *format, ...) {
  char message[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  status =
      rt::fail(error, GNN_DEVICE_ERROR,
               "kernel '%.200s', block (%u, %u, %u), thread (%u, %u, %u): "
               "%s",
               kernel->name, block[0], block[1], block[2], thread.thread[0],
               thread.thread[1], thread.thread[2], message);
  abandon();
}

/// Threads wait, and none is left that could come to where they do: some have
/// ended, or wait elsewhere.
void EmulatedGrid::failStuck() {
  auto find = [](const Thread *begin, const Thread *end, State state) {
    return std::find_if(begin, end, [state](const Thread &thread) {
      return thread.state == state;
    });
  };
  const Thread *begin = threads.data(), *end = begin + numThreads;
  const Thread *waiting = find(begin, end, State::AtShuffle);
  if (waiting == end) {
    const Thread *ended = find(begin, end, State::Ended);
    fail(*find(begin, end, State::AtBarrier),
         "waits at a barrier, but thread (%u, %u, %u) has ended without "
         "reaching it",
         ended->thread[0], ended->thread[1], ended->thread[2]);
  }
  int32_t width = waiting->exchange.width;
  begin += waiting->number & ~(width - 1);
  end = std::min(begin + width, end);
  const char *does = "has ended without it";
  const Thread *other = find(begin, end, State::Ended);
  if (other == end) {
    does = "waits at a barrier";
    other = find(begin, end, State::AtBarrier);
  }
  if (other == end) {
    does = "waits for one among fewer or more";
    other = std::find_if(begin, end, [width](const Thread &thread) {
      return thread.exchange.width != width;
    });
  }
  fail(*waiting,
       "waits for a shuffle among %d lanes, but thread (%u, %u, %u) %s", width,
       other->thread[0], other->thread[1], other->thread[2], does);
}

void EmulatedGrid::abandon() {
  current->switchTo(caller, /*isLast=*/true);
  __builtin_unreachable();
}
