//===- SessionMemoryTest.cpp - Memory of compiled code ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModule.h"
#include "gnn/Compiler/JIT.h"
#include <cstring>
#include <sys/resource.h>

using namespace mlir;
using namespace gnn;

namespace {
/// Runs two aggregations with a product in between through the C interface.
class SessionMemoryTest : public test::ModuleTest {
protected:
  static constexpr int64_t width = 64;

  ~SessionMemoryTest() override {
    gnn_session_destroy(session);
    gnn_graph_destroy(graph);
  }

  /// A ring of `numNodes` nodes.
  void open(int64_t numNodes) {
    ASSERT_TRUE(parse(R"mlir(
      func.func @f(%g: !gnn.graph<csr>, %x: tensor<?x64xf32>,
                   %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
        %c0 = arith.constant 0 : index
        %zero = arith.constant 0.0 : f32
        %n = tensor.dim %x, %c0 : tensor<?x64xf32>
        %a = gnn.message_aggregate [sum] %g src(%x : tensor<?x64xf32>)
            {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
             iterator_types = ["parallel"]}
            : !gnn.graph<csr> -> tensor<?x64xf32> {
        ^bb0(%s: f32):
          gnn.yield %s : f32
        }
        %e = tensor.empty(%n) : tensor<?x64xf32>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>)
            -> tensor<?x64xf32>
        %p = linalg.matmul
            ins(%a, %w : tensor<?x64xf32>, tensor<64x64xf32>)
            outs(%i : tensor<?x64xf32>) -> tensor<?x64xf32>
        %y = gnn.message_aggregate [max] %g src(%p : tensor<?x64xf32>)
            {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
             iterator_types = ["parallel"]}
            : !gnn.graph<csr> -> tensor<?x64xf32> {
        ^bb0(%s: f32):
          gnn.yield %s : f32
        }
        return %y : tensor<?x64xf32>
      })mlir"));
    CompilerOptions options;
    llvm::Expected<TargetSpec> target = TargetSpec::get("native");
    ASSERT_TRUE(static_cast<bool>(target));
    options.target = std::move(*target);
    FailureOr<TranslatedModel> translated = translateModel(*module, options);
    ASSERT_TRUE(succeeded(translated)) << message;
    llvm::Expected<JITModel> compiled =
        JITModel::create(std::move(*translated), options.target);
    ASSERT_TRUE(static_cast<bool>(compiled));
    code.emplace(std::move(*compiled));
    gnn_error error = {};
    ASSERT_EQ(gnn_session_create(code->get(), nullptr, &session, &error),
              GNN_OK)
        << error.message;

    std::vector<int64_t> edges(2 * numNodes);
    for (int64_t i = 0; i < numNodes; ++i) {
      edges[i] = i;
      edges[numNodes + i] = (i + 1) % numNodes;
    }
    int64_t shape[] = {2, numNodes};
    gnn_tensor edgeIndex = gnn_tensor_borrow(edges.data(), GNN_INT64, 2, shape);
    ASSERT_EQ(
        gnn_graph_from_coo(numNodes, numNodes, &edgeIndex, &graph, &error),
        GNN_OK)
        << error.message;
    features.resize(numNodes * width);
    for (size_t i = 0; i < features.size(); ++i)
      features[i] = static_cast<float>(i % 97) - 48;
    weights.assign(width * width, 0.5f);
  }

  gnn_tensor run() {
    int64_t shape[] = {static_cast<int64_t>(features.size()) / width, width};
    int64_t weightShape[] = {width, width};
    gnn_tensor inputs[] = {
        gnn_tensor_borrow(features.data(), GNN_FLOAT32, 2, shape),
        gnn_tensor_borrow(weights.data(), GNN_FLOAT32, 2, weightShape)};
    gnn_tensor output = {};
    gnn_error error = {};
    EXPECT_EQ(
        gnn_session_run(session, &graph, 1, inputs, 2, &output, 1, &error),
        GNN_OK)
        << error.message;
    return output;
  }

  int64_t getRequests() const {
    return gnn_session_memory_usage(session).system_requests;
  }

  static int64_t getPageFaults() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  }

  std::optional<JITModel> code;
  gnn_session *session = nullptr;
  gnn_graph *graph = nullptr;
  std::vector<float> features, weights;
};
} // namespace

TEST_F(SessionMemoryTest, NoneIsAskedForAfterTheFirstRun) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  GTEST_SKIP() << "under a sanitizer each block has its own memory";
#endif
  // A matrix is larger than what malloc would keep by itself.
  open(150000);
  gnn_tensor output = run();
  gnn_tensor_release(&output);
  int64_t requests = getRequests();
  EXPECT_GE(requests, 2);
  int64_t faults = getPageFaults();
  for (int i = 0; i < 5; ++i) {
    output = run();
    gnn_tensor_release(&output);
  }
  EXPECT_EQ(getRequests(), requests);
  // A fresh matrix alone would be 9,375 pages, in each run.
  EXPECT_LT(getPageFaults() - faults, 1000);
}

TEST_F(SessionMemoryTest, ResultsOfTwoRunsAreApart) {
  open(1000);
  gnn_tensor first = run();
  std::vector<float> expected(features.size());
  memcpy(expected.data(), first.data, expected.size() * sizeof(float));
  gnn_tensor second = run();
  EXPECT_NE(first.data, second.data);
  // The same values, to the last bit, in memory that had others before.
  EXPECT_EQ(
      memcmp(second.data, expected.data(), expected.size() * sizeof(float)), 0);
  features.assign(features.size(), 1);
  gnn_tensor third = run();
  EXPECT_NE(
      memcmp(third.data, expected.data(), expected.size() * sizeof(float)), 0);
  EXPECT_EQ(
      memcmp(first.data, expected.data(), expected.size() * sizeof(float)), 0);
  gnn_tensor_release(&first);
  gnn_tensor_release(&second);
  gnn_tensor_release(&third);
}
