//===- PlanDeviceMemory.cpp - One block for the buffers of a run ----------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_PLANDEVICEMEMORYPASS
#include "gnn/Codegen/GPU/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

/// What drivers align blocks to.
static constexpr int64_t kAlignment = 256;
/// So many bytes cost nothing where they are not used.
static constexpr int64_t kSmallBytes = 4096;

namespace {
/// A buffer that is allocated and freed in one block of code.
struct Buffer {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  int64_t staticBytes; ///< Times the product of the dynamic sizes.
  unsigned begin, end; ///< When it is in use.
};

/// Bytes that are some number of times a product of sizes.
struct Bytes {
  SmallVector<Value> sizes;
  int64_t factor;
};

/// A part of a block of memory, for buffers one after the other: as large as
/// the largest of them.
struct Slot {
  SmallVector<Bytes> bytes; ///< Of different products.
  unsigned end;             ///< When the last buffer so far is freed.
};

struct PlanDeviceMemoryPass
    : public gnn::impl::PlanDeviceMemoryPassBase<PlanDeviceMemoryPass> {
  void runOnOperation() override;

private:
  void planBlock(Block &block);
  SmallVector<Buffer> collectBuffers(Block &block);
  void share(MutableArrayRef<Buffer> buffers, Block &block);

  IRRewriter *rewriter = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static int64_t getStaticBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  DataLayout layout = DataLayout::closest(alloc);
  auto bytes = static_cast<int64_t>(layout.getTypeSize(type.getElementType()));
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

/// What frees the buffer, in the block that allocates it; NULL if there is
/// nothing, or something else.
static memref::DeallocOp findDealloc(memref::AllocOp alloc) {
  memref::DeallocOp found;
  SmallVector<Value> names = {alloc};
  for (Operation *user : alloc->getUsers())
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(user))
      names.push_back(metadata.getBaseBuffer());
  for (Value name : names) {
    for (Operation *user : name.getUsers()) {
      auto dealloc = dyn_cast<memref::DeallocOp>(user);
      if (!dealloc)
        continue;
      if (found || dealloc->getBlock() != alloc->getBlock())
        return nullptr;
      found = dealloc;
    }
  }
  return found;
}

/// Where both ways allocate a result of the same size, it can be allocated
/// before the ways part.
static void hoistResults(scf::IfOp op, RewriterBase &rewriter) {
  if (!op.elseBlock())
    return;
  for (OpResult result : op.getResults()) {
    unsigned number = result.getResultNumber();
    auto find = [&](Block *block) {
      Value yielded = block->getTerminator()->getOperand(number);
      auto alloc = yielded.getDefiningOp<memref::AllocOp>();
      return alloc && alloc->getBlock() == block ? alloc : nullptr;
    };
    memref::AllocOp onThen = find(op.thenBlock()),
                    onElse = find(op.elseBlock());
    if (!onThen || !onElse || onThen.getType() != onElse.getType() ||
        !llvm::equal(onThen.getDynamicSizes(), onElse.getDynamicSizes()))
      continue;
    rewriter.moveOpBefore(onThen, op);
    rewriter.replaceOp(onElse, onThen.getResult());
    rewriter.replaceAllUsesWith(result, onThen.getResult());
  }
}

/// Those that the block allocates itself, and small ones inside of its
/// conditionals and loops, in their order.
SmallVector<Buffer> PlanDeviceMemoryPass::collectBuffers(Block &block) {
  DenseMap<Operation *, unsigned> places;
  SmallVector<memref::AllocOp> allocs;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    places[op] = places.size();
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      allocs.push_back(alloc);
  });
  SmallVector<Buffer> buffers;
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    if (!type.getLayout().isIdentity() || type.getMemorySpace())
      continue;
    Buffer buffer = {alloc, findDealloc(alloc), getStaticBytes(alloc), 0, 0};
    if (!buffer.dealloc)
      continue;
    bool isSmall = type.hasStaticShape() && buffer.staticBytes <= kSmallBytes;
    if (alloc->getBlock() != &block && !isSmall)
      continue;
    buffer.begin = places[alloc];
    buffer.end = places[buffer.dealloc];
    buffers.push_back(buffer);
  }
  return buffers;
}

/// Adds the ops, operands first, that `value` is computed by behind `place` in
/// its block. False if it cannot be computed before.
static bool collectOps(Value value, Operation *place,
                       const DominanceInfo &dominance,
                       llvm::SetVector<Operation *> &ops) {
  if (dominance.properlyDominates(value, place))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->getNumRegions() ||
      !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collectOps(operand, place, dominance, ops))
      return false;
  ops.insert(op);
  return true;
}

/// Computes what is needed of the values before `place`, or nothing of them.
/// All ops of the block are executed, so those that must not be speculated (a
/// division) may move, too.
static bool moveBefore(ValueRange values, Operation *place,
                       const DominanceInfo &dominance) {
  llvm::SetVector<Operation *> ops;
  for (Value value : values)
    if (!collectOps(value, place, dominance, ops))
      return false;
  for (Operation *op : ops)
    op->moveBefore(place);
  return true;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// What of a slot is the same product of sizes.
static Bytes *findProduct(Slot &slot, ValueRange sizes) {
  return llvm::find_if(slot.bytes, [&](const Bytes &bytes) {
    return bytes.sizes.size() == sizes.size() &&
           std::is_permutation(sizes.begin(), sizes.end(), bytes.sizes.begin());
  });
}

/// How well a buffer fits into a slot: best is the same product of sizes with
/// as many bytes or a few more; else one of as many sizes, which may turn out
/// to be the same. Buffers of a known size have slots of their own, so that
/// they keep no large one from growing.
static std::optional<std::tuple<int64_t, int64_t, int64_t>>
judge(Buffer &buffer, Slot &slot) {
  if (slot.end > buffer.begin)
    return std::nullopt;
  ValueRange sizes = buffer.alloc.getDynamicSizes();
  if (Bytes *same = findProduct(slot, sizes); same != slot.bytes.end()) {
    int64_t missing = buffer.staticBytes - same->factor;
    return std::tuple(0, std::max<int64_t>(0, missing),
                      std::max<int64_t>(0, -missing));
  }
  const Bytes &other = slot.bytes.front();
  if (sizes.empty() || other.sizes.empty())
    return std::nullopt;
  auto distance = [](int64_t a, int64_t b) { return std::abs(a - b); };
  return std::tuple(1 + distance(static_cast<int64_t>(sizes.size()),
                                 static_cast<int64_t>(other.sizes.size())),
                    distance(buffer.staticBytes, other.factor), int64_t(0));
}

/// The number of the slot that is free and fits best, which grows if it has to;
/// or of a new one.
static size_t chooseSlot(Buffer &buffer, SmallVectorImpl<Slot> &slots) {
  size_t best = slots.size();
  std::optional<std::tuple<int64_t, int64_t, int64_t>> least;
  for (auto [i, slot] : llvm::enumerate(slots))
    if (auto cost = judge(buffer, slot); cost && (!least || *cost < *least)) {
      least = cost;
      best = i;
    }
  if (!least)
    slots.emplace_back();
  Slot &slot = slots[best];
  ValueRange sizes = buffer.alloc.getDynamicSizes();
  if (Bytes *same = findProduct(slot, sizes); same != slot.bytes.end())
    same->factor = std::max(same->factor, buffer.staticBytes);
  else
    slot.bytes.push_back({SmallVector<Value>(sizes), buffer.staticBytes});
  slot.end = buffer.end;
  return best;
}

/// The bytes of a slot, such that the next one is aligned.
static Value computeBytes(OpBuilder &b, Location loc, const Slot &slot) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (slot.bytes.front().sizes.empty())
    return constant(llvm::alignTo(slot.bytes.front().factor, kAlignment));
  Value largest;
  for (const Bytes &part : slot.bytes) {
    Value bytes = constant(part.factor);
    for (Value size : part.sizes)
      bytes = arith::MulIOp::create(b, loc, bytes, size);
    largest = largest
                  ? arith::MaxUIOp::create(b, loc, largest, bytes).getResult()
                  : bytes;
  }
  Value padded =
      arith::AddIOp::create(b, loc, largest, constant(kAlignment - 1));
  return arith::AndIOp::create(b, loc, padded, constant(-kAlignment));
}

/// Lets the buffers, whose sizes are known before the first of them, have parts
/// of one.
void PlanDeviceMemoryPass::share(MutableArrayRef<Buffer> buffers,
                                 Block &block) {
  SmallVector<Slot> slots;
  SmallVector<size_t> chosen;
  for (Buffer &buffer : buffers)
    chosen.push_back(chooseSlot(buffer, slots));

  Location loc = buffers.front().alloc.getLoc();
  Operation *first = block.findAncestorOpInBlock(*buffers.front().alloc);
  rewriter->setInsertionPoint(first);
  SmallVector<Value> offsets;
  Value total = arith::ConstantIndexOp::create(*rewriter, loc, 0);
  for (const Slot &slot : slots) {
    offsets.push_back(total);
    total = rewriter->createOrFold<arith::AddIOp>(
        loc, total, computeBytes(*rewriter, loc, slot));
  }
  auto type = MemRefType::get(ShapedType::kDynamic, rewriter->getI8Type());
  auto memory = memref::AllocOp::create(
      *rewriter, loc, type, total, buffers.front().alloc.getAlignmentAttr());

  Buffer &last = *llvm::max_element(
      buffers, [](auto &a, auto &b) { return a.end < b.end; });
  rewriter->setInsertionPointAfter(block.findAncestorOpInBlock(*last.dealloc));
  memref::DeallocOp::create(*rewriter, loc, memory);

  for (auto [buffer, number] : llvm::zip_equal(buffers, chosen)) {
    rewriter->eraseOp(buffer.dealloc);
    rewriter->setInsertionPoint(buffer.alloc);
    rewriter->replaceOpWithNewOp<memref::ViewOp>(
        buffer.alloc, buffer.alloc.getType(), memory, offsets[number],
        buffer.alloc.getDynamicSizes());
  }
  numBuffers += buffers.size();
  ++numBlocks;
}

void PlanDeviceMemoryPass::planBlock(Block &block) {
  SmallVector<Buffer> buffers = collectBuffers(block);
  DominanceInfo dominance(block.getParentOp());
  while (!buffers.empty()) {
    Operation *first = block.findAncestorOpInBlock(*buffers.front().alloc);
    SmallVector<Buffer> known, later;
    for (Buffer &buffer : buffers) {
      bool isKnown =
          moveBefore(buffer.alloc.getDynamicSizes(), first, dominance);
      (isKnown ? known : later).push_back(buffer);
    }
    // The first one's sizes may be computed in its own block only.
    if (known.empty())
      return;
    if (known.size() > 1)
      share(known, block);
    buffers = std::move(later);
  }
}

void PlanDeviceMemoryPass::runOnOperation() {
  IRRewriter local(&getContext());
  rewriter = &local;
  SmallVector<scf::IfOp> conditionals;
  getOperation()->walk([&](scf::IfOp op) { conditionals.push_back(op); });
  for (scf::IfOp op : conditionals)
    hoistResults(op, local);
  SmallVector<Block *> blocks;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
  });
  for (Block *block : blocks)
    planBlock(*block);
}
