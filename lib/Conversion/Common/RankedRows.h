//===- RankedRows.h - Graphs of ranked edges --------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_RANKEDROWS_H
#define GNN_LIB_CONVERSION_COMMON_RANKEDROWS_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// The best edges of all destinations, as gnn.top_k_graph ranks them.
struct RankedRows {
  /// Their sources: a list of k entries for each destination, the best first.
  mlir::Value sources;
  /// How many of these entries mean something, as indices; an entry more than
  /// there are destinations, which is 0.
  mlir::Value numbers;
  /// Which destination each list is of, integers; null where list i is that of
  /// destination i.
  mlir::Value destinations = {};
};

/// Arrays for the lists of `numRows` destinations.
RankedRows emitEmptyRanks(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value numRows, mlir::Type sourceType,
                          int64_t k);

/// Replaces `op` by the csr graph of these edges.
void replaceByRankedRows(mlir::PatternRewriter &rewriter, TopKGraphOp op,
                         const RankedRows &ranked, mlir::Value numSources);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_RANKEDROWS_H
