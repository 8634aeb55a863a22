//===- ProductLoops.h - Loops that products became --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where loops of products read their factors and store their sums, once these
/// are in buffers: what can be asked for ahead of them.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_PRODUCTLOOPS_H
#define GNN_LIB_CODEGEN_PRODUCTLOOPS_H

#include "CacheLine.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {

/// An index as one that is not known, or null, and what is added to it.
std::pair<mlir::Value, int64_t> splitOffset(mlir::OpFoldResult index);

/// Columns from `begin` to `end`, counted from `first` if there is one.
struct ColumnRange {
  mlir::Value first;
  int64_t begin, end;

  /// Whether `count` columns from `column` on, as of `splitOffset`, are among
  /// them.
  bool contains(std::pair<mlir::Value, int64_t> column, int64_t count) const {
    return column.first == first && column.second >= begin &&
           column.second + count <= end;
  }
};

/// Whether `transfer` accesses elements of a row that lie side by side.
bool accessesRow(mlir::VectorTransferOpInterface transfer);

/// A matrix of which a loop reads a row in each step.
struct Panel {
  mlir::Value buffer;
  /// Indices before that of the row.
  llvm::SmallVector<mlir::Value> outer;
  /// What is read of a row, in elements, from a column on that is not known, if
  /// there is one.
  mlir::Value column;
  int64_t begin, end;

  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType());
  }
  int64_t getElementBytes() const {
    return getType().getElementTypeBitWidth() / 8;
  }
  int64_t getRowBytes() const { return (end - begin) * getElementBytes(); }
  /// Of all panels.
  int64_t getBytes() const {
    return getType().getNumElements() * getElementBytes();
  }
};

/// Loops that read one panel for each tile of rows, and then the next panel.
struct PanelLoops {
  mlir::scf::ForOp panels, rowTiles;
};

/// The panels that `loop` reads, if it adds up vectors.
llvm::SmallVector<Panel> findPanels(mlir::scf::ForOp loop);

/// The loops around `loop` in which whole panels follow one another.
std::optional<PanelLoops> findPanelLoops(mlir::scf::ForOp loop,
                                         const Panel &panel);

/// The panel that `loop` reads as tiles of AMX, if the loop around it, over
/// tiles of rows, reads the same of it in each step, and all of a row.
std::optional<Panel> findTilePanel(mlir::scf::ForOp loop);

/// Where the sums that `loop` carries in tiles of AMX are stored, if nothing
/// was read from there before.
llvm::SmallVector<mlir::amx::TileStoreOp> findTileStores(mlir::scf::ForOp loop);

/// Where a loop that adds up vectors stores them: a tile of results.
struct TileStores {
  /// Those of the first row, except what only fills lines that were begun.
  llvm::SmallVector<mlir::vector::TransferWriteOp> firstRow;
  /// The others are stored the same way, a row further on each.
  int64_t numRows = 1;

  mlir::MemRefType getType() {
    return llvm::cast<mlir::MemRefType>(firstRow.front().getBase().getType());
  }
};

/// The tile of rows that `loop` adds up, from constants, and nothing but
/// stores reads.
std::optional<TileStores> findTileRows(mlir::scf::ForOp loop);

/// What `loop` reads of the first of its rows of a first factor, if these are
/// as many as the loop around it takes at a time, and whole: the rows of the
/// next tile follow.
mlir::memref::LoadOp findFirstRow(mlir::scf::ForOp loop);

/// The read of the rows of a first factor that are rounded into what `loop`
/// reads as tiles of AMX, all of these rows in each iteration of the parallel
/// loop `blocks`.
mlir::vector::TransferReadOp findRoundedRows(mlir::scf::ForOp loop,
                                             mlir::scf::ForallOp blocks);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_PRODUCTLOOPS_H
