//===- ParallelLoop.h - scf.forall and scf.parallel as one ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_PARALLELLOOP_H
#define GNN_LIB_CODEGEN_GPU_PARALLELLOOP_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// Is it a parallel loop on buffers, with nothing to return?
bool isParallelLoop(mlir::Operation *op);

/// Either of the two, whose iterations have numbers. Dimensions with one
/// iteration do not count.
class ParallelLoop {
public:
  /// Bounds that are constants become ops before the loop.
  ParallelLoop(mlir::Operation *op, mlir::RewriterBase &rewriter);

  mlir::Block *getBody() const { return body; }

  /// How many iterations there are, as an index computed where `b` stands.
  mlir::Value getNumIterations(mlir::OpBuilder &b);

  /// How many there are at most; nullopt if that is not known.
  static std::optional<int64_t> getConstantIterations(mlir::Operation *op);

  /// The values of the induction variables in iteration number `index`. The
  /// last dimension runs fastest.
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpBuilder &b,
                                            mlir::Value index);

private:
  mlir::Location loc;
  mlir::Block *body;
  llvm::SmallVector<mlir::OpFoldResult> lowerBounds, steps;
  /// Iterations of each dimension.
  llvm::SmallVector<mlir::OpFoldResult> counts;
};

/// Makes loops one after the other of the parallel ones inside of `op`.
void serializeNestedLoops(mlir::Operation *op, mlir::RewriterBase &rewriter);

/// A kernel without a body of `numBlocks` blocks of `numThreads` threads. The
/// builder stands where the body belongs.
mlir::gpu::LaunchOp createLaunch(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value numBlocks, mlir::Value numThreads);

/// Whether a buffer may be any other one: what comes around a loop or out of a
/// choice.
bool mayBeAnyBuffer(mlir::Value buffer);

/// The sequential loops of a function's kernels, inner ones first.
llvm::SmallVector<mlir::scf::ForOp> getKernelLoops(mlir::Operation *function);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_PARALLELLOOP_H
