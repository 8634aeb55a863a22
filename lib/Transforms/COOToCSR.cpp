//===- COOToCSR.cpp - Take coo graph arguments in csr form -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_COOTOCSRPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// What stands for `argument`, an edge list: a graph that promises all that is
/// promised of it, before it is sorted or after that.
static GNNGraphType getSortedType(BlockArgument argument) {
  auto graph = cast<GNNGraphType>(argument.getType());
  bool symmetric = graph.getSymmetric(), selfLoops = graph.getSelfLoops(),
       sorted = graph.getSorted();
  for (Operation *user : argument.getUsers()) {
    auto toCSR = dyn_cast<ToCSROp>(user);
    if (!toCSR)
      continue;
    GNNGraphType result = toCSR.getResult().getType();
    symmetric |= result.getSymmetric();
    selfLoops |= result.getSelfLoops();
    sorted |= result.getSorted();
  }
  return GNNGraphType::get(argument.getContext(), Topology::CSR, 0,
                           graph.getBipartite(), symmetric, selfLoops, sorted,
                           graph.getIndexWidth());
}

/// Whether users of `graph` can take `type` in its place; says which cannot.
static LogicalResult verifyUsersTake(Value graph, GNNGraphType type) {
  if (graph.getType() == type)
    return success();
  for (Operation *user : graph.getUsers())
    if (!isa_and_nonnull<GNNDialect>(user->getDialect()))
      return user->emitOpError()
             << "takes " << graph.getType() << ", but what the runtime passes "
             << "is " << type << "; promise the same of both";
  return success();
}

/// Whether a slice moves rows to other places.
static bool movesRows(OffsetSizeAndStrideOpInterface slice) {
  return !isZeroInteger(slice.getMixedOffsets().front()) ||
         !isOneInteger(slice.getMixedStrides().front());
}

/// Whether the rows of what `op` makes have an order that no argument gave
/// them, or may have.
static bool hasOwnOrder(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return !isa<SplatElementsAttr>(constant.getValue());
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    return !llvm::all_equal(elements.getElements());
  if (auto generate = dyn_cast<tensor::GenerateOp>(op))
    return !generate.getBody().getArgument(0).use_empty();
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() == 0;
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return movesRows(slice);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    // One of several tensors side by side has the rows of all.
    return !slice.getDroppedDims().test(0) && movesRows(slice);
  return !isa<UpdateOp, tensor::EmptyOp, tensor::SplatOp, tensor::CastOp,
              tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::LinalgOp>(
             op) &&
         !OpTrait::hasElementwiseMappableTraits(op);
}

/// The values that the rows of a result are made of, row by row; `found` is its
/// op if that reads the numbers of rows.
static SmallVector<Value> getRowOperands(OpResult result, Operation *&found) {
  Operation *op = result.getOwner();
  if (auto update = dyn_cast<UpdateOp>(op))
    return llvm::to_vector(update.getNode());
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp>(
          op) ||
      OpTrait::hasElementwiseMappableTraits(op))
    return llvm::to_vector(op->getOperands());
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return {};
  AffineMap map = linalgOp.getIndexingMapMatchingResult(result);
  if (map.getNumResults() == 0 || !isa<AffineDimExpr>(map.getResult(0)))
    return {};
  auto row = cast<AffineDimExpr>(map.getResult(0));
  op->walk([&, op](linalg::IndexOp index) {
    if (index.getDim() == row.getPosition())
      found = op;
  });
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (linalgOp.getMatchingIndexingMap(&operand).isFunctionOfDim(
            row.getPosition()))
      operands.push_back(operand.get());
  return operands;
}

/// What gives the rows of `tensor` an order of its own; null if nothing does.
static Operation *findOwnOrder(Value tensor) {
  llvm::SetVector<Value> values;
  values.insert(tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    auto result = dyn_cast<OpResult>(values[i]);
    if (!result || !isa<RankedTensorType>(result.getType()))
      continue;
    if (hasOwnOrder(result.getOwner()))
      return result.getOwner();
    Operation *found = nullptr;
    for (Value operand : getRowOperands(result, found))
      values.insert(operand);
    if (found)
      return found;
  }
  return nullptr;
}

/// The runtime permutes what it passes, and nothing else.
static LogicalResult verifyOrder(EdgesFromTensorOp op) {
  Operation *origin = findOwnOrder(op.getTensor());
  if (!origin)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError("reads values that the function makes in the order of "
                     "an edge list, which the runtime passes sorted; take them "
                     "as an argument, or take a csr graph");
  diagnostic.attachNote(origin->getLoc()) << "made here";
  return diagnostic;
}

namespace {
struct COOToCSRPass : public gnn::impl::COOToCSRPassBase<COOToCSRPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        if (failed(sortArguments(function)))
          return signalPassFailure();
  }

private:
  LogicalResult sortArguments(func::FuncOp function) {
    SmallVector<Type> inputs(function.getArgumentTypes());
    for (BlockArgument argument : function.getArguments()) {
      auto graph = dyn_cast<GNNGraphType>(argument.getType());
      if (!graph || graph.getTopology() != Topology::COO)
        continue;
      if (!SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        return function.emitOpError()
               << "is called in its module, where nothing sorts the edge list "
                  "that it takes; make it private";
      // Users that read the edge list itself would see another order.
      for (Operation *user : argument.getUsers())
        if (!isa<ToCSROp, NumNodesOp, NumEdgesOp, DegreeOp, PositionOp,
                 EdgesFromTensorOp>(user))
          return user->emitOpError()
                 << "reads the edge list of an argument, which the runtime "
                    "passes sorted; take a csr graph instead";
      for (Operation *user : argument.getUsers())
        if (auto edges = dyn_cast<EdgesFromTensorOp>(user);
            edges && failed(verifyOrder(edges)))
          return failure();
      GNNGraphType sorted = getSortedType(argument);
      argument.setType(sorted);
      inputs[argument.getArgNumber()] = sorted;
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        auto toCSR = dyn_cast<ToCSROp>(user);
        if (!toCSR)
          continue;
        if (failed(verifyUsersTake(toCSR.getResult(), sorted)))
          return failure();
        SmallVector<Value> replacements{argument};
        llvm::append_range(replacements, toCSR.getEdges());
        toCSR.getResult().setType(sorted);
        toCSR->replaceAllUsesWith(replacements);
        toCSR->erase();
      }
    }
    function.setFunctionType(
        FunctionType::get(&getContext(), inputs, function.getResultTypes()));
    return success();
  }
};
} // namespace
