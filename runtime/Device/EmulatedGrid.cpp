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
    thread.multiply = multiplyOf;
    thread.load_matrices = loadMatricesOf;
    thread.copy = copyOf;
    thread.group_copies = groupCopiesOf;
    thread.await_copies = awaitCopiesOf;
    thread.vote = voteOf;
    thread.grid = this;
    thread.number = i;
    thread.firstCopy = thread.lastCopy = -1;
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
  shared.forget();
  copies.setSize(0);
  firstUnusedCopy = -1;
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
  endCopies(thread, INT32_MAX);
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
// Barriers
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

//===----------------------------------------------------------------------===//
// Mistakes of kernels
//===----------------------------------------------------------------------===//

void EmulatedGrid::accessOf(gnn_emulated_thread *thread, const void *address,
                            int64_t bytes, int32_t isWrite, const char *what) {
  auto &self = *static_cast<Thread *>(thread);
  EmulatedGrid &grid = *self.grid;
  grid.checkReport(self,
                   isWrite ? grid.shared.noteWrite(address, bytes, self.number)
                           : grid.shared.noteRead(address, bytes, self.number),
                   bytes, isWrite, what);
}

void EmulatedGrid::checkReport(const Thread &thread,
                               const SharedMemory::Report &report,
                               int64_t bytes, bool isWrite, const char *what) {
  if (report.finding == SharedMemory::Finding::None)
    return;
  char access[200];
  snprintf(access, sizeof(access), "%s%.120s%s%" PRId64 " bytes",
           what ? "in " : "", what ? what : "", what ? ", " : "", bytes);
  const char *verb = isWrite ? "writes" : "reads";
  switch (report.finding) {
  case SharedMemory::Finding::Outside:
    fail(thread,
         "%s %s at byte %" PRId64 " of workgroup memory, which has %" PRId64
         " bytes",
         access, isWrite ? "written" : "read", report.byte, shared.size());
  case SharedMemory::Finding::Unwritten:
    fail(thread,
         "%s %s, but byte %" PRId64 " of workgroup memory was never written",
         access, isWrite ? "written" : "read", report.byte);
  default:
    break;
  }
  if (report.other < 0)
    fail(thread,
         "%s byte %" PRId64 " of workgroup memory (%s), which other threads "
         "read with no barrier in between",
         verb, report.byte, access);
  const Thread &other = threads[report.other];
  if (report.finding == SharedMemory::Finding::Copied)
    fail(thread,
         "%s byte %" PRId64 " of workgroup memory (%s), to which thread (%u, "
         "%u, %u) has begun a copy that it has not waited for",
         verb, report.byte, access, other.thread[0], other.thread[1],
         other.thread[2]);
  fail(thread,
       "%s byte %" PRId64 " of workgroup memory (%s), which thread (%u, %u, "
       "%u) %s with no barrier in between",
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

void EmulatedGrid::abandon() {
  current->switchTo(caller, /*isLast=*/true);
  __builtin_unreachable();
}
