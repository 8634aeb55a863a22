//===- RowBlock.h - What is computed for some rows at a time ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of ops on tensors that compute a part of the rows, those of an
// iteration of a loop over blocks of rows of a graph.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROWBLOCK_H
#define GNN_LIB_CODEGEN_ROWBLOCK_H

#include "RowOrder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace gnn {

/// Whether an op computes rows of its results from the same rows of operands,
/// or from all of others: a linalg op, a reshape that keeps rows, a
/// concatenation of rows, or an empty tensor.
bool computesByRows(mlir::Operation *op);
/// Whether a linalg op computes each row of its results from the same row of
/// the operand `use`, and no row of it from other rows of any operand.
bool isReadByRows(mlir::OpOperand &use);
/// Bytes of a row of what is known but for the number of rows.
int64_t getRowBytes(mlir::Value rows);

/// Some rows of all.
struct RowRange {
  mlir::Value begin, size;
};

class RowBlockEmitter : public IndexLoops {
public:
  using IndexLoops::IndexLoops;

  /// Of some rows of a tensor: how many is not known, even if it is of all.
  static mlir::RankedTensorType getBlockType(mlir::Value whole);

protected:
  /// Rows of a tensor, which for those that are computed here are all.
  mlir::Value emitRows(mlir::Value whole, const RowRange &range);
  /// A copy of an op that computes by rows, for those of `range`.
  void emitOp(mlir::Operation *op, const RowRange &range);
  /// `tile` has the rows of `whole` from `begin` on.
  void setTile(mlir::Value whole, mlir::Value tile, mlir::Value begin);
  /// Iterations of `loop`, which makes rows, from `first` to `last`, one after
  /// the other. `init` is what they insert into, of which the first row is
  /// `offset`.
  llvm::SmallVector<mlir::Value>
  emitEachRow(mlir::scf::ForallOp loop, mlir::Value first, mlir::Value last,
              mlir::ValueRange init, mlir::Value offset);
  /// Clones an op of a loop over rows. What it reads of tensors of the block is
  /// counted from where these begin.
  void clone(mlir::Operation *op, mlir::IRMapping &mapping);
  /// Ends an iteration, which made the rows `range` of `results`.
  void insertRows(mlir::ValueRange made, mlir::ValueRange results,
                  const RowRange &range);

  /// From what is made for all rows to what is made for those of the block.
  mlir::IRMapping tiles;

private:
  /// The row that tensors of a block begin with.
  llvm::DenseMap<mlir::Value, mlir::Value> begins;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROWBLOCK_H
