//===- Slices.cpp - Parts of tensors ----------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;

void gnn::emitParallelInsert(OpBuilder &builder, Location loc,
                             ArrayRef<Value> values, ValueRange outputs,
                             ArrayRef<SliceParameters> slices) {
  auto inParallel = scf::InParallelOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(inParallel.getBody());
  for (auto [value, output, slice] : llvm::zip(values, outputs, slices))
    tensor::ParallelInsertSliceOp::create(
        builder, loc, value, output, slice.offsets, slice.sizes, slice.strides);
}
