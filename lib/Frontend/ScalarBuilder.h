//===- ScalarBuilder.h - Short ways to say scalar IR ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_SCALARBUILDER_H
#define GNN_LIB_FRONTEND_SCALARBUILDER_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn::frontend {

/// Builds the scalar computation in the region of an op.
class ScalarBuilder {
public:
  /// `loops` are the letters of the feature loops, see TensorBuilder.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                llvm::StringRef loops = "")
      : builder(builder), loc(loc), loops(loops) {}

  //===--------------------------------------------------------------------===//
  // Floats
  //===--------------------------------------------------------------------===//

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  /// 1 / a. What divides a whole row is inverted once: a division takes as long
  /// as five to ten products.
  mlir::Value inverse(mlir::Value a);
  /// Extrema are NaN if one is NaN, as PyTorch's.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value abs(mlir::Value a);
  mlir::Value neg(mlir::Value a);
  mlir::Value exp(mlir::Value a);
  /// Of what is never above 0, which takes fewer steps.
  mlir::Value expOfNegative(mlir::Value a);
  mlir::Value expm1(mlir::Value a);
  mlir::Value log(mlir::Value a);
  /// log(1 + a) of what is from 0 to 1, which takes fewer steps than others.
  mlir::Value log1pOfUnit(mlir::Value a);
  mlir::Value sqrt(mlir::Value a);
  mlir::Value sin(mlir::Value a);
  mlir::Value cos(mlir::Value a);
  mlir::Value tanh(mlir::Value a);
  mlir::Value erf(mlir::Value a);
  mlir::Value isPositive(mlir::Value a);
  mlir::Value isNaN(mlir::Value a);
  /// Of a float or an integer.
  mlir::Value isZero(mlir::Value a);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value relu(mlir::Value a);
  /// The nearest number from `low` to `high`.
  mlir::Value clip(mlir::Value a, double low, double high);
  mlir::Value leakyReLU(mlir::Value a, mlir::Value slope);
  mlir::Value leakyReLU(mlir::Value a, double slope) {
    return leakyReLU(a, constant(slope));
  }
  /// exp(-|a|), of which sigmoids and their kin are made: it never overflows.
  mlir::Value decay(mlir::Value a);
  mlir::Value sigmoid(mlir::Value a);
  mlir::Value logSigmoid(mlir::Value a);
  /// Of straight lines.
  mlir::Value hardSigmoid(mlir::Value a);
  mlir::Value gelu(mlir::Value a);
  /// With tanh in the place of erf.
  mlir::Value geluTanh(mlir::Value a);
  /// With `width` as `alpha`, PyTorch's celu.
  mlir::Value elu(mlir::Value a, double alpha, double width = 1);
  mlir::Value silu(mlir::Value a);
  /// As PyTorch's, which is linear where `beta * a` is above the threshold.
  mlir::Value softplus(mlir::Value a, double beta = 1, double threshold = 20);
  /// a * tanh(softplus(a)), with one exponential.
  mlir::Value mish(mlir::Value a);

  //===--------------------------------------------------------------------===//
  // Integers and places
  //===--------------------------------------------------------------------===//

  mlir::Value indexConstant(int64_t value);
  /// Number of the edge's destination or source.
  mlir::Value index(NodeSide side);
  /// Where the loop of a letter of the subscripts stands.
  mlir::Value featureIndex(char letter);
  /// An integer, as of an operand, as an index.
  mlir::Value toIndex(mlir::Value integer);
  /// An integer or index as a float.
  mlir::Value toFloat(mlir::Value integer);
  mlir::Value addIndex(mlir::Value a, mlir::Value b);
  mlir::Value mulIndex(mlir::Value a, mlir::Value b);
  mlir::Value subIndex(mlir::Value a, mlir::Value b);
  mlir::Value absIndex(mlir::Value a);
  /// The nearest index from `low` to `high`.
  mlir::Value clamp(mlir::Value index, int64_t low, int64_t high);
  /// The element of `table`, a tensor, at `indices`, which must be in range.
  mlir::Value lookup(mlir::Value table, mlir::ValueRange indices);
  /// Whether the edge at hand is a self loop.
  mlir::Value isSelfLoop();
  /// Whether the edge at hand comes from a later node.
  mlir::Value isFromLater();

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::StringRef loops;
};

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_SCALARBUILDER_H
