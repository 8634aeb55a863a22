//===- Checkpoint.cpp - Checkpoints of Transformers -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A config.json says a model by its family and its sizes. Here it becomes the
// list of layers that a model.yaml would hold, of which ModelBuilder knows
// nothing more.
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace gnn;
using namespace gnn::frontend;
using llvm::ArrayRef;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

namespace {
/// The row of the table of positions that the first token has.
enum class FirstPosition { Zero, AfterPadToken, Two };

/// What the model types of config.json differ in.
struct Family {
  StringRef modelType;
  /// Keys of config.json.
  StringRef width, heads, hiddenWidth, numLayers, activation;
  /// Empty where the value is fixed.
  StringRef normEps;
  /// Layers, and where they are in the state_dict.
  StringRef layerType, layerPrefix;
  bool hasTokenTypes;
  FirstPosition firstPosition;
  /// The key for the size of a table of biases for distances, if there is one.
  StringRef numBuckets = "";
};
} // namespace

/// An entry that every encoder has.
static constexpr StringRef kWords = "embeddings.word_embeddings.weight";

static ArrayRef<Family> getFamilies() {
  static constexpr Family bert{"bert",
                               "hidden_size",
                               "num_attention_heads",
                               "intermediate_size",
                               "num_hidden_layers",
                               "hidden_act",
                               "layer_norm_eps",
                               "BertLayer",
                               "encoder.layer.",
                               /*hasTokenTypes=*/true,
                               FirstPosition::Zero};
  static constexpr auto makeRoberta = [](StringRef name) constexpr {
    Family family = bert;
    family.modelType = name;
    family.firstPosition = FirstPosition::AfterPadToken;
    return family;
  };
  static constexpr Family families[] = {
      bert,
      makeRoberta("roberta"),
      makeRoberta("xlm-roberta"),
      makeRoberta("camembert"),
      {"distilbert", "dim", "n_heads", "hidden_dim", "n_layers", "activation",
       "", "TransformerBlock", "transformer.layer.", /*hasTokenTypes=*/false,
       FirstPosition::Zero},
      {"mpnet", bert.width, bert.heads, bert.hiddenWidth, bert.numLayers,
       bert.activation, bert.normEps, "MPNetLayer", bert.layerPrefix,
       /*hasTokenTypes=*/false, FirstPosition::Two,
       "relative_attention_num_buckets"},
  };
  return families;
}

//===----------------------------------------------------------------------===//
// Building descriptions
//===----------------------------------------------------------------------===//

static Node makeScalar(const Twine &text, Position position) {
  Node node;
  node.text = text.str();
  node.position = position;
  return node;
}

using Entries = std::initializer_list<std::pair<StringRef, Node>>;

static Node makeMapping(Position position, Entries entries) {
  Node node;
  node.kind = Node::Kind::Mapping;
  node.position = position;
  for (const auto &[key, value] : entries)
    node.entries.emplace_back(makeScalar(key, position), value);
  return node;
}

static Node makeSequence(Position position, ArrayRef<Node> elements) {
  Node node;
  node.kind = Node::Kind::Sequence;
  node.position = position;
  node.elements.assign(elements.begin(), elements.end());
  return node;
}

namespace {
class Translator {
public:
  Translator(const CheckpointFolder &folder, const Node &config,
             const Safetensors *weights, StringRef weightsPath,
             Reporter &reporter)
      : folder(folder), config(config), weights(weights),
        weightsPath(weightsPath), reporter(reporter) {}

  FailureOr<Checkpoint> translate(StringRef name);

private:
  LogicalResult findFamily();
  LogicalResult checkSettings();
  llvm::SetVector<StringRef> findEncoders() const;
  LogicalResult findPrefix();
  LogicalResult addEmbeddings();
  LogicalResult addLayers();
  void addPooler();
  void addPooling();
  void addOutput(StringRef name);

  Node text(const Twine &value) const {
    return makeScalar(value, config.position);
  }
  Node names(ArrayRef<StringRef> values) const {
    std::vector<Node> elements;
    for (StringRef value : values)
      elements.push_back(text(value));
    return makeSequence(config.position, elements);
  }
  /// Appends a layer; `entries` follow its name and type.
  void add(const Twine &name, StringRef type, Entries entries = {}) {
    Node layer = makeMapping(config.position,
                             {{"name", text(name)}, {"type", text(type)}});
    for (const auto &[key, value] : entries)
      layer.entries.emplace_back(text(key), value);
    layers.push_back(std::move(layer));
  }
  Node input(StringRef name) const {
    return makeMapping(config.position,
                       {{"name", text(name)},
                        {"channels", makeSequence(config.position, {})},
                        {"dtype", text("int64")}});
  }
  /// The value of a key that must be there.
  const Node *require(StringRef key);
  /// A whole number of at least `least`.
  FailureOr<int64_t> requireSize(StringRef key, int64_t least = 1);
  bool has(const Twine &entry) const {
    return weights && weights->lookup((prefix + entry).str());
  }

  const CheckpointFolder &folder;
  const Node &config;
  const Safetensors *weights;
  StringRef weightsPath;
  Reporter &reporter;

  const Family *family = nullptr;
  std::string prefix;
  std::vector<Node> inputs, layers;
  llvm::SmallVector<StringRef> outputs;
  bool usesPooler = false;
};
} // namespace

const Node *Translator::require(StringRef key) {
  const Node *value = config.find(key);
  if (!value)
    (void)reporter.error(config, "a " + family->modelType +
                                     " checkpoint needs '" + key + "'");
  return value;
}

FailureOr<int64_t> Translator::requireSize(StringRef key, int64_t least) {
  const Node *node = require(key);
  if (!node)
    return failure();
  std::optional<int64_t> value = node->getInteger();
  if (!value || *value < least || *value > (int64_t(1) << 20))
    return reporter.error(*node, "'" + key + "' must be a whole number from " +
                                     Twine(least) + " to 1048576, got " +
                                     node->describe());
  return *value;
}

//===----------------------------------------------------------------------===//
// What config.json says
//===----------------------------------------------------------------------===//

LogicalResult Translator::findFamily() {
  if (!config.isMapping())
    return reporter.error(config, "a config.json is a mapping, got " +
                                      config.describe());
  llvm::SmallVector<StringRef> known;
  for (const Family &candidate : getFamilies())
    known.push_back(candidate.modelType);
  const Node *type = config.find("model_type");
  if (!type)
    return reporter.error(config, "config.json needs 'model_type', which is "
                                  "one of " +
                                      formatChoices(known));
  for (const Family &candidate : getFamilies())
    if (type->isScalar() && candidate.modelType == type->text)
      family = &candidate;
  if (!family)
    return reporter.error(*type, "'model_type' must be " +
                                     formatChoices(known) + ", got " +
                                     type->describe());
  return success();
}

/// Refuses settings that change what the model computes.
LogicalResult Translator::checkSettings() {
  struct Setting {
    StringRef key, value;
  };
  constexpr Setting only[] = {
      {"position_embedding_type", "absolute"},
      {"is_decoder", "false"},
      {"add_cross_attention", "false"},
      {"chunk_size_feed_forward", "0"},
  };
  for (const Setting &setting : only) {
    const Node *value = config.find(setting.key);
    if (value && !value->isNull() && value->text != setting.value)
      return reporter.error(*value, "'" + setting.key + "' must be " +
                                        setting.value + ", got " +
                                        value->describe());
  }
  const Node *pruned = config.find("pruned_heads");
  if (pruned &&
      !(pruned->isNull() || (pruned->isMapping() && pruned->entries.empty())))
    return reporter.error(*pruned, "'pruned_heads' must be empty, got " +
                                       pruned->format());
  return success();
}

//===----------------------------------------------------------------------===//
// What model.safetensors holds
//===----------------------------------------------------------------------===//

/// What stands before the names of each encoder, which begin differently if it
/// is part of another model. One may share the words of another, so its layers
/// tell of it as well.
llvm::SetVector<StringRef> Translator::findEncoders() const {
  std::string firstLayer = (family->layerPrefix + "0.").str();
  llvm::SetVector<StringRef> prefixes;
  for (const Safetensors::Entry &entry : weights->getEntries())
    for (StringRef part : {kWords, StringRef(firstLayer)}) {
      StringRef name = entry.name;
      StringRef before = name.take_front(name.find(part));
      if (before.size() < name.size() &&
          (before.empty() || before.ends_with(".")))
        prefixes.insert(before);
    }
  return prefixes;
}

LogicalResult Translator::findPrefix() {
  if (!weights)
    return success(); // The first layer's weight is reported as missing.
  llvm::SetVector<StringRef> prefixes = findEncoders();
  if (prefixes.size() > 1)
    return reporter.fileError(
        weightsPath, "there are several encoders, whose names begin with '" +
                         llvm::join(prefixes, "' and '") +
                         "'; a checkpoint has one, so save the one that is "
                         "meant by itself");
  if (!prefixes.empty())
    prefix = prefixes.front().str();
  if (has(kWords))
    return success();
  return reporter.fileError(
      weightsPath, "there is no entry '" + kWords +
                       "', with or without a prefix such as '" +
                       family->modelType + ".', which every encoder has");
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult Translator::addEmbeddings() {
  const Node *width = require(family->width);
  const Node *words = width ? require("vocab_size") : nullptr;
  const Node *positions = words ? require("max_position_embeddings") : nullptr;
  if (!positions)
    return failure();
  inputs.push_back(input("input_ids"));
  add("embeddings.word_embeddings", "Embedding",
      {{"num_embeddings", *words}, {"embedding_dim", *width}});
  if (family->hasTokenTypes) {
    FailureOr<int64_t> types = requireSize("type_vocab_size");
    if (failed(types))
      return failure();
    Node size = *config.find("type_vocab_size");
    if (*types == 1) {
      // Every token is of the one type that there is.
      add("embeddings.token_type_embeddings", "AddEmbedding",
          {{"num_embeddings", size}, {"embedding_dim", *width}});
    } else {
      inputs.push_back(input("token_type_ids"));
      add("embeddings.token_type_embeddings", "Embedding",
          {{"input", text("token_type_ids")},
           {"num_embeddings", size},
           {"embedding_dim", *width}});
      add("embeddings.sum", "Add",
          {{"inputs", names({"embeddings.word_embeddings",
                             "embeddings.token_type_embeddings"})}});
    }
  }
  int64_t offset = family->firstPosition == FirstPosition::Two ? 2 : 0;
  if (family->firstPosition == FirstPosition::AfterPadToken) {
    FailureOr<int64_t> padding = requireSize("pad_token_id", 0);
    if (failed(padding))
      return failure();
    offset = *padding + 1;
  }
  add("embeddings.position_embeddings", "PositionEmbedding",
      {{"num_embeddings", *positions},
       {"embedding_dim", *width},
       {"offset", text(Twine(offset))}});
  const Node *eps =
      family->normEps.empty() ? nullptr : config.find(family->normEps);
  add("embeddings.LayerNorm", "LayerNorm",
      {{"normalized_shape", *width}, {"eps", eps ? *eps : text("1e-12")}});
  return success();
}

LogicalResult Translator::addLayers() {
  FailureOr<int64_t> count = requireSize(family->numLayers, 0);
  if (failed(count))
    return failure();
  for (int64_t i = 0; i < *count; ++i) {
    add(family->layerPrefix + Twine(i), family->layerType);
    for (StringRef key : {family->width, family->heads, family->hiddenWidth}) {
      const Node *value = require(key);
      if (!value)
        return failure();
      layers.back().entries.emplace_back(text(key), *value);
    }
    for (StringRef key :
         {family->activation, family->normEps, family->numBuckets})
      if (const Node *value = key.empty() ? nullptr : config.find(key))
        layers.back().entries.emplace_back(text(key), *value);
  }
  return success();
}

void Translator::addOutput(StringRef name) {
  add(name, "Identity");
  outputs.push_back(name);
}

/// What Transformers' models yield besides the rows of the last layer.
void Translator::addPooler() {
  if (!has("pooler.dense.weight"))
    return;
  usesPooler = true;
  const Node &width = *config.find(family->width);
  add("pooler.first", "global_first_pool");
  add("pooler.dense", "Linear",
      {{"in_features", width}, {"out_features", width}});
  add("pooler_output", "Tanh");
  outputs.push_back("pooler_output");
}

/// One row per sentence.
void Translator::addPooling() {
  Node rows = *layers.back().find("name");
  std::vector<Node> pools;
  for (auto [i, pool] : llvm::enumerate(folder.pools)) {
    pools.push_back(text("sentence." + pool));
    // A mode may be listed twice.
    if (!llvm::is_contained(ArrayRef(folder.pools).take_front(i), pool))
      add(pools.back().text, pool, {{"input", rows}});
  }
  if (pools.size() > 1)
    add("sentence.pools", "Concat",
        {{"inputs", makeSequence(config.position, pools)}});
  if (folder.normalizes)
    add("sentence.normalized", "Normalize");
  addOutput("sentence_embedding");
}

FailureOr<Checkpoint> Translator::translate(StringRef name) {
  if (failed(findFamily()) || failed(checkSettings()) || failed(findPrefix()) ||
      failed(addEmbeddings()) || failed(addLayers()))
    return failure();
  if (folder.pools.empty()) {
    addOutput("last_hidden_state");
    addPooler();
  } else {
    addPooling();
  }
  Checkpoint result;
  result.prefix = prefix;
  result.description = makeMapping(
      config.position, {{"name", text(name)},
                        {"graph", text("block_diagonal")},
                        {"inputs", makeSequence(config.position, inputs)},
                        {"layers", makeSequence(config.position, layers)},
                        {"output", names(outputs)}});
  for (const Safetensors::Entry &entry :
       weights ? weights->getEntries() : ArrayRef<Safetensors::Entry>()) {
    StringRef rest = entry.name;
    // Heads of other tasks, and buffers that older versions saved.
    if (!rest.consume_front(prefix) || rest == "embeddings.position_ids" ||
        rest == "embeddings.token_type_ids" ||
        (!usesPooler && rest.starts_with("pooler.")))
      result.ignored.push_back(entry.name);
  }
  return result;
}

FailureOr<Checkpoint> gnn::frontend::translateCheckpoint(
    const CheckpointFolder &folder, const Node &config,
    const Safetensors *weights, StringRef weightsPath, StringRef name,
    Reporter &reporter) {
  return Translator(folder, config, weights, weightsPath, reporter)
      .translate(name);
}
