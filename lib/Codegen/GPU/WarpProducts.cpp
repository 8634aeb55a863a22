//===- WarpProducts.cpp - Products of tiles on tensor cores -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileDistribution.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;

/// Factors that a product of fragments adds up, and rows of its first one.
static constexpr int64_t kDepth = 16;
/// Columns of a fragment of sums.
static constexpr int64_t kColumns = 8;
/// Elements of 16 bits that a thread copies at once.
static constexpr int64_t kPiece = 8;
static constexpr int64_t kWarp = 32;

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

/// The operand of a body that `value` is, rounded to 16 bits, and that type.
static std::pair<BlockArgument, Type> getRounded(Value value) {
  auto extended = value.getDefiningOp<arith::ExtFOp>();
  if (!extended)
    return {};
  Value narrow = extended.getIn();
  Type type = narrow.getType();
  if (!type.isBF16() && !type.isF16())
    return {};
  if (auto rounded = narrow.getDefiningOp<arith::TruncFOp>())
    narrow = rounded.getIn();
  return {dyn_cast<BlockArgument>(narrow), type};
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
  auto [left, leftType] = getRounded(product.getLhs());
  auto [right, rightType] = getRounded(product.getRhs());
  if (!left || !right || left == right || leftType != rightType ||
      left.getOwner() != op.getBody() || right.getOwner() != op.getBody())
    return failure();

  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  TileProduct match{op.getDpsInputOperand(0), op.getDpsInputOperand(1),
                    leftType, false};
  auto hasRows = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      auto dimension = dyn_cast<AffineDimExpr>(expr);
      return dimension && axes.isRowLoop(op, dimension.getPosition());
    });
  };
  if (hasRows(match.second))
    std::swap(match.first, match.second);
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

/// Eight elements: upper row and lower row of the first eight columns, then of
/// the next eight, two neighbours of each.
Value TileDistribution::makeFragment(ValueRange elements, Type element) {
  SmallVector<Value> rounded;
  for (Value value : elements)
    rounded.push_back(
        value.getType() == element
            ? value
            : arith::TruncFOp::create(rewriter, loc, element, value));
  return vector::FromElementsOp::create(
      rewriter, loc, VectorType::get({4, 2}, element), rounded);
}

/// Fragments of a factor that lies in memory.
SmallVector<Value> TileDistribution::loadFragments(const MemoryTile &memory,
                                                   const TileProduct &product,
                                                   int64_t depth) {
  AffineMap map = cast<linalg::GenericOp>(product.first->getOwner())
                      .getMatchingIndexingMap(product.first);
  auto op = cast<linalg::GenericOp>(product.first->getOwner());
  bool isRowsFirst = axes.isRowLoop(op, map.getDimPosition(0));
  SmallVector<Value> loaded;
  for (int64_t first = 0; first < depth; first += kDepth) {
    SmallVector<Value> elements;
    // As a lane holds them of two fragments of sums.
    for (int64_t i = 0; i < kDepth / 2; ++i) {
      Value row = getRow(i / 2 % 2);
      Value column = add(firstColumn, index(first + WarpTile::getColumn(i)));
      elements.push_back(loadElement(memory, isRowsFirst
                                                 ? ValueRange{row, column}
                                                 : ValueRange{column, row}));
    }
    loaded.push_back(makeFragment(elements, product.element));
  }
  return loaded;
}

FailureOr<SmallVector<Value>>
TileDistribution::getFirstFragments(const TileProduct &product, int64_t depth) {
  Value factor = product.first->get();
  if (std::optional<MemoryTile> memory = getMemoryTile(factor)) {
    auto type = cast<RankedTensorType>(factor.getType());
    if (product.isDepthFirst || !llvm::is_contained(type.getShape(), depth))
      return failure();
    SmallVector<Value> &loaded = fragments[factor];
    if (!loaded.empty())
      return loaded;
    // As early as it is there: that may be outside of a loop.
    OpBuilder::InsertionGuard guard(rewriter);
    if (Operation *place = places.lookup(factor))
      rewriter.setInsertionPointAfter(place);
    loaded = loadFragments(*memory, product, depth);
    return loaded;
  }
  FailureOr<WarpTile> tile = getTile(factor);
  if (failed(tile) || tile->elements.empty() || tile->numColumns != depth ||
      isOutside(factor))
    return failure();
  // Sums of products are what the next product reads, as they lie.
  WarpTile filled = fillBeyond(*tile, cast<TypedAttr>(rewriter.getZeroAttr(
                                          tile->elements.front().getType())));
  tiles[factor] = filled;
  SmallVector<Value> result;
  for (ArrayRef<Value> rest = filled.elements; !rest.empty();
       rest = rest.drop_front(kDepth / 2))
    result.push_back(
        makeFragment(rest.take_front(kDepth / 2), product.element));
  return result;
}

//===----------------------------------------------------------------------===//
// Second factors
//===----------------------------------------------------------------------===//

/// Whether pieces of rows of an array of 16-bit elements are aligned.
static bool isAligned(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return type.getLayout().isIdentity();
  auto [strides, offset] = view.getSourceType().getStridesAndOffset();
  for (auto [stride, begin] : llvm::zip(strides, view.getMixedOffsets())) {
    if (isConstantIntValue(begin, 0))
      continue;
    if (ShapedType::isDynamic(stride) || stride % kPiece != 0)
      return false;
  }
  return view.hasUnitStride() && isAligned(view.getSource());
}

/// Whether `value` can be computed for another iteration of `loop`.
static bool isIndexComputation(scf::ForOp loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::none_of(op->getOperandTypes(),
                       llvm::IsaPred<RankedTensorType>) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isIndexComputation(loop, operand);
         });
}

FailureOr<TileDistribution::StagedFactor>
TileDistribution::stageFactor(scf::ForOp inner, linalg::GenericOp op,
                              const TileProduct &product, int64_t numCopies) {
  Value factor = product.second->get();
  auto slice = factor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !axes.isView(factor) || slice->getBlock() != inner.getBody() ||
      slice.getType().getElementType() != product.element ||
      slice.getType().getRank() != 2 || slice.getSourceType().getRank() != 2)
    return failure();
  // Rows as they follow each other in memory, in whole pieces.
  Value source = getBuffer(slice.getSource());
  if (!source || !slice.hasUnitStride() ||
      !inner.isDefinedOutsideOfLoop(slice.getSource()))
    return failure();
  auto [strides, offset] =
      cast<MemRefType>(source.getType()).getStridesAndOffset();
  int64_t numColumns = slice.getType().getDimSize(1);
  OpFoldResult numRows = slice.getMixedSizes()[0];
  if (strides[1] != 1 || strides[0] % kPiece != 0 ||
      ShapedType::isDynamic(strides[0]) || numColumns % kDepth != 0 ||
      !isConstantIntValue(slice.getMixedOffsets()[1], 0) || !isAligned(source))
    return failure();
  for (OpFoldResult number : {numRows, slice.getMixedOffsets()[0]})
    if (auto value = dyn_cast<Value>(number);
        value && !isIndexComputation(inner, value))
      return failure();

  // Rows are a piece longer, so that the first pieces of eight rows lie in
  // different banks.
  StagedFactor staged{op, slice, Value(), getMost(numRows), numColumns};
  int64_t bytes = numCopies * staged.numRows * (numColumns + kPiece) * 2;
  if (staged.numRows == 0 || bytes > bytesLeft)
    return failure();
  bytesLeft -= bytes;
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  staged.buffer = memref::AllocaOp::create(
      rewriter, loc,
      MemRefType::get({numCopies, staged.numRows, numColumns + kPiece},
                      product.element, MemRefLayoutAttrInterface(), space));
  return staged;
}

/// Reserves workgroup memory for the second factors of a loop, and brings the
/// first one.
LogicalResult TileDistribution::stageFactors(StagedLoop &stagedLoop) {
  scf::ForOp inner = stagedLoop.loop;
  SmallVector<std::pair<linalg::GenericOp, TileProduct>> products;
  for (auto op : inner.getBody()->getOps<linalg::GenericOp>())
    if (FailureOr<TileProduct> product = matchTileProduct(op, axes);
        succeeded(product))
      products.emplace_back(op, *product);
  if (products.empty())
    return success();
  // The only one is read while the next one comes.
  int64_t numCopies = products.size() == 1 ? 2 : 1;
  for (auto &[op, product] : products) {
    FailureOr<StagedFactor> factor = stageFactor(inner, op, product, numCopies);
    if (failed(factor))
      return failure();
    numbers[op] = stagedLoop.factors.size();
    stagedLoop.factors.push_back(*factor);
  }
  // Other warps may still read what an outer loop's last iteration left.
  if (inner->getParentOp() != loop)
    gpu::BarrierOp::create(rewriter, loc);
  copyFactor(stagedLoop, 0, stagedLoop.iteration, index(0));
  return success();
}

/// Brings a factor of an iteration, if there is such an iteration.
void TileDistribution::copyFactor(const StagedLoop &stagedLoop, unsigned number,
                                  Value iteration, Value copy) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (iteration != stagedLoop.iteration || !stagedLoop.copy) {
    Value exists = isBelow(iteration, stagedLoop.end);
    auto guarded =
        scf::IfOp::create(rewriter, loc, exists, /*withElseRegion=*/false);
    rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
  }
  const StagedFactor &factor = stagedLoop.factors[number];
  scf::ForOp inner = stagedLoop.loop;
  IRMapping local;
  local.map(inner.getInductionVar(), iteration);
  std::function<Value(Value)> compute = [&](Value value) -> Value {
    if (Value known = local.lookupOrNull(value))
      return known;
    if (inner.isDefinedOutsideOfLoop(value))
      return mapping.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      local.map(operand, compute(operand));
    rewriter.clone(*op, local);
    return local.lookup(value);
  };
  auto computeSize = [&](OpFoldResult size) -> Value {
    if (auto value = dyn_cast<Value>(size))
      return compute(value);
    return getValue(size);
  };
  tensor::ExtractSliceOp slice = factor.slice;
  Value firstRow = computeSize(slice.getMixedOffsets()[0]);
  Value numRows = computeSize(slice.getMixedSizes()[0]);
  Value lastRow = arith::SubIOp::create(rewriter, loc, numRows, index(1));
  Value source = getBuffer(slice.getSource());

  int64_t rowPieces = factor.numColumns / kPiece;
  int64_t numPieces = factor.numRows * rowPieces;
  int64_t numThreads = axes.getNumRows() / kDepth * kWarp;
  for (int64_t first = 0; first < numPieces; first += numThreads) {
    OpBuilder::InsertionGuard inPiece(rewriter);
    Value piece = add(thread, index(first));
    if (first + numThreads > numPieces) {
      auto guarded =
          scf::IfOp::create(rewriter, loc, isBelow(piece, index(numPieces)),
                            /*withElseRegion=*/false);
      rewriter.setInsertionPoint(guarded.thenBlock()->getTerminator());
    }
    Value perRow = index(rowPieces);
    Value row = arith::DivUIOp::create(rewriter, loc, piece, perRow);
    Value column = arith::MulIOp::create(
        rewriter, loc, arith::RemUIOp::create(rewriter, loc, piece, perRow),
        index(kPiece));
    // Nothing is read of rows beyond the last one, which become zero.
    Value numElements = arith::SelectOp::create(
        rewriter, loc, isBelow(row, numRows), index(kPiece), index(0));
    Value sourceRow =
        add(firstRow, arith::MinSIOp::create(rewriter, loc, row, lastRow));
    nvgpu::DeviceAsyncCopyOp::create(
        rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
        factor.buffer, ValueRange{copy, row, column}, source,
        ValueRange{sourceRow, column}, rewriter.getIndexAttr(kPiece),
        numElements, /*bypassL1=*/rewriter.getUnitAttr());
  }
}

/// Waits for a product's second factor, which all threads have brought
/// together, and asks for the one that comes after it: all have read what it
/// takes the place of.
void TileDistribution::awaitFactor(const StagedLoop &stagedLoop,
                                   unsigned number) {
  Value group = nvgpu::DeviceAsyncCreateGroupOp::create(
      rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
      ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(rewriter, loc, group,
                                   rewriter.getI32IntegerAttr(0));
  gpu::BarrierOp::create(rewriter, loc);
  if (number + 1 < stagedLoop.factors.size())
    return copyFactor(stagedLoop, number + 1, stagedLoop.iteration,
                      stagedLoop.copy);
  Value next = add(stagedLoop.iteration, stagedLoop.step);
  Value copy = stagedLoop.copy;
  if (stagedLoop.factors.size() == 1)
    copy = arith::SubIOp::create(rewriter, loc, index(1), copy);
  copyFactor(stagedLoop, 0, next, copy);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Fragments of a second factor for 16 columns from `column` on, the first
/// eight and the others.
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
  auto eight = [&](Value value) -> Value {
    return arith::MulIOp::create(rewriter, loc, value, index(kPiece));
  };
  // Eight lanes each point at the rows of a matrix of eight by eight: those of
  // the depth of eight columns, then those of the next eight.
  Value inner = eight(remainder(quotient(lane, 8), 2));
  Value outer = eight(quotient(lane, 16));
  Value row = remainder(lane, 8);
  row = add(row, product.isDepthFirst ? inner : outer);
  Value start = product.isDepthFirst ? outer : inner;
  row = add(row, index(product.isDepthFirst ? depth : column));
  start = add(start, index(product.isDepthFirst ? column : depth));
  Value pair = nvgpu::LdMatrixOp::create(
      rewriter, loc, VectorType::get({4, 2}, product.element), factor.buffer,
      ValueRange{copy, row, start}, /*transpose=*/product.isDepthFirst,
      /*numTiles=*/4);
  auto extract = [&](int64_t first) -> Value {
    return vector::ExtractStridedSliceOp::create(
        rewriter, loc, pair, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{2},
        ArrayRef<int64_t>{1});
  };
  return {extract(0), extract(2)};
}

LogicalResult TileDistribution::emitProduct(const TileProduct &product) {
  auto op = cast<linalg::GenericOp>(product.first->getOwner());
  auto number = numbers.find(op);
  FailureOr<WarpTile> result = getTile(op.getDpsInits()[0]);
  if (number == numbers.end() || failed(result) || result->elements.empty())
    return failure();
  const StagedLoop &stagedLoop = *loops.lookup(op->getParentOp());
  const StagedFactor &factor = stagedLoop.factors[number->second];
  int64_t depth = product.isDepthFirst ? factor.numRows : factor.numColumns;
  int64_t columns = product.isDepthFirst ? factor.numColumns : factor.numRows;
  if (result->numColumns != columns)
    return failure();
  FailureOr<SmallVector<Value>> first = getFirstFragments(product, depth);
  if (failed(first))
    return failure();
  awaitFactor(stagedLoop, number->second);

  auto type = VectorType::get({2, 2}, rewriter.getF32Type());
  constexpr int64_t perFragment = 4;
  SmallVector<Value> sums;
  for (ArrayRef<Value> rest = result->elements; !rest.empty();
       rest = rest.drop_front(perFragment))
    sums.push_back(vector::FromElementsOp::create(
        rewriter, loc, type, rest.take_front(perFragment)));
  for (auto [i, fragment] : llvm::enumerate(*first))
    for (int64_t column = 0; column < columns; column += 2 * kColumns) {
      auto [low, high] = loadSecondFragments(factor, stagedLoop.copy, product,
                                             i * kDepth, column);
      for (auto [j, second] : {std::pair(0, low), std::pair(1, high)}) {
        Value &sum = sums[column / kColumns + j];
        sum = nvgpu::MmaSyncOp::create(
            rewriter, loc, fragment, second, sum,
            ArrayRef<int64_t>{kDepth, kColumns, kDepth});
      }
    }
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->elements[i] = vector::ExtractOp::create(
        rewriter, loc, sums[i / perFragment],
        ArrayRef<int64_t>{i % perFragment / 2, i % 2});
  result->beyond = TypedAttr();
  return setTile(op.getResult(0), *result);
}
