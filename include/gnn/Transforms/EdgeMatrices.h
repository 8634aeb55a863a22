//===- EdgeMatrices.h - Linear layers that edges choose ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_EDGEMATRICES_H
#define GNN_TRANSFORMS_EDGEMATRICES_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// Messages that are linear layers, of whose matrices each edge chooses one:
/// sums over `row` of `factor` times an element of a table, whose indices are
/// the matrix, a block of it if it has blocks on its diagonal, row and column.
/// Values are of the region of the op.
struct EdgeMatrices {
  /// Which matrix, an index that is the same for all features of an edge.
  mlir::Value number;
  /// What an edge sends to the layer; it does not depend on the column.
  mlir::Value factor;
  /// tensor<matrices x blocks x rows x columns>, or without blocks.
  mlir::TypedValue<mlir::RankedTensorType> table;
  /// Loops over features.
  std::optional<unsigned> block;
  unsigned row, column;

  int64_t getNumMatrices() const { return table.getType().getDimSize(0); }
  int64_t getNumBlocks() const {
    return block ? table.getType().getDimSize(1) : 1;
  }
  int64_t getNumRows() const {
    return table.getType().getShape().take_back(2).front();
  }
  int64_t getNumColumns() const { return table.getType().getShape().back(); }
};

/// Null unless `function` computes such messages, and their features are the
/// matrices' columns, block by block.
std::optional<EdgeMatrices> getEdgeMatrices(const EdgeFunction &function);

/// Whether `value` of the region of `function` is the same in all steps of the
/// loops that `isVarying` holds of.
bool isInvariant(const EdgeFunction &function, mlir::Value value,
                 llvm::function_ref<bool(unsigned)> isVarying);

} // namespace gnn

#endif // GNN_TRANSFORMS_EDGEMATRICES_H
