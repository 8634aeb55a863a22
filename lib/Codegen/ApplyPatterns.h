//===- ApplyPatterns.h - Patterns on structured loops -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_APPLYPATTERNS_H
#define GNN_LIB_CODEGEN_APPLYPATTERNS_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gnn {

/// Whether there is an op that a pattern begins with.
inline bool hasRoot(mlir::Operation *op,
                    const mlir::FrozenRewritePatternSet &patterns) {
  if (!patterns.getMatchAnyOpNativePatterns().empty())
    return true;
  const auto &byName = patterns.getOpSpecificNativePatterns();
  auto isRoot = [&](mlir::Operation *each) {
    return byName.contains(each->getName()) ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
  };
  return op->walk(isRoot).wasInterrupted();
}

/// Applies patterns until none matches. Where none can, ops are not folded
/// either, which takes many times as long as looking for that. Structured loops
/// have one block, of which nothing is dead but ops, which go anyway: looking
/// for blocks to merge and for dead arguments after each round takes longer
/// than many patterns do.
inline mlir::LogicalResult
applyPatterns(mlir::Operation *op,
              const mlir::FrozenRewritePatternSet &patterns,
              mlir::GreedyRewriteConfig config = mlir::GreedyRewriteConfig()) {
  if (!hasRoot(op, patterns))
    return mlir::success();
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::applyPatternsGreedily(op, patterns, config);
}

} // namespace gnn

#endif // GNN_LIB_CODEGEN_APPLYPATTERNS_H
