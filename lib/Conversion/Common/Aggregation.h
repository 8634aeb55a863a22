//===- Aggregation.h - Accumulators of aggregators --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_AGGREGATION_H
#define GNN_LIB_CONVERSION_COMMON_AGGREGATION_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn {

/// What has to be accumulated for a list of aggregators; aggregators share
/// accumulators where they can (mean, var and std need the sum).
class Aggregation {
public:
  explicit Aggregation(mlir::ArrayAttr aggregators, mlir::Type elementType);

  unsigned getNumResults() const { return aggregators.size(); }

  /// Start value of every accumulator.
  llvm::SmallVector<mlir::TypedAttr> getInitialValues() const;

  /// Whether values and their squares are added up, and nothing else.
  bool hasOnlySums() const;
  unsigned getNumAccumulators() const { return accumulators.size(); }
  /// Registers that each feature takes a share of: an accumulator each, and
  /// another one for a maximum or minimum, beside which NaN are looked for.
  unsigned getNumRegisters() const;

  /// Whether there is a softmax, whose maximum may be known before.
  bool hasSoftmax() const;

  /// Scalar step: accumulators, with `value` taken in. `softmaxShift`, if it is
  /// there, follows from the maximum of all values, which is not looked for
  /// then (see emitSoftmaxShift).
  llvm::SmallVector<mlir::Value>
  accumulate(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::ValueRange accumulators, mlir::Value value,
             mlir::Value softmaxShift = {}) const;

  /// Scalar accumulators of all values that two sets of them have taken in.
  llvm::SmallVector<mlir::Value> merge(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       mlir::ValueRange first,
                                       mlir::ValueRange second) const;

  /// Scalar results, one per aggregator, for a destination of `degree`
  /// (index).
  llvm::SmallVector<mlir::Value> finish(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        mlir::ValueRange accumulators,
                                        mlir::Value degree) const;

private:
  enum class Accumulator {
    Sum,
    SumOfSquares,
    Product,
    Maximum,
    Minimum,
    SoftmaxMaximum,
    SoftmaxSum,
    SoftmaxWeighted
  };
  void need(Accumulator accumulator);
  unsigned find(Accumulator accumulator) const;

  llvm::SmallVector<Aggregator> aggregators;
  llvm::SmallVector<Accumulator> accumulators;
  mlir::Type elementType;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_AGGREGATION_H
