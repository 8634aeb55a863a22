//===- Preparations.cpp - What is computed once for a graph -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preparations.h"

#include "Flattener.h"
#include "Graph.h"
#include "Session.h"

#include <chrono>
#include <new>

using namespace gnn::rt;

/// Of one preparation for some graphs.
struct Preparations::Values {
  const gnn_preparation *preparation;
  Array<GraphIdentity *> identities;
  Array<int64_t> words; ///< What it has written: descriptors and numbers.
  Array<void *> blocks; ///< What it has allocated.
  int64_t bytes = 0;
  /// Values that lie in memory of somebody else are for one run only.
  bool isBorrowed = false;

  explicit Values(const gnn_preparation &preparation)
      : preparation(&preparation) {}
  ~Values() {
    for (GraphIdentity *identity : identities)
      identity->drop();
  }

  bool retainGraphs(const gnn_graph *const *graphs);
  bool takeBlocks(const gnn_session &session);
};

static int64_t wordsOf(const gnn_prepared_value &value) {
  return value.rank < 0 ? 1 : descriptorWords(value.rank);
}

static int64_t wordsOf(const gnn_preparation &preparation) {
  int64_t words = 0;
  for (int32_t i = 0; i < preparation.num_values; ++i)
    words += wordsOf(preparation.values[i]);
  return words;
}

void Preparations::countArguments(const gnn_model &model, int64_t &pointers,
                                  int64_t &words) {
  for (int32_t i = 0; i < model.num_preparations; ++i) {
    pointers += model.preparations[i].num_values;
    words += wordsOf(model.preparations[i]);
  }
}

bool Preparations::Entry::isAlive() const {
  bool isAlive = !values->isBorrowed;
  for (const GraphIdentity *identity : values->identities)
    isAlive &= identity->isAlive.load(std::memory_order_acquire);
  return isAlive;
}

bool Preparations::Values::retainGraphs(const gnn_graph *const *graphs) {
  if (!identities.reserve(preparation->num_graphs))
    return false;
  for (int32_t i = 0; i < preparation->num_graphs; ++i) {
    GraphIdentity *identity = retainIdentity(*graphs[preparation->graphs[i]]);
    if (!identity)
      return false;
    (void)identities.push(identity); // There is room for all.
  }
  return true;
}

/// Finds out which memory of the values is theirs.
bool Preparations::Values::takeBlocks(const gnn_session &session) {
  if (!blocks.reserve(preparation->num_values))
    return false;
  int64_t *next = words.data();
  for (int32_t i = 0; i < preparation->num_values; ++i) {
    const gnn_prepared_value &value = preparation->values[i];
    Descriptor descriptor(next, value.rank);
    next += wordsOf(value);
    if (value.rank < 0)
      continue;
    void *allocated = descriptor.allocated();
    if (!allocated || isConstant(allocated))
      continue;
    if (isLent(session, allocated)) {
      isBorrowed = true;
      continue;
    }
    bool isKnown = false;
    for (void *block : blocks)
      isKnown |= block == allocated;
    if (isKnown)
      continue;
    (void)blocks.push(allocated); // There is room for all.
    int64_t size = value.element_bytes;
    for (int32_t dimension = 0; dimension < value.rank; ++dimension)
      size *= descriptor.sizes()[dimension];
    bytes += size;
  }
  return true;
}

void Preparations::free(Entry &entry, gnn_memory &memory) {
  for (void *block : entry.values->blocks)
    memory.release(&memory, block);
  usage.bytes_held -= entry.values->bytes;
  delete entry.values;
}

void Preparations::beginRun(gnn_memory &memory) {
  entries.beginRun([&](Entry &entry) { free(entry, memory); });
}

bool Preparations::trim(gnn_memory &memory) {
  return entries.trim([&](Entry &entry) { free(entry, memory); });
}

void Preparations::clear(gnn_memory &memory) {
  entries.clear([&](Entry &entry) { free(entry, memory); });
}

void Preparations::endRun(gnn_memory &memory) {
  if (recomputes)
    clear(memory);
}

void Preparations::forgetNew(gnn_memory &memory) {
  for (int64_t i = entries.size(); i-- > 0;)
    if (entries[i].firstRun == entries.getRun())
      entries.forget(i, [&](Entry &entry) { free(entry, memory); });
}

/// Forgets what was not used for longest, until what this run does not use is
/// little.
void Preparations::limitIdle(gnn_memory &memory) {
  int64_t idle = 0;
  for (const Entry &entry : entries)
    idle += entry.lastRun == entries.getRun() ? 0 : entry.values->bytes;
  while (idle > maxIdleBytes) {
    int64_t oldest = entries.findOldest();
    idle -= entries[oldest].values->bytes;
    entries.forget(oldest, [&](Entry &entry) { free(entry, memory); });
  }
}

Preparations::Entry *Preparations::find(const gnn_preparation &preparation,
                                        const gnn_graph *const *graphs) {
  for (Entry &entry : entries) {
    const Values &values = *entry.values;
    bool isSame = values.preparation == &preparation;
    for (int32_t i = 0; i < preparation.num_graphs && isSame; ++i)
      isSame = graphs[preparation.graphs[i]]->identity.load(
                   std::memory_order_acquire) == values.identities[i];
    if (isSame)
      return &entry;
  }
  return nullptr;
}

Preparations::Entry *Preparations::compute(const gnn_preparation &preparation,
                                           const gnn_graph *const *graphs,
                                           gnn_memory &memory,
                                           int64_t &missing) {
  missing = 64; // Of the list, which takes little.
  auto *values = new (std::nothrow) Values(preparation);
  Entry *entry = nullptr;
  if (values && values->retainGraphs(graphs) &&
      values->words.allocateZeroed(wordsOf(preparation)) &&
      values->blocks.reserve(preparation.num_values))
    entry = entries.add({values, entries.getRun(), 0});
  if (!entry) {
    delete values;
    return nullptr;
  }
  auto begin = std::chrono::steady_clock::now();
  void *results = session.arguments[0];
  session.arguments[0] = values->words.data();
  MemoryPool *pool = MemoryPool::of(memory);
  missing = 0;
  if (pool)
    missing = static_cast<int64_t>(
        pool->call(preparation.compute, session.arguments.data()));
  else
    preparation.compute(session.arguments.data(), &memory);
  session.arguments[0] = results;
  usage.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (missing) {
    entries.forget(entries.size() - 1,
                   [&](Entry &last) { free(last, memory); });
    return nullptr;
  }
  ++usage.computations;
  (void)values->takeBlocks(session); // There is room for all.
  usage.bytes_held += values->bytes;
  return entry;
}

int64_t Preparations::pass(Flattener &flat, const gnn_graph *const *graphs,
                           gnn_memory &memory) {
  const gnn_model &model = *session.model;
  for (int32_t i = 0; i < model.num_preparations; ++i) {
    const gnn_preparation &preparation = model.preparations[i];
    Entry *entry = find(preparation, graphs);
    int64_t missing = 0;
    if (!entry)
      entry = compute(preparation, graphs, memory, missing);
    if (!entry)
      return missing;
    entry->lastRun = entries.getRun();
    const int64_t *words = entry->values->words.data();
    for (int32_t j = 0; j < preparation.num_values; ++j) {
      const gnn_prepared_value &value = preparation.values[j];
      flat.addValue(words, value.rank);
      words += wordsOf(value);
    }
  }
  limitIdle(memory);
  return 0;
}
