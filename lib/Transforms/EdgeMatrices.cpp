//===- EdgeMatrices.cpp - Linear layers that edges choose -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Transforms/EdgeMatrices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gnn;

bool gnn::isInvariant(const EdgeFunction &function, Value value,
                      llvm::function_ref<bool(unsigned)> isVarying) {
  Block *body = &function.body->front();
  auto isInvariantOperand = [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != body)
      return true;
    return argument != function.getAccumulator() &&
           llvm::none_of(
               function.operandMaps[argument.getArgNumber()].getResults(),
               [&](AffineExpr expr) {
                 return isVarying(cast<AffineDimExpr>(expr).getPosition());
               });
  };
  return isInvariantOperand(value) &&
         llvm::all_of(function.getComputation(value), [&](Operation *op) {
           auto index = dyn_cast<FeatureIndexOp>(op);
           return !(index && isVarying(index.getLoop())) &&
                  llvm::all_of(op->getOperands(), isInvariantOperand);
         });
}

/// The loop that `value` counts.
static std::optional<unsigned> getLoop(Value value) {
  auto index = value.getDefiningOp<FeatureIndexOp>();
  if (!index)
    return std::nullopt;
  return index.getLoop();
}

/// `op` as an element of one of many matrices.
static std::optional<EdgeMatrices> getLookup(const EdgeFunction &function,
                                             tensor::ExtractOp op) {
  auto table = dyn_cast<TypedValue<RankedTensorType>>(op.getTensor());
  unsigned rank = op.getIndices().size();
  if (!table || !table.getType().hasStaticShape() || rank < 3 || rank > 4 ||
      !isInvariant(function, op.getIndices().front(),
                   [](unsigned) { return true; }))
    return std::nullopt;
  SmallVector<unsigned> loops;
  SmallVector<int64_t> sizes = function.getLoopSizes();
  for (auto [index, size] : llvm::drop_begin(
           llvm::zip(op.getIndices(), table.getType().getShape()))) {
    std::optional<unsigned> loop = getLoop(index);
    if (!loop || sizes[*loop] != size)
      return std::nullopt;
    loops.push_back(*loop);
  }
  EdgeMatrices matrices;
  matrices.number = op.getIndices().front();
  matrices.table = table;
  matrices.column = loops.pop_back_val();
  matrices.row = loops.pop_back_val();
  if (!loops.empty())
    matrices.block = loops.front();
  return matrices;
}

std::optional<EdgeMatrices> gnn::getEdgeMatrices(const EdgeFunction &function) {
  if (!function.hasReduction() || function.getReduced() ||
      !isa<FloatType>(function.getResultElementType()))
    return std::nullopt;
  auto sum = function.getYieldedValue().getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  BlockArgument accumulator = function.getAccumulator();
  unsigned ofProduct = sum.getLhs() == accumulator ? 1 : 0;
  auto product = sum->getOperand(ofProduct).getDefiningOp<arith::MulFOp>();
  if (sum->getOperand(1 - ofProduct) != accumulator || !product)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    auto lookup = product->getOperand(i).getDefiningOp<tensor::ExtractOp>();
    if (!lookup)
      continue;
    std::optional<EdgeMatrices> matrices = getLookup(function, lookup);
    if (!matrices)
      continue;
    // Rows are what is added up, and results have the order of blocks.
    SmallVector<unsigned> parallel;
    if (matrices->block)
      parallel.push_back(*matrices->block);
    parallel.push_back(matrices->column);
    if (function.getNumLoops() != parallel.size() + 1 ||
        function.iterators[matrices->row] != utils::IteratorType::reduction ||
        !llvm::equal(function.resultMap.getResults(), parallel,
                     [](AffineExpr expr, unsigned loop) {
                       return cast<AffineDimExpr>(expr).getPosition() == loop;
                     }))
      continue;
    matrices->factor = product->getOperand(1 - i);
    if (isInvariant(function, matrices->factor,
                    [&](unsigned loop) { return loop == matrices->column; }))
      return matrices;
  }
  return std::nullopt;
}
