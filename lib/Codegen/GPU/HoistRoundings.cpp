//===- HoistRoundings.cpp - Factors rounded once ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../MatrixProduct.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn {
#define GEN_PASS_DEF_HOISTROUNDINGSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
struct HoistRoundingsPass
    : public gnn::impl::HoistRoundingsPassBase<HoistRoundingsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      // What a loop inside of a parallel one reads, others read, too.
      auto inner = op->getParentOfType<scf::ForOp>();
      if (inner && inner->getParentOfType<scf::ForallOp>() &&
          op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      for (OpOperand *operand : op.getDpsInputOperands())
        if (Type type = getRoundedType(op, operand))
          hoist(op, operand, type);
  }

private:
  static Type getRoundedType(linalg::GenericOp op, OpOperand *operand);
  void hoist(linalg::GenericOp op, OpOperand *operand, Type type);
  /// `tensor` in fewer bits, as part of what is rounded outside of the
  /// outermost parallel loop `loop`; null if it is no part of anything outside.
  Value getRounded(scf::ForallOp loop, Value tensor, Type type);

  scf::ForallOp current;
  /// What was rounded for it before, to which type.
  llvm::DenseMap<std::pair<Value, Type>, Value> rounded;
};
} // namespace

/// The type that the body rounds all elements of an operand to.
Type HoistRoundingsPass::getRoundedType(linalg::GenericOp op,
                                        OpOperand *operand) {
  BlockArgument argument = op.getMatchingBlockArgument(operand);
  Type type;
  for (Operation *user : argument.getUsers()) {
    auto rounding = dyn_cast<arith::TruncFOp>(user);
    if (!rounding || (type && rounding.getType() != type))
      return Type();
    type = rounding.getType();
  }
  return type;
}

Value HoistRoundingsPass::getRounded(scf::ForallOp loop, Value tensor,
                                     Type type) {
  Value &known = rounded[{tensor, type}];
  if (known)
    return known;
  OpBuilder b(&getContext());
  if (!loop.getRegion().isAncestor(tensor.getParentRegion())) {
    b.setInsertionPoint(loop);
    Value all =
        convertElements<arith::TruncFOp>(b, loop.getLoc(), tensor, type);
    return rounded[{tensor, type}] = all;
  }
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return Value();
  Value source = getRounded(loop, slice.getSource(), type);
  if (!source)
    return Value();
  b.setInsertionPoint(slice);
  Value part = tensor::ExtractSliceOp::create(
      b, slice.getLoc(), cast<RankedTensorType>(slice.getType().clone(type)),
      source, slice.getMixedOffsets(), slice.getMixedSizes(),
      slice.getMixedStrides());
  return rounded[{tensor, type}] = part;
}

void HoistRoundingsPass::hoist(linalg::GenericOp op, OpOperand *operand,
                               Type type) {
  auto loop = op->getParentOfType<scf::ForallOp>();
  while (auto outer = loop->getParentOfType<scf::ForallOp>())
    loop = outer;
  // What was rounded for another loop may be in a branch that this one is not.
  if (loop != current)
    rounded.clear();
  current = loop;
  // Constants that fill tiles are no arrays.
  if (!operand->get().getDefiningOp<tensor::ExtractSliceOp>())
    return;
  Value tensor = getRounded(loop, operand->get(), type);
  if (!tensor)
    return;
  operand->set(tensor);
  BlockArgument argument = op.getMatchingBlockArgument(operand);
  argument.setType(type);
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    user->getResult(0).replaceAllUsesWith(argument);
    user->erase();
  }
  ++numHoisted;
}
