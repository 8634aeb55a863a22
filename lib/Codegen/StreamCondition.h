//===- StreamCondition.h - What goes past the caches ------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_STREAMCONDITION_H
#define GNN_LIB_CODEGEN_STREAMCONDITION_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn {

/// What decides at run time whether the nontemporal `store` is reached, if it
/// is known in `region`; null if the store always may be.
mlir::Value getStreamCondition(mlir::vector::StoreOp store,
                               mlir::Region &region);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_STREAMCONDITION_H
