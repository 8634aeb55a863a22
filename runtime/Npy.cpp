//===- Npy.cpp - Headers of NumPy arrays ------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "Error.h"
#include "Tensor.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace gnn;
using namespace gnn::rt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "arrays are read and written without swapping bytes");

// Real headers have about a hundred bytes; records with many fields have more.
static constexpr int64_t maxHeaderLength = 1 << 20;

gnn_status rt::parseNpyPreamble(const unsigned char *bytes, const char *where,
                                int64_t &textOffset, int64_t &textLength,
                                gnn_error *error) {
  if (memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail(error, GNN_FORMAT_ERROR,
                "%s is no NumPy array: it does not start with \\x93NUMPY",
                where);
  int major = bytes[6];
  if (major < 1 || major > 3)
    return fail(error, GNN_UNSUPPORTED,
                "%s has format version %d.%d; versions 1 to 3 are read", where,
                major, bytes[7]);
  int64_t length = bytes[8] | bytes[9] << 8;
  textOffset = 10;
  if (major > 1) {
    length |= static_cast<int64_t>(bytes[10]) << 16 |
              static_cast<int64_t>(bytes[11]) << 24;
    textOffset = 12;
  }
  if (length > maxHeaderLength)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has a header of %" PRId64
                " bytes, but headers are at most %" PRId64 " bytes long",
                where, length, maxHeaderLength);
  textLength = length;
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Parses a dictionary such as
///   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  HeaderParser(std::string_view text, const char *where, NpyHeader &header,
               gnn_error *error)
      : rest(text), where(where), header(header), error(error) {}

  gnn_status parse();

private:
  gnn_status parseEntry();
  gnn_status parseDescr();
  gnn_status parseShape();

  gnn_status malformed(const char *expected) {
    return fail(error, GNN_FORMAT_ERROR,
                "%s has a malformed header: expected %s at '%.*s'", where,
                expected, static_cast<int>(rest.size() < 32 ? rest.size() : 32),
                rest.data());
  }

  gnn_status unsupported(const char *contents) {
    return fail(error, GNN_UNSUPPORTED,
                "%s holds %s; save an array of numbers instead", where,
                contents);
  }

  void skipBlanks() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t'))
      rest.remove_prefix(1);
  }

  bool consume(std::string_view token) {
    skipBlanks();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool consumeString(std::string_view &string) {
    skipBlanks();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    string = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  std::string_view rest;
  const char *where;
  NpyHeader &header;
  gnn_error *error;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

gnn_status HeaderParser::parse() {
  if (!consume("{"))
    return malformed("'{'");
  while (!consume("}")) {
    if (gnn_status status = parseEntry())
      return status;
    if (!consume(",")) {
      if (!consume("}"))
        return malformed("',' or '}'");
      break;
    }
  }
  skipBlanks();
  if (!rest.empty())
    return malformed("nothing after '}'");
  const char *missing = !hasDescr   ? "descr"
                        : !hasOrder ? "fortran_order"
                        : !hasShape ? "shape"
                                    : nullptr;
  if (missing)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has a malformed header: it lacks the key '%s'", where,
                missing);
  return GNN_OK;
}

gnn_status HeaderParser::parseEntry() {
  std::string_view key;
  if (!consumeString(key) || !consume(":"))
    return malformed("a key, in quotes and with ':' after it,");
  if (key == "descr") {
    hasDescr = true;
    return parseDescr();
  }
  if (key == "shape") {
    hasShape = true;
    return parseShape();
  }
  if (key == "fortran_order") {
    hasOrder = true;
    header.isFortranOrder = consume("True");
    return header.isFortranOrder || consume("False")
               ? GNN_OK
               : malformed("True or False");
  }
  return fail(error, GNN_FORMAT_ERROR,
              "%s has a malformed header: '%.*s' is no key of a NumPy header",
              where, static_cast<int>(key.size() < 32 ? key.size() : 32),
              key.data());
}

gnn_status HeaderParser::parseDescr() {
  skipBlanks();
  // A list of fields, or a record within a tuple.
  if (!rest.empty() && (rest[0] == '[' || rest[0] == '('))
    return unsupported("records");
  std::string_view descr;
  if (!consumeString(descr))
    return malformed("a dtype in quotes");
  char order = '|';
  std::string_view kind = descr;
  if (!kind.empty() &&
      std::string_view("<>|=").find(kind[0]) != std::string_view::npos) {
    order = kind[0];
    kind.remove_prefix(1);
  }
  if (kind.empty())
    return fail(error, GNN_FORMAT_ERROR, "%s has an empty dtype", where);
  if (kind[0] == 'O')
    return unsupported("Python objects");
  if (kind[0] == 'V')
    return unsupported("records");
  if (std::string_view("SUaMm").find(kind[0]) != std::string_view::npos) {
    header.isText = true;
    if (kind[0] == 'S')
      std::from_chars(kind.data() + 1, kind.data() + kind.size(),
                      header.textBytes);
    return GNN_OK;
  }
  if (kind == "b1" || kind == "u1") {
    header.dtype = GNN_BOOL;
    header.isUInt8 = kind == "u1";
    return GNN_OK;
  }
  bool known = order != '>';
  if (kind == "f4")
    header.dtype = GNN_FLOAT32;
  else if (kind == "f8")
    header.dtype = GNN_FLOAT64;
  else if (kind == "i4")
    header.dtype = GNN_INT32;
  else if (kind == "i8")
    header.dtype = GNN_INT64;
  else
    known = false;
  if (known)
    return GNN_OK;
  return fail(error, GNN_UNSUPPORTED,
              "%s has dtype '%.*s'; accepted are float32, float64, int32, int64"
              ", bool and uint8, little-endian",
              where, static_cast<int>(descr.size() < 32 ? descr.size() : 32),
              descr.data());
}

gnn_status HeaderParser::parseShape() {
  if (!consume("("))
    return malformed("a tuple");
  while (!consume(")")) {
    skipBlanks();
    int64_t extent = -1;
    auto [End, Code] =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (Code == std::errc::result_out_of_range)
      return fail(error, GNN_FORMAT_ERROR,
                  "%s has an extent beyond 2^63 in its shape", where);
    if (Code != std::errc() || extent < 0)
      return malformed("an extent of 0 or more");
    rest.remove_prefix(static_cast<size_t>(End - rest.data()));
    consume("L"); // Python 2 wrote long integers like this
    if (header.rank == GNN_MAX_RANK)
      return fail(error, GNN_UNSUPPORTED,
                  "%s has more than %d dimensions, the most a tensor can have",
                  where, GNN_MAX_RANK);
    header.shape[header.rank++] = extent;
    if (!consume(",")) {
      if (!consume(")"))
        return malformed("',' or ')'");
      break;
    }
  }
  return GNN_OK;
}

gnn_status rt::parseNpyHeader(std::string_view text, const char *where,
                              NpyHeader &header, gnn_error *error) {
  return HeaderParser(text, where, header, error).parse();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

size_t rt::formatNpyHeader(const gnn_tensor &tensor, char *buffer) {
  static const char *const descr[] = {"<f4", "<f8", "<i4", "<i8", "|b1"};
  char *text = buffer + 10;
  size_t size = npyMaxWrittenHeader - 10;
  size_t used = static_cast<size_t>(
      snprintf(text, size, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               descr[tensor.dtype]));
  for (int32_t i = 0; i < tensor.rank; ++i)
    used += static_cast<size_t>(
        snprintf(text + used, size - used, "%s%" PRId64 "%s", i ? " " : "",
                 tensor.shape[i], i + 1 < tensor.rank || i == 0 ? "," : ""));
  used += static_cast<size_t>(snprintf(text + used, size - used, "), }"));
  size_t total = (10 + used + 1 + 63) / 64 * 64;
  memset(text + used, ' ', total - 10 - used);
  buffer[total - 1] = '\n';
  static constexpr char magic[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
  memcpy(buffer, magic, sizeof(magic));
  buffer[8] = static_cast<char>((total - 10) & 0xFF);
  buffer[9] = static_cast<char>((total - 10) >> 8);
  return total;
}
