//===- MergeLinear.cpp - One linear layer for several added up --*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gnn {
#define GEN_PASS_DEF_MERGELINEARPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// Whether `value` is a sum of all arguments of `body`, each of which it reads
/// once.
static bool addsArguments(Value value, Block &body) {
  SmallVector<Value> rest{value};
  unsigned numArguments = 0;
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    if (!next.hasOneUse())
      return false;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != &body)
        return false;
      ++numArguments;
      continue;
    }
    auto sum = next.getDefiningOp<arith::AddFOp>();
    if (!sum || sum->getBlock() != &body)
      return false;
    llvm::append_range(rest, sum->getOperands());
  }
  return numArguments == body.getNumArguments();
}

/// Whether `op` adds up the elements of its operands.
static bool addsOperands(UpdateOp op) {
  EdgeFunction function = op.getEdgeFunction();
  return !function.hasReduction() && function.resultMap.isIdentity() &&
         llvm::all_of(function.operandMaps,
                      [](AffineMap map) { return map.isIdentity(); }) &&
         addsArguments(function.getYieldedValue(), function.body->front());
}

namespace {
/// What is added up in several steps.
struct Terms {
  SmallVector<Value> node, uniform;

  void collect(UpdateOp op);
};

/// Linear layers of the same rows.
struct Layers {
  /// Where the first of them stands among the terms.
  unsigned place;
  SmallVector<linalg::MatmulOp> ops;
};
} // namespace

void Terms::collect(UpdateOp op) {
  for (Value value : op.getNode()) {
    auto part = value.getDefiningOp<UpdateOp>();
    if (part && value.hasOneUse() && addsOperands(part))
      collect(part);
    else
      node.push_back(value);
  }
  llvm::append_range(uniform, op.getUniform());
}

/// The layers among `terms` that several others have the rows of.
static SmallVector<Layers> findLayers(const Terms &terms) {
  llvm::MapVector<Value, Layers> ofRows;
  for (auto [place, term] : llvm::enumerate(terms.node)) {
    auto op = term.getDefiningOp<linalg::MatmulOp>();
    if (!op || !term.hasOneUse() || !isLinearLayer(op) ||
        !getWeights(op.getInputs()[1]))
      continue;
    Layers &layers =
        ofRows.try_emplace(op.getInputs()[0], Layers{unsigned(place), {}})
            .first->second;
    layers.ops.push_back(op);
  }
  SmallVector<Layers> found;
  for (auto &[rows, layers] : ofRows)
    if (layers.ops.size() > 1)
      found.push_back(std::move(layers));
  return found;
}

/// A layer whose weights are the sum of those of all.
static Value createMerged(OpBuilder &builder, const Layers &layers) {
  linalg::MatmulOp first = layers.ops.front();
  SmallVector<double> sums;
  std::string name;
  for (linalg::MatmulOp op : layers.ops) {
    Weights weights = *getWeights(op.getInputs()[1]);
    sums.resize(weights.data.size());
    for (auto [sum, weight] : llvm::zip_equal(sums, weights.data))
      sum += weight;
    name += (name.empty() ? "" : "+") + weights.name.str();
  }
  auto type = cast<RankedTensorType>(first.getInputs()[1].getType());
  Value weights = createWeights(builder, first.getLoc(), name, type.getShape(),
                                SmallVector<float>(sums.begin(), sums.end()));
  return createLinearLayer(builder, first.getLoc(), first.getInputs()[0],
                           weights);
}

/// The sum of all terms, in their order.
static Value createSum(OpBuilder &builder, UpdateOp op, const Terms &terms) {
  if (terms.node.size() == 1 && terms.uniform.empty())
    return terms.node.front();
  Location loc = op.getLoc();
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank() - 1;
  unsigned numTerms = terms.node.size() + terms.uniform.size();
  SmallVector<AffineMap> maps(numTerms + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<StringRef> iterators(
      rank, utils::stringifyIteratorType(utils::IteratorType::parallel));
  auto sum = UpdateOp::create(
      builder, loc, op.getType(), terms.node, terms.uniform,
      builder.getAffineMapArrayAttr(maps), builder.getStrArrayAttr(iterators));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(numTerms, getElementTypeOrSelf(op.getType()));
  Block *body = builder.createBlock(&sum.getBody(), {}, types,
                                    SmallVector<Location>(numTerms, loc));
  Value total = body->getArgument(0);
  for (Value term : body->getArguments().drop_front())
    total = arith::AddFOp::create(builder, loc, total, term);
  YieldOp::create(builder, loc, total);
  return sum.getResult();
}

namespace {
struct MergeLinearPass
    : public gnn::impl::MergeLinearPassBase<MergeLinearPass> {
  void runOnOperation() override {
    // Sums that are no part of others.
    SmallVector<UpdateOp> sums;
    getOperation().walk([&](UpdateOp op) {
      if (!addsOperands(op))
        return;
      auto user =
          op->hasOneUse() ? dyn_cast<UpdateOp>(*op->user_begin()) : UpdateOp();
      if (!user || !addsOperands(user) ||
          !llvm::is_contained(user.getNode(), op.getResult()))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    int64_t numGone = 0;
    for (UpdateOp op : sums)
      numGone += merge(rewriter, op);
    numMerged += numGone;
    if (numGone)
      eraseDeadOps(getOperation());
  }

private:
  /// Returns how many layers others took over.
  static int64_t merge(IRRewriter &rewriter, UpdateOp op) {
    Terms terms;
    terms.collect(op);
    SmallVector<Layers> found = findLayers(terms);
    if (found.empty())
      return 0;
    int64_t numGone = 0;
    rewriter.setInsertionPoint(op);
    for (const Layers &layers : found) {
      numGone += layers.ops.size() - 1;
      Value merged = createMerged(rewriter, layers);
      for (linalg::MatmulOp layer : layers.ops)
        llvm::replace(terms.node, layer.getResult(0), Value());
      terms.node[layers.place] = merged;
    }
    llvm::erase(terms.node, Value());
    rewriter.replaceOp(op, createSum(rewriter, op, terms));
    return numGone;
  }
};
} // namespace
