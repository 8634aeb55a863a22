//===- TensorBuilder.h - Short ways to say gnn IR ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_FRONTEND_TENSORBUILDER_H
#define GNN_LIB_FRONTEND_TENSORBUILDER_H

#include "ScalarBuilder.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/Builders.h"

namespace gnn::frontend {

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
