//===- Fiber.cpp - Threads of execution that switch by themselves ---------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ucontext makes the stacks, and setjmp switches between them: swapcontext
// would ask the system for the signal mask each time, which takes longer than
// most of what a thread does between two barriers. Boost.Context would be as
// fast, but then every program with the runtime would have to link it.
//
//===----------------------------------------------------------------------===//

// Its longjmp takes a jump to another stack for a mistake.
#undef _FORTIFY_SOURCE

#include "Fiber.h"

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define GNN_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GNN_HAS_ASAN 1
#endif
#endif
#ifdef GNN_HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define GNN_NO_ASAN __attribute__((no_sanitize_address))
#else
#define GNN_NO_ASAN
#endif

using namespace gnn::rt;

static size_t pageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

/// Frames that were abandoned have left marks that no frame of the next
/// function removes.
static void forgetFrames([[maybe_unused]] const void *bottom,
                         [[maybe_unused]] size_t bytes) {
#ifdef GNN_HAS_ASAN
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

Fiber::~Fiber() {
  if (!mapped)
    return;
  forgetFrames(stackBottom, stackSize);
  munmap(mapped, stackBytes + pageBytes());
}

bool Fiber::allocateStack(size_t index) {
  size_t page = pageBytes();
  void *memory = mmap(nullptr, stackBytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  mapped = static_cast<char *>(memory);
  // Stacks grow down: what overflows one is stopped at once.
  mprotect(mapped, page, PROT_NONE);
  stackBottom = mapped + page;
  // Were all tops as far from a page's start, they would share a few lines of
  // the cache.
  stackSize = stackBytes - index % 64 * 64;
  return true;
}

void Fiber::start(void (*function)(void *), void *value) {
  forgetFrames(stackBottom, stackSize);
  entry = function;
  argument = value;
}

/// makecontext passes numbers of type int only.
void Fiber::run(unsigned high, unsigned low) {
  auto address = static_cast<uintptr_t>(high) << 32 | low;
  Fiber *fiber;
  memcpy(static_cast<void *>(&fiber), &address, sizeof(address));
  void (*function)(void *) = fiber->entry;
  fiber->entry = nullptr;
  fiber->endSwitch();
  function(fiber->argument);
}

// The frame is never left, so nothing would take a sanitizer's marks off it.
GNN_NO_ASAN void Fiber::enter() {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = const_cast<void *>(stackBottom);
  context.uc_stack.ss_size = stackSize;
  context.uc_link = nullptr;
  auto address = reinterpret_cast<uintptr_t>(this);
  makecontext(&context, reinterpret_cast<void (*)()>(run), 2,
              static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
  setcontext(&context);
}

void Fiber::switchTo(Fiber &next, bool isLast) {
  beginSwitch(next, isLast);
  if (_setjmp(state) == 0) {
    if (next.entry)
      next.enter();
    _longjmp(next.state, 1);
  }
  endSwitch();
}

void Fiber::beginSwitch(Fiber &next, [[maybe_unused]] bool isLast) {
  next.previous = this;
#ifdef GNN_HAS_ASAN
  __sanitizer_start_switch_fiber(isLast ? nullptr : &fakeStack,
                                 next.stackBottom, next.stackSize);
  if (isLast)
    fakeStack = nullptr;
#endif
}

void Fiber::endSwitch() {
#ifdef GNN_HAS_ASAN
  // Only so does it become known where the thread's own stack is.
  __sanitizer_finish_switch_fiber(fakeStack, &previous->stackBottom,
                                  &previous->stackSize);
#endif
}
