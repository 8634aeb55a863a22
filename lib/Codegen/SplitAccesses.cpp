//===- SplitAccesses.cpp - Access buffers by registers ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITACCESSESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The buffer that a memref is a part of.
static Value getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// A load or store of the elements from `begin` on of what `op` accesses.
template <typename Op>
static void copyAccess(Op op, int64_t begin, Op part) {
  part.setNontemporal(op.getNontemporal());
  IntegerAttr alignment = op.getAlignmentAttr();
  if (!alignment)
    return;
  int64_t bytes = begin * op.getVectorType().getElementTypeBitWidth() / 8;
  part.setAlignmentAttr(IntegerAttr::get(
      alignment.getType(), llvm::MinAlign(alignment.getInt(), bytes)));
}

template <typename Op>
static SmallVector<Value> getIndices(OpBuilder &builder, Op op, int64_t begin) {
  SmallVector<Value> indices(op.getIndices());
  if (begin > 0) {
    Value offset = arith::ConstantIndexOp::create(builder, op.getLoc(), begin);
    indices.back() =
        arith::AddIOp::create(builder, op.getLoc(), indices.back(), offset);
  }
  return indices;
}

static void split(RewriterBase &rewriter, vector::LoadOp op, int64_t size) {
  VectorType type = op.getVectorType();
  auto partType = VectorType::get({size}, type.getElementType());
  Value whole = ub::PoisonOp::create(rewriter, op.getLoc(), type);
  for (int64_t begin = 0; begin < type.getNumElements(); begin += size) {
    auto part =
        vector::LoadOp::create(rewriter, op.getLoc(), partType, op.getBase(),
                               getIndices(rewriter, op, begin));
    copyAccess(op, begin, part);
    whole = vector::InsertStridedSliceOp::create(rewriter, op.getLoc(), part,
                                                 whole, begin, /*strides=*/1);
  }
  rewriter.replaceOp(op, whole);
}

static void split(RewriterBase &rewriter, vector::StoreOp op, int64_t size) {
  for (int64_t begin = 0, end = op.getVectorType().getNumElements();
       begin < end; begin += size) {
    Value value = vector::ExtractStridedSliceOp::create(
        rewriter, op.getLoc(), op.getValueToStore(), begin, size,
        /*strides=*/1);
    auto part =
        vector::StoreOp::create(rewriter, op.getLoc(), value, op.getBase(),
                                getIndices(rewriter, op, begin));
    copyAccess(op, begin, part);
  }
  rewriter.eraseOp(op);
}

namespace {
struct SplitAccessesPass
    : public gnn::impl::SplitAccessesPassBase<SplitAccessesPass> {
  using SplitAccessesPassBase::SplitAccessesPassBase;

  void runOnOperation() override {
    if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth)) {
      getOperation().emitError() << "vector-width must be a power of two, got "
                                 << vectorWidth.getValue();
      return signalPassFailure();
    }
    struct Accesses {
      SmallVector<Operation *> wide;
      bool hasOthers = false;
    };
    llvm::MapVector<Value, Accesses> buffers;
    auto add = [&](auto op) {
      Accesses &accesses = buffers[getBuffer(op.getBase())];
      if (isWide(op.getVectorType()))
        accesses.wide.push_back(op);
      else
        accesses.hasOthers = true;
    };
    getOperation()->walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<vector::LoadOp, vector::StoreOp>(
          add);
    });
    IRRewriter rewriter(&getContext());
    for (const auto &[buffer, accesses] : buffers)
      if (accesses.hasOthers)
        for (Operation *op : accesses.wide) {
          rewriter.setInsertionPoint(op);
          llvm::TypeSwitch<Operation *>(op)
              .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
                split(rewriter, access,
                      getRegisterSize(access.getVectorType()));
              });
        }
  }

private:
  int64_t getRegisterSize(VectorType type) const {
    return vectorWidth * 32 / type.getElementTypeBitWidth();
  }

  /// Whether a vector consists of whole registers, and more than one.
  bool isWide(VectorType type) const {
    if (type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() < 8)
      return false;
    int64_t size = getRegisterSize(type);
    return size > 0 && type.getNumElements() > size &&
           type.getNumElements() % size == 0;
  }
};
} // namespace
