//===- LayerArguments.cpp - Arguments and inputs of layers ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Widths, at most. The product of three, the largest shape of a weight, still
/// is a number.
static constexpr int64_t kMaxSize = int64_t(1) << 20;

/// Repetitions, at most.
static constexpr int64_t kMaxCount = 1000;

/// What an argument takes, for messages.
static std::string describeAccepted(const Argument &argument) {
  std::string choices = formatChoices(argument.choices);
  std::string size = "a whole number from 1 to " + std::to_string(kMaxSize);
  std::string text;
  switch (argument.kind) {
  case ArgumentKind::Size:
    text = size;
    break;
  case ArgumentKind::Count:
  case ArgumentKind::Repeats:
    text =
        (argument.kind == ArgumentKind::Count ? "a whole number from 0 to "
                                              : "a whole number from 1 to ") +
        std::to_string(kMaxCount);
    break;
  case ArgumentKind::Channels:
    text = size + " or a pair [sources, destinations]";
    break;
  case ArgumentKind::Shape:
    text = size + " or a list with one";
    break;
  case ArgumentKind::Sizes:
    text = "a list of whole numbers from 1 to " + std::to_string(kMaxSize);
    break;
  case ArgumentKind::Counts:
    text = "a list of whole numbers from 0 to " + std::to_string(kMaxCount);
    break;
  case ArgumentKind::Number:
    text = "a number";
    break;
  case ArgumentKind::Numbers:
    text = "a list of numbers";
    break;
  case ArgumentKind::Boolean:
    text = "true or false";
    break;
  case ArgumentKind::Choice:
    text = choices;
    break;
  case ArgumentKind::ChoiceOrNull:
    text = choices + ", or null";
    break;
  case ArgumentKind::Choices:
    text = choices + ", or a list of one or more of these";
    break;
  case ArgumentKind::NumberOrChoice:
    text = "a number, " + choices;
    break;
  case ArgumentKind::Layer:
    text = "a layer such as {type: GINConv, ...}";
    break;
  case ArgumentKind::Layers:
    text = "a list of one layer or more, such as [{type: ReLU}]";
    break;
  case ArgumentKind::SizePerNodeType:
    text = size + " or a mapping such as {paper: 16, author: 8}";
    break;
  case ArgumentKind::NodeTypes:
    text = "a list of one node type or more";
    break;
  case ArgumentKind::EdgeType:
    text = "a list such as [author, writes, paper]";
    break;
  case ArgumentKind::Metadata:
    text = "a pair such as [[paper, author], [[author, writes, paper]]]";
    break;
  case ArgumentKind::EdgeTypeLayers:
    text = "a mapping such as {author__writes__paper: {type: SAGEConv, ...}}";
    break;
  case ArgumentKind::Mapping:
    text = "a mapping";
    break;
  case ArgumentKind::Rows:
    text = "the name of an input or layer";
    break;
  case ArgumentKind::Edges:
    text = "the name of an input or layer with a row per edge";
    break;
  case ArgumentKind::Ignored:
    text = "any value";
    break;
  }
  if (argument.defaultValue && StringRef(argument.defaultValue) == "null")
    text += ", or null";
  return text;
}

static bool isSize(const Node &value) {
  std::optional<int64_t> size = value.getInteger();
  return size && *size >= 1 && *size <= kMaxSize;
}

static bool isCount(const Node &value, int64_t least = 0) {
  std::optional<int64_t> count = value.getInteger();
  return count && *count >= least && *count <= kMaxCount;
}

static bool isNumber(const Node &value) {
  return value.getNumber().has_value();
}

static bool isChoice(const Argument &argument, const Node &value) {
  return value.isScalar() &&
         llvm::is_contained(argument.choices, StringRef(value.text));
}

static bool accepts(const Argument &argument, const Node &value) {
  if (value.isNull() && argument.defaultValue &&
      StringRef(argument.defaultValue) == "null")
    return true;
  switch (argument.kind) {
  case ArgumentKind::Size:
    return isSize(value);
  case ArgumentKind::Count:
    return isCount(value);
  case ArgumentKind::Repeats:
    return isCount(value, 1);
  case ArgumentKind::Channels:
    return isSize(value) ||
           (value.elements.size() == 2 && llvm::all_of(value.elements, isSize));
  case ArgumentKind::Shape:
    return isSize(value) ||
           (value.elements.size() == 1 && llvm::all_of(value.elements, isSize));
  case ArgumentKind::Sizes:
    return !value.elements.empty() && llvm::all_of(value.elements, isSize);
  case ArgumentKind::Counts:
    return !value.elements.empty() &&
           llvm::all_of(value.elements,
                        [](const Node &element) { return isCount(element); });
  case ArgumentKind::Number:
    return isNumber(value);
  case ArgumentKind::Numbers:
    return !value.elements.empty() && llvm::all_of(value.elements, isNumber);
  case ArgumentKind::Boolean:
    return value.getBoolean().has_value();
  case ArgumentKind::Choice:
    return isChoice(argument, value);
  case ArgumentKind::ChoiceOrNull:
    return value.isNull() || isChoice(argument, value);
  case ArgumentKind::Choices:
    return isChoice(argument, value) ||
           (!value.elements.empty() &&
            llvm::all_of(value.elements, [&](const Node &element) {
              return isChoice(argument, element);
            }));
  case ArgumentKind::NumberOrChoice:
    return value.getNumber() || isChoice(argument, value);
  case ArgumentKind::Layers:
    return value.isSequence() && !value.elements.empty();
  case ArgumentKind::SizePerNodeType:
    return isSize(value) || (!value.entries.empty() &&
                             llvm::all_of(value.entries, [](const auto &entry) {
                               return isSize(entry.second);
                             }));
  case ArgumentKind::NodeTypes:
    return !value.elements.empty();
  case ArgumentKind::EdgeType:
    return value.elements.size() == 3;
  case ArgumentKind::Metadata:
    return value.elements.size() == 2 &&
           llvm::all_of(value.elements,
                        [](const Node &list) { return list.isSequence(); });
  case ArgumentKind::EdgeTypeLayers:
    return value.isMapping() && !value.entries.empty();
  case ArgumentKind::Layer:
  case ArgumentKind::Mapping:
    return value.isMapping();
  case ArgumentKind::Rows:
  case ArgumentKind::Edges:
    return value.isScalar();
  case ArgumentKind::Ignored:
    return true;
  }
  llvm_unreachable("covered switch");
}

LogicalResult LayerBuilder::checkArgument(const Argument &argument,
                                          const Node &value) const {
  if (accepts(argument, value))
    return success();
  // In a list of choices, sizes, counts or numbers, the first one that is none.
  const Node *wrong = &value;
  for (const Node &element : llvm::reverse(value.elements))
    if ((argument.kind == ArgumentKind::Choices &&
         !isChoice(argument, element)) ||
        (argument.kind == ArgumentKind::Sizes && !isSize(element)) ||
        (argument.kind == ArgumentKind::Counts && !isCount(element)) ||
        (argument.kind == ArgumentKind::Numbers && !isNumber(element)))
      wrong = &element;
  std::string hint =
      wrong->isScalar() ? suggest(wrong->text, argument.choices) : "";
  return model.reporter.error(
      *wrong, "'" + argument.name + "' of " + spec.type + " must be " +
                  describeAccepted(argument) + ", got " + wrong->describe() +
                  (wrong == &value ? "" : " in its list") + hint);
}

/// What an argument has that a description leaves out.
static Node makeDefault(const Argument &argument, Position position) {
  Node value;
  value.position = position;
  StringRef text = argument.defaultValue;
  if (argument.kind != ArgumentKind::Sizes &&
      argument.kind != ArgumentKind::Counts) {
    value.text = text.str();
    return value;
  }
  value.kind = Node::Kind::Sequence;
  SmallVector<StringRef> sizes;
  text.drop_front().drop_back().split(sizes, ", ");
  for (StringRef size : sizes) {
    Node &element = value.elements.emplace_back();
    element.position = position;
    element.text = size.str();
  }
  return value;
}

LogicalResult LayerBuilder::checkArguments() {
  SmallVector<StringRef> names;
  for (const Argument &argument : spec.arguments)
    names.push_back(argument.name);
  for (const auto &[key, value] : layer.entries) {
    // These belong to the model, which has read them.
    if (llvm::is_contained({"name", "type", "input", "inputs", "weights",
                            "edge_weight", "edge_attr", "graph"},
                           key.text))
      continue;
    auto *argument =
        llvm::find_if(spec.arguments, [&key = key](const Argument &argument) {
          return argument.name == key.text;
        });
    if (argument == spec.arguments.end())
      return model.reporter.error(
          key,
          spec.type + " has no argument '" + key.text + "'" +
              suggest(key.text, names) +
              (names.empty() ? " (it has none)"
                             : " (it has " + llvm::join(names, ", ") + ")"));
    if (failed(checkArgument(*argument, value)))
      return failure();
    arguments[argument->name] = value;
  }
  for (const Argument &argument : spec.arguments) {
    if (arguments.contains(argument.name))
      continue;
    if (!argument.defaultValue)
      return model.reporter.error(layer, spec.type + " needs '" +
                                             argument.name + "', " +
                                             describeAccepted(argument));
    arguments[argument.name] = makeDefault(argument, layer.position);
  }
  return success();
}

const Node &LayerBuilder::getArgument(StringRef argument) const {
  auto it = arguments.find(argument);
  assert(it != arguments.end() && "argument is not in the layer's table entry");
  return it->second;
}

int64_t LayerBuilder::getSize(StringRef argument) const {
  const Node &value = getArgument(argument);
  return *(value.isSequence() ? value.elements.front() : value).getInteger();
}

double LayerBuilder::getNumber(StringRef argument) const {
  return *getArgument(argument).getNumber();
}

bool LayerBuilder::getBoolean(StringRef argument) const {
  return *getArgument(argument).getBoolean();
}

StringRef LayerBuilder::getChoice(StringRef argument) const {
  return getArgument(argument).text;
}

SmallVector<StringRef> LayerBuilder::getChoices(StringRef argument) const {
  const Node &value = getArgument(argument);
  if (value.isScalar())
    return {value.text};
  SmallVector<StringRef> choices;
  for (const Node &element : value.elements)
    choices.push_back(element.text);
  return choices;
}

bool LayerBuilder::isNull(StringRef argument) const {
  return getArgument(argument).isNull();
}

FailureOr<Features> LayerBuilder::getRows(StringRef argument) const {
  return model.findRows(getArgument(argument));
}

FailureOr<Value> LayerBuilder::getEdges(StringRef argument) const {
  return model.findEdges(getArgument(argument));
}

SmallVector<Aggregator> LayerBuilder::getAggregators(StringRef argument) const {
  SmallVector<Aggregator> aggregators;
  for (StringRef name : getChoices(argument))
    aggregators.push_back(name == "add" ? Aggregator::Sum
                                        : *symbolizeAggregator(name));
  return aggregators;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// `3 channels` or, for rows of several dimensions, their shape.
static std::string describeWidth(Value rows) {
  ArrayRef<int64_t> shape = getRowShape(rows);
  if (shape.size() != 1)
    return "rows of shape " + formatShape(shape);
  return std::to_string(shape.front()) + " channels";
}

LogicalResult LayerBuilder::checkWidth(const Features &input,
                                       StringRef argument,
                                       int64_t channels) const {
  if (getRowShape(input.value) == ArrayRef<int64_t>(channels))
    return success();
  return argumentError(argument, describe() + " reads '" + input.name +
                                     "' with " + describeWidth(input.value) +
                                     ", but its " + argument + " says " +
                                     Twine(channels));
}

LogicalResult LayerBuilder::checkChannels(StringRef argument,
                                          int64_t channels) const {
  for (const Features &input : inputs)
    if (failed(checkWidth(input, argument, channels)))
      return failure();
  return success();
}

LogicalResult LayerBuilder::checkDestinationChannels(StringRef argument) const {
  return checkWidth(inputs.back(), argument, getSize(argument));
}

LogicalResult LayerBuilder::checkConvolutionChannels(StringRef argument) const {
  const Node &channels = getArgument(argument);
  if (channels.isScalar())
    return checkChannels(argument);
  if (failed(checkWidth(inputs.front(), argument,
                        *channels.elements[0].getInteger())))
    return failure();
  return checkWidth(inputs.back(), argument,
                    *channels.elements[1].getInteger());
}

LogicalResult LayerBuilder::checkEqualRows(const Twine &use) const {
  if (getRowShape(getSources()) == getRowShape(getDestinations()))
    return success();
  (void)error(describe() + " " + use +
              ", which must have one and the same number of channels");
  return failure();
}

LogicalResult LayerBuilder::checkPlainRows() const {
  for (const Features &input : inputs)
    if (getRowShape(input.value).size() != 1) {
      (void)error(describe() + " needs rows with one dimension, but '" +
                  input.name + "' has " + describeWidth(input.value));
      return failure();
    }
  return success();
}

LogicalResult LayerBuilder::checkEdgeAttributes(StringRef argument) const {
  if (isNull(argument) || getSize(argument) == 0) {
    if (!getEdgeValues())
      return success();
    return argumentError(argument, describe() +
                                       " reads edge_attr and needs its "
                                       "width as '" +
                                       argument + "'");
  }
  int64_t expected = getSize(argument);
  if (!getEdgeValues())
    return argumentError(argument, describe() + " has '" + argument + ": " +
                                       Twine(expected) +
                                       "' and needs 'edge_attr: NAME'");
  ArrayRef<int64_t> shape =
      cast<EdgesType>(getEdgeValues().getType()).getShape();
  // One number per edge counts as one channel.
  if (shape == ArrayRef<int64_t>(expected) || (shape.empty() && expected == 1))
    return success();
  return argumentError(argument, describe() + " reads an edge_attr of shape " +
                                     formatShape(shape) + ", but its " +
                                     argument + " says " + Twine(expected));
}
