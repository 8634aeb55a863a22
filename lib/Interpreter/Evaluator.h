//===- Evaluator.h - State of one function's evaluation ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_INTERPRETER_EVALUATOR_H
#define GNN_LIB_INTERPRETER_EVALUATOR_H

#include "gnn/Interpreter/Interpreter.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <unordered_map>

namespace gnn::interpreter {

/// Values of one activation of a function. Every evaluate* function computes
/// the results of one op, or of the ops of one dialect, from the values of its
/// operands, or emits a diagnostic.
class Evaluator {
public:
  explicit Evaluator(unsigned callDepth) : callDepth(callDepth) {}

  llvm::FailureOr<std::vector<Value>> call(mlir::func::FuncOp function,
                                           llvm::ArrayRef<Value> arguments);

private:
  // References stay valid while other values are set.
  const Value &get(mlir::Value value) const;
  void set(mlir::Value value, Value computed) {
    values[value.getAsOpaquePointer()] = std::move(computed);
  }
  void set(mlir::Value value, Scalar scalar);
  int64_t getInteger(mlir::Value value) const {
    return std::get<int64_t>(get(value));
  }
  const Tensor &getTensor(mlir::Value value) const {
    return std::get<Tensor>(get(value));
  }
  const Graph &getGraph(mlir::Value value) const {
    return std::get<Graph>(get(value));
  }
  const Edges &getEdges(mlir::Value value) const {
    return std::get<Edges>(get(value));
  }
  Scalar getScalar(mlir::Value value) const;
  llvm::SmallVector<int64_t>
  getIntegers(llvm::ArrayRef<mlir::OpFoldResult> mixed) const;
  llvm::SmallVector<int64_t> getIntegers(mlir::ValueRange range) const;

  /// Evaluates all of `block`, whose arguments are set, but its terminator.
  llvm::LogicalResult evaluate(mlir::Block &block);
  llvm::LogicalResult evaluate(mlir::Operation *op);

  // Functions and control flow.
  llvm::LogicalResult evaluateCall(mlir::func::CallOp op);
  llvm::LogicalResult evaluateIf(mlir::scf::IfOp op);
  llvm::LogicalResult evaluateFor(mlir::scf::ForOp op);
  llvm::LogicalResult evaluateWhile(mlir::scf::WhileOp op);
  llvm::LogicalResult evaluateForall(mlir::scf::ForallOp op);
  /// affine.apply, affine.min and affine.max.
  llvm::LogicalResult evaluateAffine(mlir::Operation *op);

  // arith and math, on scalars and elementwise on tensors.
  llvm::LogicalResult evaluateConstant(mlir::Operation *op,
                                       mlir::TypedAttr attribute);
  llvm::LogicalResult evaluateElementwise(mlir::Operation *op);

  // tensor.
  llvm::LogicalResult evaluateTensor(mlir::Operation *op);
  llvm::LogicalResult evaluateEmpty(mlir::tensor::EmptyOp op);
  llvm::LogicalResult evaluateDim(mlir::tensor::DimOp op);
  llvm::LogicalResult evaluateExtract(mlir::tensor::ExtractOp op);
  llvm::LogicalResult evaluateInsert(mlir::tensor::InsertOp op);
  llvm::LogicalResult evaluateExpandShape(mlir::tensor::ExpandShapeOp op);
  llvm::LogicalResult evaluateCollapseShape(mlir::tensor::CollapseShapeOp op);
  llvm::LogicalResult evaluateReshape(mlir::tensor::ReshapeOp op);
  llvm::LogicalResult evaluateExtractSlice(mlir::tensor::ExtractSliceOp op);
  llvm::LogicalResult evaluateInsertSlice(mlir::tensor::InsertSliceOp op);
  /// A result of `op`, tensor.empty or bufferization.alloc_tensor, that nothing
  /// has been written to.
  template <typename AllocatingOp>
  llvm::LogicalResult setUndefined(AllocatingOp op);
  /// What `op`, an insert_slice or parallel_insert_slice, writes into `result`.
  template <typename InsertOp>
  llvm::LogicalResult insertSlice(InsertOp op, Tensor &result);
  llvm::LogicalResult evaluateConcat(mlir::tensor::ConcatOp op);
  llvm::LogicalResult evaluateSplat(mlir::tensor::SplatOp op);
  llvm::LogicalResult evaluateFromElements(mlir::tensor::FromElementsOp op);
  llvm::LogicalResult evaluateCast(mlir::tensor::CastOp op);
  llvm::LogicalResult evaluateGenerate(mlir::tensor::GenerateOp op);
  llvm::LogicalResult evaluateAlloc(mlir::bufferization::AllocTensorOp op);

  // linalg.
  llvm::LogicalResult evaluateLinalg(mlir::linalg::LinalgOp op);

  // gnn.
  llvm::LogicalResult evaluateGNN(mlir::Operation *op);
  llvm::LogicalResult evaluateMakeGraph(MakeGraphOp op);
  llvm::LogicalResult evaluateGraphParts(GraphPartsOp op);
  llvm::LogicalResult evaluateDegree(DegreeOp op);
  llvm::LogicalResult evaluatePosition(PositionOp op);
  llvm::LogicalResult evaluateLookup(LookupOp op);
  llvm::LogicalResult evaluateAddSelfLoops(AddSelfLoopsOp op);
  llvm::LogicalResult evaluateRemoveSelfLoops(RemoveSelfLoopsOp op);
  llvm::LogicalResult evaluateReverse(ReverseOp op);
  llvm::LogicalResult evaluateToCSR(ToCSROp op);
  llvm::LogicalResult evaluateEdgesFromTensor(EdgesFromTensorOp op);
  llvm::LogicalResult evaluateEdgesToTensor(EdgesToTensorOp op);
  llvm::LogicalResult evaluateSpreadEdges(SpreadEdgesOp op);
  llvm::LogicalResult evaluateMessage(MessageOp op);
  llvm::LogicalResult evaluateEdgeSoftmax(EdgeSoftmaxOp op);
  llvm::LogicalResult evaluateEdgeTopK(EdgeTopKOp op);
  llvm::LogicalResult evaluateTopKGraph(TopKGraphOp op);
  llvm::LogicalResult evaluateAggregate(AggregateOp op);
  llvm::LogicalResult evaluateUpdate(UpdateOp op);
  llvm::LogicalResult evaluateMessageAggregate(MessageAggregateOp op);
  llvm::LogicalResult evaluateAttention(AttentionOp op);

  /// Sets the graph `op` makes after checking it against its type.
  llvm::LogicalResult setGraph(mlir::Value result, Graph graph);
  /// Sets `permuted`, in which edge `e` is edge `order[e]` of `graph`, and the
  /// edge values that go with it.
  llvm::LogicalResult
  permuteEdges(mlir::Operation *op, const Graph &graph, Graph permuted,
               llvm::ArrayRef<int64_t> order, mlir::ValueRange edges,
               mlir::Value resultGraph, mlir::ValueRange resultEdges);
  /// Values must be there for every edge of the graph.
  llvm::LogicalResult checkEdges(mlir::Operation *op, const Graph &graph,
                                 mlir::ValueRange edges) const;
  /// What `function` computes for every edge of `graph`.
  llvm::FailureOr<Tensor> evaluateEdgeFunction(mlir::Operation *op,
                                               const EdgeFunction &function,
                                               const Graph &graph);
  void setEdgeArguments(const EdgeFunction &function,
                        llvm::ArrayRef<int64_t> loops, int64_t edge,
                        bool inReduction);
  /// `function` for all features of one edge, written to `result` from
  /// `offset` on.
  llvm::LogicalResult evaluateEdge(const EdgeFunction &function,
                                   llvm::ArrayRef<int64_t> loopSizes,
                                   int64_t destination, int64_t source,
                                   int64_t edge, Tensor &result,
                                   int64_t offset);

  std::unordered_map<const void *, Value> values;
  /// What linalg.index reads.
  llvm::SmallVector<int64_t> loopIndices;
  /// What gnn.index and gnn.feature_index read.
  int64_t currentDestination = 0, currentSource = 0;
  llvm::SmallVector<int64_t> featureIndices;
  unsigned callDepth;
};

/// Number of elements, or an error if the shape is negative or absurdly large.
llvm::FailureOr<int64_t> countElements(EmitError emitError,
                                       llvm::ArrayRef<int64_t> shape);

/// Steps `indices` lexicographically through `sizes`; false after the last.
bool advance(llvm::MutableArrayRef<int64_t> indices,
             llvm::ArrayRef<int64_t> sizes);

/// The results of `map`, which has no symbols, at `dims`: AffineMap::compose of
/// numbers makes an expression of each, which the context looks up and keeps.
llvm::SmallVector<int64_t> apply(mlir::AffineMap map,
                                 llvm::ArrayRef<int64_t> dims);

/// `value` as an integer of type `type` is stored, see Scalar.
int64_t wrapToType(mlir::Type type, int64_t value);

/// Softmax of one neighbourhood's scores, as gnn.edge_softmax defines it.
std::vector<double> softmax(llvm::ArrayRef<double> scores);

/// Reduces one neighbourhood's values, as gnn.aggregate defines it.
Tensor aggregate(Aggregator aggregator, const Graph &graph,
                 const Tensor &values, mlir::Type elementType);

} // namespace gnn::interpreter

#endif // GNN_LIB_INTERPRETER_EVALUATOR_H
