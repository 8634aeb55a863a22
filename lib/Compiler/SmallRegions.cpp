//===- SmallRegions.cpp - Parallel regions that one thread runs -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenMP's runtime makes a team even for a region that one thread runs, which
// takes memory and a good part of a microsecond each time: as long as the
// region itself on a graph of thirty nodes. Code calls the region's function
// instead.
//
//===----------------------------------------------------------------------===//

#include "SmallRegions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

/// Calls of `name`, if there is such a function.
static SmallVector<CallInst *> findCalls(Module &module, StringRef name) {
  SmallVector<CallInst *> calls;
  if (Function *function = module.getFunction(name))
    for (User *user : function->users())
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() == function)
        calls.push_back(call);
  return calls;
}

/// Whether the code of a region tells OpenMP's runtime which thread it runs on:
/// the number of the caller's is not known.
static bool tellsRuntime(const Function &region) {
  return llvm::any_of(instructions(region), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with("__kmpc_") &&
           callee->getName() != "__kmpc_global_thread_num";
  });
}

static Value *emitNumber(IRBuilder<> &b, StringRef name) {
  FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, b.getInt32Ty());
  return b.CreateCall(callee);
}

/// Whether nobody but this thread would run the region. Where a program calls
/// the model in a parallel region of its own, the runtime must know that this
/// is another one.
static Value *emitIsAlone(IRBuilder<> &b, Value *condition) {
  Value *one = b.getInt32(1);
  Value *isAlone = b.CreateICmpEQ(emitNumber(b, "omp_get_max_threads"), one);
  if (condition)
    isAlone = b.CreateOr(isAlone, b.CreateIsNull(condition));
  return b.CreateAnd(isAlone,
                     b.CreateICmpEQ(emitNumber(b, "omp_get_num_threads"), one));
}

/// Puts a choice in the place of `fork`, whose arguments behind `numBefore` are
/// the region's.
static void addDirectCall(CallInst *fork, Value *condition,
                          unsigned numBefore) {
  auto *region = dyn_cast<Function>(fork->getArgOperand(2));
  if (!region || region->arg_size() - 2 != fork->arg_size() - numBefore ||
      tellsRuntime(*region))
    return;
  IRBuilder<> b(fork);
  Value *isAlone = emitIsAlone(b, condition);
  Instruction *direct, *other;
  SplitBlockAndInsertIfThenElse(isAlone, fork, &direct, &other);
  fork->moveBefore(other->getIterator());
  b.SetInsertPoint(direct);
  // The region's function reads the numbers of its thread where it is told to.
  Module &module = *fork->getModule();
  GlobalVariable *zero = module.getGlobalVariable("gnn.thread", true);
  if (!zero)
    zero = new GlobalVariable(module, b.getInt32Ty(), /*isConstant=*/true,
                              GlobalValue::PrivateLinkage, b.getInt32(0),
                              "gnn.thread");
  SmallVector<Value *> arguments = {zero, zero};
  arguments.append(fork->arg_begin() + numBefore, fork->arg_end());
  CallInst *call = b.CreateCall(region, arguments);
  call->setDebugLoc(fork->getDebugLoc());
  // A second copy of it would be as large, and might round in another way.
  call->setIsNoInline();
  if (fork->doesNotThrow())
    call->setDoesNotThrow();
}

void gnn::callSmallRegions(Module &module) {
  for (CallInst *fork : findCalls(module, "__kmpc_fork_call_if"))
    addDirectCall(fork, fork->getArgOperand(3), 4);
  for (CallInst *fork : findCalls(module, "__kmpc_fork_call"))
    addDirectCall(fork, /*condition=*/nullptr, 3);
}
