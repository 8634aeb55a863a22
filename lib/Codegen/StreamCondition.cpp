//===- StreamCondition.cpp - What goes past the caches ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCondition.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

Value gnn::getStreamCondition(vector::StoreOp store, Region &region) {
  auto choice = dyn_cast<scf::IfOp>(store->getParentOp());
  if (!choice || store->getParentRegion() != &choice.getThenRegion())
    return {};
  Value condition = choice.getCondition();
  // It has to be known outside of the loops around the store.
  Region *known = condition.getParentRegion();
  return known->isAncestor(&region) ? condition : Value();
}
