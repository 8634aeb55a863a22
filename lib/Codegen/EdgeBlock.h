//===- EdgeBlock.h - The edges of some rows ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which edges an iteration of a parallel loop over rows, or groups of rows,
/// takes, and whether it reads or writes a tensor only there.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_EDGEBLOCK_H
#define GNN_LIB_CODEGEN_EDGEBLOCK_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// A parallel loop over rows of a graph in CSR form, on tensors. An iteration
/// takes `step` rows from its induction variable on, or those that are left,
/// and their edges, which follow one another.
class EdgeBlock {
public:
  /// With the row pointer that a loop in it along the edges of a row follows,
  /// unless that is known; fails if there is no such loop.
  static mlir::FailureOr<EdgeBlock>
  match(mlir::scf::ForallOp loop, mlir::Value rowPointer = mlir::Value());

  mlir::scf::ForallOp getLoop() const { return loop; }
  mlir::Value getRowPointer() const { return rowPointer; }
  int64_t getStep() const { return step; }
  mlir::OpFoldResult getNumRows() const {
    return mlir::scf::ForallOp(loop).getMixedUpperBound().front();
  }

  /// Whether the op inside of the loop that `use` belongs to reads rows of a
  /// tensor, each of which belongs to an edge of this iteration.
  bool readsEdges(mlir::OpOperand &use) const;
  /// Whether it reads the row of the one row of this iteration.
  bool readsRow(mlir::OpOperand &use) const;
  /// Whether results consist of what iterations insert, one row each.
  bool makesRows() const;
  /// Whether they consist of a row for each edge.
  bool makesEdgeRows() const;

private:
  EdgeBlock(mlir::scf::ForallOp loop, int64_t step) : loop(loop), step(step) {}

  bool isBlockBound(mlir::Value value) const;
  bool isRow(mlir::Value value) const;
  bool isEdgeBound(mlir::Value value) const;
  bool isEdge(mlir::Value value) const;
  bool areAllEdges(mlir::OffsetSizeAndStrideOpInterface slice) const;

  mlir::scf::ForallOp loop;
  int64_t step;
  mlir::Value rowPointer;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_EDGEBLOCK_H
