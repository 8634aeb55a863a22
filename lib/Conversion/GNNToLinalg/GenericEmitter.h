//===- GenericEmitter.h - linalg.generic of edge functions -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H
#define GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// A block of destinations and sources of a dense graph.
struct DenseBlock {
  /// Numbers of the first destination and source.
  mlir::OpFoldResult firstDestination, firstSource;
  mlir::OpFoldResult numDestinations, numSources;
};

/// The edges of a dense topology within a block as a condition on scalars, or
/// null where every pair is an edge.
mlir::Value emitIsEdge(mlir::OpBuilder &builder, mlir::Location loc,
                       GNNGraphType graph, mlir::Value destination,
                       mlir::Value source);

/// What is computed inside a linalg.generic over (destination, source,
/// features): operands as tensors with their maps, and a body to clone.
struct DenseFunction {
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  mlir::AffineMap resultMap;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  EdgeFunction function;
  /// Region argument of each input.
  llvm::SmallVector<mlir::BlockArgument> arguments;
};

/// Views `function` over whole operands; `leadingLoops` is 2 for edges and 1
/// for nodes.
DenseFunction getDenseFunction(const EdgeFunction &function,
                               unsigned leadingLoops);

/// The same over slices of the operands that belong to `block`.
DenseFunction sliceToBlock(mlir::OpBuilder &builder, mlir::Location loc,
                           DenseFunction dense, const DenseBlock &block);

/// A pair of nodes at a point of an iteration space.
struct EdgeEnds {
  /// Numbers of the nodes; null at a node that is no pair.
  mlir::Value destination, source;
  /// Whether the pair is an edge, null where every pair is.
  mlir::Value isEdge;
};

/// Clones the body, up to what is reduced, for one point of the iteration
/// space; `values` are scalars of the inputs, `accumulator` null without a
/// reduction.
mlir::Value cloneBody(mlir::OpBuilder &builder, const DenseFunction &dense,
                      mlir::ValueRange values, mlir::Value accumulator,
                      const EdgeEnds &ends);

/// linalg.index `loop` plus `first`.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      unsigned loop, mlir::OpFoldResult first);

/// tensor.empty of leading `sizes` and static `shape`.
mlir::Value emitEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

mlir::Value emitFill(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::TypedAttr value, mlir::Value empty);

/// Emits the pair at a point of the leading loops.
using EndsBuilder =
    llvm::function_ref<EdgeEnds(mlir::OpBuilder &, mlir::Location)>;

/// Values of `dense` for all points of the leading loops, which have `sizes`.
mlir::Value emitValues(mlir::OpBuilder &builder, mlir::Location loc,
                       const DenseFunction &dense,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       EndsBuilder getEnds);

/// Values of `dense` for every pair of `block`, as a tensor.
mlir::Value emitEdgeValues(mlir::OpBuilder &builder, mlir::Location loc,
                           GNNGraphType graph, const DenseFunction &dense,
                           const DenseBlock &block);

/// A map over (leading loops, features) that drops leading loops not in `keep`
/// and keeps the features `map` names.
mlir::AffineMap getLeadingMap(mlir::MLIRContext *context, unsigned numLeading,
                              llvm::ArrayRef<unsigned> keep,
                              mlir::AffineMap map);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOLINALG_GENERICEMITTER_H
