//===- RunScale.h - What all edges of a run are multiplied by ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edges of a run have their destination and the number of their matrix in
// common. A factor that depends on nothing else multiplies the sum of what they
// send. So does a mean over them: one over how many edges of a destination have
// a number is looked up in a table that counts them, and in a run it is known
// how many it has.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOSCF_RUNSCALE_H
#define GNN_LIB_CONVERSION_GNNTOSCF_RUNSCALE_H

#include "RowAccess.h"
#include "gnn/Transforms/EdgeMatrices.h"

namespace gnn {

class RunScale {
public:
  /// Of messages on `graph`.
  RunScale(mlir::Value graph, const EdgeFunction &function,
           const EdgeMatrices &matrices);

  /// What of the factor is left for edges.
  mlir::Value getEdgeFactor() const { return edgeFactor; }
  /// Whether there is anything to multiply sums by.
  bool exists() const { return scale != nullptr; }
  /// The scalar for a run of `numEdges` edges.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value destination, mlir::Value number,
                   mlir::Value numEdges) const;

private:
  bool isOfRun(mlir::Value value) const;

  mlir::Value graph;
  const EdgeFunction &function;
  mlir::Value number;
  mlir::Value edgeFactor, scale;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOSCF_RUNSCALE_H
