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

#include "Device/Device.h"
#include "TestUtil.h"

#include <cmath>
#include <numeric>

using namespace gnn::rt;
using namespace gnn::test;

template <typename T>
static T &parameter(void **parameters, int index) {
  return *static_cast<T *>(parameters[index]);
}

/// The number of a thread in its block.
static int numberOf(const gnn_emulated_thread *thread) {
  return static_cast<int>(
      thread->thread[0] +
      thread->block_size[0] *
          (thread->thread[1] + thread->block_size[1] * thread->thread[2]));
}

/// A float of workgroup memory, after saying so.
static float &sharedFloat(gnn_emulated_thread *thread, int index, bool writes,
                          const char *what = nullptr) {
  float *address = reinterpret_cast<float *>(thread->shared) + index;
  thread->access(thread, address, sizeof(float), writes, what);
  return *address;
}

namespace {
/// A device with one kernel.
struct EmulatedKernel {
  gnn_kernel kernel = {};
  gnn_device_code code = {};
  gnn_model model = {};
  Device *device = nullptr;

  explicit EmulatedKernel(void (*emulate)(gnn_emulated_thread *, void **),
                          int64_t sharedBytes = 0) {
    kernel.name = "kernel";
    kernel.shared_bytes = sharedBytes;
    kernel.emulate = emulate;
    code.chip = "emulated";
    code.num_kernels = 1;
    code.kernels = &kernel;
    model.target = GNN_TARGET_GPU_EMULATED;
    model.device = &code;
    EXPECT_EQ(openDevice(model, {}, device, nullptr), GNN_OK);
  }
  EmulatedKernel(const EmulatedKernel &) = delete;
  EmulatedKernel &operator=(const EmulatedKernel &) = delete;
  ~EmulatedKernel() { device->drop(); }

  void launch(std::initializer_list<int64_t> dimensions,
              std::vector<void *> parameters = {}, int64_t dynamicBytes = 0,
              int32_t number = 0) const {
    ASSERT_EQ(dimensions.size(), 6U);
    device->launchKernel(number, dimensions.begin(), dynamicBytes,
                         parameters.data());
  }

  std::string message() const {
    gnn_error error = {};
    device->getFailure(&error);
    return error.message;
  }

  /// The message of one launch; empty if all was right.
  std::string run(std::initializer_list<int64_t> dimensions,
                  std::vector<void *> parameters = {},
                  int64_t dynamicBytes = 0) const {
    device->beginRun();
    launch(dimensions, std::move(parameters), dynamicBytes);
    return message();
  }
};

/// An array on the device.
template <typename T>
struct DeviceArray {
  Device *device;
  T *data;
  size_t count;

  DeviceArray(Device *owner, const std::vector<T> &values)
      : device(owner), data(static_cast<T *>(device->allocateBlock(
                           static_cast<int64_t>(values.size() * sizeof(T))))),
        count(values.size()) {
    device->upload(data, values.data(),
                   static_cast<int64_t>(count * sizeof(T)));
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { device->releaseBlock(data); }

  std::vector<T> read() const {
    std::vector<T> values(count);
    device->download(values.data(), data,
                     static_cast<int64_t>(count * sizeof(T)));
    return values;
  }
};
} // namespace

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
  EXPECT_EQ(kernel.run({2, 1, 1, 256, 1, 1}, {&in.data, &out.data}, 1024), "");
  EXPECT_EQ(out.read(), (std::vector<float>{32640, 98176}));
  // The same device runs blocks of other sizes.
  EXPECT_EQ(kernel.run({2, 1, 1, 4, 1, 1}, {&in.data, &out.data}, 16), "");
  EXPECT_EQ(out.read(), (std::vector<float>{6, 22}));
  EXPECT_EQ(kernel.run({2, 1, 1, 1, 1, 1}, {&in.data, &out.data}, 4), "");
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
  EXPECT_EQ(kernel.run({1, 1, 1, 16, 4, 1}, {&out.data}), "");
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
    EXPECT_EQ(
        kernel.run({1, 1, 1, 8, 1, 1}, {&mode, &offset, &width, &out.data}),
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
  EXPECT_EQ(kernel.run({2, 1, 2, 3, 1, 2}, {&out.data, &next.data}), "");
  std::vector<int> expected(24);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(out.read(), expected);
  // A grid without blocks does nothing.
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_EQ(kernel.run({axis != 0, axis != 1, axis != 2, 3, 1, 2},
                         {&out.data, &next.data}),
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
  EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1}, {&out.data}), "");
  EXPECT_EQ(out.read(), std::vector<uint32_t>{100000});
}

TEST(Emulator, MemoryIsNaNAtFirst) {
  EmulatedKernel kernel([](gnn_emulated_thread *thread, void **parameters) {
    parameter<float *>(parameters, 0)[1] =
        *reinterpret_cast<float *>(thread->shared);
  });
  auto *block = static_cast<float *>(kernel.device->allocateBlock(8));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
  EXPECT_NE(reinterpret_cast<uintptr_t>(block) % 128, 0U);
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {&block}, 4), "");
  float values[2] = {};
  kernel.device->download(values, block, 8);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
  kernel.device->releaseBlock(block);
}

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
            "kernel 'kernel', block (0, 0, 0), thread (3, 0, 0): shuffles (up "
            "among 8 lanes), but thread (0, 0, 0) of the same warp waits for "
            "another shuffle (xor among 8)");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int32_t valid;
              int32_t width = numberOf(thread) < 4 ? 8 : 16;
              thread->shuffle(thread, GNN_SHUFFLE_XOR, 0, 1, width, &valid);
            }),
            "kernel 'kernel', block (0, 0, 0), thread (4, 0, 0): shuffles (xor "
            "among 16 lanes), but thread (0, 0, 0) of the same warp waits for "
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
    return kernel.run({1, 1, 1, 1, 1, 1}, {&bytes.data, &index});
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
  std::string message = kernel.run({1, 1, 1, 64, 1, 1}, {&count.data, &misses});
  EXPECT_NE(message.find("waits at a barrier"), std::string::npos) << message;
  // Later calls do nothing, and give nothing.
  misses = false;
  kernel.launch({1, 1, 1, 64, 1, 1}, {&count.data, &misses});
  EXPECT_EQ(device.allocateBlock(4), nullptr);
  int value = 7;
  device.upload(count.data, &value, sizeof(value));
  device.download(&value, count.data, sizeof(value));
  EXPECT_EQ(value, 0);
  EXPECT_EQ(kernel.message(), message);
  // The next run starts again, on fibers that were left where they waited.
  device.beginRun();
  EXPECT_EQ(count.read(), std::vector<int>{64});
  EXPECT_EQ(kernel.run({2, 1, 1, 128, 1, 1}, {&count.data, &misses}), "");
  EXPECT_EQ(count.read(), std::vector<int>{64 + 256});
}
