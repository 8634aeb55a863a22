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
/// Emits one matrix product as register tiles.
class MatmulEmitter {
public:
  MatmulEmitter(linalg::MatmulOp op, const LowerMatmulPassOptions &options)
      : options(options), loc(op.getLoc()), rows(op.getInputs()[0]),
        weights(op.getInputs()[1]) {
    auto type = cast<RankedTensorType>(weights.getType());
    depth = type.getDimSize(0);
    width = type.getDimSize(1);
    elementType = type.getElementType();
    // A product that starts from zero need not read the zeros.
    auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    startsFromZero =
        fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    output = startsFromZero ? fill.getOutputs()[0] : op.getOutputs()[0];
  }

  Value emit(OpBuilder &builder);

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
  Value emitKernel(OpBuilder &b, Value firstRow, Value row, Value column,
                   Value block, int64_t numRows, int64_t numColumns);

  const LowerMatmulPassOptions &options;
  Location loc;
  Value rows, weights, output;
  int64_t depth, width;
  Type elementType;
  bool startsFromZero;
};
} // namespace

/// `numRows` x `numColumns` results: the k loop carries a vector for each row
/// and vector of columns.
Value MatmulEmitter::emitKernel(OpBuilder &b, Value firstRow, Value row,
                                Value column, Value block, int64_t numRows,
                                int64_t numColumns) {
  Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
  SmallVector<int64_t> widths;
  for (int64_t done = 0; done < numColumns; done += options.vectorWidth)
    widths.push_back(std::min(options.vectorWidth, numColumns - done));
  SmallVector<Value> columns, blockRows;
  for (unsigned v = 0; v < widths.size(); ++v)
    columns.push_back(add(b, column, constant(b, v * options.vectorWidth)));
  for (int64_t r = 0; r < numRows; ++r)
    blockRows.push_back(add(b, row, constant(b, r)));
  auto getType = [&](unsigned v) {
    return VectorType::get({widths[v]}, elementType);
  };

  SmallVector<Value> init;
  for (int64_t r = 0; r < numRows; ++r)
    for (unsigned v = 0; v < widths.size(); ++v)
      init.push_back(startsFromZero ? arith::ConstantOp::create(
                                          b, loc, b.getZeroAttr(getType(v)))
                                          .getResult()
                                    : vector::TransferReadOp::create(
                                          b, loc, getType(v), block,
                                          ValueRange{blockRows[r], columns[v]},
                                          padding, ArrayRef<bool>{true})
                                          .getResult());
  auto loop = scf::ForOp::create(
      b, loc, constant(b, 0), constant(b, depth), constant(b, 1), init,
      [&](OpBuilder &bb, Location, Value k, ValueRange accumulators) {
        SmallVector<Value> loaded, next;
        for (unsigned v = 0; v < widths.size(); ++v)
          loaded.push_back(vector::TransferReadOp::create(
              bb, loc, getType(v), weights, ValueRange{k, columns[v]}, padding,
              ArrayRef<bool>{true}));
        for (int64_t r = 0; r < numRows; ++r) {
          Value source = add(bb, firstRow, blockRows[r]);
          Value element =
              tensor::ExtractOp::create(bb, loc, rows, ValueRange{source, k});
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

/// All rows of a block for one range of columns.
Value MatmulEmitter::emitColumns(OpBuilder &b, Value firstRow, Value numRows,
                                 Value block, Value column,
                                 int64_t numColumns) {
  Value tile = constant(b, options.rowTile);
  Value whole = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, numRows, tile), tile);
  auto emitLoop = [&](Value begin, Value end, int64_t size, Value target) {
    return scf::ForOp::create(
               b, loc, begin, end, constant(b, size), ValueRange{target},
               [&](OpBuilder &bb, Location, Value row, ValueRange args) {
                 Value next = emitKernel(bb, firstRow, row, column, args[0],
                                         size, numColumns);
                 scf::YieldOp::create(bb, loc, next);
               })
        .getResult(0);
  };
  block = emitLoop(constant(b, 0), whole, options.rowTile, block);
  return emitLoop(whole, numRows, 1, block);
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

Value MatmulEmitter::emit(OpBuilder &builder) {
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, rows, 0);
  auto loop = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{numRows},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(options.rowBlock)},
      ValueRange{output}, /*mapping=*/std::nullopt,
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

namespace {
struct LowerMatmulPass
    : public gnn::impl::LowerMatmulPassBase<LowerMatmulPass> {
  using LowerMatmulPassBase::LowerMatmulPassBase;

  void runOnOperation() override {
    if (rowBlock < 1 || rowTile < 1 || columnVectors < 1 || vectorWidth < 1) {
      getOperation()->emitError() << "tile sizes must be at least 1";
      return signalPassFailure();
    }
    LowerMatmulPassOptions options{rowBlock, rowTile, columnVectors,
                                   vectorWidth};
    SmallVector<linalg::MatmulOp> matmuls;
    getOperation()->walk([&](linalg::MatmulOp op) { matmuls.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::MatmulOp op : matmuls) {
      auto weights = dyn_cast<RankedTensorType>(op.getInputs()[1].getType());
      if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps() ||
          !weights.hasStaticShape() ||
          !isa<FloatType>(weights.getElementType()) ||
          op->getParentOfType<scf::ForallOp>())
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, MatmulEmitter(op, options).emit(rewriter));
    }
  }
};
} // namespace
