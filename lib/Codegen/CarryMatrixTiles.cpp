//===- CarryMatrixTiles.cpp - Tiles as arguments of blocks ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace gnn {
#define GEN_PASS_DEF_CARRYMATRIXTILESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

static Value castTo(OpBuilder &b, Type type, Value value) {
  return UnrealizedConversionCastOp::create(b, value.getLoc(), type, value)
      .getResult(0);
}

/// Gives `argument` the type `type`, and its users and the branches to its
/// block casts.
static void convertArgument(BlockArgument argument, Type type) {
  Block *block = argument.getOwner();
  Type tile = argument.getType();
  argument.setType(type);
  OpBuilder b(block, block->begin());
  Value back = castTo(b, tile, argument);
  argument.replaceAllUsesExcept(back, back.getDefiningOp());
  for (auto it = block->pred_begin(), e = block->pred_end(); it != e; ++it) {
    auto branch = cast<BranchOpInterface>((*it)->getTerminator());
    SuccessorOperands operands =
        branch.getSuccessorOperands(it.getSuccessorIndex());
    b.setInsertionPoint(branch);
    unsigned number = argument.getArgNumber();
    operands.slice(number, 1).assign(castTo(b, type, operands[number]));
  }
}

namespace {
struct CarryMatrixTilesPass
    : public gnn::impl::CarryMatrixTilesPassBase<CarryMatrixTilesPass> {
  void runOnOperation() override {
    Type type = LLVM::LLVMX86AMXType::get(&getContext());
    getOperation()->walk([&](Block *block) {
      // The op around an entry block says what its arguments are.
      if (block->isEntryBlock())
        return;
      for (BlockArgument argument : block->getArguments())
        if (isa<amx::TileType>(argument.getType()))
          convertArgument(argument, type);
    });
  }
};
} // namespace
