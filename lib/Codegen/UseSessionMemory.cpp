//===- UseSessionMemory.cpp - Memory from the caller ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Kernels.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>

namespace gnn {
#define GEN_PASS_DEF_USESESSIONMEMORYPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// The fields of gnn_memory, in their order.
enum MemoryField : int32_t { Allocate, Release, Launch, Read };

struct UseSessionMemoryPass
    : public gnn::impl::UseSessionMemoryPassBase<UseSessionMemoryPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          !function->hasAttr(GNNDialect::kEmulatedKernelAttr))
        functions.push_back(function);
    llvm::for_each(functions, addArgument);
    for (LLVM::LLVMFuncOp function : functions)
      rewriteCalls(function, symbols);
  }

private:
  static void addArgument(LLVM::LLVMFuncOp function);
  void rewriteCalls(LLVM::LLVMFuncOp function, SymbolTableCollection &symbols);
  static Value loadField(OpBuilder &b, Location loc, Value memory,
                         MemoryField field);
  static LLVM::CallOp replaceCall(LLVM::CallOp call, Value callee,
                                  Value memory);
  static void addMallocAttributes(LLVM::CallOp call);
};
} // namespace

/// FunctionOpInterface cannot do this where there is no result.
void UseSessionMemoryPass::addArgument(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  LLVM::LLVMFunctionType type = function.getFunctionType();
  SmallVector<Type> inputs(type.getParams());
  inputs.push_back(pointer);
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      type.getReturnType(), inputs, type.isVarArg()));
  if (ArrayAttr attributes = function.getArgAttrsAttr()) {
    SmallVector<Attribute> extended(attributes.getValue());
    extended.push_back(DictionaryAttr::get(context));
    function.setArgAttrsAttr(ArrayAttr::get(context, extended));
  }
  function.front().addArgument(pointer, function.getLoc());
}

Value UseSessionMemoryPass::loadField(OpBuilder &b, Location loc, Value memory,
                                      MemoryField field) {
  Type pointer = memory.getType();
  Value place = LLVM::GEPOp::create(b, loc, pointer, pointer, memory,
                                    ArrayRef<LLVM::GEPArg>{field});
  return LLVM::LoadOp::create(b, loc, pointer, place);
}

LLVM::CallOp UseSessionMemoryPass::replaceCall(LLVM::CallOp call, Value callee,
                                               Value memory) {
  OpBuilder b(call);
  SmallVector<Value> operands = {callee, memory};
  llvm::append_range(operands, call.getArgOperands());
  SmallVector<Type> types(ValueRange(operands).drop_front().getTypes());
  Type result = call.getNumResults() ? call.getResult().getType()
                                     : LLVM::LLVMVoidType::get(b.getContext());
  auto replacement = LLVM::CallOp::create(
      b, call.getLoc(), LLVM::LLVMFunctionType::get(result, types), operands);
  replacement.setNoUnwind(true);
  call->replaceAllUsesWith(replacement);
  call->erase();
  return replacement;
}

/// Says what LLVM knows of malloc and free by their names: new memory has no
/// other pointer to it, and no memory that the code sees changes but the block.
void UseSessionMemoryPass::addMallocAttributes(LLVM::CallOp call) {
  Builder b(call.getContext());
  using Access = LLVM::ModRefInfo;
  call.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      b.getContext(), /*other=*/Access::NoModRef, /*argMem=*/Access::ModRef,
      /*inaccessibleMem=*/Access::ModRef, /*errnoMem=*/Access::ModRef,
      /*targetMem0=*/Access::NoModRef, /*targetMem1=*/Access::NoModRef));
  call.setWillReturn(true);
  if (call.getNumResults())
    call.setResAttrsAttr(b.getArrayAttr(b.getDictionaryAttr(b.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr()))));
}

void UseSessionMemoryPass::rewriteCalls(LLVM::LLVMFuncOp function,
                                        SymbolTableCollection &symbols) {
  Value memory = function.getArguments().back();
  SmallVector<std::pair<LLVM::CallOp, MemoryField>> calls;
  function.walk([&](LLVM::CallOp call) {
    auto name = call.getCalleeAttr();
    if (!name)
      return;
    auto callee = symbols.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(call, name);
    if (callee && !callee.isExternal()) {
      call.getCalleeOperandsMutable().append(memory);
      return;
    }
    // Threads would wait for each other, while malloc has memory for each.
    if (call->getParentOfType<omp::ParallelOp>())
      return;
    auto field = StringSwitch<std::optional<MemoryField>>(name.getValue())
                     .Case("malloc", Allocate)
                     .Case("free", Release)
                     .Case(kLaunchFunction, Launch)
                     .Case(kReadFunction, Read)
                     .Default(std::nullopt);
    if (field)
      calls.emplace_back(call, *field);
  });
  auto b = OpBuilder::atBlockBegin(&function.front());
  // All of them first: the builder's place may be the first of the calls.
  std::array<Value, 4> callees;
  for (auto [call, field] : calls)
    if (!callees[field])
      callees[field] = loadField(b, function.getLoc(), memory, field);
  for (auto [call, field] : calls) {
    LLVM::CallOp replacement = replaceCall(call, callees[field], memory);
    if (field == Allocate || field == Release)
      addMallocAttributes(replacement);
    numAllocations += field == Allocate;
  }
}
