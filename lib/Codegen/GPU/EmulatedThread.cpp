//===- EmulatedThread.cpp - What emulated kernels ask for -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedThread.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static LLVM::LLVMStructType getThreadType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type three = LLVM::LLVMArrayType::get(IntegerType::get(context, 32), 3);
  SmallVector<Type> fields(4, three);
  fields.append(11, pointer);
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

Value EmulatedThread::load(OpBuilder &b, Location loc, Type type,
                           ThreadField field, int32_t dimension) const {
  SmallVector<LLVM::GEPArg> path = {0, static_cast<int32_t>(field)};
  if (field <= ThreadField::GridSize)
    path.push_back(dimension);
  Value place = LLVM::GEPOp::create(
      b, loc, pointer.getType(), getThreadType(b.getContext()), pointer, path);
  return LLVM::LoadOp::create(b, loc, type, place);
}

Value EmulatedThread::call(OpBuilder &b, Location loc, ThreadField field,
                           Type result, ValueRange operands) const {
  SmallVector<Value> all = {load(b, loc, pointer.getType(), field), pointer};
  llvm::append_range(all, operands);
  SmallVector<Type> types(ValueRange(all).drop_front().getTypes());
  auto call = LLVM::CallOp::create(
      b, loc, LLVM::LLVMFunctionType::get(result, types), all);
  return call.getNumResults() ? call.getResult() : Value();
}

Value gnn::getElementAddress(OpBuilder &b, Location loc,
                             const LLVMTypeConverter &converter, Value memref,
                             ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  Value words = UnrealizedConversionCastOp::create(
                    b, loc, converter.convertType(type), memref)
                    .getResult(0);
  MemRefDescriptor descriptor(words);
  Value offset = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                            descriptor.offset(b, loc));
  for (auto [i, index] : llvm::enumerate(indices)) {
    Value stride = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                              descriptor.stride(b, loc, i));
    offset = arith::AddIOp::create(
        b, loc, offset, arith::MulIOp::create(b, loc, index, stride));
  }
  return LLVM::GEPOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()),
      converter.convertType(type.getElementType()),
      descriptor.alignedPtr(b, loc),
      ArrayRef<LLVM::GEPArg>{
          arith::IndexCastOp::create(b, loc, b.getI64Type(), offset)
              .getResult()});
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether a memref is a view of workgroup memory.
static bool isInWorkgroup(Value memref) {
  for (;;) {
    auto type = cast<MemRefType>(memref.getType());
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (space && space.getValue() == gpu::AddressSpace::Workgroup)
      return true;
    auto view = memref.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return false;
    memref = view.getViewSource();
  }
}

namespace {
class AccessChecks {
public:
  AccessChecks(StringRef kernel, const EmulatedThread &thread,
               const LLVMTypeConverter &converter)
      : kernel(kernel), thread(thread), converter(converter) {}

  void check(const KernelAccess &access, Value memref, ValueRange indices,
             Type type, bool isWrite);
  void checkCopy(nvgpu::DeviceAsyncCopyOp copy);

private:
  /// Whether an index is out of the bounds of `memref`, or an element that
  /// follows the last one: there are `count` in all.
  Value isOutside(OpBuilder &b, Location loc, Value memref, ValueRange indices,
                  Value count);
  void failIf(OpBuilder &b, Operation *op, Value isOutside, Value memref);
  void noteAccess(OpBuilder &b, Operation *op, Value memref, ValueRange indices,
                  Type type, bool isWrite);
  /// The address of a text in the library.
  Value getText(OpBuilder &b, Location loc, const Twine &text);

  StringRef kernel;
  const EmulatedThread &thread;
  const LLVMTypeConverter &converter;
  int64_t numTexts = 0;
};
} // namespace

Value AccessChecks::getText(OpBuilder &b, Location loc, const Twine &text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  return LLVM::createGlobalString(loc, b,
                                  (kernel + "_text_" + Twine(numTexts++)).str(),
                                  bytes, LLVM::Linkage::Private);
}

Value AccessChecks::isOutside(OpBuilder &b, Location loc, Value memref,
                              ValueRange indices, Value count) {
  auto isBeyond = [&](arith::CmpIPredicate predicate, Value index, Value size) {
    return arith::CmpIOp::create(b, loc, predicate, index, size);
  };
  Value any;
  for (auto [i, index] : llvm::enumerate(indices)) {
    Value size = memref::DimOp::create(b, loc, memref, i);
    // Below 0 it is large without a sign.
    Value outside = isBeyond(arith::CmpIPredicate::uge, index, size);
    any = any ? arith::OrIOp::create(b, loc, any, outside) : outside;
    if (i + 1 == indices.size() && count)
      any = arith::OrIOp::create(
          b, loc, any,
          isBeyond(arith::CmpIPredicate::ugt,
                   arith::AddIOp::create(b, loc, index, count), size));
  }
  return any;
}

void AccessChecks::failIf(OpBuilder &b, Operation *op, Value isOutside,
                          Value memref) {
  if (!isOutside)
    return;
  Location loc = op->getLoc();
  auto failure = scf::IfOp::create(b, loc, isOutside, /*withElseRegion=*/false);
  auto inside = failure.getThenBodyBuilder();
  std::string type;
  llvm::raw_string_ostream(type) << memref.getType();
  thread.call(inside, loc, ThreadField::Fail,
              LLVM::LLVMVoidType::get(b.getContext()),
              getText(inside, loc,
                      "an index of '" + op->getName().getStringRef() +
                          "' is out of the bounds of " + type));
}

void AccessChecks::noteAccess(OpBuilder &b, Operation *op, Value memref,
                              ValueRange indices, Type type, bool isWrite) {
  Location loc = op->getLoc();
  auto number = [&](Type ofType, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, ofType,
                                    b.getIntegerAttr(ofType, value));
  };
  Value address = getElementAddress(b, loc, converter, memref, indices);
  DataLayout layout = DataLayout::closest(op);
  Value null = LLVM::ZeroOp::create(b, loc, thread.getPointer().getType());
  thread.call(b, loc, ThreadField::Access,
              LLVM::LLVMVoidType::get(b.getContext()),
              {address, number(b.getI64Type(), layout.getTypeSize(type)),
               number(b.getI32Type(), isWrite), null});
}

void AccessChecks::check(const KernelAccess &access, Value memref,
                         ValueRange indices, Type type, bool isWrite) {
  OpBuilder b(access.op);
  Location loc = access.op->getLoc();
  Value count;
  if (auto vector = dyn_cast<VectorType>(type))
    count = arith::ConstantIndexOp::create(b, loc, vector.getNumElements());
  failIf(b, access.op, isOutside(b, loc, memref, indices, count), memref);
  if (access.isInWorkgroup)
    noteAccess(b, access.op, memref, indices, type, isWrite);
}

/// Nothing is read where no element is asked for.
void AccessChecks::checkCopy(nvgpu::DeviceAsyncCopyOp copy) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  Value written = arith::ConstantIndexOp::create(
      b, loc, copy.getDstElements().getSExtValue());
  failIf(b, copy,
         isOutside(b, loc, copy.getDst(), copy.getDstIndices(), written),
         copy.getDst());
  Value read = copy.getSrcElements() ? copy.getSrcElements() : written;
  Value outside = isOutside(b, loc, copy.getSrc(), copy.getSrcIndices(), read);
  if (!outside)
    return;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value any =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, read, zero);
  failIf(b, copy, arith::AndIOp::create(b, loc, any, outside), copy.getSrc());
}

SmallVector<KernelAccess> gnn::findAccesses(Operation *kernel) {
  SmallVector<KernelAccess> accesses;
  kernel->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
          accesses.push_back({op, isInWorkgroup(access.getMemref())});
        })
        .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
          accesses.push_back({op, isInWorkgroup(access.getBase())});
        })
        .Case<nvgpu::DeviceAsyncCopyOp>(
            [&](auto) { accesses.push_back({op, false}); });
  });
  return accesses;
}

void gnn::addAccessChecks(ArrayRef<KernelAccess> accesses, StringRef kernel,
                          const EmulatedThread &thread,
                          const LLVMTypeConverter &converter) {
  AccessChecks checks(kernel, thread, converter);
  for (const KernelAccess &access : accesses)
    llvm::TypeSwitch<Operation *>(access.op)
        .Case<memref::LoadOp>([&](auto load) {
          checks.check(access, load.getMemref(), load.getIndices(),
                       load.getType(), /*isWrite=*/false);
        })
        .Case<memref::StoreOp>([&](auto store) {
          checks.check(access, store.getMemref(), store.getIndices(),
                       store.getValue().getType(), /*isWrite=*/true);
        })
        .Case<vector::LoadOp>([&](auto load) {
          checks.check(access, load.getBase(), load.getIndices(),
                       load.getType(), /*isWrite=*/false);
        })
        .Case<vector::StoreOp>([&](auto store) {
          checks.check(access, store.getBase(), store.getIndices(),
                       store.getValueToStore().getType(), /*isWrite=*/true);
        })
        .Case<nvgpu::DeviceAsyncCopyOp>(
            [&](auto copy) { checks.checkCopy(copy); });
}
