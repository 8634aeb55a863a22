//===- CudaCapture.cpp - Runs as CUDA graphs --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch costs the processor some microseconds, which is longer than many
// kernels of a small graph run. The driver can keep the launches of a run and
// do them all for the price of one.
//
// Some models look at a value on the way: how many edges a graph has when self
// loops were added, whether it is dense. What such a model launches next
// depends on it, so a capture ends there, the launches are done, and another
// begins. When the run is replayed, a value that is not what it was means that
// the rest is not, either: the run is then done from the start without.
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"

#include <cstring>
#include <new>

using namespace gnn::rt;

namespace gnn::rt {
class Capture {
public:
  /// What is launched up to a value that the model reads, or to the end.
  struct Segment {
    CudaGraphExec exec;
    const void *source; ///< Of the value; NULL: there is none.
    int64_t bytes;
  };

  DevicePool::Recording *blocks = nullptr;
  Array<Segment> segments;
  Array<char> values; ///< One after the other.
};
} // namespace gnn::rt

bool Cuda::beginCapture() {
  if (driver.missingForCapture) {
    fail(GNN_UNSUPPORTED, "the driver has no function %s",
         driver.missingForCapture);
    return false;
  }
  if (!captureStream &&
      !check(driver.streamCreate(&captureStream, cuda::streamNonBlocking),
             "to make a stream"))
    return false;
  auto *capture = new (std::nothrow) Capture();
  if (capture)
    capture->blocks = pool.beginRecording();
  if (!capture || !capture->blocks) {
    delete capture;
    failMemory("a captured run");
    return false;
  }
  if (!beginSegment()) {
    pool.endRecording();
    dropCapture(capture);
    return false;
  }
  capturing = capture;
  return true;
}

bool Cuda::beginSegment() {
  isStreamCaptured =
      check(driver.streamBeginCapture(captureStream, cuda::captureModeRelaxed),
            "to capture a run");
  return isStreamCaptured;
}

/// Ends what is being captured, and does it.
bool Cuda::endSegment(Capture &capture) {
  if (!isStreamCaptured)
    return false;
  isStreamCaptured = false;
  CudaGraph graph = nullptr;
  CudaGraphExec exec = nullptr;
  // Also after a failure, so that the stream can be used again.
  CudaResult result = driver.streamEndCapture(captureStream, &graph);
  if (!hasFailed() && check(result, "to capture a run") &&
      check(driver.graphInstantiate(&exec, graph, 0),
            "to prepare a captured run") &&
      !capture.segments.push({exec, nullptr, 0})) {
    driver.graphExecDestroy(exec);
    failMemory("a captured run");
  }
  if (graph)
    driver.graphDestroy(graph);
  return !hasFailed() &&
         check(driver.graphLaunch(exec, stream), "to launch a captured run");
}

/// A model reads a value while its run is captured.
void Cuda::readInCapture(void *host, const void *source, int64_t bytes) {
  Capture &capture = *capturing;
  if (!endSegment(capture))
    return;
  readValue(host, source, bytes);
  int64_t size = capture.values.size();
  if (!capture.values.reserve(size + bytes)) {
    failMemory("a captured run");
    return;
  }
  memcpy(capture.values.data() + size, host, static_cast<size_t>(bytes));
  capture.values.setSize(size + bytes);
  Capture::Segment &segment = capture.segments[capture.segments.size() - 1];
  segment.source = source;
  segment.bytes = bytes;
  if (!hasFailed())
    beginSegment();
}

Capture *Cuda::endCapture() {
  Capture *capture = capturing;
  pool.endRecording();
  bool isDone = endSegment(*capture);
  capturing = nullptr;
  if (isDone)
    return capture;
  dropCapture(capture);
  return nullptr;
}

/// Launches what was captured, as long as the values read are what they were.
bool Cuda::launchSegments(Capture &capture) {
  Array<char> value;
  const char *expected = capture.values.data();
  for (const Capture::Segment &segment : capture.segments) {
    if (!check(driver.graphLaunch(segment.exec, stream), "to replay a run"))
      return true; // It failed, but as any run may.
    if (!segment.source)
      continue;
    if (!value.allocate(segment.bytes)) {
      failMemory("a value of the device");
      return true;
    }
    readValue(value.data(), segment.source, segment.bytes);
    if (hasFailed())
      return true;
    if (memcmp(value.data(), expected, static_cast<size_t>(segment.bytes)) != 0)
      return false;
    expected += segment.bytes;
  }
  return true;
}

bool Cuda::replay(Capture &capture) {
  if (!pool.claim(*capture.blocks))
    return false;
  if (launchSegments(capture))
    return true;
  pool.unclaim(*capture.blocks);
  return false;
}

void Cuda::dropCapture(Capture *capture) {
  // It may be running. What comes after it in the stream may have its blocks.
  if (capture->segments.size())
    driver.streamSynchronize(stream);
  for (const Capture::Segment &segment : capture->segments)
    driver.graphExecDestroy(segment.exec);
  pool.drop(capture->blocks);
  delete capture;
}
