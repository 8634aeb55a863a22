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
//===----------------------------------------------------------------------===//

#include "Cuda.h"

#include <new>

using namespace gnn::rt;

namespace gnn::rt {
class Capture {
public:
  DevicePool::Recording *blocks = nullptr;
  CudaGraphExec exec = nullptr;
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
  if (!check(driver.streamBeginCapture(captureStream, cuda::captureModeRelaxed),
             "to capture a run")) {
    pool.endRecording();
    discard(capture);
    return false;
  }
  capturing = capture;
  return true;
}

/// Makes of what is captured something to launch.
bool Cuda::instantiate(Capture &capture) {
  CudaGraph graph = nullptr;
  // Also after a failure, so that the stream can be used again.
  CudaResult result = driver.streamEndCapture(captureStream, &graph);
  bool isDone = !hasFailed() && check(result, "to capture a run") &&
                check(driver.graphInstantiate(&capture.exec, graph, 0),
                      "to prepare a captured run");
  if (graph)
    driver.graphDestroy(graph);
  return isDone;
}

Capture *Cuda::endCapture() {
  Capture *capture = capturing;
  pool.endRecording();
  bool isDone = instantiate(*capture);
  capturing = nullptr;
  if (isDone)
    return capture;
  discard(capture);
  return nullptr;
}

bool Cuda::claimResults(Capture &capture) {
  return pool.claim(*capture.blocks);
}

void Cuda::replay(Capture &capture) {
  check(driver.graphLaunch(capture.exec, stream), "to replay a run");
}

void Cuda::discard(Capture *capture) {
  pool.drop(capture->blocks);
  delete capture;
}

void Cuda::dropCapture(Capture *capture) {
  // It may be running. What comes after it in the stream may have its blocks.
  driver.streamSynchronize(stream);
  driver.graphExecDestroy(capture->exec);
  discard(capture);
}
