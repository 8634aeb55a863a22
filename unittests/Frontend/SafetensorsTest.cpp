//===- SafetensorsTest.cpp - The reader of the safetensors format ---------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Frontend/Safetensors.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace gnn;

/// A file with this header, whatever it says of its length.
static std::string makeFile(llvm::StringRef header, llvm::StringRef data = "",
                            std::optional<uint64_t> length = std::nullopt) {
  uint64_t announced = length.value_or(header.size());
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(announced >> (8 * i));
  return file + header.str() + data.str();
}

static llvm::Expected<Safetensors> parse(llvm::StringRef file) {
  return Safetensors::parse(llvm::MemoryBuffer::getMemBufferCopy(file, "test"));
}

/// The error that parsing gives, empty if it succeeds.
static std::string getError(llvm::StringRef file) {
  llvm::Expected<Safetensors> result = parse(file);
  return result ? "" : llvm::toString(result.takeError());
}

/// The bytes of numbers in this machine's order, which the format has too.
template <typename T>
static std::string getBytes(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

static std::vector<float> readOnly(llvm::StringRef dtype, llvm::StringRef shape,
                                   const std::string &data) {
  std::string header =
      ("{\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
       ",\"data_offsets\":[0," + std::to_string(data.size()) + "]}}")
          .str();
  llvm::Expected<Safetensors> file = parse(makeFile(header, data));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  llvm::Expected<std::vector<float>> values =
      Safetensors::readFloats(file->getEntries().front());
  if (!values) {
    ADD_FAILURE() << llvm::toString(values.takeError());
    return {};
  }
  return *values;
}

TEST(SafetensorsTest, ReadsEntriesInTheOrderOfTheirData) {
  std::string header =
      R"({"__metadata__":{"format":"pt"},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
      R"("a.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})";
  auto file = parse(makeFile(header, getBytes<float>({1, 2, 3})));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  ASSERT_EQ(file->getEntries().size(), 3u);
  EXPECT_EQ(file->getEntries()[0].name, "none");
  EXPECT_EQ(file->getEntries()[1].name, "a.weight");
  EXPECT_EQ(file->getEntries()[2].name, "b");
  EXPECT_EQ(file->lookup("c"), nullptr);
  const Safetensors::Entry *entry = file->lookup("a.weight");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(formatShape(entry->shape), "[2, 1]");
  EXPECT_EQ(entry->getNumElements(), 2);
  auto values = Safetensors::readFloats(*entry);
  ASSERT_TRUE(static_cast<bool>(values));
  EXPECT_EQ(*values, (std::vector<float>{1, 2}));
}

TEST(SafetensorsTest, ReadsAFileWithoutEntries) {
  auto file = parse(makeFile("{}"));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  EXPECT_TRUE(file->getEntries().empty());
}

TEST(SafetensorsTest, AcceptsAPaddedHeader) {
  EXPECT_EQ(getError(makeFile("{}      ")), "");
}

TEST(SafetensorsTest, ReadsScalars) {
  EXPECT_EQ(readOnly("F32", "[]", getBytes<float>({0.25})),
            (std::vector<float>{0.25}));
}

TEST(SafetensorsTest, RoundsDoubles) {
  EXPECT_EQ(readOnly("F64", "[2]", getBytes<double>({0.1, -2})),
            (std::vector<float>{0.1f, -2}));
}

TEST(SafetensorsTest, ReadsHalves) {
  // One, the largest, the smallest normal and subnormal, -0, infinity.
  std::vector<float> values = readOnly(
      "F16", "[6]",
      getBytes<uint16_t>({0x3c00, 0x7bff, 0x0400, 0x0001, 0x8000, 0x7c00}));
  EXPECT_EQ(values, (std::vector<float>{1, 65504, 0x1p-14f, 0x1p-24f, -0.0f,
                                        INFINITY}));
  EXPECT_TRUE(std::signbit(values[4]));
  EXPECT_TRUE(
      std::isnan(readOnly("F16", "[1]", getBytes<uint16_t>({0x7e00}))[0]));
}

TEST(SafetensorsTest, ReadsBrainFloats) {
  EXPECT_EQ(readOnly("BF16", "[2]", getBytes<uint16_t>({0x3f80, 0xc0a0})),
            (std::vector<float>{1, -5}));
}

TEST(SafetensorsTest, RefusesIntegersAsFloats) {
  auto file =
      parse(makeFile(R"({"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})",
                     getBytes<int64_t>({7})));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  auto values = Safetensors::readFloats(file->getEntries().front());
  ASSERT_FALSE(static_cast<bool>(values));
  EXPECT_EQ(llvm::toString(values.takeError()),
            "entry 'n' has dtype I64; accepted are F32, F16, BF16 and F64");
  file = parse(
      makeFile(R"({"w":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})",
               getBytes<double>({1, -1e300})));
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  values = Safetensors::readFloats(file->getEntries().front());
  ASSERT_FALSE(static_cast<bool>(values));
  EXPECT_EQ(llvm::toString(values.takeError()),
            "entry 'w' has -1.000000e+300, which is out of range for float32");
}

//===----------------------------------------------------------------------===//
// Malformed files
//===----------------------------------------------------------------------===//

TEST(SafetensorsTest, RefusesFilesWithoutALength) {
  EXPECT_EQ(getError("abc"),
            "the file has 3 bytes and no room for the length of its header");
  EXPECT_EQ(getError(""),
            "the file has 0 bytes and no room for the length of its header");
}

TEST(SafetensorsTest, RefusesAbsurdLengths) {
  EXPECT_EQ(getError(makeFile("{}", "", ~uint64_t(0))),
            "a header of 18446744073709551615 bytes is announced; this is no "
            "safetensors file");
  EXPECT_EQ(getError(makeFile("{}", "", 100'000'001)),
            "a header of 100000001 bytes is announced; this is no safetensors "
            "file");
}

TEST(SafetensorsTest, RefusesEveryTruncation) {
  std::string file =
      makeFile(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               getBytes<float>({1, 2}));
  ASSERT_EQ(getError(file), "");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(getError(llvm::StringRef(file).take_front(size)), "")
        << "cut to " << size << " bytes";
  EXPECT_EQ(getError(llvm::StringRef(file).drop_back(4)),
            "entry 'w' has data at [0, 8), outside of the 4 bytes of the "
            "file's data");
}

TEST(SafetensorsTest, RefusesBrokenHeaders) {
  EXPECT_NE(getError(makeFile("{")).find("the header is not JSON"),
            std::string::npos);
  EXPECT_EQ(getError(makeFile("[]")), "the header is not a JSON object");
  EXPECT_EQ(getError(makeFile("{\"a")), "the header ends within a string");
  EXPECT_EQ(getError(makeFile(std::string(1000, '['))),
            "the header is nested too deeply");
  EXPECT_EQ(getError(makeFile(R"({"w":3})")),
            "entry 'w' is not described by an object");
  EXPECT_EQ(getError(makeFile(R"({"w":{"shape":[],"data_offsets":[0,0]}})")),
            "entry 'w' has no 'dtype'");
}

/// The error for an entry `w` and eight bytes of data.
static std::string getEntryError(llvm::StringRef dtype, llvm::StringRef shape,
                                 llvm::StringRef offsets) {
  return getError(makeFile(("{\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":" +
                            shape + ",\"data_offsets\":" + offsets + "}}")
                               .str(),
                           std::string(8, '\0')));
}

TEST(SafetensorsTest, RefusesEntriesThatMakeNoSense) {
  EXPECT_EQ(getEntryError("F31", "[2]", "[0,8]"),
            "entry 'w' has the unknown dtype 'F31'");
  EXPECT_EQ(getEntryError("F32", "2", "[0,8]"), "entry 'w' has no 'shape'");
  EXPECT_EQ(getEntryError("F32", "[-2]", "[0,8]"),
            "entry 'w' has a shape that is no list of sizes");
  EXPECT_EQ(getEntryError("F32", "[2.5]", "[0,8]"),
            "entry 'w' has a shape that is no list of sizes");
  EXPECT_EQ(getEntryError("F32", "[4294967296,4294967296]", "[0,8]"),
            "entry 'w' has a shape too large for any file");
  EXPECT_EQ(getEntryError("F32", "[3]", "[0,8]"),
            "entry 'w' of dtype F32 and shape [3] needs 12 bytes, but has 8");
  EXPECT_EQ(getEntryError("F32", "[2]", "[8,0]"),
            "entry 'w' has data at [8, 0), outside of the 8 bytes of the "
            "file's data");
  EXPECT_EQ(getEntryError("F32", "[2]", "[-8,0]"),
            "entry 'w' has data at [-8, 0), outside of the 8 bytes of the "
            "file's data");
  EXPECT_EQ(getEntryError("F32", "[2]", "[0]"),
            "entry 'w' needs two integers in 'data_offsets'");
}

TEST(SafetensorsTest, RefusesDataOfTwoEntries) {
  EXPECT_EQ(getError(makeFile(
                R"({"v":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                std::string(8, '\0'))),
            "entries 'v' and 'w' overlap");
}

TEST(SafetensorsTest, RefusesDataOfNoEntry) {
  EXPECT_EQ(getError(makeFile(
                R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                std::string(8, '\0'))),
            "no entry owns the 4 bytes before the data of 'w'");
  EXPECT_NE(getError(makeFile(
                R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                std::string(8, '\0'))),
            "");
}

TEST(SafetensorsTest, RefusesANameGivenTwice) {
  std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(getError(makeFile("{\"w\":" + entry + ",\"w\":" + entry + "}")),
            "entry 'w' occurs twice");
  EXPECT_EQ(
      getError(makeFile("{\"w\":" + entry + ",\"\\u0077\":" + entry + "}")),
      "entry 'w' occurs twice");
}

TEST(SafetensorsTest, RenamesEntriesUnlessTheNameIsTaken) {
  std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  llvm::Expected<Safetensors> file =
      parse(makeFile("{\"a.old\":" + entry + ",\"b.old\":" + entry +
                     ",\"b.new\":" + entry + "}"));
  ASSERT_TRUE(bool(file));
  file->rename([](llvm::StringRef name) {
    return name.consume_back("old") ? (name + "new").str() : name.str();
  });
  EXPECT_TRUE(file->lookup("a.new"));
  EXPECT_FALSE(file->lookup("a.old"));
  EXPECT_TRUE(file->lookup("b.old"));
  EXPECT_EQ(file->lookup("b.new")->name, "b.new");
}
