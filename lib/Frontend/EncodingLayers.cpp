//===- EncodingLayers.cpp - Learned encodings of positions ----------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The learned positional encodings of SAN (Kreuzer et al. 2021). The
// eigenvalues of a node's graph with the node's entries of the eigenvectors are
// a short sequence: a graph of its own, in which each reads all.
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// A block-diagonal graph of `count` segments of `size` nodes each.
static Value makeSegments(LayerBuilder &layer, Value count, int64_t size) {
  OpBuilder &builder = layer.getBuilder();
  Location loc = layer.getLoc();
  // There may be more nodes than 32 bits count.
  constexpr unsigned indexWidth = 64;
  Type indexType = builder.getIntegerType(indexWidth);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value numPointers = arith::AddIOp::create(builder, loc, count, one);
  Value empty = tensor::EmptyOp::create(builder, loc,
                                        ArrayRef<int64_t>{ShapedType::kDynamic},
                                        indexType, ValueRange(numPointers));
  Value pointers =
      linalg::GenericOp::create(
          builder, loc, TypeRange{empty.getType()}, ValueRange(),
          ValueRange{empty},
          ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(1)},
          ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
          [&](OpBuilder &b, Location l, ValueRange) {
            Value first = arith::MulIOp::create(
                b, l, linalg::IndexOp::create(b, l, 0),
                arith::ConstantIndexOp::create(b, l, size));
            linalg::YieldOp::create(
                b, l,
                arith::IndexCastOp::create(b, l, indexType, first).getResult());
          })
          .getResult(0);
  auto type = GNNGraphType::get(builder.getContext(), Topology::BlockDiagonal,
                                /*window=*/0, /*bipartite=*/false,
                                /*symmetric=*/true, /*selfLoops=*/true,
                                /*sorted=*/true, indexWidth);
  return MakeGraphOp::create(builder, loc, type,
                             ValueRange{pointers, pointers});
}

/// [n, m, ...] as [n * m, ...].
static Value joinRows(LayerBuilder &layer, Value rows) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t i = 2, e = cast<RankedTensorType>(rows.getType()).getRank();
       i < e; ++i)
    groups.push_back({i});
  return tensor::CollapseShapeOp::create(layer.getBuilder(), layer.getLoc(),
                                         rows, groups);
}

/// [n * m, f] as [n, m, f].
static Value splitRows(LayerBuilder &layer, Value rows, Value count,
                       int64_t size) {
  OpBuilder &builder = layer.getBuilder();
  int64_t width = getNumChannels(rows);
  auto type = RankedTensorType::get({ShapedType::kDynamic, size, width},
                                    builder.getF32Type());
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  SmallVector<OpFoldResult> shape{count, builder.getIndexAttr(size),
                                  builder.getIndexAttr(width)};
  return tensor::ExpandShapeOp::create(builder, layer.getLoc(), type, rows,
                                       groups, shape);
}

/// The rows of `pairs`, [m, 2]. Fails after an error.
static FailureOr<Value> readPairs(LayerBuilder &layer) {
  FailureOr<Features> pairs = layer.getRows("pairs");
  if (failed(pairs))
    return failure();
  const Features &rows = layer.getInputs().front();
  ArrayRef<int64_t> shape = getRowShape(pairs->value);
  if (pairs->rows == rows.rows && pairs->type == rows.type &&
      shape.size() == 2 && shape[1] == 2 &&
      getElementTypeOrSelf(pairs->value).isF32())
    return pairs->value;
  return layer.argumentError(
      "pairs", "'pairs' of " + layer.getType() +
                   " must name a float32 input with 'channels: [PAIRS, 2]' "
                   "per node, and '" +
                   pairs->name + "' is none");
}

static Value buildLaplacianEncoder(LayerBuilder &layer) {
  if (failed(layer.checkPlainRows()) ||
      failed(checkHeads(layer, "num_heads", "dim")))
    return {};
  FailureOr<Value> pairs = readPairs(layer);
  if (failed(pairs))
    return {};
  int64_t size = getRowShape(*pairs).front(), width = layer.getSize("dim");
  Value count = layer.getNumRows(*pairs);
  Value numMissing =
      layer.update(*pairs, {}, "mc -> m", [](ScalarBuilder &s, ValueRange v) {
        return s.select(s.isNaN(v[0]), s.constant(1), s.constant(0));
      });
  Value known = layer.elementwise(*pairs, [](ScalarBuilder &s, ValueRange v) {
    return s.select(s.isNaN(v[0]), s.constant(0), v[0]);
  });
  Value graph = makeSegments(layer, count, size);
  Value rows = layer.linear(joinRows(layer, known), "linear_A", width,
                            /*hasBias=*/true);
  EncoderShape encoder{"",
                       {"", width, layer.getSize("num_heads")},
                       layer.getSize("dim_feedforward")};
  encoder.attention.padding = joinRows(layer, numMissing);
  for (int64_t i = 0, e = layer.getSize("num_layers"); i < e; ++i) {
    encoder.prefix = "PE_Transformer.layers." + std::to_string(i) + ".";
    rows = encodeRows(layer, encoder, graph, rows);
    if (!rows)
      return {};
  }
  Value encoding =
      layer.update({splitRows(layer, rows, count, size), numMissing}, {},
                   "mf, m -> f", [](ScalarBuilder &s, ValueRange v) {
                     return s.select(s.isZero(v[1]), v[0], s.constant(0));
                   });
  return layer.concat({layer.getInput(), encoding});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getEncodingLayers() {
  using Kind = ArgumentKind;
  return {
      {"LaplacianEncoder",
       buildLaplacianEncoder,
       Reads::Rows,
       EdgeInput::None,
       {{"dim", Kind::Size},
        {"num_heads", Kind::Size},
        {"num_layers", Kind::Repeats},
        {"dim_feedforward", Kind::Size, "2048"},
        {"dropout", Kind::Ignored, "0.1"},
        {"pairs", Kind::Rows}}},
  };
}
