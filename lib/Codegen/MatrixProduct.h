//===- MatrixProduct.h - Contractions of two matrices ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// What the passes that pack and lower matrix products take for one.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_MATRIXPRODUCT_H
#define GNN_LIB_CODEGEN_MATRIXPRODUCT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// A sum of products C[row, column] += A[row, k] B[k, column] with rows of B
/// and C contiguous.
struct MatrixProduct {
  mlir::Value a;
  /// B as an operand of the op, so that it can be replaced.
  mlir::OpOperand *b;
  mlir::Value c;
  /// A[k, row] is stored.
  bool isTransposed;
  /// C is zero before.
  bool startsFromZero;
  /// Factors are of fewer bits than their products.
  bool isRounded;
};

/// Whether each step of `op` adds the product of its two inputs, extended at
/// most, to the result.
bool addsProducts(mlir::linalg::LinalgOp op);

/// The product that `op` is, if rows of one factor and of the result are
/// contiguous and of known length.
mlir::FailureOr<MatrixProduct> matchMatrixProduct(mlir::linalg::LinalgOp op);

/// Whether `gnn-lower-rounded-products` lowers the product once its factors are
/// rounded: with A as it is, rows of known length; transposed, a known number
/// of rows.
bool canRoundFactors(const MatrixProduct &product);

/// What `value` is but for a conversion of all elements by an `Op`, such as
/// `arith.truncf`; null if it is no such thing.
template <typename Op>
mlir::Value getConverted(mlir::Value value) {
  auto generic = value.getDefiningOp<mlir::linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumReductionLoops() ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](mlir::AffineMap map) { return map.isIdentity(); }))
    return mlir::Value();
  mlir::Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  auto conversion = yielded.getDefiningOp<Op>();
  return conversion &&
                 conversion->getOperand(0) == generic.getBody()->getArgument(0)
             ? generic.getDpsInputs()[0]
             : mlir::Value();
}

/// All elements of `value` converted by an `Op` to `elementType`.
template <typename Op>
mlir::Value convertElements(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, mlir::Type elementType) {
  llvm::SmallVector<mlir::OpFoldResult> sizes =
      mlir::tensor::getMixedSizes(builder, loc, value);
  mlir::Value empty =
      mlir::tensor::EmptyOp::create(builder, loc, sizes, elementType);
  mlir::AffineMap identity = builder.getMultiDimIdentityMap(sizes.size());
  llvm::SmallVector<mlir::utils::IteratorType> parallel(
      sizes.size(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             builder, loc, mlir::TypeRange{empty.getType()}, value, empty,
             {identity, identity}, parallel,
             [&](mlir::OpBuilder &b, mlir::Location l, mlir::ValueRange args) {
               mlir::Value converted = Op::create(b, l, elementType, args[0]);
               mlir::linalg::YieldOp::create(b, l, converted);
             })
      .getResult(0);
}

/// Columns of a tile of a factor of `width` columns: `narrowColumns`, unless 0,
/// where whole tiles of these are all of it, `columns` otherwise.
int64_t getTileColumns(int64_t width, int64_t columns, int64_t narrowColumns);

/// P[tile, k, column] = B[k, tile * columns + column]: tiles of `columns`
/// columns, one after the other, the last one filled up with any values.
mlir::RankedTensorType getPackedType(mlir::RankedTensorType type,
                                     int64_t columns);

/// B of type `type` as it reads from its packed form; the op that
/// `gnn-lower-matmul` sees through.
mlir::Value unpackColumns(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value packed, mlir::RankedTensorType type);

/// The packed form that `b` is read from, with tiles of `columns` columns; null
/// if there is none.
mlir::Value getPackedColumns(mlir::Value b, int64_t columns);

/// P[tile, pair, column, i] = B[2 * pair + i, tile * columns + column] in
/// bfloat16: tiles as above, in which two elements that follow each other along
/// k lie side by side. Zeros fill k up to a multiple of `depthMultiple`, an
/// even number.
mlir::RankedTensorType getPairsType(mlir::RankedTensorType type,
                                    int64_t columns, int64_t depthMultiple);

/// B of type `type` as it reads from its pairs; the ops that
/// `gnn-lower-rounded-products` sees through.
mlir::Value unpackPairs(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value pairs, mlir::RankedTensorType type);

/// The pairs that `b` is read from, with tiles of `columns` columns and of the
/// type above; null if there are none.
mlir::Value getPairs(mlir::Value b, int64_t columns, int64_t depthMultiple);

/// Computes `numRows` rows of `block` by tiles of `tileRows`, or fewer for what
/// these leave; `emitTile` gives the block with rows from `row` on computed.
/// Where nothing is added to what was there before, `startsFromZero`, rows may
/// be computed twice; if tiles of two sizes are mixed (`mixesTiles`), a few of
/// them at most.
mlir::Value
emitRowTiles(mlir::OpBuilder &b, mlir::Location loc, mlir::Value numRows,
             int64_t tileRows, bool startsFromZero, bool mixesTiles,
             mlir::Value block,
             llvm::function_ref<mlir::Value(mlir::OpBuilder &b, mlir::Value row,
                                            mlir::Value block, int64_t rows)>
                 emitTile);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_MATRIXPRODUCT_H
