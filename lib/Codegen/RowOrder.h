//===- RowOrder.h - Loops that take rows in another order -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a graph need not be taken in the order of their numbers. Where they
// begin and what their edges read are copied in the order they are taken in, so
// that both are still read one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROWORDER_H
#define GNN_LIB_CODEGEN_ROWORDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gnn {

/// A parallel loop over rows, and what it reads of the graph for each.
struct RowLoop {
  explicit RowLoop(mlir::scf::ForallOp rows) : rows(rows) {}

  mlir::scf::ForallOp rows;
  /// The arrays of where rows begin and of the edges' sources.
  mlir::Value pointer, sources;
  /// What reads them, of a row or of one of its edges.
  llvm::SmallVector<mlir::tensor::ExtractOp> bounds, edges;
  /// What else reads or writes something by the number of a row or an edge.
  llvm::SmallVector<mlir::OpOperand *> rowNumbers, edgeNumbers;
  /// Results of which an iteration makes several rows at a time.
  llvm::SmallVector<mlir::OpResult> groups;

  mlir::Location getLoc() const { return rows->getLoc(); }
  mlir::Value getNumRows() const {
    return llvm::cast<mlir::Value>(
        mlir::scf::ForallOp(rows).getMixedUpperBound().front());
  }
};

/// What is to be known of `loop` for its rows to be taken in another order, if
/// all of it is among what is `fixed` for a graph.
std::optional<RowLoop> analyzeRowLoop(mlir::scf::ForallOp loop,
                                      const llvm::DenseSet<mlir::Value> &fixed);

/// The same of a loop over groups of rows that says that they may be taken in
/// any order (`gnn.any_row_order`).
std::optional<RowLoop>
analyzeRowGroups(mlir::scf::ForallOp loop,
                 const llvm::DenseSet<mlir::Value> &fixed);

/// Emits a loop that copies each of `numRows` rows of `results`, for all that
/// use them. Where it inserts a row is the operand that is returned.
mlir::OpOperand *emitScatter(mlir::OpBuilder &b, mlir::OpResult results,
                             mlir::Value numRows);

/// The bytes of a row of all results together; none if that is not known.
std::optional<int64_t> getResultRowBytes(mlir::scf::ForallOp loop);

/// The arrays of a graph, of rows in another order, and which row and which
/// edge each of them is.
struct OrderedRows {
  mlir::Value rows, pointer, sources;
  /// Null where nothing is read by the number of an edge.
  mlir::Value edges;
  /// Whether there is another order.
  mlir::Value areSorted;
};

/// Makes `loop` take its rows in the order of `ordered`.
void takeInOrder(RowLoop &loop, const OrderedRows &ordered);

/// Emits loops over indices, and what they read and write.
class IndexLoops {
public:
  IndexLoops(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  mlir::Value add(mlir::Value left, mlir::Value right) {
    return mlir::arith::AddIOp::create(b, loc, left, right);
  }
  mlir::Value addOne(mlir::Value value) { return add(value, constant(1)); }
  mlir::Value subtract(mlir::Value left, mlir::Value right) {
    return mlir::arith::SubIOp::create(b, loc, left, right);
  }
  mlir::Value multiply(mlir::Value value, int64_t factor) {
    return mlir::arith::MulIOp::create(b, loc, value, constant(factor));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value left,
                      mlir::Value right) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  mlir::Value both(mlir::Value left, mlir::Value right) {
    return mlir::arith::AndIOp::create(b, loc, left, right);
  }
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue,
                     mlir::Value ifFalse) {
    return mlir::arith::SelectOp::create(b, loc, condition, ifTrue, ifFalse);
  }

  /// An entry of a tensor of integers as an index.
  mlir::Value load(mlir::Value tensor, mlir::Value index);
  mlir::Value store(mlir::Value value, mlir::Value tensor, mlir::Value index);
  /// A tensor of `size` integers as `like` has.
  mlir::Value emitEmpty(mlir::Value size, mlir::Value like);

  /// `ifTrue` where `condition` holds: the size of what is computed only then.
  mlir::Value emitSize(mlir::Value condition, mlir::Value ifTrue) {
    return select(condition, ifTrue, constant(0));
  }
  /// One of two tensors. Of arith.select, which counts as elementwise, a copy
  /// would be computed.
  mlir::Value emitChoice(mlir::Value condition, mlir::Value ifTrue,
                         mlir::Value ifFalse);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  /// A loop that carries `values`.
  llvm::SmallVector<mlir::Value> emitLoop(mlir::Value first, mlir::Value last,
                                          mlir::ValueRange values, Body body);

  /// Fills `copies` with what belongs to the edges of `numPlaces` rows, one row
  /// after the other: `ends` with where each row ends if the first begins at
  /// `begin`, the first of `copies` with sources, the second, if there is one,
  /// with numbers of edges. `getRow` is the row at a place.
  llvm::SmallVector<mlir::Value>
  emitCopies(const RowLoop &loop, mlir::Value numPlaces, mlir::Value begin,
             llvm::function_ref<mlir::Value(mlir::Value)> getRow,
             mlir::Value ends, mlir::ValueRange copies);

protected:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROWORDER_H
