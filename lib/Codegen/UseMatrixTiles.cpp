//===- UseMatrixTiles.cpp - Sums in the registers of AMX --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace gnn {
#define GEN_PASS_DEF_USEMATRIXTILESPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;

static constexpr int64_t kSide = 16;
/// What the first cache does not hold beside 32 columns of a second factor.
static constexpr int64_t kFarBytes = 32768;

static bool isSum(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getShape() == ArrayRef<int64_t>{kSide, kSide} &&
         vector.getElementType().isF32();
}

static bool isFactor(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getShape() == ArrayRef<int64_t>{kSide, 2 * kSide} &&
         vector.getElementType().isBF16();
}

/// Whole rows that a tile can be read from or written to.
template <typename Transfer>
static bool isPlain(Transfer op) {
  return isa<MemRefType>(op.getBase().getType()) && !op.getMask() &&
         op.getPermutationMap().isMinorIdentity() && !op.hasOutOfBoundsDim();
}

/// What a factor of a product is read by, if it is read in pairs.
static vector::TransferReadOp getRead(Value factor) {
  auto cast = factor.getDefiningOp<vector::ShapeCastOp>();
  if (!cast || !isFactor(cast.getSource().getType()))
    return nullptr;
  auto read = cast.getSource().getDefiningOp<vector::TransferReadOp>();
  return read && isPlain(read) ? read : nullptr;
}

/// Products of 16 x 16 pairs and 16 pairs of 16 columns.
static bool isTileProduct(vector::ContractionOp op) {
  AffineExpr m, n, k, v;
  bindDims(op.getContext(), m, n, k, v);
  auto expected = AffineMap::inferFromExprList(
      ArrayRef<SmallVector<AffineExpr, 4>>{{m, k, v}, {k, n, v}, {m, n}},
      op.getContext());
  return isSum(op.getAccType()) &&
         op.getIndexingMapsArray() == ArrayRef<AffineMap>(expected) &&
         op.getKind() == vector::CombiningKind::ADD && getRead(op.getLhs()) &&
         getRead(op.getRhs());
}

/// Zeros, or a matrix in memory.
static bool isTileInit(Value value) {
  auto read = value.getDefiningOp<vector::TransferReadOp>();
  return isSum(value.getType()) &&
         (matchPattern(value, m_AnyZeroFloat()) || (read && isPlain(read)));
}

static bool isOnlyWritten(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    return write && isPlain(write);
  });
}

/// A loop that carries sums of such products alone, from zero or from memory
/// to memory.
static bool isTileLoop(scf::ForOp loop) {
  if (loop.getNumRegionIterArgs() == 0)
    return false;
  for (Operation &op : loop.getBody()->without_terminator())
    if (isa<vector::TransferReadOp, vector::ShapeCastOp>(op) &&
        !llvm::all_of(
            op.getUsers(),
            llvm::IsaPred<vector::ShapeCastOp, vector::ContractionOp>))
      return false;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [init, argument, result, yielded] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                 loop.getResults(), yield.getResults())) {
    auto product = yielded.getDefiningOp<vector::ContractionOp>();
    if (!isTileInit(init) || !product || product.getAcc() != argument ||
        !argument.hasOneUse() || !product->hasOneUse() ||
        !isTileProduct(product) || !isOnlyWritten(result))
      return false;
  }
  return true;
}

/// Whether `value` is computed from `place` in the loop whose place it is.
static bool dependsOn(Value value, BlockArgument place) {
  if (value == place)
    return true;
  Operation *op = value.getDefiningOp();
  return op && place.getOwner()->getParentOp()->isProperAncestor(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, place); });
}

/// Whether each step of the loop around `loop` reads another part of a large
/// buffer here, and the same part of another factor, which should stay in the
/// first cache.
static bool passesBy(vector::TransferReadOp read, scf::ForOp loop) {
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  auto type = cast<MemRefType>(read.getBase().getType());
  if (!around || !type.hasStaticShape() ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 < kFarBytes)
    return false;
  BlockArgument place = cast<BlockArgument>(around.getInductionVar());
  auto moves = [&](vector::TransferReadOp op) {
    return llvm::any_of(op.getIndices(),
                        [&](Value index) { return dependsOn(index, place); });
  };
  return moves(read) &&
         llvm::any_of(loop.getBody()->getOps<vector::TransferReadOp>(),
                      [&](vector::TransferReadOp op) { return !moves(op); });
}

/// A tile that the first cache does not keep: TILELOADDT1, which the AMX
/// dialect lacks.
static Value loadPassing(OpBuilder &b, Location loc, amx::TileType type,
                         Value base, ValueRange indices) {
  int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, base);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, base);
  Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    offset = arith::AddIOp::create(
        b, loc, offset, arith::MulIOp::create(b, loc, index, stride));
  Value bytes = arith::ConstantIndexOp::create(b, loc, elementBytes);
  address = arith::AddIOp::create(b, loc, address,
                                  arith::MulIOp::create(b, loc, offset, bytes));
  Value rowStride = metadata.getStrides()[indices.size() - 2];
  Value rowBytes = arith::MulIOp::create(b, loc, rowStride, bytes);
  auto toInteger = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(value));
  };
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), toInteger(address));
  auto load = LLVM::CallIntrinsicOp::create(
      b, loc, LLVM::LLVMX86AMXType::get(b.getContext()),
      b.getStringAttr("llvm.x86.tileloaddt164.internal"),
      ValueRange{number(type.getDimSize(0)),
                 number(type.getDimSize(1) * elementBytes), pointer,
                 toInteger(rowBytes)});
  return UnrealizedConversionCastOp::create(b, loc, type, load.getResults())
      .getResult(0);
}

namespace {
/// Makes tiles of what vectors are read from memory.
class TileReader {
public:
  /// The tile of `read` for an op in `block`, where `b` inserts, past the first
  /// cache if `isPassing`.
  Value load(OpBuilder &b, vector::TransferReadOp read, Block *block,
             const IRMapping &mapping = {}, bool isPassing = false);
  /// A tile of what `isTileInit` is true for.
  Value loadInit(OpBuilder &b, Value value, Block *block);

private:
  /// Copies of what is read outside of a loop, whose memory may have changed
  /// since. Tiles stay within a function, and so within a parallel loop.
  llvm::DenseMap<Operation *, Value> copies;
};
} // namespace

Value TileReader::load(OpBuilder &b, vector::TransferReadOp read, Block *block,
                       const IRMapping &mapping, bool isPassing) {
  Location loc = read.getLoc();
  VectorType vector = read.getVectorType();
  auto type = amx::TileType::get(vector.getShape(), vector.getElementType());
  if (read->getBlock() == block) {
    SmallVector<Value> indices;
    for (Value place : read.getIndices())
      indices.push_back(mapping.lookupOrDefault(place));
    Value base = mapping.lookupOrDefault(read.getBase());
    if (isPassing)
      return loadPassing(b, loc, type, base, indices);
    return amx::TileLoadOp::create(b, loc, type, base, indices);
  }
  Value &copy = copies[read];
  if (!copy) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(read);
    auto memory = MemRefType::get(vector.getShape(), vector.getElementType());
    copy = memref::AllocaOp::create(b, loc, memory, b.getI64IntegerAttr(64));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    vector::TransferWriteOp::create(b, loc, read.getResult(), copy,
                                    ValueRange{zero, zero},
                                    ArrayRef<bool>{true, true});
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return amx::TileLoadOp::create(b, loc, type, copy, ValueRange{zero, zero});
}

Value TileReader::loadInit(OpBuilder &b, Value value, Block *block) {
  OpBuilder::InsertionGuard guard(b);
  if (auto read = value.getDefiningOp<vector::TransferReadOp>()) {
    if (read->getBlock() == block)
      b.setInsertionPoint(read);
    return load(b, read, block);
  }
  auto type = amx::TileType::get(ArrayRef<int64_t>{kSide, kSide},
                                 Float32Type::get(b.getContext()));
  return amx::TileZeroOp::create(b, value.getLoc(), type);
}

/// Writes `tile` where `value` was written.
static void storeTile(OpBuilder &b, Value value, Value tile) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto write = cast<vector::TransferWriteOp>(user);
    b.setInsertionPoint(write);
    amx::TileStoreOp::create(b, write.getLoc(), write.getBase(),
                             write.getIndices(), tile);
    write.erase();
  }
}

/// Products that are no loop's, as where a loop had one iteration.
static void useTiles(ArrayRef<vector::ContractionOp> products,
                     TileReader &reader) {
  // A factor of several products is one tile.
  llvm::DenseMap<std::pair<Operation *, Block *>, Value> tiles;
  for (vector::ContractionOp product : products) {
    OpBuilder b(product);
    Block *block = product->getBlock();
    auto load = [&](Value factor) {
      vector::TransferReadOp read = getRead(factor);
      Value &tile = tiles[{read, block}];
      if (!tile) {
        OpBuilder::InsertionGuard guard(b);
        if (read->getBlock() == block)
          b.setInsertionPoint(read);
        tile = reader.load(b, read, block);
      }
      return tile;
    };
    Value sum = reader.loadInit(b, product.getAcc(), block);
    Value left = load(product.getLhs()), right = load(product.getRhs());
    Value tile = amx::TileMulFOp::create(b, product.getLoc(), sum.getType(),
                                         left, right, sum);
    storeTile(b, product.getResult(), tile);
    product.erase();
  }
}

static void useTiles(scf::ForOp loop, TileReader &reader) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> init;
  for (Value value : loop.getInitArgs())
    init.push_back(reader.loadInit(b, value, loop->getBlock()));
  auto body = [&](OpBuilder &bb, Location, Value index, ValueRange sums) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    mapping.map(loop.getRegionIterArgs(), sums);
    llvm::DenseMap<Operation *, Value> tiles;
    auto load = [&](Value factor) {
      vector::TransferReadOp read = getRead(factor);
      Value &tile = tiles[read];
      if (!tile)
        tile = reader.load(bb, read, loop.getBody(), mapping,
                           /*isPassing=*/passesBy(read, loop));
      return tile;
    };
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto product = dyn_cast<vector::ContractionOp>(op)) {
        Value left = load(product.getLhs()), right = load(product.getRhs());
        Value sum = mapping.lookup(product.getAcc());
        Value next = amx::TileMulFOp::create(bb, op.getLoc(), sum.getType(),
                                             left, right, sum);
        mapping.map(product.getResult(), next);
        continue;
      }
      // The reads become tiles.
      if (!isa<vector::TransferReadOp, vector::ShapeCastOp>(op))
        bb.clone(op, mapping);
    }
    SmallVector<Value> next;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      next.push_back(mapping.lookup(value));
    scf::YieldOp::create(bb, loc, next);
  };
  auto tiled =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), init, body);
  for (auto [old, tile] : llvm::zip(loop.getResults(), tiled.getResults()))
    storeTile(b, old, tile);
  loop.erase();
}

namespace {
struct UseMatrixTilesPass
    : public gnn::impl::UseMatrixTilesPassBase<UseMatrixTilesPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isTileLoop(loop))
        loops.push_back(loop);
    });
    TileReader reader;
    for (scf::ForOp loop : loops)
      useTiles(loop, reader);
    SmallVector<vector::ContractionOp> products;
    getOperation()->walk([&](vector::ContractionOp op) {
      if (isTileProduct(op) && isTileInit(op.getAcc()) &&
          isOnlyWritten(op.getResult()))
        products.push_back(op);
    });
    useTiles(products, reader);
    numProducts += loops.size() + products.size();
  }
};
} // namespace
