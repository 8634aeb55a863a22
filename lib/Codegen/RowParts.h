//===- RowParts.h - What loops read and write of rows -----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_ROWPARTS_H
#define GNN_LIB_CODEGEN_ROWPARTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace gnn {

/// Elements of a row of `type`, if rows of whole bytes lie one after the other;
/// otherwise 0.
int64_t getRowLength(mlir::MemRefType type);

/// Bytes of a row, whose size is known.
int64_t getRowBytes(mlir::MemRefType type);

/// Compares the bytes of all `matrices`, whose rows have known sizes, with a
/// number.
mlir::Value compareBytes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::arith::CmpIPredicate predicate,
                         mlir::ValueRange matrices, int64_t number);

/// What a loop reads of a row of `buffer`: from one element to another, in
/// elements after the row's first.
struct RowPart {
  mlir::Value buffer;
  int64_t begin, end;
  /// From here on the row is asked for by a loop that reads it again, if there
  /// is one and the buffer is large.
  std::optional<int64_t> rest = std::nullopt;

  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType());
  }
  int64_t getElementBytes() const {
    return std::max<int64_t>(1, getType().getElementTypeBitWidth() / 8);
  }
  int64_t getBytes() const { return (end - begin) * getElementBytes(); }
};

/// Adds to `parts` what `loop` reads of the row number `index`.
void addReads(mlir::LoopLikeOpInterface loop, mlir::Value index,
              llvm::SmallVectorImpl<RowPart> &parts);

/// The number of the row at a place of a loop: the entry of an array, if there
/// is one.
struct RowNumber {
  mlir::Value number, array;
  /// Finds it out; else it is the induction variable.
  mlir::scf::IfOp op;
};

/// Numbers of the rows of `loop` at `place`.
llvm::SmallVector<RowNumber> findNumbers(mlir::LoopLikeOpInterface loop,
                                         mlir::Value place);

/// What a loop over destinations reads of their own rows, and what it writes,
/// if `row` is the number of one. Rows of sources lie between two of them, so
/// that no processor takes them for a sequence; rows that no array orders are
/// left out where they are short enough for it to do so all the same.
std::pair<llvm::SmallVector<RowPart>, llvm::SmallVector<RowPart>>
findOwnRows(mlir::LoopLikeOpInterface loop, const RowNumber &row);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_ROWPARTS_H
