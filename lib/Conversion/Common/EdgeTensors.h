//===- EdgeTensors.h - Edge values as tensors -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_EDGETENSORS_H
#define GNN_LIB_CONVERSION_COMMON_EDGETENSORS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// Replaces the edge operands of `function` by the tensors that hold them.
EdgeFunction withEdgeTensors(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value graph, EdgeFunction function);

/// Refuses ops over edges whose rows have no elements: slices of these are no
/// valid IR.
llvm::LogicalResult verifyRowsHaveElements(mlir::Operation *scope);

/// Features of a value of `function`, whose edge operands may be tensors. (On a
/// dense topology these have two leading dimensions, of which
/// EdgeFunction::getResultShape knows nothing.)
llvm::SmallVector<int64_t> getResultShape(const EdgeFunction &function);

/// The iteration space of what follows a reduction: the parallel ones of its
/// loops, in their order.
class FinishMaps {
public:
  explicit FinishMaps(llvm::ArrayRef<mlir::utils::IteratorType> iterators);

  /// Place of a parallel loop among the parallel ones.
  unsigned getPosition(unsigned loop) const { return positions[loop]; }
  /// Whether `map`, over all loops, stays the same along the reduction.
  bool reads(mlir::AffineMap map) const;
  /// `map` over the parallel loops.
  mlir::AffineMap get(mlir::AffineMap map) const;
  llvm::SmallVector<mlir::utils::IteratorType> getIterators() const;

private:
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<unsigned> positions;
  unsigned numParallel = 0;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_EDGETENSORS_H
