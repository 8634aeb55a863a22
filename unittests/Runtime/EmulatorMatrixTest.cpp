//===- EmulatorMatrixTest.cpp - Tests of matrices of a warp ---------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <cmath>
#include <cstring>

using namespace gnn::rt;
using namespace gnn::test;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A product of 16 x depth by depth x 8 elements, of which two may share 32
/// bits along the depth.
struct Product {
  int32_t type;
  int depth;
  std::vector<uint32_t> first, second; ///< Bits of elements, row-major.
};
} // namespace

/// (product, sums): what each lane holds is written out as PTX's manual has it.
static void multiplyOnce(gnn_emulated_thread *thread, void **parameters) {
  const Product &product = *parameter<const Product *>(parameters, 0);
  float *all = parameter<float *>(parameters, 1);
  int lane = numberOf(thread) % 32, group = lane / 4, inGroup = lane % 4;
  bool isWide = product.depth == 8;
  uint32_t first[4], second[2];
  float sums[4];
  for (int i = 0; i < 4; ++i) {
    int row = i == 0 || i == 2 ? group : group + 8;
    const uint32_t *elements = &product.first[row * product.depth];
    int column =
        isWide ? inGroup + (i < 2 ? 0 : 4) : inGroup * 2 + (i < 2 ? 0 : 8);
    first[i] = isWide ? elements[column]
                      : elements[column] | elements[column + 1] << 16;
    sums[i] = all[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)];
  }
  for (int i = 0; i < 2; ++i) {
    int row =
        isWide ? inGroup + (i < 1 ? 0 : 4) : inGroup * 2 + (i < 1 ? 0 : 8);
    const uint32_t *element = &product.second[row * 8 + group];
    second[i] = isWide ? element[0] : element[0] | element[8] << 16;
  }
  thread->multiply(thread, product.type, first, second, sums);
  for (int i = 0; i < 4; ++i)
    all[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)] = sums[i];
}

/// Both factors hold small integers and halves, so that sums are exact.
static void checkProduct(int32_t type, int depth,
                         uint32_t (*toBits)(float value)) {
  Product product = {type, depth, {}, {}};
  std::vector<float> first, second, expected(16 * 8);
  for (int i = 0; i < 16 * depth; ++i)
    first.push_back(static_cast<float>(i % 13 - 6) / 2);
  for (int i = 0; i < depth * 8; ++i)
    second.push_back(static_cast<float>(i % 7 - 3));
  for (float value : first)
    product.first.push_back(toBits(value));
  for (float value : second)
    product.second.push_back(toBits(value));
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float &sum = expected[row * 8 + column];
      sum = static_cast<float>(row - column);
      for (int k = 0; k < depth; ++k)
        sum += first[row * depth + k] * second[k * 8 + column];
    }
  std::vector<float> start(16 * 8);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      start[row * 8 + column] = static_cast<float>(row - column);
  EmulatedKernel kernel(multiplyOnce);
  DeviceArray<float> sums(kernel.device, start);
  const Product *pointer = &product;
  EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1},
                       {static_cast<void *>(&pointer), sums.argument()}),
            "");
  EXPECT_EQ(sums.read(), expected);
}

static uint32_t floatBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Of numbers that need no rounding.
static uint32_t halfBits(float value) {
  if (value == 0)
    return 0;
  int exponent;
  float fraction = frexpf(fabsf(value), &exponent);
  auto mantissa = static_cast<uint32_t>(ldexpf(fraction, 11)) & 0x3FF;
  return (value < 0 ? 0x8000U : 0U) |
         static_cast<uint32_t>(exponent + 14) << 10 | mantissa;
}

TEST(EmulatorMatrix, MultipliesHalves) {
  EXPECT_EQ(halfBits(1), 0x3C00U);
  EXPECT_EQ(halfBits(-2.5), 0xC100U);
  checkProduct(GNN_FACTOR_F16, 16, halfBits);
}

TEST(EmulatorMatrix, MultipliesBFloat16) {
  checkProduct(GNN_FACTOR_BF16, 16,
               [](float value) { return floatBits(value) >> 16; });
}

TEST(EmulatorMatrix, MultipliesTF32AndDropsLowBits) {
  checkProduct(GNN_FACTOR_TF32, 8, floatBits);
  checkProduct(GNN_FACTOR_TF32, 8,
               [](float value) { return floatBits(value) | 0x1FFF; });
}

/// (bits, sums): one factor that is `bits` in all places times 1.
static void multiplyByOne(gnn_emulated_thread *thread, void **parameters) {
  auto bits = parameter<uint32_t>(parameters, 0);
  uint32_t first[4] = {bits, 0, 0, 0}, second[2] = {halfBits(1), 0};
  float sums[4] = {};
  if (thread->thread[0] % 4)
    first[0] = 0;
  thread->multiply(thread, GNN_FACTOR_F16, first, second, sums);
  if (thread->thread[0] == 0)
    *parameter<float *>(parameters, 1) = sums[0];
}

TEST(EmulatorMatrix, KnowsAllHalves) {
  EmulatedKernel kernel(multiplyByOne);
  auto run = [&](uint32_t bits) {
    DeviceArray<float> sum(kernel.device, {0});
    EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1}, {&bits, sum.argument()}), "");
    return sum.read()[0];
  };
  EXPECT_EQ(run(0x0001), ldexpf(1, -24));
  EXPECT_EQ(run(0x83FF), -ldexpf(1023, -24));
  EXPECT_EQ(run(0x7BFF), 65504.0f);
  EXPECT_EQ(run(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(run(0x7E00)));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// (count, transposed, out): four matrices, of which element (i, j) of number n
/// is 100 n + 10 i + j, are written by one thread.
static void loadOnce(gnn_emulated_thread *thread, void **parameters) {
  auto count = parameter<int32_t>(parameters, 0);
  auto *elements = reinterpret_cast<uint16_t *>(thread->shared);
  int number = numberOf(thread);
  if (number == 0) {
    thread->access(thread, elements, 4 * 8 * 16, 1, nullptr);
    for (int i = 0; i < 4 * 8 * 8; ++i)
      elements[i] =
          static_cast<uint16_t>(i / 64 * 100 + i / 8 % 8 * 10 + i % 8);
  }
  thread->barrier(thread);
  // Lanes that know no row may have any address.
  const void *row = number < 8 * count ? elements + number * 8 : nullptr;
  uint32_t result[4] = {};
  thread->load_matrices(thread, row, count, parameter<int32_t>(parameters, 1),
                        result);
  for (int i = 0; i < 4; ++i)
    parameter<uint32_t *>(parameters, 2)[number * 4 + i] = result[i];
}

TEST(EmulatorMatrix, LoadsMatrices) {
  EmulatedKernel kernel(loadOnce, 4 * 8 * 16);
  for (int32_t count : {1, 2, 4})
    for (int32_t transposed : {0, 1}) {
      DeviceArray<uint32_t> out(kernel.device, std::vector<uint32_t>(128));
      EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1},
                           {&count, &transposed, out.argument()}),
                "");
      std::vector<uint32_t> result = out.read();
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 4; ++i) {
          uint32_t low = 100 * i + (transposed ? lane % 4 * 20 + lane / 4
                                               : lane / 4 * 10 + lane % 4 * 2);
          uint32_t high = low + (transposed ? 10 : 1);
          EXPECT_EQ(result[lane * 4 + i],
                    static_cast<int32_t>(i) < count ? low | high << 16 : 0);
        }
    }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// (in, out): each thread copies two numbers in a group each, of the second
/// group only half, and reads the first ones before the second ones are there.
static void copyInGroups(gnn_emulated_thread *thread, void **parameters) {
  const auto *in = parameter<const float *>(parameters, 0);
  auto *out = parameter<float *>(parameters, 1);
  int number = numberOf(thread);
  auto *shared = reinterpret_cast<float *>(thread->shared);
  thread->copy(thread, shared + number, in + number, 4, 4);
  thread->group_copies(thread);
  thread->copy(thread, shared + 32 + 2 * number, in + 2 * number, 8, 4);
  thread->group_copies(thread);
  thread->await_copies(thread, 1);
  out[number] = sharedFloat(thread, number, false);
  thread->await_copies(thread, 0);
  thread->barrier(thread);
  int other = 31 - number;
  out[32 + number] = sharedFloat(thread, 32 + 2 * other, false) +
                     sharedFloat(thread, 33 + 2 * other, false);
}

TEST(EmulatorMatrix, CopiesInGroups) {
  EmulatedKernel kernel(copyInGroups, 96 * 4);
  std::vector<float> values(64), expected;
  for (int i = 0; i < 64; ++i)
    values[i] = static_cast<float>(i + 1);
  DeviceArray<float> in(kernel.device, values),
      out(kernel.device, std::vector<float>(64));
  EXPECT_EQ(kernel.run({1, 1, 1, 32, 1, 1}, {in.argument(), out.argument()}),
            "");
  for (int i = 0; i < 32; ++i)
    expected.push_back(values[i]);
  for (int i = 0; i < 32; ++i)
    expected.push_back(values[2 * (31 - i)]);
  EXPECT_EQ(out.read(), expected);
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

using Kernel = void (*)(gnn_emulated_thread *, void **);

static std::string messageOf(Kernel emulate, int64_t numThreads = 32) {
  EmulatedKernel kernel(emulate, 1024);
  std::string message = kernel.run({1, 1, 1, numThreads, 1, 1});
  std::string begin = "kernel 'kernel', block (0, 0, 0), thread ";
  EXPECT_EQ(message.substr(0, begin.size()), begin);
  return message.substr(std::min(message.size(), begin.size()));
}

static void multiplyZeros(gnn_emulated_thread *thread, int32_t type) {
  uint32_t first[4] = {}, second[2] = {};
  float sums[4] = {};
  thread->multiply(thread, type, first, second, sums);
}

TEST(EmulatorMatrix, FindsProductsThatSomeLanesMiss) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (numberOf(thread) != 5)
                multiplyZeros(thread, GNN_FACTOR_F16);
            }),
            "(0, 0, 0): waits for a product of matrices among 32 lanes, but "
            "thread (5, 0, 0) has ended without it");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              multiplyZeros(thread, numberOf(thread) / 31);
            }),
            "(31, 0, 0): comes to a product of matrices (bf16 among 32 lanes), "
            "but thread (0, 0, 0) of the same warp waits for another product "
            "of matrices (f16 among 32)");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              if (numberOf(thread) < 9)
                multiplyZeros(thread, GNN_FACTOR_TF32);
              thread->load_matrices(thread, thread->shared, 2, 0, result);
            }),
            "(9, 0, 0): comes to a load of matrices (two among 32 lanes), but "
            "thread (0, 0, 0) of the same warp waits for another product of "
            "matrices (tf32 among 32)");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread,
                         void **) { multiplyZeros(thread, GNN_FACTOR_BF16); },
                      48),
            "(32, 0, 0): multiplies matrices, which takes 32 lanes, but its "
            "warp has 16");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              multiplyZeros(thread, 3);
            }),
            "(0, 0, 0): multiplies matrices of the unknown type 3");
}

TEST(EmulatorMatrix, FindsWrongLoads) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              thread->load_matrices(
                  thread, thread->shared + 16 * (numberOf(thread) % 8) + 8, 1,
                  0, result);
            }),
            "(0, 0, 0): loads the row of a matrix from byte 8 of workgroup "
            "memory, which is no multiple of 16");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              thread->load_matrices(thread, thread->shared, 1, 0, result);
            }),
            "(0, 0, 0): in a load of matrices, 4 bytes read, but byte 0 of "
            "workgroup memory was never written");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              thread->load_matrices(thread, thread->shared + 1024, 1, 0,
                                    result);
            }),
            "(0, 0, 0): in a load of matrices, 4 bytes read at byte 1024 of "
            "workgroup memory, which has 1024 bytes");
  // What a lane gets was written by another one.
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              char *row = thread->shared + 16 * (numberOf(thread) % 8);
              if (numberOf(thread) < 8)
                thread->access(thread, row, 16, 1, nullptr);
              thread->load_matrices(thread, row, 1, 0, result);
            }),
            "(1, 0, 0): reads byte 4 of workgroup memory (in a load of "
            "matrices, 4 bytes), which thread (0, 0, 0) writes with no barrier "
            "in between");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              uint32_t result[4];
              thread->load_matrices(thread, thread->shared, 3, 0, result);
            }),
            "(0, 0, 0): loads 3 matrices at once, expected one, two or four");
}

alignas(16) static char source[64];

TEST(EmulatorMatrix, FindsReadsOfWhatIsStillCopied) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              if (numberOf(thread) == 3)
                thread->copy(thread, thread->shared, source, 4, 4);
              thread->barrier(thread);
              if (numberOf(thread) == 4)
                (void)sharedFloat(thread, 0, false);
              thread->barrier(thread);
            }),
            "(4, 0, 0): reads byte 0 of workgroup memory (4 bytes), to which "
            "thread (3, 0, 0) has begun a copy that it has not waited for");
  // One group is waited for, and the other one is read.
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              char *place = thread->shared + 8 * numberOf(thread);
              thread->copy(thread, place, source, 4, 4);
              thread->group_copies(thread);
              thread->copy(thread, place + 4, source, 4, 4);
              thread->group_copies(thread);
              thread->await_copies(thread, 1);
              thread->access(thread, place, 8, 0, nullptr);
            }),
            "(0, 0, 0): reads byte 4 of workgroup memory (8 bytes), to which "
            "thread (0, 0, 0) has begun a copy that it has not waited for");
  // Waiting is for one's own copies; others need a barrier.
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              thread->copy(thread, thread->shared + 4 * number, source, 4, 4);
              thread->group_copies(thread);
              thread->await_copies(thread, 0);
              if (number)
                (void)sharedFloat(thread, number - 1, false);
            }),
            "(1, 0, 0): reads byte 0 of workgroup memory (4 bytes), which "
            "thread (0, 0, 0) writes with no barrier in between");
  // A copy may begin at once.
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              int number = numberOf(thread);
              sharedFloat(thread, number, true) = 1;
              thread->barrier(thread);
              (void)sharedFloat(thread, number, false);
              if (number)
                thread->copy(thread, thread->shared + 4 * number - 4, source, 4,
                             4);
            }),
            "(1, 0, 0): writes byte 0 of workgroup memory (in a copy, 4 "
            "bytes), which thread (0, 0, 0) reads with no barrier in between");
}

TEST(EmulatorMatrix, FindsWrongCopies) {
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->copy(thread, thread->shared + 8, source, 16, 16);
            }),
            "(0, 0, 0): copies 16 bytes to an address that is no multiple of "
            "so many");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->copy(thread, thread->shared, source + 4, 8, 8);
            }),
            "(0, 0, 0): copies 8 bytes from an address that is no multiple of "
            "so many");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->copy(thread, thread->shared, source, 12, 12);
            }),
            "(0, 0, 0): copies 12 bytes at once, expected 4, 8 or 16");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->copy(thread, thread->shared, source, 4, 8);
            }),
            "(0, 0, 0): copies 8 bytes to 4");
  EXPECT_EQ(messageOf([](gnn_emulated_thread *thread, void **) {
              thread->copy(thread, thread->shared + 1024, source, 4, 4);
            }),
            "(0, 0, 0): in a copy, 4 bytes written at byte 1024 of workgroup "
            "memory, which has 1024 bytes");
}

TEST(EmulatorMatrix, ForgetsCopiesOfABlockThatHasFailed) {
  EmulatedKernel kernel(
      [](gnn_emulated_thread *thread, void **parameters) {
        if (*parameter<int *>(parameters, 0) == 0) {
          thread->copy(thread, thread->shared, source, 4, 4);
          thread->fail(thread, "stop");
        }
        sharedFloat(thread, 0, true) = 1;
      },
      64);
  DeviceArray<int> goesOn(kernel.device, {0});
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {goesOn.argument()}),
            "kernel 'kernel', block (0, 0, 0), thread (0, 0, 0): stop");
  kernel.device->beginRun();
  *goesOn.data = 1;
  EXPECT_EQ(kernel.run({1, 1, 1, 1, 1, 1}, {goesOn.argument()}), "");
}
