//===- CudaDriver.cpp - NVIDIA's driver -------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include "../Error.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace gnn::rt;

CudaDriver::~CudaDriver() {
  if (library)
    dlclose(library);
}

template <typename Function>
static bool find(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function;
}

gnn_status CudaDriver::resolve(const char *purpose, const char *path,
                               gnn_error *error) {
  const char *missing = nullptr;
  auto want = [&](const char *name, auto *&function) {
    if (!find(library, name, function) && !missing)
      missing = name;
  };
  // Names with a version are what the driver's header makes of plain ones.
  want("cuInit", init);
  want("cuDriverGetVersion", driverGetVersion);
  want("cuGetErrorName", getErrorName);
  want("cuGetErrorString", getErrorString);
  want("cuDeviceGetCount", deviceGetCount);
  want("cuDeviceGet", deviceGet);
  want("cuDeviceGetName", deviceGetName);
  want("cuDeviceGetAttribute", deviceGetAttribute);
  want("cuDevicePrimaryCtxRetain", primaryContextRetain);
  want("cuDevicePrimaryCtxRelease_v2", primaryContextRelease);
  want("cuCtxPushCurrent_v2", contextPush);
  want("cuCtxPopCurrent_v2", contextPop);
  want("cuStreamCreate", streamCreate);
  want("cuStreamDestroy_v2", streamDestroy);
  want("cuStreamSynchronize", streamSynchronize);
  want("cuModuleLoadDataEx", moduleLoad);
  want("cuModuleUnload", moduleUnload);
  want("cuModuleGetFunction", moduleGetFunction);
  want("cuFuncSetAttribute", functionSetAttribute);
  want("cuMemGetInfo_v2", memoryGetInfo);
  want("cuMemAlloc_v2", memoryAllocate);
  want("cuMemFree_v2", memoryFree);
  want("cuMemcpyHtoDAsync_v2", copyToDevice);
  want("cuMemcpyDtoHAsync_v2", copyToHost);
  want("cuMemcpyDtoDAsync_v2", copyOnDevice);
  want("cuLaunchKernel", launchKernel);
  if (!missing) {
    want("cuStreamBeginCapture_v2", streamBeginCapture);
    want("cuStreamEndCapture", streamEndCapture);
    want("cuGraphInstantiateWithFlags", graphInstantiate);
    want("cuGraphLaunch", graphLaunch);
    want("cuGraphDestroy", graphDestroy);
    want("cuGraphExecDestroy", graphExecDestroy);
    missingForCapture = missing;
    return GNN_OK;
  }
  return fail(error, GNN_DEVICE_ERROR,
              "%s needs NVIDIA's driver, but '%.300s' has no function %s; "
              "install a newer driver",
              purpose, path, missing);
}

gnn_status CudaDriver::load(const char *purpose, gnn_error *error) {
  const char *path = getenv("GNN_CUDA_DRIVER");
  if (!path || !*path)
    path = "libcuda.so.1";
  // The driver has threads of its own, which must not lose their code.
  // NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint)
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = dlerror();
    return fail(error, GNN_DEVICE_ERROR,
                "%s needs an NVIDIA GPU, but the driver's library cannot be "
                "loaded: %s; install the driver, or compile the model with "
                "--target=cpu",
                purpose, reason ? reason : path);
  }
  if (gnn_status status = resolve(purpose, path, error))
    return status;
  CudaResult result = init(0);
  if (result == cuda::success)
    return GNN_OK;
  if (result == cuda::noDevice)
    return fail(error, GNN_DEVICE_ERROR,
                "%s needs an NVIDIA GPU, but the driver sees none; "
                "CUDA_VISIBLE_DEVICES says which it may use",
                purpose);
  return fail(error, GNN_DEVICE_ERROR,
              "%s needs an NVIDIA GPU, but the driver does not start: %s",
              purpose, describe(result).text);
}

CudaDriver::ErrorText CudaDriver::describe(CudaResult code) const {
  ErrorText result;
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(code, &name) || getErrorString(code, &text) || !name ||
      !text)
    snprintf(result.text, sizeof(result.text), "error %d", code);
  else
    snprintf(result.text, sizeof(result.text), "%s (%s)", name, text);
  return result;
}
