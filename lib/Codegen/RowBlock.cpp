//===- RowBlock.cpp - What is computed for some rows at a time --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlock.h"

using namespace mlir;
using namespace gnn;

/// The loop along the rows of the results of `op`, if it computes each from the
/// same rows of operands, or from all of others.
static std::optional<unsigned> getRowLoop(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getNumDpsInits() == 0 || op.getRank(op.getDpsInitOperand(0)) == 0)
    return std::nullopt;
  auto row = dyn_cast<AffineDimExpr>(
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResult(0));
  if (!row)
    return std::nullopt;
  unsigned loop = row.getPosition();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [other, range] : llvm::enumerate(ranges))
    if (other != loop && ShapedType::isDynamic(range))
      return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(loop)) {
      if (op.isDpsInit(&operand))
        return std::nullopt;
      continue;
    }
    if (map.getResult(0) != row || map.dropResult(0).isFunctionOfDim(loop))
      return std::nullopt;
  }
  return loop;
}

static bool keepsRows(ArrayRef<ReassociationIndices> groups) {
  return !groups.empty() && groups.front() == ReassociationIndices{0};
}

bool gnn::computesByRows(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getRowLoop(linalgOp).has_value();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return keepsRows(expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return keepsRows(collapse.getReassociationIndices());
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() != 0;
  return isa<tensor::EmptyOp>(op);
}

bool gnn::isReadByRows(OpOperand &use) {
  auto op = cast<linalg::LinalgOp>(use.getOwner());
  std::optional<unsigned> loop = getRowLoop(op);
  return loop && op.getMatchingIndexingMap(&use).isFunctionOfDim(*loop);
}

int64_t gnn::getRowBytes(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  for (int64_t size : type.getShape().drop_front())
    bits *= size;
  return llvm::divideCeil(bits, 8);
}

RankedTensorType RowBlockEmitter::getBlockType(Value whole) {
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = ShapedType::kDynamic;
  return type.clone(shape);
}

namespace {
/// Where rows of a tensor are.
struct RowSlice {
  RowSlice(OpBuilder &b, Location loc, Value whole, const RowRange &range)
      : offsets(cast<RankedTensorType>(whole.getType()).getRank(),
                b.getIndexAttr(0)),
        sizes(tensor::getMixedSizes(b, loc, whole)),
        strides(offsets.size(), b.getIndexAttr(1)) {
    offsets[0] = range.begin;
    sizes[0] = range.size;
  }

  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

Value RowBlockEmitter::emitRows(Value whole, const RowRange &range) {
  if (Value tile = tiles.lookupOrNull(whole))
    return tile;
  RowSlice slice(b, loc, whole, range);
  return tensor::ExtractSliceOp::create(b, loc, getBlockType(whole), whole,
                                        slice.offsets, slice.sizes,
                                        slice.strides);
}

void RowBlockEmitter::setTile(Value whole, Value tile, Value begin) {
  tiles.map(whole, tile);
  begins[tile] = begin;
}

void RowBlockEmitter::emitOp(Operation *op, const RowRange &range) {
  assert(computesByRows(op) && "not divided into rows");
  auto setResult = [&](Value tile) {
    setTile(op->getResult(0), tile, range.begin);
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    RankedTensorType type = empty.getType();
    return setResult(tensor::EmptyOp::create(
        b, loc, type.getShape(), type.getElementType(), range.size));
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    sizes[0] = range.size;
    return setResult(tensor::ExpandShapeOp::create(
        b, loc, expand.getResultType(), emitRows(expand.getSrc(), range),
        expand.getReassociationIndices(), sizes));
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return setResult(tensor::CollapseShapeOp::create(
        b, loc, collapse.getResultType(), emitRows(collapse.getSrc(), range),
        collapse.getReassociationIndices()));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    SmallVector<Value> parts;
    for (Value part : concat.getInputs())
      parts.push_back(emitRows(part, range));
    return setResult(tensor::ConcatOp::create(b, loc, getBlockType(concat),
                                              concat.getDim(), parts));
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(isReadByRows(operand) ? emitRows(operand.get(), range)
                                             : operand.get());
  Operation *tile = mlir::clone(b, linalgOp, op->getResultTypes(), operands);
  for (auto [whole, part] :
       llvm::zip_equal(op->getResults(), tile->getResults()))
    setTile(whole, part, range.begin);
}

void RowBlockEmitter::clone(Operation *op, IRMapping &mapping) {
  OpBuilder::InsertionGuard guard(b);
  b.clone(*op, mapping)->walk([&](Operation *copy) {
    if (copy->getNumOperands() == 0)
      return;
    Value begin = begins.lookup(copy->getOperand(0));
    auto slice = dyn_cast<tensor::ExtractSliceOp>(copy);
    if (!begin || (!slice && !isa<tensor::ExtractOp>(copy)))
      return;
    OpOperand &place =
        slice ? slice.getOffsetsMutable()[0]
              : cast<tensor::ExtractOp>(copy).getIndicesMutable()[0];
    b.setInsertionPoint(copy);
    place.set(subtract(place.get(), begin));
  });
}

SmallVector<Value> RowBlockEmitter::emitEachRow(scf::ForallOp loop, Value first,
                                                Value last, ValueRange init,
                                                Value offset) {
  return emitLoop(first, last, init, [&](Value row, ValueRange args) {
    IRMapping mapping = tiles;
    mapping.map(loop.getInductionVar(0), row);
    for (auto [result, tile] :
         llvm::zip_equal(loop.getRegionIterArgs(), args)) {
      mapping.map(result, tile);
      begins[tile] = offset;
    }
    for (Operation &op : loop.getBody()->without_terminator())
      clone(&op, mapping);
    SmallVector<Value> next(args);
    for (Operation &op : loop.getTerminator().getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(op);
      auto lookUp = [&](OpFoldResult value) -> OpFoldResult {
        auto known = dyn_cast<Value>(value);
        return known ? OpFoldResult(mapping.lookupOrDefault(known)) : value;
      };
      auto offsets = llvm::map_to_vector(insert.getMixedOffsets(), lookUp);
      auto sizes = llvm::map_to_vector(insert.getMixedSizes(), lookUp);
      offsets[0] = subtract(cast<Value>(offsets[0]), offset);
      Value &tile =
          next[cast<BlockArgument>(insert.getDest()).getArgNumber() - 1];
      tile = tensor::InsertSliceOp::create(
          b, loc, mapping.lookupOrDefault(insert.getSource()), tile, offsets,
          sizes, insert.getMixedStrides());
    }
    return next;
  });
}

void RowBlockEmitter::insertRows(ValueRange made, ValueRange results,
                                 const RowRange &range) {
  SmallVector<RowSlice> slices;
  for (Value result : results)
    slices.emplace_back(b, loc, result, range);
  auto inParallel = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(inParallel.getBody());
  for (auto [tile, result, slice] : llvm::zip_equal(made, results, slices))
    tensor::ParallelInsertSliceOp::create(b, loc, tile, result, slice.offsets,
                                          slice.sizes, slice.strides);
}
