//===- EmulatorTest.cpp - Tests of kernels without a GPU --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as a compiler makes them, written by hand: `parameters` are pointers
// to the values of what a kernel takes.
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <cmath>
#include <numeric>
#include <thread>

using namespace gnn::rt;
using namespace gnn::test;

//===----------------------------------------------------------------------===//
// What kernels compute
//===----------------------------------------------------------------------===//

/// (in, out): the sum of each block's elements, by halves.
static void reduceBlock(gnn_emulated_thread *thread, void **parameters) {
  const float *in = parameter<const float *>(parameters, 0);
  float *out = parameter<float *>(parameters, 1);
  int number = numberOf(thread);
  int count = static_cast<int>(thread->block_size[0]);
  sharedFloat(thread, number, true) =
      in[static_cast<int>(thread->block[0]) * count + number];
  for (int half = count / 2; half > 0; half /= 2) {
    thread->barrier(thread);
    if (number < half) {
      float sum = sharedFloat(thread, number, false) +
                  sharedFloat(thread, number + half, false);
      sharedFloat(thread, number, true) = sum;
    }
  }
  if (number == 0)
    out[thread->block[0]] = sharedFloat(thread, 0, false);
}

TEST(Emulator, ReducesThroughWorkgroupMemory) {
  EmulatedKernel kernel(reduceBlock);
  std::vector<float> values(512);
  std::iota(values.begin(), values.end(), 0.0f);
  DeviceArray<float> in(kernel.device, values), out(kernel.device, {0, 0});
  EXPECT_EQ(
      kernel.run({2, 1, 1, 256, 1, 1}, {in.argument(), out.argument()}, 1024),
      "");
  EXPECT_EQ(out.read(), (std::vector<float>{32640, 98176}));
  // The same device runs blocks of other sizes.
  EXPECT_EQ(kernel.run({2, 1, 1, 4, 1, 1}, {in.argument(), out.argument()}, 16),
            "");
  EXPECT_EQ(out.read(), (std::vector<float>{6, 22}));
  EXPECT_EQ(kernel.run({2, 1, 1, 1, 1, 1}, {in.argument(), out.argument()}, 4),
            "");
  EXPECT_EQ(out.read(), (std::vector<float>{0, 1}));
}

/// (out): the sum of lane numbers of each warp.
static void reduceWarp(gnn_emulated_thread *thread, void **parameters) {
  int number = numberOf(thread);
  auto sum = static_cast<uint32_t>(number);
  for (int32_t offset = 16; offset > 0; offset /= 2) {
    int32_t valid;
    sum += thread->shuffle(thread, GNN_SHUFFLE_XOR, sum, offset, 32, &valid);
    EXPECT_EQ(valid, 1);
  }
  parameter<uint32_t *>(parameters, 0)[number] = sum;
}

TEST(Emulator, ReducesByShuffles) {
  EmulatedKernel kernel(reduceWarp);
  DeviceArray<uint32_t> out(kernel.device, std::vector<uint32_t>(64));
  EXPECT_EQ(kernel.run({1, 1, 1, 16, 4, 1}, {out.argument()}), "");
  std::vector<uint32_t> expected(64, 496);
  std::fill(expected.begin() + 32, expected.end(), 1520);
  EXPECT_EQ(out.read(), expected);
}

/// (mode, offset, width, out): what each lane gets of 100 + lane; negative if
/// that is not valid.
static void shuffleOnce(gnn_emulated_thread *thread, void **parameters) {
  int32_t number = numberOf(thread), valid = -1;
  uint32_t result = thread->shuffle(thread, parameter<int32_t>(parameters, 0),
                                    static_cast<uint32_t>(100 + number),
                                    parameter<int32_t>(parameters, 1),
                                    parameter<int32_t>(parameters, 2), &valid);
  auto value = static_cast<int32_t>(result);
  parameter<int32_t *>(parameters, 3)[number] = valid ? value : -value;
}

TEST(Emulator, ShufflesInAllModes) {
  EmulatedKernel kernel(shuffleOnce);
  auto run = [&](int32_t mode, int32_t offset, int32_t width) {
    DeviceArray<int32_t> out(kernel.device, std::vector<int32_t>(8));
    EXPECT_EQ(kernel.run({1, 1, 1, 8, 1, 1},
                         {&mode, &offset, &width, out.argument()}),
              "");
    return out.read();
  };
  using Lanes = std::vector<int32_t>;
  EXPECT_EQ(run(GNN_SHUFFLE_XOR, 1, 4),
            (Lanes{101, 100, 103, 102, 105, 104, 107, 106}));
  EXPECT_EQ(run(GNN_SHUFFLE_XOR, 4, 4),
            (Lanes{-100, -101, -102, -103, -104, -105, -106, -107}));
  EXPECT_EQ(run(GNN_SHUFFLE_UP, 1, 4),
            (Lanes{-100, 100, 101, 102, -104, 104, 105, 106}));
  EXPECT_EQ(run(GNN_SHUFFLE_DOWN, 2, 4),
            (Lanes{102, 103, -102, -103, 106, 107, -106, -107}));
  EXPECT_EQ(run(GNN_SHUFFLE_INDEX, 3, 4),
            (Lanes{103, 103, 103, 103, 107, 107, 107, 107}));
  EXPECT_EQ(run(GNN_SHUFFLE_INDEX, -1, 8),
            (Lanes{-100, -101, -102, -103, -104, -105, -106, -107}));
}

/// (out): what each lane hears when those whose number is a multiple of three
/// vote.
static void voteOnce(gnn_emulated_thread *thread, void **parameters) {
  int number = numberOf(thread);
  parameter<uint32_t *>(parameters, 0)[number] =
      thread->vote(thread, number % 3 ? 0 : -1);
}

TEST(Emulator, Votes) {
  EmulatedKernel kernel(voteOnce);
  DeviceArray<uint32_t> out(kernel.device, std::vector<uint32_t>(40));
  EXPECT_EQ(kernel.run({1, 1, 1, 40, 1, 1}, {out.argument()}), "");
  std::vector<uint32_t> expected(40, 0x49249249);
  // A warp of eight lanes, of 32 to 39.
  std::fill(expected.begin() + 32, expected.end(), 0b10010010);
  EXPECT_EQ(out.read(), expected);
}

/// (out, next): threads in the order in which they run, by their numbers in the
/// grid.
static void recordOrder(gnn_emulated_thread *thread, void **parameters) {
  EXPECT_EQ(thread->grid_size[0], 2U);
  EXPECT_EQ(thread->grid_size[1], 1U);
  EXPECT_EQ(thread->grid_size[2], 2U);
  int block = static_cast<int>(thread->block[0] + 2 * thread->block[2]);
  int &next = *parameter<int *>(parameters, 1);
  parameter<int *>(parameters, 0)[next++] = 6 * block + numberOf(thread);
}

TEST(Emulator, NumbersThreadsAndRunsThemInOrder) {
  EmulatedKernel kernel(recordOrder);
  DeviceArray<int> out(kernel.device, std::vector<int>(24)),
      next(kernel.device, {0});
  EXPECT_EQ(kernel.run({2, 1, 2, 3, 1, 2}, {out.argument(), next.argument()}),
            "");
  std::vector<int> expected(24);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(out.read(), expected);
  // A grid without blocks does nothing.
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_EQ(kernel.run({axis != 0, axis != 1, axis != 2, 3, 1, 2},
                         {out.argument(), next.argument()}),
              "");
  EXPECT_EQ(next.read(), std::vector<int>{24});
}

/// (out): a hub of 100,000 neighbours, reduced by a warp in as many steps.
static void reduceHub(gnn_emulated_thread *thread, void **parameters) {
  uint32_t sum = 0;
  for (int i = 0; i < 100000; ++i) {
    int32_t valid;
    sum += thread->shuffle(thread, GNN_SHUFFLE_XOR, 1, 16, 32, &valid);
  }
  thread->barrier(thread);
  *parameter<uint32_t *>(parameters, 0) = sum;
}

TEST(Emulator, RunsLongLoops) {
  EmulatedKernel kernel(reduceHub);
  DeviceArray<uint32_t> out(kernel.device, {0});
  EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1}, {out.argument()}), "");
  EXPECT_EQ(out.read(), std::vector<uint32_t>{100000});
}

TEST(Emulator, RunsInSeveralThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      EmulatedKernel kernel(reduceBlock);
      DeviceArray<float> in(kernel.device, std::vector<float>(256, 1.0f)),
          out(kernel.device, {0});
      for (int run = 0; run < 20; ++run)
        EXPECT_EQ(kernel.run({1, 1, 1, 256, 1, 1},
                             {in.argument(), out.argument()}, 1024),
                  "");
      EXPECT_EQ(out.read(), std::vector<float>{256});
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Emulator, MovesBetweenThreads) {
  EmulatedKernel kernel(reduceWarp);
  DeviceArray<uint32_t> out(kernel.device, std::vector<uint32_t>(64));
  for (int i = 0; i < 3; ++i)
    std::thread([&] {
      EXPECT_EQ(kernel.run({1, 1, 1, 64, 1, 1}, {out.argument()}), "");
    }).join();
  EXPECT_EQ(out.read().front(), 496U);
}

TEST(Emulator, MemoryIsNaNAtFirst) {
  EmulatedKernel kernel([](gnn_emulated_thread *thread, void **parameters) {
    parameter<float *>(parameters, 0)[1] =
        *reinterpret_cast<float *>(thread->shared);
  });
  auto *block = static_cast<float *>(kernel.device->allocateBlock(8));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
  EXPECT_NE(reinterpret_cast<uintptr_t>(block) % 128, 0U);
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {static_cast<void *>(&block)}, 4),
            "");
  float values[2] = {};
  kernel.device->download(values, block, 8);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
  kernel.device->releaseBlock(block);
}
