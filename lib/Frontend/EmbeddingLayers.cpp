//===- EmbeddingLayers.cpp - Rows of learnt tables --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerParts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::frontend;

/// The input that a value is. Null after an error.
static BlockArgument getArgument(LayerBuilder &layer, Value value) {
  if (auto edges = value.getDefiningOp<EdgesFromTensorOp>())
    value = edges.getTensor();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return argument;
  (void)layer.error(layer.describe() +
                    " reads whole numbers that no input gives");
  return {};
}

/// Lowers the limit of an input, or that of each column where there are several
/// or the input has such already.
static void setLimits(BlockArgument argument, SmallVector<int32_t> limits) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  StringRef name = GNNDialect::kLimitAttr;
  if (auto others =
          function.getArgAttrOfType<DenseI32ArrayAttr>(number, name)) {
    limits.resize(others.size(), limits.front());
    for (auto [limit, other] : llvm::zip_equal(limits, others.asArrayRef()))
      limit = std::min(limit, other);
  } else if (auto other =
                 function.getArgAttrOfType<IntegerAttr>(number, name)) {
    for (int32_t &limit : limits)
      limit = std::min<int64_t>(limit, other.getInt());
  }
  Builder builder(function.getContext());
  function.setArgAttr(number, name,
                      limits.size() == 1
                          ? Attribute(builder.getI64IntegerAttr(limits.front()))
                          : builder.getDenseI32ArrayAttr(limits));
}

LogicalResult gnn::frontend::limitArgument(LayerBuilder &layer, Value value,
                                           int64_t limit) {
  BlockArgument argument = getArgument(layer, value);
  if (!argument)
    return failure();
  setLimits(argument, {static_cast<int32_t>(limit)});
  return success();
}

LogicalResult gnn::frontend::limitArgument(LayerBuilder &layer, Value value,
                                           ArrayRef<int32_t> limits) {
  BlockArgument argument = getArgument(layer, value);
  if (!argument)
    return failure();
  setLimits(argument, llvm::to_vector(limits));
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

/// The sum of a row of each of several tables, by the numbers of a row.
static Value buildColumnEmbeddings(LayerBuilder &layer, StringRef tables) {
  OpBuilder &builder = layer.getBuilder();
  Value numbers = layer.getInput();
  int64_t width = layer.getSize("emb_dim");
  SmallVector<int32_t> sizes = llvm::map_to_vector(
      layer.getArgument("num_embeddings").elements,
      [](const Node &size) { return int32_t(*size.getInteger()); });
  ArrayRef<int64_t> shape = getRowShape(numbers);
  if (shape != ArrayRef<int64_t>(sizes.size())) {
    (void)layer.argumentError(
        "num_embeddings",
        layer.describe() + " has " + Twine(sizes.size()) +
            " tables and needs rows of so many whole numbers, but '" +
            layer.getInputs().front().name + "' has " +
            (shape.empty() ? "one each" : "rows of " + formatShape(shape)));
    return {};
  }
  if (failed(limitArgument(layer, numbers, sizes)))
    return {};
  auto type = cast<RankedTensorType>(numbers.getType());
  auto columnType =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> extents{layer.getNumRows(numbers),
                                    builder.getIndexAttr(1)};
  SmallVector<Value> rows;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    offsets[1] = builder.getIndexAttr(i);
    Value column =
        tensor::ExtractSliceOp::create(builder, layer.getLoc(), columnType,
                                       numbers, offsets, extents, strides);
    std::string name = (tables + "." + Twine(i) + ".weight").str();
    rows.push_back(LookupOp::create(builder, layer.getLoc(),
                                    layer.weight(name, {size, width}), column));
  }
  return layer.elementwise(rows, [](ScalarBuilder &s, ValueRange v) {
    Value sum = v[0];
    for (Value other : v.drop_front())
      sum = s.add(sum, other);
    return sum;
  });
}

static Value buildAtomEncoder(LayerBuilder &layer) {
  return buildColumnEmbeddings(layer, "atom_embedding_list");
}

static Value buildBondEncoder(LayerBuilder &layer) {
  return buildColumnEmbeddings(layer, "bond_embedding_list");
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
      // Properties of molecules, as many as the Open Graph Benchmark has.
      {"AtomEncoder",
       buildAtomEncoder,
       Reads::Numbers,
       EdgeInput::None,
       {{"emb_dim", Kind::Size},
        {"num_embeddings", Kind::Sizes, "[119, 5, 12, 12, 10, 6, 6, 2, 2]"}}},
      {"BondEncoder",
       buildBondEncoder,
       Reads::Numbers,
       EdgeInput::None,
       {{"emb_dim", Kind::Size}, {"num_embeddings", Kind::Sizes, "[5, 6, 2]"}}},
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
