//===- Description.cpp - Model descriptions as trees ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"
#include "gnn/Support/Printable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace gnn::frontend;
using llvm::ArrayRef;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Node
//===----------------------------------------------------------------------===//

bool Node::isNull() const {
  return isScalar() && !isQuoted &&
         (text.empty() || text == "null" || text == "~");
}

std::optional<int64_t> Node::getInteger() const {
  int64_t value;
  if (!isScalar() || isQuoted || StringRef(text).getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<double> Node::getNumber() const {
  double value;
  if (!isScalar() || isQuoted || StringRef(text).getAsDouble(value))
    return std::nullopt;
  return value;
}

std::optional<bool> Node::getBoolean() const {
  if (!isScalar() || isQuoted)
    return std::nullopt;
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  return std::nullopt;
}

const Node *Node::find(StringRef key) const {
  for (const auto &[name, value] : entries)
    if (name.text == key)
      return &value;
  return nullptr;
}

std::string Node::format() const {
  std::string result;
  switch (kind) {
  case Kind::Scalar:
    return text;
  case Kind::Sequence:
    for (const Node &element : elements)
      result += (result.empty() ? "" : ", ") + element.format();
    return "[" + result + "]";
  case Kind::Mapping:
    for (const auto &[key, value] : entries)
      result += (result.empty() ? "" : ", ") + key.text + ": " + value.format();
    return "{" + result + "}";
  }
  llvm_unreachable("covered switch");
}

std::string Node::describe() const {
  if (isSequence())
    return elements.empty() ? "an empty list" : "a list";
  if (isMapping())
    return entries.empty() ? "an empty mapping" : "a mapping";
  if (isNull())
    return "nothing";
  // Without its quotes it would be what was asked for.
  Node plain = *this;
  plain.isQuoted = false;
  bool isOther = isQuoted && (plain.isNull() || plain.getNumber() ||
                              plain.getBoolean().has_value());
  return (isOther ? "the text '" : "'") + text + "'";
}

//===----------------------------------------------------------------------===//
// Reporter
//===----------------------------------------------------------------------===//

void Reporter::print(const Twine &line) {
  stream << gnn::makePrintable(line.str()) << "\n";
}

LogicalResult Reporter::error(Position position, const Twine &message) {
  // What follows a first error is most often its consequence.
  if (!reported)
    print(path + ":" + Twine(position.line) + ":" + Twine(position.column) +
          ": error: " + message);
  reported = true;
  return failure();
}

LogicalResult Reporter::fileError(StringRef file, const Twine &message) {
  print(file + ": error: " + message);
  reported = true;
  return failure();
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Copies LLVM's lazily parsed nodes into a tree.
class TreeBuilder {
public:
  TreeBuilder(llvm::SourceMgr &sources, Reporter &reporter)
      : sources(sources), reporter(reporter) {}

  LogicalResult build(llvm::yaml::Node *source, unsigned depth, Node &result);

private:
  LogicalResult buildValue(llvm::yaml::Node &source, unsigned depth,
                           Node &result);
  LogicalResult copyAnchored(llvm::yaml::AliasNode &source, Node &result);
  LogicalResult buildMapping(llvm::yaml::MappingNode &source, unsigned depth,
                             Node &result);
  Position getPosition(const llvm::yaml::Node &source) const;

  llvm::SourceMgr &sources;
  Reporter &reporter;
  /// Finished values by their anchors, so that none contains itself.
  llvm::StringMap<Node> anchored;
  /// Aliases of lists of aliases would make a short file fill the memory.
  size_t numValues = 0;
  static constexpr size_t maxValues = 1 << 20;
};
} // namespace

static size_t countValues(const Node &node) {
  size_t count = 1;
  for (const Node &element : node.elements)
    count += countValues(element);
  for (const auto &[key, value] : node.entries)
    count += countValues(value);
  return count;
}

Position TreeBuilder::getPosition(const llvm::yaml::Node &source) const {
  const char *place = source.getSourceRange().Start.getPointer();
  // LLVM places some nodes at the token after their first.
  char opening = 0;
  if (auto *alias = llvm::dyn_cast<llvm::yaml::AliasNode>(&source))
    place = alias->getName().data() - 1;
  else if (source.getType() == llvm::yaml::Node::NK_Mapping)
    opening = '{';
  else if (source.getType() == llvm::yaml::Node::NK_Sequence)
    opening = '[';
  if (!place)
    return {};
  if (opening) {
    const char *begin =
        sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
    const char *before = place;
    while (before > begin && llvm::isSpace(before[-1]))
      --before;
    if (before > begin && before[-1] == opening)
      place = before - 1;
  }
  auto [line, column] =
      sources.getLineAndColumn(llvm::SMLoc::getFromPointer(place));
  return {line, column};
}

LogicalResult TreeBuilder::build(llvm::yaml::Node *source, unsigned depth,
                                 Node &result) {
  if (!source)
    return failure(); // The parser has reported why.
  result.position = getPosition(*source);
  if (depth > 32)
    return reporter.error(result, "the description is nested too deeply");
  if (failed(buildValue(*source, depth, result)))
    return failure();
  if (!source->getAnchor().empty())
    anchored[source->getAnchor()] = result;
  return llvm::success();
}

LogicalResult TreeBuilder::copyAnchored(llvm::yaml::AliasNode &source,
                                        Node &result) {
  auto found = anchored.find(source.getName());
  if (found == anchored.end())
    return reporter.error(result,
                          "no earlier value is '&" + source.getName() + "'");
  numValues += countValues(found->second);
  if (numValues > maxValues)
    return reporter.error(result, "with its aliases written out the "
                                  "description has more than " +
                                      Twine(maxValues) + " values");
  Position position = result.position;
  result = found->second;
  result.position = position;
  return llvm::success();
}

LogicalResult TreeBuilder::buildValue(llvm::yaml::Node &source, unsigned depth,
                                      Node &result) {
  llvm::SmallString<64> storage;
  switch (source.getType()) {
  case llvm::yaml::Node::NK_Null:
    return llvm::success();
  case llvm::yaml::Node::NK_Scalar: {
    auto &scalar = llvm::cast<llvm::yaml::ScalarNode>(source);
    StringRef raw = scalar.getRawValue();
    result.isQuoted = raw.starts_with("\"") || raw.starts_with("'");
    result.text = scalar.getValue(storage).str();
    return llvm::success();
  }
  case llvm::yaml::Node::NK_BlockScalar:
    result.isQuoted = true;
    result.text =
        llvm::cast<llvm::yaml::BlockScalarNode>(source).getValue().str();
    return llvm::success();
  case llvm::yaml::Node::NK_Sequence:
    result.kind = Node::Kind::Sequence;
    for (llvm::yaml::Node &element :
         llvm::cast<llvm::yaml::SequenceNode>(source))
      if (failed(build(&element, depth + 1, result.elements.emplace_back())))
        return failure();
    return llvm::success();
  case llvm::yaml::Node::NK_Mapping:
    return buildMapping(llvm::cast<llvm::yaml::MappingNode>(source), depth,
                        result);
  case llvm::yaml::Node::NK_Alias:
    return copyAnchored(llvm::cast<llvm::yaml::AliasNode>(source), result);
  default: // A key and its value, which only mappings hold.
    return reporter.error(result, "expected a value");
  }
}

LogicalResult TreeBuilder::buildMapping(llvm::yaml::MappingNode &source,
                                        unsigned depth, Node &result) {
  result.kind = Node::Kind::Mapping;
  for (llvm::yaml::KeyValueNode &entry : source) {
    Node key, value;
    if (failed(build(entry.getKey(), depth + 1, key)))
      return failure();
    if (!key.isScalar())
      return reporter.error(key, "a key must be a word, got " + key.describe());
    if (result.find(key.text))
      return reporter.error(key, "'" + key.text + "' is given twice");
    if (failed(build(entry.getValue(), depth + 1, value)))
      return failure();
    // An absent value has no place of its own.
    if (value.isNull())
      value.position = key.position;
    result.entries.emplace_back(std::move(key), std::move(value));
  }
  return llvm::success();
}

FailureOr<Node> gnn::frontend::parseDescription(StringRef text,
                                                Reporter &reporter) {
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *context) {
        auto &reporter = *static_cast<Reporter *>(context);
        Position position;
        position.line = std::max(1, diagnostic.getLineNo());
        position.column = std::max(0, diagnostic.getColumnNo()) + 1;
        (void)reporter.error(position, diagnostic.getMessage());
      },
      &reporter);
  llvm::yaml::Stream stream(text, sources);
  Node result;
  auto document = stream.begin();
  if (document == stream.end())
    return reporter.error(Position(), "the description is empty");
  TreeBuilder builder(sources, reporter);
  if (failed(builder.build(document->getRoot(), 0, result)) ||
      reporter.hadError() || stream.failed()) {
    if (!reporter.hadError())
      return reporter.error(Position(), "cannot read this as YAML");
    return failure();
  }
  if (++document != stream.end())
    return reporter.error(Position(),
                          "expected one YAML document, got several");
  if (reporter.hadError())
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

std::string gnn::frontend::suggest(StringRef given,
                                   ArrayRef<StringRef> accepted) {
  StringRef best;
  // A third of the letters wrong is still a typo; more is another word.
  unsigned limit = std::max<size_t>(1, given.size() / 3) + 1;
  for (StringRef candidate : accepted) {
    unsigned distance = given.lower() == candidate.lower()
                            ? 0
                            : given.edit_distance(candidate, true, limit);
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
}

std::string gnn::frontend::formatChoices(ArrayRef<StringRef> choices) {
  if (choices.size() < 2)
    return choices.empty() ? "nothing" : choices.front().str();
  return llvm::join(choices.drop_back(), ", ") + " or " + choices.back().str();
}
