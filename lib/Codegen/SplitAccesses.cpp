//===- SplitAccesses.cpp - Access buffers by registers ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorParts.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITACCESSESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

static void split(RewriterBase &rewriter, vector::LoadOp op,
                  ArrayRef<Part> parts) {
  SmallVector<Value> vectors = emitPartLoads(rewriter, op, parts);
  rewriter.replaceOp(op, emitWhole(rewriter, op.getLoc(), op.getVectorType(),
                                   {vectors, parts}));
}

static void split(RewriterBase &rewriter, vector::StoreOp op,
                  ArrayRef<Part> parts) {
  emitPartStores(rewriter, op,
                 emitParts(rewriter, op.getLoc(), op.getValueToStore(), parts),
                 parts);
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
      Accesses &accesses = buffers[memref::skipViewLikeOps(op.getBase())];
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
    for (const auto &[buffer, accesses] : buffers) {
      if (!accesses.hasOthers)
        continue;
      for (Operation *op : accesses.wide) {
        rewriter.setInsertionPoint(op);
        llvm::TypeSwitch<Operation *>(op).Case<vector::LoadOp, vector::StoreOp>(
            [&](auto access) {
              split(rewriter, access, getRegisters(access.getVectorType()));
            });
      }
    }
  }

private:
  int64_t getRegisterSize(VectorType type) const {
    return vectorWidth * 32 / type.getElementTypeBitWidth();
  }

  SmallVector<Part> getRegisters(VectorType type) const {
    SmallVector<Part> parts;
    int64_t size = getRegisterSize(type);
    for (int64_t begin = 0; begin < type.getNumElements(); begin += size)
      parts.push_back({begin, size});
    return parts;
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
