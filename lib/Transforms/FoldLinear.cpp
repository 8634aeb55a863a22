//===- FoldLinear.cpp - One linear layer for two in a row ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Dialect/GNN/GNN.h"
#include "gnn/Transforms/LinearLayers.h"
#include "gnn/Transforms/Passes.h"
#include "gnn/Transforms/SparseMatrix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_FOLDLINEARPASS
#include "gnn/Transforms/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// What is multiplied here, one after the other, takes some seconds at most.
static constexpr int64_t mostMultiplications = int64_t(1) << 29;

namespace {
/// What maps the rows of a linear layer to others: sums of products of a row
/// and constants.
struct Product {
  Operation *op;
  Weights weights;
  SmallVector<int64_t> loops;
  /// Of a row, the weights and the result.
  std::array<SmallVector<int64_t>, 3> strides;
  /// Of the linear layer's rows, or empty.
  SmallVector<float> bias;

  int64_t getNumMultiplications() const { return llvm::product_of(loops); }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }
  int64_t getWidth() const {
    return llvm::product_of(getType().getShape().drop_front());
  }
  /// What each of some rows of this size becomes.
  SmallVector<float> apply(ArrayRef<float> rows, int64_t size) const;
};

/// All that reads a linear layer.
struct Readers {
  SmallVector<Product, 1> products;
  SmallVector<tensor::DimOp> counts;

  bool collect(Value rows, const SmallVector<float> &bias);
};
} // namespace

static std::optional<Product> getProduct(UpdateOp op) {
  EdgeFunction function = op.getEdgeFunction();
  if (function.operands.size() != 2 || !function.hasReduction() ||
      !multipliesArguments(function))
    return std::nullopt;
  std::optional<Weights> weights = getOnlyWeights(op);
  if (!weights || !function.resultMap.isProjectedPermutation() ||
      !llvm::all_of(function.operandMaps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  auto getStridesOf = [&](unsigned operand) {
    return getLoopStrides(function.operandMaps[operand],
                          *getFeatureShape(function.operands[operand].getType(),
                                           function.roles[operand]));
  };
  return Product{
      op,
      *weights,
      function.getLoopSizes(),
      {getStridesOf(0), getStridesOf(1),
       getLoopStrides(function.resultMap, function.getResultShape())},
      {}};
}

static std::optional<Product> getProduct(linalg::MatmulOp op, Value rows) {
  if (!isLinearLayer(op) || op.getInputs()[0] != rows)
    return std::nullopt;
  std::optional<Weights> weights = getWeights(op.getInputs()[1]);
  if (!weights)
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getInputs()[1].getType());
  return Product{op,
                 *weights,
                 SmallVector<int64_t>(type.getShape()),
                 {{{1, 0}, {type.getDimSize(1), 1}, {0, 1}}},
                 {}};
}

SmallVector<float> Product::apply(ArrayRef<float> rows, int64_t size) const {
  // Where the row, the weights and the result are in each step of the loops.
  SmallVector<std::array<int64_t, 3>> steps;
  SmallVector<int64_t> index(loops.size(), 0);
  for (int64_t i = 0, e = getNumMultiplications(); i < e; ++i) {
    std::array<int64_t, 3> &step = steps.emplace_back();
    for (auto [place, ofLoops] : llvm::zip_equal(step, strides)) {
      place = 0;
      for (auto [number, stride] : llvm::zip_equal(index, ofLoops))
        place += number * stride;
    }
    for (int64_t loop = loops.size() - 1; loop >= 0; --loop) {
      if (++index[loop] < loops[loop])
        break;
      index[loop] = 0;
    }
  }

  SmallVector<float> results;
  SmallVector<double> sums;
  for (; !rows.empty(); rows = rows.drop_front(size)) {
    sums.assign(getWidth(), 0);
    for (auto [row, weight, result] : steps)
      sums[result] += double(rows[row]) * weights.data[weight];
    llvm::append_range(results, sums);
  }
  return results;
}

/// False if something reads rows that are no rows of a product.
bool Readers::collect(Value rows, const SmallVector<float> &bias) {
  for (Operation *user : rows.getUsers()) {
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      if (dim.getConstantIndex() != 0)
        return false;
      counts.push_back(dim);
      continue;
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
      auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
      auto groups =
          expand
              ? expand.getReassociationIndices()
              : cast<tensor::CollapseShapeOp>(user).getReassociationIndices();
      if (groups.front() != ReassociationIndices{0} ||
          !collect(user->getResult(0), bias))
        return false;
      continue;
    }
    auto update = dyn_cast<UpdateOp>(user);
    auto layer = dyn_cast<linalg::MatmulOp>(user);
    if (!update && !layer)
      return false;
    if (std::optional<Product> product =
            update ? getProduct(update) : getProduct(layer, rows)) {
      product->bias = bias;
      products.push_back(std::move(*product));
      continue;
    }
    if (!update)
      return false;
    std::optional<Weights> more = getBias(update);
    if (!more)
      return false;
    SmallVector<float> sum(more->data);
    for (auto [total, part] : llvm::zip(sum, bias))
      total += part;
    if (!collect(update.getResult(), sum))
      return false;
  }
  return true;
}

namespace {
/// (x W + b) A to x (W A) + b A.
struct FoldLinear : public OpRewritePattern<linalg::MatmulOp> {
  FoldLinear(MLIRContext *context, llvm::function_ref<void()> notifyFolded)
      : OpRewritePattern(context), notifyFolded(notifyFolded) {}

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLinearLayer(op))
      return rewriter.notifyMatchFailure(op, "not a linear layer");
    std::optional<Weights> weights = getWeights(op.getInputs()[1]);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "the weights are not known");
    Readers readers;
    if (!readers.collect(op.getResult(0), {}) || readers.products.empty())
      return rewriter.notifyMatchFailure(op, "not only products read it");
    Value rows = op.getInputs()[0];
    auto type = cast<RankedTensorType>(op.getInputs()[1].getType());
    if (type.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "there is nothing to multiply");
    // Of sparse rows few columns count, but it is not known how many.
    int64_t in = getSparseMatrix(rows) ? std::numeric_limits<int32_t>::max()
                                       : type.getDimSize(0);
    int64_t before = in * type.getDimSize(1), after = 0, once = 0;
    for (const Product &product : readers.products) {
      before += product.getNumMultiplications();
      after += in * product.getWidth();
      once += type.getDimSize(0) * product.getNumMultiplications();
    }
    if (after > before)
      return rewriter.notifyMatchFailure(op, "one layer takes more than two");
    if (once > mostMultiplications)
      return rewriter.notifyMatchFailure(op, "takes long to compile");

    for (const Product &product : readers.products) {
      rewriter.setInsertionPoint(product.op);
      // It may be what the driver visits next and is erased after all of them.
      rewriter.replaceAllUsesWith(product.op->getResult(0),
                                  emit(rewriter, product, rows, *weights));
    }
    setCounted(rewriter, readers.counts, rows);
    notifyFolded();
    return success();
  }

private:
  static Value emit(PatternRewriter &rewriter, const Product &product,
                    Value rows, const Weights &weights);

  llvm::function_ref<void()> notifyFolded;
};
} // namespace

/// The rows of `product`, as a linear layer of `rows`.
Value FoldLinear::emit(PatternRewriter &rewriter, const Product &product,
                       Value rows, const Weights &weights) {
  Location loc = product.op->getLoc();
  int64_t in = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  int64_t size = weights.data.size() / in, width = product.getWidth();
  std::string name = (weights.name + "." + product.weights.name).str();
  Value combined = createWeights(rewriter, loc, name, {in, width},
                                 product.apply(weights.data, size));
  Value result = createLinearLayer(rewriter, loc, rows, combined);
  if (!product.bias.empty()) {
    Value bias = createWeights(rewriter, loc, name + ".bias", {width},
                               product.apply(product.bias, size));
    result =
        createRowUpdate(rewriter, loc, result, bias,
                        [](OpBuilder &b, Location l, ValueRange args) -> Value {
                          return arith::AddFOp::create(b, l, args[0], args[1]);
                        });
  }
  RankedTensorType type = product.getType();
  if (type.getRank() == 1)
    return tensor::CollapseShapeOp::create(
        rewriter, loc, type, result, ArrayRef<ReassociationIndices>{{0, 1}});
  return splitColumns(rewriter, loc, result, type.getShape().drop_front(),
                      rows);
}

namespace {
struct FoldLinearPass : public gnn::impl::FoldLinearPassBase<FoldLinearPass> {
  void runOnOperation() override {
    numFolded += replaceLinearLayers<FoldLinear>(getOperation());
  }
};
} // namespace
