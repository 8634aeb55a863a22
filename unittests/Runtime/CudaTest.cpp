//===- CudaTest.cpp - Tests of GPUs without one -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sessions on the driver of FakeCuda.c: which functions they call in which
// order, and what they say of each that can fail.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <thread>
#include <zlib.h>

using namespace gnn::test;

namespace {
class CudaTest : public CudaFixture {};
} // namespace

//===----------------------------------------------------------------------===//
// What is called
//===----------------------------------------------------------------------===//

TEST_F(CudaTest, OpensRunsAndCloses) {
  SessionPtr session = open();
  EXPECT_EQ(log(), "cuInit 0\n"
                   "cuDeviceGetCount\n"
                   "cuDeviceGet 0\n"
                   "cuDevicePrimaryCtxRetain 0\n"
                   "cuModuleLoadDataEx\n"
                   "cuModuleGetFunction kernel0\n"
                   "cuStreamCreate 1\n"
                   "cuMemAlloc_v2 64\n" // of arrays without elements
                   "cuStreamSynchronize\n");
  size_t length = log().size();
  expectRun(session);
  EXPECT_EQ(logSince(length), "cuMemAlloc_v2 64\n" // the graph
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuMemAlloc_v2 64\n"
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuMemAlloc_v2 64\n" // x
                              "cuMemcpyHtoDAsync_v2 8\n"
                              "cuMemAlloc_v2 64\n" // w
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuMemAlloc_v2 80\n" // results
                              "cuMemAlloc_v2 80\n"
                              "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 8\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 12\n"
                              "cuStreamSynchronize\n");
  length = log().size();
  expectRun(session);
  // Memory and graphs are there.
  EXPECT_EQ(logSince(length), "cuMemcpyHtoDAsync_v2 8\n"
                              "cuMemcpyHtoDAsync_v2 12\n"
                              "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 8\n"
                              "cuStreamSynchronize\n"
                              "cuMemcpyDtoHAsync_v2 12\n"
                              "cuStreamSynchronize\n");
  length = log().size();
  session.reset();
  EXPECT_EQ(logSince(length), "cuMemFree_v2\ncuMemFree_v2\ncuMemFree_v2\n"
                              "cuMemFree_v2\ncuMemFree_v2\ncuMemFree_v2\n"
                              "cuMemFree_v2\n"
                              "cuModuleUnload\n"
                              "cuStreamDestroy_v2\n"
                              "cuDevicePrimaryCtxRelease_v2 0\n");
}

TEST_F(CudaTest, ModelsForTheCPUDoWithoutIt) {
  FakeModel cpu({}, {}, [](void **, gnn_memory *) {});
  ScopedVariable variable("GNN_CUDA_DRIVER", "/nonexistent");
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&cpu.model, nullptr, &session, &error));
  SessionPtr owner(session);
  ASSERT_SUCCESS(
      gnn_session_run(session, nullptr, 0, nullptr, 0, nullptr, 0, &error));
  EXPECT_EQ(log(), "");
  setenv("GNN_CUDA_DRIVER", GNN_TEST_CUDA, 1);
}

TEST_F(CudaTest, CopiesWeightsOnce) {
  std::vector<float> weights(100);
  fake.model.weight_bytes = 400;
  fake.model.weights = weights.data();
  SessionPtr session = open();
  EXPECT_NE(log().find("cuMemcpyHtoDAsync_v2 400\ncuStreamSynchronize\n"),
            std::string::npos);
  size_t length = log().size();
  expectRun(session);
  EXPECT_EQ(logSince(length).find(" 400"), std::string::npos);
}

TEST_F(CudaTest, MayBeUsedFromAnyThread) {
  SessionPtr session;
  std::thread([&] { session = open(); }).join();
  std::thread([&] { expectRun(session); }).join();
  expectRun(session);
  std::thread([&] { session.reset(); }).join();
}

TEST_F(CudaTest, UsesTheGPUThatIsAskedFor) {
  ScopedVariable settings("FAKE_CUDA", "devices=3");
  ScopedVariable variable("GNN_DEVICE", "2");
  SessionPtr session = open();
  EXPECT_NE(log().find("cuDeviceGet 2\ncuDevicePrimaryCtxRetain 2\n"),
            std::string::npos);
  expectRun(session);
}

TEST_F(CudaTest, AsksForLargeWorkgroupMemory) {
  fake.model.invoke = [](void **arguments, gnn_memory *memory) {
    WeightedSumModel::invokeSum(arguments, memory);
    int64_t nothing[6] = {0, 1, 1, 1, 1, 1};
    memory->launch(memory, 0, nothing, 200000, nullptr);
    // 40 KiB are static.
    auto *results = static_cast<MemRef<float, 1> *>(arguments[0]);
    for (int64_t bytes : {8192, 8193, 8193, 100000, 9000}) {
      int64_t dimensions[6] = {1, 1, 1, 1, 1, 1};
      void *parameters[6] = {};
      for (int i = 0; i < 4; ++i)
        parameters[i] = static_cast<void *>(
            &memref<float, 1>(arguments[i < 2 ? i + 1 : i + 2]).aligned);
      parameters[4] = static_cast<void *>(&results[0].aligned);
      parameters[5] = static_cast<void *>(&results[1].aligned);
      memory->launch(memory, 0, dimensions, bytes, parameters);
    }
  };
  fake.kernels[0].shared_bytes = 40 << 10;
  SessionPtr session = open();
  size_t length = log().size();
  expectRun(session);
  std::string calls = logSince(length);
  calls = calls.substr(calls.find("cuLaunch"));
  EXPECT_EQ(calls.substr(0, calls.find("cuStream")),
            "cuLaunchKernel kernel0 2x1x1 1x1x1 0\n"
            "cuLaunchKernel kernel0 1x1x1 1x1x1 8192\n"
            "cuFuncSetAttribute 8 8193\n"
            "cuLaunchKernel kernel0 1x1x1 1x1x1 8193\n"
            "cuLaunchKernel kernel0 1x1x1 1x1x1 8193\n"
            "cuFuncSetAttribute 8 100000\n"
            "cuLaunchKernel kernel0 1x1x1 1x1x1 100000\n"
            "cuLaunchKernel kernel0 1x1x1 1x1x1 9000\n");
  ScopedVariable settings("FAKE_CUDA", "shared=101376");
  SessionPtr other = open();
  EXPECT_FAILURE(GNN_DEVICE_ERROR,
                 "kernel 'kernel0' wants 140960 bytes of workgroup memory, but "
                 "a block of GPU 0 (Fake 0) has at most 101376",
                 run(other.get(), &error));
}

//===----------------------------------------------------------------------===//
// Drivers and GPUs that will not do
//===----------------------------------------------------------------------===//

TEST_F(CudaTest, WantsADriver) {
  setenv("GNN_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  expectRefused("model 'fake' needs an NVIDIA GPU, but the driver's library "
                "cannot be loaded: /nonexistent/libcuda.so.1: cannot open");
  setenv("GNN_CUDA_DRIVER", GNN_TEST_LIBRARY, 1);
  expectRefused("has no function cuInit; install a newer driver");
  setenv("GNN_CUDA_DRIVER", GNN_TEST_CUDA, 1);
  expectRefused("model 'fake' needs an NVIDIA GPU, but the driver does not "
                "start: error 803",
                "cuInit=803");
}

TEST_F(CudaTest, WantsAGPU) {
  const char *text = "model 'fake' needs an NVIDIA GPU, but the driver sees "
                     "none; CUDA_VISIBLE_DEVICES says which it may use";
  expectRefused(text, "cuInit=100");
  expectRefused(text, "devices=0");
  expectRefused("failed to be counted: CUDA_ERROR_OUT_OF_MEMORY",
                "cuDeviceGetCount=2", GNN_OUT_OF_MEMORY);
  expectRefused("GPU 0 () failed to be opened: error 101", "cuDeviceGet=101");
}

TEST_F(CudaTest, WantsTheNumberOfAGPU) {
  ScopedVariable variable("GNN_DEVICE", "2");
  expectRefused("there is no GPU 2: the driver sees 2, numbered from 0",
                "devices=2");
  for (const char *wrong : {"one", "-1", "1x", "99999999999", " "}) {
    setenv("GNN_DEVICE", wrong, 1);
    expectRefused("GNN_DEVICE is '" + std::string(wrong) +
                      "', but must be the number of a GPU, 0 to 1",
                  "devices=2");
  }
  setenv("GNN_DEVICE", "", 1);
  expectRun(open());
}

TEST_F(CudaTest, WantsADriverThatTakesThePTX) {
  struct {
    const char *ptx, *driver, *needed, *given;
  } cases[] = {
      {"6.2", "9010", "9.2", "9.1"},    {"6.3", "9020", "10.0", "9.2"},
      {"7.0", "10020", "11.0", "10.2"}, {"7.8", "11070", "11.8", "11.7"},
      {"8.5", "12040", "12.5", "12.4"}, {"8.6", "12060", "12.7", "12.6"},
      {"9.0", "12090", "13.0", "12.9"}};
  for (const auto &test : cases) {
    std::string ptx = std::string(".version ") + test.ptx + "\n.entry kernel0";
    fake.code.image = ptx.c_str();
    expectRefused("model 'fake' has kernels in PTX " + std::string(test.ptx) +
                      ", which needs the driver of CUDA " + test.needed +
                      " or newer, but this one is of CUDA " + test.given,
                  (std::string("version=") + test.driver).c_str());
  }
  fake.code.image = cudaImage;
  ScopedVariable settings("FAKE_CUDA", "version=11080");
  expectRun(open());
}

TEST_F(CudaTest, MachineCodeHasNoPTXVersion) {
  static const char elf[] = "\x7F"
                            "ELF.version 9.0 kernel0";
  static const char fatbin[] = "\x50\xED\x55\xBA.version 9.0 kernel0";
  ScopedVariable settings("FAKE_CUDA", "version=11080");
  for (const char *code : {elf, fatbin}) {
    fake.code.image = code;
    expectRun(open());
  }
}

TEST_F(CudaTest, WantsACapableGPU) {
  expectRefused("model 'fake' was compiled for sm_80, but GPU 0 (Fake 0) is "
                "sm_75; compile it with --chip=sm_75",
                "capability=75");
  fake.code.chip = "sm_90a";
  expectRefused("was compiled for sm_90a, but GPU 0 (Fake 0) is sm_100",
                "capability=100");
  expectRun(open());
  fake.code.chip = "sm_80";
  ScopedVariable settings("FAKE_CUDA", "capability=100");
  expectRun(open());
}

TEST_F(CudaTest, SaysWhatTheDriverSaysOfCode) {
  expectRefused("GPU 0 (Fake 0) does not take the kernels of model 'fake', "
                "compiled for sm_80: error 218: ptxas fatal : Unresolved "
                "extern function '__nv_expf'",
                "cuModuleLoadDataEx=218");
  fake.kernels[0].name = "other";
  expectRefused("the description of model 'fake' is malformed: kernel 'other' "
                "is not in its image",
                "", GNN_FORMAT_ERROR);
}

TEST_F(CudaTest, UnpacksCode) {
  std::string image = cudaImage;
  std::vector<Bytef> packed(compressBound(image.size()));
  uLongf length = packed.size();
  ASSERT_EQ(compress(packed.data(), &length,
                     reinterpret_cast<const Bytef *>(image.data()),
                     image.size()),
            Z_OK);
  fake.code.image = packed.data();
  fake.code.image_bytes = static_cast<int64_t>(image.size());
  fake.code.packed_bytes = static_cast<int64_t>(length);
  expectRun(open()); // finds the kernel's name in it
  expectRefused("model 'fake' has kernels in PTX 7.8, which needs the driver "
                "of CUDA 11.8",
                "version=11070");
}

TEST_F(CudaTest, RefusesPackedCodeThatIsDamaged) {
  const char *text = "the description of model 'fake' is malformed: its "
                     "kernels cannot be unpacked";
  fake.code.packed_bytes = fake.code.image_bytes;
  expectRefused(text, "", GNN_FORMAT_ERROR); // no such stream
  std::vector<Bytef> packed(100);
  uLongf length = packed.size();
  ASSERT_EQ(compress(packed.data(), &length,
                     reinterpret_cast<const Bytef *>("short"), 5),
            Z_OK);
  fake.code.image = packed.data();
  fake.code.packed_bytes = static_cast<int64_t>(length);
  expectRefused(text, "", GNN_FORMAT_ERROR); // less than was promised
  fake.code.image_bytes = 4;
  expectRefused(text, "", GNN_FORMAT_ERROR); // and more
}

TEST_F(CudaTest, SaysWhatOpeningNeeds) {
  expectRefused("GPU 0 (Fake 0) failed to be opened: error 3",
                "cuDevicePrimaryCtxRetain=3");
  expectRefused("GPU 0 (Fake 0) failed to make a stream: error 3",
                "cuStreamCreate=3");
  expectRefused("out of memory: GPU 0 (Fake 0) has no block of 64 bytes; 10 of "
                "its 10 bytes are free",
                "memory=10", GNN_OUT_OF_MEMORY);
}

//===----------------------------------------------------------------------===//
// Failures in a run
//===----------------------------------------------------------------------===//

TEST_F(CudaTest, SaysWhichCallFailed) {
  expectFailedRun(GNN_DEVICE_ERROR,
                  "GPU 0 (Fake 0) failed to take an input: error 1",
                  "cuMemcpyHtoDAsync_v2=1");
  expectFailedRun(GNN_DEVICE_ERROR,
                  "GPU 0 (Fake 0) failed to launch a kernel: error 719; the "
                  "last kernel launched was 'kernel0'",
                  "cuLaunchKernel=719");
  expectFailedRun(GNN_DEVICE_ERROR,
                  "GPU 0 (Fake 0) failed in the middle of a run: "
                  "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                  "encountered); the last kernel launched was 'kernel0'",
                  "cuStreamSynchronize=700");
  expectFailedRun(GNN_DEVICE_ERROR,
                  "GPU 0 (Fake 0) failed to give a value: error 1",
                  "cuMemcpyDtoHAsync_v2=1");
}

TEST_F(CudaTest, FreesWhatItKeepsWhenMemoryIsShort) {
  SessionPtr session = open();
  // Three blocks of 4 KiB: the graph, x and the sums.
  ScopedVariable settings("FAKE_CUDA", "memory=13000");
  std::vector<float> ones(1000, 1.0f), none;
  auto runOn = [&](const gnn_graph *large, gnn_error *error) {
    gnn_tensor tensors[] = {tensorOf(ones, {gnn_graph_num_sources(large)}),
                            tensorOf(none, {0})};
    gnn_tensor results[2] = {};
    gnn_status status = gnn_session_run(session.get(), &large, 1, tensors, 2,
                                        results, 2, error);
    for (gnn_tensor &result : results)
      gnn_tensor_release(&result);
    return status;
  };
  GraphPtr first = makeGraph(1000, 1000, {}, {});
  ASSERT_SUCCESS(runOn(first.get(), &error));
  // The next graph fits without the first one only: the run starts twice.
  GraphPtr second = makeGraph(1000, 1000, {}, {});
  size_t length = log().size();
  ASSERT_SUCCESS(runOn(second.get(), &error));
  std::string calls = logSince(length), input = "cuMemcpyHtoDAsync_v2 4000\n";
  size_t start = calls.find(input), restart = calls.rfind(input);
  EXPECT_LT(start, restart);
  EXPECT_EQ(calls.find(input, start + 1), restart);
  EXPECT_LT(restart, calls.find("cuLaunchKernel"));
  // Another does not fit at all.
  ones.resize(4000);
  GraphPtr third = makeGraph(4000, 4000, {}, {});
  EXPECT_FAILURE(GNN_OUT_OF_MEMORY,
                 "out of memory: GPU 0 (Fake 0) has no block of 16004 bytes",
                 runOn(third.get(), &error));
  // It goes on with what does.
  ASSERT_SUCCESS(runOn(first.get(), &error));
  expectRun(session);
}

TEST_F(CudaTest, RefusesReleasesOfWhatItDoesNotHave) {
  fake.model.invoke = [](void **arguments, gnn_memory *memory) {
    WeightedSumModel::invokeSum(arguments, memory);
    void *block = memory->allocate(memory, 8);
    memory->release(memory, block);
    memory->release(memory, block);
  };
  SessionPtr session = open();
  EXPECT_FAILURE(GNN_DEVICE_ERROR,
                 "the model released what is no block of the device, or was "
                 "released before",
                 run(session.get(), &error));
}
