//===- ThreadChoiceTest.cpp - How many threads a run takes ----------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadChoice.h"

#include "gtest/gtest.h"
#include <functional>

using namespace gnn::rt;

namespace {
/// Runs that take as long as `seconds` says of their rows and threads.
struct Machine {
  std::function<double(int64_t rows, int32_t threads)> seconds;
  ThreadChoice choice = {};

  /// The threads that a run took.
  int32_t run(int64_t rows = 1000, int32_t available = 2) {
    int32_t threads = choice.begin(rows, available);
    if (choice.isTimed())
      choice.end(seconds(rows, threads));
    return threads;
  }
  /// Those that the last of some runs took.
  int32_t run(int count, int64_t rows, int32_t available) {
    int32_t threads = 0;
    for (int i = 0; i < count; ++i)
      threads = run(rows, available);
    return threads;
  }
};
} // namespace

/// Runs of a trial.
static constexpr int numTrial = 2 * ThreadChoice::numTimed + 1;

static double fasterOnOne(int64_t, int32_t threads) { return threads * 1e-4; }
static double fasterOnAll(int64_t, int32_t threads) { return 1e-4 / threads; }

TEST(ThreadChoice, BeginsWithAllThreads) {
  Machine machine{fasterOnOne};
  for (int i = 0; i < ThreadChoice::firstWait; ++i)
    EXPECT_EQ(machine.run(), 2);
}

TEST(ThreadChoice, TakesFewerThatAreFaster) {
  Machine machine{fasterOnOne};
  machine.run(ThreadChoice::firstWait + numTrial, 1000, 2);
  for (int i = 0; i < ThreadChoice::firstWait; ++i)
    EXPECT_EQ(machine.run(), 1);
}

TEST(ThreadChoice, SeldomTriesWhatIsSlower) {
  Machine machine{fasterOnAll};
  int numOthers = 0;
  for (int i = 0; i < 10000; ++i)
    numOthers += machine.run() != 2;
  // One that settles and one that is hopeless, at doubling intervals.
  EXPECT_GE(numOthers, 10);
  EXPECT_LE(numOthers, 40);
}

TEST(ThreadChoice, ComesBackWhenThatIsFaster) {
  Machine machine{fasterOnOne};
  EXPECT_EQ(machine.run(1000, 1000, 2), 1);
  machine.seconds = fasterOnAll;
  machine.run(ThreadChoice::maxWait + numTrial, 1000, 2);
  EXPECT_EQ(machine.run(), 2);
}

TEST(ThreadChoice, DoesNotMoveForLittle) {
  Machine machine{
      [](int64_t, int32_t threads) { return threads == 1 ? 0.98e-4 : 1e-4; }};
  machine.run(1000, 1000, 2);
  EXPECT_EQ(machine.run(ThreadChoice::firstWait, 1000, 2), 2);
}

TEST(ThreadChoice, FindsWhatIsInBetween) {
  Machine machine{
      [](int64_t, int32_t threads) { return 1e-4 / threads + threads * 2e-5; }};
  EXPECT_EQ(machine.run(500, 1000, 16), 2);
}

TEST(ThreadChoice, HalvesOddNumbers) {
  Machine machine{fasterOnOne};
  EXPECT_EQ(machine.run(100, 1000, 3), 1);
}

TEST(ThreadChoice, LeavesLongRunsOnAllThreads) {
  Machine machine{[](int64_t, int32_t threads) { return threads * 6e-3; }};
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(machine.run(), 2);
}

TEST(ThreadChoice, KnowsSizesByThemselves) {
  Machine machine{[](int64_t rows, int32_t threads) {
    return rows < 100 ? fasterOnOne(rows, threads) : fasterOnAll(rows, threads);
  }};
  for (int i = 0; i < 60; ++i) {
    machine.run(10);
    machine.run(1000);
  }
  EXPECT_EQ(machine.run(10), 1);
  EXPECT_EQ(machine.run(1000), 2);
}

TEST(ThreadChoice, ComparesTheTimeForARow) {
  // One thread has the smaller graph of each pair, and is not faster for that.
  Machine machine{[](int64_t rows, int32_t threads) {
    return static_cast<double>(rows) * (threads == 1 ? 2e-7 : 1.5e-7);
  }};
  machine.run(ThreadChoice::firstWait + ThreadChoice::numTimed, 1900, 2);
  machine.run(numTrial - ThreadChoice::numTimed, 1100, 2);
  EXPECT_EQ(machine.run(1100), 2);
}

TEST(ThreadChoice, BeginsAnewWithOtherThreads) {
  Machine machine{fasterOnOne};
  EXPECT_EQ(machine.run(100, 1000, 2), 1);
  EXPECT_EQ(machine.run(1000, 4), 4);
}

TEST(ThreadChoice, DoesNotCountRunsThatFailed) {
  Machine machine{fasterOnOne};
  machine.run(ThreadChoice::firstWait, 1000, 2);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(machine.choice.begin(1000, 2), 2);
  EXPECT_EQ(machine.run(numTrial + 1, 1000, 2), 1);
}

TEST(ThreadChoice, TakesInputsWithoutRows) {
  Machine machine{fasterOnAll};
  EXPECT_EQ(machine.run(100, 0, 2), 2);
}
