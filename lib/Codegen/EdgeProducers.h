//===- EdgeProducers.h - What is computed for edges -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which ops make rows for edges that a loop over rows of a graph could compute
/// itself.
///
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_EDGEPRODUCERS_H
#define GNN_LIB_CODEGEN_EDGEPRODUCERS_H

#include "EdgeBlock.h"
#include "llvm/ADT/DenseSet.h"

namespace gnn {

/// Ops that make rows for edges, which a loop over rows alone reads.
class EdgeProducers {
public:
  EdgeProducers(const EdgeBlock &consumer,
                const llvm::DenseSet<mlir::Value> &fixed);

  /// In the order in which they stand.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  /// Bytes of the widest row that need not be stored any more.
  int64_t getRowBytes() const;

private:
  bool isProducer(mlir::Operation *op,
                  const llvm::DenseSet<mlir::Value> &fixed) const;
  bool readsRows(mlir::Operation *op) const;
  mlir::scf::ForallOp getFusedLoop(mlir::Operation *op) const;
  bool isReadWithin(mlir::OpOperand &use) const;

  EdgeBlock consumer;
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Operation *> known;
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_EDGEPRODUCERS_H
