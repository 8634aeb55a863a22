//===- SharedMemory.cpp - Watched workgroup memory --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <cstring>

using namespace gnn::rt;

bool SharedMemory::resize(int64_t bytes) {
  if (bytes > shadow.size()) {
    if (!storage.allocate(bytes + alignment) || !shadow.allocate(bytes))
      return false;
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    memory = storage.data() + -address % alignment;
    clearShadow();
  } else if (!memory) { // a kernel without any still gets an address
    if (!storage.allocate(2 * alignment))
      return false;
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    memory = storage.data() + -address % alignment;
  }
  numBytes = bytes;
  return true;
}

void SharedMemory::clearShadow() {
  if (shadow.size())
    memset(static_cast<void *>(shadow.data()), 0,
           static_cast<size_t>(shadow.size()) * sizeof(Shadow));
}

void SharedMemory::beginBlock() {
  // A block has far fewer barriers than what is left then.
  if (epoch > UINT32_MAX / 2) {
    clearShadow();
    epoch = 0;
  }
  firstEpoch = ++epoch;
  // What a kernel must not read is NaN, or a negative number.
  if (numBytes)
    memset(memory, 0xFF, static_cast<size_t>(numBytes));
}

bool SharedMemory::findBytes(const void *address, int64_t bytes,
                             Report &report) const {
  auto begin = reinterpret_cast<intptr_t>(address);
  report.byte = begin - reinterpret_cast<intptr_t>(memory);
  if (bytes >= 0 && report.byte >= 0 && report.byte <= numBytes &&
      bytes <= numBytes - report.byte)
    return true;
  report.finding = Finding::Outside;
  return false;
}

bool SharedMemory::isOthers(const Shadow &byte, int32_t thread,
                            Report &report) const {
  if (byte.written != epoch || byte.writer == thread)
    return false;
  report.finding = Finding::Race;
  report.other = byte.writer;
  report.otherWrites = true;
  return true;
}

bool SharedMemory::isCopied(const Shadow &byte, Report &report) {
  if (byte.written != copied)
    return false;
  report.finding = Finding::Copied;
  report.other = byte.writer;
  return true;
}

SharedMemory::Report SharedMemory::noteRead(const void *address, int64_t bytes,
                                            int32_t thread) {
  Report report;
  if (!findBytes(address, bytes, report))
    return report;
  for (int64_t end = report.byte + bytes; report.byte < end; ++report.byte) {
    Shadow &byte = shadow[report.byte];
    if (isCopied(byte, report))
      return report;
    if (byte.written < firstEpoch) {
      report.finding = Finding::Unwritten;
      return report;
    }
    if (isOthers(byte, thread, report))
      return report;
    if (byte.read != epoch)
      byte.reader = static_cast<int16_t>(thread);
    else if (byte.reader != thread)
      byte.reader = several;
    byte.read = epoch;
  }
  return report;
}

SharedMemory::Report SharedMemory::noteWrite(const void *address, int64_t bytes,
                                             int32_t thread) {
  Report report;
  if (!findBytes(address, bytes, report))
    return report;
  for (int64_t end = report.byte + bytes; report.byte < end; ++report.byte) {
    Shadow &byte = shadow[report.byte];
    if (isCopied(byte, report) || isOthers(byte, thread, report))
      return report;
    if (byte.read == epoch && byte.reader != thread) {
      report.finding = Finding::Race;
      report.other = byte.reader;
      return report;
    }
    byte.written = epoch;
    byte.writer = static_cast<int16_t>(thread);
  }
  return report;
}

SharedMemory::Report SharedMemory::beginCopy(const void *address, int64_t bytes,
                                             int32_t thread) {
  Report report = noteWrite(address, bytes, thread);
  if (report.finding != Finding::None)
    return report;
  for (int64_t i = report.byte - bytes; i < report.byte; ++i) {
    shadow[i].written = copied;
    memory[i] = static_cast<char>(0xFF);
  }
  return report;
}

void SharedMemory::endCopy(const void *address, int64_t bytes, int32_t thread) {
  Report report;
  if (!findBytes(address, bytes, report))
    return;
  for (int64_t i = report.byte; i < report.byte + bytes; ++i) {
    shadow[i].written = epoch;
    shadow[i].writer = static_cast<int16_t>(thread);
  }
}
