//===- PrefetchPlaces.h - Where to ask for lines ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A processor waits for a few dozen cache lines at a time, and computes nothing
// while it was asked for more. So lines are asked for in lots, between which it
// computes.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_PREFETCHPLACES_H
#define GNN_LIB_CODEGEN_PREFETCHPLACES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {

/// A loop over tiles and those in it, without loops that go on where the one
/// before them ends, with the rows that are left.
struct TileLoop {
  explicit TileLoop(mlir::scf::ForOp loop);

  /// Whether there is something between which to ask for lines.
  bool hasPlaces() const { return inner.size() > 1; }
  /// Whether it is known before `outer` how often the loop runs.
  bool isCountedBefore(mlir::scf::ForOp outer);
  /// How often the loop runs.
  mlir::Value countIterations(mlir::OpBuilder &b);
  /// How often it has run before this iteration.
  mlir::Value countEarlierIterations(mlir::OpBuilder &b);

  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::scf::ForOp> inner;
};

/// Points between which about equally much is computed.
struct PrefetchPlaces {
  /// Before an op, how many places come before it.
  struct Place {
    mlir::Operation *op;
    mlir::Value number;
  };
  llvm::SmallVector<Place> places;
  /// How many there are, at least one. It is defined before all of them.
  mlir::Value count;

  /// Before each loop in `tiles`, and in the loops over tiles in it that run
  /// equally often in each of its iterations.
  static PrefetchPlaces inTiles(TileLoop tiles);
  /// At the start of the body of `loop`, alone.
  static PrefetchPlaces atStart(mlir::scf::ForallOp loop);

  /// Emits a loop at each place, which together run from 0 to `extent`, about
  /// equally far each. What they do is `emit`'s.
  void
  emitLots(mlir::OpBuilder &b, mlir::Value extent,
           llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> emit) const;
};

/// The loops over tiles in a block that have places.
llvm::SmallVector<TileLoop> findTileLoops(mlir::Block &block);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_PREFETCHPLACES_H
