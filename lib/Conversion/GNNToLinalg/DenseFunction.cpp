//===- DenseFunction.cpp - Edge functions over pairs of nodes ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseFunction.h"
#include "../Common/EdgeTensors.h"
#include "../Common/ScalarEmitter.h"
#include "GenericEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

AffineMap gnn::getLeadingMap(MLIRContext *context, unsigned numLeading,
                             ArrayRef<unsigned> keep, AffineMap map) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : keep)
    results.push_back(getAffineDimExpr(loop, context));
  for (AffineExpr expr : map.getResults())
    results.push_back(expr.shiftDims(map.getNumDims(), numLeading));
  return AffineMap::get(map.getNumDims() + numLeading, 0, results, context);
}

/// Which of the leading loops address an operand.
static SmallVector<unsigned> getLeadingLoops(OperandRole role,
                                             const LeadingLoops &leading) {
  switch (role) {
  case OperandRole::Destination:
    return {leading.destination};
  case OperandRole::Source:
    return {leading.source};
  case OperandRole::Edge:
    return {leading.destination, leading.source};
  case OperandRole::Uniform:
    return {};
  }
  llvm_unreachable("covered switch");
}

DenseFunction gnn::getDenseFunction(const EdgeFunction &function,
                                    LeadingLoops leading) {
  MLIRContext *context = function.resultMap.getContext();
  DenseFunction dense;
  dense.function = function;
  dense.leading = leading;
  for (auto [value, role, map, argument] :
       llvm::zip(function.operands, function.roles, function.operandMaps,
                 function.body->getArguments())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    dense.inputs.push_back(value);
    dense.arguments.push_back(argument);
    dense.maps.push_back(getLeadingMap(context, leading.number,
                                       getLeadingLoops(role, leading), map));
  }
  dense.isInBlock.assign(dense.inputs.size(), false);
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, leading.number));
  dense.resultMap =
      getLeadingMap(context, leading.number, all, function.resultMap);
  dense.resultShape = getResultShape(function);
  dense.iterators.assign(leading.number, utils::IteratorType::parallel);
  llvm::append_range(dense.iterators, function.iterators);
  for (unsigned loop = 0; loop < function.getNumLoops(); ++loop)
    dense.featureLoops.push_back({leading.number + loop, Value()});
  return dense;
}

/// `map` without dimension `dim` and the results that are nothing else.
static AffineMap dropDimension(AffineMap map, unsigned dim) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims, results;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    dims.push_back(getAffineDimExpr(i > dim ? i - 1 : i, context));
  for (AffineExpr expr : map.getResults())
    if (expr != getAffineDimExpr(dim, context))
      results.push_back(expr.replaceDims(dims));
  return AffineMap::get(map.getNumDims() - 1, 0, results, context);
}

DenseFunction gnn::fixFeatureLoop(OpBuilder &builder, Location loc,
                                  DenseFunction dense, unsigned loop,
                                  Value index) {
  unsigned position = dense.featureLoops[loop].position;
  AffineExpr fixed = getAffineDimExpr(position, builder.getContext());
  for (auto [input, map] : llvm::zip(dense.inputs, dense.maps)) {
    if (map.isFunctionOfDim(position)) {
      auto type = cast<RankedTensorType>(input.getType());
      SmallVector<OpFoldResult> offsets(type.getRank(),
                                        builder.getIndexAttr(0));
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(builder, loc, input);
      SmallVector<OpFoldResult> strides(type.getRank(),
                                        builder.getIndexAttr(1));
      SmallVector<int64_t> shape;
      for (auto [i, expr] : llvm::enumerate(map.getResults())) {
        if (expr != fixed) {
          shape.push_back(type.getDimSize(i));
          continue;
        }
        offsets[i] = index;
        sizes[i] = builder.getIndexAttr(1);
      }
      input = tensor::ExtractSliceOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          input, offsets, sizes, strides);
    }
    map = dropDimension(map, position);
  }
  unsigned numResults = dense.resultMap.getNumResults();
  for (unsigned i = dense.leading.number; i < numResults; ++i)
    if (dense.resultMap.getResult(i) == fixed)
      dense.resultShape.erase(dense.resultShape.begin() + i -
                              dense.leading.number);
  dense.resultMap = dropDimension(dense.resultMap, position);
  dense.iterators.erase(dense.iterators.begin() + position);
  for (FeatureLoop &other : dense.featureLoops)
    if (!other.index && other.position > position)
      --other.position;
  dense.featureLoops[loop].index = index;
  return dense;
}

/// The part of `input` that belongs to `block`.
static Value sliceInput(OpBuilder &builder, Location loc, Value input,
                        AffineMap map, const LeadingLoops &leading,
                        const DenseBlock &block) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  bool isWhole = true;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop != leading.destination && loop != leading.source) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(type.getDimSize(i)));
      shape.push_back(type.getDimSize(i));
      continue;
    }
    isWhole = false;
    bool isDestination = loop == leading.destination;
    offsets.push_back(isDestination ? block.firstDestination
                                    : block.firstSource);
    sizes.push_back(isDestination ? block.numDestinations : block.numSources);
    std::optional<int64_t> size = getConstantIntValue(sizes.back());
    shape.push_back(size.value_or(ShapedType::kDynamic));
  }
  if (isWhole)
    return input;
  return tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), input,
      offsets, sizes, strides);
}

DenseFunction gnn::sliceToBlock(OpBuilder &builder, Location loc,
                                DenseFunction dense, const DenseBlock &block) {
  for (auto [input, map, isInBlock] :
       llvm::zip(dense.inputs, dense.maps, dense.isInBlock))
    if (!isInBlock)
      input = sliceInput(builder, loc, input, map, dense.leading, block);
  return dense;
}

DenseFunction gnn::sliceSources(OpBuilder &builder, Location loc,
                                DenseFunction dense, const DenseBlock &block) {
  for (auto [input, map, isInBlock] :
       llvm::zip(dense.inputs, dense.maps, dense.isInBlock)) {
    if (isInBlock || !map.isFunctionOfDim(dense.leading.source) ||
        map.isFunctionOfDim(dense.leading.destination))
      continue;
    input = sliceInput(builder, loc, input, map, dense.leading, block);
    isInBlock = true;
  }
  return dense;
}

DenseFunction gnn::limitSources(OpBuilder &builder, Location loc,
                                DenseFunction dense, OpFoldResult numSources) {
  DenseBlock block;
  block.firstSource = builder.getIndexAttr(0);
  block.numSources = numSources;
  for (auto [input, map, isInBlock] :
       llvm::zip(dense.inputs, dense.maps, dense.isInBlock))
    if (isInBlock && map.isFunctionOfDim(dense.leading.source) &&
        !map.isFunctionOfDim(dense.leading.destination))
      input = sliceInput(builder, loc, input, map, dense.leading, block);
  return dense;
}

/// Memory for `lanes` rows, with 0 in those behind the first ones, which are of
/// `sizes`: all of these but the first are known.
static Value emitZerosBehind(OpBuilder &builder, Location loc,
                             ArrayRef<OpFoldResult> sizes, int64_t lanes,
                             Type elementType) {
  SmallVector<int64_t> shape = *getConstantIntValues(sizes.drop_front());
  shape.insert(shape.begin(), lanes);
  // No tensor.empty, which would become as small as a slice of it.
  Value memory = bufferization::AllocTensorOp::create(
      builder, loc, RankedTensorType::get(shape, elementType),
      /*dynamicSizes=*/ValueRange());
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> rest(sizes);
  offsets[0] = sizes[0];
  rest[0] =
      arith::SubIOp::create(
          builder, loc, arith::ConstantIndexOp::create(builder, loc, lanes),
          getValueOrCreateConstantIndexOp(builder, loc, sizes[0]))
          .getResult();
  Value behind = tensor::ExtractSliceOp::create(builder, loc, memory, offsets,
                                                rest, strides);
  Value zeros = emitFill(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(elementType)), behind);
  return tensor::InsertSliceOp::create(builder, loc, zeros, memory, offsets,
                                       rest, strides);
}

/// `tensor` with its dimensions in the order of `permutation`, times `factor`,
/// in `place`.
static Value transpose(OpBuilder &builder, Location loc, Value tensor,
                       ArrayRef<int64_t> permutation, double factor,
                       Value place) {
  if (factor == 1)
    return linalg::TransposeOp::create(builder, loc, tensor, place, permutation)
        ->getResult(0);
  AffineMap output = builder.getMultiDimIdentityMap(permutation.size());
  AffineMap input = inversePermutation(
      AffineMap::getPermutationMap(permutation, builder.getContext()));
  SmallVector<utils::IteratorType> parallel(permutation.size(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, place.getType(), tensor, place,
             ArrayRef({input, output}), parallel,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value by = emitScalar(b, l, args[0].getType(), factor);
               linalg::YieldOp::create(b, l, emitMul(b, l, args[0], by));
             })
      .getResult(0);
}

/// `rows` times `factor` with the first dimension last, filled up with 0 to
/// `lanes`.
/// `maxColumns` is the largest size of the second dimension, or 0 if that is
/// known. The result takes `place` if there is one.
static Value packRows(OpBuilder &builder, Location loc, Value rows,
                      double factor, int64_t lanes, int64_t maxColumns,
                      Value place) {
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, rows);
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> padded(sizes);
  padded[0] = builder.getIndexAttr(lanes);
  if (maxColumns)
    padded[1] = builder.getIndexAttr(maxColumns);
  Type elementType = type.getElementType();
  bool isStaticRow = !ShapedType::isDynamicShape(type.getShape().drop_front());
  // Of several tiles all but the last are full: zeros in all of them would take
  // as long as the rows.
  Value filled =
      place && !maxColumns && isStaticRow
          ? emitZerosBehind(builder, loc, sizes, lanes, elementType)
          : emitFill(
                builder, loc, cast<TypedAttr>(builder.getZeroAttr(elementType)),
                tensor::EmptyOp::create(builder, loc, padded, elementType));
  Value whole = tensor::InsertSliceOp::create(builder, loc, rows, filled, zeros,
                                              sizes, ones);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
  permutation.push_back(0);
  std::rotate(padded.begin(), padded.begin() + 1, padded.end());
  if (!place)
    place = tensor::EmptyOp::create(builder, loc, padded, elementType);
  Value packed = transpose(builder, loc, whole, permutation, factor, place);
  if (!maxColumns)
    return packed;
  padded[0] = sizes[1];
  return tensor::ExtractSliceOp::create(builder, loc, packed, zeros, padded,
                                        ones);
}

DenseFunction gnn::packDestinations(OpBuilder &builder, Location loc,
                                    DenseFunction dense,
                                    const DenseBlock &block, int64_t lanes,
                                    ValueRange places, double factor) {
  for (auto [input, map, isInBlock] :
       llvm::zip(dense.inputs, dense.maps, dense.isInBlock)) {
    if (isInBlock || !map.isFunctionOfDim(dense.leading.destination) ||
        (!block.numSources && map.isFunctionOfDim(dense.leading.source)))
      continue;
    Value rows = sliceInput(builder, loc, input, map, dense.leading, block);
    bool hasSources = map.isFunctionOfDim(dense.leading.source);
    Value place;
    if (!places.empty()) {
      place = places.front();
      places = places.drop_front();
    }
    input = packRows(builder, loc, rows, factor, lanes,
                     hasSources ? block.maxSources : 0, place);
    // Destinations led the operand.
    SmallVector<AffineExpr> results(map.getResults().drop_front());
    results.push_back(map.getResult(0));
    map = AffineMap::get(map.getNumDims(), 0, results, builder.getContext());
    isInBlock = true;
  }
  return dense;
}
