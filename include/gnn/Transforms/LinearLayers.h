//===- LinearLayers.h - Products of rows and weights -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_LINEARLAYERS_H
#define GNN_TRANSFORMS_LINEARLAYERS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <optional>

namespace gnn {

/// A plain product of rows and a weight matrix: the initial value is zero, and
/// how many columns each has is known.
bool isLinearLayer(mlir::linalg::MatmulOp op);

/// The product of rows, tensor<?xKxT>, and weights, tensor<KxNxT>, from zero.
mlir::Value createLinearLayer(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value rows, mlir::Value weights);

/// Rows, tensor<?xKxT>, whose columns are those of several dimensions;
/// `counted` has as many rows.
mlir::Value splitColumns(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value rows, llvm::ArrayRef<int64_t> features,
                         mlir::Value counted);

using ScalarFunction = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// An update of the rows of the first of `nodes`, tensor<?xKxT>, by what
/// `function` makes of an element of each operand: of others of its shape, of
/// one number per node, tensor<?xT>, and of a row for all, tensor<KxT>.
mlir::Value createRowUpdate(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ValueRange nodes, mlir::ValueRange uniforms,
                            ScalarFunction function);

/// What a constant is stored as.
struct ConstantBytes {
  llvm::ArrayRef<char> data;
  /// That of the resource, or "weight".
  llvm::StringRef name;
};

/// The bytes of all elements of a constant; none of another value, of a splat,
/// or of a resource that was left out of the text that it is read from or has
/// another size there.
std::optional<ConstantBytes> getConstantBytes(mlir::Value value);

/// Rows of a matrix that follow each other.
struct RowRange {
  int64_t first, count;
};

/// A constant of these rows of `weights`, a matrix of `type`, one range after
/// the other.
mlir::Value createRows(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::RankedTensorType type,
                       const ConstantBytes &weights,
                       llvm::ArrayRef<RowRange> ranges);

/// The elements of a constant of float32, and its name.
struct Weights {
  llvm::ArrayRef<float> data;
  llvm::StringRef name;
};

/// Null where `value` is no such constant, or getConstantBytes has none of it.
std::optional<Weights> getWeights(mlir::Value value);

/// The ops that ask for the number of rows of `value`, if nothing but `reader`
/// reads its elements.
std::optional<llvm::SmallVector<mlir::tensor::DimOp>>
getRowCounts(mlir::Value value, mlir::Operation *reader);

/// Has these ops count the rows of another value, which has as many.
void setCounted(mlir::RewriterBase &rewriter,
                llvm::ArrayRef<mlir::tensor::DimOp> counts, mlir::Value rows);

/// A linear layer, what adds a bias to it, or null, and the ops that ask for
/// the number of rows of both.
struct BiasedLayer {
  mlir::linalg::MatmulOp layer;
  UpdateOp bias;
  llvm::SmallVector<mlir::tensor::DimOp> counts;
};

/// The layer that `value` is the result of, if only `reader` reads that.
std::optional<BiasedLayer> getBiasedLayer(mlir::Value value,
                                          mlir::Operation *reader);

/// Whether linear layers may come before or after: one sum or mean.
bool isSumOrMean(mlir::ArrayAttr aggregators);

/// Whether `function`, of float32, adds up products of two of its operands, and
/// does nothing else.
bool multipliesArguments(const EdgeFunction &function);

/// How many elements of a value of this shape a step of each loop goes on by;
/// `map` says which loop each dimension follows.
llvm::SmallVector<int64_t> getLoopStrides(mlir::AffineMap map,
                                          llvm::ArrayRef<int64_t> shape);

/// The one constant that `op` computes with, if it reads one value per node and
/// one for all.
std::optional<Weights> getOnlyWeights(UpdateOp op);

/// What `op` adds to all rows, if that is all it does.
std::optional<Weights> getBias(UpdateOp op);

/// A constant of float32.
mlir::Value createWeights(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<float> data);

/// A resource of `data`, each row of which can be read as vectors.
mlir::ElementsAttr createResource(mlir::RankedTensorType type,
                                  llvm::StringRef name,
                                  llvm::ArrayRef<char> data);

/// Erases what is in `root` and nobody reads, such as the layers and weights
/// that others replaced.
void eraseDeadOps(mlir::Operation *root);

/// Applies a pattern, which is told of each layer that it replaces and gets
/// `options`, to what is in `root` in one walk: nothing else is folded or
/// moved, and weights stay in their order. Returns how many layers it replaced,
/// which are gone.
template <typename Pattern, typename... Options>
int64_t replaceLinearLayers(mlir::Operation *root, Options... options) {
  mlir::MLIRContext *context = root->getContext();
  int64_t numReplaced = 0;
  auto count = [&] { ++numReplaced; };
  mlir::RewritePatternSet patterns(context);
  patterns.add<Pattern>(context, count, options...);
  mlir::walkAndApplyPatterns(root, std::move(patterns));
  if (numReplaced)
    eraseDeadOps(root);
  return numReplaced;
}

} // namespace gnn

#endif // GNN_TRANSFORMS_LINEARLAYERS_H
