//===- EmbeddingLayers.cpp - Rows of learnt tables --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

LogicalResult gnn::frontend::limitArgument(LayerBuilder &layer, Value value,
                                           int64_t limit) {
  if (auto edges = value.getDefiningOp<EdgesFromTensorOp>())
    value = edges.getTensor();
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : nullptr;
  if (!function) {
    (void)layer.error(layer.describe() +
                      " reads whole numbers that no input gives");
    return failure();
  }
  unsigned number = argument.getArgNumber();
  auto other =
      function.getArgAttrOfType<IntegerAttr>(number, GNNDialect::kLimitAttr);
  if (!other || other.getInt() > limit)
    function.setArgAttr(number, GNNDialect::kLimitAttr,
                        layer.getBuilder().getI64IntegerAttr(limit));
  return success();
}

static Value buildEmbedding(LayerBuilder &layer) {
  int64_t size = layer.getSize("num_embeddings");
  int64_t width = layer.getSize("embedding_dim");
  if (failed(limitArgument(layer, layer.getInput(), size)))
    return {};
  Value table = layer.weight("weight", {size, width});
  return LookupOp::create(layer.getBuilder(), layer.getLoc(), table,
                          layer.getInput());
}

static Value buildPositionEmbedding(LayerBuilder &layer) {
  int64_t size = layer.getSize("num_embeddings");
  int64_t width = layer.getSize("embedding_dim");
  int64_t offset = layer.getSize("offset");
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels("embedding_dim")))
    return {};
  if (offset >= size) {
    (void)layer.argumentError("offset", "'offset' must be less than "
                                        "num_embeddings, " +
                                            Twine(size) + ", got " +
                                            Twine(offset));
    return {};
  }
  if (failed(limitArgument(layer, layer.getGraph(), size - offset)))
    return {};
  Value table = layer.weight("weight", {size, width});
  OpBuilder &builder = layer.getBuilder();
  Value positions = PositionOp::create(
      builder, layer.getLoc(),
      RankedTensorType::get({ShapedType::kDynamic}, builder.getIndexType()),
      layer.getGraph());
  return layer.update({layer.getInput(), positions}, {}, "f, -> f",
                      [&](ScalarBuilder &s, ValueRange v) {
                        Value row = s.addIndex(v[1], s.indexConstant(offset));
                        return s.add(
                            v[0], s.lookup(table, {row, s.featureIndex('f')}));
                      });
}

static Value buildAddEmbedding(LayerBuilder &layer) {
  int64_t size = layer.getSize("num_embeddings");
  int64_t width = layer.getSize("embedding_dim");
  int64_t index = layer.getSize("index");
  if (failed(layer.checkPlainRows()) ||
      failed(layer.checkChannels("embedding_dim")))
    return {};
  if (index >= size) {
    (void)layer.argumentError("index",
                              "'index' must be less than num_embeddings, " +
                                  Twine(size) + ", got " + Twine(index));
    return {};
  }
  std::vector<float> table = layer.readWeight("weight", {size, width});
  ArrayRef<float> row(table);
  row = row.slice(row.size() / size * index, row.size() / size);
  return layer.addUniform(layer.getInput(),
                          layer.constant("weight", row, {width}));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> gnn::frontend::getEmbeddingLayers() {
  using Kind = ArgumentKind;
  return {
      {"Embedding",
       buildEmbedding,
       Reads::Numbers,
       EdgeInput::None,
       {{"num_embeddings", Kind::Size},
        {"embedding_dim", Kind::Size},
        {"padding_idx", Kind::Ignored, "null"},
        {"norm_type", Kind::Ignored, "2.0"},
        {"scale_grad_by_freq", Kind::Ignored, "false"},
        {"sparse", Kind::Ignored, "false"}}},
      {"PositionEmbedding",
       buildPositionEmbedding,
       Reads::SquareGraph,
       EdgeInput::None,
       {{"num_embeddings", Kind::Size},
        {"embedding_dim", Kind::Size},
        {"offset", Kind::Count, "0"}}},
      {"AddEmbedding",
       buildAddEmbedding,
       Reads::Rows,
       EdgeInput::None,
       {{"num_embeddings", Kind::Size},
        {"embedding_dim", Kind::Size},
        {"index", Kind::Count, "0"}}},
  };
}
