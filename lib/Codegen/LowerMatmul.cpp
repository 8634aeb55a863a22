//===- LowerMatmul.cpp - Matrix products as vector kernels -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERMATMULPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// A sum of products C[row, column] += A[row, k] B[k, column] with rows of B
/// and C contiguous.
struct Product {
  Value a, b, c;
  /// A[k, row] is stored.
  bool isTransposed;
  /// C is zero before.
  bool startsFromZero;
};

/// Columns of the second factor: those from `first` on of a matrix.
struct Panel {
  Value matrix, first;
};

/// Emits one matrix product as register tiles.
class MatmulEmitter {
public:
  MatmulEmitter(Location loc, const Product &product,
                const LowerMatmulPassOptions &options)
      : options(options), loc(loc), product(product) {
    auto type = cast<RankedTensorType>(product.b.getType());
    width = type.getDimSize(1);
    elementType = type.getElementType();
  }

  /// As a parallel loop over blocks of rows.
  Value emitParallel(OpBuilder &builder);
  /// As loops where it stands.
  Value emitSerial(OpBuilder &builder);

private:
  Value constant(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(OpBuilder &b, Value a, Value c) {
    return arith::AddIOp::create(b, loc, a, c);
  }
  Value emitRowBlock(OpBuilder &b, Value firstRow, Value numRows, Value block);
  Value emitColumns(OpBuilder &b, Value firstRow, Value numRows, Value block,
                    Value column, int64_t numColumns);
  Panel emitPanel(OpBuilder &b, Value column, int64_t numColumns);
  Value emitKernel(OpBuilder &b, Value firstRow, Value row, Value column,
                   const Panel &panel, Value block, int64_t numRows,
                   int64_t numColumns);

  const LowerMatmulPassOptions &options;
  Location loc;
  Product product;
  int64_t width;
  Type elementType;
  /// Emitted outside of all loops.
  Value depth;
};
} // namespace

/// `numRows` x `numColumns` results: the k loop carries a vector for each row
/// and vector of columns.
Value MatmulEmitter::emitKernel(OpBuilder &b, Value firstRow, Value row,
                                Value column, const Panel &panel, Value block,
                                int64_t numRows, int64_t numColumns) {
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  SmallVector<int64_t> widths;
  for (int64_t done = 0; done < numColumns; done += options.vectorWidth)
    widths.push_back(std::min(options.vectorWidth, numColumns - done));
  SmallVector<Value> columns, panelColumns, blockRows;
  for (unsigned v = 0; v < widths.size(); ++v) {
    Value offset = constant(b, v * options.vectorWidth);
    columns.push_back(add(b, column, offset));
    panelColumns.push_back(add(b, panel.first, offset));
  }
  for (int64_t r = 0; r < numRows; ++r)
    blockRows.push_back(add(b, row, constant(b, r)));
  auto getType = [&](unsigned v) {
    return VectorType::get({widths[v]}, elementType);
  };

  SmallVector<Value> init;
  for (int64_t r = 0; r < numRows; ++r)
    for (unsigned v = 0; v < widths.size(); ++v)
      init.push_back(
          product.startsFromZero
              ? arith::ConstantOp::create(b, loc, b.getZeroAttr(getType(v)))
                    .getResult()
              : vector::TransferReadOp::create(
                    b, loc, getType(v), block,
                    ValueRange{blockRows[r], columns[v]}, padding,
                    ArrayRef<bool>{true})
                    .getResult());
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), depth, constant(b, 1), init,
      [&](OpBuilder &bb, Location, Value k, ValueRange accumulators) {
        SmallVector<Value> loaded, next;
        for (unsigned v = 0; v < widths.size(); ++v)
          loaded.push_back(vector::TransferReadOp::create(
              bb, loc, getType(v), panel.matrix, ValueRange{k, panelColumns[v]},
              padding, ArrayRef<bool>{true}));
        for (int64_t r = 0; r < numRows; ++r) {
          Value source = add(bb, firstRow, blockRows[r]);
          SmallVector<Value> indices{source, k};
          if (product.isTransposed)
            std::swap(indices[0], indices[1]);
          Value element =
              tensor::ExtractOp::create(bb, loc, product.a, indices);
          for (unsigned v = 0; v < widths.size(); ++v) {
            Value spread =
                vector::BroadcastOp::create(bb, loc, getType(v), element);
            next.push_back(
                vector::FMAOp::create(bb, loc, spread, loaded[v],
                                      accumulators[r * widths.size() + v]));
          }
        }
        scf::YieldOp::create(bb, loc, next);
      });
  for (int64_t r = 0; r < numRows; ++r)
    for (unsigned v = 0; v < widths.size(); ++v)
      block = vector::TransferWriteOp::create(
                  b, loc, loop.getResult(r * widths.size() + v), block,
                  ValueRange{blockRows[r], columns[v]}, ArrayRef<bool>{true})
                  .getResult();
  return block;
}

/// Rows of a wide matrix lie pages apart, so that each tile of rows would look
/// up as many addresses as the panel has rows; a copy is contiguous.
Panel MatmulEmitter::emitPanel(OpBuilder &b, Value column, int64_t numColumns) {
  std::optional<int64_t> height = getConstantIntValue(depth);
  if (!height || width < options.packColumns)
    return {product.b, column};
  auto type = RankedTensorType::get({*height, numColumns}, elementType);
  Value memory = bufferization::AllocTensorOp::create(
      b, loc, type, /*dynamicSizes=*/ValueRange());
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  Value zero = constant(b, 0);
  auto vectorType = VectorType::get({numColumns}, elementType);
  auto loop = scf::ForOp::create(
      b, loc, zero, depth, constant(b, 1), ValueRange{memory},
      [&](OpBuilder &bb, Location, Value k, ValueRange args) {
        Value row = vector::TransferReadOp::create(
            bb, loc, vectorType, product.b, ValueRange{k, column}, padding,
            ArrayRef<bool>{true});
        Value next = vector::TransferWriteOp::create(bb, loc, row, args[0],
                                                     ValueRange{k, zero},
                                                     ArrayRef<bool>{true})
                         .getResult();
        scf::YieldOp::create(bb, loc, next);
      });
  return {loop.getResult(0), zero};
}

/// All rows of a block for one range of columns.
Value MatmulEmitter::emitColumns(OpBuilder &b, Value firstRow, Value numRows,
                                 Value block, Value column,
                                 int64_t numColumns) {
  Panel panel = emitPanel(b, column, numColumns);
  Value tile = constant(b, options.rowTile);
  Value zero = constant(b, 0);
  auto emitLoop = [&](Value begin, Value end, int64_t size, Value target,
                      Value last) {
    return scf::ForOp::create(
               b, loc, begin, end, constant(b, size), ValueRange{target},
               [&](OpBuilder &bb, Location, Value row, ValueRange args) {
                 if (last)
                   row = arith::MinUIOp::create(bb, loc, row, last);
                 Value next = emitKernel(bb, firstRow, row, column, panel,
                                         args[0], size, numColumns);
                 scf::YieldOp::create(bb, loc, next);
               })
        .getResult(0);
  };
  std::optional<int64_t> known = getConstantIntValue(numRows);
  bool isWhole = known && *known % options.rowTile == 0;
  if (isWhole)
    return emitLoop(zero, numRows, options.rowTile, block, Value());
  if (!product.startsFromZero) {
    Value whole = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, numRows, tile), tile);
    block = emitLoop(zero, whole, options.rowTile, block, Value());
    return emitLoop(whole, numRows, 1, block, Value());
  }
  // Nothing is added up, so the last tile may compute rows of the one before
  // once more; single rows are left only of a block smaller than a tile.
  Value enough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, numRows, tile);
  Value whole = arith::SelectOp::create(b, loc, enough, numRows, zero);
  Value last = arith::SubIOp::create(b, loc, numRows, tile);
  block = emitLoop(zero, whole, options.rowTile, block, last);
  return emitLoop(whole, numRows, 1, block, Value());
}

Value MatmulEmitter::emitRowBlock(OpBuilder &b, Value firstRow, Value numRows,
                                  Value block) {
  int64_t tile = options.columnVectors * options.vectorWidth;
  int64_t whole = width / tile * tile;
  if (whole) {
    auto loop = scf::ForOp::create(
        b, loc, constant(b, 0), constant(b, whole), constant(b, tile),
        ValueRange{block},
        [&](OpBuilder &bb, Location, Value column, ValueRange args) {
          Value next =
              emitColumns(bb, firstRow, numRows, args[0], column, tile);
          scf::YieldOp::create(bb, loc, next);
        });
    block = loop.getResult(0);
  }
  if (whole == width)
    return block;
  return emitColumns(b, firstRow, numRows, block, constant(b, whole),
                     width - whole);
}

Value MatmulEmitter::emitSerial(OpBuilder &builder) {
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, product.c, 0);
  depth = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, product.b, 0));
  return emitRowBlock(builder, constant(builder, 0),
                      getValueOrCreateConstantIndexOp(builder, loc, numRows),
                      product.c);
}

Value MatmulEmitter::emitParallel(OpBuilder &builder) {
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, product.c, 0);
  depth = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, product.b, 0));
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{numRows},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(options.rowBlock)},
      ValueRange{product.c}, /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location, ValueRange args) {
        AffineExpr d0, s0;
        bindDims(b.getContext(), d0);
        bindSymbols(b.getContext(), s0);
        AffineMap map = AffineMap::get(
            1, 1, {b.getAffineConstantExpr(options.rowBlock), s0 - d0},
            b.getContext());
        OpFoldResult size = affine::makeComposedFoldedAffineMin(
            b, loc, map, {OpFoldResult(args[0]), numRows});
        Value sizeValue = getValueOrCreateConstantIndexOp(b, loc, size);
        SmallVector<OpFoldResult> offsets{args[0], b.getIndexAttr(0)};
        SmallVector<OpFoldResult> sizes{size, b.getIndexAttr(width)};
        SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
        Value block = tensor::ExtractSliceOp::create(b, loc, args[1], offsets,
                                                     sizes, strides);
        block = emitRowBlock(b, args[0], sizeValue, block);
        auto inParallel = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(b, loc, block, args[1], offsets,
                                              sizes, strides);
      });
  return loop.getResult(0);
}

/// The product that `op` is, if rows of one factor and of the result are
/// contiguous and of known length.
static FailureOr<Product> matchProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !linalg::isaContractionOpInterface(op))
    return failure();
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || !dims->batch.empty() || dims->m.size() != 1 ||
      dims->n.size() != 1 || dims->k.size() != 1)
    return failure();
  unsigned left = dims->m[0], right = dims->n[0], k = dims->k[0];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MLIRContext *context = op.getContext();
  auto is = [&](AffineMap map, unsigned first, unsigned second) {
    return map == AffineMap::get(3, 0,
                                 {getAffineDimExpr(first, context),
                                  getAffineDimExpr(second, context)},
                                 context);
  };
  // What is last in the result are columns.
  bool isSwapped = is(maps[2], right, left);
  unsigned row = isSwapped ? right : left, column = isSwapped ? left : right;
  OpOperand *a = op.getDpsInputOperand(isSwapped ? 1 : 0);
  OpOperand *b = op.getDpsInputOperand(isSwapped ? 0 : 1);
  Value c = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(b->get().getType());
  if (!is(op.getMatchingIndexingMap(b), k, column) ||
      !is(maps[2], row, column) || type.isDynamicDim(1) ||
      !isa<FloatType>(type.getElementType()) ||
      getElementTypeOrSelf(a->get()) != type.getElementType() ||
      getElementTypeOrSelf(c) != type.getElementType())
    return failure();
  // A product that starts from zero need not read the zeros.
  auto fill = c.getDefiningOp<linalg::FillOp>();
  bool startsFromZero =
      fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return Product{a->get(), b->get(), startsFromZero ? fill.getOutputs()[0] : c,
                 is(op.getMatchingIndexingMap(a), k, row), startsFromZero};
}

namespace {
struct LowerMatmulPass
    : public gnn::impl::LowerMatmulPassBase<LowerMatmulPass> {
  using LowerMatmulPassBase::LowerMatmulPassBase;

  void runOnOperation() override {
    if (rowBlock < 1 || rowTile < 1 || columnVectors < 1 || vectorWidth < 1 ||
        packColumns < 1) {
      getOperation()->emitError() << "tile sizes must be at least 1";
      return signalPassFailure();
    }
    LowerMatmulPassOptions options{rowBlock, rowTile, columnVectors,
                                   vectorWidth, packColumns};
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<Product> product = matchProduct(op);
      if (failed(product))
        continue;
      MatmulEmitter emitter(op.getLoc(), *product, options);
      rewriter.setInsertionPoint(op);
      bool isNested(op->getParentOfType<scf::ForallOp>());
      rewriter.replaceOp(op, isNested ? emitter.emitSerial(rewriter)
                                      : emitter.emitParallel(rewriter));
    }
  }
};
} // namespace
