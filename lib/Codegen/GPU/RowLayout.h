//===- RowLayout.h - A row's elements among lanes ---------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one iteration of a loop over destinations computes are small tensors of
// features, of heads, or of both. Their dimensions are found to be the same
// where an op connects them. Lanes of a warp are a small grid: dimensions that
// are within others, or stand alone, lie along one of its sides, and those
// around them along the other one. A lane has every so many indices of a
// dimension, in as many slots as it takes. Dimensions that lie along one side,
// such as the features of keys and those of values, need not have the same
// size.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_ROWLAYOUT_H
#define GNN_LIB_CODEGEN_GPU_ROWLAYOUT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace gnn {

/// One of the dimensions that lanes share out.
struct LaneAxis {
  int64_t size;
  /// The side of the grid of lanes that it lies along.
  unsigned side;
  /// Lanes along that side, a power of two, and what each of them has.
  int64_t lanes = 1, slots = 1;
  /// Elements that a lane reads at once. If these are more than one, its slots
  /// are next to each other.
  int64_t vector = 1;

  /// Whether every lane has as many elements as it has slots.
  bool isExact() const { return size == lanes * slots; }
};

/// How the values of one loop's body are shared out.
class RowLayout {
public:
  /// The sides of the grid of lanes: that of outer dimensions, and that of
  /// inner ones, along which lanes are next to each other. Each lane has all of
  /// a dimension that is `whole`: one that an op has besides these two.
  static constexpr unsigned heads = 0, features = 1, whole = 2, numSides = 3;

  /// Fails where the body has something else than such values: the loop is for
  /// other passes then. Up to `maxLanes` lanes take a row, a power of two, and
  /// a lane up to `maxSlots` elements of a value, up to `maxVector` of which it
  /// reads at once.
  static mlir::FailureOr<RowLayout> find(mlir::scf::ForallOp loop,
                                         int64_t maxLanes, int64_t maxSlots,
                                         int64_t maxVector);

  /// Those along the heads come first.
  unsigned getNumAxes() const { return axes.size(); }
  const LaneAxis &getAxis(unsigned axis) const { return axes[axis]; }
  int64_t getNumLanes() const { return lanes[heads] * lanes[features]; }
  int64_t getNumLanes(unsigned side) const { return lanes[side]; }
  /// Lanes from one index along a side to the next.
  int64_t getLaneStride(unsigned side) const {
    return side == heads ? lanes[features] : 1;
  }

  /// The axis that a dimension of a shared value is; none if its size is 1.
  std::optional<unsigned> find(mlir::Value value, unsigned dimension) const {
    return find(Dimension(value.getAsOpaquePointer(), dimension));
  }
  /// The same for an operand, which may come from outside of the loop.
  std::optional<unsigned> find(mlir::OpOperand &operand,
                               unsigned dimension) const {
    return find(getDimension(operand, dimension));
  }
  /// The same for a loop of a linalg op.
  std::optional<unsigned> find(mlir::Operation *op, unsigned dimension) const {
    return find(Dimension(op, dimension));
  }

  /// Whether lanes share a value out: a tensor of known shape that the body
  /// computes.
  bool isShared(mlir::Value value) const;

private:
  /// A dimension of a value, of an operand from outside, or of an op's loops.
  using Dimension = std::pair<const void *, unsigned>;

  explicit RowLayout(mlir::scf::ForallOp loop) : loop(loop) {}

  Dimension getDimension(mlir::OpOperand &operand, unsigned dimension) const;
  std::optional<unsigned> find(Dimension dimension) const;

  mlir::LogicalResult connect(mlir::Block &block);
  mlir::LogicalResult connect(mlir::Operation &op);
  mlir::LogicalResult connectLoops(mlir::Operation &op);
  mlir::LogicalResult connect(mlir::OpOperand &operand, mlir::Value value);
  mlir::LogicalResult connectInserted(mlir::tensor::InsertSliceOp insert);
  mlir::LogicalResult connectYielded(mlir::Block &block,
                                     mlir::ValueRange results);
  bool touchesTensors(mlir::Operation &op) const;
  mlir::LogicalResult nameAxes();
  void shareOut(int64_t maxLanes, int64_t maxVector);
  bool fits(int64_t maxSlots) const;

  mlir::scf::ForallOp loop;
  llvm::EquivalenceClasses<Dimension> classes;
  /// Dimensions from the outermost to the innermost, without those of size 1,
  /// and their sizes.
  using Dimensions = llvm::SmallVector<std::pair<Dimension, int64_t>>;
  /// Those of each value that the body computes, and those of each tensor from
  /// outside and of the loops of each op, which may be in any order.
  llvm::SmallVector<Dimensions> values, unordered;
  llvm::DenseMap<Dimension, unsigned> axisOfLeader;
  llvm::SmallVector<LaneAxis> axes;
  int64_t lanes[numSides] = {1, 1, 1};
};

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_ROWLAYOUT_H
