//===- TileAxes.h - Rows and columns of tiles -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_TILEAXES_H
#define GNN_LIB_CODEGEN_GPU_TILEAXES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/IntEqClasses.h"

namespace gnn {

/// Which dimensions of the tensors of a loop's body are rows of tiles: those
/// along which loops inside carry vectors, and all that ops tie to them. All
/// others are columns. Tensors of outside of the loop have neither, as one
/// constant may be the start of anything.
class TileAxes {
public:
  explicit TileAxes(mlir::scf::ForallOp loop);

  /// Whether there are rows, all of them as many: a multiple of 16.
  bool hasRows() const { return numRows != 0; }
  int64_t getNumRows() const { return numRows; }

  bool isRow(mlir::Value tensor, unsigned dimension) const;

  /// Whether `loop` of an op runs over rows.
  bool isRowLoop(mlir::linalg::LinalgOp op, unsigned loop) const;

  /// A part of an array of the device, read or written where it lies.
  bool isView(mlir::Value tensor) const { return views.contains(tensor); }

private:
  void collectView(mlir::Operation *op);
  void number(mlir::Value tensor);
  void tie(mlir::Value left, unsigned leftDimension, mlir::Value right,
           unsigned rightDimension);
  void tieAll(mlir::Value left, mlir::Value right);
  void tieLoops(mlir::linalg::LinalgOp op);
  void tieOp(mlir::Operation *op);
  void findRows();

  mlir::scf::ForallOp loop;
  llvm::DenseSet<mlir::Value> views;
  /// The class of each tensor's first dimension; the others follow.
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::IntEqClasses classes;
  unsigned numDimensions = 0;
  llvm::DenseSet<unsigned> rowClasses;
  int64_t numRows = 0;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_TILEAXES_H
