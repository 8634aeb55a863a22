//===- LineReader.cpp - Lines and fields of text files ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "TextGraph.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gnn;
using namespace gnn::rt;

bool rt::equalsIgnoringCase(std::string_view field, std::string_view word) {
  auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(field.begin(), field.end(), word.begin(), word.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

FieldText rt::printField(std::string_view field) {
  FieldText result = {};
  field.copy(result.text, sizeof(result.text) - 1);
  return result;
}

gnn_status LineReader::load() {
  // A pipe would be waited for.
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  bool isPipe = descriptor >= 0 && fstat(descriptor, &info) == 0 &&
                S_ISFIFO(info.st_mode);
  FILE *file = descriptor < 0 || isPipe ? nullptr : fdopen(descriptor, "rb");
  if (!file) {
    int cause = errno;
    if (descriptor >= 0)
      close(descriptor);
    return fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", path,
                isPipe ? "it is not a regular file" : strerror(cause));
  }
  gnn_status status = GNN_OK;
  for (;;) {
    constexpr int64_t chunk = 1 << 20;
    if (!text.reserve(text.size() + chunk)) {
      status = failMemory(error, "a graph file", text.size() + chunk);
      break;
    }
    size_t read = fread(text.end(), 1, chunk, file);
    text.setSize(text.size() + static_cast<int64_t>(read));
    if (read == chunk)
      continue;
    if (ferror(file))
      status = fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", path,
                    strerror(errno));
    break;
  }
  fclose(file);
  rest = {text.data(), static_cast<size_t>(text.size())};
  return status;
}

bool LineReader::nextLine() {
  if (rest.empty())
    return false;
  size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  fields = line;
  firstField = true;
  ++lineNumber;
  return true;
}

static constexpr std::string_view blanks = " \t\v\f";

bool LineReader::nextContent(std::string_view commentStarts) {
  while (nextLine()) {
    fields = line = line.substr(0, line.find_first_of(commentStarts));
    if (line.find_first_not_of(blanks) != std::string_view::npos)
      return true;
  }
  return false;
}

bool LineReader::nextField(std::string_view &field, bool commas) {
  auto skipBlanks = [&] {
    fields.remove_prefix(
        std::min(fields.find_first_not_of(blanks), fields.size()));
  };
  skipBlanks();
  bool comma = commas && !firstField && !fields.empty() && fields[0] == ',';
  if (comma) {
    fields.remove_prefix(1);
    skipBlanks();
  }
  // After a comma there must be a field, if an empty one.
  if (fields.empty() && !comma)
    return false;
  firstField = false;
  field = fields.substr(0, fields.find_first_of(commas ? " \t\v\f," : blanks));
  fields.remove_prefix(field.size());
  return true;
}

gnn_status LineReader::failHere(gnn_status status, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return fail(error, status, "%.400s:%" PRId64 ": %s", path,
              lineNumber ? lineNumber : 1, message);
}

gnn_status LineReader::parseInteger(std::string_view field, const char *what,
                                    int64_t &result) {
  auto [End, Code] =
      std::from_chars(field.data(), field.data() + field.size(), result);
  if (Code == std::errc::invalid_argument ||
      End != field.data() + field.size() || field[0] == '-')
    return failHere(GNN_FORMAT_ERROR,
                    "'%s' is no %s, which is an integer of 0 or more",
                    printField(field).text, what);
  if (Code != std::errc() || result > INT32_MAX)
    return failHere(GNN_UNSUPPORTED,
                    "'%s' is too large for a %s; at most 2147483647 is "
                    "supported",
                    printField(field).text, what);
  return GNN_OK;
}

gnn_status LineReader::parseWeight(std::string_view field, float &result) {
  std::string_view digits = field;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-')
    digits.remove_prefix(1);
  double value = 0;
  const char *first = digits.data(), *last = first + digits.size();
  auto [End, Code] = std::from_chars(first, last, value);
  result = static_cast<float>(value);
  if (Code != std::errc() || End != last || !std::isfinite(result))
    return failHere(GNN_FORMAT_ERROR,
                    "'%s' is no edge weight, which is a finite number that "
                    "float32 can hold",
                    printField(field).text);
  return GNN_OK;
}
