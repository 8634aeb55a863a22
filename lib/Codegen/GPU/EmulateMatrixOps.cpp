//===- EmulateMatrixOps.cpp - Matrices of a warp for the CPU ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedThread.h"
#include "gnn/Runtime/Runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

namespace {
class MatrixOps {
public:
  MatrixOps(FunctionOpInterface function, const EmulatedThread &thread,
            const LLVMTypeConverter &converter)
      : function(function), thread(thread), converter(converter),
        rewriter(function.getContext()), loc(function.getLoc()),
        none(LLVM::LLVMVoidType::get(function.getContext())) {}

  LogicalResult replace(Operation *op);

private:
  LogicalResult replaceProduct(nvgpu::MmaSyncOp product);
  LogicalResult replaceLoad(nvgpu::LdMatrixOp load);
  LogicalResult replaceCopy(nvgpu::DeviceAsyncCopyOp copy);

  Value getI32(int64_t value) {
    return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                    rewriter.getI32IntegerAttr(value));
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                      index);
  }
  Value getRegisters(Value &buffer, int32_t count);
  /// Leaves a fragment where the emulator finds it.
  void store(Value fragment, Value place);
  Value load(Type fragment, Value place);

  FunctionOpInterface function;
  const EmulatedThread &thread;
  const LLVMTypeConverter &converter;
  IRRewriter rewriter;
  Location loc;
  Type none;
  /// Of the stack, for all products and loads of the kernel.
  Value firstFactor, secondFactor, sums, loaded;
};
} // namespace

static int64_t getNumRegisters(VectorType fragment) {
  return fragment.getNumElements() * fragment.getElementTypeBitWidth() / 32;
}

Value MatrixOps::getRegisters(Value &buffer, int32_t count) {
  if (buffer)
    return buffer;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
  constexpr int64_t alignment = 16;
  buffer =
      LLVM::AllocaOp::create(rewriter, loc, thread.getPointer().getType(),
                             rewriter.getI32Type(), getI32(count), alignment);
  return buffer;
}

void MatrixOps::store(Value fragment, Value place) {
  auto type = cast<VectorType>(fragment.getType());
  Value flat = vector::ShapeCastOp::create(
      rewriter, loc,
      VectorType::get(type.getNumElements(), type.getElementType()), fragment);
  Value bits = vector::BitCastOp::create(
      rewriter, loc,
      VectorType::get(getNumRegisters(type), rewriter.getI32Type()), flat);
  LLVM::StoreOp::create(rewriter, loc, bits, place);
}

Value MatrixOps::load(Type fragment, Value place) {
  auto type = cast<VectorType>(fragment);
  Value bits = LLVM::LoadOp::create(
      rewriter, loc,
      VectorType::get(getNumRegisters(type), rewriter.getI32Type()), place);
  Value flat = vector::BitCastOp::create(
      rewriter, loc,
      VectorType::get(type.getNumElements(), type.getElementType()), bits);
  return vector::ShapeCastOp::create(rewriter, loc, type, flat);
}

LogicalResult MatrixOps::replaceProduct(nvgpu::MmaSyncOp product) {
  VectorType first = product.getMatrixA().getType();
  Type element = first.getElementType();
  bool isTF32 = product.getTf32Enabled().has_value() && element.isF32();
  if ((!isTF32 && !element.isF16() && !element.isBF16()) ||
      !cast<VectorType>(product.getType()).getElementType().isF32() ||
      product.getMmaShapeAsArray() !=
          std::array<int64_t, 3>{16, 8, isTF32 ? 8 : 16})
    return product.emitOpError(
        "cannot be emulated, only products of shape 16 x 8 x 16 of f16 or "
        "bf16 and 16 x 8 x 8 of tf32, added up in f32");
  Value places[] = {getRegisters(firstFactor, 4), getRegisters(secondFactor, 2),
                    getRegisters(sums, 4)};
  store(product.getMatrixA(), places[0]);
  store(product.getMatrixB(), places[1]);
  store(product.getMatrixC(), places[2]);
  gnn_factor_type type = isTF32            ? GNN_FACTOR_TF32
                         : element.isF16() ? GNN_FACTOR_F16
                                           : GNN_FACTOR_BF16;
  thread.call(rewriter, loc, ThreadField::Multiply, none,
              {getI32(type), places[0], places[1], places[2]});
  rewriter.replaceOp(product, load(product.getType(), places[2]));
  return success();
}

LogicalResult MatrixOps::replaceLoad(nvgpu::LdMatrixOp op) {
  Value row = getElementAddress(rewriter, loc, converter, op.getSrcMemref(),
                                op.getIndices());
  Value place = getRegisters(loaded, 4);
  thread.call(
      rewriter, loc, ThreadField::LoadMatrices, none,
      {row, getI32(op.getNumTiles()), getI32(op.getTranspose()), place});
  rewriter.replaceOp(op, load(op.getType(), place));
  return success();
}

LogicalResult MatrixOps::replaceCopy(nvgpu::DeviceAsyncCopyOp copy) {
  if (!copy.use_empty())
    return copy.emitOpError("whose token leaves its block cannot be emulated");
  Value destination = getElementAddress(rewriter, loc, converter, copy.getDst(),
                                        copy.getDstIndices());
  Value source = getElementAddress(rewriter, loc, converter, copy.getSrc(),
                                   copy.getSrcIndices());
  int64_t width =
      cast<MemRefType>(copy.getDst().getType()).getElementTypeBitWidth() / 8;
  auto getBytes = [&](Value elements) {
    Value bytes = arith::ConstantIndexOp::create(rewriter, loc, width);
    return toI64(arith::MulIOp::create(rewriter, loc, elements, bytes));
  };
  Value written = arith::ConstantIndexOp::create(
      rewriter, loc, copy.getDstElements().getSExtValue());
  Value read = copy.getSrcElements() ? copy.getSrcElements() : written;
  thread.call(rewriter, loc, ThreadField::Copy, none,
              {destination, source, getBytes(written), getBytes(read)});
  rewriter.eraseOp(copy);
  return success();
}

LogicalResult MatrixOps::replace(Operation *op) {
  rewriter.setInsertionPoint(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nvgpu::MmaSyncOp product) { return replaceProduct(product); })
      .Case([&](nvgpu::LdMatrixOp load) { return replaceLoad(load); })
      .Case([&](nvgpu::DeviceAsyncCopyOp copy) { return replaceCopy(copy); })
      .Case([&](nvgpu::DeviceAsyncCreateGroupOp group) -> LogicalResult {
        if (!group.use_empty())
          return group.emitOpError(
              "whose token leaves its block cannot be emulated");
        thread.call(rewriter, loc, ThreadField::GroupCopies, none, {});
        rewriter.eraseOp(group);
        return success();
      })
      .Case([&](nvgpu::DeviceAsyncWaitOp wait) {
        thread.call(rewriter, loc, ThreadField::AwaitCopies, none,
                    getI32(wait.getNumGroups().value_or(0)));
        rewriter.eraseOp(wait);
        return success();
      })
      .Default([](Operation *other) {
        return other->emitOpError("cannot be emulated");
      });
}

LogicalResult gnn::emulateMatrixOps(FunctionOpInterface function,
                                    const EmulatedThread &thread,
                                    const LLVMTypeConverter &converter) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<nvgpu::NVGPUDialect>(op->getDialect()))
      ops.push_back(op);
  });
  // Who reads a token comes after who makes it.
  MatrixOps matrices(function, thread, converter);
  for (Operation *op : llvm::reverse(ops))
    if (failed(matrices.replace(op)))
      return failure();
  return success();
}
