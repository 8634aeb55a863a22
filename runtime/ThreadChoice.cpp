//===- ThreadChoice.cpp - How many threads a run takes ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadChoice.h"

#include <algorithm>

using namespace gnn::rt;

/// A number of threads is left for one that takes less than this share of its
/// time.
static constexpr float gain = 0.95F;
/// A trial ends early where one run takes this many times as long.
static constexpr float hopeless = 1.5F;

static float getMedian(const float (&values)[ThreadChoice::numTimed]) {
  for (float value : values) {
    int smaller = 0, larger = 0;
    for (float other : values) {
      smaller += other < value;
      larger += other > value;
    }
    if (std::max(smaller, larger) <= ThreadChoice::numTimed / 2)
      return value;
  }
  return values[0]; // Of no numbers.
}

void ThreadChoice::Size::endTrial(bool isFaster) {
  numRuns = 0;
  if (isFaster) {
    halvings += step;
    interval = wait = firstWait;
    return;
  }
  wait = interval;
  interval = std::min(2 * interval, maxWait);
  step = -step;
}

int32_t ThreadChoice::begin(int64_t rows, int32_t available) {
  timed = false;
  currentRows = std::max<int64_t>(rows, 1);
  current = &sizes[63 - __builtin_clzll(static_cast<uint64_t>(currentRows))];
  Size &size = *current;
  if (size.available != available) {
    size = {};
    size.available = available;
    size.step = 1;
    size.interval = size.wait = firstWait;
  }
  if (size.wait > 0) {
    --size.wait;
    return size.getThreads(size.halvings);
  }
  if (!size.isPossible(size.halvings + size.step))
    size.step = -size.step;
  // Runs as ever come first. The one after them finds data where the threads
  // before have left it, and is not timed.
  timed = size.numRuns != numTimed;
  if (!timed)
    ++size.numRuns;
  return size.getThreads(size.halvings +
                         (size.numRuns < numTimed ? 0 : size.step));
}

void ThreadChoice::end(double seconds) {
  Size &size = *current;
  bool isOther = size.numRuns > numTimed;
  auto perRow = static_cast<float>(seconds / static_cast<double>(currentRows));
  size.secondsPerRow[isOther][size.numRuns - isOther * (numTimed + 1)] = perRow;
  ++size.numRuns;
  if (size.numRuns < numTimed)
    return;
  float asEver = getMedian(size.secondsPerRow[0]);
  if (!isOther) {
    if (asEver * static_cast<double>(currentRows) > maxSeconds)
      size.endTrial(/*isFaster=*/false);
  } else if (perRow > hopeless * asEver) {
    size.endTrial(/*isFaster=*/false);
  } else if (size.numRuns == 2 * numTimed + 1) {
    size.endTrial(getMedian(size.secondsPerRow[1]) < gain * asEver);
  }
}
