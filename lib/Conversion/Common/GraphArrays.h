//===- GraphArrays.h - Arrays that graphs are made of ------------*- C++
//-*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_GRAPHARRAYS_H
#define GNN_LIB_CONVERSION_COMMON_GRAPHARRAYS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// An index constant.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc,
                         int64_t value);

/// Sum of two indices.
mlir::Value emitAddIndex(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value a, mlir::Value b);

/// An integer as an index.
mlir::Value emitIndexCast(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value);

/// Element `index` of a tensor of integers, as an index.
mlir::Value loadIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, mlir::Value index);

/// Writes an index into a tensor of integers.
mlir::Value storeIndex(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Value tensor,
                       mlir::Value index);

/// A tensor of `rows` rows like those of `type`.
mlir::Value emitEmptyRows(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value rows, mlir::RankedTensorType type);

/// Replaces an op that makes a graph, and carries edge values along, by a graph
/// made of `parts` and edge values in `tensors`.
void replaceGraph(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                  mlir::ValueRange parts, mlir::ValueRange tensors);

/// Fills `output`, a tensor of one dimension, by ranges of `step` entries at
/// most, side by side. The body gets the first entry of a range and its end,
/// and the range itself, and returns it filled.
mlir::Value emitParallelRanges(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value size,
    mlir::Value step, mlir::Value output,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::Value first, mlir::Value last,
                                   mlir::Value range)>
        body);

/// Fills `outputs` row by row, side by side: row i from the i-th entry of
/// `rowPointer` to the next one.
llvm::SmallVector<mlir::Value> emitRowRanges(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value numRows,
    mlir::Value rowPointer, mlir::ValueRange outputs,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        mlir::OpBuilder &, mlir::Location, mlir::Value row, mlir::ValueRange)>
        body);

/// For each entry of a tensor of indices the sum of those before it, as a
/// tensor of `type`, and the last of these sums.
std::pair<mlir::Value, mlir::Value> emitPrefixSums(mlir::OpBuilder &builder,
                                                   mlir::Location loc,
                                                   mlir::Value values,
                                                   mlir::RankedTensorType type);

/// The first of the places `first` to `last` of which `isBefore` does not hold;
/// `last` if there is none. It holds of none after that.
mlir::Value
emitBisection(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value first,
              mlir::Value last,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                             mlir::Value place)>
                  isBefore);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_GRAPHARRAYS_H
