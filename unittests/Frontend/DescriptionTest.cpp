//===- DescriptionTest.cpp - Model descriptions as trees ------------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"
#include "gtest/gtest.h"

using namespace gnn::frontend;

/// The tree of `text`, which must parse.
static Node parse(llvm::StringRef text) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Reporter reporter(stream);
  llvm::FailureOr<Node> node = parseDescription(text, reporter);
  EXPECT_EQ(errors, "");
  return succeeded(node) ? *node : Node();
}

/// What parsing `text` prints, empty if it succeeds.
static std::string getError(llvm::StringRef text) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Reporter reporter(stream);
  reporter.setDescriptionPath("m.yaml");
  llvm::FailureOr<Node> node = parseDescription(text, reporter);
  EXPECT_EQ(failed(node), !errors.empty());
  EXPECT_EQ(failed(node), reporter.hadError());
  return errors;
}

TEST(DescriptionTest, KeepsPositions) {
  Node node = parse("name: a\nlayers:\n  - {type: ReLU, p: 3}\n");
  ASSERT_TRUE(node.isMapping());
  const Node *layers = node.find("layers");
  ASSERT_TRUE(layers && layers->isSequence());
  ASSERT_EQ(layers->elements.size(), 1u);
  const Node &layer = layers->elements[0];
  EXPECT_EQ(layer.position.line, 3u);
  EXPECT_EQ(layer.position.column, 5u);
  const Node *p = layer.find("p");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->position.line, 3u);
  EXPECT_EQ(p->position.column, 21u);
  EXPECT_EQ(layer.find("q"), nullptr);
}

TEST(DescriptionTest, ReadsScalars) {
  Node node = parse("[3, -4, 1e-5, true, False, null, ~, '3', \"true\", x, "
                    "0x10, .5, 1.0]");
  ASSERT_EQ(node.elements.size(), 13u);
  EXPECT_EQ(node.elements[0].getInteger(), 3);
  EXPECT_EQ(node.elements[0].getNumber(), 3.0);
  EXPECT_EQ(node.elements[1].getInteger(), -4);
  EXPECT_EQ(node.elements[2].getNumber(), 1e-5);
  EXPECT_EQ(node.elements[2].getInteger(), std::nullopt);
  EXPECT_EQ(node.elements[3].getBoolean(), true);
  EXPECT_EQ(node.elements[4].getBoolean(), false);
  EXPECT_TRUE(node.elements[5].isNull());
  EXPECT_TRUE(node.elements[6].isNull());
  EXPECT_EQ(node.elements[7].getInteger(), std::nullopt);
  EXPECT_EQ(node.elements[7].text, "3");
  EXPECT_EQ(node.elements[8].getBoolean(), std::nullopt);
  EXPECT_EQ(node.elements[9].getNumber(), std::nullopt);
  EXPECT_EQ(node.elements[10].getInteger(), std::nullopt);
  EXPECT_EQ(node.elements[11].getNumber(), 0.5);
  EXPECT_EQ(node.elements[12].getInteger(), std::nullopt);
}

TEST(DescriptionTest, ReadsJSON) {
  Node node = parse("{\"name\": \"m\", \"layers\": [{\"type\": \"ReLU\"}],\n"
                    " \"x\": {\"y\": [1, 2], \"z\": null}}");
  EXPECT_EQ(node.find("name")->text, "m");
  EXPECT_EQ(node.find("layers")->elements[0].find("type")->text, "ReLU");
  EXPECT_EQ(node.find("x")->format(), "{y: [1, 2], z: null}");
}

TEST(DescriptionTest, DescribesNodes) {
  EXPECT_EQ(parse("[1]").describe(), "a list");
  EXPECT_EQ(parse("{a: 1}").describe(), "a mapping");
  EXPECT_EQ(parse("word").describe(), "'word'");
  EXPECT_EQ(parse("a:").find("a")->describe(), "nothing");
}

TEST(DescriptionTest, ReportsSyntaxErrors) {
  EXPECT_NE(getError("a: [1, 2\nb: 3\n").find("m.yaml:"), std::string::npos);
  EXPECT_NE(getError("a: \"x\n").find(": error: "), std::string::npos);
  EXPECT_NE(getError("{a: 1"), "");
  EXPECT_NE(getError("- a\nb: c\n"), "");
}

TEST(DescriptionTest, ReadsAliases) {
  Node root = parse("a: &x [1, 2]\nb: *x\n");
  const Node *alias = root.find("b");
  ASSERT_EQ(alias->elements.size(), 2u);
  EXPECT_EQ(alias->elements[1].text, "2");
  EXPECT_EQ(alias->position.line, 2u);
}

TEST(DescriptionTest, ReportsWhatItDoesNotSupport) {
  EXPECT_EQ(getError("[a]: 1\n"),
            "m.yaml:1:1: error: a key must be a word, got a list\n");
  EXPECT_EQ(getError("a: 1\n---\nb: 2\n"),
            "m.yaml:1:1: error: expected one YAML document, got several\n");
}

TEST(DescriptionTest, ReportsKeysGivenTwice) {
  EXPECT_EQ(getError("a: 1\nb: 2\na: 3\n"),
            "m.yaml:3:1: error: 'a' is given twice\n");
}

TEST(DescriptionTest, ReportsDeepNesting) {
  std::string text = std::string(100, '[') + std::string(100, ']');
  EXPECT_NE(getError(text).find("nested too deeply"), std::string::npos);
}

TEST(DescriptionTest, ReportsOneErrorOnly) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Reporter reporter(stream);
  reporter.setDescriptionPath("m.yaml");
  EXPECT_TRUE(failed(reporter.error(Position{1, 2}, "first")));
  EXPECT_TRUE(failed(reporter.error(Position{3, 4}, "second")));
  EXPECT_EQ(errors, "m.yaml:1:2: error: first\n");
}

TEST(DescriptionTest, SuggestsTheNearestSpelling) {
  EXPECT_EQ(suggest("GCNconv", {"GATConv", "GCNConv"}),
            "; did you mean 'GCNConv'?");
  EXPECT_EQ(suggest("in_chanels", {"out_channels", "in_channels"}),
            "; did you mean 'in_channels'?");
  EXPECT_EQ(suggest("Pooling", {"GATConv", "GCNConv"}), "");
  EXPECT_EQ(suggest("x", {}), "");
}

TEST(DescriptionTest, FormatsChoices) {
  EXPECT_EQ(formatChoices({"a"}), "a");
  EXPECT_EQ(formatChoices({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(formatChoices({}), "nothing");
}
