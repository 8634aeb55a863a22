//===- Replays.h - Runs that are done again ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_REPLAYS_H
#define GNN_RUNTIME_DEVICE_REPLAYS_H

#include "../Session.h"
#include "Device.h"

namespace gnn::rt {

/// The captured runs of a session.
///
/// What compiled code does follows from its arguments, which are sizes, and
/// addresses that it cannot look behind, and from the values that it asks the
/// device for. So a run with the arguments of a captured one launches the same
/// kernels on the same addresses, as long as these values are the same, and the
/// capture stands for it, whatever the inputs are.
///
/// A run is captured when its arguments come for the second time: by then the
/// driver has loaded its kernels, and arguments that change every time cost no
/// more than the comparison. While a caller holds results of a captured run,
/// that is not replayed, as it would overwrite them; the same run is captured
/// once more then, with memory of its own, for callers that hold the results of
/// one run while they do the next.
class Replays {
public:
  explicit Replays(gnn_session &session) : session(session) {}
  Replays(const Replays &) = delete;
  Replays &operator=(const Replays &) = delete;

  /// Does a run whose arguments are in the session, if it is replayed or
  /// captured, up to the results. False if it is to be done without.
  bool run(Device &device);

  /// Forgets all captures because memory is short. False if there are none.
  bool yield(Device &device);
  void clear(Device &device);

  gnn_replay_usage getUsage() const {
    return {numCaptures, numReplays, *obstacle ? obstacle : nullptr};
  }

  static constexpr int64_t maxKept = 8;
  static constexpr int64_t maxOfOneRun = 2;

private:
  /// A run that was seen, and maybe captured.
  struct Entry {
    Capture *capture = nullptr;
    int64_t lastRun = 0;
    Array<int64_t> arguments;
    Array<int64_t> results;
  };

  bool matches(const Entry &entry) const;
  bool replay(Entry &entry, Device &device);
  bool capture(Entry &entry, Device &device);
  Entry *add(Device &device);
  void forget(int64_t index, Device &device);

  gnn_session &session;
  Array<Entry *> entries;
  int64_t currentRun = 0, numCaptures = 0, numReplays = 0;
  char obstacle[sizeof(gnn_error::message)] = {};
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_REPLAYS_H
