//===- PackPairs.h - Rows of matrices in pairs, rounded --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_PACKPAIRS_H
#define GNN_LIB_CODEGEN_PACKPAIRS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gnn {

/// Emits loops that round matrices of float32 to bfloat16 and store two
/// elements that follow each other along the sum of a product side by side.
class PairPacker {
public:
  /// `source` has rows of `width` elements; vectors have `vectorWidth`.
  PairPacker(mlir::Location loc, mlir::Value source, int64_t vectorWidth)
      : loc(loc), source(source), vectorWidth(vectorWidth),
        width(mlir::cast<mlir::RankedTensorType>(source.getType())
                  .getDimSize(1)) {}

  /// Memory for `numPairs` pairs of rows, all columns in tiles of `columns`:
  /// tensor<tiles x numPairs x 2 columns>.
  mlir::Value emitBuffer(mlir::OpBuilder &b, int64_t numPairs, int64_t columns);
  /// Rows `first` to `first + count` into pairs 0, 1, ... of `target`; where
  /// `count` is odd, which it may be unless `isEven`, with zeros in place of
  /// the last one.
  mlir::Value emitRowPairs(mlir::OpBuilder &b, mlir::Value first,
                           mlir::Value count, mlir::Value target,
                           bool isEven = false);
  /// Zeros into the pairs `begin` to `end` of `target`.
  mlir::Value emitZeroPairs(mlir::OpBuilder &b, mlir::Value begin,
                            mlir::Value end, mlir::Value target);
  /// Rows `first` to `first + count` into rows 0, 1, ... of `target`:
  /// neighbours in a row are pairs already. Zeros fill the rows up to the
  /// width of `target`, which is tensor<rows x width>, or stored tile by tile
  /// as tensor<row tiles x column tiles x tile rows x tile columns>.
  mlir::Value emitRows(mlir::OpBuilder &b, mlir::Value first, mlir::Value count,
                       mlir::Value target);

  /// Rows `first` to `first + count` into columns 0, 1, ... of `target`, and
  /// zeros from there up to the column `end`, a multiple of 16. There are no
  /// rows after these.
  mlir::Value emitTransposed(mlir::OpBuilder &b, mlir::Value first,
                             mlir::Value count, mlir::Value end,
                             mlir::Value target);

private:
  mlir::Value constant(mlir::OpBuilder &b, int64_t value);
  mlir::Value read(mlir::OpBuilder &b, mlir::Value row, mlir::Value column,
                   int64_t size);
  mlir::Value interleave(mlir::OpBuilder &b, mlir::Value even, mlir::Value odd);
  mlir::Value emitPair(mlir::OpBuilder &b, mlir::Value row, mlir::Value pair,
                       bool isWhole, mlir::Value target);

  mlir::Location loc;
  mlir::Value source;
  int64_t vectorWidth;
  int64_t width;
};

/// B[i] = `a`[i] rounded to bfloat16, to nearest, ties to even; what is in
/// bfloat16 already stays as it is.
mlir::Value roundVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_PACKPAIRS_H
