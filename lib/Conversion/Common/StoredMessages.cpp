//===- StoredMessages.cpp - Aggregating values that are stored --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredMessages.h"

using namespace mlir;
using namespace gnn;

void gnn::replaceByMessageAggregate(PatternRewriter &rewriter, AggregateOp op) {
  EdgesType edges = op.getEdges().getType();
  unsigned rank = edges.getShape().size();
  Attribute map = AffineMapAttr::get(rewriter.getMultiDimIdentityMap(rank));
  auto fused = MessageAggregateOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), op.getAggregators(),
      op.getGraph(), ValueRange{}, ValueRange{}, op.getEdges(), ValueRange{},
      rewriter.getArrayAttr({map, map}),
      rewriter.getStrArrayAttr(SmallVector<StringRef>(rank, "parallel")));
  Block *block = rewriter.createBlock(&fused.getBody(), {},
                                      {edges.getElementType()}, {op.getLoc()});
  YieldOp::create(rewriter, op.getLoc(), block->getArgument(0));
  rewriter.replaceOp(op, fused.getResults());
}
