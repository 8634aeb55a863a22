//===- TensorBuilder.h - Short ways to say gnn IR ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_TENSORBUILDER_H
#define GNN_LIB_FRONTEND_TENSORBUILDER_H

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

/// Computes one scalar from one per operand. In a reduction, what is returned
/// is summed up.
using ScalarFunction =
    llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;

/// Operands of a message, by the row that an edge sees of them.
struct EdgeOperands {
  llvm::SmallVector<mlir::Value> dst = {};
  llvm::SmallVector<mlir::Value> src = {};
  llvm::SmallVector<mlir::Value> edge = {};
  llvm::SmallVector<mlir::Value> uniform = {};
};

/// Builds ops on tensors with a row per node and on values per edge.
///
/// `subscripts` name the dimensions of operands and result after their row as
/// einsum does: "hf, h -> hf". Letters that the result lacks are summed over.
class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  //===--------------------------------------------------------------------===//
  // Message, aggregate, update
  //===--------------------------------------------------------------------===//

  mlir::Value message(mlir::Value graph, const EdgeOperands &operands,
                      llvm::StringRef subscripts, ScalarFunction function);
  llvm::SmallVector<mlir::Value>
  aggregate(llvm::ArrayRef<Aggregator> aggregators, mlir::Value graph,
            mlir::Value edges);
  mlir::Value aggregate(Aggregator aggregator, mlir::Value graph,
                        mlir::Value edges);
  /// The graph of the `k` edges of each destination with the largest scores,
  /// one number for each edge of `graph`.
  mlir::Value topKGraph(mlir::Value graph, mlir::Value scores, int64_t k);
  mlir::Value update(mlir::ValueRange node, mlir::ValueRange uniform,
                     llvm::StringRef subscripts, ScalarFunction function);
  /// An update of single elements of operands that have the same shape.
  mlir::Value elementwise(mlir::ValueRange node, ScalarFunction function);

  //===--------------------------------------------------------------------===//
  // Arithmetic on rows
  //===--------------------------------------------------------------------===//

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value scale(mlir::Value a, double factor);
  /// Adds one value per channel to every row.
  mlir::Value addUniform(mlir::Value rows, mlir::Value channels);
  /// `rows` [n, in] times `weight` [in, out].
  mlir::Value matmul(mlir::Value rows, mlir::Value weight);
  /// [n, heads * width] as [n, heads, width], and back.
  mlir::Value splitHeads(mlir::Value rows, int64_t heads);
  mlir::Value mergeHeads(mlir::Value rows);
  /// The mean over the heads of [n, heads, width].
  mlir::Value meanOverHeads(mlir::Value rows);
  /// Side by side, over the last dimension.
  mlir::Value concat(mlir::ValueRange rows);
  /// `width` channels from number `first` on.
  mlir::Value slice(mlir::Value rows, int64_t first, int64_t width);
  /// The largest channel of each row.
  mlir::Value maxOverChannels(mlir::Value rows);
  /// The sum of one number per row over all rows, a scalar. `gnn.update` sees
  /// one row at a time and cannot say it.
  mlir::Value sumOverRows(mlir::Value rows);
  /// The largest of one number per row over all rows, a scalar.
  mlir::Value maxOverRows(mlir::Value rows);

  //===--------------------------------------------------------------------===//
  // Parts
  //===--------------------------------------------------------------------===//

  /// The number of rows, an index.
  mlir::Value getNumRows(mlir::Value rows);
  /// A tensor with `rows` rows of the given shape, all of one value.
  mlir::Value filled(mlir::Value rows, llvm::ArrayRef<int64_t> shape,
                     double value);
  mlir::Value constant(double value);

private:
  struct Subscripts;
  Subscripts parse(llvm::StringRef text,
                   llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes);
  void buildBody(mlir::Region &region, const Subscripts &subscripts,
                 mlir::ValueRange operands, ScalarFunction function);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Width of a tensor's rows; it must have two dimensions.
int64_t getNumChannels(mlir::Value rows);
/// Shape of a tensor's rows.
llvm::ArrayRef<int64_t> getRowShape(mlir::Value rows);

} // namespace gnn::frontend

#endif // GNN_LIB_FRONTEND_TENSORBUILDER_H
