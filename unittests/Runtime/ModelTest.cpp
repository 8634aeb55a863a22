//===- ModelTest.cpp - Tests of opening models ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModel.h"
#include "TestUtil.h"

using namespace gnn::test;

static void doNothing(void **, gnn_memory *) {}

class ModelTest : public FolderTest {
protected:
  FakeModel fake{{graphPort("g", GNN_TOPOLOGY_CSR),
                  tensorPort("x", GNN_FLOAT32, {-1, 2}, GNN_AXIS_SOURCE)},
                 {tensorPort("y", GNN_FLOAT32, {-1}, GNN_AXIS_DESTINATION)},
                 doNothing};

  void expectRefused(gnn_status status, const char *text) {
    gnn_session *session = nullptr;
    EXPECT_FAILURE(status, text,
                   gnn_session_create(&fake.model, nullptr, &session, &error));
    EXPECT_EQ(session, nullptr);
  }
};

TEST_F(ModelTest, OpensWhatIsRight) {
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&fake.model, nullptr, &session, &error));
  gnn_session_destroy(session);
  gnn_session_destroy(nullptr);
}

TEST_F(ModelTest, RefusesOtherVersions) {
  fake.model.abi_version = 77;
  expectRefused(GNN_UNSUPPORTED, "ABI version 77, but this runtime has");
}

TEST_F(ModelTest, RefusesOtherCPUs) {
  // No CPU has both AMD's XOP and Intel's AVX-512 VP2INTERSECT.
  fake.model.target_cpu = "chimera";
  fake.model.required_features =
      "-aes,+sse2,,+unheard-of,+xop,+avx512vp2intersect";
#ifdef __x86_64__
  expectRefused(GNN_UNSUPPORTED, "compiled for chimera and needs the CPU");
  // Nor XOP and AMX, which is asked for where there is any.
  fake.model.required_features = "+amx-tile,+amx-bf16,+xop";
  expectRefused(GNN_UNSUPPORTED, "compiled for chimera and needs the CPU");
#endif
}

TEST_F(ModelTest, TakesTheFirstVersionThatRunsHere) {
  // In the order of preference; no machine has what the first one wants.
  FakeModel versions[3] = {{{}, {}, [](void **, gnn_memory *) {}},
                           {{}, {}, [](void **, gnn_memory *) {}},
                           {{}, {}, [](void **, gnn_memory *) {}}};
  const char *names[] = {"chimera", "good", "plain"};
  for (int i = 0; i < 3; ++i) {
    versions[i].model.target_cpu = names[i];
    if (i > 0)
      versions[i - 1].model.fallback = &versions[i].model;
  }
#ifdef __x86_64__
  versions[0].model.required_features = "+xop,+avx512vp2intersect";
  const char *expected = "good";
#else
  const char *expected = "chimera";
#endif
  auto open = [&](const char *name, gnn_error *error) {
    gnn_session_options options = gnn_session_default_options();
    options.target_cpu = name;
    gnn_session *session = nullptr;
    gnn_status status =
        gnn_session_create_with(&versions[0].model, &options, &session, error);
    EXPECT_EQ(session != nullptr, status == GNN_OK);
    SessionPtr owner(session);
    return std::string(session ? gnn_session_model(session)->target_cpu : "");
  };
  gnn_error error = {};
  EXPECT_EQ(open(nullptr, &error), expected);
  EXPECT_EQ(open("good", &error), "good");
  EXPECT_EQ(open("plain", &error), "plain");
  EXPECT_EQ(open("other", &error), "");
  EXPECT_EQ(error.status, GNN_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "model 'fake' has no code for 'other', but for "
                              "chimera, good, plain");
#ifdef __x86_64__
  EXPECT_EQ(open("chimera", &error), "");
  EXPECT_EQ(error.status, GNN_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("compiled for chimera and needs"),
            std::string::npos)
      << error.message;
  // Where none runs, the last one says why.
  for (FakeModel &version : versions)
    version.model.required_features = "+xop,+avx512vp2intersect";
  EXPECT_EQ(open(nullptr, &error), "");
  EXPECT_NE(std::string(error.message).find("compiled for plain and needs"),
            std::string::npos)
      << error.message;
  versions[1].model.required_features = "";
#endif
  // What is chosen is checked as any model.
  for (FakeModel &version : versions)
    version.model.target = 9;
  EXPECT_EQ(open("good", &error), "");
  EXPECT_EQ(error.status, GNN_FORMAT_ERROR);
}

TEST_F(ModelTest, RefusesMalformedDescriptions) {
  auto expect = [&](const char *text) {
    expectRefused(GNN_FORMAT_ERROR, text);
  };
  fake.inputs[1].dtype = 9;
  expect("port 'x' has an unknown dtype");
  fake.inputs[1].dtype = GNN_FLOAT32;
  fake.inputs[1].rank = 9;
  expect("port 'x' has an impossible rank");
  fake.inputs[1].rank = 0;
  expect("has no dimensions");
  fake.inputs[1].rank = 2;
  fake.inputs[1].shape[1] = -2;
  expect("port 'x' has an impossible shape");
  fake.inputs[1].shape[1] = 2;
  fake.inputs[1].axis = 5;
  expect("port 'x' has an unknown axis");
  fake.inputs[1].axis = GNN_AXIS_SOURCE;
  fake.inputs[1].graph = 1;
  expect("port 'x' refers to a graph that is not there");
  fake.inputs[1].graph = 0;
  fake.inputs[1].kind = 3;
  expect("port 'x' has an unknown kind");
  fake.inputs[1].kind = GNN_PORT_TENSOR;
  fake.inputs[1].limit = 7;
  expect("port 'x' has an impossible limit");
  fake.inputs[1].limit = 0;
  int32_t limits[] = {3, 0};
  fake.inputs[1].limits = limits;
  fake.inputs[1].num_limits = 2;
  expect("port 'x' has limits that do not fit");
  fake.inputs[1].dtype = GNN_INT64;
  expect("port 'x' has an impossible limit");
  limits[1] = 4;
  fake.inputs[1].limit = 3;
  expect("port 'x' has limits that do not fit");
  fake.inputs[1].limit = 0;
  fake.inputs[1].shape[1] = -1;
  expect("port 'x' has limits that do not fit");
  fake.inputs[1].shape[1] = 2;
  fake.inputs[1].limits = nullptr;
  expect("port 'x' has limits that do not fit");
  fake.inputs[1].num_limits = 0;
  fake.inputs[1].dtype = GNN_FLOAT32;
  fake.inputs[0].limit = -1;
  expect("port 'g' has an impossible limit");
  fake.inputs[0].limit = 0;
  fake.inputs[0].topology = 5;
  expect("port 'g' has an unknown topology");
  fake.inputs[0].topology = GNN_TOPOLOGY_CSR;
  fake.inputs[0].node_types[1] = "paper";
  expect("port 'g' has a node type on one side only");
  fake.inputs[0].node_types[1] = nullptr;
  fake.inputs[0].path_length = 1;
  expect("port 'g' has a path of less than two graphs");
  const int32_t path[] = {0, 1};
  fake.inputs[0].path_length = 2;
  fake.inputs[0].path = path;
  expect("port 'g' has a path along a graph that is not before it");
  fake.inputs[0].path_length = 0;
  fake.outputs[0].kind = GNN_PORT_GRAPH;
  expect("output 0 is not a tensor");
  fake.outputs[0].kind = GNN_PORT_TENSOR;
  fake.inputs[0].name = nullptr;
  expect("input 0 has no name");
  fake.model.invoke = nullptr;
  expect("lacks a name, code or ports");
}

TEST_F(ModelTest, RefusesMalformedDeviceCode) {
  auto expect = [&](const char *text) {
    expectRefused(GNN_FORMAT_ERROR, text);
  };
  gnn_kernel kernel = {"scale", 0, nullptr};
  gnn_device_code code = {"sm_90", "", 1, 1, nullptr, 0};
  fake.model.device = &code;
  expect("'fake' is malformed: it is for the CPU, but has code or weights");
  fake.model.target = 3;
  expect("it is for an unknown target");
  fake.model.target = -1;
  expect("it is for an unknown target");
  fake.model.target = GNN_TARGET_GPU_EMULATED;
  expect("it is for a device, but has no code for one");
  code.kernels = &kernel;
  expect("a kernel has no code to emulate");
  kernel.shared_bytes = -1;
  expect("a kernel has no name, or an impossible size");
  kernel.shared_bytes = 0;
  kernel.name = nullptr;
  expect("a kernel has no name, or an impossible size");
  fake.model.target = GNN_TARGET_CUDA;
  code.packed_bytes = -1;
  expect("it has no image of its kernels");
  code.packed_bytes = 0;
  code.image_bytes = 0;
  expect("it has no image of its kernels");
  fake.model.device = nullptr;
  expect("it is for a device, but has no code for one");
}

TEST_F(ModelTest, NamesTargets) {
  EXPECT_STREQ(gnn_target_name(GNN_TARGET_CPU), "cpu");
  EXPECT_STREQ(gnn_target_name(GNN_TARGET_CUDA), "cuda");
  EXPECT_STREQ(gnn_target_name(GNN_TARGET_GPU_EMULATED), "gpu-emu");
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  auto unknown = static_cast<gnn_target>(3);
  EXPECT_STREQ(gnn_target_name(unknown), "unknown");
}

TEST_F(ModelTest, RefusesNull) {
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'model'",
                 gnn_session_create(nullptr, nullptr, &session, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'session'",
                 gnn_session_create(&fake.model, nullptr, nullptr, &error));
}

//===----------------------------------------------------------------------===//
// Weights in a file
//===----------------------------------------------------------------------===//

/// Returns its two weights, one after the other.
static void invokeWeights(void **arguments, gnn_memory *memory) {
  auto result = MemRef<float, 1>::make(memory, {4});
  auto &matrix = memref<float, 2>(arguments[1]);
  for (int i = 0; i < 3; ++i)
    result.aligned[i] = matrix.aligned[i];
  result.aligned[3] = memref<float, 1>(arguments[2]).aligned[0];
  memref<float, 1>(arguments[0]) = result;
}

class WeightsTest : public FolderTest {
protected:
  FakeModel fake{{weightPort("matrix", GNN_FLOAT32, {1, 3}, 4),
                  weightPort("bias", GNN_FLOAT32, {1}, 0)},
                 {tensorPort("y", GNN_FLOAT32, {4})},
                 invokeWeights};
  const std::string contents = std::string("\0\0\x80\x3f"
                                           "\0\0\0\x40"
                                           "\0\0\x40\x40"
                                           "\0\0\x80\x40",
                                           16);

  void SetUp() override {
    FolderTest::SetUp();
    fake.model.weight_bytes = 16;
    // Of llvm::xxh3_64bits, as the header says.
    fake.model.weight_hash = 0xa82f522ec4510db4;
  }

  void expectRefused(gnn_status status, const char *text,
                     const std::string &file) {
    gnn_session *session = nullptr;
    EXPECT_FAILURE(
        status, text,
        gnn_session_create(&fake.model, file.c_str(), &session, &error));
    EXPECT_EQ(session, nullptr);
  }
};

TEST_F(WeightsTest, AreMapped) {
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_create(&fake.model, write("w", contents).c_str(),
                                    &session, &error));
  SessionPtr owner(session);
  OwnedTensor output;
  ASSERT_SUCCESS(
      gnn_session_run(session, nullptr, 0, nullptr, 0, &output, 1, &error));
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{2, 3, 4, 1}));
}

TEST_F(WeightsTest, ThatAreWrongAreRefused) {
  expectRefused(GNN_IO_ERROR, "No such file", path("none"));
  expectRefused(GNN_MISMATCH, "it has 15 bytes, but the model's has 16",
                write("short", contents.substr(1)));
  std::string other = contents;
  other[5] ^= 1;
  expectRefused(GNN_MISMATCH, "its hash is", write("other", other));
  expectRefused(GNN_MISMATCH, "is not the weights file", folder.string());
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT,
                 "model 'fake' needs its weights file of 16 bytes",
                 gnn_session_create(&fake.model, nullptr, &session, &error));
}

TEST_F(WeightsTest, OutsideTheFileAreRefused) {
  std::string file = write("w", contents);
  fake.inputs[0].offset = 8;
  expectRefused(GNN_FORMAT_ERROR, "port 'matrix' lies outside", file);
  fake.inputs[0].offset = INT64_MAX;
  expectRefused(GNN_FORMAT_ERROR, "port 'matrix' lies outside", file);
  fake.inputs[0].offset = 2;
  expectRefused(GNN_FORMAT_ERROR, "port 'matrix' is not aligned", file);
  fake.inputs[0].shape[0] = -1;
  expectRefused(GNN_FORMAT_ERROR, "weight of unknown shape", file);
}

TEST_F(WeightsTest, ThatAreEmbeddedCannotBeReplaced) {
  FakeModel embedded({}, {}, doNothing);
  gnn_session *session = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "has its weights embedded",
                 gnn_session_create(&embedded.model,
                                    write("w", contents).c_str(), &session,
                                    &error));
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

class LibraryTest : public FolderTest {
protected:
  void expectRefused(gnn_status status, const std::string &text,
                     const std::string &file) {
    gnn_session *session = nullptr;
    EXPECT_FAILURE(status, text,
                   gnn_session_open(file.c_str(), nullptr, &session, &error));
    EXPECT_FAILURE(status, file,
                   gnn_session_open(file.c_str(), nullptr, &session, &error));
    EXPECT_EQ(session, nullptr);
  }
};

TEST_F(LibraryTest, IsOpenedAndRun) {
  gnn_session *session = nullptr;
  ASSERT_SUCCESS(gnn_session_open(GNN_TEST_LIBRARY, nullptr, &session, &error));
  SessionPtr owner(session);
  EXPECT_STREQ(gnn_session_model(session)->name, "doubler");
  std::vector<float> values = {1, 2, 3};
  gnn_tensor input = tensorOf(values, {3});
  OwnedTensor output;
  ASSERT_SUCCESS(
      gnn_session_run(session, nullptr, 0, &input, 1, &output, 1, &error));
  // The result outlives the library.
  owner.reset();
  EXPECT_EQ(valuesOf<float>(output), (std::vector<float>{2, 4, 6}));
}

// Mapping what is not there would end the process.
TEST_F(LibraryTest, ThatIsCutShortIsRefused) {
  std::ifstream file(GNN_TEST_LIBRARY, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (size_t size : {4, 63, 64, 200, 1000})
    expectRefused(GNN_FORMAT_ERROR, "is a part of a library only",
                  write("cut.so", whole.substr(0, size)));
}

TEST_F(LibraryTest, ThatIsNoneIsRefused) {
  expectRefused(GNN_IO_ERROR, "No such file", path("none.so"));
  expectRefused(GNN_FORMAT_ERROR, "cannot be loaded as a shared library",
                write("text.so", "this is no library"));
  expectRefused(GNN_FORMAT_ERROR, "is a folder; gnn-compile makes",
                folder.string());
  expectRefused(GNN_FORMAT_ERROR, "does not define gnn_model_entry",
                GNN_TEST_OTHER_LIBRARY);
}
