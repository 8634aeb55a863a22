//===- WrittenBuffers.h - What ops write to ---------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_WRITTENBUFFERS_H
#define GNN_LIB_CODEGEN_WRITTENBUFFERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace gnn {

/// The buffer that `value` is a view of.
mlir::Value getViewedBuffer(mlir::Value value);

/// Whether `buffer` has a name of its own: no other value is the same memory,
/// except for views of it.
bool isIdentifiedBuffer(mlir::Value buffer);

/// What some ops write to.
class WrittenBuffers {
public:
  explicit WrittenBuffers(mlir::Operation *op) { add(op); }
  WrittenBuffers() = default;

  /// Adds what `op` and what is in it write to.
  void add(mlir::Operation *op);

  /// Whether an op says that it writes to the buffer of `value`.
  bool contains(mlir::Value value) const {
    return buffers.contains(getViewedBuffer(value));
  }
  /// Whether one may write to the memory of `value`, if it has any.
  bool mayContain(mlir::Value value) const;

private:
  /// An op does not say what it writes to, or it has other names.
  bool anyBuffer = false;
  llvm::DenseSet<mlir::Value> buffers;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_WRITTENBUFFERS_H
