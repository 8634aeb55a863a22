//===- FuseRowProducts.cpp - Products where rows are added up ---*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EdgeBlock.h"
#include "FixedValues.h"
#include "RowBlock.h"
#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_FUSEROWPRODUCTSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// What reads wide rows
//===----------------------------------------------------------------------===//

namespace {
/// The ops that read the rows that a loop makes, up to products whose results
/// are narrow.
class RowConsumers {
public:
  static FailureOr<RowConsumers> match(scf::ForallOp loop);

  scf::ForallOp getLoop() const { return loop; }
  /// Of the loop's results together.
  int64_t getRowBytes() const;
  /// In the order in which they stand.
  ArrayRef<Operation *> getOps() const { return ops; }
  ArrayRef<linalg::LinalgOp> getProducts() const { return products; }
  /// Numbers of wide rows.
  ArrayRef<tensor::DimOp> getRowCounts() const { return counts; }

private:
  explicit RowConsumers(scf::ForallOp loop) : loop(loop) {}
  LogicalResult addReader(OpOperand &use);
  void addInit(Value init);

  scf::ForallOp loop;
  SmallVector<Operation *> ops;
  SmallVector<linalg::LinalgOp> products;
  SmallVector<tensor::DimOp> counts;
  SmallVector<Value> wide;
  DenseSet<Operation *> known;
};
} // namespace

/// Whether each iteration of `loop` makes one row of each result, and reads
/// none.
static bool makesEachRow(scf::ForallOp loop) {
  FailureOr<EdgeBlock> block = EdgeBlock::match(loop);
  return succeeded(block) && block->makesRows() &&
         llvm::range_size(loop.getTerminator().getYieldingOps()) ==
             loop.getNumResults() &&
         llvm::all_of(loop.getRegionIterArgs(),
                      [](BlockArgument result) { return result.hasOneUse(); });
}

/// Whether what adds up along the rows of `product`'s operands makes rows that
/// are narrow beside them.
static bool isNarrowing(linalg::LinalgOp product) {
  if (product.getNumReductionLoops() == 0 || product->getNumResults() != 1)
    return false;
  int64_t widest = 0;
  for (OpOperand *input : product.getDpsInputOperands())
    if (isReadByRows(*input))
      widest = std::max(widest, gnn::getRowBytes(input->get()));
  return 2 * gnn::getRowBytes(product->getResult(0)) <= widest;
}

FailureOr<RowConsumers> RowConsumers::match(scf::ForallOp loop) {
  if (loop.getNumResults() == 0 || !makesEachRow(loop))
    return failure();
  RowConsumers consumers(loop);
  llvm::append_range(consumers.wide, loop.getResults());
  for (unsigned i = 0; i < consumers.wide.size(); ++i)
    for (OpOperand &use : consumers.wide[i].getUses())
      if (failed(consumers.addReader(use)))
        return failure();
  if (consumers.products.empty())
    return failure();
  llvm::sort(consumers.ops, [](Operation *first, Operation *second) {
    return first->isBeforeInBlock(second);
  });
  llvm::sort(consumers.products, [](Operation *first, Operation *second) {
    return first->isBeforeInBlock(second);
  });
  return consumers;
}

LogicalResult RowConsumers::addReader(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto count = dyn_cast<tensor::DimOp>(op)) {
    counts.push_back(count);
    return success(count.getConstantIndex() == 0);
  }
  if (op->getBlock() != loop->getBlock() || !computesByRows(op))
    return failure();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  // What a product adds to is not fused.
  if (linalgOp && (linalgOp.isDpsInit(&use) || !isReadByRows(use)))
    return failure();
  if (!known.insert(op).second)
    return success();
  ops.push_back(op);
  if (linalgOp && isNarrowing(linalgOp)) {
    products.push_back(linalgOp);
    return success();
  }
  llvm::append_range(wide, op->getResults());
  if (linalgOp)
    for (Value init : linalgOp.getDpsInits())
      addInit(init);
  return success();
}

/// What fused ops write to is made for some rows as well.
void RowConsumers::addInit(Value init) {
  Operation *op = init.getDefiningOp();
  if (!op || !isa<tensor::EmptyOp, linalg::FillOp>(op) ||
      op->getBlock() != loop->getBlock() || !computesByRows(op) ||
      !known.insert(op).second)
    return;
  ops.push_back(op);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    addInit(fill.getOutputs()[0]);
}

int64_t RowConsumers::getRowBytes() const {
  int64_t bytes = 0;
  for (Value result : scf::ForallOp(loop).getResults())
    bytes += gnn::getRowBytes(result);
  return bytes;
}

//===----------------------------------------------------------------------===//
// The loop over blocks
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loop in which rows are made and multiplied.
class ProductEmitter : public RowBlockEmitter {
public:
  ProductEmitter(OpBuilder &b, const RowConsumers &consumers)
      : RowBlockEmitter(b, consumers.getLoop()->getLoc()),
        consumers(consumers) {}

  scf::ForallOp emit(int64_t numRows);

private:
  void emitBlock(const RowRange &range, Value last, ValueRange results);

  const RowConsumers &consumers;
};
} // namespace

/// What a product's results are filled with, if it is one number.
static linalg::FillOp getFill(linalg::LinalgOp product) {
  return product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
}

void ProductEmitter::emitBlock(const RowRange &range, Value last,
                               ValueRange results) {
  scf::ForallOp rows = consumers.getLoop();
  SmallVector<Value> empty;
  for (Value result : rows.getResults()) {
    RankedTensorType type = getBlockType(result);
    empty.push_back(tensor::EmptyOp::create(b, loc, type.getShape(),
                                            type.getElementType(), range.size));
  }
  SmallVector<Value> made =
      emitEachRow(rows, range.begin, last, empty, range.begin);
  for (auto [whole, tile] : llvm::zip_equal(rows.getResults(), made))
    setTile(whole, tile, range.begin);

  ArrayRef<linalg::LinalgOp> products = consumers.getProducts();
  for (Operation *op : consumers.getOps()) {
    const auto *product = llvm::find(products, dyn_cast<linalg::LinalgOp>(op));
    if (product == products.end()) {
      emitOp(op, range);
      continue;
    }
    // It writes into rows of its result.
    linalg::LinalgOp linalgOp = *product;
    Value sums = emitRows(results[product - products.begin()], range);
    if (linalg::FillOp fill = getFill(linalgOp))
      sums = linalg::FillOp::create(b, loc, fill.getInputs()[0], sums)
                 .getResult(0);
    Value init = linalgOp.getDpsInits()[0];
    tiles.map(init, sums);
    emitOp(op, range);
    tiles.erase(init);
  }
  auto parts = llvm::map_to_vector(consumers.getProducts(),
                                   [&](linalg::LinalgOp product) {
                                     return tiles.lookup(product->getResult(0));
                                   });
  insertRows(parts, results, range);
}

scf::ForallOp ProductEmitter::emit(int64_t numRows) {
  scf::ForallOp rows = consumers.getLoop();
  SmallVector<Value> outputs;
  for (linalg::LinalgOp product : consumers.getProducts()) {
    linalg::FillOp fill = getFill(product);
    outputs.push_back(fill ? fill.getOutputs()[0] : product.getDpsInits()[0]);
  }
  OpFoldResult end = rows.getMixedUpperBound().front();
  return scf::ForallOp::create(
      b, loc, OpFoldResult(b.getIndexAttr(0)), end,
      OpFoldResult(b.getIndexAttr(numRows)), outputs,
      /*mapping=*/std::nullopt,
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        Value last = arith::MinSIOp::create(
            b, loc, add(args[0], constant(numRows)),
            getValueOrCreateConstantIndexOp(b, loc, end));
        emitBlock({args[0], subtract(last, args[0])}, last, args.drop_front());
      });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseRowProductsPass
    : public gnn::impl::FuseRowProductsPassBase<FuseRowProductsPass> {
  using FuseRowProductsPassBase::FuseRowProductsPassBase;

  void runOnOperation() override {
    if (rows < 1 || blockBytes < 1 || minRowBytes < 0) {
      getOperation().emitError("a block has at least 1 row and 1 byte, and no "
                               "row has less than nothing");
      return signalPassFailure();
    }
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    DenseSet<Value> fixed;
    if (hasPreparation(function))
      fixed = findFixedValues(function);
    // Before other values are stored where those are that go.
    SmallVector<scf::ForallOp> loops;
    for (auto loop : function.front().getOps<scf::ForallOp>())
      if (loop.getNumResults() != 0 && !fixed.contains(loop.getResult(0)))
        loops.push_back(loop);
    for (scf::ForallOp loop : loops)
      fuse(loop);
  }

private:
  void fuse(scf::ForallOp loop) {
    FailureOr<RowConsumers> consumers = RowConsumers::match(loop);
    if (failed(consumers) || consumers->getRowBytes() < minRowBytes)
      return;
    IRRewriter rewriter(loop.getContext());
    if (failed(moveOperands(rewriter, *consumers)))
      return;
    rewriter.setInsertionPoint(consumers->getProducts().front());
    // Tiles of products have 6 or 12 rows.
    constexpr int64_t tileRows = 12;
    int64_t numRows =
        std::clamp<int64_t>(blockBytes / consumers->getRowBytes(), 1, rows);
    if (numRows > tileRows)
      numRows -= numRows % tileRows;
    ProductEmitter emitter(rewriter, *consumers);
    scf::ForallOp blocks = emitter.emit(numRows);
    for (tensor::DimOp count : consumers->getRowCounts())
      replaceCount(rewriter, count, loop);
    for (auto [product, result] :
         llvm::zip_equal(consumers->getProducts(), blocks.getResults()))
      product->getResult(0).replaceAllUsesWith(result);
    // Others may write to what is empty, too.
    for (Operation *op : llvm::reverse(consumers->getOps()))
      if (op->use_empty())
        rewriter.eraseOp(op);
    rewriter.eraseOp(loop);
    ++numFused;
  }

  /// What else the fused ops read has to be there before the first product.
  static LogicalResult moveOperands(RewriterBase &rewriter,
                                    const RowConsumers &consumers) {
    SmallVector<Value> operands;
    DenseSet<Operation *> fused(consumers.getOps().begin(),
                                consumers.getOps().end());
    for (Operation *op : consumers.getOps())
      for (Value operand : op->getOperands()) {
        Operation *made = operand.getDefiningOp();
        if (made && made != consumers.getLoop() && !fused.contains(made))
          operands.push_back(operand);
      }
    DominanceInfo dominance;
    return moveValueDefinitions(rewriter, operands,
                                consumers.getProducts().front(), dominance);
  }

  /// A number of wide rows is one of the rows that the loop's results begin
  /// with.
  static void replaceCount(RewriterBase &rewriter, tensor::DimOp count,
                           scf::ForallOp loop) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(count);
    rewriter.replaceOp(count, getValueOrCreateConstantIndexOp(
                                  rewriter, count.getLoc(),
                                  loop.getMixedUpperBound().front()));
  }
};
} // namespace
