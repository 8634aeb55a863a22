//===- FakeDriver.h - What a driver without a GPU keeps ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define GNN_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include "FakeCuda.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace fakecuda {

/// Codes of CUDA's driver.
enum Result {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  InvalidContext = 201,
  NotFound = 500,
  IllegalAddress = 700,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
};

/// Runs a thread, or all of them.
struct Function {
  fake_kernel run = nullptr;
  fake_launch runAll = nullptr;
  std::vector<int> parameterBytes;
  unsigned dynamicShared = 48 << 10;
};

/// A launch, with the values of its parameters.
struct Launch {
  std::pair<const std::string, Function> *function;
  unsigned sharedBytes;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ;
  std::vector<uint64_t> parameters;
};

using Launches = std::vector<Launch>;

/// Memory of the device, in pages of its own, which the host cannot touch.
class Block {
public:
  explicit Block(size_t bytes)
      : bytes(bytes), begin(static_cast<char *>(
                          mmap(nullptr, std::max<size_t>(bytes, 1), openPages,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    memset(begin, -1, bytes);
    close();
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  ~Block() { munmap(begin, std::max<size_t>(bytes, 1)); }

  size_t size() const { return bytes; }
  char *data() const { return begin; }
  void open() const { mprotect(begin, bytes, openPages); }
  void close() const { mprotect(begin, bytes, PROT_NONE); }

private:
  static constexpr int openPages = PROT_READ | PROT_WRITE;
  size_t bytes;
  char *begin;
};

/// What is captured of a stream.
struct Stream {
  bool isCapturing = false;
  bool isBroken = false;
  Launches captured;
};

/// All that the driver keeps.
struct Driver {
  std::string log;
  std::map<std::string, int> numCalls;
  std::map<std::string, Function> functions;
  fake_load load = nullptr;
  /// Blocks by address.
  std::map<uint64_t, std::unique_ptr<Block>> blocks;
  size_t bytes = 0;
  int contexts = 0, pushed = 0, modules = 0, graphs = 0;
  std::map<void *, Stream> streams;
};

} // namespace fakecuda

#endif // GNN_UNITTESTS_RUNTIME_FAKEDRIVER_H
