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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static LLVM::LLVMStructType getThreadType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type three = LLVM::LLVMArrayType::get(IntegerType::get(context, 32), 3);
  SmallVector<Type> fields(4, three);
  fields.append(5, pointer);
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
             bool isWrite);

private:
  void checkBounds(OpBuilder &b, Operation *op, Value memref,
                   ValueRange indices);
  void noteAccess(OpBuilder &b, Operation *op, Value memref, ValueRange indices,
                  bool isWrite);
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

void AccessChecks::checkBounds(OpBuilder &b, Operation *op, Value memref,
                               ValueRange indices) {
  Location loc = op->getLoc();
  Value isOutside;
  for (auto [i, index] : llvm::enumerate(indices)) {
    Value size = memref::DimOp::create(b, loc, memref, i);
    // Below 0 it is large without a sign.
    Value isBeyond =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, index, size);
    isOutside = isOutside ? arith::OrIOp::create(b, loc, isOutside, isBeyond)
                          : isBeyond;
  }
  if (!isOutside)
    return;
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
                              ValueRange indices, bool isWrite) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(memref.getType());
  auto number = [&](Type ofType, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, ofType,
                                    b.getIntegerAttr(ofType, value));
  };
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
  Type i64 = b.getI64Type();
  Value address = LLVM::GEPOp::create(
      b, loc, thread.getPointer().getType(),
      converter.convertType(type.getElementType()),
      descriptor.alignedPtr(b, loc),
      ArrayRef<LLVM::GEPArg>{
          arith::IndexCastOp::create(b, loc, i64, offset).getResult()});
  DataLayout layout = DataLayout::closest(op);
  Value null = LLVM::ZeroOp::create(b, loc, thread.getPointer().getType());
  thread.call(b, loc, ThreadField::Access,
              LLVM::LLVMVoidType::get(b.getContext()),
              {address, number(i64, layout.getTypeSize(type.getElementType())),
               number(b.getI32Type(), isWrite), null});
}

void AccessChecks::check(const KernelAccess &access, Value memref,
                         ValueRange indices, bool isWrite) {
  OpBuilder b(access.op);
  checkBounds(b, access.op, memref, indices);
  if (access.isInWorkgroup)
    noteAccess(b, access.op, memref, indices, isWrite);
}

SmallVector<KernelAccess> gnn::findAccesses(Operation *kernel) {
  SmallVector<KernelAccess> accesses;
  kernel->walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      accesses.push_back({op, isInWorkgroup(load.getMemref())});
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      accesses.push_back({op, isInWorkgroup(store.getMemref())});
  });
  return accesses;
}

void gnn::addAccessChecks(ArrayRef<KernelAccess> accesses, StringRef kernel,
                          const EmulatedThread &thread,
                          const LLVMTypeConverter &converter) {
  AccessChecks checks(kernel, thread, converter);
  for (const KernelAccess &access : accesses) {
    if (auto load = dyn_cast<memref::LoadOp>(access.op)) {
      checks.check(access, load.getMemref(), load.getIndices(),
                   /*isWrite=*/false);
    } else {
      auto store = cast<memref::StoreOp>(access.op);
      checks.check(access, store.getMemref(), store.getIndices(),
                   /*isWrite=*/true);
    }
  }
}
