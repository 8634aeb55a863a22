//===- FuseRowSums.cpp - Reduce rows where they are computed ----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEROWSUMSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// The elementwise op whose result a reduction reads, as others do as well.
static linalg::GenericOp getSharedElements(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInputs() != 1 || op.getNumResults() != 1)
    return nullptr;
  OpOperand *elements = op.getDpsInputOperand(0);
  auto producer = elements->get().getDefiningOp<linalg::GenericOp>();
  if (!producer || producer->hasOneUse() || producer->getNumResults() != 1 ||
      producer->getBlock() != op->getBlock() ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      // The loops that it asks for have other numbers in the reduction.
      producer.hasIndexSemantics())
    return nullptr;
  // Each loop of the reduction is one of the elements'.
  bool haveSameLoops =
      op.getMatchingIndexingMap(elements).isPermutation() &&
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
          .isPermutation();
  return haveSameLoops ? producer : nullptr;
}

/// Whether what else reads the elements can read those of the reduction.
static bool comesBeforeOthers(linalg::GenericOp op, Value elements) {
  return llvm::all_of(elements.getUsers(), [&](Operation *user) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && (inBlock == op || op->isBeforeInBlock(inBlock));
  });
}

/// What the body of `op` yields of these arguments.
static Value cloneBody(OpBuilder &builder, linalg::GenericOp op,
                       ValueRange arguments) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), arguments);
  for (Operation &inner : op.getBody()->without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

/// Both in one op, with the loops of the reduction. linalg::fuseElementwiseOps
/// does not take elements that overwrite an operand: it looks for the sizes of
/// the loops among the inputs.
static void fuse(IRRewriter &rewriter, linalg::GenericOp producer,
                 linalg::GenericOp reduction) {
  // From the loops of the reduction to those of the elements.
  AffineMap loops = inversePermutation(producer.getMatchingIndexingMap(
                                           producer.getDpsInitOperand(0)))
                        .compose(reduction.getMatchingIndexingMap(
                            reduction.getDpsInputOperand(0)));
  SmallVector<AffineMap> maps;
  for (AffineMap map : producer.getIndexingMapsArray())
    maps.push_back(map.compose(loops));
  maps.push_back(
      reduction.getMatchingIndexingMap(reduction.getDpsInitOperand(0)));
  Value elementsInit = producer.getDpsInits().front();
  Value init = reduction.getDpsInits().front();
  rewriter.setInsertionPoint(reduction);
  auto fused = linalg::GenericOp::create(
      rewriter, reduction.getLoc(),
      TypeRange{elementsInit.getType(), init.getType()},
      producer.getDpsInputs(), ValueRange{elementsInit, init}, maps,
      reduction.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value element = cloneBody(builder, producer, arguments.drop_back());
        Value sum = cloneBody(builder, reduction, {element, arguments.back()});
        linalg::YieldOp::create(builder, loc, ValueRange{element, sum});
      });
  rewriter.replaceOp(reduction, fused.getResult(1));
  rewriter.replaceOp(producer, fused.getResult(0));
}

/// Whether `op` reduces what it reads of tensors to one result.
static bool isReduction(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0 &&
         op.getNumResults() == 1;
}

/// Whether two reductions go through the same elements in the same way, and
/// what the later one needs is there where the earlier one is.
static bool readTheSame(linalg::GenericOp first, linalg::GenericOp second) {
  auto isBeforeFirst = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    return !op || op->getBlock() != first->getBlock() ||
           op->isBeforeInBlock(first);
  };
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(second->getRegions(), captured);
  return first.getDpsInputs() == second.getDpsInputs() &&
         first.getIndexingMaps() == second.getIndexingMaps() &&
         first.getIteratorTypes() == second.getIteratorTypes() &&
         isBeforeFirst(second.getDpsInits().front()) &&
         llvm::all_of(captured, isBeforeFirst);
}

/// Both in one op, in the place of the first.
static void merge(IRRewriter &rewriter, linalg::GenericOp first,
                  linalg::GenericOp second) {
  SmallVector<AffineMap> maps = first.getIndexingMapsArray();
  maps.push_back(maps.back());
  SmallVector<Value> inits{first.getDpsInits().front(),
                           second.getDpsInits().front()};
  rewriter.setInsertionPoint(first);
  auto merged = linalg::GenericOp::create(
      rewriter, first.getLoc(), ValueRange(inits).getTypes(),
      first.getDpsInputs(), inits, maps, first.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ValueRange elements = arguments.drop_back(2);
        SmallVector<Value> ofFirst(elements), ofSecond(elements);
        ofFirst.push_back(arguments.drop_back().back());
        ofSecond.push_back(arguments.back());
        SmallVector<Value> results{cloneBody(builder, first, ofFirst),
                                   cloneBody(builder, second, ofSecond)};
        linalg::YieldOp::create(builder, loc, results);
      });
  rewriter.replaceOp(first, merged.getResult(0));
  rewriter.replaceOp(second, merged.getResult(1));
}

namespace {
struct FuseRowSumsPass
    : public gnn::impl::FuseRowSumsPassBase<FuseRowSumsPass> {
  using FuseRowSumsPassBase::FuseRowSumsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> reductions;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (getSharedElements(op))
        reductions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : reductions) {
      // Again: an earlier one may have taken the elements.
      linalg::GenericOp producer = getSharedElements(op);
      if (!producer || !comesBeforeOthers(op, producer.getResult(0)))
        continue;
      fuse(rewriter, producer, op);
      ++numReductions;
    }
    getOperation()->walk(
        [&](Block *block) { mergeReductions(rewriter, *block); });
  }

private:
  void mergeReductions(IRRewriter &rewriter, Block &block) {
    SmallVector<linalg::GenericOp> reductions;
    for (auto op :
         llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
      if (!isReduction(op))
        continue;
      auto *same = llvm::find_if(reductions, [&](linalg::GenericOp other) {
        return readTheSame(other, op);
      });
      if (same == reductions.end()) {
        reductions.push_back(op);
        continue;
      }
      merge(rewriter, *same, op);
      reductions.erase(same);
      ++numReductions;
    }
  }
};
} // namespace
