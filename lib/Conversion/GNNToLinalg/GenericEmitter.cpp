//===- GenericEmitter.cpp - linalg.generic of edge functions -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericEmitter.h"
#include "../Common/EdgeTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

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

/// Which of the leading loops (destination, source) address an operand.
static SmallVector<unsigned> getLeadingLoops(OperandRole role) {
  switch (role) {
  case OperandRole::Destination:
    return {0};
  case OperandRole::Source:
    return {1};
  case OperandRole::Edge:
    return {0, 1};
  case OperandRole::Uniform:
    return {};
  }
  llvm_unreachable("covered switch");
}

DenseFunction gnn::getDenseFunction(const EdgeFunction &function,
                                    unsigned leadingLoops) {
  MLIRContext *context = function.resultMap.getContext();
  DenseFunction dense;
  dense.function = function;
  for (auto [value, role, map, argument] :
       llvm::zip(function.operands, function.roles, function.operandMaps,
                 function.body->getArguments())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    dense.inputs.push_back(value);
    dense.arguments.push_back(argument);
    dense.maps.push_back(
        getLeadingMap(context, leadingLoops, getLeadingLoops(role), map));
  }
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, leadingLoops));
  dense.resultMap =
      getLeadingMap(context, leadingLoops, all, function.resultMap);
  dense.iterators.assign(leadingLoops, utils::IteratorType::parallel);
  llvm::append_range(dense.iterators, function.iterators);
  return dense;
}

DenseFunction gnn::sliceToBlock(OpBuilder &builder, Location loc,
                                DenseFunction dense, const DenseBlock &block) {
  for (auto [input, map] : llvm::zip(dense.inputs, dense.maps)) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    SmallVector<int64_t> shape;
    bool isWhole = true;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (loop > 1) {
        offsets.push_back(builder.getIndexAttr(0));
        sizes.push_back(builder.getIndexAttr(type.getDimSize(i)));
        shape.push_back(type.getDimSize(i));
        continue;
      }
      isWhole = false;
      offsets.push_back(loop == 0 ? block.firstDestination : block.firstSource);
      sizes.push_back(loop == 0 ? block.numDestinations : block.numSources);
      std::optional<int64_t> size = getConstantIntValue(sizes.back());
      shape.push_back(size.value_or(ShapedType::kDynamic));
    }
    if (!isWhole)
      input = tensor::ExtractSliceOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          input, offsets, sizes, strides);
  }
  return dense;
}

/// Index 0 in place of every index of `lookup` that the edge chooses, where the
/// pair is no edge: the region promises nothing about it there.
static void guardLookup(OpBuilder &builder, tensor::ExtractOp lookup,
                        Value isEdge) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(lookup);
  Value zero = arith::ConstantIndexOp::create(builder, lookup.getLoc(), 0);
  for (OpOperand &index : lookup.getIndicesMutable())
    if (!isa_and_present<linalg::IndexOp, arith::ConstantOp>(
            index.get().getDefiningOp()))
      index.set(arith::SelectOp::create(builder, lookup.getLoc(), isEdge,
                                        index.get(), zero));
}

/// Clones the ops that `value` is computed from, and returns what it became.
static Value cloneComputation(OpBuilder &builder, const EdgeFunction &function,
                              Value value, IRMapping &mapping,
                              const EdgeEnds &ends,
                              llvm::function_ref<unsigned(unsigned)> getLoop) {
  for (Operation *op : function.getComputation(value)) {
    if (auto index = dyn_cast<IndexOp>(op)) {
      mapping.map(index.getResult(), index.getSide() == NodeSide::Destination
                                         ? ends.destination
                                         : ends.source);
    } else if (auto index = dyn_cast<FeatureIndexOp>(op)) {
      mapping.map(index.getResult(),
                  linalg::IndexOp::create(builder, op->getLoc(),
                                          getLoop(index.getLoop())));
    } else {
      Operation *clone = builder.clone(*op, mapping);
      if (auto lookup = dyn_cast<tensor::ExtractOp>(clone);
          lookup && ends.isEdge)
        guardLookup(builder, lookup, ends.isEdge);
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
  unsigned leadingLoops = dense.iterators.size() - function.iterators.size();
  return cloneComputation(builder, function, function.getAccumulated(), mapping,
                          ends,
                          [&](unsigned loop) { return leadingLoops + loop; });
}

Value gnn::emitIndex(OpBuilder &builder, Location loc, unsigned loop,
                     OpFoldResult first) {
  Value index = linalg::IndexOp::create(builder, loc, loop);
  if (getConstantIntValue(first) == 0)
    return index;
  Value offset = getValueOrCreateConstantIndexOp(builder, loc, first);
  return arith::AddIOp::create(builder, loc, index, offset);
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
  unsigned leadingLoops = dense.iterators.size() - function.iterators.size();
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
        Value result =
            cloneComputation(b, function, function.getYieldedValue(), mapping,
                             getEnds(b, l), [&](unsigned loop) {
                               return finish.getPosition(leadingLoops + loop);
                             });
        linalg::YieldOp::create(b, l, result);
      });
  return generic.getResult(0);
}

Value gnn::emitValues(OpBuilder &builder, Location loc,
                      const DenseFunction &dense, ArrayRef<OpFoldResult> sizes,
                      EndsBuilder getEnds) {
  const EdgeFunction &function = dense.function;
  Type elementType = function.getResultElementType();
  Value empty =
      emitEmpty(builder, loc, sizes, getResultShape(function), elementType);
  Value init = empty;
  if (function.hasReduction())
    init = emitFill(builder, loc,
                    cast<TypedAttr>(builder.getZeroAttr(elementType)), empty);
  SmallVector<AffineMap> maps(dense.maps);
  maps.push_back(dense.resultMap);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, dense.inputs, ValueRange{init},
      maps, dense.iterators, [&](OpBuilder &b, Location l, ValueRange args) {
        linalg::YieldOp::create(
            b, l,
            cloneBody(b, dense, args.drop_back(), args.back(), getEnds(b, l)));
      });
  Value values = generic.getResult(0);
  return function.getReduced()
             ? emitFinish(builder, loc, dense, values, getEnds)
             : values;
}

Value gnn::emitEdgeValues(OpBuilder &builder, Location loc, GNNGraphType graph,
                          const DenseFunction &dense, const DenseBlock &block) {
  bool hasLookups =
      !dense.function.body->front().getOps<tensor::ExtractOp>().empty();
  return emitValues(
      builder, loc, dense, {block.numDestinations, block.numSources},
      [&](OpBuilder &b, Location l) {
        Value i = emitIndex(b, l, 0, block.firstDestination);
        Value j = emitIndex(b, l, 1, block.firstSource);
        Value isEdge = hasLookups ? emitIsEdge(b, l, graph, i, j) : Value();
        return EdgeEnds{i, j, isEdge};
      });
}
