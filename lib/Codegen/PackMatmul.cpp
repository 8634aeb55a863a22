//===- PackMatmul.cpp - Contiguous tiles of matrices ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "PackPairs.h"
#include "TileArray.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_PACKMATMULPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static constexpr int64_t rowsPerIteration = 16;

/// Rows are read in order, so that the reads are of whole pages; some of them
/// make an iteration of a parallel loop.
static FailureOr<Value> packColumns(IRRewriter &rewriter, Value matrix,
                                    int64_t columns) {
  Location loc = matrix.getLoc();
  auto type = cast<RankedTensorType>(matrix.getType());
  RankedTensorType packed = getPackedType(type, columns);
  auto expanded =
      type.clone({type.getDimSize(0), packed.getDimSize(0), columns});
  Value source = tensor::ExpandShapeOp::create(
      rewriter, loc, expanded, matrix,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value empty = tensor::EmptyOp::create(rewriter, loc, packed.getShape(),
                                        packed.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(3);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0, 2},
                                                   rewriter.getContext());
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      rewriter, loc, packed, source, empty, {identity, swapped}, iterators,
      [](OpBuilder &b, Location inner, ValueRange args) {
        linalg::YieldOp::create(b, inner, args[0]);
      });
  if (type.getDimSize(0) <= rowsPerIteration)
    return copy.getResult(0);
  scf::SCFTilingOptions tiling;
  tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  tiling.setTileSizes(
      getAsIndexOpFoldResult(rewriter.getContext(), {rowsPerIteration, 0, 0}));
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(copy.getOperation()), tiling);
  if (failed(tiled))
    return failure();
  Value result = tiled->replacements.front();
  rewriter.eraseOp(copy);
  return result;
}

/// The pairs of a matrix of bfloat16, or of the one of float32 that it is
/// rounded from, with zeros after them, in the memory of `pairs`. `isParallel`
/// makes iterations of a parallel loop of some.
static Value packPairs(OpBuilder &rewriter, Value matrix, Value pairs,
                       int64_t vectorWidth, bool isParallel) {
  Location loc = matrix.getLoc();
  PairPacker packer(loc, matrix, vectorWidth);
  auto pairsType = cast<RankedTensorType>(pairs.getType());
  int64_t height = cast<RankedTensorType>(matrix.getType()).getDimSize(0);
  int64_t numPairs = llvm::divideCeil(height, 2);
  auto constant = [&](OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  constexpr int64_t pairsPerIteration = rowsPerIteration / 2;
  if (!isParallel || numPairs <= pairsPerIteration)
    pairs = packer.emitRowPairs(rewriter, constant(rewriter, 0),
                                constant(rewriter, height), pairs);
  else
    pairs =
        scf::ForallOp::create(
            rewriter, loc, ArrayRef<OpFoldResult>{rewriter.getIndexAttr(0)},
            ArrayRef<OpFoldResult>{rewriter.getIndexAttr(numPairs)},
            ArrayRef<OpFoldResult>{rewriter.getIndexAttr(pairsPerIteration)},
            ValueRange{pairs}, /*mapping=*/std::nullopt,
            [&](OpBuilder &b, Location, ValueRange args) {
              AffineExpr d0;
              bindDims(b.getContext(), d0);
              auto limit = [&](int64_t most, AffineExpr rest) {
                AffineMap map =
                    AffineMap::get(1, 0, {b.getAffineConstantExpr(most), rest},
                                   b.getContext());
                return affine::makeComposedFoldedAffineMin(
                    b, loc, map, {OpFoldResult(args[0])});
              };
              OpFoldResult numHere = limit(pairsPerIteration, numPairs - d0);
              OpFoldResult rows = limit(rowsPerIteration, height - 2 * d0);
              SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), args[0],
                                                b.getIndexAttr(0)};
              SmallVector<OpFoldResult> sizes{
                  b.getIndexAttr(pairsType.getDimSize(0)), numHere,
                  b.getIndexAttr(pairsType.getDimSize(2))};
              SmallVector<OpFoldResult> strides(3, b.getIndexAttr(1));
              Value slice = tensor::ExtractSliceOp::create(
                  b, loc, args[1], offsets, sizes, strides);
              Value first =
                  arith::MulIOp::create(b, loc, args[0], constant(b, 2));
              slice = packer.emitRowPairs(
                  b, first, getValueOrCreateConstantIndexOp(b, loc, rows),
                  slice, height % 2 == 0);
              auto inParallel = scf::InParallelOp::create(b, loc);
              b.setInsertionPointToStart(inParallel.getBody());
              tensor::ParallelInsertSliceOp::create(b, loc, slice, args[1],
                                                    offsets, sizes, strides);
            })
            .getResult(0);
  if (numPairs < pairsType.getDimSize(1))
    pairs = packer.emitZeroPairs(rewriter, constant(rewriter, numPairs),
                                 constant(rewriter, pairsType.getDimSize(1)),
                                 pairs);
  return pairs;
}

namespace {
struct PackMatmulPass : public gnn::impl::PackMatmulPassBase<PackMatmulPass> {
  using PackMatmulPassBase::PackMatmulPassBase;

  void runOnOperation() override {
    if (columns < 1 || narrowColumns < 0 || vectorWidth < 1 ||
        aliasedBytes < 1) {
      getOperation()->emitError()
          << "tiles must have at least one column, and rows one byte";
      return signalPassFailure();
    }
    if (depthMultiple < 2 || depthMultiple % 2) {
      getOperation()->emitError() << "pairs fill an even number of rows";
      return signalPassFailure();
    }
    SmallVector<OpOperand *> factors;
    getOperation()->walk([&](linalg::LinalgOp op) {
      FailureOr<MatrixProduct> product = matchMatrixProduct(op);
      if (succeeded(product) && isWorthwhile(*product, op))
        factors.push_back(product->b);
    });
    llvm::DenseMap<Value, Value> unpacked;
    for (OpOperand *factor : factors) {
      Value matrix = factor->get();
      Value &replacement = unpacked[matrix];
      if (!replacement) {
        FailureOr<Value> packed = pack(matrix);
        if (failed(packed))
          return signalPassFailure();
        replacement = *packed;
        ++numPacked;
      }
      factor->set(replacement);
    }
  }

private:
  /// Where the matrix is computed, or what it is rounded from: outside of loops
  /// in which it does not change. The tiles of an array that a loop goes
  /// through are packed before a loop around that one.
  FailureOr<Value> pack(Value matrix) {
    IRRewriter rewriter(&getContext());
    auto type = cast<RankedTensorType>(matrix.getType());
    if (!type.getElementType().isBF16()) {
      rewriter.setInsertionPointAfterValue(matrix);
      FailureOr<Value> packed =
          packColumns(rewriter, matrix, getTileColumns(type));
      if (failed(packed))
        return failure();
      rewriter.setInsertionPointAfterValue(*packed);
      return unpackColumns(rewriter, matrix.getLoc(), *packed, type);
    }
    Value exact = getConverted<arith::TruncFOp>(matrix);
    Value source = exact ? exact : matrix;
    rewriter.setInsertionPointAfterValue(source);
    Location loc = matrix.getLoc();
    RankedTensorType pairsType = getPairsType(type, columns, depthMultiple);
    Value pairs;
    if (FailureOr<TileOfArray> tile = TileOfArray::match(source);
        succeeded(tile)) {
      auto memory = RankedTensorType::get(
          {pairsType.getDimSize(0), pairsType.getDimSize(1), 2 * columns},
          pairsType.getElementType());
      pairs = tile->emitBeforeLoop(
          rewriter, memory, [&](OpBuilder &b, Value from, Value into) {
            return packPairs(b, from, into, vectorWidth, /*isParallel=*/false);
          });
    } else {
      Region *region = source.getParentRegion();
      bool isParallel = !isa<scf::ForallOp>(region->getParentOp()) &&
                        !region->getParentOfType<scf::ForallOp>();
      pairs = PairPacker(loc, source, vectorWidth)
                  .emitBuffer(rewriter, pairsType.getDimSize(1), columns);
      pairs = packPairs(rewriter, source, pairs, vectorWidth, isParallel);
    }
    pairs = tensor::ExpandShapeOp::create(
        rewriter, loc, pairsType, pairs,
        ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
    return unpackPairs(rewriter, matrix.getLoc(), pairs, type);
  }

  bool isWorthwhile(const MatrixProduct &product, linalg::LinalgOp op) {
    Value matrix = product.b->get();
    auto type = cast<RankedTensorType>(matrix.getType());
    if (matrix.getDefiningOp<linalg::UnPackOp>() || !type.hasStaticShape())
      return false;
    if (product.isRounded)
      return type.getElementType().isBF16();
    return !op->getParentOfType<scf::ForallOp>() &&
           type.getDimSize(1) >= minimumColumns &&
           type.getDimSize(1) % getTileColumns(type) == 0 &&
           isFarFromTiles(type);
  }

  int64_t getTileColumns(RankedTensorType type) const {
    return gnn::getTileColumns(type.getDimSize(1), columns, narrowColumns);
  }

  /// Whether rows of a tile lie where near caches do not keep them.
  bool isFarFromTiles(RankedTensorType type) const {
    int64_t elementBytes = type.getElementTypeBitWidth() / 8;
    int64_t rowBytes = type.getDimSize(1) * elementBytes;
    int64_t tileBytes =
        type.getDimSize(0) * getTileColumns(type) * elementBytes;
    return type.getDimSize(1) >= wideColumns || rowBytes % aliasedBytes == 0 ||
           tileBytes <= nearBytes;
  }
};
} // namespace
