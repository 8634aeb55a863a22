//===- WarpProducts.cpp - Products of tiles by warps ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RoundTF32.h"
#include "TileDistribution.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

/// Columns of a fragment of sums, and sums that a lane has of one.
static constexpr int64_t kColumns = 8;
static constexpr int64_t kSums = 4;

/// Columns of a first factor's fragment.
static int64_t getDepth(FactorKind kind) {
  return kind == FactorKind::HalfWord ? 16 : 8;
}

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

namespace {
/// The operand of a body that a factor is, and what it is rounded to.
struct Factor {
  BlockArgument argument;
  FactorKind kind;
  Type element;
};
} // namespace

static Factor getFactor(Value value) {
  if (Value exact = getRoundedToTF32(value))
    return {dyn_cast<BlockArgument>(exact), FactorKind::TF32, value.getType()};
  auto extended = value.getDefiningOp<arith::ExtFOp>();
  if (!extended)
    return {dyn_cast<BlockArgument>(value), FactorKind::Exact, value.getType()};
  Value narrow = extended.getIn();
  Type type = narrow.getType();
  if (!type.isBF16() && !type.isF16())
    return {};
  if (auto rounded = narrow.getDefiningOp<arith::TruncFOp>())
    narrow = rounded.getIn();
  return {dyn_cast<BlockArgument>(narrow), FactorKind::HalfWord, type};
}

/// Whether all that an array holds was rounded to tf32 where it was computed.
static bool holdsTF32(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_present<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
                      tensor::CollapseShapeOp>(op))
    return holdsTF32(op->getOperand(0));
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op)) {
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    Value yielded = generic.getBody()->getTerminator()->getOperand(number);
    return getRoundedToTF32(yielded) != nullptr;
  }
  auto parallel = dyn_cast_or_null<scf::ForallOp>(op);
  if (!parallel)
    return false;
  BlockArgument output = parallel.getTiedBlockArgument(
      parallel.getTiedOpOperand(cast<OpResult>(tensor)));
  return llvm::all_of(parallel.getCombiningOps(output), [](Operation *part) {
    return holdsTF32(cast<tensor::ParallelInsertSliceOp>(part).getSource());
  });
}

/// How `left` and `right` are multiplied; fails if they are rounded to
/// different numbers.
static FailureOr<FactorKind> getKind(const Factor &left, const Factor &right) {
  if (!left.argument || !right.argument || left.argument == right.argument ||
      left.element != right.element)
    return failure();
  if (left.kind == right.kind)
    return left.kind;
  if (left.kind == FactorKind::HalfWord || right.kind == FactorKind::HalfWord)
    return failure();
  return FactorKind::TF32;
}

FailureOr<TileProduct> gnn::matchTileProduct(linalg::GenericOp op,
                                             const TileAxes &axes) {
  if (op.getNumLoops() != 3 || op.getNumReductionLoops() != 1 ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return failure();
  Value result = op.getRegionOutputArgs().front();
  auto sum = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!sum || !result.hasOneUse() || !result.getType().isF32())
    return failure();
  Value term = sum.getLhs() == result ? sum.getRhs() : sum.getLhs();
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (*result.user_begin() != sum || !product)
    return failure();
  Factor left = getFactor(product.getLhs());
  Factor right = getFactor(product.getRhs());
  FailureOr<FactorKind> kind = getKind(left, right);
  if (failed(kind) || left.argument.getOwner() != op.getBody() ||
      right.argument.getOwner() != op.getBody())
    return failure();

  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  TileProduct match{
      op.getDpsInputOperand(0),  op.getDpsInputOperand(1), *kind, left.element,
      /*isSecondRounded=*/false,
      /*isDepthFirst=*/false};
  auto hasRows = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      auto dimension = dyn_cast<AffineDimExpr>(expr);
      return dimension && axes.isRowLoop(op, dimension.getPosition());
    });
  };
  if (hasRows(match.second))
    std::swap(match.first, match.second);
  // Each operand of the op is one of the product.
  auto isExact = [&](OpOperand *operand) {
    const Factor &factor =
        op.getMatchingBlockArgument(operand) == left.argument ? left : right;
    return factor.kind == FactorKind::Exact;
  };
  if (*kind == FactorKind::TF32) {
    match.isSecondRounded = holdsTF32(match.second->get());
    if (isExact(match.first) ||
        (isExact(match.second) && !match.isSecondRounded))
      return failure();
  }
  AffineMap firstMap = op.getMatchingIndexingMap(match.first);
  AffineMap secondMap = op.getMatchingIndexingMap(match.second);
  AffineMap resultMap = op.getIndexingMapsArray().back();
  for (AffineMap map : {firstMap, secondMap, resultMap})
    if (map.getNumResults() != 2 || !map.isProjectedPermutation())
      return failure();
  if (!hasRows(match.first) || hasRows(match.second) ||
      axes.isRowLoop(op, reduction[0]))
    return failure();
  match.isDepthFirst = secondMap.getDimPosition(0) == reduction[0];
  return match;
}

//===----------------------------------------------------------------------===//
// First factors
//===----------------------------------------------------------------------===//

/// The element of a first factor, zero beyond its last column.
Value TileDistribution::loadFactorElement(const MemoryTile &memory,
                                          const TileProduct &product, Value row,
                                          Value column) {
  auto op = cast<linalg::GenericOp>(product.first->getOwner());
  AffineMap map = op.getMatchingIndexingMap(product.first);
  bool isRowsFirst = axes.isRowLoop(op, map.getDimPosition(0));
  Value element = loadElement(memory, isRowsFirst ? ValueRange{row, column}
                                                  : ValueRange{column, row});
  int64_t dimension = memory.dimensions[isRowsFirst ? 1 : 0];
  int64_t width =
      cast<MemRefType>(memory.memref.getType()).getDimSize(dimension);
  if (width % layout.getColumnMultiple() == 0)
    return element;
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(element.getType()));
  return arith::SelectOp::create(rewriter, loc, isBelow(column, index(width)),
                                 element, zero);
}

/// Of 16 bits, eight elements: upper row and lower row of the first eight
/// columns, then of the next eight, two neighbours of each. Of tf32, four:
/// upper row and lower row of the first four columns, then of the next four.
Value TileDistribution::makeFragment(ValueRange elements, Type element) {
  SmallVector<Value> rounded;
  for (Value value : elements) {
    if (kind == FactorKind::TF32)
      value = roundToTF32(rewriter, loc, value);
    else if (value.getType() != element)
      value = arith::TruncFOp::create(rewriter, loc, element, value);
    rounded.push_back(value);
  }
  int64_t width = 32 / element.getIntOrFloatBitWidth();
  return vector::FromElementsOp::create(
      rewriter, loc, VectorType::get({4, width}, element), rounded);
}

/// The fragment of a factor in memory whose columns begin at `first`.
Value TileDistribution::loadFragment(const MemoryTile &memory,
                                     const TileProduct &product,
                                     int64_t first) {
  SmallVector<Value> elements;
  auto load = [&](int64_t row, Value column) {
    elements.push_back(loadFactorElement(memory, product, getRow(row),
                                         add(column, index(first))));
  };
  if (kind == FactorKind::TF32) {
    for (int64_t i = 0; i < 4; ++i)
      load(i % 2, add(firstColumns.lookup(1), index(i / 2 * 4)));
  } else {
    // As a lane holds them of two fragments of sums.
    for (int64_t i = 0; i < 8; ++i)
      load(i / 2 % 2, getColumn(2 * kColumns, i));
  }
  return makeFragment(elements, product.element);
}

/// Whether a first factor in memory stays in registers during a loop. Wider
/// ones, with sums that are as wide, would not leave enough of them: they are
/// loaded where they are multiplied.
bool TileDistribution::isKept(int64_t depth) const {
  return depth <= (kind == FactorKind::HalfWord ? 192 : 128);
}

FailureOr<SmallVector<Value>>
TileDistribution::getFirstFragments(const TileProduct &product, int64_t depth) {
  Value factor = product.first->get();
  if (std::optional<MemoryTile> memory = getMemoryTile(factor)) {
    if (!isKept(depth))
      return SmallVector<Value>(depth / getDepth(kind));
    SmallVector<Value> &loaded = fragments[factor];
    if (!loaded.empty())
      return loaded;
    // As early as it is there: that may be outside of a loop.
    OpBuilder::InsertionGuard guard(rewriter);
    if (Operation *place = places.lookup(factor))
      rewriter.setInsertionPointAfter(place);
    for (int64_t first = 0; first < depth; first += getDepth(kind))
      loaded.push_back(loadFragment(*memory, product, first));
    return loaded;
  }
  FailureOr<WarpTile> tile = getFirstTile(product, depth);
  if (failed(tile))
    return failure();
  // Sums of products are what the next product reads, as they lie. Which
  // columns a product of tf32 takes together does not matter: a lane's first
  // ones are its neighbours' first ones, too.
  SmallVector<Value> result;
  int64_t count = getDepth(kind) / 2;
  for (ArrayRef<Value> rest = tile->elements; !rest.empty();
       rest = rest.drop_front(count)) {
    SmallVector<Value> elements(rest.take_front(count));
    if (kind == FactorKind::TF32)
      std::swap(elements[1], elements[2]);
    result.push_back(makeFragment(elements, product.element));
  }
  return result;
}

/// Columns of a factor in memory, as of a tile.
WarpTile TileDistribution::loadFirstTile(const MemoryTile &memory,
                                         const TileProduct &product,
                                         int64_t first, int64_t numColumns) {
  WarpTile tile;
  tile.numColumns = numColumns;
  for (int64_t i = 0; i < getNumElements(tile); ++i)
    tile.elements.push_back(
        loadFactorElement(memory, product, getRow(tile, i),
                          add(getColumn(numColumns, i), index(first))));
  return tile;
}

FailureOr<WarpTile> TileDistribution::getFirstTile(const TileProduct &product,
                                                   int64_t depth) {
  Value factor = product.first->get();
  if (std::optional<MemoryTile> memory = getMemoryTile(factor)) {
    WarpTile &loaded = firstTiles[factor];
    if (!loaded.elements.empty())
      return loaded;
    OpBuilder::InsertionGuard guard(rewriter);
    if (Operation *place = places.lookup(factor))
      rewriter.setInsertionPointAfter(place);
    loaded = loadFirstTile(*memory, product, 0, depth);
    return loaded;
  }
  FailureOr<WarpTile> tile = getTile(factor);
  if (failed(tile) || tile->elements.empty() || tile->numColumns != depth ||
      isOutside(factor))
    return failure();
  WarpTile filled = fillBeyond(*tile, cast<TypedAttr>(rewriter.getZeroAttr(
                                          tile->elements.front().getType())));
  tiles[factor] = filled;
  return filled;
}

//===----------------------------------------------------------------------===//
// Products of fragments
//===----------------------------------------------------------------------===//

/// Fragments of a second factor for 16 columns from `column` on, the first
/// eight and the others, or for eight if there are no more.
std::pair<Value, Value>
TileDistribution::loadSecondFragments(const StagedFactor &factor, Value copy,
                                      const TileProduct &product, int64_t depth,
                                      int64_t column) {
  auto remainder = [&](Value value, int64_t divisor) -> Value {
    return arith::RemUIOp::create(rewriter, loc, value, index(divisor));
  };
  auto quotient = [&](Value value, int64_t divisor) -> Value {
    return arith::DivUIOp::create(rewriter, loc, value, index(divisor));
  };
  auto times = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(rewriter, loc, value, index(by));
  };
  int64_t width = 32 / product.element.getIntOrFloatBitWidth();
  int64_t numColumns =
      product.isDepthFirst ? factor.numColumns : factor.numRows;
  int64_t numTiles = column + kColumns == numColumns ? 2 : 4;
  // Eight lanes each point at the rows of a matrix of eight by 16 bytes: those
  // of the depth of eight columns, then those of the next eight.
  Value half = remainder(quotient(lane, 8), 2);
  Value other = numTiles == 4 ? quotient(lane, 16) : index(0);
  Value row = remainder(lane, 8), start;
  if (product.isDepthFirst) {
    row = add(add(row, times(half, 8)), index(depth));
    start = add(times(other, 8), index(column));
  } else {
    row = add(add(row, times(other, 8)), index(column));
    start = add(times(half, 4 * width), index(depth));
  }
  Value pair = nvgpu::LdMatrixOp::create(
      rewriter, loc, VectorType::get({numTiles, width}, product.element),
      factor.buffer, ValueRange{copy, row, start},
      /*transpose=*/product.isDepthFirst, numTiles);
  if (numTiles == 2)
    return {pair, Value()};
  // Register by register, as aggregates are lowered.
  auto type = VectorType::get({2, width}, product.element);
  auto extract = [&](int64_t first) -> Value {
    Value half =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    for (int64_t i = 0; i < 2; ++i)
      half = vector::InsertOp::create(
          rewriter, loc,
          vector::ExtractOp::create(rewriter, loc, pair, first + i), half, i);
    return half;
  };
  return {extract(0), extract(2)};
}

/// The fragment of a second factor of tf32 that goes with a tile whose columns
/// are taken as they lie: of two neighbours the first one belongs to the upper
/// half of the depth.
Value TileDistribution::loadNeighbours(const StagedFactor &factor, Value copy,
                                       const TileProduct &product,
                                       int64_t depth, int64_t column) {
  Value fromColumn =
      add(arith::DivUIOp::create(rewriter, loc, lane, index(4)), index(column));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 2; ++i) {
    Value fromDepth = add(firstColumns.lookup(2), index(depth + i));
    SmallVector<Value> indices{copy, fromDepth, fromColumn};
    if (!product.isDepthFirst)
      std::swap(indices[1], indices[2]);
    elements.push_back(
        memref::LoadOp::create(rewriter, loc, factor.buffer, indices));
  }
  return vector::FromElementsOp::create(
      rewriter, loc, VectorType::get({2, 1}, product.element), elements);
}

Value TileDistribution::roundSecond(const TileProduct &product,
                                    Value fragment) {
  if (kind != FactorKind::TF32 || product.isSecondRounded)
    return fragment;
  auto type = cast<VectorType>(fragment.getType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    elements.push_back(
        roundToTF32(rewriter, loc,
                    vector::ExtractOp::create(rewriter, loc, fragment,
                                              ArrayRef<int64_t>{i, 0})));
  return vector::FromElementsOp::create(rewriter, loc, type, elements);
}

void TileDistribution::multiplyFragments(const TileProduct &product,
                                         const StagedFactor &factor, Value copy,
                                         ValueRange first, WarpTile &result) {
  int64_t depth = getDepth(kind);
  auto type = VectorType::get({2, 2}, rewriter.getF32Type());
  SmallVector<Value> sums;
  for (ArrayRef<Value> rest = result.elements; !rest.empty();
       rest = rest.drop_front(kSums))
    sums.push_back(vector::FromElementsOp::create(rewriter, loc, type,
                                                  rest.take_front(kSums)));
  std::optional<MemoryTile> memory = getMemoryTile(product.first->get());
  bool hasNeighbours = kind == FactorKind::TF32 && !memory;
  for (auto [i, kept] : llvm::enumerate(first)) {
    int64_t at = static_cast<int64_t>(i) * depth;
    Value fragment = kept ? kept : loadFragment(*memory, product, at);
    for (int64_t column = 0; column < result.numColumns;
         column += 2 * kColumns) {
      std::pair<Value, Value> second;
      if (!hasNeighbours) {
        second = loadSecondFragments(factor, copy, product, at, column);
      } else {
        second.first = loadNeighbours(factor, copy, product, at, column);
        if (column + kColumns < result.numColumns)
          second.second =
              loadNeighbours(factor, copy, product, at, column + kColumns);
      }
      for (auto [j, fragments] :
           {std::pair(0, second.first), std::pair(1, second.second)}) {
        if (!fragments)
          continue;
        Value &sum = sums[column / kColumns + j];
        sum = nvgpu::MmaSyncOp::create(
            rewriter, loc, fragment, roundSecond(product, fragments), sum,
            ArrayRef<int64_t>{TileLayout::numWarpRows, kColumns, depth},
            /*tf32Enabled=*/kind == FactorKind::TF32);
      }
    }
  }
  for (auto [i, element] : llvm::enumerate(result.elements)) {
    int64_t inSum = static_cast<int64_t>(i) % kSums;
    element =
        vector::ExtractOp::create(rewriter, loc, sums[i / kSums],
                                  ArrayRef<int64_t>{inSum / 2, inSum % 2});
  }
}

LogicalResult TileDistribution::emitProduct(const TileProduct &product) {
  auto op = cast<linalg::GenericOp>(product.first->getOwner());
  auto number = numbers.find(op);
  if (product.kind != kind)
    return leave(op, "has factors rounded differently from others");
  FailureOr<WarpTile> result = getTile(op.getDpsInits()[0]);
  if (number == numbers.end() || failed(result) || result->elements.empty())
    return leave(op, "adds products up to no tile, or outside of a loop");
  const StagedLoop &stagedLoop = *loops.lookup(op->getParentOp());
  const StagedFactor &factor = stagedLoop.factors[number->second];
  int64_t depth = product.isDepthFirst ? factor.numRows : factor.numColumns;
  int64_t columns = product.isDepthFirst ? factor.numColumns : factor.numRows;
  Value first = product.first->get();
  auto firstType = cast<RankedTensorType>(first.getType());
  bool isInMemory = getMemoryTile(first).has_value();
  if (result->numColumns != columns ||
      (isInMemory && (product.isDepthFirst ||
                      !llvm::is_contained(firstType.getShape(), factor.width))))
    return leave(op, "has factors of different depths");
  if (layout.isFragment()) {
    FailureOr<SmallVector<Value>> fragments = getFirstFragments(product, depth);
    if (failed(fragments))
      return leave(op, "multiplies what is no tile");
    awaitFactor(stagedLoop, number->second);
    multiplyFragments(product, factor, stagedLoop.copy, *fragments, *result);
  } else {
    bool isLoaded = isInMemory && !isKept(depth);
    FailureOr<WarpTile> tile = isLoaded ? FailureOr<WarpTile>(WarpTile())
                                        : getFirstTile(product, depth);
    if (failed(tile))
      return leave(op, "multiplies what is no tile");
    awaitFactor(stagedLoop, number->second);
    if (!isLoaded)
      multiplyElements(product, factor, stagedLoop.copy, *tile, 0, *result);
    constexpr int64_t part = 64;
    for (int64_t from = 0; isLoaded && from < depth; from += part)
      multiplyElements(product, factor, stagedLoop.copy,
                       loadFirstTile(*getMemoryTile(first), product, from,
                                     std::min(part, depth - from)),
                       from, *result);
  }
  result->beyond = TypedAttr();
  return setTile(op.getResult(0), *result);
}
