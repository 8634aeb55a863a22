//===- EmulatedCuda.cpp - Compiled kernels on the fake driver ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With FakeCuda.cpp, a driver for models that gnn-compile made: the environment
// variable FAKE_CUDA_MODEL is the path, without endings, of the same model
// compiled for the emulator (.so), which has the code of the kernels, and of
// their PTX (.ptx), which says what they take.
//
//===----------------------------------------------------------------------===//

#include "Device/EmulatedGrid.h"
#include "FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace gnn::rt;

[[noreturn]] static void fail(const char *what) {
  fprintf(stderr, "EmulatedCuda: %s\n", what);
  abort();
}

/// The model's kernels as the emulator has them; null without a model.
static const gnn_device_code *getCode() {
  const char *model = getenv("FAKE_CUDA_MODEL");
  if (!model)
    return nullptr;
  void *library = dlopen((std::string(model) + ".so").c_str(), RTLD_NOW);
  if (!library)
    fail(dlerror());
  auto *entry =
      static_cast<const gnn_model *const *>(dlsym(library, "gnn_model_entry"));
  if (!entry)
    fail(dlerror());
  return (*entry)->device;
}

static int launch(const char *name, const unsigned *dimensions,
                  unsigned sharedBytes, void **parameters) {
  static const gnn_device_code *code = getCode();
  LaunchShape shape = {{dimensions[0], dimensions[1], dimensions[2]},
                       {dimensions[3], dimensions[4], dimensions[5]},
                       sharedBytes};
  for (int64_t i = 0; i < code->num_kernels; ++i) {
    if (strcmp(code->kernels[i].name, name) != 0)
      continue;
    EmulatedGrid grid;
    gnn_error error = {};
    if (grid.run(code->kernels[i], shape, parameters, &error) == GNN_OK)
      return 0;
    fprintf(stderr, "EmulatedCuda: %s\n", error.message);
    return 1;
  }
  fprintf(stderr, "EmulatedCuda: no kernel %s\n", name);
  return 1;
}

/// The bytes of each parameter: ".param .u64 forward_0_param_0".
static std::vector<int> getParameterBytes(const std::string &ptx,
                                          const std::string &name) {
  size_t begin = ptx.find(".entry " + name + "(");
  if (begin == std::string::npos)
    fail("a kernel is not in the PTX");
  size_t end = ptx.find(')', begin);
  std::vector<int> bytes;
  for (size_t place = begin; (place = ptx.find(".param .", place)) < end;
       ++place) {
    size_t bits = ptx.find_first_of("0123456789", place);
    bytes.push_back(atoi(ptx.c_str() + bits) / 8);
  }
  return bytes;
}

__attribute__((constructor)) static void setKernels() {
  const gnn_device_code *code = getCode();
  if (!code)
    return;
  std::ifstream file(std::string(getenv("FAKE_CUDA_MODEL")) + ".ptx");
  std::stringstream ptx;
  ptx << file.rdbuf();
  for (int64_t i = 0; i < code->num_kernels; ++i) {
    const char *name = code->kernels[i].name;
    std::vector<int> bytes = getParameterBytes(ptx.str(), name);
    fakeCudaSetLaunch(name, launch, static_cast<int>(bytes.size()),
                      bytes.data());
  }
}
