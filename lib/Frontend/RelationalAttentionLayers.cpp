//===- RelationalAttentionLayers.cpp - Attention by relations ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "RelationalLayers.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

namespace {
/// Builds one RGATConv (Busbridge et al. 2019). Its values are rows times the
/// matrix of their edge's relation; scores are linear in those of both ends, so
/// that rows are multiplied by what the product of both matrices is.
class RGATBuilder {
public:
  explicit RGATBuilder(LayerBuilder &layer)
      : layer(layer), graph(layer.getGraph()),
        numRelations(layer.getSize("num_relations")),
        in(layer.getSize("in_channels")), out(layer.getSize("out_channels")),
        heads(layer.getSize("heads")), dim(layer.getSize("dim")), shape{heads},
        isAdditive(layer.getChoice("attention_mode") ==
                   "additive-self-attention") {
    mod = layer.isNull("mod") ? "" : layer.getChoice("mod");
    if (dim == 1)
      return;
    letters = "hd";
    shape.push_back(dim);
  }

  Value build();

private:
  LogicalResult check();
  std::vector<float> readMatrices();
  std::vector<float> readBlocks() const;
  Value sumUp(Value weights);
  Value sumUpValues(Value weights);
  Value emitValues();
  Value emitScores();
  Value scoreAttributes();
  Value weighAcross(Value scores);
  Value weighWithin(Value scores);
  Value getPerRelation(Aggregator aggregator, Value edges, double none);
  Value getDegreeFactors();
  void ignoreUnused() const;

  /// That of a table with a score after other dimensions.
  SmallVector<int64_t> getTableShape(ArrayRef<int64_t> first) const {
    SmallVector<int64_t> result(first);
    result.append(shape);
    return result;
  }
  /// What scores multiply rows by: [relations, in], and the shape of scores.
  Value getScoreMatrices(StringRef name);
  /// An element of those for the edge at hand and all letters of its loops.
  Value lookUp(ScalarBuilder &s, Value matrices, Value relation) const {
    return s.lookup(matrices, getPlaces(s, {relations.getRow(s, relation),
                                            s.featureIndex('i')}));
  }
  /// Places of a score, after others, in a table.
  SmallVector<Value> getPlaces(ScalarBuilder &s, ArrayRef<Value> first) const {
    SmallVector<Value> places(first);
    for (char letter : letters)
      places.push_back(s.featureIndex(letter));
    return places;
  }

  LayerBuilder &layer;
  Value graph;
  int64_t numRelations, in, out, heads, dim;
  /// Those of scores: one for each head and, of products, each dimension.
  std::string letters = "h";
  SmallVector<int64_t> shape;
  bool isAdditive;
  StringRef mod;
  EdgeRelations relations;
  /// All matrices, or none where they are faulty.
  std::vector<float> matrices;
};
} // namespace

LogicalResult RGATBuilder::check() {
  if (failed(layer.checkChannels("in_channels")) ||
      failed(layer.checkEdgeAttributes()) ||
      failed(checkDecomposition(layer, in, heads * out)))
    return failure();
  if (isAdditive && dim > 1)
    return layer.argumentError(
        "dim", "'dim' of " + layer.describe() +
                   " is for 'attention_mode: multiplicative-self-attention'; "
                   "it must be 1 here, got " +
                   Twine(dim));
  return success();
}

/// The matrices of all relations, [relations * in, heads * out].
std::vector<float> RGATBuilder::readMatrices() {
  int64_t width = heads * out;
  if (!layer.isNull("num_blocks"))
    return readBlocks();
  if (layer.isNull("num_bases"))
    return layer.readWeight("weight", {numRelations, in, width});
  int64_t numBases = layer.getSize("num_bases");
  return multiplyMatrices(layer.readWeight("att", {numRelations, numBases}),
                          layer.readWeight("basis", {numBases, in, width}),
                          numBases);
}

/// The same of matrices that are blocks on the diagonal.
std::vector<float> RGATBuilder::readBlocks() const {
  int64_t numBlocks = layer.getSize("num_blocks"), all = heads * out;
  int64_t height = in / numBlocks, width = all / numBlocks;
  auto blocks =
      layer.readWeight("weight", {numRelations, numBlocks, height, width});
  std::vector<float> result;
  if (!blocks.empty())
    result.resize(numRelations * in * all);
  ArrayRef<float> rest = blocks;
  for (int64_t row = 0; !rest.empty(); ++row) {
    int64_t column = row % in / height * width;
    llvm::copy(rest.take_front(width), &result[row * all + column]);
    rest = rest.drop_front(width);
  }
  return result;
}

/// The sum of what sources send, [heads, out]: their row times the matrix of
/// the edge's relation, and times the edge's weight for the head, if there are
/// weights. Rows are weighed before they are multiplied, so that those of a
/// relation are multiplied together.
Value RGATBuilder::sumUp(Value weights) {
  std::vector<float> perHead;
  ArrayRef<float> rest = matrices;
  // Of each relation a matrix for each head.
  for (int64_t relation = 0; relation < numRelations && !rest.empty();
       ++relation, rest = rest.drop_front(in * heads * out))
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t row = 0; row < in; ++row)
        llvm::append_range(perHead,
                           rest.slice((row * heads + head) * out, out));
  Value table =
      layer.constant("weight", perHead, {numRelations, heads, in, out});
  EdgeOperands operands;
  operands.src = {layer.getInput()};
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {heads, out})};
  if (weights)
    operands.edge.push_back(weights);
  Value messages = layer.message(
      graph, operands, weights ? "i, , h, hf -> hf" : "i, , hf -> hf",
      [&](ScalarBuilder &s, ValueRange v) {
        Value element =
            s.lookup(table, {relations.getRow(s, v[1]), s.featureIndex('h'),
                             s.featureIndex('i'), s.featureIndex('f')});
        return s.mul(weights ? s.mul(v[0], v[2]) : v[0], element);
      });
  return layer.aggregate(Aggregator::Sum, graph, messages);
}

/// The row of each edge's source times the matrix of its relation, [heads,
/// out]. The zeros around blocks are never multiplied: an infinite element
/// would make NaN of what other blocks give.
Value RGATBuilder::emitValues() {
  int64_t numBlocks =
      layer.isNull("num_blocks") ? 1 : layer.getSize("num_blocks");
  int64_t height = in / numBlocks, width = heads * out / numBlocks;
  SmallVector<int64_t> blocks{numRelations, numBlocks, height, width};
  Value weight = numBlocks == 1 ? layer.constant("weight", matrices, blocks)
                                : layer.weight("weight", blocks);
  EdgeOperands operands;
  operands.src = {layer.splitHeads(layer.getInput(), numBlocks)};
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {numBlocks, width})};
  Value messages = layer.message(
      graph, operands, "bi, , bf -> bf", [&](ScalarBuilder &s, ValueRange v) {
        Value element =
            s.lookup(weight, {relations.getRow(s, v[1]), s.featureIndex('b'),
                              s.featureIndex('i'), s.featureIndex('f')});
        return s.mul(v[0], element);
      });
  return getEdgesOfRows(layer, graph, getRowsOfEdges(layer, graph, messages),
                        {heads, out});
}

/// The same sum of values that are stored for each edge: of blocks, and of
/// products, which have several weights for a head.
Value RGATBuilder::sumUpValues(Value weights) {
  EdgeOperands operands;
  operands.edge = {emitValues()};
  std::string subscripts = "hf";
  if (weights) {
    operands.edge.push_back(weights);
    subscripts += ", " + letters;
  }
  return layer.aggregate(
      Aggregator::Sum, graph,
      layer.message(graph, operands,
                    subscripts + " -> " + (weights ? letters : "h") + "f",
                    [](ScalarBuilder &s, ValueRange v) {
                      return v.size() == 1 ? v[0] : s.mul(v[0], v[1]);
                    }));
}

Value RGATBuilder::getScoreMatrices(StringRef name) {
  int64_t columns = heads * dim;
  auto vectors = layer.readWeight(name, {heads * out, columns});
  return layer.constant(name, multiplyMatrices(matrices, vectors, heads * out),
                        getTableShape({numRelations, in}));
}

/// What attributes have to say about scores: `lin_edge` and `e` are one matrix.
Value RGATBuilder::scoreAttributes() {
  int64_t width = layer.getSize("edge_dim");
  SplitLinear linear(layer, "lin_edge", heads * out, width);
  auto vectors = layer.readWeight("e", {heads * out, heads * dim});
  return edgeProduct(layer, graph, layer.getEdgeValues(), "lin_edge.e",
                     multiplyMatrices(linear.getPart(0), vectors, heads * out),
                     shape);
}

/// One score per edge for each head and, of products, each dimension.
Value RGATBuilder::emitScores() {
  Value ofDestination = getScoreMatrices("q"), ofSource = getScoreMatrices("k");
  Value ones = getOnes(layer, shape);
  EdgeOperands operands;
  operands.edge = {relations.numbers};
  operands.uniform = {ones};
  Value rows = layer.getInput();
  std::string same = letters + " -> " + letters;
  SmallVector<Value> parts;
  for (bool isSource : {false, true}) {
    operands.dst.clear();
    operands.src.clear();
    (isSource ? operands.src : operands.dst) = {rows};
    parts.push_back(layer.message(
        graph, operands, "i, , " + same, [&](ScalarBuilder &s, ValueRange v) {
          return s.mul(v[0],
                       lookUp(s, isSource ? ofSource : ofDestination, v[1]));
        }));
  }
  if (layer.getEdgeValues())
    parts.push_back(scoreAttributes());
  operands = {};
  operands.edge = parts;
  std::string subscripts = letters;
  for (size_t i = 1; i < parts.size(); ++i)
    subscripts += ", " + letters;
  double slope = layer.getNumber("negative_slope");
  return layer.message(graph, operands, subscripts + " -> " + letters,
                       [&](ScalarBuilder &s, ValueRange v) {
                         Value score = v[0];
                         for (Value part : v.drop_front())
                           score = isAdditive ? s.add(score, part)
                                              : s.mul(score, part);
                         return isAdditive ? s.leakyReLU(score, slope) : score;
                       });
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Value RGATBuilder::weighAcross(Value scores) {
  return EdgeSoftmaxOp::create(layer.getBuilder(), layer.getLoc(),
                               scores.getType(), graph, scores);
}

/// What is aggregated of the edges of each relation at each destination:
/// [relations, heads]. `none` is that of no edges.
Value RGATBuilder::getPerRelation(Aggregator aggregator, Value edges,
                                  double none) {
  std::vector<float> numbers(numRelations);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  EdgeOperands operands;
  operands.edge = {edges, relations.numbers};
  operands.uniform = {layer.constant("relations", numbers, {numRelations})};
  Value messages =
      layer.message(graph, operands, letters + ", , r -> r" + letters,
                    [&](ScalarBuilder &s, ValueRange v) {
                      return s.select(s.isZero(s.sub(s.toFloat(v[1]), v[2])),
                                      v[0], s.constant(none));
                    });
  return layer.aggregate(aggregator, graph, messages);
}

/// A softmax for each relation at a destination.
Value RGATBuilder::weighWithin(Value scores) {
  auto combine = [&](Value edges, Value perRelation,
                     function_ref<Value(ScalarBuilder &, Value, Value)> f) {
    EdgeOperands operands;
    operands.edge = {edges, relations.numbers};
    return layer.message(graph, operands, letters + ", -> " + letters,
                         [&](ScalarBuilder &s, ValueRange v) {
                           Value other = s.lookup(
                               perRelation,
                               getPlaces(s, {s.index(NodeSide::Destination),
                                             relations.getRow(s, v[1])}));
                           return f(s, v[0], other);
                         });
  };
  Value largest = getPerRelation(Aggregator::Max, scores,
                                 -std::numeric_limits<double>::infinity());
  Value exponentials =
      combine(scores, largest, [](ScalarBuilder &s, Value score, Value most) {
        return s.expOfNegative(s.sub(score, most));
      });
  Value sums = getPerRelation(Aggregator::Sum, exponentials, 0);
  return combine(exponentials, sums, [](ScalarBuilder &s, Value a, Value b) {
    return s.div(a, b);
  });
}

//===----------------------------------------------------------------------===//
// The layer
//===----------------------------------------------------------------------===//

/// What `mod: scaled` makes of in-degrees, [n, out].
Value RGATBuilder::getDegreeFactors() {
  SmallVector<Value> uniform{layer.weight("l1", {1, out}, out),
                             layer.weight("b1", {1, out}, out)};
  Value hidden =
      layer.update(getDegree(layer, graph, NodeSide::Destination), uniform,
                   ", f, f -> f", [](ScalarBuilder &s, ValueRange v) {
                     return s.relu(s.add(s.mul(v[0], v[1]), v[2]));
                   });
  return layer.addUniform(layer.matmul(hidden, layer.weight("l2", {out, out})),
                          layer.weight("b2", {1, out}, out));
}

/// Entries that PyTorch Geometric has whatever `mod` is.
void RGATBuilder::ignoreUnused() const {
  for (StringRef name : {"w", "l1", "b1", "l2", "b2"})
    layer.ignoreWeight(name);
}

Value RGATBuilder::build() {
  if (failed(check()))
    return {};
  FailureOr<EdgeRelations> read = EdgeRelations::read(layer, numRelations);
  if (failed(read))
    return {};
  relations = *read;
  ignoreUnused();
  matrices = readMatrices();
  Value scores = emitScores();
  Value weights = layer.getChoice("attention_mechanism") == "within-relation"
                      ? weighWithin(scores)
                      : weighAcross(scores);

  if (mod == "f-additive") {
    EdgeOperands operands;
    operands.edge = {weights};
    weights = layer.message(graph, operands, letters + " -> " + letters,
                            [](ScalarBuilder &s, ValueRange v) {
                              return s.select(s.isPositive(v[0]),
                                              s.add(v[0], s.constant(1)), v[0]);
                            });
  }
  bool areStored = dim > 1 || !layer.isNull("num_blocks");
  auto add = [&](Value weights) {
    return areStored ? sumUpValues(weights) : sumUp(weights);
  };
  Value rows = add(weights);
  std::string all = letters + "f";
  if (mod == "additive")
    rows = layer.update({rows, add(Value())}, layer.weight("w", {out}),
                        all + ", hf, f -> " + all,
                        [](ScalarBuilder &s, ValueRange v) {
                          return s.add(v[0], s.mul(v[1], v[2]));
                        });
  auto multiply = [](ScalarBuilder &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  };
  if (mod == "scaled")
    rows = layer.update({rows, getDegreeFactors()}, {}, all + ", f -> " + all,
                        multiply);
  if (mod == "f-scaled")
    rows = layer.update({rows, getDegree(layer, graph, NodeSide::Destination)},
                        {}, all + ", -> " + all, multiply);
  if (dim > 1) {
    SmallVector<ReassociationIndices> groups{{0}, {1}, {2, 3}};
    rows = tensor::CollapseShapeOp::create(layer.getBuilder(), layer.getLoc(),
                                           rows, groups);
  }
  return addBias(layer, joinHeads(layer, rows));
}

static Value buildRGATConv(LayerBuilder &layer) {
  return RGATBuilder(layer).build();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getRelationalAttentionLayers() {
  using Kind = ArgumentKind;
  return {
      {"RGATConv",
       buildRGATConv,
       Reads::SquareGraph,
       EdgeInput::Attributes,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"num_relations", Kind::Size},
        {"num_bases", Kind::Size, "null"},
        {"num_blocks", Kind::Size, "null"},
        {"mod",
         Kind::Choice,
         "null",
         {"additive", "scaled", "f-additive", "f-scaled"}},
        {"attention_mechanism",
         Kind::Choice,
         "across-relation",
         {"across-relation", "within-relation"}},
        {"attention_mode",
         Kind::Choice,
         "additive-self-attention",
         {"additive-self-attention", "multiplicative-self-attention"}},
        {"heads", Kind::Size, "1"},
        {"dim", Kind::Size, "1"},
        {"concat", Kind::Boolean, "true"},
        {"negative_slope", Kind::Number, "0.2"},
        {"dropout", Kind::Ignored, "0.0"},
        {"edge_dim", Kind::Size, "null"},
        {"bias", Kind::Boolean, "true"},
        {"edge_type", Kind::Edges, "null"}}},
  };
}
