//===- CudaFixture.h - Sessions on a driver without a GPU -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_CUDAFIXTURE_H
#define GNN_UNITTESTS_RUNTIME_CUDAFIXTURE_H

#include "DeviceModel.h"
#include "FakeCuda.h"
#include "TestUtil.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace gnn::test {

inline const char *const cudaImage = "//\n.version 7.8\n.target sm_80\n"
                                     ".visible .entry kernel0()\n";

/// Sets an environment variable for a scope.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), /*overwrite=*/1);
  }
  ScopedVariable(const ScopedVariable &) = delete;
  ScopedVariable &operator=(const ScopedVariable &) = delete;
  ~ScopedVariable() { unsetenv(name); }

private:
  const char *name;
};

/// Runs the sum of weighted neighbours on edges 0 -> 1, 1 -> 0 and 0 -> 0,
/// where it gives {12, 10}.
class CudaFixture : public testing::Test {
protected:
  WeightedSumModel fake;
  void *library = nullptr;
  ScopedVariable driver{"GNN_CUDA_DRIVER", GNN_TEST_CUDA};
  GraphPtr graph = makeGraph(2, 2, {0, 1, 0}, {1, 0, 0});
  std::vector<float> x = {1, 2}, w = {10, 1, 10};
  OwnedTensor outputs[2];

  void SetUp() override {
    library = dlopen(GNN_TEST_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    find<void()>("fakeCudaReset")();
    addKernel(library);
    fake.model.target = GNN_TARGET_CUDA;
    fake.code.chip = "sm_80";
    fake.code.image = cudaImage;
    fake.code.image_bytes = static_cast<int64_t>(strlen(cudaImage)) + 1;
    fake.kernels[0].emulate = nullptr;
  }

  void TearDown() override {
    for (OwnedTensor &output : outputs)
      gnn_tensor_release(&output);
    EXPECT_EQ(find<int()>("fakeCudaCountLive")(), 0) << log();
    dlclose(library);
  }

  /// Lets a driver have the model's kernel.
  static void addKernel(void *driver) {
    reinterpret_cast<void (*)(const char *, fake_kernel, int)>(
        dlsym(driver, "fakeCudaSetKernel"))("kernel0", sumRow, 6);
  }

  template <typename Function>
  Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }

  std::string log() const { return find<const char *()>("fakeCudaLog")(); }

  /// The calls since the log had this length.
  std::string logSince(size_t length) const { return log().substr(length); }

  SessionPtr
  open(gnn_session_options options = gnn_session_default_options()) const {
    return openSession(fake.model, options);
  }

  gnn_status run(gnn_session *session, gnn_error *error) {
    gnn_tensor tensors[] = {tensorOf(x, {2}), tensorOf(w, {3})};
    return runSession(session, graph.get(), tensors, outputs, error);
  }

  void expectRun(const SessionPtr &session) {
    ASSERT_SUCCESS(run(session.get(), &error));
    EXPECT_EQ(valuesOf<float>(outputs[0]), (std::vector<float>{12, 10}));
    EXPECT_EQ(valuesOf<float>(outputs[1]), (std::vector<float>{100, 10, 100}));
  }

  /// No session can be opened with the driver like this.
  void expectRefused(const std::string &text, const char *settings = "",
                     gnn_status status = GNN_DEVICE_ERROR) const {
    ScopedVariable variable("FAKE_CUDA", settings);
    gnn_session *session = nullptr;
    EXPECT_FAILURE(status, text,
                   gnn_session_create(&fake.model, nullptr, &session, &error));
    EXPECT_EQ(session, nullptr);
  }

  /// A session can be opened, but not run while the driver is like this; then
  /// it can again.
  void expectFailedRun(gnn_status status, const std::string &text,
                       const char *settings) {
    SessionPtr session = open();
    {
      ScopedVariable variable("FAKE_CUDA", settings);
      EXPECT_FAILURE(status, text, run(session.get(), &error));
    }
    expectRun(session);
  }
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_RUNTIME_CUDAFIXTURE_H
