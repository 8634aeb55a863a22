//===- EmulatedWarp.cpp - What lanes of a warp do together ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes and what works on matrices: each lane leaves what it has, and
// the last one to come does it for all.
//
//===----------------------------------------------------------------------===//

#include "EmulatedGrid.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isShuffle(int32_t mode) { return mode <= GNN_SHUFFLE_INDEX; }

/// Of what threads wait for.
const char *EmulatedGrid::nounOf(int32_t mode) {
  return mode == Multiply       ? "product of matrices"
         : mode == LoadMatrices ? "load of matrices"
         : mode == Vote         ? "vote"
                                : "shuffle";
}

/// Of what makes one exchange different from another.
const char *EmulatedGrid::kindOf(const Exchange &exchange) {
  static const char *const shuffles[] = {"xor", "up", "down", "idx"};
  static const char *const products[] = {"f16", "bf16", "tf32"};
  static const char *const loads[] = {"none", "one", "two", "three", "four"};
  return exchange.mode == Multiply       ? products[exchange.offset]
         : exchange.mode == LoadMatrices ? loads[exchange.offset]
         : exchange.mode == Vote         ? "ballot"
                                         : shuffles[exchange.mode];
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

void EmulatedGrid::joinExchange(Thread &thread) {
  const Exchange &own = thread.exchange;
  Thread &first = threads[thread.number & ~(own.width - 1)];
  if (!first.numExchanging)
    first.firstExchanging = thread.number;
  const Thread &other = threads[first.firstExchanging];
  const Exchange &others = other.exchange;
  if (others.mode != own.mode || others.width != own.width ||
      (!isShuffle(own.mode) && (others.offset != own.offset ||
                                others.isTransposed != own.isTransposed)))
    fail(thread,
         "comes to a %s (%s among %d lanes), but thread (%u, %u, %u) of the "
         "same warp waits for another %s (%s among %d)",
         nounOf(own.mode), kindOf(own), own.width, other.thread[0],
         other.thread[1], other.thread[2], nounOf(others.mode), kindOf(others),
         others.width);
  int32_t numLanes = std::min(own.width, numThreads - first.number);
  thread.state = State::AtExchange;
  if (++first.numExchanging < numLanes)
    wait(thread);
  else
    finishExchange(first, numLanes, thread);
}

/// For what needs all lanes of a warp.
void EmulatedGrid::joinWarp(Thread &thread, const char *does) {
  int32_t numLanes = numThreads - thread.number / warpThreads * warpThreads;
  if (numLanes < warpThreads)
    fail(thread, "%s matrices, which takes 32 lanes, but its warp has %d", does,
         numLanes);
  thread.exchange.width = warpThreads;
  joinExchange(thread);
}

void EmulatedGrid::finishExchange(Thread &first, int32_t numLanes,
                                  const Thread &last) {
  first.numExchanging = 0;
  if (last.exchange.mode == Multiply)
    multiply(first);
  else if (last.exchange.mode == LoadMatrices)
    loadMatrices(first);
  else if (last.exchange.mode == Vote)
    count(first, numLanes);
  else
    shuffle(first, numLanes);
  for (int32_t i = 0; i < numLanes; ++i)
    if (Thread &thread = threads[first.number + i]; &thread != &last)
      makeReady(thread);
    else
      thread.state = State::Running;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

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
  self.exchange = {};
  self.exchange.mode = mode;
  self.exchange.width = width;
  self.exchange.offset = offset;
  self.exchange.value = self.exchange.result = value;
  grid.joinExchange(self);
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

void EmulatedGrid::shuffle(Thread &first, int32_t numLanes) {
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
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

uint32_t EmulatedGrid::voteOf(gnn_emulated_thread *thread, int32_t vote) {
  auto &self = *static_cast<Thread *>(thread);
  self.exchange = {};
  self.exchange.mode = Vote;
  self.exchange.width = warpThreads;
  self.exchange.value = vote != 0;
  self.grid->joinExchange(self);
  return self.exchange.result;
}

void EmulatedGrid::count(Thread &first, int32_t numLanes) {
  uint32_t votes = 0;
  for (int32_t i = 0; i < numLanes; ++i)
    votes |= threads[first.number + i].exchange.value << i;
  for (int32_t i = 0; i < numLanes; ++i)
    threads[first.number + i].exchange.result = votes;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

void EmulatedGrid::multiplyOf(gnn_emulated_thread *thread, int32_t type,
                              const uint32_t *first, const uint32_t *second,
                              float *sums) {
  auto &self = *static_cast<Thread *>(thread);
  if (type < GNN_FACTOR_F16 || type > GNN_FACTOR_TF32)
    self.grid->fail(self, "multiplies matrices of the unknown type %d", type);
  self.exchange = {};
  self.exchange.mode = Multiply;
  self.exchange.offset = type;
  self.exchange.product = {first, second, sums};
  self.grid->joinWarp(self, "multiplies");
}

void EmulatedGrid::multiply(Thread &first) {
  WarpProduct::Lane lanes[warpThreads];
  for (int32_t i = 0; i < warpThreads; ++i)
    lanes[i] = threads[first.number + i].exchange.product;
  WarpProduct(static_cast<gnn_factor_type>(first.exchange.offset), lanes).run();
}

void EmulatedGrid::loadMatricesOf(gnn_emulated_thread *thread, const void *row,
                                  int32_t count, int32_t transposed,
                                  uint32_t *result) {
  auto &self = *static_cast<Thread *>(thread);
  if (count != 1 && count != 2 && count != 4)
    self.grid->fail(
        self, "loads %d matrices at once, expected one, two or four", count);
  self.exchange = {};
  self.exchange.mode = LoadMatrices;
  self.exchange.offset = count;
  self.exchange.row = static_cast<const char *>(row);
  self.exchange.isTransposed = transposed != 0;
  self.exchange.registers = result;
  self.grid->joinWarp(self, "loads");
}

/// Each lane reads what it gets of the row that `lane` knows.
void EmulatedGrid::readMatrixRow(Thread &first, int32_t lane) {
  constexpr int32_t rowBytes = 16;
  Thread &owner = threads[first.number + lane];
  const Exchange &exchange = owner.exchange;
  int64_t place = exchange.row - shared.data();
  if (place % rowBytes)
    fail(owner,
         "loads the row of a matrix from byte %" PRId64
         " of workgroup memory, which is no multiple of 16",
         place);
  int32_t matrix = lane / 8, row = lane % 8;
  int32_t bytes = exchange.isTransposed ? 2 : 4;
  for (int32_t begin = 0; begin < rowBytes; begin += bytes) {
    // Rows are columns of what is transposed.
    int32_t reader = exchange.isTransposed ? begin / bytes * 4 + row / 2
                                           : row * 4 + begin / bytes;
    Thread &thread = threads[first.number + reader];
    const char *source = exchange.row + begin;
    checkReport(thread, shared.noteRead(source, bytes, thread.number), bytes,
                /*isWrite=*/false, "a load of matrices");
    auto *target = reinterpret_cast<char *>(thread.exchange.registers + matrix);
    if (exchange.isTransposed)
      target += row % 2 * bytes;
    memcpy(target, source, static_cast<size_t>(bytes));
  }
}

void EmulatedGrid::loadMatrices(Thread &first) {
  for (int32_t lane = 0; lane < 8 * first.exchange.offset; ++lane)
    readMatrixRow(first, lane);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void EmulatedGrid::copyOf(gnn_emulated_thread *thread, void *destination,
                          const void *source, int64_t bytes,
                          int64_t sourceBytes) {
  auto &self = *static_cast<Thread *>(thread);
  EmulatedGrid &grid = *self.grid;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    grid.fail(self, "copies %" PRId64 " bytes at once, expected 4, 8 or 16",
              bytes);
  if (sourceBytes < 0 || sourceBytes > bytes)
    grid.fail(self, "copies %" PRId64 " bytes to %" PRId64, sourceBytes, bytes);
  int64_t place = static_cast<char *>(destination) - grid.shared.data();
  if (place % bytes || reinterpret_cast<intptr_t>(source) % bytes)
    grid.fail(self,
              "copies %" PRId64 " bytes %s an address that is no multiple of "
              "so many",
              bytes, place % bytes ? "to" : "from");
  grid.checkReport(self, grid.shared.beginCopy(destination, bytes, self.number),
                   bytes, /*isWrite=*/true, "a copy");
  int32_t number = grid.firstUnusedCopy;
  if (number >= 0) {
    grid.firstUnusedCopy = grid.copies[number].next;
  } else {
    number = static_cast<int32_t>(grid.copies.size());
    if (!grid.copies.push({}))
      grid.fail(self, "memory is short for the copies of %d threads",
                grid.numThreads);
  }
  grid.copies[number] = {static_cast<char *>(destination),
                         static_cast<const char *>(source),
                         static_cast<int32_t>(bytes),
                         static_cast<int32_t>(sourceBytes),
                         self.numGroups,
                         -1};
  if (self.firstCopy < 0)
    self.firstCopy = number;
  else
    grid.copies[self.lastCopy].next = number;
  self.lastCopy = number;
}

void EmulatedGrid::groupCopiesOf(gnn_emulated_thread *thread) {
  ++static_cast<Thread *>(thread)->numGroups;
}

void EmulatedGrid::awaitCopiesOf(gnn_emulated_thread *thread,
                                 int32_t remaining) {
  auto &self = *static_cast<Thread *>(thread);
  self.grid->endCopies(self, self.numGroups - remaining);
}

/// A device may copy at any time until then; this is the latest.
void EmulatedGrid::endCopies(Thread &thread, int32_t firstGroupLeft) {
  while (thread.firstCopy >= 0) {
    int32_t number = thread.firstCopy;
    Copy &copy = copies[number];
    if (copy.group >= firstGroupLeft)
      return;
    shared.endCopy(copy.destination, copy.bytes, thread.number);
    memset(copy.destination, 0, static_cast<size_t>(copy.bytes));
    memcpy(copy.destination, copy.source,
           static_cast<size_t>(copy.sourceBytes));
    thread.firstCopy = copy.next;
    copy.next = firstUnusedCopy;
    firstUnusedCopy = number;
  }
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

/// Threads wait, and none is left that could come to where they do: some have
/// ended, or wait elsewhere.
void EmulatedGrid::failStuck() {
  auto find = [](const Thread *begin, const Thread *end, State state) {
    return std::find_if(begin, end, [state](const Thread &thread) {
      return thread.state == state;
    });
  };
  const Thread *begin = threads.data(), *end = begin + numThreads;
  const Thread *waiting = find(begin, end, State::AtExchange);
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
  fail(*waiting, "waits for a %s among %d lanes, but thread (%u, %u, %u) %s",
       nounOf(waiting->exchange.mode), width, other->thread[0],
       other->thread[1], other->thread[2], does);
}
