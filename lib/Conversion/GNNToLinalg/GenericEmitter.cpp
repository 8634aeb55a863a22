//===- GenericEmitter.cpp - linalg.generic of edge functions ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericEmitter.h"
#include "../Common/EdgeTensors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gnn;

/// Keeps what the edge chooses of a table within it: the region promises
/// nothing about pairs that are no edges, nor where there are zeros behind the
/// last row.
static void clampLookup(OpBuilder &builder, tensor::ExtractOp lookup) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(lookup);
  Location loc = lookup.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (auto [i, index] : llvm::enumerate(lookup.getIndicesMutable())) {
    if (isa_and_present<linalg::IndexOp, arith::ConstantOp>(
            index.get().getDefiningOp()))
      continue;
    Value size =
        builder.createOrFold<tensor::DimOp>(loc, lookup.getTensor(), i);
    Value last = builder.createOrFold<arith::SubIOp>(loc, size, one);
    Value bounded = arith::MinSIOp::create(builder, loc, index.get(), last);
    index.set(arith::MaxSIOp::create(builder, loc, bounded, zero));
  }
}

/// Clones the ops that `value` is computed from, and returns what it became.
/// `getLoop` finds the loop that runs where one of `dense` runs.
static Value cloneComputation(OpBuilder &builder, const DenseFunction &dense,
                              Value value, IRMapping &mapping,
                              const EdgeEnds &ends,
                              llvm::function_ref<unsigned(unsigned)> getLoop) {
  for (Operation *op : dense.function.getComputation(value)) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(index.getResult(), index.getSide() == NodeSide::Destination
                                         ? ends.destination
                                         : ends.source);
    } else if (auto index = dyn_cast<FeatureIndexOp>(op)) {
      FeatureLoop loop = dense.featureLoops[index.getLoop()];
      if (!loop.index)
        loop.index = linalg::IndexOp::create(builder, op->getLoc(),
                                             getLoop(loop.position));
      mapping.map(index.getResult(), loop.index);
    } else {
      Operation *clone = builder.clone(*op, mapping);
      if (auto lookup = dyn_cast<tensor::ExtractOp>(clone);
          lookup && ends.destination)
        clampLookup(builder, lookup);
    }
  }
  return mapping.lookupOrDefault(value);
}

/// Maps the region's arguments: scalar operands stay what they are.
static void mapArguments(const DenseFunction &dense,
                         ArrayRef<BlockArgument> arguments, ValueRange values,
                         IRMapping &mapping) {
  for (auto [value, argument] :
       llvm::zip(dense.function.operands, dense.function.body->getArguments()))
    mapping.map(argument, value);
  for (auto [argument, value] : llvm::zip(arguments, values))
    mapping.map(argument, value);
}

Value gnn::cloneBody(OpBuilder &builder, const DenseFunction &dense,
                     ValueRange values, Value accumulator,
                     const EdgeEnds &ends) {
  IRMapping mapping;
  const EdgeFunction &function = dense.function;
  mapArguments(dense, dense.arguments, values, mapping);
  if (BlockArgument argument = function.getAccumulator())
    mapping.map(argument, accumulator);
  return cloneComputation(builder, dense, function.getAccumulated(), mapping,
                          ends, [](unsigned loop) { return loop; });
}

/// linalg.index `loop` plus `first`.
static Value emitIndex(OpBuilder &builder, Location loc, unsigned loop,
                       OpFoldResult first) {
  Value index = linalg::IndexOp::create(builder, loc, loop);
  if (getConstantIntValue(first) == 0)
    return index;
  Value offset = getValueOrCreateConstantIndexOp(builder, loc, first);
  return arith::AddIOp::create(builder, loc, index, offset);
}

std::pair<Value, Value> gnn::emitNodes(OpBuilder &builder, Location loc,
                                       const LeadingLoops &leading,
                                       const DenseBlock &block) {
  Value destination =
      emitIndex(builder, loc, leading.destination, block.firstDestination);
  if (block.destinationExtent) {
    Value last = arith::AddIOp::create(
        builder, loc,
        getValueOrCreateConstantIndexOp(builder, loc, block.firstDestination),
        arith::SubIOp::create(builder, loc,
                              getValueOrCreateConstantIndexOp(
                                  builder, loc, block.numDestinations),
                              arith::ConstantIndexOp::create(builder, loc, 1)));
    destination = arith::MinSIOp::create(builder, loc, destination, last);
  }
  return {destination,
          emitIndex(builder, loc, leading.source, block.firstSource)};
}

Value gnn::emitIsEdge(OpBuilder &builder, Location loc, GNNGraphType graph,
                      Value destination, Value source) {
  if (graph.getTopology() == Topology::Causal)
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                 source, destination);
  if (graph.getTopology() != Topology::Window)
    return {};
  Value window =
      arith::ConstantIndexOp::create(builder, loc, graph.getWindow());
  Value last = arith::AddIOp::create(builder, loc, destination, window);
  Value lastFromSource = arith::AddIOp::create(builder, loc, source, window);
  Value notAfter = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, source, last);
  Value notBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, destination, lastFromSource);
  return arith::AndIOp::create(builder, loc, notAfter, notBefore);
}

OpFoldResult gnn::emitTileSize(OpBuilder &b, Location loc, Value first,
                               Value end, int64_t size) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  AffineMap map = AffineMap::get(2, 0, {b.getAffineConstantExpr(size), d1 - d0},
                                 b.getContext());
  return affine::AffineMinOp::create(b, loc, map, ValueRange{first, end})
      .getResult();
}

Value gnn::emitEmpty(OpBuilder &builder, Location loc,
                     ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> shape,
                     Type elementType) {
  SmallVector<OpFoldResult> all(sizes);
  for (int64_t size : shape)
    all.push_back(builder.getIndexAttr(size));
  return tensor::EmptyOp::create(builder, loc, all, elementType);
}

Value gnn::emitFill(OpBuilder &builder, Location loc, TypedAttr value,
                    Value empty) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// What follows the reduction of `dense`, in the place of `reducedValues`.
static Value emitFinish(OpBuilder &builder, Location loc,
                        const DenseFunction &dense, Value reducedValues,
                        EndsBuilder getEnds) {
  const EdgeFunction &function = dense.function;
  FinishMaps finish(dense.iterators);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (auto [input, map, argument] :
       llvm::zip(dense.inputs, dense.maps, dense.arguments)) {
    if (!finish.reads(map))
      continue;
    inputs.push_back(input);
    maps.push_back(finish.get(map));
    arguments.push_back(argument);
  }
  maps.push_back(finish.get(dense.resultMap));
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{reducedValues.getType()}, inputs,
      ValueRange{reducedValues}, maps, finish.getIterators(),
      [&](OpBuilder &b, Location l, ValueRange args) {
        IRMapping mapping;
        mapArguments(dense, arguments, args, mapping);
        mapping.map(function.getReduced()->getResult(0), args.back());
        Value result = cloneComputation(
            b, dense, function.getYieldedValue(), mapping, getEnds(b, l),
            [&](unsigned loop) { return finish.getPosition(loop); });
        linalg::YieldOp::create(b, l, result);
      });
  return generic.getResult(0);
}

Value gnn::emitValues(OpBuilder &builder, Location loc,
                      const DenseFunction &dense, Value empty,
                      EndsBuilder getEnds) {
  const EdgeFunction &function = dense.function;
  Type elementType = function.getResultElementType();
  Value init = empty;
  if (function.hasReduction())
    init = emitFill(builder, loc,
                    cast<TypedAttr>(builder.getZeroAttr(elementType)), empty);
  // What only follows the reduction is no part of it, which is then a plain
  // contraction.
  SmallVector<Operation *> ops =
      function.getComputation(function.getAccumulated());
  DenseFunction part = dense;
  part.inputs.clear();
  part.maps.clear();
  part.arguments.clear();
  // Loops whose extent an input or the result gives.
  llvm::SmallBitVector given(dense.resultMap.getNumDims());
  auto give = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      given.set(cast<AffineDimExpr>(expr).getPosition());
  };
  give(dense.resultMap);
  for (auto [input, map, argument] :
       llvm::zip(dense.inputs, dense.maps, dense.arguments)) {
    bool isRead = argument == function.getAccumulated() ||
                  llvm::any_of(argument.getUsers(), [&](Operation *user) {
                    return llvm::is_contained(ops, user);
                  });
    bool givesExtent = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      return !given.test(cast<AffineDimExpr>(expr).getPosition());
    });
    if (!isRead && !givesExtent)
      continue;
    give(map);
    part.inputs.push_back(input);
    part.maps.push_back(map);
    part.arguments.push_back(argument);
  }
  SmallVector<AffineMap> maps(part.maps);
  maps.push_back(dense.resultMap);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, part.inputs, ValueRange{init},
      maps, dense.iterators, [&](OpBuilder &b, Location l, ValueRange args) {
        linalg::YieldOp::create(
            b, l,
            cloneBody(b, part, args.drop_back(), args.back(), getEnds(b, l)));
      });
  Value values = generic.getResult(0);
  return function.getReduced()
             ? emitFinish(builder, loc, dense, values, getEnds)
             : values;
}

/// A place for the values of all pairs of `block`.
static Value emitEmptyBlock(OpBuilder &builder, Location loc,
                            const DenseFunction &dense,
                            const DenseBlock &block) {
  SmallVector<OpFoldResult> sizes(2), extents(2);
  sizes[dense.leading.destination] = extents[dense.leading.destination] =
      block.getDestinationExtent();
  sizes[dense.leading.source] = extents[dense.leading.source] =
      block.numSources;
  if (block.maxSources)
    extents[dense.leading.source] = builder.getIndexAttr(block.maxSources);
  Type elementType = dense.function.getResultElementType();
  if (!block.maxSources)
    return emitEmpty(builder, loc, extents, dense.resultShape, elementType);
  llvm::append_range(
      sizes, getAsIndexOpFoldResult(builder.getContext(), dense.resultShape));
  SmallVector<int64_t> shape = *getConstantIntValues(extents);
  llvm::append_range(shape, dense.resultShape);
  // No tensor.empty, which would become as small as the slice of it.
  Value memory = bufferization::AllocTensorOp::create(
      builder, loc, RankedTensorType::get(shape, elementType),
      /*dynamicSizes=*/ValueRange());
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, memory, offsets, sizes,
                                        strides);
}

Value gnn::emitEdgeValues(OpBuilder &builder, Location loc,
                          const DenseFunction &dense, const DenseBlock &block) {
  return emitValues(builder, loc, dense,
                    emitEmptyBlock(builder, loc, dense, block),
                    [&](OpBuilder &b, Location l) {
                      auto [i, j] = emitNodes(b, l, dense.leading, block);
                      return EdgeEnds{i, j};
                    });
}
