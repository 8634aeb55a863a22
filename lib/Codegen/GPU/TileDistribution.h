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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// The part of a tile that a lane holds, as the sums of products of matrix
/// fragments lie: of a warp's 16 rows, lane l has the rows l / 4 and l / 4 + 8,
/// and of each eight columns the two from 2 (l mod 4) on. A vector of rows is
/// held by all four lanes of a row.
struct WarpTile {
  /// 0 for a vector of rows.
  int64_t numColumns = 0;
  /// For each eight columns two of the upper row, then two of the lower one; of
  /// a vector, both rows. None if nothing was computed yet.
  llvm::SmallVector<mlir::Value> elements;
  /// How many rows and columns count; null for all.
  mlir::OpFoldResult rowSize, columnSize;
  /// What columns that do not count hold, if that is known.
  mlir::TypedAttr beyond;

  int64_t getNumElements() const {
    return numColumns == 0 ? 2 : numColumns / 2;
  }
  /// Is element `i` of the upper row (0) or of the lower one (1)?
  int64_t getHalf(int64_t i) const { return numColumns == 0 ? i : i / 2 % 2; }
  /// The column of element `i`, but for what depends on the lane.
  static int64_t getColumn(int64_t i) { return i / 4 * 8 + i % 2; }
};

/// A tile in the memory of the device.
struct MemoryTile {
  mlir::Value memref;
  /// The dimension of `memref` that each of the tile's is.
  llvm::SmallVector<int64_t> dimensions;
  /// What is beyond `memref`; null if that does not count.
  mlir::Value fill;
};

/// A sum of products of factors of 16 bits: rows of the first times the second,
/// which lies in memory.
struct TileProduct {
  mlir::OpOperand *first, *second;
  /// Of the factors once they are rounded.
  mlir::Type element;
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
                   int64_t workgroupBytes);

  /// Fails if the loop holds what has no distribution. Nothing has changed
  /// then.
  mlir::LogicalResult run();

private:
  /// The second factor of a product on its way through workgroup memory.
  struct StagedFactor {
    mlir::linalg::GenericOp product;
    mlir::tensor::ExtractSliceOp slice;
    /// (copies, rows, columns).
    mlir::Value buffer;
    int64_t numRows, numColumns;
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
  mlir::LogicalResult emitKernel();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitSlice(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult emitInsertion(mlir::tensor::InsertSliceOp op);
  mlir::LogicalResult emitTranspose(mlir::linalg::TransposeOp op);
  mlir::LogicalResult emitFill(mlir::linalg::FillOp op);
  static int64_t getMost(mlir::OpFoldResult size);
  mlir::LogicalResult emitEmpty(mlir::Value tensor,
                                llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::LogicalResult emitLoop(mlir::scf::ForOp op);
  mlir::LogicalResult emitResult(mlir::tensor::ParallelInsertSliceOp op);
  mlir::LogicalResult emitStore(mlir::Value tile, mlir::Value view);
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
  /// Row or column of an element that the lane holds.
  mlir::Value getRow(int64_t half) { return rows[half]; }
  mlir::Value getColumn(int64_t element) {
    return add(firstColumn, index(WarpTile::getColumn(element)));
  }

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
                        const WarpTile &tile, int64_t half);

  // WarpProducts.cpp
  mlir::LogicalResult emitProduct(const TileProduct &product);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  getFirstFragments(const TileProduct &product, int64_t depth);
  llvm::SmallVector<mlir::Value> loadFragments(const MemoryTile &memory,
                                               const TileProduct &product,
                                               int64_t depth);
  mlir::Value makeFragment(mlir::ValueRange elements, mlir::Type element);
  mlir::FailureOr<StagedFactor> stageFactor(mlir::scf::ForOp inner,
                                            mlir::linalg::GenericOp op,
                                            const TileProduct &product,
                                            int64_t numCopies);
  mlir::LogicalResult stageFactors(StagedLoop &stagedLoop);
  void copyFactor(const StagedLoop &stagedLoop, unsigned number,
                  mlir::Value iteration, mlir::Value copy);
  void awaitFactor(const StagedLoop &stagedLoop, unsigned number);
  std::pair<mlir::Value, mlir::Value>
  loadSecondFragments(const StagedFactor &factor, mlir::Value copy,
                      const TileProduct &product, int64_t depth,
                      int64_t column);

  mlir::scf::ForallOp loop;
  const TileAxes &axes;
  /// Of workgroup memory.
  int64_t bytesLeft;
  mlir::IRRewriter rewriter;
  mlir::Location loc;
  mlir::gpu::LaunchOp launch;
  /// Arrays of outside, ahead of the kernel.
  llvm::SmallVector<mlir::Operation *> buffers;
  mlir::Value thread, lane, firstColumn;
  std::array<mlir::Value, 2> rows;
  /// Numbers, and arrays for the views of them.
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, WarpTile> tiles;
  llvm::DenseMap<mlir::Value, MemoryTile> memoryTiles;
  /// Fragments of factors that lie in memory, and the op behind which they were
  /// loaded.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> fragments;
  llvm::DenseMap<mlir::Value, mlir::Operation *> places;
  /// Which of its loop's factors a product reads.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, const StagedLoop *> loops;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_TILEDISTRIBUTION_H
