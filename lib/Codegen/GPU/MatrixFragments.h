//===- MatrixFragments.h - Matrices in registers of a warp ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lanes of a warp hold of the operands of mma.sync: a first factor of
// 16 rows, a second one of 8 columns, and sums of products in float32. Factors
// are 16 deep if they are f16 or bf16, 8 deep if they are f32, of which tensor
// cores look at the 19 bits of tf32.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_MATRIXFRAGMENTS_H
#define GNN_LIB_CODEGEN_GPU_MATRIXFRAGMENTS_H

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// A matrix in workgroup memory whose pieces of 16 bytes change places within
/// their rows, so that eight rows of a column of pieces lie in all 32 banks:
/// reading and writing them has no conflicts. Rows are 32, 64, 128 bytes or
/// more, a power of two.
class SwizzledTile {
public:
  /// `buffer` may have more dimensions in front, of which `outer` are indices.
  SwizzledTile(mlir::Value buffer, mlir::ValueRange outer = {});

  mlir::Value getBuffer() const { return buffer; }

  /// The indices of the element in row `firstRow + row`, where `firstRow` is a
  /// multiple of 8. What depends on `row` only is the same for all of them.
  llvm::SmallVector<mlir::Value>
  getIndices(mlir::OpBuilder &b, mlir::Location loc, mlir::Value firstRow,
             mlir::Value row, mlir::Value column) const;

private:
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> outer;
  int64_t pieceElements;
  int64_t numPieces;
  int64_t rowsPerLine; ///< A line goes through all banks once.
};

/// Builds what a lane of a warp does with fragments.
class FragmentBuilder {
public:
  static constexpr int64_t numRows = 16;
  static constexpr int64_t numColumns = 8;

  /// `element`: of factors, f16, bf16 or f32. `lane` is an index, 0 to 31.
  FragmentBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element,
                  mlir::Value lane);

  int64_t getDepth() const { return element.isF32() ? 8 : 16; }

  mlir::VectorType getFirstType() const;
  mlir::VectorType getSecondType() const;
  mlir::VectorType getSumType() const;

  /// A place in a fragment's vector, whose first dimension counts registers,
  /// and where that element is in the matrix. `depth` is that of products.
  struct Place {
    mlir::Value row, column;
  };
  Place getFirstPlace(int64_t i, int64_t j);  ///< row, depth
  Place getSecondPlace(int64_t i, int64_t j); ///< depth, column
  Place getSumPlace(int64_t i, int64_t j);    ///< row, column

  mlir::Value createZeroSums();

  /// Loads a first factor, 16 rows from `row` on, from a tile of rows by depth.
  mlir::Value loadFirst(const SwizzledTile &tile, mlir::Value row,
                        mlir::Value depth);

  /// Loads two second factors, of 16 columns from `column` on, from a tile of
  /// columns by depth.
  std::pair<mlir::Value, mlir::Value> loadSecondPair(const SwizzledTile &tile,
                                                     mlir::Value column,
                                                     mlir::Value depth);

  /// The same from a tile of depth by columns.
  std::pair<mlir::Value, mlir::Value>
  loadTransposedSecondPair(const SwizzledTile &tile, mlir::Value depth,
                           mlir::Value column);

  /// sums + first * second
  mlir::Value multiply(mlir::Value first, mlir::Value second, mlir::Value sums);

  // Numbers as indices; `lane` may be any.
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value quotient(mlir::Value value, int64_t divisor);
  mlir::Value remainder(mlir::Value value, int64_t divisor);
  mlir::Value times(mlir::Value value, int64_t factor);

private:
  int64_t getPieceElements() const { return getDepth() / 2; }
  mlir::Value loadMatrices(const SwizzledTile &tile, mlir::Value firstRow,
                           mlir::Value row, mlir::Value column,
                           bool isTransposed);
  std::pair<mlir::Value, mlir::Value> split(mlir::Value pair);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;
  mlir::Value lane;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_MATRIXFRAGMENTS_H
