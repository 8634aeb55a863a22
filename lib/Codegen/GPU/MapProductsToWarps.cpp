//===- MapProductsToWarps.cpp - Kernels of matrix products ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "KernelTable.h"
#include "MatrixProductOp.h"
#include "ParallelLoop.h"
#include "ProductKernel.h"
#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace gnn {
#define GEN_PASS_DEF_MAPPRODUCTSTOWARPSPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Loops over tiles
//===----------------------------------------------------------------------===//

namespace {
/// A loop each of whose iterations multiplies two matrices and finishes the
/// elements of the product, one by one.
struct ProductLoop {
  scf::ForallOp loop;
  MatrixProductOp product;
  /// What is done to the product, in this order.
  SmallVector<linalg::GenericOp> epilogues;
  /// What is computed before: sizes and views.
  SmallVector<Operation *> views;
  /// Where the result goes.
  Value result;
  /// Of an iteration: the least powers of two, from 16 on, that all tiles fit
  /// into.
  int64_t rows, columns;
};
} // namespace

/// Whether an op computes each element of what it writes from the element of
/// `value` at the same place and from others that it only reads.
static bool isEpilogue(linalg::GenericOp op, Value value) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops())
    return false;
  OpOperand &init = *op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(&init).isIdentity() ||
      (init.get() != value && op.payloadUsesValueFromOperand(&init)))
    return false;
  bool readsValue = init.get() == value;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (input->get() == value) {
      readsValue = true;
      if (!map.isIdentity())
        return false;
    } else if (!map.isProjectedPermutation(/*allowZeroInResults=*/true)) {
      return false;
    }
  }
  // A block has no loops of its own, so that the body may be anywhere.
  return readsValue && llvm::all_of(*op.getBody(), [](Operation &inner) {
           return inner.getNumRegions() == 0 && !isa<linalg::IndexOp>(inner);
         });
}

/// Buffers of the loop that hold a product until it is finished.
static bool isOfTile(Operation *op) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
    return true;
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  Operation *source = view ? view.getViewSource().getDefiningOp() : nullptr;
  return source && source->getBlock() == op->getBlock() && isOfTile(source);
}

/// Whether other dimensions than those of matrices do not count.
static bool isOneProduct(const MatrixProductOp &product) {
  return llvm::all_of(product.outerLoops, [&](unsigned loop) {
    return product.getSize(loop) == 1;
  });
}

static FailureOr<ProductLoop> matchLoop(scf::ForallOp loop) {
  ProductLoop found;
  found.loop = loop;
  if (loop.getNumResults())
    return failure();
  linalg::FillOp fill;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!linalgOp.hasPureBufferSemantics())
        return failure();
      if (auto zero = dyn_cast<linalg::FillOp>(op)) {
        if (fill || !matchPattern(zero.getInputs()[0], m_AnyZeroFloat()))
          return failure();
        fill = zero;
      } else if (!found.result) {
        FailureOr<MatrixProductOp> product = matchMatrixProductOp(linalgOp);
        if (failed(product) || !fill || fill.getOutputs()[0] != product->c ||
            !isOneProduct(*product))
          return failure();
        found.product = *product;
        found.result = product->c;
      } else {
        auto generic = dyn_cast<linalg::GenericOp>(op);
        if (!generic || !isEpilogue(generic, found.result))
          return failure();
        found.epilogues.push_back(generic);
        found.result = generic.getDpsInits()[0];
      }
    } else if (isMemoryEffectFree(&op) && op.getNumRegions() == 0) {
      if (!isOfTile(&op))
        found.views.push_back(&op);
    } else if (!isOfTile(&op)) {
      return failure();
    }
  }
  if (!found.result)
    return failure();
  // What is finished must go where others read it.
  Operation *buffer = found.result.getDefiningOp();
  if (buffer && loop->isProperAncestor(buffer) && isOfTile(buffer))
    return failure();
  return found;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
struct MapProductsToWarpsPass
    : public gnn::impl::MapProductsToWarpsPassBase<MapProductsToWarpsPass> {
  using MapProductsToWarpsPassBase::MapProductsToWarpsPassBase;

  void runOnOperation() override {
    SmallVector<ProductLoop, 2> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (loop->getParentOfType<scf::ForallOp>())
        return;
      if (FailureOr<ProductLoop> found = matchLoop(loop);
          succeeded(found) && setTile(*found))
        loops.push_back(*found);
    });
    for (ProductLoop &loop : loops) {
      emitKernel(loop);
      ++numMapped;
    }
  }

private:
  static bool setTile(ProductLoop &loop);
  void emitKernel(ProductLoop &loop);
};
} // namespace

/// The least power of two, from 16 on, that is no less than a size; 0 if none
/// is known.
static int64_t getTileSize(Value memref, unsigned dim) {
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, {memref, dim}, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  constexpr int64_t least = 16;
  return failed(bound) ? 0
                       : std::max<int64_t>(least, llvm::PowerOf2Ceil(*bound));
}

/// Whether there are kernels for a loop's tiles.
bool MapProductsToWarpsPass::setTile(ProductLoop &loop) {
  const MatrixProductOp &product = loop.product;
  if (product.getSize(product.depthLoop) == 0)
    return false;
  AffineExpr row = getAffineDimExpr(product.rowLoop, product.aMap.getContext());
  loop.rows = getTileSize(product.a, *product.aMap.getResultPosition(row));
  loop.columns = getTileSize(product.b, product.bMap.getNumResults() - 1);
  auto isPossible = [](int64_t size) { return size >= 16 && size <= 128; };
  return isPossible(loop.rows) && isPossible(loop.columns);
}

/// What index goes with a dimension of the result; of those that do not count,
/// there is one only.
static Value getIndex(OpBuilder &b, Location loc,
                      const MatrixProductOp &product, unsigned dim, Value row,
                      Value column) {
  if (dim == product.getRowDim())
    return row;
  if (dim == product.getColumnDim())
    return column;
  return arith::ConstantIndexOp::create(b, loc, 0);
}

/// `value` after all epilogues, at `row` and `column` of the block's tile.
static Value finish(OpBuilder &b, const ProductLoop &loop,
                    const IRMapping &views, Value row, Value column,
                    Value value) {
  Value buffer = loop.product.c;
  for (linalg::GenericOp epilogue : loop.epilogues) {
    Location loc = epilogue.getLoc();
    IRMapping mapping;
    for (OpOperand &operand : epilogue->getOpOperands()) {
      BlockArgument argument = epilogue.getMatchingBlockArgument(&operand);
      if (operand.get() == buffer) {
        mapping.map(argument, value);
      } else if (epilogue.isDpsInput(&operand) &&
                 !isa<MemRefType>(operand.get().getType())) {
        mapping.map(argument, views.lookupOrDefault(operand.get()));
      } else if (epilogue.isDpsInput(&operand)) {
        SmallVector<Value> indices;
        for (AffineExpr index :
             epilogue.getMatchingIndexingMap(&operand).getResults()) {
          auto dim = dyn_cast<AffineDimExpr>(index);
          indices.push_back(getIndex(b, loc, loop.product,
                                     dim ? dim.getPosition() : -1u, row,
                                     column));
        }
        mapping.map(argument,
                    memref::LoadOp::create(
                        b, loc, views.lookupOrDefault(operand.get()), indices));
      }
    }
    for (Operation &op : epilogue.getBody()->without_terminator())
      b.clone(op, mapping);
    value = mapping.lookupOrDefault(
        epilogue.getBody()->getTerminator()->getOperand(0));
    buffer = epilogue.getDpsInits()[0];
  }
  return value;
}

/// The size of a dimension as the view has it that makes an array.
static OpFoldResult getSize(OpBuilder &b, Location loc, Value memref,
                            unsigned dim) {
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (view && view.getSourceType().getRank() == view.getType().getRank())
    return view.getMixedSizes()[dim];
  return memref::getMixedSize(b, loc, memref, dim);
}

/// Stores what is inside of the matrix, neighbours at once where rows begin and
/// end at multiples of them; a row is looked at once.
static void storeElements(OpBuilder &b, Location loc, const ProductLoop &loop,
                          const IRMapping &views,
                          ArrayRef<RegisterTile::Element> elements,
                          int64_t numNeighbours) {
  Value result = views.lookupOrDefault(loop.result);
  const MatrixProductOp &product = loop.product;
  Value numRows = memref::DimOp::create(b, loc, result, product.getRowDim());
  OpFoldResult columns = getSize(b, loc, result, product.getColumnDim());
  Value numColumns = getValueOrCreateConstantIndexOp(b, loc, columns);
  int64_t size = getAlignment(result, numNeighbours);
  while (!isMultiple(columns, size))
    size /= 2;
  auto beginIf = [&](Value index, Value end) {
    Value isBelow =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, end);
    auto inside = scf::IfOp::create(b, loc, isBelow, /*withElseRegion=*/false);
    b.setInsertionPoint(inside.thenBlock()->getTerminator());
  };
  std::optional<OpBuilder::InsertionGuard> ofRow;
  Value row;
  for (; !elements.empty(); elements = elements.drop_front(size)) {
    const RegisterTile::Element &first = elements.front();
    if (first.row != row) {
      ofRow.reset();
      ofRow.emplace(b);
      row = first.row;
      beginIf(row, numRows);
    }
    OpBuilder::InsertionGuard ofElement(b);
    beginIf(first.column, numColumns);
    SmallVector<Value> values, place;
    for (const RegisterTile::Element &element : elements.take_front(size))
      values.push_back(
          finish(b, loop, views, row, element.column, element.value));
    for (unsigned dim = 0; dim <= product.getColumnDim(); ++dim)
      place.push_back(getIndex(b, loc, product, dim, row, first.column));
    storeTogether(b, loc, values, result, place);
  }
}

/// A factor without the dimensions that do not count.
static Value getMatrix(OpBuilder &b, Location loc, Value factor, AffineMap map,
                       const MatrixProductOp &product) {
  auto type = cast<MemRefType>(factor.getType());
  if (type.getRank() == 2)
    return factor;
  SmallVector<int64_t> shape;
  for (auto [expression, size] :
       llvm::zip_equal(map.getResults(), type.getShape())) {
    unsigned loop = cast<AffineDimExpr>(expression).getPosition();
    if (!llvm::is_contained(product.outerLoops, loop))
      shape.push_back(size);
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, factor);
  auto matrixType = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, ones);
  return memref::SubViewOp::create(b, loc, matrixType, factor, offsets, sizes,
                                   ones);
}

void MapProductsToWarpsPass::emitKernel(ProductLoop &loop) {
  IRRewriter rewriter(loop.loop);
  Location loc = loop.loop.getLoc();
  Type factor = loop.product.getFactorType();
  BlockTile tile = BlockTile::get(loop.rows, loop.columns, factor, maxStages);
  ParallelLoop tiles(loop.loop, rewriter);
  Value blocks = tiles.getNumIterations(rewriter);
  Value threads =
      arith::ConstantIndexOp::create(rewriter, loc, tile.getNumThreads());
  gpu::LaunchOp launch = createLaunch(rewriter, loc, blocks, threads);
  SmallVector<Value> indices =
      tiles.getIndices(rewriter, launch.getBlockIds().x);
  IRMapping views;
  views.map(loop.loop.getInductionVars(), indices);
  for (Operation *op : loop.views)
    rewriter.clone(*op, views);

  Value thread = launch.getThreadIds().x;
  std::unique_ptr<RegisterTile> registers =
      loop.product.isForTensorCores()
          ? createWarpTile(rewriter, loc, tile, factor, thread)
          : createThreadTile(rewriter, loc, tile, thread);
  const MatrixProductOp &product = loop.product;
  auto getFactor = [&](Value factor, AffineMap map) {
    return getMatrix(rewriter, loc, views.lookupOrDefault(factor), map,
                     product);
  };
  ProductKernel kernel(rewriter, launch, tile,
                       getFactor(product.a, product.aMap),
                       getFactor(product.b, product.bMap));
  SmallVector<Value> sums = kernel.emit(*registers);
  storeElements(rewriter, loc, loop, views, registers->getElements(sums),
                registers->getNumNeighbours());
  rewriter.eraseOp(loop.loop);
}
