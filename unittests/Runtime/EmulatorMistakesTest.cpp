//===- EmulatorMistakesTest.cpp - Tests of what kernels do wrong ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"

using namespace gnn::rt;
using namespace gnn::test;

//===----------------------------------------------------------------------===//
// Mistakes with workgroup memory
//===----------------------------------------------------------------------===//

using Kernel = void (*)(gnn_emulated_thread *, void **);

/// What is said of a kernel with 64 bytes of workgroup memory, in two blocks of
/// 8 threads.
static std::string messageOf(Kernel emulate, int64_t numThreads = 8) {
  EmulatedKernel kernel(emulate, 64);
  return kernel.run({2, 1, 1, numThreads, 1, 1});
}

TEST(Emulator, FindsReadsOfWhatAnotherThreadWrites) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              sharedFloat(thread, number, true) = 1;
              (void)sharedFloat(thread, number ^ 1, false, "the neighbour");
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): in the "
            "neighbour, 4 bytes read, but byte 4 of workgroup memory was never "
            "written");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              sharedFloat(thread, number, true) = 1;
              if (number)
                (void)sharedFloat(thread, number - 1, false, "the neighbour");
            }),
            "kernel 'kernel', block (0, 0, 0), thread (1, 0, 0): reads byte 0 "
            "of workgroup memory (in the neighbour, 4 bytes), which thread (0, "
            "0, 0) writes with no barrier in between");
}

TEST(Emulator, FindsWritesWithoutOrder) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              sharedFloat(thread, 3, true) = 1;
            }),
            "kernel 'kernel', block (0, 0, 0), thread (1, 0, 0): writes byte "
            "12 of workgroup memory (4 bytes), which thread (0, 0, 0) writes "
            "with no barrier in between");
  // Read and written: by another thread, and by several.
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              sharedFloat(thread, number, true) = 1;
              thread->barrier(thread);
              if (number == 7)
                (void)sharedFloat(thread, 5, false);
              if (number == 5)
                sharedFloat(thread, 5, true) = 2;
            }),
            "kernel 'kernel', block (0, 0, 0), thread (5, 0, 0): writes byte "
            "20 of workgroup memory (4 bytes), which thread (7, 0, 0) reads "
            "with no barrier in between");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              if (number == 0)
                sharedFloat(thread, 0, true) = 1;
              thread->barrier(thread);
              (void)sharedFloat(thread, 0, false);
              if (number == 6)
                sharedFloat(thread, 0, true) = 2;
            }),
            "kernel 'kernel', block (0, 0, 0), thread (6, 0, 0): writes byte "
            "0 of workgroup memory (4 bytes), which other threads read with no "
            "barrier in between");
}

TEST(Emulator, WatchesEachByte) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              char *byte = thread->shared + numberOf(thread);
              for (int32_t writes : {1, 0, 1, 0})
                thread->access(thread, byte, 1, writes, nullptr);
            }),
            "");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              char *byte = thread->shared + numberOf(thread);
              thread->access(thread, byte, 2, 1, nullptr);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (1, 0, 0): writes byte 1 "
            "of workgroup memory (2 bytes), which thread (0, 0, 0) writes with "
            "no barrier in between");
}

TEST(Emulator, FindsReadsOfWhatAnEarlierBlockWrote) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              if (thread->block[0] == 0)
                sharedFloat(thread, number, true) = 1;
              (void)sharedFloat(thread, number, false);
            }),
            "kernel 'kernel', block (1, 0, 0), thread (0, 0, 0): 4 bytes read, "
            "but byte 0 of workgroup memory was never written");
}

TEST(Emulator, FindsAccessesOutside) {
  EXPECT_EQ(
      messageOf([](gnn_emulated_thread *thread, void **) {
        thread->access(thread, thread->shared + 60, 8, 1, "the tile");
      }),
      "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): in the tile, 8 "
      "bytes written at byte 60 of workgroup memory, which has 64 bytes");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->access(thread, thread->shared - 4, 4, 0, nullptr);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): 4 bytes read "
            "at byte -4 of workgroup memory, which has 64 bytes");
}

//===----------------------------------------------------------------------===//
// Mistakes with barriers and shuffles
//===----------------------------------------------------------------------===//

TEST(Emulator, FindsBarriersThatSomeThreadsMiss) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (numberOf(thread) != 5)
                thread->barrier(thread);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits at a "
            "barrier, but thread (5, 0, 0) has ended without reaching it");
}

TEST(Emulator, FindsShufflesThatSomeThreadsMiss) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              if (numberOf(thread) != 5)
                thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, 32, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "shuffle among 32 lanes, but thread (5, 0, 0) has ended without "
            "it");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              if (numberOf(thread) != 5)
                thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, 8, &valid);
              else
                thread->barrier(thread);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "shuffle among 8 lanes, but thread (5, 0, 0) waits at a barrier");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              int32_t width = numberOf(thread) < 4 ? 8 : 4;
              thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, width, &valid);
              if (width == 4)
                thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, 2, &valid);
              if (width == 4)
                thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, 1, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "shuffle among 8 lanes, but thread (4, 0, 0) has ended without it");
}

TEST(Emulator, FindsShufflesThatDiffer) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              thread->shuffle(thread, numberOf(thread) == 3, 0, 1, 8, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (3, 0, 0): comes to a "
            "shuffle (up among 8 lanes), but thread (0, 0, 0) of the same warp "
            "waits for "
            "another shuffle (xor among 8)");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              int32_t width = numberOf(thread) < 4 ? 8 : 16;
              thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, width, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (4, 0, 0): comes to a "
            "shuffle (xor among 16 lanes), but thread (0, 0, 0) of the same "
            "warp waits for "
            "another shuffle (xor among 8)");
  EXPECT_EQ(messageOf(
                [](gnn_emulated_thread *thread, void **) {
                  int32_t valid;
                  int32_t width = numberOf(thread) < 16 ? 32 : 16;
                  if (numberOf(thread) == 16)
                    return thread->barrier(thread);
                  thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, width, &valid);
                },
                32),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "shuffle among 32 lanes, but thread (16, 0, 0) waits at a barrier");
}

TEST(Emulator, FindsVotesThatSomeThreadsMiss) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (numberOf(thread) != 5)
                thread->vote(thread, 1);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "vote among 32 lanes, but thread (5, 0, 0) has ended without it");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (numberOf(thread) != 5)
                thread->vote(thread, 1);
              else
                thread->barrier(thread);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): waits for a "
            "vote among 32 lanes, but thread (5, 0, 0) waits at a barrier");
}

TEST(Emulator, FindsVotesWhereOthersShuffle) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              if (numberOf(thread) == 3)
                thread->vote(thread, 1);
              else
                thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, 32, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (3, 0, 0): comes to a "
            "vote (ballot among 32 lanes), but thread (0, 0, 0) of the same "
            "warp waits for another shuffle (xor among 32)");
}

TEST(Emulator, FindsShufflesWithLanesThatAreMissing) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 16, 32, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): reads lane 16 "
            "in a shuffle, but its warp has 8 threads");
  EXPECT_EQ(
      messageOf([](gnn_emulated_thread *thread, void **) {
        int32_t valid;
        thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 16, 24, &valid);
      }),
      "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): shuffles among "
      "24 lanes, which is no power of two up to 32");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              thread->shuffle(thread, 4, 0, 16, 32, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): shuffles in "
            "the unknown mode 4");
}

TEST(Emulator, EndsKernelsThatFail) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (thread->block[0] == 1 && numberOf(thread) == 2)
                thread->fail(thread, "index 7 is beyond 6");
            }),
            "kernel 'kernel', block (1, 0, 0), thread (2, 0, 0): index 7 is "
            "beyond 6");
}

//===----------------------------------------------------------------------===//
// Mistakes with the device's memory, and launches
//===----------------------------------------------------------------------===//

TEST(Emulator, FindsWritesBesideBlocks) {
  EmulatedKernel kernel([](gnn_emulated_thread *, void **parameters) {
    parameter<char *>(parameters, 0)[parameter<int64_t>(parameters, 1)] = 1;
  });
  DeviceArray<char> before(kernel.device, std::vector<char>(10)),
      bytes(kernel.device, std::vector<char>(10));
  auto run = [&](int64_t index) {
    return kernel.run({1, 1, 1, 1, 1, 1}, {bytes.argument(), &index});
  };
  EXPECT_EQ(run(9), "");
  EXPECT_EQ(run(10), "kernel 'kernel' has written outside of a block of 10 "
                     "bytes: 0 bytes behind its end");
  EXPECT_EQ(run(13), "kernel 'kernel' has written outside of a block of 10 "
                     "bytes: 3 bytes behind its end");
  EXPECT_EQ(run(-2), "kernel 'kernel' has written outside of a block of 10 "
                     "bytes: 2 bytes before it");
  // It is said once.
  EXPECT_EQ(run(0), "");
}

TEST(Emulator, FindsWrongCopiesAndReleases) {
  EmulatedKernel kernel([](gnn_emulated_thread *, void **) {});
  Device &device = *kernel.device;
  char host[16] = {};
  auto *block = static_cast<char *>(device.allocateBlock(16));
  device.upload(block + 1, host, 16);
  EXPECT_EQ(kernel.message(), "16 bytes were to be copied to where the device "
                              "has no block of so many");
  device.beginRun();
  device.download(host, host, 1);
  EXPECT_EQ(kernel.message(), "1 bytes were to be copied from where the device "
                              "has no block of so many");
  device.beginRun();
  device.releaseBlock(block);
  EXPECT_EQ(kernel.message(), "");
  device.releaseBlock(block);
  EXPECT_EQ(kernel.message(), "the model released what is no block of the "
                              "device, or was released before");
  device.beginRun();
  EXPECT_EQ(device.allocateBlock(-1), nullptr);
  EXPECT_EQ(kernel.message(), "the model asked for a block of -1 bytes");
  device.beginRun();
  EXPECT_EQ(device.allocateBlock(INT64_MAX), nullptr);
  EXPECT_EQ(kernel.message(), "out of memory: the emulated device has no block "
                              "of 9223372036854775807 bytes");
}

TEST(Emulator, RefusesImpossibleLaunches) {
  EmulatedKernel kernel([](gnn_emulated_thread *, void **) {}, 200 << 10);
  EXPECT_EQ(kernel.run({1, 65536, 1, 1, 1, 1}),
            "kernel 'kernel' was launched on a grid of 1 x 65536 x 1 blocks, "
            "but at most 2147483647 x 65535 x 65535 are possible");
  EXPECT_EQ(kernel.run({-1, 1, 1, 1, 1, 1}).substr(0, 60),
            "kernel 'kernel' was launched on a grid of -1 x 1 x 1 blocks,");
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 0}),
            "kernel 'kernel' was launched with blocks of 1 x 1 x 0 threads; "
            "each must be at least 1 and at most 1024 x 1024 x 64");
  EXPECT_EQ(kernel.run({1, 1, 1, 64, 32, 1}),
            "kernel 'kernel' was launched with blocks of 2048 threads, but at "
            "most 1024 are possible");
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {}, -4),
            "kernel 'kernel' was launched with -4 bytes of workgroup memory");
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {}, 28 << 10),
            "kernel 'kernel' wants 233472 bytes of workgroup memory, but a "
            "block has at most 232448");
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {}, 27 << 10), "");
  for (int32_t number : {-1, 1}) {
    kernel.device->beginRun();
    kernel.launch({1, 1, 1, 1, 1, 1}, {}, 0, number);
    EXPECT_EQ(kernel.message(), "the model launched kernel " +
                                    std::to_string(number) +
                                    ", but it has 1 kernels only");
  }
}

/// (count, misses): increments `count`, with a barrier that one thread may
/// miss.
static void countThreads(gnn_emulated_thread *thread, void **parameters) {
  ++*parameter<int *>(parameters, 0);
  if (parameter<bool>(parameters, 1) && numberOf(thread) == 3)
    return;
  thread->barrier(thread);
  thread->barrier(thread);
}

TEST(Emulator, KeepsTheFirstFailureOfARun) {
  EmulatedKernel kernel(countThreads);
  Device &device = *kernel.device;
  DeviceArray<int> count(&device, {0});
  bool misses = true;
  std::string message =
      kernel.run({1, 1, 1, 64, 1, 1}, {count.argument(), &misses});
  EXPECT_NE(message.find("waits at a barrier"), std::string::npos) << message;
  // Later calls do nothing, and give nothing.
  misses = false;
  kernel.launch({1, 1, 1, 64, 1, 1}, {count.argument(), &misses});
  EXPECT_EQ(device.allocateBlock(4), nullptr);
  int value = 7;
  device.upload(count.data, &value, sizeof(value));
  device.download(&value, count.data, sizeof(value));
  EXPECT_EQ(value, 0);
  EXPECT_EQ(kernel.message(), message);
  // The next run starts again, on fibers that were left where they waited.
  device.beginRun();
  EXPECT_EQ(count.read(), std::vector<int>{64});
  EXPECT_EQ(kernel.run({2, 1, 1, 128, 1, 1}, {count.argument(), &misses}), "");
  EXPECT_EQ(count.read(), std::vector<int>{64 + 256});
}
