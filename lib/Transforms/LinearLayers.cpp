//===- LinearLayers.cpp - Products of rows and weights ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/LinearLayers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gnn;

bool gnn::isLinearLayer(linalg::MatmulOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.hasUserDefinedMaps())
    return false;
  auto rows = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto weights = cast<RankedTensorType>(op.getInputs()[1].getType());
  auto result = cast<RankedTensorType>(op.getResult(0).getType());
  if (!weights.hasStaticShape() || !result.isDynamicDim(0) ||
      rows.isDynamicDim(1) || result.isDynamicDim(1))
    return false;
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) {
        return getElementTypeOrSelf(type) != result.getElementType();
      }))
    return false;
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

Value gnn::createLinearLayer(OpBuilder &builder, Location loc, Value rows,
                             Value weights) {
  auto type = cast<RankedTensorType>(weights.getType());
  Value numRows = builder.createOrFold<tensor::DimOp>(loc, rows, 0);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  SmallVector<OpFoldResult> shape{numRows,
                                  builder.getIndexAttr(type.getDimSize(1))};
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  Value filled = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return linalg::MatmulOp::create(builder, loc, ValueRange{rows, weights},
                                  ValueRange{filled})
      .getResult(0);
}

Value gnn::splitColumns(OpBuilder &builder, Location loc, Value rows,
                        ArrayRef<int64_t> features, Value counted) {
  if (features.size() == 1)
    return rows;
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, features);
  SmallVector<OpFoldResult> sizes{
      tensor::getMixedSize(builder, loc, counted, 0)};
  llvm::append_range(sizes,
                     getAsIndexOpFoldResult(builder.getContext(), features));
  ReassociationIndices columns(
      llvm::to_vector(llvm::seq<int64_t>(1, shape.size())));
  Type element = cast<RankedTensorType>(rows.getType()).getElementType();
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, element), rows,
      ArrayRef<ReassociationIndices>{{0}, columns}, sizes);
}

Value gnn::createRowUpdate(OpBuilder &builder, Location loc, ValueRange nodes,
                           ValueRange uniforms, ScalarFunction function) {
  auto type = cast<RankedTensorType>(nodes.front().getType());
  AffineMap row = builder.getMultiDimIdentityMap(1),
            none = AffineMap::get(1, 0, builder.getContext());
  SmallVector<AffineMap> maps;
  for (Value operand : nodes) {
    bool hasFeatures = cast<RankedTensorType>(operand.getType()).getRank() > 1;
    maps.push_back(hasFeatures ? row : none);
  }
  maps.append(uniforms.size() + 1, row);
  auto update = UpdateOp::create(
      builder, loc, type, nodes, uniforms, builder.getAffineMapArrayAttr(maps),
      builder.getStrArrayAttr(
          utils::stringifyIteratorType(utils::IteratorType::parallel)));
  OpBuilder::InsertionGuard guard(builder);
  unsigned numOperands = nodes.size() + uniforms.size();
  SmallVector<Type> types(numOperands, type.getElementType());
  SmallVector<Location> locations(numOperands, loc);
  Block *body = builder.createBlock(&update.getBody(), {}, types, locations);
  YieldOp::create(builder, loc, function(builder, loc, body->getArguments()));
  return update.getResult();
}

std::optional<ConstantBytes> gnn::getConstantBytes(Value constant) {
  ElementsAttr value;
  if (!matchPattern(constant, m_Constant(&value)))
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    ShapedType type = resource.getType();
    if (!blob ||
        blob->getData().size() * 8 !=
            size_t(type.getNumElements()) * type.getElementTypeBitWidth())
      return std::nullopt;
    return ConstantBytes{blob->getData(), resource.getRawHandle().getKey()};
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.isSplat())
    return std::nullopt;
  return ConstantBytes{elements.getRawData(), "weight"};
}

std::optional<Weights> gnn::getWeights(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isF32())
    return std::nullopt;
  std::optional<ConstantBytes> bytes = getConstantBytes(value);
  if (!bytes)
    return std::nullopt;
  ArrayRef data(reinterpret_cast<const float *>(bytes->data.data()),
                bytes->data.size() / sizeof(float));
  return Weights{data, bytes->name};
}

std::optional<SmallVector<tensor::DimOp>> gnn::getRowCounts(Value value,
                                                            Operation *reader) {
  SmallVector<tensor::DimOp> counts;
  for (Operation *user : value.getUsers()) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    if (dim && dim.getConstantIndex() == 0)
      counts.push_back(dim);
    else if (user != reader)
      return std::nullopt;
  }
  return counts;
}

void gnn::setCounted(RewriterBase &rewriter, ArrayRef<tensor::DimOp> counts,
                     Value rows) {
  for (tensor::DimOp count : counts)
    rewriter.modifyOpInPlace(count,
                             [&] { count.getSourceMutable().assign(rows); });
}

std::optional<BiasedLayer> gnn::getBiasedLayer(Value value, Operation *reader) {
  BiasedLayer result;
  auto addCounts = [&] {
    std::optional<SmallVector<tensor::DimOp>> counts =
        getRowCounts(value, reader);
    if (counts)
      result.counts.append(*counts);
    return counts.has_value();
  };
  if (auto update = value.getDefiningOp<UpdateOp>()) {
    if (!getBias(update) || !addCounts())
      return std::nullopt;
    result.bias = update;
    reader = update;
    value = update.getNode().front();
  }
  result.layer = value.getDefiningOp<linalg::MatmulOp>();
  if (!isLinearLayer(result.layer) || !addCounts())
    return std::nullopt;
  return result;
}

bool gnn::isSumOrMean(ArrayAttr aggregators) {
  if (aggregators.size() != 1)
    return false;
  Aggregator aggregator = cast<AggregatorAttr>(aggregators[0]).getValue();
  return aggregator == Aggregator::Sum || aggregator == Aggregator::Mean;
}

bool gnn::multipliesArguments(const EdgeFunction &function) {
  BlockArgument accumulator = function.getAccumulator();
  auto sum = function.getYieldedValue().getDefiningOp<arith::AddFOp>();
  if (!accumulator || !sum || function.getReduced() ||
      !function.getResultElementType().isF32())
    return false;
  unsigned ofProduct = sum.getLhs() == accumulator ? 1 : 0;
  auto product = sum->getOperand(ofProduct).getDefiningOp<arith::MulFOp>();
  return sum->getOperand(1 - ofProduct) == accumulator && product &&
         product.getLhs() != product.getRhs() &&
         llvm::all_of(product->getOperands(), [&](Value value) {
           auto argument = dyn_cast<BlockArgument>(value);
           return argument && argument.getOwner() == &function.body->front() &&
                  argument != accumulator;
         });
}

SmallVector<int64_t> gnn::getLoopStrides(AffineMap map,
                                         ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t i = shape.size() - 1; i >= 0; --i) {
    strides[map.getDimPosition(i)] += stride;
    stride *= shape[i];
  }
  return strides;
}

std::optional<Weights> gnn::getOnlyWeights(UpdateOp op) {
  if (op.getNode().size() != 1 || op.getUniform().size() != 1)
    return std::nullopt;
  return getWeights(op.getUniform().front());
}

std::optional<Weights> gnn::getBias(UpdateOp op) {
  EdgeFunction function = op.getEdgeFunction();
  Block &body = function.body->front();
  if (function.hasReduction() || !function.resultMap.isIdentity() ||
      !llvm::all_of(function.operandMaps,
                    [](AffineMap map) { return map.isIdentity(); }) ||
      body.getNumArguments() != 2)
    return std::nullopt;
  auto sum = function.getYieldedValue().getDefiningOp<arith::AddFOp>();
  if (!sum || sum.getLhs() == sum.getRhs() ||
      !llvm::all_of(sum->getOperands(), [&](Value term) {
        auto argument = dyn_cast<BlockArgument>(term);
        return argument && argument.getOwner() == &body;
      }))
    return std::nullopt;
  return getOnlyWeights(op);
}

Value gnn::createWeights(OpBuilder &builder, Location loc, StringRef name,
                         ArrayRef<int64_t> shape, ArrayRef<float> data) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  ArrayRef bytes(reinterpret_cast<const char *>(data.data()),
                 data.size() * sizeof(float));
  return arith::ConstantOp::create(builder, loc,
                                   createResource(type, name, bytes));
}

ElementsAttr gnn::createResource(RankedTensorType type, StringRef name,
                                 ArrayRef<char> data) {
  // MLIR divides by the number of a resource's elements.
  if (data.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  return DenseResourceElementsAttr::get(
      type, name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(data, /*align=*/64,
                                                    /*dataIsMutable=*/false));
}

Value gnn::createRows(OpBuilder &builder, Location loc, RankedTensorType type,
                      const ConstantBytes &weights, ArrayRef<RowRange> ranges) {
  int64_t width = type.getDimSize(1), height = 0;
  int64_t rowBytes = width * (type.getElementTypeBitWidth() / 8);
  std::vector<char> data;
  for (RowRange range : ranges) {
    llvm::append_range(data, weights.data.slice(range.first * rowBytes,
                                                range.count * rowBytes));
    height += range.count;
  }
  std::string name =
      (weights.name + "_rows" + Twine(ranges.front().first)).str();
  return arith::ConstantOp::create(
      builder, loc,
      createResource(
          RankedTensorType::get({height, width}, type.getElementType()), name,
          data));
}

void gnn::eraseDeadOps(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}
