//===- TestUtil.h - What the tests of the runtime share ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_RUNTIME_TESTUTIL_H
#define GNN_UNITTESTS_RUNTIME_TESTUTIL_H

#include "gnn/Runtime/Runtime.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace gnn::test {

/// Wants `STATUS` and a message that contains `TEXT`. In the call, `&error` is
/// where the message goes.
#define EXPECT_FAILURE(STATUS, TEXT, CALL)                                     \
  do {                                                                         \
    gnn_error error = {};                                                      \
    EXPECT_EQ((CALL), STATUS);                                                 \
    EXPECT_EQ(error.status, STATUS);                                           \
    EXPECT_NE(std::string(error.message).find(TEXT), std::string::npos)        \
        << error.message;                                                      \
  } while (false)

/// Wants GNN_OK and prints the message otherwise.
#define ASSERT_SUCCESS(CALL)                                                   \
  do {                                                                         \
    gnn_error error = {};                                                      \
    ASSERT_EQ((CALL), GNN_OK) << error.message;                                \
  } while (false)

template <typename T>
constexpr gnn_dtype dtypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return GNN_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return GNN_FLOAT64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return GNN_INT32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return GNN_INT64;
  else
    return GNN_BOOL;
}

/// Borrows a vector.
template <typename T>
gnn_tensor tensorOf(std::vector<T> &values, std::vector<int64_t> shape) {
  return gnn_tensor_borrow(values.data(), dtypeOf<T>(),
                           static_cast<int32_t>(shape.size()), shape.data());
}

/// The elements of a tensor, which must have this type.
template <typename T>
std::vector<T> valuesOf(const gnn_tensor &tensor) {
  EXPECT_EQ(tensor.dtype, dtypeOf<T>());
  const T *data = static_cast<const T *>(tensor.data);
  return std::vector<T>(data, data + gnn_tensor_size(&tensor));
}

inline std::vector<int64_t> shapeOf(const gnn_tensor &tensor) {
  return std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
}

template <auto Function>
struct Destroy {
  template <typename T>
  void operator()(T *object) const {
    Function(object);
  }
};
using GraphPtr = std::unique_ptr<gnn_graph, Destroy<gnn_graph_destroy>>;
using ArchivePtr = std::unique_ptr<gnn_archive, Destroy<gnn_archive_destroy>>;
using SessionPtr = std::unique_ptr<gnn_session, Destroy<gnn_session_destroy>>;

/// Opens a session that must be possible.
inline SessionPtr
openSession(const gnn_model &model,
            gnn_session_options options = gnn_session_default_options()) {
  gnn_session *session = nullptr;
  gnn_error error = {};
  EXPECT_EQ(gnn_session_create_with(&model, &options, &session, &error), GNN_OK)
      << error.message;
  return SessionPtr(session);
}

/// A tensor that is released at the end.
struct OwnedTensor : gnn_tensor {
  OwnedTensor() : gnn_tensor() {}
  OwnedTensor(const OwnedTensor &) = delete;
  OwnedTensor &operator=(const OwnedTensor &) = delete;
  ~OwnedTensor() { gnn_tensor_release(this); }
};

/// Runs a session on one graph. Outputs take the place of those of an earlier
/// run; after an error there are none.
template <size_t NumTensors, size_t NumOutputs>
gnn_status runSession(gnn_session *session, const gnn_graph *graph,
                      const gnn_tensor (&tensors)[NumTensors],
                      OwnedTensor (&outputs)[NumOutputs], gnn_error *error) {
  gnn_tensor results[NumOutputs] = {};
  gnn_status status = gnn_session_run(session, &graph, 1, tensors, NumTensors,
                                      results, NumOutputs, error);
  for (size_t i = 0; i < NumOutputs; ++i) {
    if (status) {
      EXPECT_EQ(results[i].data, nullptr) << "output in spite of an error";
    }
    gnn_tensor_release(&outputs[i]);
    static_cast<gnn_tensor &>(outputs[i]) = results[i];
  }
  return status;
}

/// Builds a graph that must be valid; edges as in edge_index.
inline GraphPtr makeGraph(int64_t numSources, int64_t numDestinations,
                          std::vector<int64_t> sources,
                          const std::vector<int64_t> &destinations) {
  auto numEdges = static_cast<int64_t>(sources.size());
  sources.insert(sources.end(), destinations.begin(), destinations.end());
  gnn_tensor edges = tensorOf(sources, {2, numEdges});
  gnn_graph *graph = nullptr;
  gnn_error error = {};
  EXPECT_EQ(
      gnn_graph_from_coo(numSources, numDestinations, &edges, &graph, &error),
      GNN_OK)
      << error.message;
  return GraphPtr(graph);
}

inline std::vector<int32_t> rowPointers(const gnn_graph *graph) {
  const int32_t *data = gnn_graph_row_pointers(graph);
  return std::vector<int32_t>(data,
                              data + gnn_graph_num_destinations(graph) + 1);
}

inline std::vector<int32_t> columnIndices(const gnn_graph *graph) {
  const int32_t *data = gnn_graph_column_indices(graph);
  return std::vector<int32_t>(data, data + gnn_graph_num_edges(graph));
}

/// Gives each test an empty folder, which is removed after it.
class FolderTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gnn-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }

  void TearDown() override {
    if (!folder.empty())
      std::filesystem::remove_all(folder);
  }

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }

  /// Writes a file and returns its path.
  std::string write(const std::string &name, const std::string &contents) {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  /// How many files there are.
  int64_t numFiles() const {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }

  std::filesystem::path folder;
};

} // namespace gnn::test

#endif // GNN_UNITTESTS_RUNTIME_TESTUTIL_H
