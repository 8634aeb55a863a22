//===- LaunchKernels.cpp - Kernels are the runtime's to launch --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Support/FindOp.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace gnn {
#define GEN_PASS_DEF_LAUNCHKERNELSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

int64_t gnn::getWorkgroupOffsets(gpu::GPUFuncOp kernel,
                                 SmallVectorImpl<int64_t> &offsets) {
  DataLayout layout = DataLayout::closest(kernel);
  int64_t end = 0;
  for (BlockArgument attribution : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(attribution.getType());
    end = llvm::alignTo(end, kWorkgroupAlignment);
    offsets.push_back(end);
    end += type.getNumElements() * layout.getTypeSize(type.getElementType());
  }
  return end;
}

LogicalResult gnn::verifyLaunched(ModuleOp module) {
  Operation *launch = findOp(module, llvm::IsaPred<gpu::LaunchFuncOp>);
  if (!launch)
    return success();
  return launch->emitOpError("names a kernel, which is to become a call of the "
                             "runtime before; run gnn-launch-kernels");
}

namespace {
struct LaunchKernelsPass
    : public gnn::impl::LaunchKernelsPassBase<LaunchKernelsPass> {
  void runOnOperation() override;

private:
  void numberKernels();
  LogicalResult replaceLaunch(gpu::LaunchFuncOp launch);
  LogicalResult replaceCopy(gpu::MemcpyOp copy);
  LLVM::LLVMFuncOp declare(StringRef name, ArrayRef<Type> types);
  /// The words that an argument is passed as.
  LogicalResult flatten(OpBuilder &b, Location loc, Value argument,
                        SmallVectorImpl<Value> &words);

  llvm::StringMap<int32_t> numbers;
};
} // namespace

/// The address of the first element of an array.
static Value getAddress(OpBuilder &b, Location loc, Value memref,
                        const LLVMTypeConverter &converter) {
  auto type = cast<MemRefType>(memref.getType());
  Value words = UnrealizedConversionCastOp::create(
                    b, loc, converter.convertType(type), memref)
                    .getResult(0);
  return MemRefDescriptor(words).bufferPtr(b, loc, converter, type);
}

/// A device may align its buffers no better than their elements need, which is
/// too little for what moves 16 bytes at once.
static void alignWorkgroupBuffers(gpu::GPUFuncOp kernel) {
  Builder b(kernel.getContext());
  NamedAttribute alignment =
      b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                     b.getI64IntegerAttr(kWorkgroupAlignment));
  if (size_t count = kernel.getWorkgroupAttributions().size())
    kernel.setWorkgroupAttribAttrsAttr(b.getArrayAttr(
        SmallVector<Attribute>(count, b.getDictionaryAttr(alignment))));
}

void LaunchKernelsPass::numberKernels() {
  MLIRContext *context = &getContext();
  SmallVector<Attribute> kernels;
  Builder b(context);
  getOperation().walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isKernel())
      return;
    SmallVector<int64_t> offsets;
    int64_t bytes = getWorkgroupOffsets(kernel, offsets);
    alignWorkgroupBuffers(kernel);
    numbers[kernel.getName()] = static_cast<int32_t>(kernels.size());
    kernels.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("name", kernel.getNameAttr()),
         b.getNamedAttr("shared_bytes", b.getI64IntegerAttr(bytes))}));
  });
  getOperation()->setAttr(GNNDialect::kKernelsAttr, b.getArrayAttr(kernels));
}

LLVM::LLVMFuncOp LaunchKernelsPass::declare(StringRef name,
                                            ArrayRef<Type> types) {
  ModuleOp module = getOperation();
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  auto b = OpBuilder::atBlockBegin(module.getBody());
  auto none = LLVM::LLVMVoidType::get(&getContext());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(none, types));
}

LogicalResult LaunchKernelsPass::flatten(OpBuilder &b, Location loc,
                                         Value argument,
                                         SmallVectorImpl<Value> &words) {
  LLVMTypeConverter converter(&getContext());
  Type type = converter.convertType(argument.getType());
  if (!type)
    return emitError(loc) << "a kernel cannot be given " << argument.getType();
  Value converted =
      UnrealizedConversionCastOp::create(b, loc, type, argument).getResult(0);
  if (auto memref = dyn_cast<MemRefType>(argument.getType()))
    MemRefDescriptor::unpack(b, loc, converted, memref, words);
  else
    words.push_back(converted);
  return success();
}

LogicalResult LaunchKernelsPass::replaceLaunch(gpu::LaunchFuncOp launch) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  };
  // Once, since a loop would take more of the stack in each iteration.
  auto reserve = [&](Type type, int64_t count) -> Value {
    OpBuilder::InsertionGuard guard(b);
    auto function = launch->getParentOfType<FunctionOpInterface>();
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    return LLVM::AllocaOp::create(b, loc, pointer, type, constant(i64, count));
  };
  auto store = [&](Value value, Value array, int64_t index) {
    Value place = LLVM::GEPOp::create(
        b, loc, pointer, value.getType(), array,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(b, loc, value, place);
  };

  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  Value dimensions = reserve(i64, 6);
  std::array<Value, 6> sizes = {grid.x,  grid.y,  grid.z,
                                block.x, block.y, block.z};
  for (auto [i, size] : llvm::enumerate(sizes))
    store(arith::IndexCastOp::create(b, loc, i64, size), dimensions, i);

  SmallVector<Value> words;
  for (Value argument : launch.getKernelOperands())
    if (failed(flatten(b, loc, argument, words)))
      return failure();
  Value parameters = reserve(
      pointer, std::max<int64_t>(1, static_cast<int64_t>(words.size())));
  for (auto [i, word] : llvm::enumerate(words)) {
    Value place = reserve(word.getType(), 1);
    store(word, place, 0);
    store(place, parameters, i);
  }
  Value shared = launch.getDynamicSharedMemorySize();
  shared = shared ? LLVM::ZExtOp::create(b, loc, i64, shared).getResult()
                  : constant(i64, 0);
  LLVM::CallOp::create(
      b, loc, declare(kLaunchFunction, {i32, pointer, i64, pointer}),
      ValueRange{constant(i32, numbers.at(launch.getKernelName().getValue())),
                 dimensions, shared, parameters});
  launch.erase();
  return success();
}

LogicalResult LaunchKernelsPass::replaceCopy(gpu::MemcpyOp copy) {
  auto type = cast<MemRefType>(copy.getDst().getType());
  if (!type.hasStaticShape())
    return copy.emitOpError("to the host needs a size that is known");
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  LLVMTypeConverter converter(&getContext());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  DataLayout layout = DataLayout::closest(copy);
  int64_t bytes =
      type.getNumElements() * layout.getTypeSize(type.getElementType());
  Value size = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                        b.getI64IntegerAttr(bytes));
  LLVM::CallOp::create(
      b, loc, declare(kReadFunction, {pointer, pointer, b.getI64Type()}),
      ValueRange{getAddress(b, loc, copy.getDst(), converter),
                 getAddress(b, loc, copy.getSrc(), converter), size});
  copy.erase();
  return success();
}

void LaunchKernelsPass::runOnOperation() {
  numberKernels();
  SmallVector<gpu::LaunchFuncOp> launches;
  SmallVector<gpu::MemcpyOp> copies;
  getOperation().walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  getOperation().walk([&](gpu::MemcpyOp op) { copies.push_back(op); });
  for (gpu::LaunchFuncOp launch : launches)
    if (failed(replaceLaunch(launch)))
      return signalPassFailure();
  for (gpu::MemcpyOp copy : copies)
    if (failed(replaceCopy(copy)))
      return signalPassFailure();
}
