//===- RoundedProduct.h - Products of bfloat16 -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROUNDEDPRODUCT_H
#define GNN_LIB_CODEGEN_ROUNDEDPRODUCT_H

#include "MatrixProduct.h"
#include "SharedFactors.h"
#include "gnn/Codegen/Passes.h"

namespace gnn {

/// The side of a matrix of sums that AMX holds in a register.
constexpr int64_t kMatrixTile = 16;

/// Both factors in pairs, as register tiles read them.
struct PairedFactors {
  /// tensor<rows x depth>, or transposed tensor<1 x pairs x 2 rows>. AMX reads
  /// rows as tensor<row tiles x depth tiles x 16 x 32>, and transposed ones as
  /// tensor<rows x depth>.
  mlir::Value a;
  /// tensor<tiles x pairs x 2 columns>.
  mlir::Value b;
  mlir::Value numPairs;
  /// Rows of the block of results that row 0 of `a` belongs to.
  mlir::Value firstRow;
};

/// A matrix of 32 x 32 sums in a tensor.
struct SumsPlace {
  mlir::Value tensor, row, column;
};

/// Emits one product of bfloat16 as register tiles.
class RoundedProductEmitter {
public:
  RoundedProductEmitter(mlir::linalg::LinalgOp op, const MatrixProduct &product,
                        const LowerRoundedProductsPassOptions &options,
                        SharedFactors &shared)
      : options(options), shared(shared), loc(op.getLoc()), product(product),
        factor(product.b->get()), init(op.getDpsInits()[0]),
        tile(options.columnVectors * options.vectorWidth),
        depthMultiple(options.matrixTiles ? 2 * kMatrixTile : 2),
        pairs(getPairs(factor, tile, depthMultiple)),
        type(mlir::cast<mlir::RankedTensorType>(factor.getType())),
        width(type.getDimSize(1)),
        rowBlock(isLarge() ? options.largeRowBlock : options.rowBlock) {}

  /// As a parallel loop over blocks of rows.
  mlir::Value emitParallel(mlir::OpBuilder &b);
  /// As loops where it stands.
  mlir::Value emitSerial(mlir::OpBuilder &b);

private:
  mlir::Value constant(mlir::OpBuilder &b, int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  mlir::Value add(mlir::OpBuilder &b, mlir::Value a, mlir::Value c) {
    return mlir::arith::AddIOp::create(b, loc, a, c);
  }
  /// The smaller of `size` and what is left from `done` to `end`.
  mlir::Value getRest(mlir::OpBuilder &b, mlir::OpFoldResult done,
                      mlir::OpFoldResult end, mlir::OpFoldResult size);
  mlir::OpFoldResult getStep(mlir::OpBuilder &b, mlir::OpFoldResult numRows);
  /// A factor that near caches do not hold is read again for each block of
  /// rows.
  bool isLarge() const {
    return type.hasStaticShape() &&
           2 * type.getNumElements() >= options.largeFactor;
  }
  mlir::Value getExact(mlir::Value value) {
    mlir::Value exact = getConverted<mlir::arith::TruncFOp>(value);
    return exact ? exact : value;
  }

  /// `numRows` rows of the first factor from `first` on, `count` at most, as
  /// `emit` writes them to a tile of this type.
  mlir::Value emitTile(mlir::OpBuilder &b, mlir::Value first, mlir::Value count,
                       int64_t numRows, TileForm form,
                       llvm::ArrayRef<int64_t> shape,
                       SharedFactors::EmitTile emit);
  void readPairs(mlir::OpBuilder &b);
  mlir::Value emitRows(mlir::OpBuilder &b, mlir::Value firstRow,
                       mlir::OpFoldResult numRows, mlir::Value block);
  mlir::Value emitRowBlock(mlir::OpBuilder &b, mlir::Value firstRow,
                           mlir::Value resultRow, mlir::Value numRows,
                           mlir::Value block);
  mlir::Value emitTransposed(mlir::OpBuilder &b, mlir::Value block);
  mlir::Value emitDepthBlock(mlir::OpBuilder &b, mlir::Value first,
                             mlir::Value size, int64_t most, mlir::Value block);
  mlir::Value emitTiles(mlir::OpBuilder &b, const PairedFactors &factors,
                        mlir::Value numRows, mlir::Value block);
  mlir::Value emitColumns(mlir::OpBuilder &b, const PairedFactors &factors,
                          mlir::Value numRows, mlir::Value block,
                          mlir::Value column, int64_t numColumns);
  mlir::Value emitKernel(mlir::OpBuilder &b, const PairedFactors &factors,
                         mlir::Value row, mlir::Value column, mlir::Value block,
                         int64_t numRows, int64_t numColumns);
  mlir::Value emitMatrixColumns(mlir::OpBuilder &b,
                                const PairedFactors &factors,
                                mlir::Value numRows, mlir::Value block,
                                mlir::Value column, int64_t numColumns);
  mlir::Value emitDepthBlocks(mlir::OpBuilder &b, const PairedFactors &factors,
                              mlir::Value end, mlir::Value block,
                              mlir::Value column, int64_t numPairs);
  mlir::Value emitMatrixKernel(mlir::OpBuilder &b, const PairedFactors &factors,
                               mlir::Value row, mlir::Value column,
                               mlir::Value firstPair, mlir::Value endPair,
                               std::optional<SumsPlace> from, SumsPlace to);
  mlir::Value emitPartialMatrix(mlir::OpBuilder &b,
                                const PairedFactors &factors, mlir::Value row,
                                mlir::Value numRows, mlir::Value column,
                                int64_t numColumns, mlir::Value block);
  mlir::Value emitDot(mlir::OpBuilder &b, mlir::Value pair, mlir::Value row,
                      mlir::Value sum);

  const LowerRoundedProductsPassOptions &options;
  SharedFactors &shared;
  mlir::Location loc;
  MatrixProduct product;
  /// The second factor.
  mlir::Value factor;
  /// What the results are added to.
  mlir::Value init;
  /// Columns of a register tile.
  int64_t tile;
  /// Zeros fill sums up to a multiple of this.
  int64_t depthMultiple;
  /// The second factor in pairs, if it is stored so.
  mlir::Value pairs;
  mlir::RankedTensorType type;
  int64_t width;
  /// Rows of results at a time.
  int64_t rowBlock;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROUNDEDPRODUCT_H
