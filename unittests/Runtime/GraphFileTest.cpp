//===- GraphFileTest.cpp - Tests of graph files -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

using namespace gnn::test;

class GraphFileTest : public FolderTest {
protected:
  /// Reads a file that must be valid.
  ArchivePtr readGraph(const std::string &name, const std::string &contents) {
    gnn_archive *archive = nullptr;
    gnn_error error = {};
    EXPECT_EQ(
        gnn_graph_file_read(write(name, contents).c_str(), &archive, &error),
        GNN_OK)
        << error.message;
    return ArchivePtr(archive);
  }

  /// Wants that a file is refused by a message "path:line: ... text".
  void expectRefused(gnn_status status, const std::string &name, int line,
                     const std::string &text, const std::string &contents) {
    std::string file = write(name, contents);
    gnn_archive *archive = nullptr;
    EXPECT_FAILURE(status, file + ":" + std::to_string(line) + ": ",
                   gnn_graph_file_read(file.c_str(), &archive, &error));
    EXPECT_FAILURE(status, text,
                   gnn_graph_file_read(file.c_str(), &archive, &error));
    EXPECT_EQ(archive, nullptr);
  }
};

static std::vector<int64_t> edgesOf(const ArchivePtr &archive) {
  const gnn_tensor *edges = gnn_archive_find(archive.get(), "edge_index");
  if (!edges)
    return {-1};
  EXPECT_EQ(edges->rank, 2);
  EXPECT_EQ(edges->shape[0], 2);
  return valuesOf<int64_t>(*edges);
}

static std::vector<float> weightsOf(const ArchivePtr &archive) {
  const gnn_tensor *weights = gnn_archive_find(archive.get(), "edge_weight");
  return weights ? valuesOf<float>(*weights) : std::vector<float>{-1};
}

static int64_t numberOf(const ArchivePtr &archive, const char *name) {
  const gnn_tensor *number = gnn_archive_find(archive.get(), name);
  if (!number)
    return -1;
  EXPECT_EQ(number->rank, 0);
  return valuesOf<int64_t>(*number)[0];
}

//===----------------------------------------------------------------------===//
// Edge lists
//===----------------------------------------------------------------------===//

TEST_F(GraphFileTest, ReadsEdgeLists) {
  ArchivePtr archive = readGraph("g.txt", "# a comment\n"
                                          "0 1\n"
                                          "\n"
                                          "  2\t0  % another\r\n"
                                          "1 1");
  EXPECT_EQ(edgesOf(archive), (std::vector<int64_t>{0, 2, 1, 1, 0, 1}));
  EXPECT_EQ(gnn_archive_find(archive.get(), "edge_weight"), nullptr);
  EXPECT_EQ(edgesOf(readGraph("g.CSV", "0,1\n2 , 0\n")),
            (std::vector<int64_t>{0, 2, 1, 0}));
  EXPECT_EQ(edgesOf(readGraph("g.tsv", "0\t1\n")),
            (std::vector<int64_t>{0, 1}));
}

TEST_F(GraphFileTest, ReadsWeightedEdgeLists) {
  ArchivePtr archive =
      readGraph("g.edges", "0 1 0.5\n1 0 -2e3\n0 0 +1\n1 1 7\n");
  EXPECT_EQ(weightsOf(archive), (std::vector<float>{0.5f, -2000.0f, 1, 7}));
}

TEST_F(GraphFileTest, ReadsListsWithoutEdges) {
  for (const char *contents : {"", "# nothing\n", "\n\n"}) {
    ArchivePtr archive = readGraph("g.txt", contents);
    EXPECT_EQ(edgesOf(archive), std::vector<int64_t>());
  }
}

TEST_F(GraphFileTest, RefusesWrongEdgeLists) {
  auto expect = [&](gnn_status status, int line, const char *text,
                    const char *contents) {
    expectRefused(status, "g.txt", line, text, contents);
  };
  expect(GNN_FORMAT_ERROR, 2, "the line has one field", "0 1\n1\n");
  expect(GNN_FORMAT_ERROR, 1, "more than 3 fields", "0 1 2 3\n");
  expect(GNN_FORMAT_ERROR, 3, "'x' is no node number", "0 1\n# c\n0 x\n");
  expect(GNN_FORMAT_ERROR, 1, "'-1' is no node number", "0 -1\n");
  expect(GNN_FORMAT_ERROR, 1, "'1.5' is no node number", "0 1.5\n");
  expect(GNN_FORMAT_ERROR, 1, "'nan' is no node number", "nan 0\n");
  expect(GNN_FORMAT_ERROR, 1, "'' is no node number", "0,\n");
  expect(GNN_UNSUPPORTED, 1, "'2147483648' is too large", "0 2147483648\n");
  expect(GNN_UNSUPPORTED, 1, "too large", "0 99999999999999999999\n");
  expect(GNN_FORMAT_ERROR, 2,
         "the line has 3 fields, but the lines before it "
         "have 2",
         "0 1\n0 1 1\n");
  expect(GNN_FORMAT_ERROR, 1, "'nan' is no edge weight", "0 1 nan\n");
  expect(GNN_FORMAT_ERROR, 1, "'1e39' is no edge weight", "0 1 1e39\n");
  expect(GNN_FORMAT_ERROR, 1, "'+-1' is no edge weight", "0 1 +-1\n");
  expect(GNN_FORMAT_ERROR, 1, "'1x' is no edge weight", "0 1 1x\n");
  expect(GNN_FORMAT_ERROR, 2, "is no node number",
         "0 1\n\x01\xff\x02 binary\n");
}

//===----------------------------------------------------------------------===//
// Matrix Market
//===----------------------------------------------------------------------===//

TEST_F(GraphFileTest, ReadsMatrixMarket) {
  // Entry (row, column) is the edge column -> row.
  ArchivePtr archive =
      readGraph("g.mtx", "%%MatrixMarket matrix coordinate real general\n"
                         "% comment\n"
                         "3 3 2\n"
                         "1 3 0.5\n"
                         "2 2 -1\n");
  EXPECT_EQ(edgesOf(archive), (std::vector<int64_t>{2, 1, 0, 1}));
  EXPECT_EQ(weightsOf(archive), (std::vector<float>{0.5f, -1.0f}));
  EXPECT_EQ(numberOf(archive, "num_nodes"), 3);
}

TEST_F(GraphFileTest, ReadsRectangularPatterns) {
  ArchivePtr archive =
      readGraph("g.mtx", "%%matrixmarket MATRIX Coordinate Pattern General\n"
                         "2 4 1\n"
                         "2 4\n");
  EXPECT_EQ(edgesOf(archive), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(gnn_archive_find(archive.get(), "edge_weight"), nullptr);
  EXPECT_EQ(numberOf(archive, "num_sources"), 4);
  EXPECT_EQ(numberOf(archive, "num_destinations"), 2);
  EXPECT_EQ(numberOf(archive, "num_nodes"), -1);
}

TEST_F(GraphFileTest, MirrorsSymmetricMatrices) {
  ArchivePtr archive =
      readGraph("g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n"
                         "2 2 2\n"
                         "2 1 3\n"
                         "2 2 4\n");
  EXPECT_EQ(edgesOf(archive), (std::vector<int64_t>{0, 1, 1, 1, 0, 1}));
  EXPECT_EQ(weightsOf(archive), (std::vector<float>{3, 3, 4}));
}

TEST_F(GraphFileTest, ReadsMatricesWithoutEntries) {
  ArchivePtr archive = readGraph(
      "g.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
  EXPECT_EQ(edgesOf(archive), std::vector<int64_t>());
  EXPECT_EQ(numberOf(archive, "num_nodes"), 0);
}

TEST_F(GraphFileTest, RefusesWrongMatrixMarket) {
  auto expect = [&](gnn_status status, int line, const char *text,
                    const std::string &contents) {
    expectRefused(status, "g.mtx", line, text, contents);
  };
  expect(GNN_FORMAT_ERROR, 1, "must start with '%%MatrixMarket'", "");
  expect(GNN_FORMAT_ERROR, 1, "must start with '%%MatrixMarket'", "1 1 1\n");
  const std::string start = "%%MatrixMarket matrix ";
  expect(GNN_FORMAT_ERROR, 1, "coordinate FIELD SYMMETRY",
         start + "coordinate\n");
  expect(GNN_UNSUPPORTED, 1, "the format is 'array'",
         start + "array real general\n");
  expect(GNN_UNSUPPORTED, 1, "the field is 'complex'",
         start + "coordinate complex general\n");
  expect(GNN_UNSUPPORTED, 1, "the symmetry is 'hermitian'",
         start + "coordinate real hermitian\n");
  const std::string real = start + "coordinate real general\n";
  expect(GNN_FORMAT_ERROR, 1, "ends before its size line", real);
  expect(GNN_FORMAT_ERROR, 2, "the size line must be", real + "3 3\n");
  expect(GNN_FORMAT_ERROR, 2, "'-3' is no number of rows", real + "-3 3 0\n");
  expect(GNN_UNSUPPORTED, 2, "too large for a number of entries",
         real + "3 3 99999999999\n");
  expect(GNN_FORMAT_ERROR, 2, "a symmetric matrix must be square",
         start + "coordinate real symmetric\n3 4 0\n");
  expect(GNN_FORMAT_ERROR, 5, "entries below and above its diagonal",
         start + "coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n1 2\n");
  expect(GNN_FORMAT_ERROR, 3, "row 0 is not in 1..3", real + "3 3 1\n0 1 1\n");
  expect(GNN_FORMAT_ERROR, 3, "column 4 is not in 1..3",
         real + "3 3 1\n1 4 1\n");
  expect(GNN_FORMAT_ERROR, 3, "'row column value'", real + "3 3 1\n1 1\n");
  expect(GNN_FORMAT_ERROR, 4, "more entries than the 1",
         real + "3 3 1\n1 1 1\n1 2 1\n");
  expect(GNN_FORMAT_ERROR, 3, "the file ends after 1 of 2 entries",
         real + "3 3 2\n1 1 1\n");
}

//===----------------------------------------------------------------------===//
// By ending
//===----------------------------------------------------------------------===//

TEST_F(GraphFileTest, NormalizesNpz) {
  std::vector<int32_t> edges = {0, 1, 1, 0}, nodes = {5};
  std::vector<float> features(10);
  gnn_tensor tensors[] = {tensorOf(edges, {2, 2}), tensorOf(nodes, {1}),
                          tensorOf(features, {5, 2})};
  const char *names[] = {"edge_index", "num_nodes", "x"};
  std::string name = path("g.npz");
  ASSERT_SUCCESS(gnn_archive_write(name.c_str(), names, tensors, 3, &error));
  gnn_archive *archive = nullptr;
  ASSERT_SUCCESS(gnn_graph_file_read(name.c_str(), &archive, &error));
  ArchivePtr owner(archive);
  EXPECT_EQ(edgesOf(owner), (std::vector<int64_t>{0, 1, 1, 0}));
  EXPECT_EQ(numberOf(owner, "num_nodes"), 5);
  EXPECT_EQ(shapeOf(*gnn_archive_find(archive, "x")),
            (std::vector<int64_t>{5, 2}));
}

TEST_F(GraphFileTest, RefusesWrongNpz) {
  std::vector<float> values(6);
  std::vector<int64_t> longs(6);
  gnn_tensor wrong[] = {tensorOf(values, {2, 3}), tensorOf(longs, {3, 2}),
                        tensorOf(longs, {6})};
  const char *names[] = {"edge_index"};
  std::string name = path("g.npz");
  gnn_archive *archive = nullptr;
  for (const gnn_tensor &tensor : wrong) {
    ASSERT_SUCCESS(gnn_archive_write(name.c_str(), names, &tensor, 1, &error));
    EXPECT_FAILURE(GNN_FORMAT_ERROR,
                   "but must be int64 or int32 of shape [2, E]",
                   gnn_graph_file_read(name.c_str(), &archive, &error));
  }
  names[0] = "num_nodes";
  ASSERT_SUCCESS(gnn_archive_write(name.c_str(), names, &wrong[2], 1, &error));
  EXPECT_FAILURE(GNN_FORMAT_ERROR, "'num_nodes' is int64 of shape [6]",
                 gnn_graph_file_read(name.c_str(), &archive, &error));
}

TEST_F(GraphFileTest, RefusesUnknownEndingsAndPaths) {
  gnn_archive *archive = nullptr;
  for (const char *name : {"graph.json", "graph", "folder.npz/graph"})
    EXPECT_FAILURE(GNN_UNSUPPORTED, "unknown kind of graph",
                   gnn_graph_file_read(name, &archive, &error));
  for (const char *name : {"none.txt", "none.mtx", "none.npz"}) {
    std::string file = path(name);
    EXPECT_FAILURE(GNN_IO_ERROR, "No such file",
                   gnn_graph_file_read(file.c_str(), &archive, &error));
  }
  std::filesystem::create_directory(folder / "folder.txt");
  EXPECT_FAILURE(
      GNN_IO_ERROR, "folder.txt",
      gnn_graph_file_read(path("folder.txt").c_str(), &archive, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'archive'",
                 gnn_graph_file_read("g.txt", nullptr, &error));
}
