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
static constexpr int64_t MaxHeaderLength = 1 << 20;

gnn_status rt::parseNpyPreamble(const unsigned char *Bytes, const char *Where,
                                int64_t &TextOffset, int64_t &TextLength,
                                gnn_error *Error) {
  if (memcmp(Bytes, "\x93NUMPY", 6) != 0)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s is no NumPy array: it does not start with \\x93NUMPY",
                Where);
  int Major = Bytes[6];
  if (Major < 1 || Major > 3)
    return fail(Error, GNN_UNSUPPORTED,
                "%s has format version %d.%d; versions 1 to 3 are read", Where,
                Major, Bytes[7]);
  int64_t Length = Bytes[8] | Bytes[9] << 8;
  TextOffset = 10;
  if (Major > 1) {
    Length |= static_cast<int64_t>(Bytes[10]) << 16 |
              static_cast<int64_t>(Bytes[11]) << 24;
    TextOffset = 12;
  }
  if (Length > MaxHeaderLength)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has a header of %" PRId64
                " bytes, but headers are at most %" PRId64 " bytes long",
                Where, Length, MaxHeaderLength);
  TextLength = Length;
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
  HeaderParser(std::string_view Text, const char *Where, NpyHeader &Header,
               gnn_error *Error)
      : Rest(Text), Where(Where), Header(Header), Error(Error) {}

  gnn_status parse();

private:
  gnn_status parseEntry();
  gnn_status parseDescr();
  gnn_status parseShape();

  gnn_status malformed(const char *Expected) {
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has a malformed header: expected %s at '%.*s'", Where,
                Expected, static_cast<int>(Rest.size() < 32 ? Rest.size() : 32),
                Rest.data());
  }

  void skipBlanks() {
    while (!Rest.empty() &&
           (Rest[0] == ' ' || Rest[0] == '\n' || Rest[0] == '\t'))
      Rest.remove_prefix(1);
  }

  bool consume(std::string_view Token) {
    skipBlanks();
    if (Rest.substr(0, Token.size()) != Token)
      return false;
    Rest.remove_prefix(Token.size());
    return true;
  }

  bool consumeString(std::string_view &String) {
    skipBlanks();
    if (Rest.empty() || (Rest[0] != '\'' && Rest[0] != '"'))
      return false;
    size_t End = Rest.find(Rest[0], 1);
    if (End == std::string_view::npos)
      return false;
    String = Rest.substr(1, End - 1);
    Rest.remove_prefix(End + 1);
    return true;
  }

  bool skipBracketed();

  std::string_view Rest;
  const char *Where;
  NpyHeader &Header;
  gnn_error *Error;
  bool HasDescr = false, HasOrder = false, HasShape = false;
};
} // namespace

gnn_status HeaderParser::parse() {
  if (!consume("{"))
    return malformed("'{'");
  while (!consume("}")) {
    if (gnn_status Status = parseEntry())
      return Status;
    if (!consume(",")) {
      if (!consume("}"))
        return malformed("',' or '}'");
      break;
    }
  }
  skipBlanks();
  if (!Rest.empty())
    return malformed("nothing after '}'");
  const char *Missing = !HasDescr   ? "descr"
                        : !HasOrder ? "fortran_order"
                        : !HasShape ? "shape"
                                    : nullptr;
  if (Missing)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has a malformed header: it lacks the key '%s'", Where,
                Missing);
  return GNN_OK;
}

gnn_status HeaderParser::parseEntry() {
  std::string_view Key;
  if (!consumeString(Key) || !consume(":"))
    return malformed("a key, in quotes and with ':' after it,");
  if (Key == "descr") {
    HasDescr = true;
    return parseDescr();
  }
  if (Key == "shape") {
    HasShape = true;
    return parseShape();
  }
  if (Key == "fortran_order") {
    HasOrder = true;
    Header.IsFortranOrder = consume("True");
    return Header.IsFortranOrder || consume("False")
               ? GNN_OK
               : malformed("True or False");
  }
  return fail(Error, GNN_FORMAT_ERROR,
              "%s has a malformed header: '%.*s' is no key of a NumPy header",
              Where, static_cast<int>(Key.size() < 32 ? Key.size() : 32),
              Key.data());
}

/// Skips a bracketed list, as in the description of a record.
bool HeaderParser::skipBracketed() {
  int64_t Depth = 0;
  while (!Rest.empty()) {
    std::string_view String;
    if (Rest[0] == '\'' || Rest[0] == '"') {
      if (!consumeString(String))
        return false;
      continue;
    }
    char C = Rest[0];
    Rest.remove_prefix(1);
    if (C == '[' || C == '(')
      ++Depth;
    else if ((C == ']' || C == ')') && --Depth == 0)
      return true;
  }
  return false;
}

gnn_status HeaderParser::parseDescr() {
  skipBlanks();
  if (!Rest.empty() && (Rest[0] == '[' || Rest[0] == '(')) {
    Header.IsForeign = true;
    return skipBracketed() ? GNN_OK : malformed("a list of fields");
  }
  std::string_view Descr;
  if (!consumeString(Descr))
    return malformed("a dtype in quotes");
  char Order = '|';
  std::string_view Kind = Descr;
  if (!Kind.empty() &&
      std::string_view("<>|=").find(Kind[0]) != std::string_view::npos) {
    Order = Kind[0];
    Kind.remove_prefix(1);
  }
  if (Kind.empty())
    return fail(Error, GNN_FORMAT_ERROR, "%s has an empty dtype", Where);
  if (std::string_view("OSUVMma").find(Kind[0]) != std::string_view::npos) {
    Header.IsForeign = true;
    return GNN_OK;
  }
  if (Kind == "b1" || Kind == "u1") {
    Header.DType = GNN_BOOL;
    Header.IsUInt8 = Kind == "u1";
    return GNN_OK;
  }
  bool Known = Order != '>';
  if (Kind == "f4")
    Header.DType = GNN_FLOAT32;
  else if (Kind == "f8")
    Header.DType = GNN_FLOAT64;
  else if (Kind == "i4")
    Header.DType = GNN_INT32;
  else if (Kind == "i8")
    Header.DType = GNN_INT64;
  else
    Known = false;
  if (Known)
    return GNN_OK;
  return fail(Error, GNN_UNSUPPORTED,
              "%s has dtype '%.*s'; accepted are float32, float64, int32, int64"
              ", bool and uint8, little-endian",
              Where, static_cast<int>(Descr.size() < 32 ? Descr.size() : 32),
              Descr.data());
}

gnn_status HeaderParser::parseShape() {
  if (!consume("("))
    return malformed("a tuple");
  while (!consume(")")) {
    skipBlanks();
    int64_t Extent = -1;
    auto [End, Code] =
        std::from_chars(Rest.data(), Rest.data() + Rest.size(), Extent);
    if (Code == std::errc::result_out_of_range)
      return fail(Error, GNN_FORMAT_ERROR,
                  "%s has an extent beyond 2^63 in its shape", Where);
    if (Code != std::errc() || Extent < 0)
      return malformed("an extent of 0 or more");
    Rest.remove_prefix(static_cast<size_t>(End - Rest.data()));
    consume("L"); // Python 2 wrote long integers like this
    if (Header.Rank == GNN_MAX_RANK)
      return fail(Error, GNN_UNSUPPORTED,
                  "%s has more than %d dimensions, the most a tensor can have",
                  Where, GNN_MAX_RANK);
    Header.Shape[Header.Rank++] = Extent;
    if (!consume(",")) {
      if (!consume(")"))
        return malformed("',' or ')'");
      break;
    }
  }
  return GNN_OK;
}

gnn_status rt::parseNpyHeader(std::string_view Text, const char *Where,
                              NpyHeader &Header, gnn_error *Error) {
  return HeaderParser(Text, Where, Header, Error).parse();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

size_t rt::formatNpyHeader(const gnn_tensor &Tensor, char *Buffer) {
  static const char *const Descr[] = {"<f4", "<f8", "<i4", "<i8", "|b1"};
  char *Text = Buffer + 10;
  size_t Size = NpyMaxWrittenHeader - 10;
  size_t Used = static_cast<size_t>(
      snprintf(Text, Size, "{'descr': '%s', 'fortran_order': False, 'shape': (",
               Descr[Tensor.dtype]));
  for (int32_t I = 0; I < Tensor.rank; ++I)
    Used += static_cast<size_t>(
        snprintf(Text + Used, Size - Used, "%s%" PRId64 "%s", I ? " " : "",
                 Tensor.shape[I], I + 1 < Tensor.rank || I == 0 ? "," : ""));
  Used += static_cast<size_t>(snprintf(Text + Used, Size - Used, "), }"));
  size_t Total = (10 + Used + 1 + 63) / 64 * 64;
  memset(Text + Used, ' ', Total - 10 - Used);
  Buffer[Total - 1] = '\n';
  memcpy(Buffer, "\x93NUMPY\x01\x00", 8);
  Buffer[8] = static_cast<char>((Total - 10) & 0xFF);
  Buffer[9] = static_cast<char>((Total - 10) >> 8);
  return Total;
}
