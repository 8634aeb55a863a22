//===- VectorParts.h - Vectors made of others -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of a vector are numbered row by row, so that those of a part of a
// row are consecutive, whatever the shape.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_VECTORPARTS_H
#define GNN_LIB_CODEGEN_VECTORPARTS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

namespace gnn {

/// Whether vectors of such elements lie in memory as the elements of a memref
/// do. LLVM packs booleans of a vector, of which a memref has one a byte.
bool hasWholeBytes(mlir::Type element);

/// Consecutive elements.
struct Part {
  int64_t begin, size;

  int64_t getEnd() const { return begin + size; }
  bool contains(int64_t element) const {
    return begin <= element && element < getEnd();
  }
};

/// Parts have `width` elements at most, and shorter rows than `minRowSize` are
/// left whole, as are those of a power of two below `wideRowSize`.
struct PartSizes {
  int64_t width, minRowSize;
  int64_t wideRowSize = std::numeric_limits<int64_t>::max();
};

/// Whether rows of a vector of this type are split: their size is no power of
/// two, or a large one.
bool isSplit(mlir::Type type, PartSizes sizes);

/// Parts of the rows of such a vector, whose sizes are powers of two: as many
/// as have `width` elements, then what is left of a row. What is left may begin
/// within the part before it: a row of 63 elements has four parts of 16, and
/// the last two share one element. All of any other vector.
llvm::SmallVector<Part> getParts(mlir::VectorType type, PartSizes sizes);

/// `size` elements of the type that those of `whole` have.
mlir::VectorType getPartType(mlir::VectorType whole, int64_t size);

/// What is known of the elements of a vector: vectors that are parts of it, in
/// the order in which they begin.
struct PartValues {
  mlir::ValueRange vectors;
  llvm::ArrayRef<Part> parts;
};

/// `into`, which is the elements `place` of a vector, with those in their
/// places that `values` are of it, the first of which is number `origin`.
mlir::Value emitOverwritten(mlir::OpBuilder &builder, mlir::Location loc,
                            PartValues values, int64_t origin, mlir::Value into,
                            Part place);

/// Some of the elements that `values` are.
mlir::Value emitSlice(mlir::OpBuilder &builder, mlir::Location loc,
                      PartValues values, Part slice);

/// The vector that `values` are parts of.
mlir::Value emitWhole(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::VectorType type, PartValues values);

/// These parts of a vector.
llvm::SmallVector<mlir::Value> emitParts(mlir::OpBuilder &builder,
                                         mlir::Location loc, mlir::Value vector,
                                         llvm::ArrayRef<Part> parts);

/// Loads of these parts of what an op loads.
llvm::SmallVector<mlir::Value> emitPartLoads(mlir::OpBuilder &builder,
                                             mlir::vector::LoadOp op,
                                             llvm::ArrayRef<Part> parts);

/// Stores of `vectors`, these parts of what an op stores.
void emitPartStores(mlir::OpBuilder &builder, mlir::vector::StoreOp op,
                    mlir::ValueRange vectors, llvm::ArrayRef<Part> parts);

/// Number of the first element that an op takes from its source or puts into
/// its destination; none if that is not known, or if elements are not
/// consecutive.
std::optional<int64_t> getFirstElement(mlir::vector::ExtractOp op);
std::optional<int64_t> getFirstElement(mlir::vector::ExtractStridedSliceOp op);
std::optional<int64_t> getFirstElement(mlir::vector::InsertOp op);
std::optional<int64_t> getFirstElement(mlir::vector::InsertStridedSliceOp op);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_VECTORPARTS_H
