//===- FakeCuda.cpp - A driver without a GPU --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and numbers of the functions are those of CUDA's driver interface. As
// with a GPU's, its memory cannot be read or written by the host's code.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace fakecuda;

static Driver driver;

namespace {
/// While it lives, the driver works on the device's memory.
class Work {
public:
  Work() {
    for (auto &entry : driver.blocks)
      entry.second->open();
  }
  Work(const Work &) = delete;
  Work &operator=(const Work &) = delete;
  ~Work() {
    for (auto &entry : driver.blocks)
      entry.second->close();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What tests call
//===----------------------------------------------------------------------===//

void fakeCudaSetKernel(const char *name, fake_kernel kernel,
                       int numParameters) {
  driver.functions[name] = {kernel, nullptr,
                            std::vector<int>(numParameters, 8)};
}

void fakeCudaSetLaunch(const char *name, fake_launch launch, int numParameters,
                       const int *bytes) {
  driver.functions[name] = {nullptr, launch,
                            std::vector<int>(bytes, bytes + numParameters)};
}

void fakeCudaSetLoad(fake_load load) { driver.load = load; }

void fakeCudaReset(void) {
  driver.log.clear();
  driver.numCalls.clear();
  driver.functions.clear();
}

const char *fakeCudaLog(void) { return driver.log.c_str(); }

int fakeCudaCountLive(void) {
  return driver.contexts + driver.pushed + driver.modules + driver.graphs +
         static_cast<int>(driver.streams.size() + driver.blocks.size());
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

static int toNumber(const char *text) {
  return static_cast<int>(strtol(text, nullptr, 10));
}

/// The value of a word "name=value", or "name@call=value" from that call on, or
/// "name#call=value" in that call.
static int getSetting(const std::string &name, int otherwise) {
  const char *text = getenv("FAKE_CUDA");
  std::string words = std::string(" ") + (text ? text : "");
  size_t place = words.find(" " + name + "=");
  if (place != std::string::npos)
    return toNumber(words.c_str() + place + name.size() + 2);
  bool isOnce = false;
  place = words.find(" " + name + "@");
  if (place == std::string::npos) {
    isOnce = true;
    place = words.find(" " + name + "#");
  }
  if (place == std::string::npos)
    return otherwise;
  char *end = nullptr;
  int64_t first = strtol(words.c_str() + place + name.size() + 2, &end, 10);
  int64_t now = driver.numCalls[name];
  return now == first || (now > first && !isOnce) ? toNumber(end + 1)
                                                  : otherwise;
}

/// Notes a call; gives the code that it is to fail with.
static int call(const std::string &name, const std::string &details = "") {
  std::string line = name + (details.empty() ? "" : " ") + details + "\n";
  driver.log += line;
  if (const char *path = getenv("FAKE_CUDA_LOG"))
    if (FILE *file = fopen(path, "a")) {
      fputs(line.c_str(), file);
      fclose(file);
    }
  ++driver.numCalls[name];
  return getSetting(name, Success);
}

/// The same for calls that want a current context.
static int callInContext(const std::string &name,
                         const std::string &details = "") {
  if (int code = call(name, details))
    return code;
  return driver.pushed ? Success : InvalidContext;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

// NOLINTBEGIN(readability-identifier-naming): the driver's names
extern "C" {

int cuInit(unsigned flags) { return call("cuInit", std::to_string(flags)); }

int cuDriverGetVersion(int *version) {
  *version = getSetting("version", 13000);
  return Success;
}

int cuGetErrorName(int code, const char **name) {
  *name = code == OutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == IllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                   : nullptr;
  return *name ? Success : InvalidValue;
}

int cuGetErrorString(int code, const char **text) {
  *text = code == OutOfMemory ? "out of memory"
                              : "an illegal memory access was encountered";
  return Success;
}

int cuDeviceGetCount(int *count) {
  *count = getSetting("devices", 1);
  return call("cuDeviceGetCount");
}

int cuDeviceGet(int *device, int number) {
  *device = number;
  return call("cuDeviceGet", std::to_string(number));
}

int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, static_cast<size_t>(length), "Fake %d", device);
  return Success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  int capability = getSetting("capability", 90);
  std::map<int, int> values = {{75, capability / 10},
                               {76, capability % 10},
                               {97, getSetting("shared", 227 << 10)}};
  auto found = values.find(attribute);
  if (found == values.end())
    return InvalidValue;
  *value = found->second;
  return Success;
}

//===----------------------------------------------------------------------===//
// Contexts, streams and modules
//===----------------------------------------------------------------------===//

int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (int code = call("cuDevicePrimaryCtxRetain", std::to_string(device)))
    return code;
  *context = &driver.contexts;
  ++driver.contexts;
  return Success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  --driver.contexts;
  return call("cuDevicePrimaryCtxRelease_v2", std::to_string(device));
}

int cuCtxPushCurrent_v2(void *context) {
  if (context != &driver.contexts)
    return InvalidContext;
  ++driver.pushed;
  return Success;
}

int cuCtxPopCurrent_v2(void **context) {
  if (!driver.pushed)
    return InvalidContext;
  --driver.pushed;
  *context = &driver.contexts;
  return Success;
}

int cuStreamCreate(void **stream, unsigned flags) {
  if (int code = callInContext("cuStreamCreate", std::to_string(flags)))
    return code;
  *stream = malloc(1);
  driver.streams[*stream];
  return Success;
}

int cuStreamDestroy_v2(void *stream) {
  driver.streams.erase(stream);
  free(stream);
  return callInContext("cuStreamDestroy_v2");
}

/// Notes a call in a stream, which must not be one that is being captured.
static int callInStream(const std::string &name, void *stream,
                        const std::string &details = "") {
  if (int code = callInContext(name, details))
    return code;
  auto found = driver.streams.find(stream);
  if (found == driver.streams.end() || !found->second.isCapturing)
    return Success;
  found->second.isBroken = true;
  return CaptureUnsupported;
}

int cuStreamSynchronize(void *stream) {
  return callInStream("cuStreamSynchronize", stream,
                      driver.streams.count(stream) ? "" : "of another");
}

/// What a compiler in the driver says goes to the caller's log.
int cuModuleLoadDataEx(void **module, void *image, unsigned count, int *options,
                       void **values) {
  if (count == 2 && options[0] == 5 && options[1] == 6)
    snprintf(static_cast<char *>(values[0]),
             reinterpret_cast<size_t>(values[1]),
             "ptxas fatal : Unresolved extern function '__nv_expf'\n");
  if (int code = callInContext("cuModuleLoadDataEx"))
    return code;
  *module = image;
  ++driver.modules;
  if (driver.load)
    driver.load(static_cast<const char *>(image));
  return Success;
}

int cuModuleUnload(void *) {
  --driver.modules;
  return callInContext("cuModuleUnload");
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (int code = callInContext("cuModuleGetFunction", name))
    return code;
  auto found = driver.functions.find(name);
  if (found == driver.functions.end() ||
      (found->second.run && !strstr(static_cast<char *>(module), name)))
    return NotFound;
  *function = &*found;
  return Success;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  auto &entry =
      *static_cast<std::pair<const std::string, Function> *>(function);
  entry.second.dynamicShared = static_cast<unsigned>(value);
  return callInContext("cuFuncSetAttribute",
                       std::to_string(attribute) + " " + std::to_string(value));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *total = static_cast<size_t>(getSetting("memory", 1 << 30));
  *available = *total - driver.bytes;
  return Success;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int code = callInContext("cuMemAlloc_v2", std::to_string(bytes)))
    return code;
  auto limit = static_cast<size_t>(getSetting("memory", 1 << 30));
  if (driver.bytes + bytes > limit)
    return OutOfMemory;
  auto block = std::make_unique<Block>(bytes);
  *address = reinterpret_cast<uint64_t>(block->data());
  driver.blocks.emplace(*address, std::move(block));
  driver.bytes += bytes;
  return Success;
}

int cuMemFree_v2(uint64_t address) {
  if (int code = callInContext("cuMemFree_v2"))
    return code;
  auto found = driver.blocks.find(address);
  if (found == driver.blocks.end())
    return InvalidValue;
  driver.bytes -= found->second->size();
  driver.blocks.erase(found);
  return Success;
}

/// The memory at an address of the device; NULL if it has not so much.
static char *findMemory(uint64_t address, size_t bytes) {
  auto next = driver.blocks.upper_bound(address);
  if (next == driver.blocks.begin())
    return nullptr;
  auto &[begin, block] = *std::prev(next);
  return address - begin + bytes <= block->size()
             ? block->data() + (address - begin)
             : nullptr;
}

int cuMemcpyHtoDAsync_v2(uint64_t device, const void *host, size_t bytes,
                         void *stream) {
  if (int code =
          callInStream("cuMemcpyHtoDAsync_v2", stream, std::to_string(bytes)))
    return code;
  char *memory = findMemory(device, bytes);
  if (!memory)
    return InvalidValue;
  Work work;
  memcpy(memory, host, bytes);
  return Success;
}

int cuMemcpyDtoHAsync_v2(void *host, uint64_t device, size_t bytes,
                         void *stream) {
  if (int code =
          callInStream("cuMemcpyDtoHAsync_v2", stream, std::to_string(bytes)))
    return code;
  const char *memory = findMemory(device, bytes);
  if (!memory)
    return InvalidValue;
  Work work;
  memcpy(host, memory, bytes);
  return Success;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  if (int code =
          callInStream("cuMemcpyDtoDAsync_v2", stream, std::to_string(bytes)))
    return code;
  const char *source = findMemory(from, bytes);
  char *destination = findMemory(to, bytes);
  if (!source || !destination)
    return InvalidValue;
  Work work;
  memcpy(destination, source, bytes);
  return Success;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static int runLaunch(const Launch &launch) {
  Work work;
  // Kernels get the addresses of their parameters.
  std::vector<uint64_t> values = launch.parameters;
  std::vector<void *> parameters;
  parameters.reserve(values.size());
  for (uint64_t &value : values)
    parameters.push_back(&value);
  const auto &[name, function] = *launch.function;
  if (function.runAll) {
    unsigned dimensions[] = {launch.gridX,  launch.gridY,  launch.gridZ,
                             launch.blockX, launch.blockY, launch.blockZ};
    return function.runAll(name.c_str(), dimensions, launch.sharedBytes,
                           parameters.data())
               ? IllegalAddress
               : Success;
  }
  gnn_emulated_thread thread = {};
  for (unsigned i = 0; i < launch.gridX * launch.gridY * launch.gridZ; ++i)
    for (unsigned j = 0; j < launch.blockX * launch.blockY * launch.blockZ;
         ++j) {
      thread.thread[0] = j % launch.blockX;
      thread.thread[1] = j / launch.blockX % launch.blockY;
      thread.thread[2] = j / launch.blockX / launch.blockY;
      thread.block[0] = i % launch.gridX;
      thread.block[1] = i / launch.gridX % launch.gridY;
      thread.block[2] = i / launch.gridX / launch.gridY;
      function.run(&thread, parameters.data());
    }
  return Success;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **extra) {
  auto *entry = static_cast<std::pair<const std::string, Function> *>(function);
  auto &[name, code] = *entry;
  char details[100];
  snprintf(details, sizeof(details), "%s %ux%ux%u %ux%ux%u %u", name.c_str(),
           gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes);
  if (int result = callInContext("cuLaunchKernel", details))
    return result;
  if (extra || sharedBytes > code.dynamicShared)
    return InvalidValue;
  Launch launch = {entry,  sharedBytes, gridX,  gridY, gridZ,
                   blockX, blockY,      blockZ, {}};
  for (size_t i = 0; i < code.parameterBytes.size(); ++i)
    memcpy(&launch.parameters.emplace_back(), parameters[i],
           static_cast<size_t>(code.parameterBytes[i]));
  auto found = driver.streams.find(stream);
  if (found == driver.streams.end() || !found->second.isCapturing)
    return runLaunch(launch);
  found->second.captured.push_back(launch);
  return Success;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

// Between any two events, each launch since the first has taken 2 ms.
int cuEventCreate(void **event, unsigned) {
  *event = new int(0);
  ++driver.graphs;
  return Success;
}

int cuEventDestroy_v2(void *event) {
  delete static_cast<int *>(event);
  --driver.graphs;
  return Success;
}

int cuEventRecord(void *event, void *) {
  *static_cast<int *>(event) =
      driver.numCalls["cuLaunchKernel"] + driver.numCalls["cuGraphLaunch"];
  return Success;
}

int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = 2.0F * static_cast<float>(*static_cast<int *>(end) -
                                            *static_cast<int *>(begin));
  return Success;
}

#ifndef FAKE_CUDA_WITHOUT_GRAPHS
int cuStreamBeginCapture_v2(void *stream, int mode) {
  if (int code = callInContext("cuStreamBeginCapture_v2", std::to_string(mode)))
    return code;
  auto found = driver.streams.find(stream);
  if (found == driver.streams.end() || found->second.isCapturing)
    return InvalidValue;
  found->second = Stream();
  found->second.isCapturing = true;
  return Success;
}

int cuStreamEndCapture(void *stream, void **graph) {
  *graph = nullptr;
  Stream &captured = driver.streams.at(stream);
  bool isValid = captured.isCapturing && !captured.isBroken;
  captured.isCapturing = false;
  if (int code = callInContext("cuStreamEndCapture",
                               std::to_string(captured.captured.size())))
    return code;
  if (!isValid)
    return CaptureInvalidated;
  *graph = new Launches(std::move(captured.captured));
  ++driver.graphs;
  return Success;
}

int cuGraphInstantiateWithFlags(void **exec, void *graph,
                                unsigned long long flags) {
  if (int code =
          callInContext("cuGraphInstantiateWithFlags", std::to_string(flags)))
    return code;
  *exec = new Launches(*static_cast<Launches *>(graph));
  ++driver.graphs;
  return Success;
}

int cuGraphLaunch(void *exec, void *) {
  if (int code = callInContext("cuGraphLaunch"))
    return code;
  for (const Launch &launch : *static_cast<Launches *>(exec))
    if (int code = runLaunch(launch))
      return code;
  return Success;
}

int cuGraphDestroy(void *graph) {
  delete static_cast<Launches *>(graph);
  --driver.graphs;
  return call("cuGraphDestroy");
}

int cuGraphExecDestroy(void *exec) {
  delete static_cast<Launches *>(exec);
  --driver.graphs;
  return call("cuGraphExecDestroy");
}
#endif

} // extern "C"
// NOLINTEND(readability-identifier-naming)
