//===- WrittenBuffers.cpp - What ops write to -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBuffers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value gnn::getViewedBuffer(Value value) {
  while (value && value.getDefiningOp<ViewLikeOpInterface>())
    value = value.getDefiningOp<ViewLikeOpInterface>().getViewSource();
  return value;
}

bool gnn::isIdentifiedBuffer(Value buffer) {
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = buffer.getDefiningOp();
  return isa<memref::GetGlobalOp>(op) ||
         hasEffect<MemoryEffects::Allocate>(op, buffer);
}

void gnn::WrittenBuffers::add(Operation *op) {
  op->walk([&](Operation *nested) {
    // It asks for memory and changes nothing.
    if (isa<memref::PrefetchOp>(nested))
      return;
    auto interface = dyn_cast<MemoryEffectOpInterface>(nested);
    if (!interface) {
      anyBuffer |= !nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      Value buffer = getViewedBuffer(effect.getValue());
      if (buffer)
        buffers.insert(buffer);
      anyBuffer |= !buffer || !isIdentifiedBuffer(buffer);
    }
  });
}

bool gnn::WrittenBuffers::mayContain(Value value) const {
  if (!isa<BaseMemRefType>(value.getType()))
    return false;
  Value buffer = getViewedBuffer(value);
  return anyBuffer || buffers.contains(buffer) ||
         (!buffers.empty() && !isIdentifiedBuffer(buffer));
}
