//===- Preparations.h - What is computed once for a graph -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PREPARATIONS_H
#define GNN_RUNTIME_PREPARATIONS_H

#include "Array.h"
#include "GraphEntries.h"
#include "gnn/Runtime/Runtime.h"

struct gnn_session;

namespace gnn::rt {

class Flattener;

/// The values that a model's preparations have computed for graphs that a
/// session ran on. They are blocks of the memory that its runs use.
class Preparations {
public:
  /// If it `recomputes`, values are for one run only.
  Preparations(gnn_session &session, bool recomputes)
      : session(session), recomputes(recomputes) {}
  Preparations(const Preparations &) = delete;
  Preparations &operator=(const Preparations &) = delete;

  /// Bytes of values of graphs other than those of a run that are kept.
  static constexpr int64_t maxIdleBytes = int64_t(256) << 20;

  /// What there must be room for behind the arguments of a run.
  static void countArguments(const gnn_model &model, int64_t &pointers,
                             int64_t &words);

  /// Starts a run: forgets values of graphs that were destroyed, and those not
  /// used for longest if there are many.
  void beginRun(gnn_memory &memory);

  /// Behind the run's arguments, which are in the session, the values for
  /// `graphs`, computed if they are not there. The bytes that memory is short
  /// of, or 0.
  int64_t pass(Flattener &flat, const gnn_graph *const *graphs,
               gnn_memory &memory);

  /// Says that the results of a run were taken, so that it needs the values no
  /// longer.
  void endRun(gnn_memory &memory);

  /// Forgets what this run has computed, because it failed.
  void forgetNew(gnn_memory &memory);

  /// Forgets what this run has not used; false if there is nothing.
  bool trim(gnn_memory &memory);

  void clear(gnn_memory &memory);

  gnn_preparation_usage getUsage() const { return usage; }

private:
  struct Values;
  struct Entry {
    Values *values;
    int64_t firstRun;
    int64_t lastRun;

    bool isAlive() const;
  };

  Entry *find(const gnn_preparation &preparation,
              const gnn_graph *const *graphs);
  /// NULL if memory is short, of `missing` bytes.
  Entry *compute(const gnn_preparation &preparation,
                 const gnn_graph *const *graphs, gnn_memory &memory,
                 int64_t &missing);
  void limitIdle(gnn_memory &memory);
  void free(Entry &entry, gnn_memory &memory);

  gnn_session &session;
  const bool recomputes;
  GraphEntries<Entry> entries;
  gnn_preparation_usage usage = {};
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_PREPARATIONS_H
