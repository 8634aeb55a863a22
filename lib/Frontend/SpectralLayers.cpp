//===- SpectralLayers.cpp - Filters by powers of a graph --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers that multiply rows with a normalised adjacency matrix several times.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

//===----------------------------------------------------------------------===//
// SGConv, LGConv and APPNP
//===----------------------------------------------------------------------===//

static Value buildSGConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  Propagation propagation =
      normalizeEdges(layer, layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  Value rows = layer.getInput();
  for (int64_t i = 0, e = layer.getSize("K"); i < e; ++i)
    rows = propagate(layer, propagation, rows);
  return layer.linear(rows, "lin", layer.getSize("out_channels"),
                      layer.getBoolean("bias"));
}

static Value buildLGConv(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Propagation propagation =
      getPropagation(layer, layer.getBoolean("normalize"), /*selfLoops=*/false);
  return propagate(layer, propagation, layer.getInput());
}

static Value buildAPPNP(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()))
    return {};
  Propagation propagation = getPropagation(layer, layer.getBoolean("normalize"),
                                           layer.getBoolean("add_self_loops"));
  if (!propagation.graph)
    return {};
  double alpha = layer.getNumber("alpha");
  Value start = layer.getInput(), rows = start;
  for (int64_t i = 0, e = layer.getSize("K"); i < e; ++i)
    rows = mixRows(layer, propagate(layer, propagation, rows), 1 - alpha, start,
                   alpha);
  return rows;
}

//===----------------------------------------------------------------------===//
// ChebConv
//===----------------------------------------------------------------------===//

namespace {
/// The scaled Laplacian `2 L / lambda_max - 1`: off its diagonal a weight per
/// edge; on it a number per node, one for all, or null where it is 0.
struct Laplacian {
  Value edges;
  Value diagonal;
};
} // namespace

/// The weights of edges, or 1, and 0 for self loops: the Laplacian has none.
static Value dropLoops(LayerBuilder &layer) {
  EdgeOperands operands;
  if (layer.getEdgeValues())
    operands.edge = {layer.getEdgeValues()};
  else
    operands.src = {layer.filled(layer.getNumRows(layer.getInput()), {}, 1)};
  return layer.message(layer.getGraph(), operands, "->",
                       [](ScalarBuilder &s, ValueRange v) {
                         return s.select(s.isSelfLoop(), s.constant(0), v[0]);
                       });
}

/// What leaves each node along `weights`, which PyTorch Geometric's Laplacian
/// has for its degree.
static Value sumBySource(LayerBuilder &layer, Value weights) {
  Value graph = layer.getGraph();
  if (!layer.getEdgeValues()) {
    // Counts are exact, so that the loops can be taken away from them.
    Value all = getDegree(layer, graph, NodeSide::Source);
    Value received = getDegree(layer, graph, NodeSide::Destination);
    Value others = layer.aggregate(Aggregator::Sum, graph, weights);
    return layer.elementwise({all, received, others},
                             [](ScalarBuilder &s, ValueRange v) {
                               return s.sub(v[0], s.sub(v[1], v[2]));
                             });
  }
  auto [reversed, reversedWeights] = reverseGraph(layer, graph, weights);
  return layer.aggregate(Aggregator::Sum, reversed, reversedWeights);
}

static Laplacian buildLaplacian(LayerBuilder &layer) {
  Value graph = layer.getGraph();
  StringRef normalization =
      layer.isNull("normalization") ? "" : layer.getChoice("normalization");
  bool isSymmetric = normalization == "sym",
       isRandomWalk = normalization == "rw";
  Value weights = dropLoops(layer);
  Value degree = sumBySource(layer, weights);

  // What L holds off its diagonal.
  EdgeOperands operands;
  operands.edge = {weights};
  if (isSymmetric || isRandomWalk) {
    Value scale =
        layer.elementwise(degree, [&](ScalarBuilder &s, ValueRange v) {
          Value root = isSymmetric ? s.sqrt(v[0]) : v[0];
          Value inverse = s.inverse(root);
          return s.select(s.isZero(v[0]), s.constant(0), inverse);
        });
    operands.src = {scale};
    if (isSymmetric)
      operands.dst = {scale};
  }
  Value edges = layer.message(graph, operands,
                              isSymmetric    ? ", , ->"
                              : isRandomWalk ? ", ->"
                                             : "->",
                              [](ScalarBuilder &s, ValueRange v) {
                                Value product = v[0];
                                for (Value factor : v.drop_front())
                                  product = s.mul(product, factor);
                                return s.neg(product);
                              });
  bool hasUnitDiagonal = isSymmetric || isRandomWalk;

  Value lambda;
  // No weight is negative without edge weights, so that 1 is the largest entry.
  bool isTwo =
      layer.isNull("lambda_max") && hasUnitDiagonal && !layer.getEdgeValues();
  if (!layer.isNull("lambda_max")) {
    lambda = layer.constant(layer.getNumber("lambda_max"));
  } else if (isTwo) {
    lambda = layer.constant(2);
  } else {
    // Twice the largest entry. That of a node without edges counts as 0, which
    // never exceeds the entry on the diagonal.
    Value largest = layer.aggregate(Aggregator::Max, graph, edges);
    SmallVector<Value> entries{largest};
    if (!hasUnitDiagonal)
      entries.push_back(degree);
    Value entry =
        layer.elementwise(entries, [](ScalarBuilder &s, ValueRange v) {
          return s.max(v[0], v.size() == 2 ? v[1] : s.constant(1));
        });
    ScalarBuilder scalars(layer.getBuilder(), layer.getLoc());
    lambda = scalars.mul(scalars.constant(2), layer.maxOverRows(entry));
  }

  operands = {};
  operands.edge = {edges};
  operands.uniform = {lambda};
  auto scaleEntry = [](ScalarBuilder &s, Value entry, Value lambda) {
    return s.div(s.mul(s.constant(2), entry), lambda);
  };
  Laplacian result;
  result.edges = layer.message(graph, operands, ", ->",
                               [&](ScalarBuilder &s, ValueRange v) {
                                 return scaleEntry(s, v[0], v[1]);
                               });
  auto scaleDiagonal = [&](ScalarBuilder &s, Value entry, Value lambda) {
    return s.sub(scaleEntry(s, entry, lambda), s.constant(1));
  };
  ScalarBuilder scalars(layer.getBuilder(), layer.getLoc());
  if (!hasUnitDiagonal)
    result.diagonal = layer.update(degree, lambda, ", ->",
                                   [&](ScalarBuilder &s, ValueRange v) {
                                     return scaleDiagonal(s, v[0], v[1]);
                                   });
  else if (!isTwo)
    result.diagonal = scaleDiagonal(scalars, scalars.constant(1), lambda);
  return result;
}

/// The product of the scaled Laplacian with rows.
static Value multiply(LayerBuilder &layer, const Laplacian &laplacian,
                      Value rows) {
  Value messages = sendRows(layer, layer.getGraph(), rows, laplacian.edges);
  Value sum = layer.aggregate(Aggregator::Sum, layer.getGraph(), messages);
  if (!laplacian.diagonal)
    return sum;
  SmallVector<Value> node{sum, rows}, uniform;
  bool isPerNode = isa<RankedTensorType>(laplacian.diagonal.getType());
  (isPerNode ? node : uniform).push_back(laplacian.diagonal);
  return layer.update(node, uniform, "f, f, -> f",
                      [](ScalarBuilder &s, ValueRange v) {
                        return s.add(v[0], s.mul(v[2], v[1]));
                      });
}

static Value buildChebConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  if (!layer.isNull("lambda_max") && layer.getNumber("lambda_max") == 0) {
    (void)layer.argumentError("lambda_max", "'lambda_max' must not be 0");
    return {};
  }
  int64_t count = layer.getSize("K"), out = layer.getSize("out_channels");
  auto linear = [&](Value rows, int64_t i) {
    return layer.linear(rows, "lins." + std::to_string(i), out,
                        /*hasBias=*/false);
  };
  Value before = layer.getInput(), rows = before;
  Value result = linear(rows, 0);
  Laplacian laplacian;
  if (count > 1) {
    laplacian = buildLaplacian(layer);
    rows = multiply(layer, laplacian, rows);
    result = layer.add(result, linear(rows, 1));
  }
  for (int64_t i = 2; i < count; ++i) {
    Value next =
        layer.elementwise({multiply(layer, laplacian, rows), before},
                          [](ScalarBuilder &s, ValueRange v) {
                            return s.sub(s.mul(s.constant(2), v[0]), v[1]);
                          });
    result = layer.add(result, linear(next, i));
    before = rows;
    rows = next;
  }
  return addBias(layer, result);
}

//===----------------------------------------------------------------------===//
// ARMAConv
//===----------------------------------------------------------------------===//

/// Part `part` of a weight of `parts` parts of one size.
static ArrayRef<float> getPart(ArrayRef<float> values, int64_t part,
                               int64_t parts) {
  size_t size = values.size() / parts;
  return values.slice(part * size, size);
}

/// Linear layers [stacks, in, out] as one matrix [in, stacks * out].
static std::vector<float> joinStacks(ArrayRef<float> values, int64_t stacks,
                                     int64_t in, int64_t out) {
  std::vector<float> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t stack = i / (in * out), row = i / out % in, column = i % out;
    result[(row * stacks + stack) * out + column] = values[i];
  }
  return result;
}

static Value buildARMAConv(LayerBuilder &layer) {
  if (failed(layer.checkChannels("in_channels")))
    return {};
  int64_t in = layer.getSize("in_channels"),
          out = layer.getSize("out_channels"),
          stacks = layer.getSize("num_stacks"),
          count = layer.getSize("num_layers");
  int64_t parts = layer.getBoolean("shared_weights") ? 1 : count;
  bool hasBias = layer.getBoolean("bias");
  Activation activation = getActivation(layer, "act");

  auto init = layer.readWeight("init_weight", {stacks, in, out});
  auto root = layer.readWeight("root_weight", {parts, stacks, in, out});
  std::vector<float> bias, later;
  if (hasBias)
    bias = layer.readWeight("bias", {parts, stacks, 1, out});
  int64_t laterParts = std::max<int64_t>(1, parts - 1);
  // PyTorch Geometric has this weight in the state_dict where no layer uses it.
  if (count == 1)
    layer.ignoreWeight("weight");
  else
    later = layer.readWeight("weight", {laterParts, stacks, out, out});

  Propagation propagation = normalizeEdges(layer, /*selfLoops=*/false);
  // All stacks at once: rows are [stacks, out].
  auto multiplyInput = [&](StringRef name, ArrayRef<float> values) {
    Value weight = layer.constant(name, joinStacks(values, stacks, in, out),
                                  {in, stacks * out});
    return layer.matmul(layer.getInput(), weight);
  };
  Value rows;
  for (int64_t i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    if (i == 0) {
      rows = multiplyInput("init_weight", init);
    } else {
      int64_t part = laterParts == 1 ? 0 : i - 1;
      Value weight =
          layer.constant("weight." + std::to_string(part),
                         getPart(later, part, laterParts), {stacks, out, out});
      rows = layer.mergeHeads(
          stackedLinear(layer, layer.splitHeads(rows, stacks), weight));
    }
    int64_t part = parts == 1 ? 0 : i;
    rows = propagate(layer, propagation, rows);
    SmallVector<Value> uniform;
    if (hasBias)
      uniform.push_back(layer.constant(
          "bias." + number, getPart(bias, part, parts), {stacks * out}));
    Value own =
        multiplyInput("root_weight." + number, getPart(root, part, parts));
    rows = layer.update({rows, own}, uniform,
                        hasBias ? "f, f, f -> f" : "f, f -> f",
                        [&](ScalarBuilder &s, ValueRange v) {
                          Value sum = s.add(v[0], v[1]);
                          if (hasBias)
                            sum = s.add(sum, v[2]);
                          return activation.apply(s, sum);
                        });
  }
  return layer.meanOverHeads(layer.splitHeads(rows, stacks));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getSpectralLayers() {
  using Kind = ArgumentKind;
  const SmallVector<StringRef> activations(getActivationNames());
  return {
      {"SGConv",
       buildSGConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"K", Kind::Count, "1"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"bias", Kind::Boolean, "true"}}},
      {"LGConv",
       buildLGConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"normalize", Kind::Boolean, "true"}}},
      {"APPNP",
       buildAPPNP,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"K", Kind::Count},
        {"alpha", Kind::Number},
        {"dropout", Kind::Ignored, "0.0"},
        {"cached", Kind::Ignored, "false"},
        {"add_self_loops", Kind::Boolean, "true"},
        {"normalize", Kind::Boolean, "true"}}},
      {"ChebConv",
       buildChebConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"K", Kind::Repeats},
        {"normalization", Kind::ChoiceOrNull, "sym", {"sym", "rw"}},
        {"bias", Kind::Boolean, "true"},
        {"lambda_max", Kind::Number, "null"}}},
      {"ARMAConv",
       buildARMAConv,
       Reads::SquareGraph,
       EdgeInput::Weight,
       {{"in_channels", Kind::Size},
        {"out_channels", Kind::Size},
        {"num_stacks", Kind::Size, "1"},
        {"num_layers", Kind::Repeats, "1"},
        {"shared_weights", Kind::Boolean, "false"},
        {"act", Kind::ChoiceOrNull, "relu", activations},
        {"dropout", Kind::Ignored, "0.0"},
        {"bias", Kind::Boolean, "true"}}},
  };
}
