//===- NumberedRelations.cpp - RGCNConv with edge_type ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "RelationalLayers.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

FailureOr<EdgeRelations> EdgeRelations::read(LayerBuilder &layer, int64_t count,
                                             StringRef hint) {
  if (layer.isNull("edge_type")) {
    (void)layer.error(layer.describe() +
                      " needs 'edge_type: NAME', an input with the number of "
                      "each edge's relation" +
                      hint);
    return failure();
  }
  FailureOr<Value> numbers = layer.getEdges("edge_type");
  if (failed(numbers))
    return failure();
  auto type = cast<EdgesType>(numbers->getType());
  if (!type.getShape().empty() || !isa<IntegerType>(type.getElementType()))
    return layer.argumentError(
        "edge_type", "'edge_type' of " + layer.getType() +
                         " must name an input with 'channels: []' and a whole "
                         "number per edge, and '" +
                         layer.getArgument("edge_type").text + "' is none");
  if (failed(limitArgument(layer, *numbers, count)))
    return failure();
  return EdgeRelations{*numbers, count};
}

Value EdgeRelations::countEdges(LayerBuilder &layer) const {
  EdgeOperands operands;
  operands.edge = {numbers};
  operands.uniform = {getOnes(layer, {count})};
  Value ones = layer.message(
      layer.getGraph(), operands, ", r -> r",
      [&](ScalarBuilder &s, ValueRange v) {
        Value distance = s.subIndex(getRow(s, v[0]), s.featureIndex('r'));
        return s.select(s.isZero(distance), s.constant(1), s.constant(0));
      });
  return layer.aggregate(Aggregator::Sum, layer.getGraph(), ones);
}

Value EdgeRelations::getShares(LayerBuilder &layer, Value counts) {
  return layer.elementwise(counts, [](ScalarBuilder &s, ValueRange v) {
    return s.select(s.isZero(v[0]), s.constant(0), s.inverse(v[0]));
  });
}

//===----------------------------------------------------------------------===//
// RGCNConv
//===----------------------------------------------------------------------===//

namespace {
/// Builds one RGCNConv that reads `edge_type`. Sums are of messages that
/// multiply by the matrix of their edge's relation, or of rows that the bases
/// of matrices have transformed; other aggregators come before the matrices,
/// and each node has a row for each relation.
class NumberedRGCNBuilder {
public:
  explicit NumberedRGCNBuilder(LayerBuilder &layer)
      : layer(layer), numRelations(layer.getSize("num_relations")),
        in(layer.getSize("in_channels")), out(layer.getSize("out_channels")) {}

  Value build();

private:
  LogicalResult checkNodes();
  Value sumUp();
  Value sumUpBases();
  Value sumUpRows();
  Value sumUpRowsOfBases();
  Value emitRoot();
  Value selectRows(Value sources, const std::string &channels);
  Value select();
  Value selectBlocks();
  std::vector<float> readMatrices();
  /// `slices` matrices [height, width] side by side.
  static void interleave(ArrayRef<float> matrices, int64_t slices,
                         int64_t stride, int64_t height, int64_t width,
                         std::vector<float> &result);
  /// The same of a table's row that a node names.
  Value getNode(ScalarBuilder &s, Value number) const {
    return s.clamp(s.toIndex(number), 0, in - 1);
  }
  /// A message, divided by how many the destination gets by this relation where
  /// these are averaged.
  Value weigh(ScalarBuilder &s, Value message, Value row) const {
    if (!isMean)
      return message;
    return s.mul(message,
                 s.lookup(shares, {s.index(NodeSide::Destination), row}));
  }

  /// Whether the matrices of all relations are not too large to be put together
  /// from bases when the model is compiled.
  bool fitsMatrices() const {
    return numRelations * in * out <= maxTableBytes / int64_t(sizeof(float));
  }
  /// Whether edges choose matrices. With bases they read a row for each of
  /// these, and reading takes longer than multiplying unless they are few.
  bool composesMatrices() const {
    return layer.isNull("num_bases") ||
           (8 * layer.getSize("num_bases") >= in && fitsMatrices());
  }

  static constexpr int64_t maxTableBytes = int64_t(1) << 28;
  /// More blocks than these, each narrower than that, are one update.
  static constexpr int64_t maxBlockProducts = 16, minBlockWidth = 64;

  LayerBuilder &layer;
  int64_t numRelations, in, out;
  /// Where destinations have numbers: the rows that they may name.
  int64_t numDestinationRows = 0;
  EdgeRelations relations;
  bool isMean = false;
  /// Per destination and relation: the number of edges, and one over it.
  Value counts, shares;
};
} // namespace

/// Checks what nodes have: rows, or numbers of rows of a table.
LogicalResult NumberedRGCNBuilder::checkNodes() {
  bool ofSources = hasNumbers(layer.getSources()),
       ofDestinations = hasNumbers(layer.getDestinations());
  if (!ofSources && !ofDestinations)
    return layer.checkConvolutionChannels();
  auto refuse = [&](const Twine &message) {
    (void)layer.error(layer.describe() + " " + message);
    return failure();
  };
  if (ofSources != ofDestinations)
    return refuse("reads rows of sources and destinations, or a whole number "
                  "for each, but not one of both");
  for (Value numbers : {layer.getSources(), layer.getDestinations()})
    if (!getRowShape(numbers).empty())
      return refuse("reads one whole number for each node, an input with "
                    "'channels: []'");
  if (!layer.isNull("num_blocks"))
    return refuse("has 'num_blocks', but whole numbers of nodes have no "
                  "channels to divide into blocks");
  Aggregator aggregator = layer.getAggregators("aggr").front();
  if (aggregator != Aggregator::Mean && aggregator != Aggregator::Sum)
    return refuse("takes 'aggr: mean' or 'aggr: add' where nodes have whole "
                  "numbers");
  const Node &channels = layer.getArgument("in_channels");
  numDestinationRows =
      channels.isScalar() ? in : *channels.elements[1].getInteger();
  if (failed(limitArgument(layer, layer.getSources(), in)))
    return failure();
  return layer.getDestinations() == layer.getSources()
             ? success()
             : limitArgument(layer, layer.getDestinations(),
                             numDestinationRows);
}

void NumberedRGCNBuilder::interleave(ArrayRef<float> matrices, int64_t slices,
                                     int64_t stride, int64_t height,
                                     int64_t width,
                                     std::vector<float> &result) {
  for (int64_t row = 0; row < height; ++row)
    for (int64_t slice = 0; slice < slices; ++slice) {
      ArrayRef<float> part =
          matrices.slice(slice * stride + row * width, width);
      result.insert(result.end(), part.begin(), part.end());
    }
}

/// A matrix for each relation, or blocks of one.
Value NumberedRGCNBuilder::sumUp() {
  bool hasBlocks = !layer.isNull("num_blocks");
  int64_t numBlocks = hasBlocks ? layer.getSize("num_blocks") : 1;
  int64_t height = in / numBlocks, width = out / numBlocks;
  std::vector<float> weight =
      hasBlocks
          ? layer.readWeight("weight", {numRelations, numBlocks, height, width})
          : readMatrices();
  Value matrices = layer.constant("weight", weight,
                                  {numRelations, numBlocks, height, width});
  EdgeOperands operands;
  operands.src = {layer.splitHeads(layer.getSources(), numBlocks)};
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {numBlocks, width})};
  Value messages =
      layer.message(layer.getGraph(), operands, "bi, , bf -> bf",
                    [&](ScalarBuilder &s, ValueRange v) {
                      Value row = relations.getRow(s, v[1]);
                      Value element = s.lookup(
                          matrices, {row, s.featureIndex('b'),
                                     s.featureIndex('i'), s.featureIndex('f')});
                      return s.mul(weigh(s, v[0], row), element);
                    });
  return layer.mergeHeads(
      layer.aggregate(Aggregator::Sum, layer.getGraph(), messages));
}

/// Matrices that are weighted sums of a few: so are the transformed rows.
Value NumberedRGCNBuilder::sumUpBases() {
  int64_t numBases = layer.getSize("num_bases");
  auto weight = layer.readWeight("weight", {numBases, in, out});
  std::vector<float> sideBySide;
  if (!weight.empty())
    interleave(weight, numBases, in * out, in, out, sideBySide);
  Value matrix = layer.constant("weight", sideBySide, {in, numBases * out});
  Value comp = layer.weight("comp", {numRelations, numBases});
  EdgeOperands operands;
  operands.src = {
      layer.splitHeads(layer.matmul(layer.getSources(), matrix), numBases)};
  operands.edge = {relations.numbers};
  Value messages =
      layer.message(layer.getGraph(), operands, "bf, -> f",
                    [&](ScalarBuilder &s, ValueRange v) {
                      Value row = relations.getRow(s, v[1]);
                      Value share = s.lookup(comp, {row, s.featureIndex('b')});
                      return s.mul(v[0], weigh(s, share, row));
                    });
  return layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
}

/// Rows of the matrices of relations, which nodes name by their numbers.
Value NumberedRGCNBuilder::sumUpRows() {
  if (!layer.isNull("num_bases") && !fitsMatrices())
    return sumUpRowsOfBases();
  Value matrices =
      layer.constant("weight", readMatrices(), {numRelations, in, out});
  EdgeOperands operands;
  operands.src = {layer.getSources()};
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {out})};
  Value messages = layer.message(
      layer.getGraph(), operands, ", , f -> f",
      [&](ScalarBuilder &s, ValueRange v) {
        Value row = relations.getRow(s, v[1]);
        Value element =
            s.lookup(matrices, {row, getNode(s, v[0]), s.featureIndex('f')});
        return s.mul(v[2], weigh(s, element, row));
      });
  return layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
}

/// The same of matrices that are weighted sums of a few.
Value NumberedRGCNBuilder::sumUpRowsOfBases() {
  int64_t numBases = layer.getSize("num_bases");
  Value bases = layer.weight("weight", {numBases, in, out});
  Value comp = layer.weight("comp", {numRelations, numBases});
  EdgeOperands operands;
  operands.src = {layer.getSources()};
  operands.edge = {relations.numbers};
  operands.uniform = {getOnes(layer, {numBases, out})};
  Value messages = layer.message(
      layer.getGraph(), operands, ", , bf -> f",
      [&](ScalarBuilder &s, ValueRange v) {
        Value row = relations.getRow(s, v[1]);
        Value share = s.lookup(comp, {row, s.featureIndex('b')});
        Value element = s.lookup(bases, {s.featureIndex('b'), getNode(s, v[0]),
                                         s.featureIndex('f')});
        return s.mul(s.mul(v[2], weigh(s, share, row)), element);
      });
  return layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
}

/// What a node's own row or number adds.
Value NumberedRGCNBuilder::emitRoot() {
  Value own = layer.getDestinations();
  if (hasNumbers(own))
    return LookupOp::create(layer.getBuilder(), layer.getLoc(),
                            layer.weight("root", {numDestinationRows, out}),
                            own);
  return layer.matmul(own, layer.weight("root", {getNumChannels(own), out}));
}

/// The matrices of all relations, one below the other: [relations * in, out].
std::vector<float> NumberedRGCNBuilder::readMatrices() {
  if (layer.isNull("num_bases"))
    return layer.readWeight("weight", {numRelations, in, out});
  int64_t numBases = layer.getSize("num_bases");
  auto weight = layer.readWeight("weight", {numBases, in, out});
  auto comp = layer.readWeight("comp", {numRelations, numBases});
  return multiplyMatrices(comp, weight, numBases);
}

/// The largest or smallest element among those that each relation sends, zero
/// where it sends none: [relations, channels]. `channels` has a letter for each
/// dimension of `sources`.
Value NumberedRGCNBuilder::selectRows(Value sources,
                                      const std::string &channels) {
  Aggregator aggregator = layer.getAggregators("aggr").front();
  double none = std::numeric_limits<double>::infinity();
  if (aggregator == Aggregator::Max)
    none = -none;
  std::vector<float> numbers(numRelations);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  EdgeOperands operands;
  operands.src = {sources};
  operands.edge = {relations.numbers};
  operands.uniform = {layer.constant("relations", numbers, {numRelations})};
  std::string perRelation = " -> r" + channels;
  Value messages = layer.message(
      layer.getGraph(), operands, channels + ", , r" + perRelation,
      [&](ScalarBuilder &s, ValueRange v) {
        return s.select(s.isZero(s.sub(s.toFloat(v[1]), v[2])), v[0],
                        s.constant(none));
      });
  Value rows = layer.aggregate(aggregator, layer.getGraph(), messages);
  return layer.update({rows, counts}, {}, "r" + channels + ", r" + perRelation,
                      [](ScalarBuilder &s, ValueRange v) {
                        return s.select(s.isZero(v[1]), s.constant(0), v[0]);
                      });
}

/// Those rows, each times the matrix of its relation.
Value NumberedRGCNBuilder::select() {
  if (!layer.isNull("num_blocks"))
    return selectBlocks();
  Value matrix =
      layer.constant("weight", readMatrices(), {numRelations * in, out});
  return layer.matmul(layer.mergeHeads(selectRows(layer.getSources(), "f")),
                      matrix);
}

/// Those rows, times matrices that are zero but for blocks on the diagonal. The
/// zeros are never multiplied: an infinite element would make NaN of what other
/// blocks give.
Value NumberedRGCNBuilder::selectBlocks() {
  int64_t numBlocks = layer.getSize("num_blocks");
  int64_t height = in / numBlocks, width = out / numBlocks;
  // Products of narrow blocks gain little, and many of them compile for long.
  if (numBlocks > maxBlockProducts && width < minBlockWidth) {
    Value matrices =
        layer.weight("weight", {numRelations, numBlocks, height, width});
    Value rows =
        selectRows(layer.splitHeads(layer.getSources(), numBlocks), "bf");
    return layer.mergeHeads(layer.update(
        rows, matrices, "rbf, rbfg -> bg",
        [](ScalarBuilder &s, ValueRange v) { return s.mul(v[0], v[1]); }));
  }
  int64_t size = height * width;
  auto weight =
      layer.readWeight("weight", {numRelations, numBlocks, height, width});
  SmallVector<Value> results;
  for (int64_t block = 0; block < numBlocks; ++block) {
    std::vector<float> matrices;
    if (!weight.empty())
      interleave(ArrayRef(weight).drop_front(block * size), numRelations,
                 numBlocks * size, /*height=*/1, size, matrices);
    Value rows = selectRows(
        layer.slice(layer.getSources(), block * height, height), "f");
    results.push_back(
        layer.matmul(layer.mergeHeads(rows),
                     layer.constant("weight." + std::to_string(block), matrices,
                                    {numRelations * height, width})));
  }
  return layer.concat(results);
}

Value NumberedRGCNBuilder::build() {
  if (failed(checkNodes()) || failed(checkDecomposition(layer, in, out)))
    return {};
  FailureOr<EdgeRelations> read = EdgeRelations::read(
      layer, numRelations,
      "; only with 'node_types' are the relations the model's edge types");
  if (failed(read))
    return {};
  relations = *read;
  Aggregator aggregator = layer.getAggregators("aggr").front();
  isMean = aggregator == Aggregator::Mean;
  if (aggregator != Aggregator::Sum)
    counts = relations.countEdges(layer);
  if (isMean)
    shares = EdgeRelations::getShares(layer, counts);
  Value result;
  if (hasNumbers(layer.getSources()))
    result = sumUpRows();
  else if (!isMean && aggregator != Aggregator::Sum)
    result = select();
  else
    result = composesMatrices() ? sumUp() : sumUpBases();
  if (layer.getBoolean("root_weight"))
    result = layer.add(result, emitRoot());
  return addBias(layer, result);
}

Value gnn::frontend::buildNumberedRGCNConv(LayerBuilder &layer) {
  return NumberedRGCNBuilder(layer).build();
}
