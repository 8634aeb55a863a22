//===- Cleanup.h - Canonicalisation between passes --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_CLEANUP_H
#define GNN_LIB_CODEGEN_CLEANUP_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace gnn {

/// Canonicalises structured loops. Their regions have one block, in which
/// patterns leave nothing that is dead, so that nobody has to look for dead
/// arguments and blocks after each round.
inline std::unique_ptr<mlir::Pass> createLoopCanonicalizerPass() {
  mlir::GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true).setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::createCanonicalizerPass(config);
}

/// Cleans up structured loops.
inline void addCleanup(mlir::OpPassManager &pm) {
  pm.addPass(createLoopCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
}

} // namespace gnn

#endif // GNN_LIB_CODEGEN_CLEANUP_H
