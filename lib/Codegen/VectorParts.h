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

namespace gnn {

/// Consecutive elements.
struct Part {
  int64_t begin, size;

  int64_t getEnd() const { return begin + size; }
  bool contains(int64_t element) const {
    return begin <= element && element < getEnd();
  }
};

/// Whether rows of a vector of this type are longer than `width`, by a size
/// that is no power of two.
bool isSplit(mlir::Type type, int64_t width);

/// Parts of the rows of such a vector: as many as have `width` elements, then
/// what is left of a row by powers of two. All of any other vector.
llvm::SmallVector<Part> getParts(mlir::VectorType type, int64_t width);

/// The elements that each of `vectors` is, one after the other.
llvm::SmallVector<Part> getParts(mlir::ValueRange vectors);

/// `size` elements of the type that those of `whole` have.
mlir::VectorType getPartType(mlir::VectorType whole, int64_t size);

/// `into`, which is the elements `place` of a vector, with those in their
/// places that `vectors` are of it, the first of which is number `origin`.
mlir::Value emitOverwritten(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ValueRange vectors, int64_t origin,
                            mlir::Value into, Part place);

/// Some elements of what `vectors` are, one after the other.
mlir::Value emitSlice(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::ValueRange vectors, Part slice);

/// The vector that `parts` are, one after the other.
mlir::Value emitWhole(mlir::OpBuilder &builder, mlir::VectorType type,
                      mlir::ValueRange parts, mlir::Location loc);

/// Vectors of these types, of the elements of `vectors`, one after the other.
llvm::SmallVector<mlir::Value> emitParts(mlir::OpBuilder &builder,
                                         mlir::TypeRange types,
                                         mlir::ValueRange vectors,
                                         mlir::Location loc);

/// Number of the first element that an op takes from its source or puts into
/// its destination; none if that is not known, or if elements are not
/// consecutive.
std::optional<int64_t> getFirstElement(mlir::vector::ExtractOp op);
std::optional<int64_t> getFirstElement(mlir::vector::ExtractStridedSliceOp op);
std::optional<int64_t> getFirstElement(mlir::vector::InsertOp op);
std::optional<int64_t> getFirstElement(mlir::vector::InsertStridedSliceOp op);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_VECTORPARTS_H
