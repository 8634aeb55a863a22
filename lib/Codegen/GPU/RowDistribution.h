//===- RowDistribution.h - What one lane does of a row ----------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CODEGEN_GPU_ROWDISTRIBUTION_H
#define GNN_LIB_CODEGEN_GPU_ROWDISTRIBUTION_H

#include "RowLayout.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace gnn {

/// Turns one loop over rows into one over rows and lanes.
class RowDistribution {
public:
  RowDistribution(mlir::scf::ForallOp loop, RowLayout layout)
      : loop(loop), layout(std::move(layout)), rewriter(loop.getContext()) {}

  /// Whether it can; changes nothing.
  bool isPossible();
  void run();

private:
  /// Where an element of a lane is along each axis.
  using Slot = llvm::SmallVector<int64_t, 4>;
  /// The axes that a value has, a bit each. A lane's elements of it are in the
  /// order of the first axis, and for each of the next one.
  using Axes = uint64_t;

  template <typename Entity>
  Axes getAxes(Entity &entity, int64_t rank) const {
    Axes axes = 0;
    for (int64_t i = 0; i < rank; ++i)
      if (std::optional<unsigned> axis = layout.find(entity, i))
        axes |= Axes(1) << *axis;
    return axes;
  }
  Axes getAxes(mlir::Value value) const {
    return getAxes(
        value, llvm::cast<mlir::RankedTensorType>(value.getType()).getRank());
  }
  Axes getAxes(mlir::OpOperand &operand) const {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.get().getType());
    return type ? getAxes(operand, type.getRank()) : 0;
  }
  Axes getLoopAxes(mlir::linalg::LinalgOp op,
                   mlir::utils::IteratorType kind) const;
  static bool has(Axes axes, unsigned axis) { return axes >> axis & 1; }
  /// Whether one of the axes lies along a side of the grid of lanes.
  bool liesAlong(Axes axes, unsigned side) const;
  int64_t getNumSlots(Axes axes) const;
  mlir::Value getElement(llvm::ArrayRef<mlir::Value> elements, Axes axes,
                         const Slot &slot) const;
  void forEachSlot(Axes axes,
                   llvm::function_ref<void(const Slot &)> visit) const;

  void createIndices(mlir::Location loc, mlir::Value lane);
  /// The index of an element along an axis; 0 along a dimension of size 1.
  mlir::Value getIndex(mlir::Location loc, std::optional<unsigned> axis,
                       const Slot &slot);
  /// A size or an offset in the new loop.
  mlir::OpFoldResult remap(mlir::OpFoldResult value) const;
  mlir::Value isInside(mlir::Location loc, Axes axes, const Slot &slot);
  llvm::SmallVector<mlir::Value>
  read(mlir::Location loc, mlir::Value source, Axes axes,
       std::optional<unsigned> innermost,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(const Slot &)>
           getPlace);
  llvm::SmallVector<mlir::Value> getUnspecified(mlir::Value tensor, Axes axes);
  llvm::SmallVector<mlir::Value> load(mlir::OpOperand &operand);
  llvm::SmallVector<mlir::Value> getElements(mlir::OpOperand &operand);
  void setElements(mlir::ValueRange values, mlir::ValueRange elements);

  void emit(mlir::Block &block);
  void emit(mlir::Operation &op);
  void emitSlice(mlir::tensor::ExtractSliceOp slice);
  void emitLinalg(mlir::linalg::LinalgOp op);
  void emitReduction(mlir::linalg::LinalgOp op,
                     llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands);
  void emitBody(mlir::linalg::LinalgOp op, const Slot &slot,
                llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                mlir::Operation *skipped);
  mlir::Value combine(mlir::linalg::LinalgOp op, mlir::Operation *combiner,
                      mlir::Value before, mlir::Value term);
  void emitFor(mlir::scf::ForOp op);
  void emitIf(mlir::scf::IfOp op);
  void emitYield(mlir::Block &block);
  mlir::OpFoldResult getNumLeft(const LaneAxis &axis, mlir::Location loc);
  void emitInsert(mlir::tensor::ParallelInsertSliceOp insert,
                  mlir::scf::ForallOp lanes);

  mlir::scf::ForallOp loop;
  RowLayout layout;
  mlir::IRRewriter rewriter;
  /// What all lanes of a row have alike.
  mlir::IRMapping mapping;
  /// A lane's elements of values; null where nobody reads what is there.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> elementsOf;
  /// A lane's number along each side.
  mlir::Value laneAlong[RowLayout::numSides];
  /// The index of each of a lane's elements along each axis, of the last one
  /// there is where it has less, and whether it has less.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> indices, isThere;
};

/// Both conditions, of which either may be null.
mlir::Value conjoin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value left,
                    mlir::Value right);

/// What adds a term to a sum, or takes the larger of a maximum and a term; null
/// if a reduction does something else.
mlir::Operation *getCombiner(mlir::linalg::LinalgOp op);

/// What changes nothing when a combiner of floats takes it as a term.
mlir::Value createNeutral(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Operation *combiner);

} // namespace gnn

#endif // GNN_LIB_CODEGEN_GPU_ROWDISTRIBUTION_H
