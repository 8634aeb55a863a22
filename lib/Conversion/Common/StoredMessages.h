//===- StoredMessages.h - Aggregating values that are stored ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_COMMON_STOREDMESSAGES_H
#define GNN_LIB_CONVERSION_COMMON_STOREDMESSAGES_H

#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/IR/PatternMatch.h"

namespace gnn {

/// An aggregation of stored edge values is one of messages that pass them on;
/// the lowerings know only the latter.
void replaceByMessageAggregate(mlir::PatternRewriter &rewriter, AggregateOp op);

} // namespace gnn

#endif // GNN_LIB_CONVERSION_COMMON_STOREDMESSAGES_H
