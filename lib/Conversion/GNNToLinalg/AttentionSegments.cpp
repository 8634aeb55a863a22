//===- AttentionSegments.cpp - Attention within segments --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parallel loop over the segments of a block-diagonal graph and heads.
// Where these are few, as in a batch of one graph, the destinations of each are
// shared out to several of its iterations.
//
//===----------------------------------------------------------------------===//

#include "../Common/GraphArrays.h"
#include "AttentionTiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gnn;

/// The destinations of the largest segment.
static Value emitMostRows(OpBuilder &b, Location loc, Value pointer,
                          Value numSegments) {
  Value zero = emitConstant(b, loc, 0), one = emitConstant(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, numSegments, one, zero,
      [&](OpBuilder &bb, Location, Value segment, ValueRange most) {
        Value first = loadIndex(bb, loc, pointer, segment);
        Value end =
            loadIndex(bb, loc, pointer, emitAddIndex(bb, loc, segment, one));
        Value rows = arith::SubIOp::create(bb, loc, end, first);
        Value larger = arith::MaxUIOp::create(bb, loc, most[0], rows);
        scf::YieldOp::create(bb, loc, larger);
      });
  return loop.getResult(0);
}

AttentionTiler::SegmentShares
AttentionTiler::emitSegmentShares(OpBuilder &b, ArrayRef<int64_t> heads) {
  if (!numSegments || minSegmentIterations == 0)
    return {};
  Value one = emitConstant(b, loc, 1);
  Value most = emitMostRows(b, loc, parts[0], numSegments);
  Value iterations = arith::MulIOp::create(
      b, loc, numSegments,
      emitConstant(b, loc, ShapedType::getNumElements(heads)));
  iterations = arith::MaxUIOp::create(b, loc, iterations, one);
  Value wanted = arith::DivUIOp::create(
      b, loc, emitConstant(b, loc, minSegmentIterations), iterations);
  wanted = arith::MaxUIOp::create(b, loc, wanted, one);
  // Whole tiles.
  Value tile = emitConstant(b, loc, rowTile);
  Value tiles = arith::CeilDivUIOp::create(
      b, loc, arith::CeilDivUIOp::create(b, loc, most, wanted), tile);
  tiles = arith::MaxUIOp::create(b, loc, tiles, one);
  SegmentShares shares;
  shares.rows = arith::MulIOp::create(b, loc, tiles, tile);
  shares.number = arith::CeilDivUIOp::create(b, loc, most, shares.rows);
  return shares;
}

void AttentionTiler::emitSegment(OpBuilder &b,
                                 const AttentionFunctions &functions,
                                 Value segment, SegmentShares share,
                                 Value shared, ValueRange head) {
  Value next = emitAddIndex(b, loc, segment, emitConstant(b, loc, 1));
  Value first = loadIndex(b, loc, parts[0], segment);
  Value end = loadIndex(b, loc, parts[0], next);
  if (share.number) {
    Value before = arith::MulIOp::create(b, loc, share.number, share.rows);
    // Other segments may have more shares.
    first = arith::MinUIOp::create(b, loc, emitAddIndex(b, loc, first, before),
                                   end);
    end = arith::MinUIOp::create(b, loc,
                                 emitAddIndex(b, loc, first, share.rows), end);
  }
  std::pair<Value, Value> sources(loadIndex(b, loc, parts[1], segment),
                                  loadIndex(b, loc, parts[1], next));
  emitRowTiles(b, functions, first, end, shared, head,
               [&](OpBuilder &bb, const DenseBlock &block) {
                 return emitRowTile(bb, functions, block, sources);
               });
}
