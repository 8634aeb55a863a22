//===- Fiber.h - Threads of execution that switch by themselves -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_FIBER_H
#define GNN_RUNTIME_DEVICE_FIBER_H

#include <csetjmp>
#include <cstddef>

namespace gnn::rt {

/// A stack on which a function runs until it switches to another fiber. All
/// fibers that switch to each other belong to one thread of the system.
class Fiber {
public:
  /// Memory for the function's frames. Pages that it does not reach are never
  /// touched. A sanitizer makes frames several times as large.
  static constexpr size_t stackBytes = size_t(256) << 10;

  /// The fiber that stands for the calling thread's own stack.
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;
  ~Fiber();

  /// Gives this fiber, the `index`-th of several, a stack; false if memory is
  /// short.
  bool allocateStack(size_t index);

  /// Makes the next switch to this fiber call `entry`, which must never
  /// return. What ran on its stack before is abandoned.
  void start(void (*entry)(void *), void *argument);

  /// Continues `next` where it has left off; returns when something switches
  /// back. `isLast`: nothing will; the fiber is to be started anew or
  /// destroyed.
  void switchTo(Fiber &next, bool isLast = false);

private:
  static void run(unsigned high, unsigned low);
  void beginSwitch(Fiber &next, bool isLast);
  void endSwitch();
  void enter();

  jmp_buf state = {};
  char *mapped = nullptr;
  void (*entry)(void *) = nullptr; ///< If not yet begun.
  void *argument = nullptr;
  Fiber *previous = nullptr; ///< Which has switched to this one.
  /// What AddressSanitizer must know of a stack.
  [[maybe_unused]] void *fakeStack = nullptr;
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_FIBER_H
