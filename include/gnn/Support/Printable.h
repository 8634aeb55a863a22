//===- Printable.h - Text of files in messages ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages quote names out of files, which may hold anything. What would end a
// line, or what a terminal would obey, is shown as an escape sequence. LLVM's
// functions for that escape quotes and all of Unicode as well, and the runtime
// is without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_SUPPORT_PRINTABLE_H
#define GNN_SUPPORT_PRINTABLE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace gnn {

/// The number of bytes of the character that `text`, which is not empty, begins
/// with, or 0 where it is to be escaped: control characters, ends of lines,
/// what turns the direction of text, and what is no UTF-8.
inline size_t getPrintableLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80)
    return byte(0) >= 0x20 && byte(0) != 0x7F;
  size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length)
    return 0;
  uint32_t code = byte(0) & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  auto isIn = [&](uint32_t first, uint32_t last) {
    return code >= first && code <= last;
  };
  bool isOverlong = length == 3 ? code < 0x800 : length == 4 && code < 0x10000;
  bool isEscaped = isOverlong || code > 0x10FFFF || isIn(0xD800, 0xDFFF) ||
                   isIn(0x80, 0x9F) || isIn(0x200E, 0x200F) ||
                   isIn(0x2028, 0x202E) || isIn(0x2066, 0x2069);
  return isEscaped ? 0 : length;
}

/// Calls `write` with the characters of `text` one by one, or with escape
/// sequences of their bytes, such as `\n` and `\x1b`.
template <typename Function>
void forEachPrintable(std::string_view text, Function write) {
  while (!text.empty()) {
    size_t length = getPrintableLength(text);
    auto byte = static_cast<unsigned char>(text.front());
    const char *digits = "0123456789abcdef";
    char code[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    if (length)
      write(text.substr(0, length));
    else if (byte == '\n')
      write(std::string_view("\\n"));
    else if (byte == '\r')
      write(std::string_view("\\r"));
    else if (byte == '\t')
      write(std::string_view("\\t"));
    else
      write(std::string_view(code, sizeof(code)));
    text.remove_prefix(length ? length : 1);
  }
}

/// `text` as one line that any terminal can show.
inline std::string makePrintable(std::string_view text) {
  std::string result;
  forEachPrintable(text, [&](std::string_view part) { result += part; });
  return result;
}

} // namespace gnn

#endif // GNN_SUPPORT_PRINTABLE_H
