//===- HoistRoundings.cpp - Factors rounded once ----------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../MatrixProduct.h"
#include "../RoundTF32.h"
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
      for (OpOperand *operand : op.getDpsInputOperands()) {
        if (Type type = getRoundedType(op, operand))
          hoist(op, operand, type);
        else if (Value rounding = getTF32Rounding(op, operand))
          hoistTF32(op, operand, rounding);
      }
  }

private:
  static Type getRoundedType(linalg::GenericOp op, OpOperand *operand);
  static Value getTF32Rounding(linalg::GenericOp op, OpOperand *operand);
  void hoist(linalg::GenericOp op, OpOperand *operand, Type type);
  void hoistTF32(linalg::GenericOp op, OpOperand *operand, Value rounding);
  /// The operand, part of an array of outside, as part of the rounded array.
  Value getRoundedOperand(linalg::GenericOp op, OpOperand *operand, Type type);
  /// `tensor` in fewer bits (`type` is its own for tf32), as part of what is
  /// rounded outside of the outermost parallel loop `loop`; null if it is no
  /// part of anything outside.
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

/// What the body rounds all elements of an operand to tf32 by, if it reads them
/// for nothing else.
Value HoistRoundingsPass::getTF32Rounding(linalg::GenericOp op,
                                          OpOperand *operand) {
  BlockArgument argument = op.getMatchingBlockArgument(operand);
  for (auto choice : op.getBody()->getOps<arith::SelectOp>()) {
    if (getRoundedToTF32(choice) != argument)
      continue;
    // The choice, what it depends on, and the bits that are rounded.
    bool isAll = llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return user == choice || user == choice.getCondition().getDefiningOp() ||
             isa<arith::BitcastOp>(user);
    });
    return isAll ? choice.getResult() : Value();
  }
  return Value();
}

static Value roundElementsToTF32(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  Type type = getElementTypeOrSelf(tensor);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type);
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> parallel(sizes.size(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{empty.getType()}, tensor, empty,
             {identity, identity}, parallel,
             [&](OpBuilder &inner, Location l, ValueRange args) {
               linalg::YieldOp::create(inner, l,
                                       roundToTF32(inner, l, args[0]));
             })
      .getResult(0);
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
        type == getElementTypeOrSelf(tensor)
            ? roundElementsToTF32(b, loop.getLoc(), tensor)
            : convertElements<arith::TruncFOp>(b, loop.getLoc(), tensor, type);
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

Value HoistRoundingsPass::getRoundedOperand(linalg::GenericOp op,
                                            OpOperand *operand, Type type) {
  auto loop = op->getParentOfType<scf::ForallOp>();
  while (auto outer = loop->getParentOfType<scf::ForallOp>())
    loop = outer;
  // What was rounded for another loop may be in a branch that this one is not.
  if (loop != current)
    rounded.clear();
  current = loop;
  // Constants that fill tiles are no arrays.
  if (!operand->get().getDefiningOp<tensor::ExtractSliceOp>())
    return Value();
  return getRounded(loop, operand->get(), type);
}

void HoistRoundingsPass::hoist(linalg::GenericOp op, OpOperand *operand,
                               Type type) {
  Value tensor = getRoundedOperand(op, operand, type);
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

void HoistRoundingsPass::hoistTF32(linalg::GenericOp op, OpOperand *operand,
                                   Value rounding) {
  Value tensor = getRoundedOperand(op, operand, rounding.getType());
  if (!tensor)
    return;
  operand->set(tensor);
  // What is rounded already stays what it is.
  rounding.replaceAllUsesWith(op.getMatchingBlockArgument(operand));
  ++numHoisted;
}
