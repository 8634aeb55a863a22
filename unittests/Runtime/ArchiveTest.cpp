//===- ArchiveTest.cpp - Tests of .npz files --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

using namespace gnn::test;

/// The bytes of an .npy with this header text, which need not be right.
static std::string npy(const std::string &header, const std::string &data,
                       int version = 1) {
  std::string result = "\x93NUMPY";
  result += static_cast<char>(version);
  result += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    result += static_cast<char>(header.size() >> (8 * i));
  return result + header + data;
}

static std::string header(const std::string &descr, const std::string &shape,
                          const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

template <typename T>
static std::string bytes(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

class ArchiveTest : public FolderTest {
protected:
  /// Writes an .npz of one member and returns its path.
  std::string writeZip(const std::string &member, const std::string &contents,
                       bool deflate = false) {
    std::string name = path("test.npz");
    int code = 0;
    zip_t *zip = zip_open(name.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    zip_source_t *source =
        zip_source_buffer(zip, contents.data(), contents.size(), 0);
    zip_int64_t index = zip_file_add(zip, member.c_str(), source, 0);
    EXPECT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(index),
                                       deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                       0),
              0);
    EXPECT_EQ(zip_close(zip), 0);
    return name;
  }

  /// Reads a file that must be valid.
  ArchivePtr readArchive(const std::string &name) {
    gnn_archive *archive = nullptr;
    gnn_error error = {};
    EXPECT_EQ(gnn_archive_read(name.c_str(), &archive, &error), GNN_OK)
        << error.message;
    return ArchivePtr(archive);
  }

  /// Wants that the array 'x' with these bytes is refused, by a message that
  /// names the file.
  void expectRefused(gnn_status status, const std::string &text,
                     const std::string &contents) {
    for (bool deflate : {false, true})
      expectFileRefused(status, text, writeZip("x.npy", contents, deflate));
  }

  void expectFileRefused(gnn_status status, const std::string &text,
                         const std::string &name) {
    gnn_archive *archive = nullptr;
    EXPECT_FAILURE(status, text,
                   gnn_archive_read(name.c_str(), &archive, &error));
    EXPECT_FAILURE(status, name,
                   gnn_archive_read(name.c_str(), &archive, &error));
    EXPECT_EQ(archive, nullptr);
  }
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST_F(ArchiveTest, ReadsStoredAndDeflated) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::string contents = npy(header("<f4", "(2, 3)"), bytes(values));
  for (bool deflate : {false, true}) {
    ArchivePtr archive = readArchive(writeZip("x.npy", contents, deflate));
    ASSERT_EQ(gnn_archive_size(archive.get()), 1u);
    EXPECT_STREQ(gnn_archive_name(archive.get(), 0), "x");
    EXPECT_EQ(gnn_archive_name(archive.get(), 1), nullptr);
    EXPECT_EQ(gnn_archive_find(archive.get(), "y"), nullptr);
    const gnn_tensor *tensor = gnn_archive_find(archive.get(), "x");
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(shapeOf(*tensor), (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(valuesOf<float>(*tensor), values);
  }
}

TEST_F(ArchiveTest, ReadsEveryDtype) {
  auto readBack = [&](const std::string &descr, const std::string &data) {
    return readArchive(writeZip("x.npy", npy(header(descr, "(2,)"), data)));
  };
  std::vector<double> doubles = {1.5, -2};
  std::vector<int32_t> ints = {INT32_MIN, 7};
  std::vector<int64_t> longs = {INT64_MAX, -7};
  std::vector<uint8_t> bools = {1, 0};
  auto find = [](const ArchivePtr &archive) {
    return *gnn_archive_find(archive.get(), "x");
  };
  EXPECT_EQ(valuesOf<double>(find(readBack("<f8", bytes(doubles)))), doubles);
  EXPECT_EQ(valuesOf<int32_t>(find(readBack("<i4", bytes(ints)))), ints);
  EXPECT_EQ(valuesOf<int64_t>(find(readBack("<i8", bytes(longs)))), longs);
  EXPECT_EQ(valuesOf<uint8_t>(find(readBack("|b1", bytes(bools)))), bools);
  EXPECT_EQ(valuesOf<uint8_t>(find(readBack("|u1", bytes(bools)))), bools);
}

TEST_F(ArchiveTest, ReadsUnusualHeaders) {
  std::vector<int64_t> values = {3};
  for (const std::string &contents :
       {npy(header("<i8", "()"), bytes(values)),
        npy(header("<i8", "(1L,)"), bytes(values)),
        npy(header("<i8", "(1, 1)"), bytes(values), 2),
        npy(header("<i8", "(1, 1)"), bytes(values), 3),
        // Fortran order of a vector is C order.
        npy(header("<i8", "(1,)", "True"), bytes(values)),
        npy("{\"shape\":(1,1),\"fortran_order\":False,\"descr\":\"<i8\"}",
            bytes(values))}) {
    ArchivePtr archive = readArchive(writeZip("x.npy", contents));
    ASSERT_NE(archive, nullptr);
    EXPECT_EQ(valuesOf<int64_t>(*gnn_archive_find(archive.get(), "x")), values);
  }
}

TEST_F(ArchiveTest, ReadsFortranOrder) {
  // Element (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k.
  std::vector<int32_t> stored = {0, 100, 10, 110, 20, 120,
                                 1, 101, 11, 111, 21, 121};
  ArchivePtr archive = readArchive(writeZip(
      "x.npy", npy(header("<i4", "(2, 3, 2)", "True"), bytes(stored))));
  ASSERT_NE(archive, nullptr);
  EXPECT_EQ(valuesOf<int32_t>(*gnn_archive_find(archive.get(), "x")),
            (std::vector<int32_t>{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120,
                                  121}));
}

TEST_F(ArchiveTest, ReadsEmptyArrays) {
  ArchivePtr archive =
      readArchive(writeZip("x.npy", npy(header("<i8", "(2, 0)"), "")));
  const gnn_tensor *tensor = gnn_archive_find(archive.get(), "x");
  EXPECT_EQ(shapeOf(*tensor), (std::vector<int64_t>{2, 0}));
}

TEST_F(ArchiveTest, LeavesOutTextAndOtherFiles) {
  EXPECT_EQ(gnn_archive_size(readArchive(writeZip("notes.txt", "x")).get()),
            0u);
  for (const char *descr : {"<U3", "|S12", "<M8[ns]"}) {
    ArchivePtr archive = readArchive(
        writeZip("x.npy", npy(header(descr, "(1,)"), std::string(12, 'a'))));
    EXPECT_EQ(gnn_archive_size(archive.get()), 0u);
  }
}

TEST_F(ArchiveTest, RefusesUnreadablePaths) {
  expectFileRefused(GNN_IO_ERROR, "No such file", path("none.npz"));
  expectFileRefused(GNN_IO_ERROR, "not a regular file", folder.string());
  expectFileRefused(GNN_FORMAT_ERROR, "it is empty", write("empty.npz", ""));
  expectFileRefused(GNN_FORMAT_ERROR, "is no .npz archive",
                    write("text.npz", "this is not a zip file at all"));
  gnn_archive *archive;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "NULL as 'path'",
                 gnn_archive_read(nullptr, &archive, &error));
}

TEST_F(ArchiveTest, RefusesEveryTruncation) {
  std::vector<float> values(64, 1.0f);
  std::string contents = npy(header("<f4", "(64,)"), bytes(values));
  for (bool deflate : {false, true}) {
    writeZip("x.npy", contents, deflate);
    std::string whole = read("test.npz");
    for (size_t length = 0; length < whole.size(); length += 7) {
      std::string name = write("cut.npz", whole.substr(0, length));
      gnn_archive *archive = nullptr;
      gnn_error error = {};
      EXPECT_EQ(gnn_archive_read(name.c_str(), &archive, &error),
                GNN_FORMAT_ERROR)
          << length << " bytes: " << error.message;
      gnn_archive_destroy(archive);
    }
  }
}

TEST_F(ArchiveTest, SurvivesEveryDamagedByte) {
  std::vector<float> values(8, 1.0f);
  std::string contents = npy(header("<f4", "(8,)"), bytes(values));
  for (bool deflate : {false, true}) {
    writeZip("x.npy", contents, deflate);
    std::string whole = read("test.npz");
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      std::string name = write("damaged.npz", damaged);
      gnn_archive *archive = nullptr;
      gnn_error error = {};
      gnn_status status = gnn_archive_read(name.c_str(), &archive, &error);
      // Dates and the like may change, but what is read must be right.
      EXPECT_EQ(status == GNN_OK, archive != nullptr);
      EXPECT_EQ(status == GNN_OK, error.message[0] == 0);
      if (const gnn_tensor *tensor = gnn_archive_find(archive, "x")) {
        EXPECT_EQ(valuesOf<float>(*tensor), values) << "byte " << i;
      }
      gnn_archive_destroy(archive);
    }
  }
}

TEST_F(ArchiveTest, RefusesDamagedData) {
  std::vector<float> values(64, 1.0f);
  writeZip("x.npy", npy(header("<f4", "(64,)"), bytes(values)));
  std::string damaged = read("test.npz");
  size_t place = damaged.find(bytes(values));
  ASSERT_NE(place, std::string::npos);
  damaged[place + 100] ^= 1;
  expectFileRefused(GNN_FORMAT_ERROR, "CRC", write("damaged.npz", damaged));
}

TEST_F(ArchiveTest, RefusesWrongPreambles) {
  std::string good = npy(header("<f4", "(1,)"), "abcd");
  expectRefused(GNN_FORMAT_ERROR, "too short", "\x93NUM");
  expectRefused(GNN_FORMAT_ERROR, "does not start with \\x93NUMPY",
                "X" + good.substr(1));
  std::string version = good;
  version[6] = 9;
  expectRefused(GNN_UNSUPPORTED, "version 9.0", version);
  std::string length = good;
  length[9] = '\x7f';
  expectRefused(GNN_FORMAT_ERROR, "but the member has", length);
  std::string huge = npy(header("<f4", "(1,)"), "abcd", 2);
  huge.replace(8, 4, "\xff\xff\xff\xff");
  expectRefused(GNN_FORMAT_ERROR, "header of 4294967295 bytes", huge);
}

TEST_F(ArchiveTest, RefusesMalformedHeaders) {
  auto expectText = [&](const std::string &expected, const std::string &text) {
    expectRefused(GNN_FORMAT_ERROR, expected, npy(text, "abcd"));
  };
  expectText("expected '{'", "hello, this is no header at all");
  expectText("lacks the key 'shape'",
             "{'descr': '<f4', 'fortran_order': False}");
  expectText("lacks the key 'descr'", "{'fortran_order': False, 'shape': ()}");
  expectText("lacks the key 'fortran_order'", "{'descr': '<f4', 'shape': ()}");
  expectText("'color' is no key", "{'color': 3}");
  expectText("True or False", header("<f4", "(1,)", "Maybe"));
  expectText("an extent of 0 or more", header("<f4", "(-1,)"));
  expectText("an extent of 0 or more", header("<f4", "(x,)"));
  expectText("a tuple", header("<f4", "1"));
  expectText("',' or ')'", header("<f4", "(1 1)"));
  expectText("beyond 2^63", header("<f4", "(99999999999999999999,)"));
  expectText("nothing after '}'", header("<f4", "(1,)") + "x");
  expectText("a dtype in quotes",
             "{'descr': f4, 'fortran_order': False, 'shape': ()}");
  expectText("empty dtype", header("<", "(1,)"));
}

TEST_F(ArchiveTest, RefusesUnsupportedArrays) {
  auto expectUnsupported = [&](const std::string &expected,
                               const std::string &text) {
    expectRefused(GNN_UNSUPPORTED, expected, npy(text, "abcd"));
  };
  expectUnsupported("dtype '>f4'", header(">f4", "(1,)"));
  expectUnsupported("dtype '<f2'", header("<f2", "(2,)"));
  expectUnsupported("dtype '<c8'", header("<c8", "(1,)"));
  expectUnsupported("dtype '<u4'", header("<u4", "(1,)"));
  expectUnsupported("Python objects", header("|O", "(1,)"));
  expectUnsupported("records", header("|V4", "(1,)"));
  expectUnsupported(
      "records",
      "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}");
  expectUnsupported("more than 8 dimensions",
                    header("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"));
  expectRefused(GNN_UNSUPPORTED, "is uint8 and holds 97",
                npy(header("|u1", "(4,)"), "abcd"));
  expectRefused(GNN_FORMAT_ERROR, "is bool and holds 97",
                npy(header("|b1", "(4,)"), "abcd"));
}

TEST_F(ArchiveTest, RefusesShapesThatTheDataDoesNotHave) {
  expectRefused(GNN_FORMAT_ERROR, "needs 8 bytes of data, but has 4",
                npy(header("<f4", "(2,)"), "abcd"));
  expectRefused(GNN_FORMAT_ERROR, "needs 4 bytes of data, but has 8",
                npy(header("<f4", "(1,)"), "abcdabcd"));
  expectRefused(GNN_FORMAT_ERROR, "needs 400000000000 bytes",
                npy(header("<f4", "(100000000000,)"), "abcd"));
  expectRefused(GNN_FORMAT_ERROR, "more than 2^63 bytes",
                npy(header("<f4", "(9223372036854775807,)"), "abcd"));
  expectRefused(GNN_FORMAT_ERROR, "more than 2^63 bytes",
                npy(header("<f4", "(4294967296, 4294967296, 2)"), "abcd"));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

TEST_F(ArchiveTest, WritesWhatItReads) {
  std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  std::vector<double> doubles = {0.25};
  std::vector<int32_t> ints = {-1, 2};
  std::vector<int64_t> longs;
  std::vector<uint8_t> bools = {1, 0, 1};
  const char *names[] = {"f", "d", "i", "l", "b", "eight"};
  std::vector<gnn_tensor> tensors = {
      tensorOf(floats, {2, 3}), tensorOf(doubles, {}),
      tensorOf(ints, {2}),      tensorOf(longs, {2, 0}),
      tensorOf(bools, {3}),     tensorOf(floats, {1, 1, 1, 1, 1, 1, 2, 3})};
  std::string name = path("out.npz");
  ASSERT_SUCCESS(
      gnn_archive_write(name.c_str(), names, tensors.data(), 6, &error));
  EXPECT_EQ(numFiles(), 1);
  ArchivePtr archive = readArchive(name);
  ASSERT_EQ(gnn_archive_size(archive.get()), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_STREQ(gnn_archive_name(archive.get(), i), names[i]);
    const gnn_tensor *tensor = gnn_archive_find(archive.get(), names[i]);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->dtype, tensors[i].dtype);
    EXPECT_EQ(shapeOf(*tensor), shapeOf(tensors[i]));
    int64_t size = gnn_tensor_size(tensor) *
                   static_cast<int64_t>(gnn_dtype_size(tensor->dtype));
    if (size) {
      EXPECT_EQ(
          memcmp(tensor->data, tensors[i].data, static_cast<size_t>(size)), 0);
    }
  }
}

TEST_F(ArchiveTest, WritesTheSameBytesAgainAndReplacesFiles) {
  std::vector<float> values = {1, 2};
  const char *names[] = {"x"};
  gnn_tensor tensor = tensorOf(values, {2});
  std::string name = write("out.npz", "something else");
  ASSERT_SUCCESS(gnn_archive_write(name.c_str(), names, &tensor, 1, &error));
  std::string first = read("out.npz");
  ASSERT_SUCCESS(gnn_archive_write(name.c_str(), names, &tensor, 1, &error));
  EXPECT_EQ(read("out.npz"), first);
  EXPECT_EQ(numFiles(), 1);
}

TEST_F(ArchiveTest, RefusesWhatCannotBeWritten) {
  std::vector<float> values = {1, 2};
  gnn_tensor tensors[] = {tensorOf(values, {2}), tensorOf(values, {2})};
  const char *names[] = {"x", "x"};
  std::string name = path("out.npz");
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "array 'x': the name is there twice",
                 gnn_archive_write(name.c_str(), names, tensors, 2, &error));
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "an archive needs an array",
                 gnn_archive_write(name.c_str(), names, tensors, 0, &error));
  names[1] = "";
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "array 1 has no name",
                 gnn_archive_write(name.c_str(), names, tensors, 2, &error));
  names[1] = "y";
  tensors[1].rank = 9;
  EXPECT_FAILURE(GNN_INVALID_ARGUMENT, "array 'y' has rank 9",
                 gnn_archive_write(name.c_str(), names, tensors, 2, &error));
  EXPECT_EQ(numFiles(), 0);
  name = path("nowhere/out.npz");
  EXPECT_FAILURE(GNN_IO_ERROR, name,
                 gnn_archive_write(name.c_str(), names, tensors, 1, &error));
  for (const std::string &special : {folder.string(), std::string("/dev/null")})
    EXPECT_FAILURE(
        GNN_IO_ERROR,
        "'" + special + "' cannot be written: it is not a regular file",
        gnn_archive_write(special.c_str(), names, tensors, 1, &error));
  EXPECT_EQ(numFiles(), 0);
}

TEST_F(ArchiveTest, LeavesNoPartialFileWhenTheDiskIsFull) {
  std::vector<float> values(1 << 16);
  const char *names[] = {"x"};
  gnn_tensor tensor = tensorOf(values, {1 << 16});
  std::string name = write("out.npz", "the file from before");
  // The limit on a file's size stands in for a full disk; in a process of its
  // own, as it cannot be lifted again.
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    gnn_error error = {};
    gnn_status status =
        gnn_archive_write(name.c_str(), names, &tensor, 1, &error);
    _exit(status == GNN_IO_ERROR && error.message[0] ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  EXPECT_EQ(numFiles(), 1);
  EXPECT_EQ(read("out.npz"), "the file from before");
}
