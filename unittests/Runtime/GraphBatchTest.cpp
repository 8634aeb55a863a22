//===- GraphBatchTest.cpp - Tests of graphs joined --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"
#include "gnn/Runtime/Batches.h"

using namespace gnn::test;

namespace {
class GraphBatchTest : public FolderTest {
protected:
  /// An archive without arrays is read from a file that has none for us.
  ArchivePtr makeArchive() {
    int64_t one = 1;
    gnn_tensor number = gnn_tensor_borrow(&one, GNN_INT64, 0, nullptr);
    const char *name = "one";
    gnn_archive *archive = nullptr;
    gnn_error error = {};
    EXPECT_EQ(
        gnn_archive_write(path("a.npz").c_str(), &name, &number, 1, &error),
        GNN_OK)
        << error.message;
    EXPECT_EQ(gnn_archive_read(path("a.npz").c_str(), &archive, &error), GNN_OK)
        << error.message;
    return ArchivePtr(archive);
  }

  template <typename T>
  static void set(const ArchivePtr &archive, const char *name,
                  std::vector<T> values, const std::vector<int64_t> &shape) {
    gnn_tensor tensor;
    ASSERT_SUCCESS(gnn_tensor_allocate(dtypeOf<T>(),
                                       static_cast<int32_t>(shape.size()),
                                       shape.data(), &tensor, &error));
    std::copy(values.begin(), values.end(), static_cast<T *>(tensor.data));
    ASSERT_SUCCESS(gnn_archive_set(archive.get(), name, &tensor, &error));
    EXPECT_EQ(tensor.data, nullptr);
  }

  static ArchivePtr join(const std::vector<const gnn_archive *> &graphs) {
    gnn_archive *batch = nullptr;
    gnn_error error = {};
    EXPECT_EQ(gnn_archive_batch(graphs.data(), nullptr, graphs.size(), &batch,
                                &error),
              GNN_OK)
        << error.message;
    return ArchivePtr(batch);
  }

  /// Wants that two graphs are not joined.
  static void expectRefused(gnn_status status, const std::string &message,
                            const ArchivePtr &first, const ArchivePtr &second) {
    const gnn_archive *graphs[] = {first.get(), second.get()};
    const char *names[] = {"a.npz", "b.npz"};
    gnn_archive *batch = nullptr;
    EXPECT_FAILURE(status, message,
                   gnn_archive_batch(graphs, names, 2, &batch, &error));
    EXPECT_EQ(batch, nullptr);
  }

  template <typename T>
  static void expectArray(const ArchivePtr &archive, const char *name,
                          const std::vector<T> &values,
                          const std::vector<int64_t> &shape) {
    const gnn_tensor *tensor = gnn_archive_find(archive.get(), name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_EQ(valuesOf<T>(*tensor), values) << name;
    EXPECT_EQ(shapeOf(*tensor), shape) << name;
  }
};
} // namespace

TEST_F(GraphBatchTest, JoinsAsBatchFromDataList) {
  ArchivePtr a = makeArchive(), b = makeArchive(), c = makeArchive();
  set<float>(a, "x", {1, 2, 3, 4}, {2, 2});
  set<float>(b, "x", {}, {0, 2});
  set<float>(c, "x", {5, 6, 7, 8, 9, 10}, {3, 2});
  set<int64_t>(a, "edge_index", {0, 1, 1, 0}, {2, 2});
  set<int64_t>(b, "edge_index", {}, {2, 0});
  set<int64_t>(c, "edge_index", {2, 0, 1, 2, 1, 1}, {2, 3});
  set<int32_t>(a, "root_index", {1}, {1});
  set<int32_t>(b, "root_index", {}, {0});
  set<int32_t>(c, "root_index", {2}, {1});
  set<int64_t>(a, "x_batch", {0, 1}, {2});
  set<int64_t>(b, "x_batch", {0}, {1});
  set<int64_t>(c, "x_batch", {0, 0}, {2});
  ArchivePtr batch = join({a.get(), b.get(), c.get()});
  expectArray<float>(batch, "x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5, 2});
  expectArray<int64_t>(batch, "edge_index", {0, 1, 4, 2, 3, 1, 0, 4, 3, 3},
                       {2, 5});
  expectArray<int32_t>(batch, "root_index", {1, 4}, {2});
  expectArray<int64_t>(batch, "x_batch", {0, 1, 2, 3, 3}, {5});
  expectArray<int64_t>(batch, "one", {1, 1, 1}, {3});
  expectArray<int64_t>(batch, "num_nodes", {5}, {});
  expectArray<int64_t>(batch, "batch", {0, 0, 2, 2, 2}, {5});
  expectArray<int64_t>(batch, "ptr", {0, 2, 2, 5}, {4});
}

TEST_F(GraphBatchTest, CountsNodes) {
  ArchivePtr a = makeArchive(), b = makeArchive();
  set<int64_t>(a, "edge_index", {0, 1, 1, 3}, {2, 2});
  set<int64_t>(b, "edge_index", {0, 0}, {2, 1});
  expectArray<int64_t>(join({a.get(), b.get()}), "ptr", {0, 4, 5}, {3});
  set<int64_t>(a, "num_nodes", {7}, {});
  set<int64_t>(b, "num_nodes", {1}, {});
  ArchivePtr batch = join({a.get(), b.get()});
  expectArray<int64_t>(batch, "ptr", {0, 7, 8}, {3});
  expectArray<int64_t>(batch, "num_nodes", {8}, {});
}

TEST_F(GraphBatchTest, RefusesEdgesOfOtherGraphs) {
  ArchivePtr a = makeArchive(), b = makeArchive();
  set<float>(a, "x", {1, 2}, {2, 1});
  set<float>(b, "x", {3}, {1, 1});
  set<int64_t>(a, "edge_index", {0, 1, 1, 2}, {2, 2});
  set<int64_t>(b, "edge_index", {0, 0}, {2, 1});
  expectRefused(GNN_INVALID_ARGUMENT,
                "'a.npz': edge_index[1][1] is 2, but the graph has 2 nodes", a,
                b);
  set<int64_t>(a, "edge_index", {0, 1, 1, 0}, {2, 2});
  set<int64_t>(b, "edge_index", {1, 0}, {2, 1});
  expectRefused(GNN_INVALID_ARGUMENT,
                "'b.npz': edge_index[0][0] is 1, but the graph has 1 node", a,
                b);
  set<int64_t>(b, "edge_index", {0, -1}, {2, 1});
  expectRefused(GNN_INVALID_ARGUMENT,
                "'b.npz': edge_index[1][0] is -1, but the graph has 1 node", a,
                b);
}

TEST_F(GraphBatchTest, Refuses) {
  ArchivePtr a = makeArchive(), b = makeArchive();
  expectRefused(GNN_MISMATCH,
                "'a.npz' has neither 'num_nodes' nor 'x' nor 'edge_index'", a,
                b);
  set<float>(a, "x", {1, 2}, {2, 1});
  set<float>(b, "x", {1, 2}, {1, 2});
  expectRefused(GNN_MISMATCH,
                "'b.npz': 'x' is float32 of shape [1, 2], which cannot be "
                "joined with float32 of shape [2, 1] in 'a.npz'",
                a, b);
  set<double>(b, "x", {1}, {1, 1});
  expectRefused(GNN_MISMATCH, "'b.npz': 'x' is float64", a, b);
  set<float>(b, "x", {1}, {1, 1});
  set<float>(a, "y", {1}, {1});
  expectRefused(GNN_MISMATCH, "'b.npz' has no array 'y', but 'a.npz' has one",
                a, b);
  expectRefused(GNN_MISMATCH, "'b.npz' has an array 'y', but 'a.npz' has none",
                b, a);
  set<float>(b, "y", {1}, {1});
  for (const char *name : {"batch", "ptr"}) {
    ArchivePtr several = makeArchive();
    set<int64_t>(several, name, {0}, {1});
    expectRefused(GNN_UNSUPPORTED, "so it holds several graphs already",
                  several, several);
  }
  for (const char *name : {"indptr", "num_sources"}) {
    ArchivePtr rows = makeArchive();
    set<int64_t>(rows, name, {0}, {1});
    expectRefused(GNN_UNSUPPORTED, "only graphs that list their edges", rows,
                  rows);
  }
  ArchivePtr typed = makeArchive();
  set<float>(typed, "x/paper", {1}, {1, 1});
  expectRefused(GNN_UNSUPPORTED,
                "'b.npz' has an array 'x/paper', which is of a graph with node "
                "types",
                a, typed);
  set<int64_t>(a, "num_nodes", {-1}, {});
  set<int64_t>(b, "num_nodes", {1}, {});
  expectRefused(GNN_FORMAT_ERROR, "'num_nodes' must be one integer of 0", a, b);
  set<int64_t>(a, "num_nodes", {INT32_MAX}, {});
  expectRefused(GNN_UNSUPPORTED,
                "with 'b.npz' the batch has more than 2147483647 nodes", a, b);
  set<int64_t>(a, "num_nodes", {INT32_MAX - 1}, {});
  set<int64_t>(a, "root_index", {0}, {1});
  set<int64_t>(b, "root_index", {2}, {1});
  expectRefused(GNN_UNSUPPORTED,
                "a number in 'root_index' becomes more than 2147483647", a, b);
  set<float>(a, "root_index", {0}, {1});
  set<float>(b, "root_index", {0}, {1});
  expectRefused(GNN_MISMATCH, "must be int32 or int64", a, b);

  gnn_archive *batch = nullptr;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "0 graphs cannot be joined",
                 gnn_archive_batch(nullptr, nullptr, 0, &batch, &error));
}
