//===- WarpOps.cpp - Elementwise ops and reductions of warps ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<TileDistribution::TileOperand>>
TileDistribution::getOperands(linalg::GenericOp op, int64_t numColumns) {
  SmallVector<TileOperand> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    TileOperand access;
    access.map = op.getMatchingIndexingMap(&operand);
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType())) {
      access.scalar = mapping.lookupOrDefault(value);
    } else if (FailureOr<WarpTile> tile = getTile(value); succeeded(tile)) {
      access.tile = *tile;
    } else {
      access.memory = getMemoryTile(value);
      if (!access.memory)
        return failure();
    }
    if (!access.scalar && !access.memory && access.tile.numColumns != 0 &&
        access.tile.numColumns != numColumns)
      return failure();
    bool isRead = op.payloadUsesValueFromOperand(&operand);
    if (isRead && !access.scalar && !access.memory &&
        access.tile.elements.empty())
      return failure();
    if (access.memory &&
        !llvm::all_of(access.map.getResults(), llvm::IsaPred<AffineDimExpr>))
      return failure();
    operands.push_back(access);
  }
  return operands;
}

/// The element of a tile in memory, or some other one of it where that is out
/// of bounds and does not count.
Value TileDistribution::loadElement(const MemoryTile &memory,
                                    ValueRange indices) {
  auto type = cast<MemRefType>(memory.memref.getType());
  SmallVector<Value> clamped(indices.size());
  Value isInside;
  for (auto [i, index] : llvm::enumerate(indices)) {
    int64_t dimension = memory.dimensions[i];
    clamped[dimension] = index;
    if (!type.isDynamicDim(dimension) &&
        type.getDimSize(dimension) % layout.getColumnMultiple() == 0)
      continue;
    Value size = memref::DimOp::create(rewriter, loc, memory.memref, dimension);
    Value last = arith::SubIOp::create(rewriter, loc, size, this->index(1));
    clamped[dimension] = arith::MinSIOp::create(rewriter, loc, index, last);
    if (!memory.fill)
      continue;
    Value isBelowSize = isBelow(index, size);
    isInside = isInside
                   ? arith::AndIOp::create(rewriter, loc, isInside, isBelowSize)
                         .getResult()
                   : isBelowSize;
  }
  Value element = memref::LoadOp::create(rewriter, loc, memory.memref, clamped);
  if (!isInside)
    return element;
  return arith::SelectOp::create(rewriter, loc, isInside, element, memory.fill);
}

Value TileDistribution::getElement(linalg::GenericOp op,
                                   const TileOperand &operand,
                                   const WarpTile &tile, int64_t element) {
  if (operand.scalar)
    return operand.scalar;
  if (!operand.memory)
    return operand.tile.numColumns == tile.numColumns
               ? operand.tile.elements[element]
               : operand.tile.elements[layout.getRow(tile.numColumns, element)];
  SmallVector<Value> indices;
  for (AffineExpr expr : operand.map.getResults())
    indices.push_back(
        axes.isRowLoop(op, cast<AffineDimExpr>(expr).getPosition())
            ? getRow(tile, element)
            : getColumn(tile.numColumns, element));
  return loadElement(*operand.memory, indices);
}

Value TileDistribution::emitBody(linalg::GenericOp op,
                                 ArrayRef<TileOperand> operands,
                                 const WarpTile &tile, int64_t element,
                                 Value value) {
  Block *body = op.getBody();
  for (auto [operand, argument] : llvm::zip(operands, body->getArguments()))
    if (!argument.use_empty() &&
        (operand.scalar || operand.memory || !operand.tile.elements.empty()))
      mapping.map(argument, getElement(op, operand, tile, element));
  bool hasLookups = !body->getOps<tensor::ExtractOp>().empty();
  for (Operation &inner : body->without_terminator()) {
    if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
      bool isRow = axes.isRowLoop(op, position.getDim());
      Value index =
          isRow ? getRow(tile, element) : getColumn(tile.numColumns, element);
      // Columns that do not count may not be looked up.
      if (!isRow && hasLookups && tile.columnSize) {
        Value last = arith::SubIOp::create(
            rewriter, loc, getValue(tile.columnSize), this->index(1));
        index = arith::MinSIOp::create(rewriter, loc, index, last);
      }
      mapping.map(position.getResult(), index);
    } else if (auto lookup = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> indices;
      for (Value position : lookup.getIndices())
        indices.push_back(mapping.lookupOrDefault(position));
      mapping.map(lookup.getResult(),
                  memref::LoadOp::create(rewriter, loc,
                                         getBuffer(lookup.getTensor()), indices)
                      .getResult());
    } else {
      rewriter.clone(inner, mapping);
    }
  }
  return mapping.lookupOrDefault(value);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Whether all of a body can run for one element at a time.
static bool isScalar(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(),
                      [&](Operation &inner) {
                        return inner.getNumRegions() == 0 && isPure(&inner) &&
                               (isa<tensor::ExtractOp>(inner) ||
                                llvm::none_of(inner.getOperandTypes(),
                                              llvm::IsaPred<RankedTensorType>));
                      });
}

/// The insertion that puts the results back to where the first columns were
/// taken from, if the op does nothing else. It runs there, for it may have no
/// columns at all.
static tensor::InsertSliceOp getInsertion(linalg::GenericOp op) {
  Value result = op.getResult(0);
  auto slice = op.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !result.hasOneUse())
    return nullptr;
  auto insertion = dyn_cast<tensor::InsertSliceOp>(*result.user_begin());
  return insertion && insertion.getSource() == result &&
                 insertion.getDest() == slice.getSource() &&
                 insertion.getMixedSizes() == slice.getMixedSizes()
             ? insertion
             : nullptr;
}

LogicalResult TileDistribution::emitGeneric(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return leave(op, "has several results");
  if (FailureOr<TileProduct> product = matchTileProduct(op, axes);
      succeeded(product))
    return emitProduct(*product);
  if (!isScalar(op))
    return leave(op, "does more than arithmetic");
  // Lookups are of arrays of the device.
  for (auto lookup : op.getBody()->getOps<tensor::ExtractOp>())
    if (!getBuffer(lookup.getTensor()))
      return leave(op, "looks up what is no array");
  if (op.getNumReductionLoops() != 0)
    return emitReduction(op);
  if (getInsertion(op) && !axes.isView(op.getDpsInits()[0]))
    return success();
  return emitElementwise(op);
}

LogicalResult TileDistribution::emitElementwise(linalg::GenericOp op) {
  FailureOr<WarpTile> tile = getTile(op.getDpsInits()[0]);
  if (failed(tile) || !op.getIndexingMapsArray().back().isPermutation())
    return leave(op, "computes no tile");
  FailureOr<SmallVector<TileOperand>> operands =
      getOperands(op, tile->numColumns);
  if (failed(operands))
    return leave(op, "reads what is neither a tile nor an array");
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < getNumElements(*tile); ++i)
    elements.push_back(emitBody(op, *operands, *tile, i, yielded));
  tile->elements = std::move(elements);
  tile->beyond = TypedAttr();
  return setTile(op.getResult(0), *tile);
}

/// An op that was put off until here, on columns of a tile of which the first
/// ones count: often none, or all.
LogicalResult TileDistribution::emitPartial(tensor::InsertSliceOp op) {
  auto generic = op.getSource().getDefiningOp<linalg::GenericOp>();
  if (!generic || getInsertion(generic) != op)
    return leave(op, "completes a tile by something else than an op on it");
  Value init = generic.getDpsInits()[0];
  FailureOr<WarpTile> part = getTile(init), whole = getTile(op.getDest());
  if (failed(part))
    return leave(op, "computes no tile");
  FailureOr<SmallVector<TileOperand>> operands =
      getOperands(generic, part->numColumns);
  if (failed(whole) || failed(operands) || part->rowSize || !part->columnSize ||
      whole->elements.empty() || isOutside(op.getDest()) ||
      !generic.getIndexingMapsArray().back().isPermutation())
    return leave(op, "computes no first columns of a tile");

  // As a choice of all columns or none?
  Value size = getValue(part->columnSize);
  auto choice = size.getDefiningOp<arith::SelectOp>();
  bool isAllOrNone =
      choice && whole->columnSize &&
      isConstantIntValue(choice.getFalseValue(), 0) &&
      OpFoldResult(choice.getTrueValue()) == get(whole->columnSize);
  Value any = isAllOrNone ? choice.getCondition() : isBelow(index(0), size);
  TypeRange types(ValueRange(whole->elements).getTypes());
  auto partial = scf::IfOp::create(rewriter, loc, types, any,
                                   /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(partial.elseBlock());
    scf::YieldOp::create(rewriter, loc, whole->elements);
    rewriter.setInsertionPointToEnd(partial.thenBlock());
    Value yielded = generic.getBody()->getTerminator()->getOperand(0);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < getNumElements(*part); ++i) {
      Value element = emitBody(generic, *operands, *part, i, yielded);
      if (!isAllOrNone)
        element = arith::SelectOp::create(
            rewriter, loc, isBelow(getColumn(part->numColumns, i), size),
            element, whole->elements[i]);
      elements.push_back(element);
    }
    scf::YieldOp::create(rewriter, loc, elements);
  }
  whole->elements.assign(partial.result_begin(), partial.result_end());
  whole->beyond = TypedAttr();
  return setTile(op.getResult(), *whole);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

WarpTile TileDistribution::fillBeyond(const WarpTile &tile, TypedAttr value) {
  if (!tile.columnSize || tile.beyond == value)
    return tile;
  Value size = getValue(tile.columnSize);
  Value isPartial = isBelow(size, index(tile.numColumns));
  TypeRange types(ValueRange(tile.elements).getTypes());
  auto filled = scf::IfOp::create(rewriter, loc, types, isPartial,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(filled.elseBlock());
  scf::YieldOp::create(rewriter, loc, tile.elements);
  rewriter.setInsertionPointToEnd(filled.thenBlock());
  Value fill = arith::ConstantOp::create(rewriter, loc, value);
  SmallVector<Value> elements;
  for (auto [i, element] : llvm::enumerate(tile.elements))
    elements.push_back(arith::SelectOp::create(
        rewriter, loc, isBelow(getColumn(tile.numColumns, i), size), element,
        fill));
  scf::YieldOp::create(rewriter, loc, elements);
  WarpTile result = tile;
  result.elements.assign(filled.result_begin(), filled.result_end());
  result.beyond = value;
  return result;
}

/// What leaves the other operand of a reduction's step as it is.
static TypedAttr getNeutral(Operation *step, OpBuilder &b) {
  Type type = step->getResult(0).getType();
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return TypedAttr();
  auto number = [&](double value) -> TypedAttr {
    return b.getFloatAttr(type, value);
  };
  double infinity = std::numeric_limits<double>::infinity();
  return llvm::TypeSwitch<Operation *, TypedAttr>(step)
      .Case<arith::AddFOp>([&](auto) { return number(0); })
      .Case<arith::MulFOp>([&](auto) { return number(1); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return number(-infinity); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return number(infinity); })
      .Default([](Operation *) { return TypedAttr(); });
}

/// Columns of a row in a fixed order: those of the lane, even and odd ones,
/// then those of the other lanes that hold the row.
Value TileDistribution::reduceRow(Operation *combiner, Value accumulator,
                                  const WarpTile &tile, int64_t row) {
  auto combine = [&](Value left, Value right) -> Value {
    IRMapping operands;
    operands.map(combiner->getOperand(0), left);
    operands.map(combiner->getOperand(1), right);
    return rewriter.clone(*combiner, operands)->getResult(0);
  };
  std::array<Value, 2> parts;
  int64_t number = 0;
  for (auto [i, element] : llvm::enumerate(tile.elements)) {
    if (layout.getRow(tile.numColumns, i) != row)
      continue;
    Value &part = parts[number++ % 2];
    part = part ? combine(part, element) : element;
  }
  Value total = parts[1] ? combine(parts[0], parts[1]) : parts[0];
  for (int32_t distance = 1; distance < layout.getLanesOfRow(); distance *= 2) {
    Value other =
        gpu::ShuffleOp::create(rewriter, loc, total, distance,
                               TileLayout::numLanes, gpu::ShuffleMode::XOR)
            .getShuffleResult();
    total = combine(total, other);
  }
  return combine(accumulator, total);
}

LogicalResult TileDistribution::emitReduction(linalg::GenericOp op) {
  FailureOr<WarpTile> result = getTile(op.getDpsInits()[0]);
  if (failed(result) || result->numColumns != 0 || result->elements.empty() ||
      op.getNumLoops() != 2 || op.getNumDpsInputs() != 1)
    return leave(op, "reduces something else than a tile along its rows");
  FailureOr<WarpTile> reduced = getTile(op.getDpsInputs()[0]);
  if (failed(reduced) || reduced->numColumns == 0)
    return leave(op, "reduces what is no tile");
  FailureOr<SmallVector<TileOperand>> operands =
      getOperands(op, reduced->numColumns);
  if (failed(operands))
    return leave(op, "reads what is neither a tile nor an array");
  // What is added to what there was.
  Value accumulator = op.getRegionOutputArgs().front();
  Operation *step =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!step || step->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != step)
    return leave(op, "reduces by more than one operation");
  TypedAttr neutral = getNeutral(step, rewriter);
  Value value = step->getOperand(step->getOperand(0) == accumulator ? 1 : 0);
  if (!neutral || value == accumulator)
    return leave(op, "reduces by an operation without a neutral number");

  // Columns that do not count may be anything.
  Value tensor = op.getDpsInputs()[0];
  WarpTile tile = *reduced;
  if (value == op.getRegionInputArgs().front()) {
    tile = tiles[tensor] = fillBeyond(tile, neutral);
  } else {
    operands->back().tile.elements.clear();
    SmallVector<Value> values;
    for (int64_t i = 0; i < getNumElements(tile); ++i) {
      mapping.map(
          accumulator,
          arith::ConstantOp::create(rewriter, loc, neutral).getResult());
      values.push_back(emitBody(op, *operands, tile, i, value));
    }
    tile.elements = std::move(values);
    tile.beyond = TypedAttr();
    tile = fillBeyond(tile, neutral);
  }
  for (int64_t row = 0; row < layout.getNumRows(); ++row)
    result->elements[row] = reduceRow(step, result->elements[row], tile, row);
  return setTile(op.getResult(0), *result);
}
