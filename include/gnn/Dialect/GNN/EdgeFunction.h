//===- EdgeFunction.h - A scalar computation over edges ---------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_EDGEFUNCTION_H
#define GNN_DIALECT_GNN_EDGEFUNCTION_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace gnn {

/// Which row of an operand an edge sees.
enum class OperandRole { Destination, Source, Edge, Uniform };

/// The computation that message, message_aggregate, attention and update share:
/// operands with roles, an indexing map each over the feature dimensions, and a
/// region over scalars. A view: it owns no IR.
struct EdgeFunction {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<OperandRole> roles;
  /// From the iteration space over features to an operand's dimensions after
  /// the one its role accounts for.
  llvm::SmallVector<mlir::AffineMap> operandMaps;
  mlir::AffineMap resultMap;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  mlir::Region *body = nullptr;

  /// Reads the function from the attributes of `op`. The attributes must have
  /// been verified, see verify.
  static EdgeFunction get(mlir::ValueRange dst, mlir::ValueRange src,
                          mlir::ValueRange edge, mlir::ValueRange uniform,
                          mlir::ArrayAttr maps, mlir::ArrayAttr iterators,
                          mlir::Region &body);

  /// Checks the pieces `get` reads and that they make sense together. Errors
  /// are emitted on `op` and name its attributes as `mapsName` and
  /// `iteratorsName`.
  static llvm::LogicalResult
  verify(mlir::Operation *op, mlir::ValueRange dst, mlir::ValueRange src,
         mlir::ValueRange edge, mlir::ValueRange uniform, mlir::ArrayAttr maps,
         mlir::ArrayAttr iterators, mlir::Region &body,
         llvm::StringRef mapsName, llvm::StringRef iteratorsName);

  unsigned getNumLoops() const { return iterators.size(); }
  bool hasReduction() const;
  /// Extent of every feature loop; feature widths are static.
  llvm::SmallVector<int64_t> getLoopSizes() const;
  /// Shape of the value computed for one edge.
  llvm::SmallVector<int64_t> getResultShape() const;
  mlir::Type getResultElementType() const;
  mlir::Value getYieldedValue() const;
  /// The accumulator argument, or null without a reduction.
  mlir::BlockArgument getAccumulator() const;
  /// What tells a reduction from what follows it, or null.
  mlir::Operation *getReduced() const;
  /// What the accumulator takes: the value reduced or yielded.
  mlir::Value getAccumulated() const;
  /// Ops of the region that `value` is computed from, in order. What is reduced
  /// is given.
  llvm::SmallVector<mlir::Operation *> getComputation(mlir::Value value) const;
  /// Whether it is the dot product of a row of the destination and one of the
  /// source, in this order, along its reduction.
  bool isDotProduct() const;
  /// Whether it is the row of the source as it is.
  bool isSourceRow() const;
  /// Whether `value` is an argument of the region, or computed from it.
  bool reads(mlir::Value value, mlir::BlockArgument argument) const;
};

/// Shape of `value` after the dimension that `role` accounts for, or nullopt if
/// its type does not fit the role.
std::optional<llvm::SmallVector<int64_t>> getFeatureShape(mlir::Type type,
                                                          OperandRole role);

} // namespace gnn

#endif // GNN_DIALECT_GNN_EDGEFUNCTION_H
