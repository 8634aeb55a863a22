//===- RowLayout.cpp - A row's elements among lanes -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace gnn;

bool RowLayout::isShared(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() ||
      value.getDefiningOp<arith::ConstantOp>())
    return false;
  Block *block = value.getParentBlock();
  bool isArgumentOfLoop =
      isa<BlockArgument>(value) && block == &loop->getRegion(0).front();
  return loop->isAncestor(block->getParentOp()) && !isArgumentOfLoop;
}

RowLayout::Dimension RowLayout::getDimension(OpOperand &operand,
                                             unsigned dimension) const {
  if (isShared(operand.get()))
    return {operand.get().getAsOpaquePointer(), dimension};
  // A tensor of zeros from outside may be one of heads here and of as many
  // features there.
  return {&operand, dimension};
}

std::optional<unsigned> RowLayout::find(Dimension dimension) const {
  auto member = classes.findLeader(dimension);
  if (member == classes.member_end())
    return std::nullopt;
  return axisOfLeader.lookup(*member);
}

//===----------------------------------------------------------------------===//
// What ops connect
//===----------------------------------------------------------------------===//

/// A value and an operand that have the same dimensions.
LogicalResult RowLayout::connect(OpOperand &operand, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success(!isa<ShapedType>(value.getType()));
  if (!type.hasStaticShape())
    return failure();
  Dimensions &dimensions = values.emplace_back();
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      continue;
    Dimension own(value.getAsOpaquePointer(), i);
    dimensions.push_back({own, size});
    classes.unionSets(own, getDimension(operand, i));
  }
  return success();
}

LogicalResult RowLayout::connectYielded(Block &block, ValueRange results) {
  for (auto [operand, result] :
       llvm::zip_equal(block.getTerminator()->getOpOperands(), results))
    if (failed(connect(operand, result)))
      return failure();
  return success();
}

LogicalResult RowLayout::connectLoops(Operation &op) {
  auto linalg = cast<linalg::LinalgOp>(op);
  if (!linalg.hasPureTensorSemantics())
    return failure();
  for (OpOperand &operand : op.getOpOperands()) {
    AffineMap map = linalg.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type) {
      if (map.getNumResults() != 0)
        return failure();
      continue;
    }
    if (!type.hasStaticShape() || !map.isProjectedPermutation())
      return failure();
    // What comes from outside may be transposed.
    Dimensions &dimensions =
        (isShared(operand.get()) ? values : unordered).emplace_back();
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      if (size == 1)
        continue;
      Dimension own = getDimension(operand, i);
      dimensions.push_back({own, size});
      classes.unionSets(own, Dimension(&op, map.getDimPosition(i)));
    }
  }
  Dimensions &ofLoops = unordered.emplace_back();
  for (auto [i, size] : llvm::enumerate(linalg.getStaticLoopRanges())) {
    if (ShapedType::isDynamic(size))
      return failure();
    if (size != 1)
      ofLoops.push_back({Dimension(&op, i), size});
  }
  for (auto [init, result] :
       llvm::zip_equal(linalg.getDpsInitsMutable(), op.getResults()))
    if (failed(connect(init, result)))
      return failure();
  return success();
}

/// Whether an op has something to do with tensors but for reading an element
/// or a size of one that is in memory.
bool RowLayout::touchesTensors(Operation &op) const {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  if (isa<arith::ConstantOp>(op))
    return false;
  if (isa<tensor::ExtractOp, tensor::DimOp>(op))
    return isShared(op.getOperand(0)) &&
           !cast<RankedTensorType>(op.getOperand(0).getType())
                .getShape()
                .empty();
  return llvm::any_of(op.getOperandTypes(), isTensor) ||
         llvm::any_of(op.getResultTypes(), isTensor) || op.getNumRegions();
}

/// A tensor that is written over by one of another rank as a whole.
LogicalResult RowLayout::connectInserted(tensor::InsertSliceOp insert) {
  auto keepsLong = [](ArrayRef<int64_t> shape) {
    return llvm::to_vector(
        llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
  };
  RankedTensorType source = insert.getSourceType(), type = insert.getType();
  if (!type.hasStaticShape() || !source.hasStaticShape() ||
      keepsLong(source.getShape()) != keepsLong(type.getShape()) ||
      !isShared(insert.getSource()))
    return failure();
  Dimensions &dimensions = values.emplace_back();
  int64_t from = 0;
  for (auto [to, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      continue;
    while (source.getDimSize(from) == 1)
      ++from;
    Dimension own(insert.getResult().getAsOpaquePointer(), to);
    dimensions.push_back({own, size});
    classes.unionSets(own, getDimension(insert.getSourceMutable(), from++));
  }
  return success();
}

LogicalResult RowLayout::connect(Operation &op) {
  if (isa<linalg::LinalgOp>(op))
    return connectLoops(op);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    // Of a tensor in memory.
    Dimensions &dimensions = values.emplace_back();
    for (auto [i, size] : llvm::enumerate(slice.getType().getShape())) {
      Dimension own(slice.getResult().getAsOpaquePointer(), i);
      if (size == 1)
        continue;
      dimensions.push_back({own, size});
      classes.insert(own);
    }
    return success(slice.getType().hasStaticShape() &&
                   !isShared(slice.getSource()));
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return connectInserted(insert);
  if (isa<tensor::EmptyOp>(op))
    return success(
        cast<ShapedType>(op.getResult(0).getType()).hasStaticShape());
  if (auto inner = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument] :
         llvm::zip_equal(inner.getInitArgsMutable(), inner.getRegionIterArgs()))
      if (failed(connect(init, argument)))
        return failure();
    if (failed(connect(*inner.getBody())))
      return failure();
    for (auto [init, result] :
         llvm::zip_equal(inner.getInitArgsMutable(), inner.getResults()))
      if (failed(connect(init, result)))
        return failure();
    return connectYielded(*inner.getBody(), inner.getResults());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op.getRegions())
      for (Block &block : region)
        if (failed(connect(block)) ||
            failed(connectYielded(block, branch.getResults())))
          return failure();
    return success();
  }
  return success(!touchesTensors(op));
}

LogicalResult RowLayout::connect(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(connect(op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Classes of dimensions become axes. Those that are within others somewhere
/// lie along the features, and so do those that are alone; of three that are
/// the loops of an op, one is whole.
LogicalResult RowLayout::nameAxes() {
  SmallVector<std::pair<Dimension, int64_t>> found;
  llvm::SmallDenseSet<Dimension> inner, outer, own;
  auto visit = [&](ArrayRef<Dimensions> groups, auto notePlaces) {
    for (const Dimensions &dimensions : groups) {
      SmallVector<Dimension> leaders;
      for (auto [dimension, size] : dimensions) {
        Dimension leader = classes.getOrInsertLeaderValue(dimension);
        if (llvm::is_contained(leaders, leader))
          return failure();
        leaders.push_back(leader);
        if (llvm::none_of(found,
                          [&](auto &entry) { return entry.first == leader; }))
          found.push_back({leader, size});
      }
      if (leaders.size() > 1 && failed(notePlaces(leaders)))
        return failure();
    }
    return success();
  };
  auto noteOrder = [&](ArrayRef<Dimension> leaders) {
    if (leaders.size() > 2)
      return failure();
    outer.insert(leaders.front());
    inner.insert(leaders.back());
    return success(!inner.contains(leaders.front()) &&
                   !outer.contains(leaders.back()));
  };
  // Those that come in any order still lie along both sides.
  auto noteSides = [&](ArrayRef<Dimension> leaders) {
    if (leaders.size() > 2)
      return success();
    bool isInOrder = inner.contains(leaders.back());
    if (!isInOrder && !inner.contains(leaders.front()))
      isInOrder = !outer.contains(leaders.back());
    Dimension first = leaders[isInOrder ? 0 : 1];
    return noteOrder({first, leaders[isInOrder ? 1 : 0]});
  };
  // One of three lies along neither.
  auto noteWhole = [&](ArrayRef<Dimension> leaders) {
    int64_t numOuter = 0, numInner = 0;
    for (Dimension leader : leaders) {
      if (outer.contains(leader))
        ++numOuter;
      else if (inner.contains(leader))
        ++numInner;
      else
        own.insert(leader);
    }
    return success(numOuter == 1 && numInner == 1 && leaders.size() <= 3);
  };
  if (failed(visit(values, noteOrder)) || failed(visit(unordered, noteSides)) ||
      failed(visit(unordered, noteWhole)) || found.empty())
    return failure();
  auto getSide = [&](Dimension leader) -> unsigned {
    if (own.contains(leader))
      return whole;
    return outer.contains(leader) ? heads : features;
  };
  for (unsigned side : {heads, features, whole})
    for (auto [leader, size] : found)
      if (getSide(leader) == side) {
        axisOfLeader[leader] = axes.size();
        axes.push_back({size, side});
      }
  return success();
}

/// Lanes next to each other read features next to each other, 32 bytes at
/// least, which is what memory is read in; more of them would repeat what is
/// computed for each head. They read vectors where that leaves enough of them.
void RowLayout::shareOut(int64_t maxLanes, int64_t maxVector) {
  constexpr int64_t minFeatures = 8, minLanes = 8;
  auto roundUp = [](int64_t size) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(size));
  };
  int64_t sizes[numSides] = {1, 1, 1};
  int64_t common = 0;
  for (const LaneAxis &axis : axes) {
    sizes[axis.side] = std::max(sizes[axis.side], axis.size);
    if (axis.side == features)
      common = std::gcd(common, axis.size);
  }
  int64_t vector = maxVector;
  while (vector > 1 &&
         (common % vector != 0 ||
          roundUp(sizes[heads]) * roundUp(sizes[features]) / vector < minLanes))
    vector /= 2;
  int64_t allFeatures = roundUp(llvm::divideCeil(sizes[features], vector));
  int64_t fewest = std::max<int64_t>(minFeatures / vector, 1);
  lanes[heads] =
      std::min(roundUp(sizes[heads]),
               std::max<int64_t>(maxLanes / std::min(allFeatures, fewest), 1));
  lanes[features] = std::min(allFeatures, maxLanes / lanes[heads]);
  for (LaneAxis &axis : axes) {
    axis.lanes = lanes[axis.side];
    axis.vector = axis.side == features ? vector : 1;
    axis.slots =
        axis.vector * llvm::divideCeil(axis.size, axis.lanes * axis.vector);
  }
}

/// Whether a lane has room for its elements of each value.
bool RowLayout::fits(int64_t maxSlots) const {
  auto takesMore = [&](const Dimensions &dimensions) {
    int64_t slots = 1;
    for (auto [dimension, size] : dimensions)
      if (std::optional<unsigned> axis = find(dimension))
        slots *= axes[*axis].slots;
    return slots > maxSlots;
  };
  return llvm::none_of(values, takesMore) &&
         llvm::none_of(unordered, takesMore);
}

FailureOr<RowLayout> RowLayout::find(scf::ForallOp loop, int64_t maxLanes,
                                     int64_t maxSlots, int64_t maxVector) {
  RowLayout layout(loop);
  if (failed(layout.connect(*loop.getBody())))
    return failure();
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert || !layout.isShared(insert.getSource()))
      return failure();
  }
  if (failed(layout.nameAxes()))
    return failure();
  layout.shareOut(maxLanes, maxVector);
  if (!layout.fits(maxSlots))
    return failure();
  return layout;
}
