//===- RowPointer.h - Loops over rows and their edges -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROWPOINTER_H
#define GNN_LIB_CODEGEN_ROWPOINTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {

/// The element of a vector of integers at `place`, as an index.
mlir::Value loadAsIndex(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value vector, mlir::Value place);

/// Whether `value` is `base` + 1.
bool isNext(mlir::Value value, mlir::Value base);

/// The read of one place of a vector of integers that `bound` is the value of,
/// or null. `ReadOp` is memref.load or tensor.extract.
template <typename ReadOp>
ReadOp getBoundRead(mlir::Value bound) {
  if (auto cast = bound.getDefiningOp<mlir::arith::IndexCastOp>())
    bound = cast.getIn();
  auto read = bound.getDefiningOp<ReadOp>();
  return read && read.getIndices().size() == 1 ? read : ReadOp();
}

/// A loop from one entry of an array to the next: along the edges of a row.
struct RowBounds {
  mlir::Value pointer, row;
};
/// Those of a loop over buffers.
std::optional<RowBounds> getRowBounds(mlir::scf::ForOp loop);
/// Those of a loop over tensors.
std::optional<RowBounds> getTensorRowBounds(mlir::scf::ForOp loop);

/// The array that bounds loops along edges in `nest`, of rows that are `first`
/// or count from there; null if it is not known before the parallel region.
mlir::Value findRowPointer(mlir::omp::LoopNestOp nest, mlir::Value first);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROWPOINTER_H
