//===- MemoryPoolTest.cpp - Tests of a session's memory ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryPool.h"

#include "FakeModel.h"
#include "TestUtil.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>

using namespace gnn::rt;
using namespace gnn::test;

static constexpr size_t megabyte = 1 << 20;

class Pool : public testing::Test {
protected:
  struct Close {
    void operator()(MemoryPool *pool) const { pool->close(); }
  };
  std::unique_ptr<MemoryPool, Close> pool{MemoryPool::create(Reuse::Yes)};

  int64_t requests() { return pool->getUsage().system_requests; }
  size_t held() { return static_cast<size_t>(pool->getUsage().bytes_held); }

  /// A run that has blocks of these sizes at once.
  void run(std::initializer_list<size_t> sizes) {
    pool->beginRun();
    std::vector<void *> blocks;
    for (size_t bytes : sizes)
      blocks.push_back(pool->allocateBlock(bytes));
    for (void *block : blocks)
      MemoryPool::releaseBlock(block);
  }
};

TEST_F(Pool, GivesAlignedRoomOfAnySize) {
  std::vector<size_t> sizes(2000);
  std::iota(sizes.begin(), sizes.end(), 0);
  for (size_t power = 4096; power <= 8 * megabyte; power *= 2)
    for (size_t difference : {-65, -64, -63, -1, 0, 1, 63})
      sizes.push_back(power + difference);
  std::vector<unsigned char *> blocks;
  for (size_t bytes : sizes) {
    void *block = pool->allocateBlock(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % MemoryPool::alignment, 0u);
    memset(block, static_cast<int>(blocks.size() % 251), bytes);
    blocks.push_back(static_cast<unsigned char *>(block));
  }
  // Had two of them overlapped, one would have the other's number.
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto isOther = [&](unsigned char byte) { return byte != i % 251; };
    EXPECT_TRUE(std::none_of(blocks[i], blocks[i] + sizes[i], isOther))
        << sizes[i];
    MemoryPool::releaseBlock(blocks[i]);
  }
}

TEST_F(Pool, PutsLargeBlocksAtDifferentPlacesOfPages) {
  if (defaultReuse == Reuse::No)
    GTEST_SKIP() << "a sanitizer's blocks have nothing before them";
  std::vector<void *> blocks;
  std::set<size_t> places;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(pool->allocateBlock(3 * megabyte));
    places.insert(reinterpret_cast<uintptr_t>(blocks.back()) %
                  MemoryPool::smallPage);
  }
  EXPECT_EQ(places.size(), blocks.size());
  for (void *block : blocks)
    MemoryPool::releaseBlock(block);
}

TEST_F(Pool, RefusesWhatNoMachineHas) {
  EXPECT_EQ(pool->allocateBlock(SIZE_MAX), nullptr);
  EXPECT_EQ(pool->allocateBlock(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(pool->allocateBlock(size_t(1) << 47), nullptr);
  EXPECT_EQ(held(), 0u);
}

TEST_F(Pool, TakesNoBlockThatIsNull) {
  MemoryPool::releaseBlock(nullptr);
  EXPECT_EQ(held(), 0u);
}

TEST_F(Pool, ServesARunWithWhatTheSameRunReleased) {
  run({100, 100, 5000, 3 * megabyte});
  EXPECT_EQ(requests(), 4);
  run({100, 100, 5000, 3 * megabyte});
  // Sizes of the same class.
  run({97, 100, 4900, 3 * megabyte + 200000});
  EXPECT_EQ(requests(), 4);
  run({100, 100, 100});
  EXPECT_EQ(requests(), 5);
}

TEST_F(Pool, HoldsLittleMoreThanOneRunNeeded) {
  run({8 * megabyte});
  size_t limit = held() + held() / 4;
  EXPECT_GE(held(), 8 * megabyte);
  // None of these fits the kept block.
  for (size_t i = 0; i < 12; ++i) {
    run({5 * megabyte, i * megabyte / 4});
    EXPECT_LE(held(), limit);
    run({6 * megabyte, megabyte});
    EXPECT_LE(held(), limit);
  }
}

TEST_F(Pool, KeepsALargeBlockInSpiteOfSmallOnes) {
  run({8 * megabyte});
  run({1000, 5000});
  run({8 * megabyte});
  EXPECT_EQ(requests(), 3);
}

TEST_F(Pool, ForgetsALargeRun) {
  run({64 * megabyte});
  EXPECT_GE(held(), 64 * megabyte);
  for (int64_t i = 0; i < NeedWindow::windowRuns / 2; ++i)
    run({1000});
  EXPECT_GE(held(), 64 * megabyte);
  for (int64_t i = 0; i < 2 * NeedWindow::windowRuns; ++i)
    run({1000});
  EXPECT_LE(held(), 2000u);
}

TEST_F(Pool, TakesBackWhatWasHeldForSeveralRuns) {
  // As a program does that keeps the last result until it has the next.
  void *previous = nullptr;
  for (int i = 0; i < 40; ++i) {
    pool->beginRun();
    void *result = pool->allocateBlock(megabyte);
    EXPECT_NE(result, previous);
    MemoryPool::releaseBlock(previous);
    previous = result;
  }
  EXPECT_EQ(requests(), 2);
  MemoryPool::releaseBlock(previous);
}

TEST_F(Pool, IsOutlivedByItsBlocks) {
  void *first = pool->allocateBlock(100);
  void *second = pool->allocateBlock(3 * megabyte);
  pool.reset();
  memset(first, 1, 100);
  memset(second, 2, 3 * megabyte);
  MemoryPool::releaseBlock(first);
  MemoryPool::releaseBlock(second);
}

TEST_F(Pool, KeepsNothingUnderASanitizer) {
  pool.reset(MemoryPool::create(Reuse::No));
  run({100, 3 * megabyte});
  EXPECT_EQ(held(), 0u);
  run({100, 3 * megabyte});
  EXPECT_EQ(requests(), 4);
}

TEST_F(Pool, ServesThreads) {
  auto work = [&](unsigned char number) {
    for (int i = 0; i < 2000; ++i) {
      size_t bytes = 64 + static_cast<size_t>(i % 7) * 300;
      auto *block = static_cast<unsigned char *>(pool->allocateBlock(bytes));
      memset(block, number, bytes);
      std::this_thread::yield();
      ASSERT_EQ(block[0], number);
      ASSERT_EQ(block[bytes - 1], number);
      MemoryPool::releaseBlock(block);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  // One block for each thread and size at most.
  EXPECT_LE(requests(), 14);
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// y = x + 1, by way of a temporary; both are larger than a huge page.
static void invokeIncrement(void **arguments, gnn_memory *memory) {
  auto &x = memref<float, 1>(arguments[1]);
  auto temporary = MemRef<float, 1>::make(memory, {x.sizes[0]});
  auto result = MemRef<float, 1>::make(memory, {x.sizes[0]});
  for (int64_t i = 0; i < x.sizes[0]; ++i)
    temporary.aligned[i] = x.aligned[i] + 1;
  for (int64_t i = 0; i < x.sizes[0]; ++i)
    result.aligned[i] = temporary.aligned[i];
  memory->release(memory, temporary.allocated);
  // The second result is the input, which is copied to where the temporary was.
  auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
  results[0] = result;
  results[1] = x;
}

class SessionMemory : public testing::Test {
protected:
  FakeModel fake{{tensorPort("x", GNN_FLOAT32, {-1})},
                 {tensorPort("y", GNN_FLOAT32, {-1}),
                  tensorPort("copy", GNN_FLOAT32, {-1})},
                 invokeIncrement};
  std::vector<float> input = std::vector<float>(size_t(1) << 20, 3);
  SessionPtr session;

  struct Outputs {
    gnn_tensor tensors[2] = {};
    Outputs() = default;
    Outputs(const Outputs &) = delete;
    ~Outputs() {
      for (gnn_tensor &tensor : tensors)
        gnn_tensor_release(&tensor);
    }
  };

  void SetUp() override {
    gnn_session *opened = nullptr;
    ASSERT_SUCCESS(gnn_session_create(&fake.model, nullptr, &opened, &error));
    session.reset(opened);
  }

  void run(Outputs &outputs) {
    gnn_tensor x = tensorOf(input, {static_cast<int64_t>(input.size())});
    ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &x, 1,
                                   outputs.tensors, 2, &error));
    EXPECT_EQ(valuesOf<float>(outputs.tensors[0]),
              std::vector<float>(input.size(), input[0] + 1));
    EXPECT_EQ(valuesOf<float>(outputs.tensors[1]), input);
  }

  gnn_memory_usage usage() { return gnn_session_memory_usage(session.get()); }

  /// Of this process, in bytes.
  static int64_t residentSet() {
    std::ifstream status("/proc/self/statm");
    int64_t pages = 0;
    status >> pages >> pages;
    return pages * 4096;
  }
};

TEST_F(SessionMemory, IsReusedFromTheSecondRunOn) {
  if (defaultReuse == Reuse::No)
    GTEST_SKIP() << "under a sanitizer each block has its own memory";
  {
    Outputs outputs;
    run(outputs);
  }
  EXPECT_EQ(usage().system_requests, 2);
  int64_t held = usage().bytes_held, resident = residentSet();
  for (int i = 0; i < 1000; ++i) {
    Outputs outputs;
    input[0] = static_cast<float>(i);
    gnn_tensor x = tensorOf(input, {static_cast<int64_t>(input.size())});
    ASSERT_SUCCESS(gnn_session_run(session.get(), nullptr, 0, &x, 1,
                                   outputs.tensors, 2, &error));
    ASSERT_EQ(static_cast<float *>(outputs.tensors[0].data)[0],
              static_cast<float>(i + 1));
  }
  EXPECT_EQ(usage().system_requests, 2);
  EXPECT_EQ(usage().bytes_held, held);
  EXPECT_LE(residentSet(), resident + 1000000);
}

TEST_F(SessionMemory, IsNotSharedByResultsThatAreHeld) {
  Outputs first, second;
  run(first);
  input.assign(input.size(), 5);
  run(second);
  std::vector<void *> places = {first.tensors[0].data, first.tensors[1].data,
                                second.tensors[0].data, second.tensors[1].data};
  std::sort(places.begin(), places.end());
  EXPECT_EQ(std::unique(places.begin(), places.end()), places.end());
  EXPECT_EQ(valuesOf<float>(first.tensors[0]),
            std::vector<float>(input.size(), 4));
  EXPECT_EQ(valuesOf<float>(first.tensors[1]),
            std::vector<float>(input.size(), 3));
}

TEST_F(SessionMemory, OfResultsOutlivesTheSession) {
  Outputs outputs;
  run(outputs);
  session.reset();
  EXPECT_EQ(valuesOf<float>(outputs.tensors[0]),
            std::vector<float>(input.size(), 4));
}

TEST_F(SessionMemory, IsReturnedWhenRunsNeedLess) {
  {
    Outputs outputs;
    run(outputs);
  }
  input.resize(10);
  for (int64_t i = 0; i < 3 * NeedWindow::windowRuns; ++i) {
    Outputs outputs;
    run(outputs);
  }
  EXPECT_LE(usage().bytes_held, 4096);
}

TEST_F(SessionMemory, MayBeReleasedByAnotherThread) {
  std::thread consumer;
  for (int i = 0; i < 20; ++i) {
    Outputs outputs;
    run(outputs);
    if (consumer.joinable())
      consumer.join();
    gnn_tensor taken = outputs.tensors[0];
    outputs.tensors[0] = gnn_tensor();
    consumer = std::thread([taken]() mutable { gnn_tensor_release(&taken); });
  }
  consumer.join();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static constexpr int64_t tooMuch = int64_t(1) << 60;

TEST_F(Pool, LeavesCodeThatMemoryIsShortFor) {
  auto code = [](void **, gnn_memory *memory) {
    void *first = memory->allocate(memory, 4 * megabyte);
    memory->allocate(memory, megabyte);
    memory->release(memory, first);
    memory->allocate(memory, 100);
    memory->allocate(memory, tooMuch);
    abort();
  };
  pool->beginRun();
  void *mine = pool->allocateBlock(megabyte);
  EXPECT_EQ(pool->call(code, nullptr), static_cast<size_t>(tooMuch));
  int64_t before = requests();
  // What was taken back serves the same code again, the caller's block does
  // not.
  pool->beginRun();
  EXPECT_EQ(pool->call(code, nullptr), static_cast<size_t>(tooMuch));
  EXPECT_EQ(requests(), before);
  MemoryPool::releaseBlock(mine);
}

TEST_F(Pool, KeepsWhatCodeHasNotReleased) {
  auto code = [](void **arguments, gnn_memory *memory) {
    arguments[0] = memory->allocate(memory, megabyte);
    arguments[1] = memory->allocate(memory, megabyte);
    memory->release(memory, memory->allocate(memory, megabyte));
  };
  void *results[2], *others[2];
  pool->beginRun();
  EXPECT_EQ(pool->call(code, results), 0u);
  pool->beginRun();
  EXPECT_EQ(pool->call(code, others), 0u);
  // In any order, and after another call.
  MemoryPool::releaseBlock(results[1]);
  MemoryPool::releaseBlock(others[0]);
  MemoryPool::releaseBlock(results[0]);
  MemoryPool::releaseBlock(others[1]);
  EXPECT_EQ(
      (std::set<void *>{results[0], results[1], others[0], others[1]}).size(),
      4u);
}

TEST_F(Pool, ReturnsNothingToOtherThreadsOfACall) {
  auto code = [](void **arguments, gnn_memory *memory) {
    std::thread([&] {
      arguments[0] = memory->allocate(memory, tooMuch);
    }).join();
  };
  void *result = &result;
  EXPECT_EQ(pool->call(code, &result), 0u);
  EXPECT_EQ(result, nullptr);
}
