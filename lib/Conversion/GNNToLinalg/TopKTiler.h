//===- TopKTiler.h - Best of all pairs, by tiles ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_GNNTOLINALG_TOPKTILER_H
#define GNN_LIB_CONVERSION_GNNTOLINALG_TOPKTILER_H

#include "../Common/GraphArrays.h"
#include "GenericEmitter.h"
#include "gnn/Conversion/Passes.h"
#include "gnn/Transforms/ScoreBounds.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// Emits the choice of the best edges for `lanes` destinations side by side: a
/// tile of sources has its scores computed, with destinations last, and then
/// each source is put where it belongs in the lists of all of them at once. A
/// list is a column of a matrix [k, lanes], so that every step is a vector of
/// destinations.
class TopKTiler {
public:
  TopKTiler(mlir::PatternRewriter &rewriter, TopKGraphOp op,
            const TopKTileSizes &sizes);
  /// Whether destinations can lie side by side.
  static bool canTile(TopKGraphOp op, const TopKTileSizes &sizes);
  void emit();

private:
  /// Columns of the best edges so far.
  struct Lists {
    mlir::Value scores, sources;
  };
  /// The smallest and largest numbers of an operand's rows of some sources.
  struct Box {
    mlir::Value low, high;
  };
  /// Parts of the results that belong to some destinations.
  struct Rows {
    mlir::Value sources, numbers;
  };

  Rows emitTile(mlir::OpBuilder &b, mlir::Value first,
                mlir::OpFoldResult number, Rows rows);
  Rows emitPart(mlir::OpBuilder &b, const DenseBlock &block,
                mlir::Value segment, mlir::Value firstSource,
                mlir::Value endSource);
  Rows emitSegments(mlir::OpBuilder &b, mlir::Value first, mlir::Value end,
                    Rows rows);
  Lists emitColumns(mlir::OpBuilder &b, const DenseFunction &score,
                    DenseBlock block, mlir::Value segment,
                    mlir::Value endSource, Lists lists);
  Lists emitColumn(mlir::OpBuilder &b, const DenseFunction &score,
                   DenseBlock block, mlir::Value endSource, Lists lists);
  /// Boxes of as many sources each.
  struct Level {
    int64_t numSources = 0;
    llvm::SmallVector<Box> boxes = {};
  };
  void orderNodes();
  Level emitLevel(int64_t size);
  mlir::Value emitBox(mlir::OpBuilder &b, mlir::Value rows, bool isHigh);
  mlir::Value emitFirstBox(mlir::OpBuilder &b, int64_t size,
                           mlir::Value segment, mlir::Value firstSource);
  mlir::Value emitBounds(mlir::OpBuilder &b, const DenseFunction &score,
                         llvm::ArrayRef<Box> boxes, mlir::Value box);
  /// Some boxes, of which one comes first, and then those after it.
  struct BoxRange {
    mlir::Value first, number, own;
  };
  Lists emitNearBoxes(
      mlir::OpBuilder &b, const DenseFunction &score, const Level &level,
      BoxRange range, Lists lists,
      llvm::function_ref<Lists(mlir::OpBuilder &, mlir::Value, Lists)> body);
  Lists emitNearColumns(mlir::OpBuilder &b, const DenseFunction &score,
                        DenseBlock block, mlir::Value segment,
                        mlir::Value endSource, Lists lists);
  mlir::Value
  emitAny(mlir::OpBuilder &b, mlir::ValueRange inputs,
          llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
              body);
  Lists emitIf(mlir::OpBuilder &b, mlir::Value condition, Lists lists,
               llvm::function_ref<Lists(mlir::OpBuilder &)> body);
  mlir::Value emitRanks(mlir::OpBuilder &b, mlir::Value score,
                        mlir::Value source, mlir::Value otherScore,
                        mlir::Value otherSource);
  Lists emitSource(mlir::OpBuilder &b, mlir::Value scores, mlir::Value source,
                   Lists lists);
  Lists emitInsertion(mlir::OpBuilder &b, mlir::Value scores,
                      mlir::Value source, Lists lists);
  Lists emitPlace(mlir::OpBuilder &b, mlir::Value scores, mlir::Value source,
                  mlir::Value place, bool isFirst, Lists lists);
  mlir::Value loadPointer(mlir::OpBuilder &b, unsigned side,
                          mlir::Value segment) {
    return loadIndex(b, loc, parts[side], segment);
  }
  /// The segment of a destination.
  mlir::Value findSegment(mlir::OpBuilder &b, mlir::Value destination);
  llvm::SmallVector<mlir::Value>
  emitLanes(mlir::OpBuilder &b, mlir::ValueRange inputs, mlir::TypeRange types,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                              mlir::ValueRange)>
                body);

  mlir::PatternRewriter &rewriter;
  TopKGraphOp op;
  mlir::Location loc;
  GNNGraphType graph;
  EdgeFunction score;
  mlir::Type elementType, sourceType;
  int64_t k, lanes, columnTile;
  llvm::SmallVector<mlir::Value> parts;
  mlir::Value numDestinations, numSources;
  /// Of a block-diagonal graph.
  mlir::Value numSegments;
  /// The nodes in the order in which they are taken, and what is known of tiles
  /// of sources then; null where they are taken in their own.
  mlir::Value order;
  std::optional<ScoreBounds> bounds;
  /// Of tiles of sources, and of groups of tiles.
  Level tiles, groups;
};

} // namespace gnn

#endif // GNN_LIB_CONVERSION_GNNTOLINALG_TOPKTILER_H
