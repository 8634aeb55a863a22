//===- OutputFilesTest.cpp - Files that appear together ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/OutputFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using gnn::OutputFiles;

namespace {
class OutputFilesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gnn-output-files", folder));
  }
  void TearDown() override {
    EXPECT_FALSE(sys::fs::remove_directories(folder));
  }

  std::string getPath(StringRef name) const {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return path.str().str();
  }

  static void write(StringRef path, StringRef text) {
    std::error_code code;
    raw_fd_ostream os(path, code);
    ASSERT_FALSE(code) << code.message();
    os << text;
  }

  static std::string read(StringRef path) {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "cannot be read";
  }

  /// Adds a file with this text, which must succeed.
  void add(OutputFiles &files, StringRef name, StringRef text) {
    Expected<std::string> temporary = files.add(getPath(name));
    ASSERT_TRUE(bool(temporary)) << toString(temporary.takeError());
    write(*temporary, text);
  }

  static std::string addError(OutputFiles &files, StringRef path) {
    Expected<std::string> temporary = files.add(path);
    return temporary ? "" : toString(temporary.takeError());
  }

  std::set<std::string> list() const {
    std::set<std::string> names;
    std::error_code code;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      names.insert(sys::path::filename(it->path()).str());
    return names;
  }

  SmallString<128> folder;
};
} // namespace

TEST_F(OutputFilesTest, AppearWhenKept) {
  OutputFiles files;
  add(files, "a.so", "code");
  add(files, "a.h", "header");
  EXPECT_EQ(list().count("a.so"), 0u);
  EXPECT_EQ(list().count("a.h"), 0u);
  EXPECT_EQ(read(files.getTemporary(1)), "header");
  ASSERT_FALSE(bool(files.keep()));
  EXPECT_EQ(list(), (std::set<std::string>{"a.h", "a.so"}));
  EXPECT_EQ(read(getPath("a.so")), "code");
  EXPECT_EQ(read(getPath("a.h")), "header");
}

TEST_F(OutputFilesTest, LeaveNothingOtherwise) {
  write(getPath("a.so"), "before");
  {
    OutputFiles files;
    add(files, "a.so", "after");
    add(files, "a.h", "header");
    EXPECT_EQ(list().size(), 3u);
  }
  EXPECT_EQ(list(), (std::set<std::string>{"a.so"}));
  EXPECT_EQ(read(getPath("a.so")), "before");
}

TEST_F(OutputFilesTest, ReplaceWhatWasThere) {
  write(getPath("a.so"), "before");
  OutputFiles files;
  add(files, "a.so", "after");
  ASSERT_FALSE(bool(files.keep()));
  EXPECT_EQ(read(getPath("a.so")), "after");
}

TEST_F(OutputFilesTest, RefuseWhatIsNoFile) {
  OutputFiles files;
  EXPECT_EQ(addError(files, folder),
            ("cannot write '" + folder + "': Is a directory").str());
  EXPECT_EQ(addError(files, "/dev/null"),
            "cannot write '/dev/null': it is not a regular file");
  std::string missing = getPath("none/a.so");
  EXPECT_EQ(addError(files, missing),
            "cannot write '" + missing + "': No such file or directory");
  EXPECT_TRUE(list().empty());
}

TEST_F(OutputFilesTest, RefuseOneNameForTwoFiles) {
  OutputFiles files;
  add(files, "a.so", "code");
  std::string path = getPath("a.so");
  EXPECT_EQ(addError(files, path), "two outputs would be written to '" + path +
                                       "'; give them different names");
  EXPECT_FALSE(sys::fs::create_directory(getPath("inner")));
  EXPECT_FALSE(sys::fs::create_link(folder, getPath("link")));
  for (StringRef name : {"./a.so", "inner/../a.so", "link/a.so"})
    EXPECT_NE(addError(files, getPath(name)).find("two outputs"),
              std::string::npos)
        << name.str();
  EXPECT_EQ(addError(files, getPath("inner/a.so")), "");
}
