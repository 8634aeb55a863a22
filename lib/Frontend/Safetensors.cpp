//===- Safetensors.cpp - Reader of the safetensors format -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Frontend/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace gnn;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// The reference implementation's limit, against absurd lengths.
static constexpr uint64_t kMaxHeaderLength = 100'000'000;

static Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string gnn::formatShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + "]";
}

int64_t Safetensors::Entry::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Bytes per element, 0 for an unknown dtype.
static uint64_t getElementSize(StringRef dtype) {
  return llvm::StringSwitch<uint64_t>(dtype)
      .Cases({"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3"}, 1)
      .Cases({"I16", "U16", "F16", "BF16"}, 2)
      .Cases({"I32", "U32", "F32"}, 4)
      .Cases({"I64", "U64", "F64"}, 8)
      .Default(0);
}

/// A JSON parser keeps one of two equal keys and recurses on nesting; this
/// scan reports both before it runs.
static Error checkHeaderText(StringRef header) {
  llvm::StringSet<> names;
  unsigned depth = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    char c = header[i];
    if (c == '{' || c == '[') {
      if (++depth > 8)
        return makeError("the header is nested too deeply");
    } else if (c == '}' || c == ']') {
      depth -= depth > 0;
    } else if (c == '"') {
      size_t begin = i++;
      while (i < header.size() && header[i] != '"')
        i += header[i] == '\\' ? 2 : 1;
      if (i >= header.size())
        return makeError("the header ends within a string");
      bool isKey = header.drop_front(i + 1).ltrim().starts_with(":");
      if (depth != 1 || !isKey)
        continue;
      // Escapes may spell one name in two ways.
      Expected<llvm::json::Value> name =
          llvm::json::parse(header.slice(begin, i + 1));
      if (!name)
        return makeError("the header is not JSON: " +
                         llvm::toString(name.takeError()));
      if (!names.insert(*name->getAsString()).second)
        return makeError("entry '" + *name->getAsString() + "' occurs twice");
    }
  }
  return Error::success();
}

/// Fills shape, dtype and data of `entry` from its description.
static Error parseEntry(const llvm::json::Value &value, StringRef data,
                        Safetensors::Entry &entry) {
  auto entryError = [&](const Twine &message) {
    return makeError("entry '" + entry.name + "' " + message);
  };
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return entryError("is not described by an object");
  std::optional<StringRef> dtype = object->getString("dtype");
  if (!dtype)
    return entryError("has no 'dtype'");
  uint64_t elementSize = getElementSize(*dtype);
  if (elementSize == 0)
    return entryError("has the unknown dtype '" + *dtype + "'");
  entry.dtype = dtype->str();

  const llvm::json::Array *shape = object->getArray("shape");
  if (!shape)
    return entryError("has no 'shape'");
  uint64_t numBytes = elementSize;
  for (const llvm::json::Value &element : *shape) {
    std::optional<int64_t> size = element.getAsInteger();
    if (!size || *size < 0)
      return entryError("has a shape that is no list of sizes");
    bool overflows = false;
    numBytes = llvm::SaturatingMultiply<uint64_t>(numBytes, *size, &overflows);
    if (overflows || numBytes > INT64_MAX)
      return entryError("has a shape too large for any file");
    entry.shape.push_back(*size);
  }

  const llvm::json::Array *offsets = object->getArray("data_offsets");
  if (!offsets || offsets->size() != 2 || !(*offsets)[0].getAsInteger() ||
      !(*offsets)[1].getAsInteger())
    return entryError("needs two integers in 'data_offsets'");
  int64_t begin = *(*offsets)[0].getAsInteger();
  int64_t end = *(*offsets)[1].getAsInteger();
  if (begin < 0 || end < begin || static_cast<uint64_t>(end) > data.size())
    return entryError("has data at [" + Twine(begin) + ", " + Twine(end) +
                      "), outside of the " + Twine(data.size()) +
                      " bytes of the file's data");
  if (static_cast<uint64_t>(end - begin) != numBytes)
    return entryError("of dtype " + entry.dtype + " and shape " +
                      formatShape(entry.shape) + " needs " + Twine(numBytes) +
                      " bytes, but has " + Twine(end - begin));
  entry.data = data.slice(begin, end);
  return Error::success();
}

Expected<Safetensors>
Safetensors::parse(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  StringRef file = buffer->getBuffer();
  if (file.size() < 8)
    return makeError("the file has " + Twine(file.size()) +
                     " bytes and no room for the length of its header");
  if (file.starts_with("PK\x03\x04"))
    return makeError("this is a zip archive, as torch.save writes; "
                     "safetensors.torch.save_file(model.state_dict(), ...) "
                     "writes what is read here");
  uint64_t length = llvm::support::endian::read64le(file.data());
  if (length > kMaxHeaderLength)
    return makeError("a header of " + Twine(length) +
                     " bytes is announced; this is no safetensors file");
  if (length > file.size() - 8)
    return makeError("the file is cut off: a header of " + Twine(length) +
                     " bytes is announced, " + Twine(file.size() - 8) +
                     " bytes follow");
  StringRef header = file.substr(8, length), data = file.substr(8 + length);
  if (Error error = checkHeaderText(header))
    return std::move(error);
  Expected<llvm::json::Value> json = llvm::json::parse(header);
  if (!json)
    return makeError("the header is not JSON: " +
                     llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return makeError("the header is not a JSON object");

  Safetensors result;
  for (const auto &[key, value] : *object) {
    if (StringRef(key) == "__metadata__")
      continue;
    Entry entry;
    entry.name = StringRef(key).str();
    if (Error error = parseEntry(value, data, entry))
      return std::move(error);
    result.entries.push_back(std::move(entry));
  }

  // Every byte belongs to exactly one entry. Empty entries own none and go
  // first among those that start at the same byte.
  llvm::sort(result.entries, [](const Entry &a, const Entry &b) {
    return std::make_tuple(a.data.data(), a.data.size(), StringRef(a.name)) <
           std::make_tuple(b.data.data(), b.data.size(), StringRef(b.name));
  });
  const char *position = data.data();
  for (auto [i, entry] : llvm::enumerate(result.entries)) {
    if (entry.data.data() < position)
      return makeError("entries '" + result.entries[i - 1].name + "' and '" +
                       entry.name + "' overlap");
    if (entry.data.data() > position)
      return makeError("no entry owns the " +
                       Twine(entry.data.data() - position) +
                       " bytes before the data of '" + entry.name + "'");
    position = entry.data.end();
    result.indices[entry.name] = i;
  }
  if (position != data.end())
    return makeError("no entry owns the last " + Twine(data.end() - position) +
                     " bytes of the file");
  result.buffer = std::move(buffer);
  return std::move(result);
}

const Safetensors::Entry *Safetensors::lookup(StringRef name) const {
  auto it = indices.find(name);
  return it == indices.end() ? nullptr : &entries[it->second];
}

void Safetensors::rename(llvm::function_ref<std::string(StringRef)> getName) {
  for (auto [i, entry] : llvm::enumerate(entries)) {
    std::string name = getName(entry.name);
    if (!indices.try_emplace(name, i).second)
      continue;
    indices.erase(entry.name);
    entry.name = std::move(name);
  }
}

static float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  if (exponent == 0x1f) // Infinity and NaN.
    return bitsToFloat(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return bitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f; // Subnormal.
  return sign ? -magnitude : magnitude;
}

Expected<std::vector<float>> Safetensors::readFloats(const Entry &entry) {
  namespace endian = llvm::support::endian;
  std::vector<float> values(entry.getNumElements());
  const char *data = entry.data.data();
  if (entry.dtype == "F32") {
    for (auto [i, value] : llvm::enumerate(values))
      value = bitsToFloat(endian::read32le(data + 4 * i));
  } else if (entry.dtype == "BF16") {
    for (auto [i, value] : llvm::enumerate(values))
      value = bitsToFloat(static_cast<uint32_t>(endian::read16le(data + 2 * i))
                          << 16);
  } else if (entry.dtype == "F16") {
    for (auto [i, value] : llvm::enumerate(values))
      value = halfToFloat(endian::read16le(data + 2 * i));
  } else if (entry.dtype == "F64") {
    for (auto [i, value] : llvm::enumerate(values)) {
      uint64_t bits = endian::read64le(data + 8 * i);
      double wide;
      std::memcpy(&wide, &bits, sizeof(wide));
      value = static_cast<float>(wide);
      if (std::isfinite(wide) && !std::isfinite(value))
        return makeError("entry '" + entry.name + "' has " +
                         llvm::formatv("{0:e}", wide).str() +
                         ", which is out of range for float32");
    }
  } else {
    return makeError("entry '" + entry.name + "' has dtype " + entry.dtype +
                     "; accepted are F32, F16, BF16 and F64");
  }
  return values;
}
