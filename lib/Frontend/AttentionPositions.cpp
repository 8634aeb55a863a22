//===- AttentionPositions.cpp - Where queries and keys are ----------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionPositions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::vector<Argument> gnn::frontend::getPositionArguments() {
  using Kind = ArgumentKind;
  return {{"position",
           Kind::Choice,
           "null",
           {"alibi", "rotary", "relative", "relative_bias"}},
          {"max_relative_position", Kind::Size, "null"},
          {"relative_values", Kind::Boolean, "true"},
          {"rotary_base", Kind::Number, "10000.0"},
          {"rotary_interleaved", Kind::Boolean, "false"},
          {"partial_rotary_factor", Kind::Number, "1.0"}};
}

FailureOr<AttentionPositions> AttentionPositions::create(LayerBuilder &layer,
                                                         StringRef prefix,
                                                         int64_t heads,
                                                         int64_t headWidth) {
  AttentionPositions positions(layer, heads, headWidth);
  positions.kind = llvm::StringSwitch<Kind>(layer.getChoice("position"))
                       .Case("alibi", Kind::ALiBi)
                       .Case("rotary", Kind::Rotary)
                       .Case("relative", Kind::Relative)
                       .Case("relative_bias", Kind::RelativeBias)
                       .Default(Kind::None);
  bool hasDistances =
      positions.kind == Kind::Relative || positions.kind == Kind::RelativeBias;
  if (!hasDistances && !layer.isNull("max_relative_position"))
    return layer.argumentError("max_relative_position",
                               "'max_relative_position' of " + layer.getType() +
                                   " goes with position relative or "
                                   "relative_bias");
  if (positions.kind == Kind::None)
    return positions;
  if (layer.getGraphType().getBipartite())
    return layer.argumentError(
        "position", "'position' of " + layer.getType() +
                        " compares places in one sequence, but the graph is "
                        "bipartite");
  if (hasDistances && failed(positions.readDistances(prefix)))
    return failure();
  if (positions.kind == Kind::Rotary && failed(positions.readRotation()))
    return failure();
  return positions;
}

AttentionPositions AttentionPositions::createBiases(LayerBuilder &layer,
                                                    int64_t heads,
                                                    int64_t headWidth,
                                                    ArrayRef<float> biases,
                                                    int64_t maxDistance) {
  AttentionPositions positions(layer, heads, headWidth);
  positions.kind = Kind::RelativeBias;
  positions.maxDistance = maxDistance;
  positions.biases =
      layer.constant("relative_bias", biases, {2 * maxDistance + 1, heads});
  return positions;
}

LogicalResult AttentionPositions::readDistances(StringRef prefix) {
  if (layer.isNull("max_relative_position"))
    return layer.argumentError(
        "position", "position " + layer.getChoice("position") + " of " +
                        layer.getType() +
                        " needs 'max_relative_position', the distance up to "
                        "which its table tells distances apart");
  maxDistance = layer.getSize("max_relative_position");
  int64_t rows = 2 * maxDistance + 1;
  auto read = [&](const char *name, int64_t width) {
    return layer.weight(prefix.str() + name, {rows, width});
  };
  if (kind == Kind::RelativeBias) {
    biases = read("relative_bias", heads);
    return success();
  }
  keys = read("relative_keys", headWidth);
  if (layer.getBoolean("relative_values"))
    values = read("relative_values", headWidth);
  return success();
}

LogicalResult AttentionPositions::readRotation() {
  double factor = layer.getNumber("partial_rotary_factor");
  if (factor <= 0 || factor > 1 || std::isnan(factor))
    return layer.argumentError("partial_rotary_factor",
                               "'partial_rotary_factor' of " + layer.getType() +
                                   " must be above 0 and at most 1, got " +
                                   layer.getChoice("partial_rotary_factor"));
  if (!(layer.getNumber("rotary_base") > 0))
    return layer.argumentError("rotary_base",
                               "'rotary_base' of " + layer.getType() +
                                   " must be above 0, got " +
                                   layer.getChoice("rotary_base"));
  numRotated = static_cast<int64_t>(headWidth * factor);
  isInterleaved = layer.getBoolean("rotary_interleaved");
  if (numRotated >= 2 && numRotated % 2 == 0)
    return success();
  return layer.argumentError("position",
                             "position rotary of " + layer.getType() +
                                 " rotates pairs of features, but of the " +
                                 Twine(headWidth) + " of a head it rotates " +
                                 Twine(numRotated));
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// Scores are sums over features, so their order is free as long as queries and
/// keys agree.
int64_t AttentionPositions::getProjected(int64_t feature) const {
  if (!isInterleaved || feature >= numRotated)
    return feature;
  int64_t half = numRotated / 2;
  return feature < half ? 2 * feature : 2 * (feature - half) + 1;
}

/// Features `first`, ... of [n, heads, width].
static Value slice(LayerBuilder &layer, Value rows, int64_t first,
                   int64_t count) {
  OpBuilder &builder = layer.getBuilder();
  int64_t heads = getRowShape(rows).front();
  SmallVector<OpFoldResult> offsets{builder.getIndexAttr(0),
                                    builder.getIndexAttr(0),
                                    builder.getIndexAttr(first)};
  SmallVector<OpFoldResult> sizes{layer.getNumRows(rows),
                                  builder.getIndexAttr(heads),
                                  builder.getIndexAttr(count)};
  SmallVector<OpFoldResult> strides(3, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, layer.getLoc(), rows, offsets,
                                        sizes, strides);
}

void AttentionPositions::createRotations(Value graph) {
  int64_t half = numRotated / 2;
  std::vector<float> frequencies;
  frequencies.reserve(half);
  for (int64_t i = 0; i < half; ++i)
    frequencies.push_back(
        std::pow(layer.getNumber("rotary_base"), -2.0 * i / numRotated));
  Value frequency = layer.constant("rotary_frequencies", frequencies, {half});
  OpBuilder &builder = layer.getBuilder();
  auto type =
      RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  Value places = PositionOp::create(builder, layer.getLoc(), type, graph);
  auto getTable = [&](bool isSine) {
    return layer.update(places, frequency, ", f -> f",
                        [&](ScalarBuilder &s, ValueRange v) {
                          Value angle = s.mul(s.toFloat(v[0]), v[1]);
                          return isSine ? s.sin(angle) : s.cos(angle);
                        });
  };
  cosines = getTable(false);
  sines = getTable(true);
}

Value AttentionPositions::rotate(Value rows, Value graph) {
  if (kind != Kind::Rotary)
    return rows;
  int64_t half = numRotated / 2;
  if (!cosines)
    createRotations(graph);
  Value first = slice(layer, rows, 0, half);
  Value second = slice(layer, rows, half, half);
  SmallVector<Value> parts;
  for (bool isSecond : {false, true})
    parts.push_back(
        layer.update({first, second, cosines, sines}, {}, "hf, hf, f, f -> hf",
                     [&](ScalarBuilder &s, ValueRange v) {
                       if (isSecond)
                         return s.add(s.mul(v[1], v[2]), s.mul(v[0], v[3]));
                       return s.sub(s.mul(v[0], v[2]), s.mul(v[1], v[3]));
                     }));
  if (numRotated < headWidth)
    parts.push_back(slice(layer, rows, numRotated, headWidth - numRotated));
  return layer.concat(parts);
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

Value AttentionPositions::getDistanceRow(ScalarBuilder &scalars) const {
  // Numbers of a segment are consecutive: distances within it are positions'.
  Value distance = scalars.subIndex(scalars.index(NodeSide::Source),
                                    scalars.index(NodeSide::Destination));
  return scalars.addIndex(scalars.clamp(distance, -maxDistance, maxDistance),
                          scalars.indexConstant(maxDistance));
}

Value AttentionPositions::changeKey(ScalarBuilder &scalars, Value feature) {
  if (!keys)
    return feature;
  return scalars.add(feature,
                     scalars.lookup(keys, {getDistanceRow(scalars),
                                           scalars.featureIndex('f')}));
}

Value AttentionPositions::changeValue(ScalarBuilder &scalars, Value feature) {
  if (!values)
    return feature;
  return scalars.add(feature,
                     scalars.lookup(values, {getDistanceRow(scalars),
                                             scalars.featureIndex('f')}));
}

/// The slopes of ALiBi's authors: powers of 2^(-8 / heads) where the number of
/// heads is a power of two, else those of the next smaller such number and, to
/// fill up, every second one of the next greater.
static std::vector<float> getSlopes(int64_t heads) {
  int64_t power = 1;
  while (power * 2 <= heads)
    power *= 2;
  std::vector<float> slopes;
  for (int64_t i = 1; i <= power; ++i)
    slopes.push_back(std::exp2(-8.0 * i / power));
  for (int64_t i = 1; i <= heads - power; ++i)
    slopes.push_back(std::exp2(-8.0 * (2 * i - 1) / (2 * power)));
  return slopes;
}

Value AttentionPositions::changeScores(Value scores, Value graph) {
  EdgeOperands operands;
  operands.edge = {scores};
  if (kind == Kind::ALiBi) {
    operands.uniform = {
        layer.constant("alibi_slopes", getSlopes(heads), {heads})};
    return layer.message(
        graph, operands, "h, h -> h", [](ScalarBuilder &s, ValueRange v) {
          Value distance = s.toFloat(s.subIndex(
              s.index(NodeSide::Source), s.index(NodeSide::Destination)));
          return s.sub(v[0], s.mul(v[1], s.max(distance, s.neg(distance))));
        });
  }
  if (!biases)
    return scores;
  return layer.message(
      graph, operands, "h -> h", [&](ScalarBuilder &s, ValueRange v) {
        return s.add(
            v[0], s.lookup(biases, {getDistanceRow(s), s.featureIndex('h')}));
      });
}
