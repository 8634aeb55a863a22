//===- Cuda.h - NVIDIA GPUs -------------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_CUDA_H
#define GNN_RUNTIME_DEVICE_CUDA_H

#include "CudaDriver.h"
#include "Device.h"
#include "DeviceImage.h"
#include "DevicePool.h"

namespace gnn::rt {

/// A GPU by way of NVIDIA's driver: a module with the model's kernels, a stream
/// of its own, and memory that runs share, all in the device's primary context,
/// where other libraries of the program have theirs.
class Cuda final : public Device, private DevicePool::Source {
public:
  explicit Cuda(const gnn_device_code &code) : Device(code), pool(*this) {}

  /// Finds the GPU, and gives the code to the driver.
  gnn_status open(const gnn_model &model, const DeviceChoice &choice,
                  gnn_error *error);

  const char *getName() const override { return name; }
  void enter() override;
  void leave() override;
  void beginRun() override;
  void releaseBlock(void *block) override;
  bool beginCapture() override;
  Capture *endCapture() override;
  bool replay(Capture &capture) override;
  void dropCapture(Capture *capture) override;
  gnn_memory_usage getUsage() override { return pool.getUsage(); }

private:
  ~Cuda() override;

  gnn_status choose(const gnn_model &model, const DeviceChoice &choice,
                    gnn_error *error);
  gnn_status checkCode(const gnn_model &model, gnn_error *error);
  gnn_status load(const gnn_model &model, gnn_error *error);
  bool check(CudaResult result, const char *what);
  bool reserveShared(int32_t kernel, int64_t dynamicBytes);

  void *doAllocate(int64_t bytes) override;
  void doUpload(void *device, const void *host, int64_t bytes) override;
  void doDownload(void *host, const void *device, int64_t bytes) override;
  void doCopy(void *to, const void *from, int64_t bytes) override;
  void doLaunch(int32_t kernel, const LaunchShape &shape,
                void **parameters) override;
  void doSynchronize() override;

  bool beginSegment();
  bool endSegment(Capture &capture);
  bool launchSegments(Capture &capture);
  void readInCapture(void *host, const void *source, int64_t bytes);
  void readValue(void *host, const void *source, int64_t bytes);

  void *request(size_t bytes) override;
  void giveBack(void *block) override;

  struct Function {
    CudaFunction handle;
    int64_t dynamicBytes; ///< What it may have at most, as far as was asked.
  };

  CudaDriver driver;
  DeviceImage image; ///< Until it is loaded.
  DevicePool pool;
  Array<Function> functions;
  CudaDevice device = 0;
  CudaContext context = nullptr;
  CudaModule module = nullptr;
  CudaStream stream = nullptr;
  bool ownsStream = false;
  /// Where kernels are launched while they are captured: what else the program
  /// does in the session's stream must not get in between.
  CudaStream captureStream = nullptr;
  Capture *capturing = nullptr;
  bool isStreamCaptured = false;
  int32_t number = 0;
  int capability = 0; ///< 90 for 9.0.
  int64_t maxSharedBytes = 0;
  const char *lastKernel = nullptr;
  char name[100] = {};
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_CUDA_H
