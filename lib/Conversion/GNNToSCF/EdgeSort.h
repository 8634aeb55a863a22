//===- EdgeSort.h - Sorting edges side by side ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_EDGESORT_H
#define GNN_LIB_CONVERSION_GNNTOSCF_EDGESORT_H

#include "GraphEmitter.h"

namespace gnn {

/// The numbers of edges in the order of their keys, those of the same key in
/// their own order. Parts are sorted and merged by parallel loops.
class EdgeSort {
public:
  /// Sorts by `keys`, a tensor with an integer for each edge.
  EdgeSort(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value keys);

  mlir::Value getNumEdges() const { return numEdges; }

  /// The edge at a place of the order.
  mlir::Value getEdge(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value place) const;

  /// How many edges have a key less than `key`.
  mlir::Value emitNumBefore(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value key) const;

private:
  mlir::Value numEdges;
  /// Key times number of edges, plus edge: no two are the same.
  mlir::Value sorted;
};

using PlaceBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value place)>;

/// A tensor of `size` numbers of a type, computed side by side as indices of
/// their places.
mlir::Value emitNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value size, mlir::Type type, PlaceBody body);

// `last` if there is none. It holds of none after that.
mlir::Value emitBisection(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value first, mlir::Value last,
                          PlaceBody isBefore);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_EDGESORT_H
