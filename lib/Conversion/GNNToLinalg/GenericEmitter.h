//===- GenericEmitter.h - linalg.generic of edge functions ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H
#define GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H

#include "DenseFunction.h"

namespace gnn {

/// The edges of a dense topology within a block as a condition on scalars, or
/// null where every pair is an edge.
mlir::Value emitIsEdge(mlir::OpBuilder &builder, mlir::Location loc,
                       GNNGraphType graph, mlir::Value destination,
                       mlir::Value source);

/// A pair of nodes at a point of an iteration space.
struct EdgeEnds {
  /// Numbers of the nodes; null at a node that is no pair.
  mlir::Value destination, source;
};

/// Clones the body, up to what is reduced, for one point of the iteration
/// space; `values` are scalars of the inputs, `accumulator` null without a
/// reduction.
mlir::Value cloneBody(mlir::OpBuilder &builder, const DenseFunction &dense,
                      mlir::ValueRange values, mlir::Value accumulator,
                      const EdgeEnds &ends);

/// Numbers of the nodes at a point of the leading loops. Where there is room
/// for more destinations than the block has, the last one stands in.
std::pair<mlir::Value, mlir::Value> emitNodes(mlir::OpBuilder &builder,
                                              mlir::Location loc,
                                              const LeadingLoops &leading,
                                              const DenseBlock &block);

/// What is left from `first` to before `end`, `size` at most.
mlir::OpFoldResult emitTileSize(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value first, mlir::Value end,
                                int64_t size);

/// tensor.empty of leading `sizes` and static `shape`.
mlir::Value emitEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

mlir::Value emitFill(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::TypedAttr value, mlir::Value empty);

/// Emits the pair at a point of the leading loops.
using EndsBuilder =
    llvm::function_ref<EdgeEnds(mlir::OpBuilder &, mlir::Location)>;

/// Values of `dense` for all points of the leading loops, in the place of
/// `empty`.
mlir::Value emitValues(mlir::OpBuilder &builder, mlir::Location loc,
                       const DenseFunction &dense, mlir::Value empty,
                       EndsBuilder getEnds);

/// Values of `dense` for every pair of `block`, as a tensor.
mlir::Value emitEdgeValues(mlir::OpBuilder &builder, mlir::Location loc,
                           const DenseFunction &dense, const DenseBlock &block);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H
