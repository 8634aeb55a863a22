//===- DeviceClock.cpp - Time and memory of a GPU ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceClock.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

using namespace gnn;
using namespace gnn::bench;
using rt::CudaAddress;

static gnn_status fail(gnn_error *error, gnn_status status,
                       const std::string &message) {
  error->status = status;
  snprintf(error->message, sizeof(error->message), "%s", message.c_str());
  return status;
}

gnn_status DeviceClock::check(rt::CudaResult result, const char *what,
                              gnn_error *error) {
  if (result == rt::cuda::success)
    return GNN_OK;
  return fail(error,
              result == rt::cuda::outOfMemory ? GNN_OUT_OF_MEMORY
                                              : GNN_DEVICE_ERROR,
              "the GPU failed " + std::string(what) + ": " +
                  driver.describe(result).text);
}

DeviceClock::~DeviceClock() {
  if (begin)
    eventDestroy(begin);
  if (end)
    eventDestroy(end);
  if (stream)
    driver.streamDestroy(stream);
  if (context) {
    rt::CudaContext previous;
    driver.contextPop(&previous);
    driver.primaryContextRelease(device);
  }
  if (library)
    dlclose(library);
}

/// The functions of the driver that sessions do without.
gnn_status DeviceClock::findEvents(gnn_error *error) {
  const char *path = getenv("GNN_CUDA_DRIVER");
  // The file that the user names, as sessions take it.
  // NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint)
  library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
  auto find = [&](const char *symbol, auto *&function) {
    if (library)
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, symbol));
    return function != nullptr;
  };
  if (find("cuEventCreate", eventCreate) &&
      find("cuEventDestroy_v2", eventDestroy) &&
      find("cuEventRecord", eventRecord) &&
      find("cuEventElapsedTime", eventElapsedTime))
    return GNN_OK;
  return fail(error, GNN_DEVICE_ERROR, "the driver has no events");
}

gnn_status DeviceClock::open(int number, gnn_error *error) {
  if (gnn_status status = driver.load("bench-gpu", error))
    return status;
  if (gnn_status status = findEvents(error))
    return status;
  int count = 0;
  char text[100] = {};
  if (gnn_status status =
          check(driver.deviceGetCount(&count), "to be counted", error))
    return status;
  if (number >= count)
    return fail(error, GNN_DEVICE_ERROR,
                "there is no GPU " + std::to_string(number) +
                    ": the driver sees " + std::to_string(count));
  if (gnn_status status =
          check(driver.deviceGet(&device, number), "to be opened", error))
    return status;
  driver.deviceGetName(text, sizeof(text), device);
  name = text;
  int major = 0, minor = 0;
  driver.deviceGetAttribute(&major, rt::cuda::computeCapabilityMajor, device);
  driver.deviceGetAttribute(&minor, rt::cuda::computeCapabilityMinor, device);
  capability = 10 * major + minor;
  if (gnn_status status = check(driver.primaryContextRetain(&context, device),
                                "to be opened", error))
    return status;
  driver.contextPush(context);
  if (gnn_status status =
          check(driver.streamCreate(&stream, rt::cuda::streamNonBlocking),
                "to make a stream", error))
    return status;
  for (Event *event : {&begin, &end})
    if (gnn_status status =
            check(eventCreate(event, 0), "to make an event", error))
      return status;
  return GNN_OK;
}

gnn_status DeviceClock::place(const void *data, size_t bytes, void *&copy,
                              gnn_error *error) {
  if (isOnHost()) {
    copy = aligned_alloc(64, (std::max<size_t>(bytes, 1) + 63) / 64 * 64);
    if (!copy)
      return fail(error, GNN_OUT_OF_MEMORY, "there is no memory for an input");
    memcpy(copy, data, bytes);
    return GNN_OK;
  }
  CudaAddress address = 0;
  std::string what = "to hold an input of " + std::to_string(bytes) + " bytes";
  if (gnn_status status =
          check(driver.memoryAllocate(&address, std::max<size_t>(bytes, 1)),
                what.c_str(), error))
    return status;
  static_assert(sizeof(copy) == sizeof(address));
  memcpy(static_cast<void *>(&copy), &address, sizeof(address));
  if (gnn_status status =
          check(driver.copyToDevice(address, data, bytes, stream),
                "to take an input", error))
    return status;
  return check(driver.streamSynchronize(stream), "to take an input", error);
}

void DeviceClock::free(void *copy) {
  if (isOnHost())
    ::free(copy);
  else
    driver.memoryFree(reinterpret_cast<CudaAddress>(copy));
}

gnn_status DeviceClock::time(const Action &action, int count, double &seconds,
                             gnn_error *error) {
  auto start = std::chrono::steady_clock::now();
  if (!isOnHost())
    if (gnn_status status =
            check(eventRecord(begin, stream), "to note the time", error))
      return status;
  for (int i = 0; i < count; ++i)
    if (gnn_status status = action(error))
      return status;
  if (isOnHost()) {
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return GNN_OK;
  }
  float milliseconds = 0;
  if (gnn_status status =
          check(eventRecord(end, stream), "to note the time", error))
    return status;
  if (gnn_status status =
          check(driver.streamSynchronize(stream), "in a run", error))
    return status;
  gnn_status status = check(eventElapsedTime(&milliseconds, begin, end),
                            "to tell the time", error);
  seconds = 1e-3 * static_cast<double>(milliseconds);
  return status;
}

gnn_status DeviceClock::measureCopy(double &rate, gnn_error *error) {
  size_t bytes = size_t(1) << 20, total = 0;
  if (!isOnHost()) {
    driver.memoryGetInfo(&bytes, &total);
    // More than caches hold.
    bytes = std::min(size_t(1) << 30, bytes / 4);
  }
  std::vector<char> data(bytes);
  void *from = nullptr, *to = nullptr;
  gnn_status status = place(data.data(), bytes, from, error);
  if (!status)
    status = place(data.data(), bytes, to, error);
  auto copy = [&](gnn_error *error) {
    if (!isOnHost())
      return check(driver.copyOnDevice(reinterpret_cast<CudaAddress>(to),
                                       reinterpret_cast<CudaAddress>(from),
                                       bytes, stream),
                   "to copy", error);
    memcpy(to, from, bytes);
    return GNN_OK;
  };
  constexpr int count = 10;
  double seconds = 0;
  for (int i = 0; i < 2 && !status; ++i) // The first is not counted.
    status = time(copy, count, seconds, error);
  if (!status)
    rate = 2.0 * count * static_cast<double>(bytes) / std::max(seconds, 1e-9);
  for (void *block : {from, to})
    if (block)
      free(block);
  return status;
}
