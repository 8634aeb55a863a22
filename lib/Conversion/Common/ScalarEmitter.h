//===- ScalarEmitter.h - Scalar arithmetic of lowerings ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_SCALAREMITTER_H
#define GNN_LIB_CONVERSION_COMMON_SCALAREMITTER_H

#include "mlir/IR/Builders.h"

namespace gnn {

// Scalar arithmetic on floats or integers.
mlir::Value emitAdd(mlir::OpBuilder &, mlir::Location, mlir::Value,
                    mlir::Value);
mlir::Value emitMul(mlir::OpBuilder &, mlir::Location, mlir::Value,
                    mlir::Value);
mlir::Value emitMax(mlir::OpBuilder &, mlir::Location, mlir::Value,
                    mlir::Value);
mlir::Value emitMin(mlir::OpBuilder &, mlir::Location, mlir::Value,
                    mlir::Value);
/// `a * b + c` of floats, in one rounding where the target can.
mlir::Value emitMultiplyAdd(mlir::OpBuilder &, mlir::Location, mlir::Value a,
                            mlir::Value b, mlir::Value c);
mlir::Value emitScalar(mlir::OpBuilder &, mlir::Location, mlir::Type,
                       double value);
/// Whether score `a` ranks before `b`: it is larger, or the only NaN.
mlir::Value emitRanksBefore(mlir::OpBuilder &, mlir::Location, mlir::Value a,
                            mlir::Value b);

/// One step of an online softmax on scalars: takes the running maximum and sum
/// and a new score.
struct OnlineSoftmaxStep {
  mlir::Value maximum, sum;
  /// What earlier contributions are multiplied by, and the new one's weight.
  mlir::Value correction, weight;
};
OnlineSoftmaxStep emitOnlineSoftmaxStep(mlir::OpBuilder &builder,
                                        mlir::Location loc, mlir::Value maximum,
                                        mlir::Value sum, mlir::Value score);

/// What two online softmaxes of different scores come to together: the earlier
/// one's contributions are multiplied by `correction`, the other's by `weight`.
OnlineSoftmaxStep emitOnlineSoftmaxMerge(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::Value maximum, mlir::Value sum,
                                         mlir::Value otherMaximum,
                                         mlir::Value otherSum);

/// `maximum`, or 0 where it is -inf: subtracting it never makes inf - inf of a
/// neighbourhood in which everything is masked.
mlir::Value emitSoftmaxShift(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value maximum);

/// exp(value - shift) of floats or vectors of them, where no value is above
/// `shift`.
mlir::Value emitShiftedExp(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Value shift);

/// exp(value) of floats or vectors of them, none of which is above 0.
mlir::Value emitExpOfNegative(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value);

/// `numerator / sum`, or 0 where the sum is 0.
mlir::Value emitNormalized(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value numerator, mlir::Value sum);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_SCALAREMITTER_H
