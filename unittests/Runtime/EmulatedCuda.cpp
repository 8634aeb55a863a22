//===- EmulatedCuda.cpp - Compiled kernels on the fake driver ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With FakeCuda.cpp, a driver for models that gnn-compile made with PTX in
// them: the environment variable FAKE_CUDA_MODELS is a folder, of which
// cuda/NAME.so are such models and gpu-emu/NAME.so the same ones for the
// emulator, which have the code of the kernels. Whichever was loaded last is
// what runs.
//
//===----------------------------------------------------------------------===//

#include "Device/DeviceImage.h"
#include "Device/EmulatedGrid.h"
#include "FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace gnn::rt;

[[noreturn]] static void fail(const char *what) {
  fprintf(stderr, "EmulatedCuda: %s\n", what);
  abort();
}

static const gnn_model *readModel(const std::filesystem::path &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW);
  if (!handle)
    fail(dlerror());
  auto *entry =
      static_cast<const gnn_model *const *>(dlsym(handle, "gnn_model_entry"));
  if (!entry)
    fail(dlerror());
  return *entry;
}

/// The PTX of a library.
static std::string readImage(const std::filesystem::path &library) {
  DeviceImage image;
  gnn_error error = {};
  if (image.open(*readModel(library), &error))
    fail(error.message);
  return static_cast<const char *>(image.getData());
}

/// The kernels that run.
static const gnn_device_code *code = nullptr;

static int launch(const char *name, const unsigned *dimensions,
                  unsigned sharedBytes, void **parameters) {
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

/// Takes the kernels of the model that has this image from its twin.
static void load(const char *image) {
  namespace fs = std::filesystem;
  static std::map<std::string, fs::path> models;
  fs::path folder = getenv("FAKE_CUDA_MODELS");
  if (models.empty())
    for (const auto &entry : fs::directory_iterator(folder / "cuda"))
      if (entry.path().extension() == ".so")
        models.emplace(readImage(entry.path()),
                       folder / "gpu-emu" / entry.path().filename());
  auto found = models.find(image);
  if (found == models.end())
    fail("an image is that of no model");
  code = readModel(found->second)->device;
  for (int64_t i = 0; i < code->num_kernels; ++i) {
    const char *name = code->kernels[i].name;
    std::vector<int> bytes = getParameterBytes(found->first, name);
    fakeCudaSetLaunch(name, launch, static_cast<int>(bytes.size()),
                      bytes.data());
  }
}

__attribute__((constructor)) static void setLoad() {
  if (getenv("FAKE_CUDA_MODELS"))
    fakeCudaSetLoad(load);
}
