//===- CudaDriver.h - NVIDIA's driver ---------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_DEVICE_CUDADRIVER_H
#define GNN_RUNTIME_DEVICE_CUDADRIVER_H

#include "gnn/Runtime/Runtime.h"

namespace gnn::rt {

// What the driver's header calls CUresult, CUdevice, CUdeviceptr, CUcontext,
// ... That header comes with a toolkit, which building this does not need.
using CudaResult = int;
using CudaDevice = int;
using CudaAddress = uint64_t;
using CudaContext = struct CudaContextObject *;
using CudaModule = struct CudaModuleObject *;
using CudaFunction = struct CudaFunctionObject *;
using CudaStream = struct CudaStreamObject *;
using CudaGraph = struct CudaGraphObject *;
using CudaGraphExec = struct CudaGraphExecObject *;

namespace cuda {
constexpr CudaResult success = 0;
constexpr CudaResult outOfMemory = 2;
constexpr CudaResult noDevice = 100;

constexpr unsigned streamNonBlocking = 1;
/// Lets the thread that captures ask for memory meanwhile.
constexpr int captureModeRelaxed = 2;

// Of devices.
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
constexpr int maxSharedBytesOptIn = 97;

// Of functions.
constexpr int maxDynamicSharedBytes = 8;

// For loading modules.
constexpr int jitErrorLog = 5;
constexpr int jitErrorLogBytes = 6;
} // namespace cuda

/// The functions of libcuda.so.1 that are used here, found when a session wants
/// them, so that one build serves machines with and without a GPU.
struct CudaDriver {
  CudaResult (*init)(unsigned flags);
  CudaResult (*driverGetVersion)(int *version);
  CudaResult (*getErrorName)(CudaResult code, const char **name);
  CudaResult (*getErrorString)(CudaResult code, const char **text);
  CudaResult (*deviceGetCount)(int *count);
  CudaResult (*deviceGet)(CudaDevice *device, int number);
  CudaResult (*deviceGetName)(char *name, int length, CudaDevice device);
  CudaResult (*deviceGetAttribute)(int *value, int attribute,
                                   CudaDevice device);
  CudaResult (*primaryContextRetain)(CudaContext *context, CudaDevice device);
  CudaResult (*primaryContextRelease)(CudaDevice device);
  CudaResult (*contextPush)(CudaContext context);
  CudaResult (*contextPop)(CudaContext *context);
  CudaResult (*streamCreate)(CudaStream *stream, unsigned flags);
  CudaResult (*streamDestroy)(CudaStream stream);
  CudaResult (*streamSynchronize)(CudaStream stream);
  CudaResult (*moduleLoad)(CudaModule *module, const void *image,
                           unsigned numOptions, int *options, void **values);
  CudaResult (*moduleUnload)(CudaModule module);
  CudaResult (*moduleGetFunction)(CudaFunction *function, CudaModule module,
                                  const char *name);
  CudaResult (*functionSetAttribute)(CudaFunction function, int attribute,
                                     int value);
  CudaResult (*memoryGetInfo)(size_t *free, size_t *total);
  CudaResult (*memoryAllocate)(CudaAddress *address, size_t bytes);
  CudaResult (*memoryFree)(CudaAddress address);
  CudaResult (*copyToDevice)(CudaAddress device, const void *host, size_t bytes,
                             CudaStream stream);
  CudaResult (*copyToHost)(void *host, CudaAddress device, size_t bytes,
                           CudaStream stream);
  CudaResult (*copyOnDevice)(CudaAddress to, CudaAddress from, size_t bytes,
                             CudaStream stream);
  CudaResult (*launchKernel)(CudaFunction function, unsigned gridX,
                             unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ,
                             unsigned sharedBytes, CudaStream stream,
                             void **parameters, void **extra);

  // Of CUDA 11.4 and later, for capturing runs; all NULL where one is missing.
  CudaResult (*streamBeginCapture)(CudaStream stream, int mode);
  CudaResult (*streamEndCapture)(CudaStream stream, CudaGraph *graph);
  CudaResult (*graphInstantiate)(CudaGraphExec *exec, CudaGraph graph,
                                 unsigned long long flags);
  CudaResult (*graphLaunch)(CudaGraphExec exec, CudaStream stream);
  CudaResult (*graphDestroy)(CudaGraph graph);
  CudaResult (*graphExecDestroy)(CudaGraphExec exec);
  /// The first of these functions that is missing; NULL if all are there.
  const char *missingForCapture = nullptr;

  CudaDriver() = default;
  CudaDriver(const CudaDriver &) = delete;
  CudaDriver &operator=(const CudaDriver &) = delete;
  ~CudaDriver();

  /// Loads the library, which GNN_CUDA_DRIVER may name, and starts the driver.
  /// `purpose` says in messages what needs it: "model 'x'".
  gnn_status load(const char *purpose, gnn_error *error);

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  struct ErrorText {
    char text[200];
  };
  ErrorText describe(CudaResult code) const;

private:
  gnn_status resolve(const char *purpose, const char *path, gnn_error *error);

  void *library = nullptr;
};

} // namespace gnn::rt

#endif // GNN_RUNTIME_DEVICE_CUDADRIVER_H
