//===- EdgeFunction.cpp - A scalar computation over edges -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/EdgeFunction.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;

static StringRef getRoleName(OperandRole role) {
  switch (role) {
  case OperandRole::Destination:
    return "dst";
  case OperandRole::Source:
    return "src";
  case OperandRole::Edge:
    return "edge";
  case OperandRole::Uniform:
    return "uniform";
  }
  llvm_unreachable("covered switch");
}

std::optional<SmallVector<int64_t>> gnn::getFeatureShape(Type type,
                                                         OperandRole role) {
  if (auto edges = dyn_cast<EdgesType>(type)) {
    if (role != OperandRole::Edge)
      return std::nullopt;
    return llvm::to_vector(edges.getShape());
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (role == OperandRole::Uniform) {
    if (!tensor)
      return SmallVector<int64_t>{};
    return llvm::to_vector(tensor.getShape());
  }
  if (!tensor || tensor.getRank() == 0)
    return std::nullopt;
  return llvm::to_vector(tensor.getShape().drop_front());
}

static SmallVector<std::pair<Value, OperandRole>>
collectOperands(ValueRange dst, ValueRange src, ValueRange edge,
                ValueRange uniform) {
  SmallVector<std::pair<Value, OperandRole>> operands;
  for (Value value : dst)
    operands.emplace_back(value, OperandRole::Destination);
  for (Value value : src)
    operands.emplace_back(value, OperandRole::Source);
  for (Value value : edge)
    operands.emplace_back(value, OperandRole::Edge);
  for (Value value : uniform)
    operands.emplace_back(value, OperandRole::Uniform);
  return operands;
}

EdgeFunction EdgeFunction::get(ValueRange dst, ValueRange src, ValueRange edge,
                               ValueRange uniform, ArrayAttr maps,
                               ArrayAttr iterators, Region &body) {
  EdgeFunction function;
  for (auto [value, role] : collectOperands(dst, src, edge, uniform)) {
    function.operands.push_back(value);
    function.roles.push_back(role);
  }
  for (Attribute map : maps.getValue().drop_back())
    function.operandMaps.push_back(cast<AffineMapAttr>(map).getValue());
  function.resultMap = cast<AffineMapAttr>(maps.getValue().back()).getValue();
  for (Attribute iterator : iterators)
    function.iterators.push_back(cast<StringAttr>(iterator).getValue() ==
                                         "parallel"
                                     ? utils::IteratorType::parallel
                                     : utils::IteratorType::reduction);
  function.body = &body;
  return function;
}

bool EdgeFunction::hasReduction() const {
  return llvm::is_contained(iterators, utils::IteratorType::reduction);
}

SmallVector<int64_t> EdgeFunction::getLoopSizes() const {
  SmallVector<int64_t> sizes(getNumLoops(), 1);
  for (auto [value, role, map] : llvm::zip(operands, roles, operandMaps)) {
    SmallVector<int64_t> shape = *getFeatureShape(value.getType(), role);
    for (auto [expr, size] : llvm::zip(map.getResults(), shape))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        sizes[dim.getPosition()] = size;
  }
  return sizes;
}

SmallVector<int64_t> EdgeFunction::getResultShape() const {
  SmallVector<int64_t> sizes = getLoopSizes();
  SmallVector<int64_t> shape;
  for (AffineExpr expr : resultMap.getResults())
    shape.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  return shape;
}

Value EdgeFunction::getYieldedValue() const {
  return cast<YieldOp>(body->front().getTerminator()).getValue();
}

Type EdgeFunction::getResultElementType() const {
  return getYieldedValue().getType();
}

BlockArgument EdgeFunction::getAccumulator() const {
  return hasReduction() ? body->front().getArguments().back() : BlockArgument();
}

Operation *EdgeFunction::getReduced() const {
  auto reduced = body->front().getOps<ReducedOp>();
  return reduced.empty() ? nullptr : (*reduced.begin()).getOperation();
}

Value EdgeFunction::getAccumulated() const {
  if (auto reduced = dyn_cast_or_null<ReducedOp>(getReduced()))
    return reduced.getValue();
  return getYieldedValue();
}

SmallVector<Operation *> EdgeFunction::getComputation(Value value) const {
  llvm::SmallPtrSet<Operation *, 16> needed;
  auto need = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == &body->front() && !isa<ReducedOp>(op))
      needed.insert(op);
  };
  need(value);
  SmallVector<Operation *> computation;
  for (Operation &op : llvm::reverse(body->front())) {
    if (!needed.contains(&op))
      continue;
    computation.push_back(&op);
    llvm::for_each(op.getOperands(), need);
  }
  std::reverse(computation.begin(), computation.end());
  return computation;
}

bool EdgeFunction::isDotProduct() const {
  if (!hasReduction() || getReduced() ||
      ArrayRef(roles) !=
          ArrayRef({OperandRole::Destination, OperandRole::Source}) ||
      !llvm::all_of(operandMaps,
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  BlockArgument accumulator = getAccumulator();
  auto sum = getAccumulated().getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() != accumulator && sum.getRhs() != accumulator))
    return false;
  Value added = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto product = added.getDefiningOp<arith::MulFOp>();
  Value first = body->getArgument(0), second = body->getArgument(1);
  return product &&
         ((product.getLhs() == first && product.getRhs() == second) ||
          (product.getLhs() == second && product.getRhs() == first));
}

bool EdgeFunction::isSourceRow() const {
  return operands.size() == 1 && roles[0] == OperandRole::Source &&
         getYieldedValue() == body->getArgument(0) &&
         operandMaps[0].isIdentity() && resultMap.isIdentity();
}

bool EdgeFunction::reads(Value value, BlockArgument argument) const {
  return value == argument ||
         llvm::any_of(getComputation(value), [&](Operation *op) {
           return llvm::is_contained(op->getOperands(), argument);
         });
}

/// Whether `op` may end the program, or do more than give its results.
static bool mayTrap(Operation &op) {
  // MLIR takes remainders to have a result for every divisor.
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    APInt divisor;
    return !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) ||
           divisor.isZero() || (isa<arith::RemSIOp>(op) && divisor.isAllOnes());
  }
  return !isPure(&op);
}

/// Checks what the region reads besides its arguments.
static LogicalResult verifyReads(Operation *op, Block &block,
                                 unsigned numLoops) {
  for (Operation &inner : block) {
    if (inner.getNumRegions() != 0)
      return op->emitOpError() << "the region may hold no op with a region of "
                                  "its own, got "
                               << inner.getName();
    // Lookups are guarded where there is no edge.
    if (!isa<YieldOp, tensor::ExtractOp>(inner) && mayTrap(inner))
      return op->emitOpError()
             << "the region is evaluated where there is no edge as well, so it "
                "may hold no op that traps or has side effects, got "
             << inner.getName();
    if (auto index = dyn_cast<FeatureIndexOp>(inner);
        index && index.getLoop() >= numLoops)
      return index.emitOpError()
             << "reads feature loop " << index.getLoop() << ", but there are "
             << numLoops << " loops, counted from 0";
    for (OpOperand &operand : inner.getOpOperands()) {
      Value value = operand.get();
      if (value.getParentBlock() == &block ||
          value.getType().isIntOrIndexOrFloat())
        continue;
      bool isTable = isa<RankedTensorType>(value.getType()) &&
                     isa<tensor::ExtractOp>(inner) &&
                     operand.getOperandNumber() == 0;
      if (!isTable)
        return op->emitOpError()
               << "the region may use scalars from above, and tensors in "
                  "tensor.extract, but "
               << inner.getName() << " uses " << value.getType();
    }
  }
  return success();
}

/// Checks what the region computes when its reduction is over.
static LogicalResult verifyReduced(const EdgeFunction &function) {
  auto reduced = llvm::to_vector(function.body->front().getOps<ReducedOp>());
  if (reduced.empty())
    return success();
  if (!function.hasReduction())
    return reduced.front().emitOpError()
           << "needs a reduction, but all feature loops are parallel";
  if (reduced.size() > 1)
    return reduced[1].emitOpError() << "is the second of its region, which has "
                                       "one reduction";
  Type type = reduced.front().getType();
  if (type != function.getResultElementType())
    return reduced.front().emitOpError()
           << "must reduce " << function.getResultElementType()
           << ", the type of the yielded value, got " << type;
  auto differs = [&](unsigned loop) {
    return function.iterators[loop] == utils::IteratorType::reduction;
  };
  SmallVector<Operation *> finish =
      function.getComputation(function.getYieldedValue());
  finish.push_back(function.body->front().getTerminator());
  for (Operation *inner : finish) {
    auto index = dyn_cast<FeatureIndexOp>(inner);
    bool isBad = index && differs(index.getLoop());
    for (Value operand : inner->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || argument.getOwner() != &function.body->front())
        continue;
      unsigned position = argument.getArgNumber();
      isBad |= argument == function.getAccumulator() ||
               llvm::any_of(function.operandMaps[position].getResults(),
                            [&](AffineExpr expr) {
                              return differs(
                                  cast<AffineDimExpr>(expr).getPosition());
                            });
    }
    if (isBad)
      return inner->emitOpError()
             << "follows a reduction, so it may not read what differs along it";
  }
  return success();
}

LogicalResult EdgeFunction::verify(Operation *op, ValueRange dst,
                                   ValueRange src, ValueRange edge,
                                   ValueRange uniform, ArrayAttr maps,
                                   ArrayAttr iterators, Region &body,
                                   StringRef mapsName,
                                   StringRef iteratorsName) {
  auto operands = collectOperands(dst, src, edge, uniform);
  if (maps.size() != operands.size() + 1)
    return op->emitOpError()
           << "needs " << operands.size() + 1 << " entries in '" << mapsName
           << "', one per operand and one for the result, got " << maps.size();
  unsigned numLoops = iterators.size();
  for (auto [i, iterator] : llvm::enumerate(iterators)) {
    StringRef name = cast<StringAttr>(iterator).getValue();
    if (name != "parallel" && name != "reduction")
      return op->emitOpError()
             << "entry " << i << " of '" << iteratorsName
             << "' must be \"parallel\" or \"reduction\", got \"" << name
             << "\"";
  }
  for (auto [i, attribute] : llvm::enumerate(maps)) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    if (map.getNumDims() != numLoops || map.getNumSymbols() != 0)
      return op->emitOpError()
             << "map " << i << " of '" << mapsName << "' must have " << numLoops
             << " dimensions, one per entry of '" << iteratorsName
             << "', and no symbols, got " << attribute;
    if (!map.isProjectedPermutation())
      return op->emitOpError() << "map " << i << " of '" << mapsName
                               << "' must be a projected permutation, got "
                               << AffineMapAttr::get(map);
  }

  SmallVector<int64_t> sizes(numLoops, ShapedType::kDynamic);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto [value, role] = operand;
    std::optional<SmallVector<int64_t>> shape =
        getFeatureShape(value.getType(), role);
    if (!shape)
      return op->emitOpError() << getRoleName(role) << " operand " << i
                               << " needs a leading dimension for its rows, "
                                  "got "
                               << value.getType();
    AffineMap map = cast<AffineMapAttr>(maps[i]).getValue();
    if (map.getNumResults() != shape->size())
      return op->emitOpError()
             << "map " << i << " of '" << mapsName << "' must have "
             << shape->size() << " results, one per feature dimension of "
             << value.getType() << ", got " << AffineMapAttr::get(map);
    for (auto [expr, size] : llvm::zip(map.getResults(), *shape)) {
      if (ShapedType::isDynamic(size))
        return op->emitOpError() << getRoleName(role) << " operand " << i
                                 << " must have static feature dimensions, got "
                                 << value.getType();
      int64_t &loop = sizes[cast<AffineDimExpr>(expr).getPosition()];
      if (!ShapedType::isDynamic(loop) && loop != size)
        return op->emitOpError()
               << "operands disagree on the extent of feature loop "
               << cast<AffineDimExpr>(expr).getPosition() << ": " << loop
               << " and " << size;
      loop = size;
    }
  }
  for (auto [i, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      return op->emitOpError() << "no operand gives the extent of feature loop "
                               << i << "; some map must contain it";

  AffineMap resultMap = cast<AffineMapAttr>(maps.getValue().back()).getValue();
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    bool isParallel =
        cast<StringAttr>(iterators[loop]).getValue() == "parallel";
    if (isParallel != resultMap.isFunctionOfDim(loop))
      return op->emitOpError() << "the result's map must contain exactly the "
                                  "parallel loops, got "
                               << AffineMapAttr::get(resultMap);
  }

  bool hasReduction = llvm::any_of(iterators, [](Attribute iterator) {
    return cast<StringAttr>(iterator).getValue() == "reduction";
  });
  Block &block = body.front();
  unsigned expected = operands.size() + hasReduction;
  if (block.getNumArguments() != expected)
    return op->emitOpError()
           << "the region needs " << expected << " arguments, one per operand"
           << (hasReduction ? " and the accumulator" : "") << ", got "
           << block.getNumArguments();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Type type = operand.first.getType();
    Type elementType = isa<EdgesType>(type)
                           ? cast<EdgesType>(type).getElementType()
                           : getElementTypeOrSelf(type);
    if (block.getArgument(i).getType() != elementType)
      return op->emitOpError()
             << "region argument " << i << " must be " << elementType
             << ", the element type of its operand, got "
             << block.getArgument(i).getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return op->emitOpError() << "the region must end with gnn.yield";
  Type yielded = yield.getValue().getType();
  if (!isa<FloatType>(yielded) && !yielded.isSignlessInteger())
    return op->emitOpError()
           << "the region must yield a float or a signless integer, got "
           << yielded;
  if (hasReduction && block.getArguments().back().getType() != yielded)
    return op->emitOpError() << "the accumulator must be " << yielded
                             << ", the type of the yielded value, got "
                             << block.getArguments().back().getType();
  if (failed(verifyReads(op, block, numLoops)))
    return failure();
  EdgeFunction function = get(dst, src, edge, uniform, maps, iterators, body);
  return verifyReduced(function);
}
