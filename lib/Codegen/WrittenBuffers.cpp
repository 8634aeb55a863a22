//===- WrittenBuffers.cpp - What ops write to -------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBuffers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value gnn::getViewedBuffer(Value value) {
  while (value && value.getDefiningOp<ViewLikeOpInterface>())
    value = value.getDefiningOp<ViewLikeOpInterface>().getViewSource();
  return value;
}

DenseSet<Value> gnn::findWritten(Operation *op) {
  DenseSet<Value> written;
  op->walk([&](MemoryEffectOpInterface nested) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    nested.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()))
        written.insert(getViewedBuffer(effect.getValue()));
  });
  return written;
}
