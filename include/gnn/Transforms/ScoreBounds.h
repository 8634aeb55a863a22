//===- ScoreBounds.h - How much an edge can score ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCOREBOUNDS_H
#define GNN_TRANSFORMS_SCOREBOUNDS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// What a number is at least and at most.
struct Interval {
  mlir::Value low, high;
};

/// An upper bound of the scores of one destination's edges from some sources,
/// of whose rows it is known what each element is at least and at most: the
/// region of a score, evaluated on ranges (Moore 1966, interval arithmetic).
/// Every op is rounded as the score's is, and rounding is monotonic, so that
/// the bound is one of scores as they are computed. It is NaN where a score may
/// be NaN.
class ScoreBounds {
public:
  explicit ScoreBounds(const EdgeFunction &score);

  /// Whether there is a bound: the region adds, subtracts, multiplies, negates,
  /// takes the larger or smaller one, or chooses, and reads no values of edges.
  /// Not of dot products, which are rounded in another way.
  bool exist() const { return isBounded; }

  /// The range of what an argument of the region stands for.
  using ArgumentRange =
      llvm::function_ref<Interval(mlir::BlockArgument argument)>;

  /// What the reduction comes to with one more element, or what is yielded
  /// without a reduction.
  mlir::Value emitStep(mlir::OpBuilder &builder, mlir::Location loc,
                       ArgumentRange getRange, mlir::Value accumulator) const;
  /// The bound of what is made of `reduced`, which emitStep came to.
  mlir::Value emitFinish(mlir::OpBuilder &builder, mlir::Location loc,
                         ArgumentRange getRange, mlir::Value reduced) const;

private:
  const EdgeFunction score;
  /// Whether a bound of scores needs an upper one of what is reduced.
  bool reducesUpper = true;
  bool isBounded = false;
};

/// Whether a region reads numbers of nodes only to tell self loops from other
/// edges, so that nodes may have other numbers.
bool readsOnlySelfLoops(TopKGraphOp op);

} // namespace gnn

#endif // GNN_TRANSFORMS_SCOREBOUNDS_H
