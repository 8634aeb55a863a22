//===- AttentionSharing.cpp - Tiles of sources for many rows ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of destinations that take each tile of sources in turns, while it is in
// the caches: what each of them carries from one tile of sources to the next is
// stacked.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

/// Iterations of the parallel loop that there should be at least, for threads
/// to share. Those over few tiles of sources are short: a few of them will do,
/// and copying the sources is more of their work.
static constexpr int64_t minIterations = 32;
static constexpr int64_t minShortIterations = 8;
static constexpr int64_t numFewTiles = 4;

namespace {
/// The place of one tensor of static shape in a stack of them.
struct StackSlice {
  StackSlice(OpBuilder &b, Value number, RankedTensorType type)
      : type(type), offsets(type.getRank() + 1, b.getIndexAttr(0)),
        sizes(getAsIndexOpFoldResult(b.getContext(), type.getShape())),
        strides(type.getRank() + 1, b.getIndexAttr(1)) {
    offsets[0] = number;
    sizes.insert(sizes.begin(), b.getIndexAttr(1));
  }

  RankedTensorType type;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

static Value emitStack(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                       Type elementType, int64_t height) {
  SmallVector<int64_t> all(shape);
  all.insert(all.begin(), height);
  return tensor::EmptyOp::create(b, loc, all, elementType);
}

static SmallVector<Value> takeFromStacks(OpBuilder &b, Location loc,
                                         ValueRange stacks, Value number) {
  return llvm::map_to_vector(stacks, [&](Value stack) -> Value {
    auto type = cast<RankedTensorType>(stack.getType());
    StackSlice slice(b, number,
                     RankedTensorType::get(type.getShape().drop_front(),
                                           type.getElementType()));
    return tensor::ExtractSliceOp::create(
        b, loc, slice.type, stack, slice.offsets, slice.sizes, slice.strides);
  });
}

static SmallVector<Value> putIntoStacks(OpBuilder &b, Location loc,
                                        ValueRange elements, ValueRange stacks,
                                        Value number) {
  SmallVector<Value> results;
  for (auto [element, stack] : llvm::zip_equal(elements, stacks)) {
    StackSlice slice(b, number, cast<RankedTensorType>(element.getType()));
    results.push_back(tensor::InsertSliceOp::create(
        b, loc, element, stack, slice.offsets, slice.sizes, slice.strides));
  }
  return results;
}

Value AttentionTiler::emitSharingRows(OpBuilder &b, ArrayRef<int64_t> heads) {
  // What a window's tiles of destinations see differs from one to the next.
  if (maxSharing <= 1 || numSegments || graph.getTopology() == Topology::Window)
    return Value();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t numHeads = ShapedType::getNumElements(heads);
  auto getRowsOfAll = [&](int64_t iterations) -> Value {
    return constant(std::max<int64_t>(1, iterations * rowTile / numHeads));
  };
  Value areFew =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, numSources,
                            constant(numFewTiles * columnTile));
  Value rows =
      arith::SelectOp::create(b, loc, areFew, getRowsOfAll(minShortIterations),
                              getRowsOfAll(minIterations));
  // One tile each until there are iterations enough.
  Value tiles = arith::DivUIOp::create(b, loc, numDestinations, rows);
  tiles = arith::MinUIOp::create(b, loc, tiles, constant(maxSharing));
  tiles = arith::MaxUIOp::create(b, loc, tiles, constant(1));
  return arith::MulIOp::create(b, loc, tiles, constant(rowTile));
}

void AttentionTiler::emitSharingTiles(OpBuilder &b,
                                      AttentionFunctions functions, Value first,
                                      Value end, Value shared,
                                      ValueRange head) {
  auto constant = [&](OpBuilder &bb, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(bb, loc, value);
  };
  Value numRows = arith::SubIOp::create(b, loc, end, first);
  // Loops over tiles count rows: a loop of such steps is known to be short.
  auto getNumber = [&](OpBuilder &bb, Value row) -> Value {
    return arith::DivUIOp::create(bb, loc, row, constant(bb, rowTile));
  };
  auto getBlock = [&](OpBuilder &bb, Value row) {
    Value destination = arith::AddIOp::create(bb, loc, first, row);
    DenseBlock block;
    block.firstDestination = destination;
    block.numDestinations = emitTileSize(bb, loc, destination, end, rowTile);
    block.destinationExtent = bb.getIndexAttr(rowTile);
    block.maxSources = columnTile;
    return block;
  };

  // What each tile of destinations starts from: its state, and operands laid
  // out for it.
  ArrayRef<int64_t> valueShape = functions.value.resultShape;
  SmallVector<int64_t> sums(valueShape);
  sums.push_back(rowTile);
  SmallVector<Value> stacks;
  for (unsigned i = 0; i < (isSoftmax ? 2 : 1); ++i)
    stacks.push_back(emitStack(b, loc, rowTile, elementType, maxSharing));
  stacks.push_back(emitStack(b, loc, sums, elementType, maxSharing));
  size_t numStates = stacks.size();
  DenseFunction &score = functions.score;
  SmallVector<unsigned> packed;
  for (auto [i, map] : llvm::enumerate(score.maps)) {
    if (!map.isFunctionOfDim(leading.destination) ||
        map.isFunctionOfDim(leading.source))
      continue;
    auto type = cast<RankedTensorType>(score.inputs[i].getType());
    SmallVector<int64_t> shape(type.getShape().drop_front());
    shape.push_back(rowTile);
    stacks.push_back(
        emitStack(b, loc, shape, type.getElementType(), maxSharing));
    packed.push_back(i);
  }
  // Of the inputs that are packed, what the loop over tiles takes from stacks.
  DenseFunction layout;
  auto prepared = scf::ForOp::create(
      b, loc, constant(b, 0), numRows, constant(b, rowTile), stacks,
      [&](OpBuilder &bb, Location, Value row, ValueRange args) {
        DenseBlock block = getBlock(bb, row);
        Value number = getNumber(bb, row);
        SmallVector<Value> places = takeFromStacks(bb, loc, args, number);
        SmallVector<Value> parts =
            emitInitialState(bb, ArrayRef(places).take_front(numStates));
        layout = packQueries(bb, score, block,
                             ArrayRef(places).drop_front(numStates));
        for (unsigned i : packed)
          parts.push_back(layout.inputs[i]);
        scf::YieldOp::create(bb, loc,
                             putIntoStacks(bb, loc, parts, args, number));
      });
  ValueRange operands = prepared.getResults().drop_front(numStates);

  DenseBlock all;
  all.firstDestination = first;
  all.numDestinations = numRows;
  auto [begin, last] = getColumns(b, all);
  Value lastSource = last;
  auto loop = scf::ForOp::create(
      b, loc, begin, lastSource, constant(b, columnTile),
      prepared.getResults().take_front(numStates),
      [&](OpBuilder &bb, Location, Value column, ValueRange states) {
        DenseBlock sources;
        sources.firstSource = column;
        sources.numSources =
            emitTileSize(bb, loc, column, lastSource, columnTile);
        AttentionFunctions step = functions;
        step.score = sliceSources(bb, loc, layout, sources);
        step.value = sliceSources(bb, loc, step.value, sources);
        // Rows before those that see the tile's first source see none of it.
        Value from = constant(bb, 0);
        if (graph.getTopology() == Topology::Causal) {
          Value ahead = arith::MaxSIOp::create(
              bb, loc, from, arith::SubIOp::create(bb, loc, column, first));
          from = arith::MulIOp::create(bb, loc, getNumber(bb, ahead),
                                       constant(bb, rowTile));
        }
        auto inner = scf::ForOp::create(
            bb, loc, from, numRows, constant(bb, rowTile), states,
            [&](OpBuilder &bbb, Location, Value row, ValueRange args) {
              DenseBlock tile = getBlock(bbb, row);
              Value number = getNumber(bbb, row);
              tile.firstSource = sources.firstSource;
              tile.numSources = sources.numSources;
              AttentionFunctions own = step;
              if (graph.getTopology() == Topology::Causal) {
                tile.numSources = emitTileSize(
                    bbb, loc, column, getColumns(bbb, tile).second, columnTile);
                own.score = limitSources(bbb, loc, own.score, tile.numSources);
                own.value = limitSources(bbb, loc, own.value, tile.numSources);
              }
              for (auto [i, operand] : llvm::zip_equal(
                       packed, takeFromStacks(bbb, loc, operands, number)))
                own.score.inputs[i] = operand;
              own.score = packDestinations(bbb, loc, own.score, tile, rowTile);
              own.score = sliceToBlock(bbb, loc, own.score, tile);
              SmallVector<Value> state = emitTileStep(
                  bbb, own, tile, takeFromStacks(bbb, loc, args, number));
              scf::YieldOp::create(
                  bbb, loc, putIntoStacks(bbb, loc, state, args, number));
            });
        scf::YieldOp::create(bb, loc, inner.getResults());
      });

  emitRowTiles(b, functions, first, end, shared, head,
               [&](OpBuilder &bb, const DenseBlock &block) {
                 Value row = cast<Value>(block.firstDestination);
                 Value number =
                     getNumber(bb, arith::SubIOp::create(bb, loc, row, first));
                 return emitRows(
                     bb, functions, bb.getIndexAttr(rowTile),
                     takeFromStacks(bb, loc, loop.getResults(), number),
                     /*isStacked=*/true);
               });
}
