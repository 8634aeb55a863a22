//===- AttentionTiler.h - Attention over tiles ------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOLINALG_ATTENTIONTILER_H
#define GNN_LIB_CONVERSION_GNNTOLINALG_ATTENTIONTILER_H

#include "GenericEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// What is computed of each pair of nodes: of all heads, or of one.
struct AttentionFunctions {
  DenseFunction score, value;
  /// From features of a value to those of its weight.
  mlir::AffineMap weightMap;
};

/// Emits attention over tiles: a loop over tiles of sources that carries
/// running maximum, running sum and accumulator (online softmax, Milakov and
/// Gimelshein 2018), inside a parallel loop over tiles of destinations.
///
/// With `lanes`, that is once for each head, and scores are laid out with
/// `lanes` destinations side by side, and so are the accumulators. Vectors of
/// destinations fill registers however few features a head has, the softmax
/// works on them without reductions across a vector, and both products read
/// rows of one matrix and single elements of the other: scores are keys times
/// transposed queries, sums transposed values times weights.
class AttentionTiler {
public:
  AttentionTiler(mlir::PatternRewriter &rewriter, AttentionOp op,
                 const AttentionTileSizes &sizes);
  /// Whether `op` is attention over matrices of pairs.
  static bool canTile(AttentionOp op, const AttentionTileSizes &sizes);
  mlir::Value emit();

private:
  /// Some rows of the result, of one head or of all.
  struct ResultSlice {
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
  };

  /// How many destinations of a segment an iteration of the parallel loop
  /// takes, and how many iterations the largest segment has; or the number of
  /// one of them.
  struct SegmentShares {
    mlir::Value rows, number;
  };

  /// What becomes of a tile of scores.
  struct WeightedTile {
    mlir::Value weights;
    /// What emitTileStep carries, without the tile's values.
    llvm::SmallVector<mlir::Value> state;
  };

  /// Sources of a block, numbered from its first one, of which not all of its
  /// destinations see all: those behind the last one that the first destination
  /// sees, or before the first one that the last destination does.
  struct UnseenSources {
    mlir::Value first, number;
    /// The last source that the first destination sees, or the first one; other
    /// destinations see as many behind it as there are before them.
    mlir::Value diagonal;
    bool isBehind;
  };

  AttentionFunctions getHead(mlir::OpBuilder &b, mlir::ValueRange head);
  /// Rows of `block` attending to the sources from the first to before the
  /// second of `sources`.
  mlir::Value emitRowTile(mlir::OpBuilder &b, AttentionFunctions functions,
                          DenseBlock block,
                          std::pair<mlir::Value, mlir::Value> sources);
  /// The same as packDestinations, for scores of the base of weights.
  DenseFunction packQueries(mlir::OpBuilder &b, const DenseFunction &function,
                            const DenseBlock &block,
                            mlir::ValueRange places = {});
  llvm::SmallVector<mlir::Value> emitInitialState(mlir::OpBuilder &b,
                                                  mlir::ValueRange places);
  mlir::Value emitRows(mlir::OpBuilder &b, const AttentionFunctions &functions,
                       mlir::OpFoldResult numRows, mlir::ValueRange state,
                       bool isStacked);
  void emitRowTiles(
      mlir::OpBuilder &b, const AttentionFunctions &functions,
      mlir::Value first, mlir::Value end, mlir::Value shared,
      mlir::ValueRange head,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, const DenseBlock &)>
          emitTile);
  /// How many destinations share tiles of sources, known when there are some;
  /// null where none do.
  mlir::Value emitSharingRows(mlir::OpBuilder &b,
                              llvm::ArrayRef<int64_t> heads);
  /// The rows from `first` to before `end`: the loop over tiles of sources is
  /// outside, that over tiles of destinations within.
  void emitSharingTiles(mlir::OpBuilder &b, AttentionFunctions functions,
                        mlir::Value first, mlir::Value end, mlir::Value shared,
                        mlir::ValueRange head);
  /// Null where segments are not shared out.
  SegmentShares emitSegmentShares(mlir::OpBuilder &b,
                                  llvm::ArrayRef<int64_t> heads);
  /// The rows of a segment, or a share of them of this number. They see the
  /// sources of the segment and no others.
  void emitSegment(mlir::OpBuilder &b, const AttentionFunctions &functions,
                   mlir::Value segment, SegmentShares share, mlir::Value shared,
                   mlir::ValueRange head);
  ResultSlice getResultSlice(mlir::OpBuilder &b, mlir::OpFoldResult firstRow,
                             mlir::OpFoldResult numRows, mlir::ValueRange head);
  void emitInsertion(mlir::OpBuilder &b, mlir::Value rows, mlir::Value shared,
                     const ResultSlice &slice);
  mlir::Value emitRowSums(mlir::OpBuilder &b,
                          const AttentionFunctions &functions,
                          mlir::Value weights, mlir::Value sum);
  /// Scores are weights.
  WeightedTile emitPlainTile(mlir::OpBuilder &b,
                             const AttentionFunctions &functions,
                             const DenseBlock &block, mlir::Value weights,
                             mlir::ValueRange state);
  /// What a score, a difference of scores or a bounded one as `attribute` says,
  /// has as its weight.
  mlir::Value emitWeight(mlir::OpBuilder &b, mlir::Value exponent,
                         llvm::StringRef attribute);
  mlir::Value emitShiftedWeight(mlir::OpBuilder &b, mlir::Value score,
                                mlir::Value shift);
  /// Of scores that are bounded, in their place.
  mlir::Value emitExponentials(mlir::OpBuilder &b, mlir::Value scores);
  /// Weights are exponentials of scores less the maximum of all so far, by
  /// which sums of before are corrected.
  WeightedTile emitSoftmaxTile(mlir::OpBuilder &b,
                               const AttentionFunctions &functions,
                               const DenseBlock &block, mlir::Value scores,
                               mlir::ValueRange state);
  /// One of these; weights take the place of scores.
  WeightedTile emitWeights(mlir::OpBuilder &b,
                           const AttentionFunctions &functions,
                           const DenseBlock &block, mlir::Value scores,
                           mlir::ValueRange state);
  llvm::SmallVector<mlir::Value>
  emitTileStep(mlir::OpBuilder &b, const AttentionFunctions &functions,
               const DenseBlock &block, mlir::ValueRange state);
  std::pair<mlir::Value, mlir::Value> getColumns(mlir::OpBuilder &b,
                                                 const DenseBlock &block);
  /// The accumulator with `body` applied to each of its features and the one of
  /// `rows` that belongs to it.
  mlir::Value updateAccumulator(
      mlir::OpBuilder &b, const AttentionFunctions &functions, mlir::Value rows,
      mlir::Value accumulator,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
          body);
  mlir::Value emitAccumulation(mlir::OpBuilder &b,
                               const AttentionFunctions &functions,
                               const DenseBlock &block, mlir::Value weights,
                               mlir::Value accumulator);
  /// Parts of the block outside of which all pairs are edges. They may share
  /// sources.
  llvm::SmallVector<UnseenSources> emitUnseenSources(mlir::OpBuilder &b,
                                                     const DenseBlock &block);
  mlir::Value maskUnseen(mlir::OpBuilder &b, mlir::Value values,
                         const UnseenSources &unseen, double otherwise);
  /// `values` of the block's pairs, `otherwise` where a pair is no edge.
  mlir::Value maskPairs(mlir::OpBuilder &b, mlir::Value values,
                        const DenseBlock &block, double otherwise);
  mlir::Value elementwise(
      mlir::OpBuilder &b, mlir::ValueRange inputs,
      llvm::ArrayRef<mlir::AffineMap> maps, mlir::Value output,
      mlir::AffineMap outputMap,
      llvm::ArrayRef<mlir::utils::IteratorType> iterators,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
          body);

  AttentionOp op;
  mlir::Location loc;
  mlir::PatternRewriter &rewriter;
  GNNGraphType graph;
  EdgeFunction score, value;
  mlir::Type elementType;
  llvm::SmallVector<mlir::Value> parts;
  mlir::Value numDestinations, numSources;
  /// Of a block-diagonal graph.
  mlir::Value numSegments;
  /// Values are rows of sources as they are.
  bool hasRowValues;
  bool useLanes;
  /// Whether scores are not weights already.
  bool isSoftmax;
  /// Whether weights are powers of 2, of scores that have log2(e) as a factor.
  bool isBaseTwo;
  LeadingLoops leading;
  int64_t rowTile, columnTile;
  /// Tiles of destinations that share each tile of sources.
  int64_t maxSharing;
  /// Iterations over segments and heads below which segments are shared out.
  int64_t minSegmentIterations;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOLINALG_ATTENTIONTILER_H
