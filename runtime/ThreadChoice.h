//===- ThreadChoice.h - How many threads a run takes ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_THREADCHOICE_H
#define GNN_RUNTIME_THREADCHOICE_H

#include <cstdint>

namespace gnn::rt {

/// Decides how many threads the runs of a session take. Results are the same
/// bits for any number of them.
///
/// Whether a run of some hundred microseconds is over sooner on several threads
/// depends on what no program can ask for: the processors of a virtual machine
/// may be one core, or cores that share no cache, and others may be at work on
/// them. So it is measured. After some runs a trial compares the number of
/// threads that runs take with half of it, after others with twice as many;
/// more and more rarely while it brings nothing.
///
/// Runs are told apart by the size of their inputs, by powers of two, and
/// within these compared by the time for each row: graphs may be others in each
/// run.
class ThreadChoice {
public:
  /// Runs that are timed for each side of a trial.
  static constexpr int numTimed = 5;
  /// Runs before the first trial of a size.
  static constexpr int32_t firstWait = 32;
  /// Runs between two trials, at most.
  static constexpr int32_t maxWait = 1024;
  /// Runs that take longer than this have all threads: what moving data and
  /// waking threads cost is too little of them.
  static constexpr double maxSeconds = 5e-3;

  /// How many of `available` threads, two or more, the next run takes, whose
  /// inputs have `rows` nodes and edges together.
  int32_t begin(int64_t rows, int32_t available);

  /// Whether `end` wants to know how long the run that has begun takes.
  bool isTimed() const { return timed; }
  void end(double seconds);

private:
  /// What is known of runs of about one size.
  struct Size {
    int32_t available; ///< 0: no run yet.
    int32_t halvings;  ///< Runs take the threads available, halved so often.
    int32_t step;      ///< What a trial adds to the halvings: 1 or -1.
    int32_t wait;      ///< Runs until the next trial.
    int32_t interval;  ///< What `wait` is after a trial that brought nothing.
    int32_t numRuns;   ///< Of the trial.
    float secondsPerRow[2][numTimed]; ///< As ever, and with `step`.

    int32_t getThreads(int32_t halvings) const { return available >> halvings; }
    bool isPossible(int32_t halvings) const {
      return halvings >= 0 && getThreads(halvings) >= 1;
    }
    void endTrial(bool isFaster);
  };

  static constexpr int numSizes = 64;
  Size sizes[numSizes] = {};
  Size *current = nullptr; ///< That of the run that has begun.
  int64_t currentRows = 0;
  bool timed = false;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_THREADCHOICE_H
