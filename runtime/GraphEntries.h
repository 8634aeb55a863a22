//===- GraphEntries.h - What a session keeps of graphs ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_GRAPHENTRIES_H
#define GNN_RUNTIME_GRAPHENTRIES_H

#include "Array.h"

namespace gnn::rt {

/// Entries that belong to graphs, from run to run. `Entry` has `lastRun`, the
/// number of the run that used it last, and says by `isAlive` whether its
/// graphs still exist. Entries are freed by what the user passes.
template <typename Entry>
class GraphEntries {
public:
  /// Entries that are kept beside those of a run.
  static constexpr int64_t maxKept = 64;

  /// Starts a run: forgets entries of graphs that were destroyed, and those not
  /// used for longest if there are many.
  template <typename Free>
  void beginRun(Free free) {
    ++run;
    for (int64_t i = entries.size(); i-- > 0;)
      if (!entries[i].isAlive())
        forget(i, free);
    while (entries.size() > maxKept)
      forget(findOldest(), free);
  }

  int64_t getRun() const { return run; }

  /// The entry that was not used for longest, of at least one.
  int64_t findOldest() const {
    int64_t oldest = 0;
    for (int64_t i = 1; i < entries.size(); ++i)
      if (entries[i].lastRun < entries[oldest].lastRun)
        oldest = i;
    return oldest;
  }

  /// Adds an entry of this run; NULL if memory is short.
  Entry *add(Entry entry) {
    entry.lastRun = run;
    return entries.push(entry) ? &entries[entries.size() - 1] : nullptr;
  }

  template <typename Free>
  void forget(int64_t index, Free free) {
    free(entries[index]);
    entries[index] = entries[entries.size() - 1];
    entries.setSize(entries.size() - 1);
  }

  /// Forgets all entries that this run has not used; false if there are none.
  template <typename Free>
  bool trim(Free free) {
    int64_t before = entries.size();
    for (int64_t i = entries.size(); i-- > 0;)
      if (entries[i].lastRun != run)
        forget(i, free);
    return entries.size() < before;
  }

  template <typename Free>
  void clear(Free free) {
    while (entries.size())
      forget(entries.size() - 1, free);
  }

  int64_t size() const { return entries.size(); }
  Entry &operator[](int64_t index) { return entries[index]; }
  Entry *begin() { return entries.begin(); }
  Entry *end() { return entries.end(); }

private:
  Array<Entry> entries;
  int64_t run = 0;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_GRAPHENTRIES_H
