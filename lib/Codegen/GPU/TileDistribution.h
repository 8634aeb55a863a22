//===- TileDistribution.h - Tiles in the registers of warps -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_TILEDISTRIBUTION_H
#define GNN_LIB_CODEGEN_GPU_TILEDISTRIBUTION_H

#include "TileAxes.h"
#include "Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// Which numbers products multiply: of float16 or bfloat16, rounded to tf32, or
/// float32 as they are.
enum class FactorKind { HalfWord, TF32, Exact };

/// The part of a tile that a lane holds. A vector of rows is held by all lanes
/// of a row.
struct WarpTile {
  /// 0 for a vector of rows.
  int64_t numColumns = 0;
  /// None if nothing was computed yet.
  llvm::SmallVector<mlir::Value> elements;
  /// How many rows and columns count; null for all.
  mlir::OpFoldResult rowSize, columnSize;
  /// What columns that do not count hold, if that is known.
  mlir::TypedAttr beyond;

  /// How many columns count is only known at run time.
  bool hasDynamicColumns() const {
    return columnSize && llvm::isa<mlir::Value>(columnSize);
  }
};

/// Which elements of the 16 rows of a warp's tile its lanes hold.
///
/// For tensor cores as sums of products of matrix fragments lie: lane l has the
/// rows l / 4 and l / 4 + 8, and of each eight columns the two from 2 (l mod 4)
/// on; two elements of the upper row, then two of the lower one.
///
/// Where lanes multiply by themselves, four rows from l / 8 on in steps of
/// four, and pieces of up to four columns, one of each eight; a row after the
/// other.
class TileLayout {
public:
  static constexpr int64_t numWarpRows = 16;
  static constexpr int64_t numLanes = kWarp;

  explicit TileLayout(FactorKind kind) : kind(kind) {}

  bool isFragment() const { return kind != FactorKind::Exact; }
  /// Of a lane.
  int64_t getNumRows() const { return isFragment() ? 2 : 4; }
  int64_t getLanesOfRow() const { return 2 * getNumRows(); }
  int64_t getRowStep() const { return numWarpRows / getNumRows(); }
  /// Tiles have multiples of that many columns.
  int64_t getColumnMultiple() const {
    return kind == FactorKind::HalfWord ? 16 : 8;
  }
  /// Columns of a piece.
  int64_t getPiece(int64_t numColumns) const;
  int64_t getNumElements(int64_t numColumns) const;
  /// Which of the lane's rows element `i` is of.
  int64_t getRow(int64_t numColumns, int64_t i) const;
  /// The column of element `i` of the first lane of a row. Each other lane's is
  /// a piece further.
  int64_t getColumn(int64_t numColumns, int64_t i) const;

private:
  FactorKind kind;
};

/// A tile in the memory of the device.
struct MemoryTile {
  mlir::Value memref;
  /// The dimension of `memref` that each of the tile's is.
  llvm::SmallVector<int64_t> dimensions;
  /// What is beyond `memref`; null if that does not count.
  mlir::Value fill;
};

/// A sum of products: rows of the first factor times the second, which lies in
/// memory.
struct TileProduct {
  mlir::OpOperand *first, *second;
  FactorKind kind;
  /// Of the factors once they are rounded.
  mlir::Type element;
  /// Second factors of tf32 may have been rounded where they were computed.
  bool isSecondRounded;
  /// The second factor has a row for each step of the sum, rather than for each
  /// column of the result.
  bool isDepthFirst;
};

/// The product that `op` is.
mlir::FailureOr<TileProduct> matchTileProduct(mlir::linalg::GenericOp op,
                                              const TileAxes &axes);

/// Makes a kernel of a parallel loop over tiles. A block takes an iteration, a
/// warp 16 rows of its tiles.
class TileDistribution {
public:
  TileDistribution(mlir::scf::ForallOp loop, const TileAxes &axes,
                   FactorKind kind, int64_t workgroupBytes);

  /// Fails if the loop holds what has no distribution. Nothing has changed
  /// then.
  mlir::LogicalResult run();

  /// The op that has no distribution, and why.
  std::pair<mlir::Operation *, std::string> getObstacle() const {
    return {obstacle, reason};
  }

private:
  /// The second factor of a product on its way through workgroup memory.
  struct StagedFactor {
    mlir::linalg::GenericOp product;
    mlir::tensor::ExtractSliceOp slice;
    /// (copies, rows, columns).
    mlir::Value buffer;
    /// Of the buffer, and how many columns there are in the array.
    int64_t numRows, numColumns, width;
    /// Elements that a thread copies at once.
    int64_t piece;
    /// Rows of pieces of columns lie one after the other, not columns.
    bool isInterleaved;
  };
  /// The factors of a loop's products, in the order of these. Each is asked for
  /// while the product before it is computed.
  struct StagedLoop {
    mlir::scf::ForOp loop;
    llvm::SmallVector<StagedFactor> factors;
    mlir::Value iteration, end, step;
    /// Which copy this iteration reads.
    mlir::Value copy;
  };
  /// An operand of an op on tiles.
  struct TileOperand {
    WarpTile tile;
    std::optional<MemoryTile> memory;
    mlir::Value scalar;
    mlir::AffineMap map;
  };

  // TileDistribution.cpp
  mlir::LogicalResult leave(mlir::Operation *op, const llvm::Twine &why);
  mlir::LogicalResult emitKernel();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitFill(mlir::linalg::FillOp op);
  int64_t getMost(mlir::OpFoldResult size);
  mlir::LogicalResult emitEmpty(mlir::Value tensor,
                                llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::LogicalResult emitLoop(mlir::scf::ForOp op);
  mlir::LogicalResult emitLookup(mlir::tensor::ExtractOp op);

  // TileSlices.cpp
  mlir::LogicalResult emitSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult emitInsertion(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult emitTranspose(mlir::linalg::TransposeOp op);
  mlir::LogicalResult emitResult(mlir::tensor::ParallelInsertSliceOp op);
  mlir::LogicalResult emitStore(mlir::Operation *op, mlir::Value tile,
                                mlir::Value view);
  mlir::Value emitView(mlir::Value source, mlir::RankedTensorType type,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       llvm::ArrayRef<mlir::OpFoldResult> strides);

  // What values are in the kernel.
  bool isOutside(mlir::Value value);
  mlir::OpFoldResult get(mlir::OpFoldResult value) const;
  llvm::SmallVector<mlir::OpFoldResult>
  get(llvm::ArrayRef<mlir::OpFoldResult> values) const;
  mlir::Value getValue(mlir::OpFoldResult value);
  /// An array of the device, or a part of one; null if `tensor` is none.
  mlir::Value getBuffer(mlir::Value tensor);
  mlir::FailureOr<WarpTile> getTile(mlir::Value tensor);
  mlir::LogicalResult setTile(mlir::Value tensor, const WarpTile &tile);
  std::optional<MemoryTile> getMemoryTile(mlir::Value tensor);
  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  mlir::Value add(mlir::Value left, mlir::Value right) {
    return rewriter.createOrFold<mlir::arith::AddIOp>(loc, left, right);
  }
  mlir::Value isBelow(mlir::Value left, mlir::Value right) {
    return mlir::arith::CmpIOp::create(
        rewriter, loc, mlir::arith::CmpIPredicate::slt, left, right);
  }
  int64_t getNumElements(const WarpTile &tile) const {
    return layout.getNumElements(tile.numColumns);
  }
  /// Row or column of an element that the lane holds.
  mlir::Value getRow(int64_t row) { return rows[row]; }
  mlir::Value getRow(const WarpTile &tile, int64_t element) {
    return rows[layout.getRow(tile.numColumns, element)];
  }
  mlir::Value getColumn(int64_t numColumns, int64_t element);

  // WarpOps.cpp
  mlir::LogicalResult emitGeneric(mlir::linalg::GenericOp op);
  mlir::LogicalResult emitElementwise(mlir::linalg::GenericOp op);
  mlir::LogicalResult emitReduction(mlir::linalg::GenericOp op);
  mlir::LogicalResult emitPartial(mlir::tensor::InsertSliceOp op);
  mlir::FailureOr<llvm::SmallVector<TileOperand>>
  getOperands(mlir::linalg::GenericOp op, int64_t numColumns);
  mlir::Value getElement(mlir::linalg::GenericOp op, const TileOperand &operand,
                         const WarpTile &tile, int64_t element);
  mlir::Value loadElement(const MemoryTile &memory, mlir::ValueRange indices);
  /// What `value` of the body is for one element of a tile like `tile`.
  mlir::Value emitBody(mlir::linalg::GenericOp op,
                       llvm::ArrayRef<TileOperand> operands,
                       const WarpTile &tile, int64_t element,
                       mlir::Value value);
  /// The tile with `value` in columns that do not count.
  WarpTile fillBeyond(const WarpTile &tile, mlir::TypedAttr value);
  mlir::Value reduceRow(mlir::Operation *combiner, mlir::Value accumulator,
                        const WarpTile &tile, int64_t row);

  // WarpProducts.cpp
  mlir::LogicalResult emitProduct(const TileProduct &product);
  /// The part of a first factor that the lane holds, as of a tile.
  mlir::FailureOr<WarpTile> getFirstTile(const TileProduct &product,
                                         int64_t depth);
  mlir::Value loadFactorElement(const MemoryTile &memory,
                                const TileProduct &product, mlir::Value row,
                                mlir::Value column);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  getFirstFragments(const TileProduct &product, int64_t depth);
  WarpTile loadFirstTile(const MemoryTile &memory, const TileProduct &product,
                         int64_t first, int64_t numColumns);
  mlir::Value loadFragment(const MemoryTile &memory, const TileProduct &product,
                           int64_t first);
  bool isKept(int64_t depth) const;
  mlir::Value makeFragment(mlir::ValueRange elements, mlir::Type element);
  std::pair<mlir::Value, mlir::Value>
  loadSecondFragments(const StagedFactor &factor, mlir::Value copy,
                      const TileProduct &product, int64_t depth,
                      int64_t column);
  mlir::Value loadNeighbours(const StagedFactor &factor, mlir::Value copy,
                             const TileProduct &product, int64_t depth,
                             int64_t column);
  mlir::Value roundSecond(const TileProduct &product, mlir::Value fragment);
  void multiplyFragments(const TileProduct &product, const StagedFactor &factor,
                         mlir::Value copy, mlir::ValueRange first,
                         WarpTile &result);

  // LaneProducts.cpp
  void multiplyElements(const TileProduct &product, const StagedFactor &factor,
                        mlir::Value copy, const WarpTile &first, int64_t begins,
                        WarpTile &result);

  // StagedFactors.cpp
  mlir::FailureOr<StagedFactor> stageFactor(mlir::scf::ForOp inner,
                                            mlir::linalg::GenericOp op,
                                            const TileProduct &product,
                                            int64_t numCopies);
  mlir::LogicalResult stageFactors(StagedLoop &stagedLoop);
  void copyFactor(const StagedLoop &stagedLoop, unsigned number,
                  mlir::Value iteration, mlir::Value copy);
  mlir::Value getInterleavedRow(mlir::Value row, int64_t piece);
  void copyPiece(const StagedFactor &factor, mlir::Value piece,
                 mlir::Value firstRow, mlir::Value numRows, mlir::Value copy);
  void awaitFactor(const StagedLoop &stagedLoop, unsigned number);

  mlir::scf::ForallOp loop;
  const TileAxes &axes;
  TileLayout layout;
  FactorKind kind;
  mlir::Operation *obstacle = nullptr;
  std::string reason;
  /// Of workgroup memory.
  int64_t bytesLeft;
  mlir::IRRewriter rewriter;
  mlir::Location loc;
  mlir::gpu::LaunchOp launch;
  /// Arrays of outside, ahead of the kernel.
  llvm::SmallVector<mlir::Operation *> buffers;
  mlir::Value thread, lane;
  llvm::SmallVector<mlir::Value> rows;
  /// The first column of a lane, for each length of pieces.
  llvm::SmallDenseMap<int64_t, mlir::Value> firstColumns;
  /// Numbers, and arrays for the views of them.
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, WarpTile> tiles;
  llvm::DenseMap<mlir::Value, MemoryTile> memoryTiles;
  /// Fragments of first factors that lie in memory, or parts of them as of
  /// tiles, and the op behind which they were loaded.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> fragments;
  llvm::DenseMap<mlir::Value, WarpTile> firstTiles;
  llvm::DenseMap<mlir::Value, mlir::Operation *> places;
  /// Which of its loop's factors a product reads.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, const StagedLoop *> loops;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_TILEDISTRIBUTION_H
