//===- ErrorTest.cpp - Messages for C callers -----------------------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <string>

using namespace gnn::rt;

static std::string getMessage(const std::string &text) {
  gnn_error error;
  EXPECT_EQ(fail(&error, GNN_MISMATCH, "%s", text.c_str()), GNN_MISMATCH);
  EXPECT_EQ(error.status, GNN_MISMATCH);
  return error.message;
}

TEST(ErrorTest, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(getMessage("a 'b' \"c\" \\n ~"), "a 'b' \"c\" \\n ~");
  EXPECT_EQ(getMessage("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(getMessage("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
}

TEST(ErrorTest, KeepsUnicodeThatIsPrintable) {
  std::string text = "\u00e9\u03b1\u20ac\U0001f600";
  EXPECT_EQ(getMessage(text), text);
  EXPECT_EQ(getMessage("\u0080\u009b"), "\\xc2\\x80\\xc2\\x9b");
  EXPECT_EQ(getMessage("\u2028\u202e"), "\\xe2\\x80\\xa8\\xe2\\x80\\xae");
}

TEST(ErrorTest, EscapesWhatIsNoUnicode) {
  // A stray byte, one too few, an overlong '/', a surrogate, one past the end.
  EXPECT_EQ(getMessage("\xff\xe2\x82"), "\\xff\\xe2\\x82");
  EXPECT_EQ(getMessage("\xe2\x82z"), "\\xe2\\x82z");
  EXPECT_EQ(getMessage("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf");
  EXPECT_EQ(getMessage("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(getMessage("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(ErrorTest, CutsBetweenCharacters) {
  size_t room = sizeof(gnn_error::message) - 1;
  std::string full(room, 'a');
  EXPECT_EQ(getMessage(full), full);
  std::string cut = full.substr(3) + "...";
  EXPECT_EQ(getMessage(full + "a"), cut);
  EXPECT_EQ(getMessage(full.substr(1) + "\n"), cut);
  // The last character that leaves room for "...", and those that do not.
  std::string euro = "\u20ac";
  EXPECT_EQ(getMessage(full.substr(6) + euro + full),
            full.substr(6) + euro + "...");
  for (size_t more : {2, 3, 4, 5})
    EXPECT_EQ(getMessage(full.substr(more) + euro + full),
              full.substr(std::max<size_t>(more, 3)) + "...");
}
