//===- FeatureEmitter.cpp - What one edge contributes -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;

Value gnn::emitFilled(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                      TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, value.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

SmallVector<Value>
gnn::emitElementwise(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                     ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                     ValueRange outputs, ScalarBodyBuilder body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.append(outputs.size(), builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(outputs), inputs, outputs, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange args) {
        linalg::YieldOp::create(b, l, body(b, l, args));
      });
  return llvm::to_vector(llvm::map_range(
      generic.getResults(), [](OpResult result) -> Value { return result; }));
}

SliceParameters gnn::getRowSlice(OpBuilder &builder, RankedTensorType type,
                                 ArrayRef<Value> indices,
                                 std::optional<FeatureTile> tile,
                                 AffineMap map) {
  SliceParameters slice;
  for (Value index : indices) {
    slice.offsets.push_back(index);
    slice.sizes.push_back(builder.getIndexAttr(1));
  }
  for (auto [i, size] :
       llvm::enumerate(type.getShape().drop_front(indices.size()))) {
    bool isTiled =
        tile &&
        cast<AffineDimExpr>(map.getResult(i)).getPosition() == tile->loop;
    slice.offsets.push_back(isTiled ? OpFoldResult(tile->offset)
                                    : builder.getIndexAttr(0));
    slice.shape.push_back(isTiled ? tile->size : size);
    slice.sizes.push_back(builder.getIndexAttr(slice.shape.back()));
  }
  slice.strides.assign(slice.sizes.size(), builder.getIndexAttr(1));
  return slice;
}

Value gnn::emitRowSlice(OpBuilder &builder, Location loc, Value tensor,
                        ArrayRef<Value> indices,
                        std::optional<FeatureTile> tile, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (indices.empty() && !tile)
    return tensor;
  SliceParameters slice = getRowSlice(builder, type, indices, tile, map);
  auto result = RankedTensorType::get(slice.shape, type.getElementType());
  return tensor::ExtractSliceOp::create(
      builder, loc, result, tensor, slice.offsets, slice.sizes, slice.strides);
}

ArrayRef<Value> gnn::getLeadingIndices(OperandRole role,
                                       const EdgePosition &edge) {
  switch (role) {
  case OperandRole::Destination:
    return edge.destination;
  case OperandRole::Source:
    return edge.source;
  case OperandRole::Edge:
    return edge.indices;
  case OperandRole::Uniform:
    return {};
  }
  llvm_unreachable("covered switch");
}

/// Clones the ops that `value` is computed from, and returns what it became.
static Value cloneComputation(OpBuilder &builder, const EdgeFunction &function,
                              Value value, const EdgePosition &edge,
                              llvm::function_ref<Value(unsigned)> getLoopIndex,
                              IRMapping &mapping) {
  for (Operation *op : function.getComputation(value)) {
    if (auto index = dyn_cast<IndexOp>(op))
      mapping.map(index.getResult(), index.getSide() == NodeSide::Destination
                                         ? edge.destination
                                         : edge.source);
    else if (auto index = dyn_cast<FeatureIndexOp>(op))
      mapping.map(index.getResult(), getLoopIndex(index.getLoop()));
    else
      builder.clone(*op, mapping);
  }
  return mapping.lookupOrDefault(value);
}

namespace {
/// What a linalg.generic over the features of one edge reads.
struct EdgeInputs {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
};
} // namespace

/// With `reader`, a value of the region, only what that reads.
static EdgeInputs getEdgeInputs(OpBuilder &builder, Location loc,
                                const EdgeFunction &function,
                                const EdgePosition &edge,
                                std::optional<FeatureTile> tile,
                                IRMapping &mapping, Value reader = {}) {
  EdgeInputs inputs;
  for (auto [operand, role, map, argument] :
       llvm::zip(function.operands, function.roles, function.operandMaps,
                 function.body->getArguments())) {
    if (!isa<RankedTensorType>(operand.getType())) {
      mapping.map(argument, operand);
      continue;
    }
    if (reader && !function.reads(reader, argument))
      continue;
    // A tile of a loop the operand does not have leaves it whole.
    std::optional<FeatureTile> operandTile =
        tile && map.isFunctionOfDim(tile->loop) ? tile : std::nullopt;
    inputs.values.push_back(emitRowSlice(builder, loc, operand,
                                         getLeadingIndices(role, edge),
                                         operandTile, map));
    inputs.maps.push_back(map);
    inputs.arguments.push_back(argument);
  }
  return inputs;
}

Value gnn::emitEdgeValue(OpBuilder &builder, Location loc,
                         const EdgeFunction &function, const EdgePosition &edge,
                         std::optional<FeatureTile> tile) {
  IRMapping mapping;
  EdgeInputs inputs =
      getEdgeInputs(builder, loc, function, edge, tile, mapping);
  SmallVector<int64_t> shape = getResultShape(function);
  if (tile)
    for (auto [expr, size] : llvm::zip(function.resultMap.getResults(), shape))
      if (cast<AffineDimExpr>(expr).getPosition() == tile->loop)
        size = tile->size;
  Type elementType = function.getResultElementType();
  Value init =
      function.hasReduction()
          ? emitFilled(builder, loc, shape,
                       cast<TypedAttr>(builder.getZeroAttr(elementType)))
          : tensor::EmptyOp::create(builder, loc, shape, elementType)
                .getResult();
  auto getIndex = [&](OpBuilder &b, Location l, unsigned loop,
                      unsigned position) -> Value {
    Value index = linalg::IndexOp::create(b, l, position);
    if (!tile || tile->loop != loop)
      return index;
    return arith::AddIOp::create(b, l, index, tile->offset);
  };

  SmallVector<AffineMap> maps(inputs.maps);
  maps.push_back(function.resultMap);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, inputs.values, ValueRange{init},
      maps, function.iterators, [&](OpBuilder &b, Location l, ValueRange args) {
        for (auto [argument, value] : llvm::zip(inputs.arguments, args))
          mapping.map(argument, value);
        if (BlockArgument accumulator = function.getAccumulator())
          mapping.map(accumulator, args.back());
        Value result = cloneComputation(
            b, function, function.getAccumulated(), edge,
            [&](unsigned loop) { return getIndex(b, l, loop, loop); }, mapping);
        linalg::YieldOp::create(b, l, result);
      });
  Operation *reduced = function.getReduced();
  if (!reduced)
    return generic.getResult(0);

  // What follows the reduction, over the loops of the result.
  FinishMaps finish(function.iterators);
  SmallVector<Value> values;
  SmallVector<AffineMap> finishMaps;
  SmallVector<BlockArgument> arguments;
  for (auto [value, map, argument] :
       llvm::zip(inputs.values, inputs.maps, inputs.arguments)) {
    if (!finish.reads(map))
      continue;
    values.push_back(value);
    finishMaps.push_back(finish.get(map));
    arguments.push_back(argument);
  }
  SmallVector<AffineMap> allMaps(finishMaps);
  values.push_back(generic.getResult(0));
  allMaps.append(2, finish.get(function.resultMap));
  Value empty = tensor::EmptyOp::create(builder, loc, shape, elementType);
  auto finished = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, values, ValueRange{empty},
      allMaps, finish.getIterators(),
      [&](OpBuilder &b, Location l, ValueRange args) {
        IRMapping after;
        for (auto [operand, argument] :
             llvm::zip(function.operands, function.body->getArguments()))
          after.map(argument, operand); // Scalars stay; the others follow.
        for (auto [argument, value] : llvm::zip(arguments, args))
          after.map(argument, value);
        after.map(reduced->getResult(0), args[arguments.size()]);
        Value result = cloneComputation(
            b, function, function.getYieldedValue(), edge,
            [&](unsigned loop) {
              return getIndex(b, l, loop, finish.getPosition(loop));
            },
            after);
        linalg::YieldOp::create(b, l, result);
      });
  return finished.getResult(0);
}

Value gnn::emitEdgeScalar(OpBuilder &builder, Location loc,
                          const EdgeFunction &function, Value value,
                          const EdgePosition &edge) {
  IRMapping mapping;
  for (auto [operand, role, map, argument] :
       llvm::zip(function.operands, function.roles, function.operandMaps,
                 function.body->getArguments())) {
    if (!isa<RankedTensorType>(operand.getType()))
      mapping.map(argument, operand);
    else if (map.getNumResults() == 0)
      mapping.map(argument,
                  tensor::ExtractOp::create(builder, loc, operand,
                                            getLeadingIndices(role, edge)));
  }
  return cloneComputation(
      builder, function, value, edge,
      [](unsigned) -> Value {
        llvm_unreachable("what is the same for all features reads no index");
      },
      mapping);
}

Value gnn::emitEdgePart(OpBuilder &builder, Location loc,
                        const EdgeFunction &function, Value value,
                        ArrayRef<unsigned> loops, ArrayRef<int64_t> shape,
                        const EdgePosition &edge) {
  auto getPosition = [&](unsigned loop) -> unsigned {
    return llvm::find(loops, loop) - loops.begin();
  };
  IRMapping mapping;
  EdgeInputs inputs =
      getEdgeInputs(builder, loc, function, edge, std::nullopt, mapping, value);
  for (AffineMap &map : inputs.maps) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(builder.getAffineDimExpr(
          getPosition(cast<AffineDimExpr>(expr).getPosition())));
    map = AffineMap::get(loops.size(), 0, results, builder.getContext());
  }
  Value empty = tensor::EmptyOp::create(builder, loc, shape, value.getType());
  return emitElementwise(
             builder, loc, shape, inputs.values, inputs.maps, empty,
             [&](OpBuilder &b, Location l, ValueRange args) {
               for (auto [argument, input] : llvm::zip(inputs.arguments, args))
                 mapping.map(argument, input);
               return SmallVector<Value>{cloneComputation(
                   b, function, value, edge,
                   [&](unsigned loop) -> Value {
                     return linalg::IndexOp::create(b, l, getPosition(loop));
                   },
                   mapping)};
             })
      .front();
}
