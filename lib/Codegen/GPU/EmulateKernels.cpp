//===- EmulateKernels.cpp - Kernels as functions for the CPU ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedThread.h"
#include "KernelTable.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Runtime/Runtime.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {
#define GEN_PASS_DEF_EMULATEKERNELSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Turns one kernel into a function.
class KernelEmulation {
public:
  KernelEmulation(gpu::GPUFuncOp kernel, const LLVMTypeConverter &converter,
                  bool check)
      : kernel(kernel), converter(converter), check(check),
        rewriter(kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
        loc(kernel.getLoc()), thread(nullptr) {}

  LogicalResult run();

private:
  Value getField(Type type, ThreadField field, int32_t dimension = 0) {
    return thread.load(rewriter, loc, type, field, dimension);
  }
  Value unpackArgument(Type type, int32_t &next);
  Value getWorkgroupBuffer(MemRefType type, int64_t offset);
  LogicalResult replaceOps(func::FuncOp function);
  LogicalResult replaceShuffle(gpu::ShuffleOp shuffle);
  LogicalResult replaceVote(gpu::SubgroupReduceOp vote);
  void replaceIndex(Operation *op, ThreadField field, gpu::Dimension dimension);

  gpu::GPUFuncOp kernel;
  const LLVMTypeConverter &converter;
  bool check;
  IRRewriter rewriter;
  Type pointer;
  Location loc;
  EmulatedThread thread;
  Value parameters;
  Value valid; ///< Where shuffles say whether there was a lane to read from.
};

struct EmulateKernelsPass
    : public gnn::impl::EmulateKernelsPassBase<EmulateKernelsPass> {
  using EmulateKernelsPassBase::EmulateKernelsPassBase;

  void runOnOperation() override {
    if (failed(verifyLaunched(getOperation())))
      return signalPassFailure();
    LLVMTypeConverter converter(&getContext());
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules) {
      for (auto kernel :
           llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>()))
        if (failed(KernelEmulation(kernel, converter, checkAccesses).run()))
          return signalPassFailure();
      // What kernels look up.
      for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
        if (isa<memref::GlobalOp>(op) &&
            !getOperation().lookupSymbol(SymbolTable::getSymbolName(&op)))
          op.moveBefore(module);
      module.erase();
    }
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace

/// The launch has passed the words of an argument as a parameter each.
Value KernelEmulation::unpackArgument(Type type, int32_t &next) {
  auto loadWord = [&](Type wordType) -> Value {
    Value place =
        LLVM::GEPOp::create(rewriter, loc, pointer, pointer, parameters,
                            ArrayRef<LLVM::GEPArg>{next++});
    Value address = LLVM::LoadOp::create(rewriter, loc, pointer, place);
    return LLVM::LoadOp::create(rewriter, loc, wordType, address);
  };
  Value value;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    Type index = converter.getIndexType();
    SmallVector<Value> words = {loadWord(pointer), loadWord(pointer)};
    for (int64_t i = 0; i < 1 + 2 * memref.getRank(); ++i)
      words.push_back(loadWord(index));
    value = MemRefDescriptor::pack(rewriter, loc, converter, memref, words);
  } else {
    value = loadWord(converter.convertType(type));
  }
  return UnrealizedConversionCastOp::create(rewriter, loc, type, value)
      .getResult(0);
}

Value KernelEmulation::getWorkgroupBuffer(MemRefType type, int64_t offset) {
  Value base = getField(pointer, ThreadField::Shared);
  Value begin =
      LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  Value descriptor =
      MemRefDescriptor::fromStaticShape(rewriter, loc, converter, type, begin);
  return UnrealizedConversionCastOp::create(rewriter, loc, type, descriptor)
      .getResult(0);
}

/// On the CPU there is one kind of memory.
static Type dropMemorySpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref ||
      !isa_and_nonnull<gpu::AddressSpaceAttr>(memref.getMemorySpace()))
    return type;
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout());
}

LogicalResult KernelEmulation::run() {
  SmallVector<KernelAccess> accesses = findAccesses(kernel);
  // Arrays of the host begin anywhere.
  kernel.walk([](vector::LoadOp load) { load.removeAlignmentAttr(); });
  rewriter.setInsertionPoint(kernel->getParentOp());
  auto function =
      func::FuncOp::create(rewriter, loc, kernel.getName(),
                           rewriter.getFunctionType({pointer, pointer}, {}));
  function.setPrivate();
  function->setAttr(GNNDialect::kEmulatedKernelAttr, rewriter.getUnitAttr());
  Block *entry = function.addEntryBlock();
  thread = EmulatedThread(entry->getArgument(0));
  parameters = entry->getArgument(1);
  rewriter.setInsertionPointToStart(entry);

  SmallVector<Value> arguments;
  int32_t next = 0;
  unsigned numArguments = kernel.getNumArguments();
  SmallVector<int64_t> offsets;
  getWorkgroupOffsets(kernel, offsets);
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    Type type = dropMemorySpace(argument.getType());
    if (i < numArguments)
      arguments.push_back(unpackArgument(type, next));
    else if (i - numArguments < offsets.size())
      arguments.push_back(getWorkgroupBuffer(cast<MemRefType>(type),
                                             offsets[i - numArguments]));
    else
      arguments.push_back(
          memref::AllocaOp::create(rewriter, loc, cast<MemRefType>(type)));
  }
  // A kernel may have several blocks.
  Region &body = function.getBody();
  Block &first = kernel.getBody().front();
  rewriter.inlineRegionBefore(kernel.getBody(), body, body.end());
  rewriter.mergeBlocks(&first, entry, arguments);
  rewriter.eraseOp(kernel);
  if (failed(replaceOps(function)))
    return failure();
  if (check)
    addAccessChecks(accesses, function.getName(), thread, converter);
  return emulateMatrixOps(function, thread, converter);
}

void KernelEmulation::replaceIndex(Operation *op, ThreadField field,
                                   gpu::Dimension dimension) {
  rewriter.setInsertionPoint(op);
  Value number =
      getField(rewriter.getI32Type(), field, static_cast<int32_t>(dimension));
  rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, rewriter.getIndexType(),
                                                    number);
}

LogicalResult KernelEmulation::replaceShuffle(gpu::ShuffleOp shuffle) {
  Type type = shuffle.getValue().getType();
  Type i32 = rewriter.getI32Type();
  if (!type.isF32() && !type.isInteger(32))
    return shuffle.emitOpError("of ") << type << " cannot be emulated";
  rewriter.setInsertionPoint(shuffle);
  Value bits = shuffle.getValue();
  if (type != i32)
    bits = LLVM::BitcastOp::create(rewriter, loc, i32, bits);
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(rewriter, loc, i32,
                                    rewriter.getI32IntegerAttr(value));
  };
  // Once, since a loop would take more of the stack in each iteration.
  if (!valid) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = shuffle->getParentOfType<func::FuncOp>();
    rewriter.setInsertionPointToStart(&function.getBody().front());
    valid = LLVM::AllocaOp::create(rewriter, loc, pointer, i32, constant(1));
  }
  auto getMode = [&] {
    switch (shuffle.getMode()) {
    case gpu::ShuffleMode::XOR:
      return GNN_SHUFFLE_XOR;
    case gpu::ShuffleMode::UP:
      return GNN_SHUFFLE_UP;
    case gpu::ShuffleMode::DOWN:
      return GNN_SHUFFLE_DOWN;
    case gpu::ShuffleMode::IDX:
      return GNN_SHUFFLE_INDEX;
    }
    llvm_unreachable("unknown mode of a shuffle");
  };
  Value result = thread.call(rewriter, loc, ThreadField::Shuffle, i32,
                             {constant(getMode()), bits, shuffle.getOffset(),
                              shuffle.getWidth(), valid});
  if (type != i32)
    result = LLVM::BitcastOp::create(rewriter, loc, type, result);
  Value isValid = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ne,
      LLVM::LoadOp::create(rewriter, loc, i32, valid), constant(0));
  rewriter.replaceOp(shuffle, ValueRange{result, isValid});
  return success();
}

LogicalResult KernelEmulation::replaceVote(gpu::SubgroupReduceOp vote) {
  if (!vote.getType().isInteger(1) || vote.getClusterSize() ||
      vote.getOp() != gpu::AllReduceOperation::OR)
    return vote.emitOpError("cannot be emulated but as a vote of a warp, 'or' "
                            "of booleans");
  rewriter.setInsertionPoint(vote);
  Type i32 = rewriter.getI32Type();
  Value mine = arith::ExtUIOp::create(rewriter, loc, i32, vote.getValue());
  Value lanes = thread.call(rewriter, loc, ThreadField::Vote, i32, {mine});
  Value none = LLVM::ConstantOp::create(rewriter, loc, i32,
                                        rewriter.getI32IntegerAttr(0));
  rewriter.replaceOpWithNewOp<arith::CmpIOp>(vote, arith::CmpIPredicate::ne,
                                             lanes, none);
  return success();
}

LogicalResult KernelEmulation::replaceOps(func::FuncOp function) {
  auto none = LLVM::LLVMVoidType::get(rewriter.getContext());
  for (Operation *op : [&] {
         SmallVector<Operation *> ops;
         function.walk([&](Operation *inner) { ops.push_back(inner); });
         return ops;
       }()) {
    for (Value result : op->getResults())
      result.setType(dropMemorySpace(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(dropMemorySpace(argument.getType()));
    if (auto index = dyn_cast<gpu::ThreadIdOp>(op)) {
      replaceIndex(op, ThreadField::Thread, index.getDimension());
    } else if (auto index = dyn_cast<gpu::BlockIdOp>(op)) {
      replaceIndex(op, ThreadField::Block, index.getDimension());
    } else if (auto index = dyn_cast<gpu::BlockDimOp>(op)) {
      replaceIndex(op, ThreadField::BlockSize, index.getDimension());
    } else if (auto index = dyn_cast<gpu::GridDimOp>(op)) {
      replaceIndex(op, ThreadField::GridSize, index.getDimension());
    } else if (isa<gpu::BarrierOp>(op)) {
      rewriter.setInsertionPoint(op);
      thread.call(rewriter, loc, ThreadField::Barrier, none, {});
      rewriter.eraseOp(op);
    } else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
      if (failed(replaceShuffle(shuffle)))
        return failure();
    } else if (auto vote = dyn_cast<gpu::SubgroupReduceOp>(op)) {
      if (failed(replaceVote(vote)))
        return failure();
    } else if (isa<gpu::ReturnOp>(op)) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<func::ReturnOp>(op);
    } else if (auto cast = dyn_cast<memref::MemorySpaceCastOp>(op)) {
      if (cast.getSource().getType() == cast.getType())
        rewriter.replaceOp(cast, cast.getSource());
    } else if (isa_and_nonnull<gpu::GPUDialect>(op->getDialect())) {
      return op->emitOpError("cannot be emulated");
    }
  }
  return success();
}
