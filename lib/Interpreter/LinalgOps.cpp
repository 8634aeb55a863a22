//===- LinalgOps.cpp - Structured ops through their region ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

/// Every structured op, generic or named, is its region evaluated at each point
/// of its iteration space, in lexicographic order.
LogicalResult Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError() << "must be on tensors for the interpreter";
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> loopSizes(op.getNumLoops(), ShapedType::kDynamic);

  // A loop's extent is that of any dimension it alone indexes.
  for (OpOperand &operand : op->getOpOperands()) {
    auto *tensor = std::get_if<Tensor>(&get(operand.get()));
    if (!tensor)
      continue;
    AffineMap map = maps[operand.getOperandNumber()];
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      int64_t &size = loopSizes[loop.getPosition()];
      if (ShapedType::isDynamic(size))
        size = tensor->shape[dim];
      else if (size != tensor->shape[dim])
        return op->emitOpError() << "operands disagree on the extent of loop "
                                 << loop.getPosition() << ": " << size
                                 << " and " << tensor->shape[dim];
    }
  }
  if (llvm::is_contained(loopSizes, ShapedType::kDynamic))
    return op->emitOpError() << "has a loop whose extent no operand gives";

  std::vector<Tensor> results;
  for (mlir::Value init : op.getDpsInits())
    results.push_back(getTensor(init));
  Block &block = *op.getBlock();
  int64_t numInputs = op.getNumDpsInputs();

  // Positions of an element in every tensor, or an error.
  auto locate = [&](unsigned number, const Tensor &tensor,
                    ArrayRef<int64_t> iteration) -> FailureOr<int64_t> {
    SmallVector<int64_t> indices = apply(maps[number], iteration);
    for (auto [index, size] : llvm::zip(indices, tensor.shape))
      if (index < 0 || index >= size)
        return op->emitOpError() << "operand " << number
                                 << " is read or written out of bounds at ["
                                 << indices << "] of [" << tensor.shape << "]";
    return tensor.getPosition(indices);
  };

  SmallVector<int64_t> iteration(loopSizes.size(), 0);
  SmallVector<int64_t> outerIndices = loopIndices;
  bool isEmpty = llvm::is_contained(loopSizes, 0);
  while (!isEmpty) {
    loopIndices = iteration;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      bool isInit = number >= numInputs;
      auto *input = std::get_if<Tensor>(&get(operand.get()));
      if (!input) {
        set(block.getArgument(number), getScalar(operand.get()));
        continue;
      }
      const Tensor &tensor = isInit ? results[number - numInputs] : *input;
      FailureOr<int64_t> position = locate(number, tensor, iteration);
      if (failed(position))
        return failure();
      set(block.getArgument(number), tensor.get(*position));
    }
    if (failed(evaluate(block)))
      return failure();
    for (auto [i, yielded] :
         llvm::enumerate(block.getTerminator()->getOperands())) {
      FailureOr<int64_t> position =
          locate(numInputs + i, results[i], iteration);
      if (failed(position))
        return failure();
      results[i].set(*position, getScalar(yielded));
    }
    if (!advance(iteration, loopSizes))
      break;
  }
  loopIndices = outerIndices;
  for (auto [result, tensor] : llvm::zip(op->getResults(), results))
    set(result, Value(std::move(tensor)));
  return success();
}
