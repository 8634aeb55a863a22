//===- Passes.h - Conversions out of the gnn dialect ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CONVERSION_PASSES_H
#define GNN_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace gnn {

#define GEN_PASS_DECL
#include "gnn/Conversion/Passes.h.inc"

/// Lowers add_self_loops and remove_self_loops on csr graphs, to loops over
/// rows in their order or in parallel.
void populateSelfLoopsToSCFPatterns(mlir::RewritePatternSet &patterns,
                                    bool inParallel);

/// Lowers to_csr and reverse, to loops over edges in their order or in
/// parallel. What a reversed graph's edges have is `parallelEdges` of the ops
/// over edges.
void populateSortToSCFPatterns(mlir::RewritePatternSet &patterns,
                               bool inParallel, bool parallelEdges);

/// Lowers num_nodes, num_edges, degree and position. Degrees are counted edge
/// by edge, or `inParallel` by sorting.
void populateCountsToSCFPatterns(mlir::RewritePatternSet &patterns,
                                 bool inParallel);

/// Lowers spread_edges. What is no edge is filled row by row, or all at once
/// with `parallelEdges`.
void populateSpreadToSCFPatterns(mlir::RewritePatternSet &patterns,
                                 bool parallelEdges);

/// Lowers edge_top_k, to loops over rows or over edges in parallel.
void populateTopKToSCFPatterns(mlir::RewritePatternSet &patterns,
                               bool parallelEdges);

/// Lowers top_k_graph, to loops over rows.
void populateTopKGraphToSCFPatterns(mlir::RewritePatternSet &patterns,
                                    bool parallelEdges);

struct EdgeLoopOptions {
  /// Features that an aggregation accumulates at once.
  int64_t featureTile;
  /// Elements of accumulators at once, unless that is 0: of rows that are read
  /// at places which edges name, and of rows that are read in their order.
  int64_t gatheredElements, orderedElements;
  /// Rows are accumulated in parts of so many edges, unless that is 0.
  int64_t longRowEdges;
  /// The same for segments of one row, whose edges lead from sources that
  /// follow one another.
  int64_t longSegmentEdges;
  /// A softmax of simple values has a loop for its maximum before that of its
  /// exponentials.
  bool twoPassSoftmax;
  /// What is stored for edges is computed side by side, not row by row.
  bool parallelEdges;
};

/// Lowers what is computed for edges to row loops.
void populateEdgesToSCFPatterns(mlir::RewritePatternSet &patterns,
                                const EdgeLoopOptions &options);

/// Lowers aggregations to row loops.
void populateAggregationToSCFPatterns(mlir::RewritePatternSet &patterns,
                                      const EdgeLoopOptions &options);

struct AttentionRowOptions {
  /// Edges of a row whose scores are computed at once. With single edges, rows
  /// are accumulated in parts of `longRowEdges` edges, unless that is 0.
  int64_t edges;
  /// Elements of a register that the scores of several edges share, or 0.
  int64_t vectorWidth;
  int64_t longRowEdges;
  /// What rows share is computed side by side.
  bool parallelEdges;
};

/// Lowers attention to row loops.
void populateAttentionToSCFPatterns(mlir::RewritePatternSet &patterns,
                                    const AttentionRowOptions &options);

/// Lowers gnn.update, and messages, softmaxes and aggregations on dense
/// topologies.
void populateEdgesToLinalgPatterns(mlir::RewritePatternSet &patterns);

struct AttentionTileSizes {
  /// Destinations and sources of a tile.
  int64_t rows, columns;
  /// Destinations side by side in a tile of one head's scores; 0 keeps all
  /// features of a pair together.
  int64_t lanes;
  /// The same of tiles that share no sources with others, those of windows and
  /// of segments; 0 for as many.
  int64_t narrowLanes;
  /// The same of windows of four times as many nodes and more.
  int64_t windowLanes;
  /// Most bytes of a tile's keys and values, 0 for any number: wider heads have
  /// fewer sources in a tile.
  int64_t bytes;
  /// Most tiles of destinations that take each tile of sources in turns.
  int64_t shared;
  /// Softmaxes of dot products are of the base 2.
  bool baseTwo;
  /// Iterations over segments and heads below which the destinations of a
  /// segment are shared out to several; 0 for never.
  int64_t segmentIterations;
};

/// Tiles of pairs of which the best are kept.
struct TopKTileSizes {
  /// Destinations side by side; 0 for no tiles.
  int64_t lanes;
  /// Sources whose scores are computed at once.
  int64_t columns;
};

/// Lowers attention on dense topologies to loops over tiles.
void populateAttentionToLinalgPatterns(mlir::RewritePatternSet &patterns,
                                       const AttentionTileSizes &sizes);

/// Lowers top_k_graph of all pairs, of nodes or of those of each segment, to
/// loops over tiles. Without lanes none is.
void populateTopKGraphToLinalgPatterns(mlir::RewritePatternSet &patterns,
                                       const TopKTileSizes &sizes);

} // namespace gnn

#endif // GNN_CONVERSION_PASSES_H
