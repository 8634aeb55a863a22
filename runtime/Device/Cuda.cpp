//===- Cuda.cpp - NVIDIA GPUs -----------------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"

#include "../Error.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace gnn::rt;

/// What a block of any GPU has without being asked for more.
static constexpr int64_t commonSharedBytes = 48 << 10;

gnn_status gnn::rt::openCuda(const gnn_model &model, const DeviceChoice &choice,
                             Device *&device, gnn_error *error) {
  auto *cuda = new (std::nothrow) Cuda(*model.device);
  if (!cuda)
    return failMemory(error, "a GPU", sizeof(Cuda));
  if (gnn_status status = cuda->open(model, choice, error)) {
    cuda->drop();
    return status;
  }
  device = cuda;
  return GNN_OK;
}

Cuda::~Cuda() {
  if (!context)
    return;
  enter();
  pool.clear();
  if (module)
    driver.moduleUnload(module);
  if (captureStream)
    driver.streamDestroy(captureStream);
  if (ownsStream)
    driver.streamDestroy(stream);
  leave();
  driver.primaryContextRelease(device);
}

void Cuda::enter() { driver.contextPush(context); }

void Cuda::leave() {
  CudaContext previous;
  driver.contextPop(&previous);
}

/// Fails because a call did.
bool Cuda::check(CudaResult result, const char *what) {
  if (result == cuda::success)
    return true;
  fail(result == cuda::outOfMemory ? GNN_OUT_OF_MEMORY : GNN_DEVICE_ERROR,
       "GPU %d (%s) failed %s: %s%s%.200s%s", number, name, what,
       driver.describe(result).text,
       lastKernel ? "; the last kernel launched was '" : "",
       lastKernel ? lastKernel : "", lastKernel ? "'" : "");
  return false;
}

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

/// The number that GNN_DEVICE says, or 0; -1 if it is none.
static int32_t readDeviceNumber(const char *text) {
  if (!text || !*text)
    return 0;
  char *end = nullptr;
  errno = 0;
  int64_t number = strtol(text, &end, 10);
  return *end || errno || number < 0 || number > INT32_MAX
             ? -1
             : static_cast<int32_t>(number);
}

gnn_status Cuda::choose(const gnn_model &model, const DeviceChoice &choice,
                        gnn_error *error) {
  int count = 0;
  if (!check(driver.deviceGetCount(&count), "to be counted"))
    return getFailure(error);
  if (count == 0)
    return rt::fail(error, GNN_DEVICE_ERROR,
                    "model '%s' needs an NVIDIA GPU, but the driver sees none; "
                    "CUDA_VISIBLE_DEVICES says which it may use",
                    model.name);
  const char *text = getenv("GNN_DEVICE");
  number = choice.number >= 0 ? choice.number : readDeviceNumber(text);
  if (number < 0)
    return rt::fail(error, GNN_DEVICE_ERROR,
                    "GNN_DEVICE is '%.100s', but must be the number of a GPU, "
                    "0 to %d",
                    text, count - 1);
  if (number >= count)
    return rt::fail(error, GNN_DEVICE_ERROR,
                    "there is no GPU %d: the driver sees %d, numbered from 0",
                    number, count);
  int major = 0, minor = 0, shared = 0;
  if (!check(driver.deviceGet(&device, number), "to be opened") ||
      !check(driver.deviceGetName(name, sizeof(name), device),
             "to say its name") ||
      !check(driver.deviceGetAttribute(&major, cuda::computeCapabilityMajor,
                                       device),
             "to say what it can do") ||
      !check(driver.deviceGetAttribute(&minor, cuda::computeCapabilityMinor,
                                       device),
             "to say what it can do") ||
      !check(
          driver.deviceGetAttribute(&shared, cuda::maxSharedBytesOptIn, device),
          "to say what it can do"))
    return getFailure(error);
  capability = 10 * major + minor;
  maxSharedBytes = shared > commonSharedBytes ? shared : commonSharedBytes;
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

/// The PTX version of an image, 78 for 7.8; 0 if it is machine code.
static int findPtxVersion(const DeviceImage &code) {
  const char *image = static_cast<const char *>(code.getData());
  constexpr unsigned char elf[] = {0x7F, 'E', 'L', 'F'};
  constexpr unsigned char fatbin[] = {0x50, 0xED, 0x55, 0xBA};
  if (code.getBytes() < 4 || !memcmp(image, elf, 4) ||
      !memcmp(image, fatbin, 4))
    return 0;
  const char *version = strstr(image, ".version ");
  if (!version)
    return 0;
  char *end = nullptr;
  int64_t major = strtol(version + strlen(".version "), &end, 10);
  int64_t minor = *end == '.' ? strtol(end + 1, nullptr, 10) : 0;
  return static_cast<int>(10 * major + minor);
}

/// The version of CUDA, 12040 for 12.4, whose drivers are the first to take
/// this version of PTX.
static int findDriverVersion(int ptx) {
  int major = ptx / 10, minor = ptx % 10;
  if (major == 6)
    return minor < 3 ? 9000 + 10 * minor : 10000 + 10 * (minor - 3);
  if (major == 8 && minor > 5) // none came with 12.6
    ++minor;
  return 1000 * (major + 4) + 10 * minor;
}

gnn_status Cuda::checkCode(const gnn_model &model, gnn_error *error) {
  int ptx = findPtxVersion(image), has = 0, wants = findDriverVersion(ptx);
  if (ptx && driver.driverGetVersion(&has) == cuda::success && has < wants)
    return rt::fail(error, GNN_DEVICE_ERROR,
                    "model '%s' has kernels in PTX %d.%d, which needs the "
                    "driver of CUDA %d.%d or newer, but this one is of CUDA "
                    "%d.%d; install a newer driver",
                    model.name, ptx / 10, ptx % 10, wants / 1000,
                    wants % 1000 / 10, has / 1000, has % 1000 / 10);
  // sm_90a is for 9.0 alone, PTX for sm_80 for 8.0 and all above.
  char *suffix = nullptr;
  const char *chip = code.chip;
  int64_t wanted = strncmp(chip, "sm_", 3) ? 0 : strtol(chip + 3, &suffix, 10);
  bool isExact = wanted && *suffix == 'a';
  if (isExact ? capability == wanted : capability >= wanted)
    return GNN_OK;
  return rt::fail(error, GNN_DEVICE_ERROR,
                  "model '%s' was compiled for %.20s, but GPU %d (%s) is "
                  "sm_%d; compile it with --chip=sm_%d",
                  model.name, chip, number, name, capability, capability);
}

gnn_status Cuda::load(const gnn_model &model, gnn_error *error) {
  char log[600] = {};
  int options[] = {cuda::jitErrorLog, cuda::jitErrorLogBytes};
  // A number is passed in the place of a pointer.
  uintptr_t bytes = sizeof(log);
  void *values[2] = {log, nullptr};
  memcpy(static_cast<void *>(&values[1]), &bytes, sizeof(bytes));
  CudaResult result =
      driver.moduleLoad(&module, image.getData(), 2, options, values);
  log[sizeof(log) - 1] = '\0';
  if (result != cuda::success)
    return rt::fail(error, GNN_DEVICE_ERROR,
                    "GPU %d (%s) does not take the kernels of model '%s', "
                    "compiled for %.20s: %s%s%s",
                    number, name, model.name, code.chip,
                    driver.describe(result).text, *log ? ": " : "", log);
  if (!functions.allocate(code.num_kernels))
    return rt::failMemory(error, "a list of kernels", code.num_kernels * 16);
  for (int64_t i = 0; i < code.num_kernels; ++i) {
    const char *kernel = code.kernels[i].name;
    functions[i] = {};
    if (driver.moduleGetFunction(&functions[i].handle, module, kernel))
      return rt::fail(error, GNN_FORMAT_ERROR,
                      "the description of model '%s' is malformed: kernel "
                      "'%.200s' is not in its image",
                      model.name, kernel);
  }
  return GNN_OK;
}

gnn_status Cuda::open(const gnn_model &model, const DeviceChoice &choice,
                      gnn_error *error) {
  char purpose[200];
  snprintf(purpose, sizeof(purpose), "model '%.180s'", model.name);
  if (gnn_status status = driver.load(purpose, error))
    return status;
  if (gnn_status status = choose(model, choice, error))
    return status;
  if (gnn_status status = image.open(model, error))
    return status;
  if (gnn_status status = checkCode(model, error))
    return status;
  if (!check(driver.primaryContextRetain(&context, device), "to be opened"))
    return getFailure(error);
  enter();
  gnn_status status = load(model, error);
  image.release();
  stream = static_cast<CudaStream>(choice.stream);
  if (!status && !stream) {
    ownsStream = check(driver.streamCreate(&stream, cuda::streamNonBlocking),
                       "to make a stream");
    status = getFailure(error);
  }
  leave();
  return status;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CudaAddress addressOf(const void *block) {
  return reinterpret_cast<CudaAddress>(block);
}

void Cuda::beginRun() {
  Device::beginRun();
  lastKernel = nullptr;
  pool.beginRun();
}

void *Cuda::request(size_t bytes) {
  CudaAddress address = 0;
  if (driver.memoryAllocate(&address, bytes) != cuda::success)
    return nullptr;
  void *block;
  static_assert(sizeof(block) == sizeof(address));
  memcpy(static_cast<void *>(&block), &address, sizeof(address));
  return block;
}

/// Waits for the kernels that use it.
void Cuda::giveBack(void *block) { driver.memoryFree(addressOf(block)); }

void *Cuda::doAllocate(int64_t bytes) {
  void *block = pool.allocate(static_cast<size_t>(bytes));
  if (block)
    return block;
  // An earlier kernel may be why.
  doSynchronize();
  size_t free = 0, total = 0;
  driver.memoryGetInfo(&free, &total);
  fail(GNN_OUT_OF_MEMORY,
       "out of memory: GPU %d (%s) has no block of %" PRId64
       " bytes; %zu of its %zu bytes are free",
       number, name, bytes, free, total);
  return nullptr;
}

void Cuda::releaseBlock(void *block) {
  if (block && !pool.release(block))
    fail(GNN_DEVICE_ERROR, "the model released what is no block of the device, "
                           "or was released before");
}

void Cuda::doUpload(void *block, const void *host, int64_t bytes) {
  check(driver.copyToDevice(addressOf(block), host, static_cast<size_t>(bytes),
                            stream),
        "to take an input");
}

void Cuda::doDownload(void *host, const void *block, int64_t bytes) {
  if (capturing)
    readInCapture(host, block, bytes);
  else
    readValue(host, block, bytes);
}

void Cuda::readValue(void *host, const void *block, int64_t bytes) {
  if (check(driver.copyToHost(host, addressOf(block),
                              static_cast<size_t>(bytes), stream),
            "to give a value"))
    doSynchronize();
}

void Cuda::doCopy(void *to, const void *from, int64_t bytes) {
  check(driver.copyOnDevice(addressOf(to), addressOf(from),
                            static_cast<size_t>(bytes), stream),
        "to copy an output");
}

void Cuda::doSynchronize() {
  check(driver.streamSynchronize(stream), "in the middle of a run");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Lets a kernel have so much workgroup memory.
bool Cuda::reserveShared(int32_t kernel, int64_t dynamicBytes) {
  int64_t bytes = code.kernels[kernel].shared_bytes + dynamicBytes;
  if (bytes > maxSharedBytes) {
    fail(GNN_DEVICE_ERROR,
         "kernel '%.200s' wants %" PRId64
         " bytes of workgroup memory, but a block of GPU %d (%s) has at most "
         "%" PRId64,
         code.kernels[kernel].name, bytes, number, name, maxSharedBytes);
    return false;
  }
  Function &function = functions[kernel];
  if (bytes <= commonSharedBytes || dynamicBytes <= function.dynamicBytes)
    return true;
  function.dynamicBytes = dynamicBytes;
  return check(driver.functionSetAttribute(function.handle,
                                           cuda::maxDynamicSharedBytes,
                                           static_cast<int>(dynamicBytes)),
               "to give a kernel more workgroup memory");
}

void Cuda::doLaunch(int32_t kernel, const LaunchShape &shape,
                    void **parameters) {
  lastKernel = code.kernels[kernel].name;
  if (!reserveShared(kernel, shape.dynamicSharedBytes))
    return;
  check(driver.launchKernel(
            functions[kernel].handle, shape.grid[0], shape.grid[1],
            shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
            static_cast<unsigned>(shape.dynamicSharedBytes),
            capturing ? captureStream : stream, parameters, nullptr),
        "to launch a kernel");
}
