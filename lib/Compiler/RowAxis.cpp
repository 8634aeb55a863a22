//===- RowAxis.cpp - What the rows of a tensor stand for --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/RowAxis.h"
#include "gnn/Dialect/GNN/GNN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;

RowAxisAnalysis::RowAxisAnalysis(func::FuncOp function) {
  function.walk([&](Operation *op) { visit(op); });
  // Rows may be nodes of several graphs; the first graph names them.
  for (auto [tensor, axis] : facts) {
    auto [it, isNew] = axes.try_emplace(
        classes.getOrInsertLeaderValue(tensor.getAsOpaquePointer()), axis);
    if (!isNew && axis.graph < it->second.graph)
      it->second = axis;
  }
}

std::optional<RowAxis> RowAxisAnalysis::lookup(Value tensor) const {
  const void *key = tensor.getAsOpaquePointer();
  auto member = classes.findLeader(key);
  auto it = axes.find(member == classes.member_end() ? key : *member);
  if (it == axes.end())
    return std::nullopt;
  return it->second;
}

std::optional<RowAxis> RowAxisAnalysis::lookupSources(int32_t graph) const {
  for (auto [tensor, axis] : facts) {
    if (axis.graph != graph || axis.axis != GNN_AXIS_SOURCE)
      continue;
    std::optional<RowAxis> other = lookup(tensor);
    if (other && other->graph < graph && other->axis != GNN_AXIS_EDGE)
      return other;
  }
  return std::nullopt;
}

void RowAxisAnalysis::unify(Value a, Value b) {
  classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

/// The graph whose sources, in their segments, are both sides of a
/// block-diagonal graph; null if it is none.
static Value findSegmentedGraph(MakeGraphOp make) {
  ValueRange parts = make.getParts();
  if (make.getGraph().getType().getTopology() != Topology::BlockDiagonal ||
      parts[0] != parts[1])
    return {};
  auto other = parts[1].getDefiningOp<GraphPartsOp>();
  bool isSegmented =
      other &&
      other.getGraph().getType().getTopology() == Topology::BlockDiagonal &&
      parts[1] == other.getParts()[1];
  return isSegmented ? other.getGraph() : Value();
}

/// Follows ops that change edges but not nodes to the graph argument.
void RowAxisAnalysis::set(ValueRange tensors, Value graph, gnn_axis axis) {
  while (Operation *op = graph.getDefiningOp()) {
    if (auto make = dyn_cast<MakeGraphOp>(op)) {
      if (Value other = findSegmentedGraph(make)) {
        if (axis == GNN_AXIS_EDGE)
          return;
        axis = GNN_AXIS_SOURCE;
        graph = other;
        continue;
      }
      // Edges between as many nodes as another graph has.
      if (axis == GNN_AXIS_EDGE || !make.getGraph().getType().hasDenseEdges())
        return;
      unsigned side = axis == GNN_AXIS_SOURCE;
      auto count = make.getParts()[side].getDefiningOp<NumNodesOp>();
      if (!count)
        return;
      axis = count.getSide() == NodeSide::Source ? GNN_AXIS_SOURCE
                                                 : GNN_AXIS_DESTINATION;
      graph = count.getGraph();
      continue;
    }
    if (!isa<AddSelfLoopsOp, RemoveSelfLoopsOp, ToCSROp, ReverseOp,
             TopKGraphOp>(op))
      return;
    if (axis == GNN_AXIS_EDGE && !isa<ToCSROp>(op))
      return;
    if (isa<ReverseOp>(op))
      axis = axis == GNN_AXIS_SOURCE ? GNN_AXIS_DESTINATION : GNN_AXIS_SOURCE;
    graph = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(graph);
  int32_t number = 0;
  for (Value other :
       argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    number += isa<GNNGraphType>(other.getType());
  for (Value tensor : tensors)
    facts.push_back({tensor, {axis, number}});
}

/// The result has the rows of every operand whose first dimension is the first
/// loop.
static bool hasRowLoop(AffineMap map) {
  return map.getNumResults() > 0 && map.getResult(0).isFunctionOfDim(0) &&
         isa<AffineDimExpr>(map.getResult(0));
}

/// Does the slice take all rows and leave features out?
static bool keepsRows(tensor::ExtractSliceOp op) {
  if (op.getDroppedDims().test(0) ||
      !isConstantIntValue(op.getMixedOffsets().front(), 0) ||
      !isConstantIntValue(op.getMixedStrides().front(), 1))
    return false;
  auto rows = dyn_cast<Value>(op.getMixedSizes().front());
  auto dim = rows ? rows.getDefiningOp<tensor::DimOp>() : nullptr;
  return dim && dim.getSource() == op.getSource() &&
         dim.getConstantIndex() == 0;
}

void RowAxisAnalysis::visit(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<MessageOp, TopKGraphOp>([&](auto op) {
        set(op.getDst(), op.getGraph(), GNN_AXIS_DESTINATION);
        set(op.getSrc(), op.getGraph(), GNN_AXIS_SOURCE);
      })
      .Case<MessageAggregateOp>([&](MessageAggregateOp op) {
        set(op.getDst(), op.getGraph(), GNN_AXIS_DESTINATION);
        set(op.getSrc(), op.getGraph(), GNN_AXIS_SOURCE);
        set(op.getResults(), op.getGraph(), GNN_AXIS_DESTINATION);
      })
      .Case<AttentionOp>([&](AttentionOp op) {
        set(op.getScoreDst(), op.getGraph(), GNN_AXIS_DESTINATION);
        set(op.getScoreSrc(), op.getGraph(), GNN_AXIS_SOURCE);
        set(op.getValueDst(), op.getGraph(), GNN_AXIS_DESTINATION);
        set(op.getValueSrc(), op.getGraph(), GNN_AXIS_SOURCE);
        set(op.getResult(), op.getGraph(), GNN_AXIS_DESTINATION);
      })
      .Case<AggregateOp>([&](AggregateOp op) {
        set(op.getResults(), op.getGraph(), GNN_AXIS_DESTINATION);
      })
      .Case<DegreeOp>([&](DegreeOp op) {
        set(op.getResult(), op.getGraph(),
            op.getSide() == NodeSide::Destination ? GNN_AXIS_DESTINATION
                                                  : GNN_AXIS_SOURCE);
      })
      .Case<PositionOp>([&](PositionOp op) {
        set(op.getResult(), op.getGraph(), GNN_AXIS_DESTINATION);
      })
      .Case<EdgesFromTensorOp>([&](EdgesFromTensorOp op) {
        bool dense = op.getGraph().getType().hasDenseEdges();
        set(op.getTensor(), op.getGraph(),
            dense ? GNN_AXIS_DESTINATION : GNN_AXIS_EDGE);
      })
      .Case<EdgesToTensorOp>([&](EdgesToTensorOp op) {
        bool dense = op.getGraph().getType().hasDenseEdges();
        set(op.getResult(), op.getGraph(),
            dense ? GNN_AXIS_DESTINATION : GNN_AXIS_EDGE);
      })
      .Case<UpdateOp>([&](UpdateOp op) {
        for (Value node : op.getNode())
          unify(node, op.getResult());
      })
      .Case<LookupOp>(
          [&](LookupOp op) { unify(op.getNumbers(), op.getResult()); })
      .Case<linalg::LinalgOp>([&](linalg::LinalgOp op) {
        if (op.getNumLoops() == 0)
          return;
        Value first;
        auto add = [&](Value value) {
          if (first)
            unify(first, value);
          first = value;
        };
        for (OpOperand &operand : op->getOpOperands())
          if (isa<RankedTensorType>(operand.get().getType()) &&
              hasRowLoop(op.getMatchingIndexingMap(&operand)))
            add(operand.get());
        for (OpResult result : op->getResults())
          if (hasRowLoop(op.getIndexingMapMatchingResult(result)))
            add(result);
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto op) {
        SmallVector<ReassociationIndices, 4> groups =
            op.getReassociationIndices();
        if (!groups.empty() && groups.front().size() == 1)
          unify(op.getSrc(), op.getResult());
      })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp op) {
        if (op.getDim() != 0)
          for (Value input : op.getInputs())
            unify(input, op.getResult());
      })
      .Case<tensor::ExtractSliceOp>([&](tensor::ExtractSliceOp op) {
        if (keepsRows(op))
          unify(op.getSource(), op.getResult());
      })
      .Case<tensor::CastOp>(
          [&](tensor::CastOp op) { unify(op.getSource(), op.getDest()); })
      .Default([&](Operation *op) {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            unify(operand, op->getResult(0));
      });
}
