//===- Replays.cpp - Runs that are done again -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replays.h"

#include <cstdio>
#include <new>

using namespace gnn::rt;

static size_t countBytes(const Array<int64_t> &words) {
  return static_cast<size_t>(words.size()) * sizeof(int64_t);
}

static bool copyWords(const Array<int64_t> &from, Array<int64_t> &to) {
  if (!to.allocate(from.size()))
    return false;
  memcpy(to.data(), from.data(), countBytes(from));
  return true;
}

bool Replays::matches(const Entry &entry) const {
  return !memcmp(entry.arguments.data(), session.argumentWords.data(),
                 countBytes(session.argumentWords));
}

bool Replays::run(Device &device) {
  ++currentRun;
  Entry *fresh = nullptr;
  int64_t numCaptured = 0, numKnown = 0;
  for (Entry *entry : entries) {
    if (!matches(*entry))
      continue;
    entry->lastRun = currentRun;
    ++numKnown;
    if (!entry->capture) {
      fresh = entry;
      continue;
    }
    if (replay(*entry, device))
      return true;
    ++numCaptured;
  }
  if (*obstacle || numCaptured == maxOfOneRun)
    return false;
  if (!fresh)
    fresh = add(device);
  return numKnown && fresh && capture(*fresh, device);
}

bool Replays::replay(Entry &entry, Device &device) {
  if (!device.replay(*entry.capture))
    return false;
  memcpy(session.resultWords.data(), entry.results.data(),
         countBytes(entry.results));
  ++numReplays;
  return true;
}

/// Runs the model so that its launches are captured. If that fails, no run is
/// captured any more.
bool Replays::capture(Entry &entry, Device &device) {
  Capture *capture = nullptr;
  if (device.beginCapture()) {
    session.model->invoke(session.arguments.data(), &device);
    capture = device.endCapture();
  }
  if (capture && !copyWords(session.resultWords, entry.results)) {
    device.dropCapture(capture);
    capture = nullptr;
    device.failMemory("a captured run");
  }
  if (!capture) {
    gnn_error error = {};
    device.getFailure(&error);
    snprintf(obstacle, sizeof(obstacle), "%s", error.message);
    device.forgetFailure();
    session.clearResults();
    return false;
  }
  entry.capture = capture;
  ++numCaptures;
  return true;
}

/// A place for the session's arguments; NULL if memory is short.
Replays::Entry *Replays::add(Device &device) {
  if (entries.size() == maxKept) {
    int64_t oldest = 0;
    for (int64_t i = 1; i < entries.size(); ++i)
      if (entries[i]->lastRun < entries[oldest]->lastRun)
        oldest = i;
    forget(oldest, device);
  }
  auto *entry = new (std::nothrow) Entry();
  if (!entry || !copyWords(session.argumentWords, entry->arguments) ||
      !entries.push(entry)) {
    delete entry;
    return nullptr;
  }
  entry->lastRun = currentRun;
  return entry;
}

void Replays::forget(int64_t index, Device &device) {
  Entry *entry = entries[index];
  if (entry->capture)
    device.dropCapture(entry->capture);
  delete entry;
  entries[index] = entries[entries.size() - 1];
  entries.setSize(entries.size() - 1);
}

bool Replays::yield(Device &device) {
  bool hasCaptures = false;
  for (const Entry *entry : entries)
    hasCaptures |= entry->capture != nullptr;
  if (!hasCaptures)
    return false;
  clear(device);
  snprintf(obstacle, sizeof(obstacle),
           "memory of the device is too short to keep captured runs");
  return true;
}

void Replays::clear(Device &device) {
  while (entries.size())
    forget(entries.size() - 1, device);
}
