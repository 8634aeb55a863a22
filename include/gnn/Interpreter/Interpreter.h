//===- Interpreter.h - Evaluates gnn IR naively -----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpreter executes the text of docs/spec.md: one function per
// op, deliberately slow and obvious. Floats are computed in float64 whatever
// their type says, and casts between float types change nothing; integers wrap
// to their width. What the specification calls undefined behaviour is an error
// where it can be seen, and undefined elements are NaN.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INTERPRETER_INTERPRETER_H
#define GNN_INTERPRETER_INTERPRETER_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <variant>
#include <vector>

namespace gnn::interpreter {

/// One float, or one integer or index. Integers are sign-extended, except that
/// i1 is 0 or 1.
using Scalar = std::variant<int64_t, double>;

/// A dense array in row-major order; only one of the vectors is in use.
struct Tensor {
  llvm::SmallVector<int64_t> shape;
  bool isFloat = true;
  std::vector<double> floats;
  std::vector<int64_t> integers;

  /// A tensor of undefined elements: NaN, or a conspicuous integer.
  static Tensor getUndefined(llvm::ArrayRef<int64_t> shape, bool isFloat);
  /// A tensor of zeros.
  static Tensor getZero(llvm::ArrayRef<int64_t> shape, bool isFloat);

  int64_t size() const {
    return isFloat ? int64_t(floats.size()) : int64_t(integers.size());
  }
  Scalar get(int64_t position) const {
    return isFloat ? Scalar(floats[position]) : Scalar(integers[position]);
  }
  void set(int64_t position, Scalar value) {
    if (isFloat)
      floats[position] = std::get<double>(value);
    else
      integers[position] = std::get<int64_t>(value);
  }
  /// Position of the element at `indices`, which must be in bounds.
  int64_t getPosition(llvm::ArrayRef<int64_t> indices) const;
};

/// A graph of any topology with its edges written out. All but coo list them by
/// ascending destination, so that a row is a range of the list.
struct Graph {
  Topology topology = Topology::CSR;
  int64_t window = 0;
  int64_t numDestinations = 0;
  int64_t numSources = 0;
  /// Both ends of every edge.
  std::vector<int64_t> destinations, sources;
  /// Where the segments of a block_diagonal graph begin and end, else empty.
  std::vector<int64_t> destinationPointers, sourcePointers;

  int64_t getNumEdges() const { return destinations.size(); }
  /// Row pointers of a graph whose edges are listed by destination.
  std::vector<int64_t> getRowPointers() const;
};

/// A value per edge of some graph: the first dimension of `values` counts the
/// edges, in the order in which the graph lists them.
struct Edges {
  Tensor values;
};

using Value = std::variant<int64_t, double, Tensor, Graph, Edges>;

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The makers of graphs check what they are given and report what is wrong
/// through `emitError`.
llvm::FailureOr<Graph> makeCSRGraph(EmitError emitError,
                                    llvm::ArrayRef<int64_t> rowPointers,
                                    llvm::ArrayRef<int64_t> columns,
                                    int64_t numSources);
llvm::FailureOr<Graph> makeCOOGraph(EmitError emitError,
                                    llvm::ArrayRef<int64_t> destinations,
                                    llvm::ArrayRef<int64_t> sources,
                                    int64_t numDestinations,
                                    int64_t numSources);
/// complete, causal and window, the last with a half-width of `window`.
llvm::FailureOr<Graph> makeDenseGraph(EmitError emitError, Topology topology,
                                      int64_t window, int64_t numDestinations,
                                      int64_t numSources);
llvm::FailureOr<Graph>
makeBlockDiagonalGraph(EmitError emitError,
                       llvm::ArrayRef<int64_t> destinationPointers,
                       llvm::ArrayRef<int64_t> sourcePointers);

/// Checks that `graph` has the topology of `type` and keeps its promises.
llvm::LogicalResult verifyGraph(EmitError emitError, const Graph &graph,
                                GNNGraphType type);

/// The values per edge that `tensor`, laid out for `graph`, holds; and back,
/// with undefined entries where a dense layout has no edge.
llvm::FailureOr<Edges> edgesFromTensor(EmitError emitError, const Graph &graph,
                                       const Tensor &tensor);
llvm::FailureOr<Tensor> edgesToTensor(EmitError emitError, const Graph &graph,
                                      const Edges &edges);

/// What `graph` is made of, in the order of gnn.graph_parts.
std::vector<Value> getParts(const Graph &graph);

/// Evaluates `function`. On an unsupported op, a wrong argument or undefined
/// behaviour emits a diagnostic at the op's location and returns failure.
llvm::FailureOr<std::vector<Value>> evaluate(mlir::func::FuncOp function,
                                             llvm::ArrayRef<Value> arguments);

/// Prints `value` of the given type, tensors with their actual shape:
/// `tensor<2xf32> = [1, nan]`.
void print(llvm::raw_ostream &os, mlir::Type type, const Value &value);

} // namespace gnn::interpreter

#endif // GNN_INTERPRETER_INTERPRETER_H
