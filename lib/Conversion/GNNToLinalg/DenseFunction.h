//===- DenseFunction.h - Edge functions over pairs of nodes -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOLINALG_DENSEFUNCTION_H
#define GNN_LIB_CONVERSION_GNNTOLINALG_DENSEFUNCTION_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// A block of destinations and sources of a dense graph.
struct DenseBlock {
  /// Numbers of the first destination and source.
  mlir::OpFoldResult firstDestination, firstSource;
  mlir::OpFoldResult numDestinations, numSources;
  /// Destinations that tensors of the block have room for, if not as many.
  mlir::OpFoldResult destinationExtent = {};
  /// Sources that the largest block has, where memory of that size is used for
  /// all; else 0.
  int64_t maxSources = 0;

  mlir::OpFoldResult getDestinationExtent() const {
    return destinationExtent ? destinationExtent : numDestinations;
  }
};

/// The loops before those over features.
struct LeadingLoops {
  /// 2 for edges and 1 for nodes.
  unsigned number;
  /// Which of them run over destinations and sources.
  unsigned destination, source;

  static LeadingLoops forNodes() { return {1, 0, 1}; }
  static LeadingLoops forEdges() { return {2, 0, 1}; }
  /// Destinations are side by side.
  static LeadingLoops sourcesFirst() { return {2, 1, 0}; }
};

/// A loop of a function over features: its place among all loops, or the one
/// value it is held at.
struct FeatureLoop {
  unsigned position;
  mlir::Value index;
};

/// What is computed inside a linalg.generic over (destination, source,
/// features): operands as tensors with their maps, and a body to clone.
struct DenseFunction {
  LeadingLoops leading;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  mlir::AffineMap resultMap;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// Features of a result.
  llvm::SmallVector<int64_t> resultShape;
  EdgeFunction function;
  /// Region argument of each input.
  llvm::SmallVector<mlir::BlockArgument> arguments;
  /// Each loop of `function`.
  llvm::SmallVector<FeatureLoop> featureLoops;
  /// Inputs that are what belongs to a block, and no longer whole operands.
  llvm::SmallVector<bool> isInBlock;
};

/// Views `function` over whole operands.
DenseFunction getDenseFunction(const EdgeFunction &function,
                               LeadingLoops leading);

/// The same with loop `loop` of the function held at `index`.
DenseFunction fixFeatureLoop(mlir::OpBuilder &builder, mlir::Location loc,
                             DenseFunction dense, unsigned loop,
                             mlir::Value index);

/// The same over slices of the operands that belong to `block`.
DenseFunction sliceToBlock(mlir::OpBuilder &builder, mlir::Location loc,
                           DenseFunction dense, const DenseBlock &block);

/// The same over slices of operands of sources alone.
DenseFunction sliceSources(mlir::OpBuilder &builder, mlir::Location loc,
                           DenseFunction dense, const DenseBlock &block);

/// The same over the first sources of those that operands have been sliced to.
DenseFunction limitSources(mlir::OpBuilder &builder, mlir::Location loc,
                           DenseFunction dense, mlir::OpFoldResult numSources);

/// The same with operands of destinations of `block` in a layout that has
/// `lanes` of them last; there are as many or fewer, and the rest is 0.
/// Operands of edges are left if the block says nothing of sources. What is
/// packed takes `places`, as far as there are any, and is multiplied by
/// `factor`.
DenseFunction packDestinations(mlir::OpBuilder &builder, mlir::Location loc,
                               DenseFunction dense, const DenseBlock &block,
                               int64_t lanes, mlir::ValueRange places = {},
                               double factor = 1);

/// A map over (leading loops, features) that drops leading loops not in `keep`
/// and keeps the features `map` names.
mlir::AffineMap getLeadingMap(mlir::MLIRContext *context, unsigned numLeading,
                              llvm::ArrayRef<unsigned> keep,
                              mlir::AffineMap map);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOLINALG_DENSEFUNCTION_H
