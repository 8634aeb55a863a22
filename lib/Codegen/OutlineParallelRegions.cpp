//===- OutlineParallelRegions.cpp - Functions of parallel loops -*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Codegen/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gnn {
#define GEN_PASS_DEF_OUTLINEPARALLELREGIONSPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {
/// Takes functions that do the same for equal, whatever they are called.
struct SameBody : public llvm::DenseMapInfo<Operation *> {
  static constexpr OperationEquivalence::Flags flags =
      OperationEquivalence::IgnoreLocations;

  static unsigned getHashValue(const Operation *function) {
    llvm::hash_code hash = 0;
    for (Region &region : const_cast<Operation *>(function)->getRegions())
      region.walk([&](Operation *op) {
        hash = llvm::hash_combine(
            hash, OperationEquivalence::computeHash(
                      op, OperationEquivalence::ignoreHashValue,
                      OperationEquivalence::ignoreHashValue, flags));
      });
    return hash;
  }

  static bool isEqual(const Operation *one, const Operation *other) {
    if (one == other)
      return true;
    for (const Operation *key : {one, other})
      if (key == getEmptyKey() || key == getTombstoneKey())
        return false;
    // The bodies' arguments and what they return are the functions' types.
    auto getBody = [](const Operation *function) {
      return &const_cast<Operation *>(function)->getRegion(0);
    };
    return OperationEquivalence::isRegionEquivalentTo(getBody(one),
                                                      getBody(other), flags);
  }
};

/// Says of buffers whether nothing in their function writes to them.
class ReadOnlyMemory {
public:
  bool contains(Value buffer);

private:
  static bool hasOnlyReaders(Value buffer);

  llvm::DenseMap<Value, bool> known;
};

/// A region's function, and what it is called with in the region's place.
struct OutlinedRegion {
  func::FuncOp function;
  SmallVector<Value> arguments;
};

struct OutlineParallelRegionsPass
    : public gnn::impl::OutlineParallelRegionsPassBase<
          OutlineParallelRegionsPass> {
  using OutlineParallelRegionsPassBase::OutlineParallelRegionsPassBase;
  void runOnOperation() override;

private:
  bool canSink(Operation *op, omp::ParallelOp parallel, ReadOnlyMemory &memory);
  void sinkReads(omp::ParallelOp parallel, ReadOnlyMemory &memory);
  static OutlinedRegion outline(omp::ParallelOp parallel);
};
} // namespace

/// Whether `op` does not write to `buffer` and makes no other name for it.
static bool isReader(Operation *op, Value buffer) {
  if (isa<memref::DimOp, memref::PrefetchOp, func::ReturnOp>(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions() > 0)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  auto isRead = [&](const MemoryEffects::EffectInstance &instance) {
    return isa<MemoryEffects::Read>(instance.getEffect()) ||
           (instance.getValue() && instance.getValue() != buffer);
  };
  return !instances.empty() && llvm::all_of(instances, isRead);
}

bool ReadOnlyMemory::hasOnlyReaders(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return user->getNumResults() == 1 && hasOnlyReaders(user->getResult(0));
    return isReader(user, buffer);
  });
}

/// What callers and constants hold does not change while a function runs,
/// unless it does that itself.
bool ReadOnlyMemory::contains(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!(argument && isa<func::FuncOp>(argument.getOwner()->getParentOp())) &&
      !buffer.getDefiningOp<memref::GetGlobalOp>())
    return false;
  auto [entry, isNew] = known.try_emplace(buffer, false);
  if (isNew)
    entry->second = hasOnlyReaders(buffer);
  return entry->second;
}

/// Whether threads had better compute the vector that `op` makes.
bool OutlineParallelRegionsPass::canSink(Operation *op,
                                         omp::ParallelOp parallel,
                                         ReadOnlyMemory &memory) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<VectorType>(op->getResult(0).getType())
                  : nullptr;
  if (!type || type.getNumElements() < wideVector ||
      !llvm::all_of(op->getUsers(), [&](Operation *user) {
        return parallel->isProperAncestor(user);
      }))
    return false;
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return memory.contains(read.getBase());
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return memory.contains(load.getBase());
  return isa<vector::BroadcastOp, vector::ShapeCastOp>(op);
}

/// Moves what has been hoisted out of the loop's steps back into the region,
/// where it still is none of the steps.
void OutlineParallelRegionsPass::sinkReads(omp::ParallelOp parallel,
                                           ReadOnlyMemory &memory) {
  Block &body = parallel.getRegion().front();
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(parallel.getRegion(), captured);
    for (Value value : captured) {
      Operation *op = value.getDefiningOp();
      if (!op || !canSink(op, parallel, memory))
        continue;
      op->moveBefore(&body, body.begin());
      hasChanged = true;
    }
  }
}

/// What each function can have for itself.
static bool isConstant(Operation *op) {
  return op && (op->hasTrait<OpTrait::ConstantLike>() ||
                isa<memref::GetGlobalOp>(op));
}

/// Moves `parallel` into a function beside its own.
OutlinedRegion OutlineParallelRegionsPass::outline(omp::ParallelOp parallel) {
  llvm::SetVector<Value> used(parallel->operand_begin(),
                              parallel->operand_end());
  getUsedValuesDefinedAbove(parallel.getRegion(), used);
  OutlinedRegion result;
  SmallVector<Operation *> constants;
  for (Value value : used)
    if (isConstant(value.getDefiningOp()))
      constants.push_back(value.getDefiningOp());
    else
      result.arguments.push_back(value);

  auto parent = parallel->getParentOfType<func::FuncOp>();
  Location loc = parallel.getLoc();
  IRRewriter rewriter(parent);
  result.function = func::FuncOp::create(
      rewriter, loc, (parent.getName() + ".parallel").str(),
      rewriter.getFunctionType(ValueRange(result.arguments).getTypes(), {}));
  result.function.setPrivate();
  Block *body = result.function.addEntryBlock();
  rewriter.moveOpBefore(parallel, body, body->end());
  auto replace = [&](Value value, Value own) {
    rewriter.replaceUsesWithIf(value, own, [&](OpOperand &use) {
      return parallel->isAncestor(use.getOwner());
    });
  };
  for (auto [value, argument] :
       llvm::zip_equal(result.arguments, body->getArguments()))
    replace(value, argument);
  rewriter.setInsertionPoint(parallel);
  for (Operation *constant : constants)
    replace(constant->getResult(0), rewriter.clone(*constant)->getResult(0));
  rewriter.setInsertionPointAfter(parallel);
  func::ReturnOp::create(rewriter, loc);
  return result;
}

/// What is passed on to LLVM.
static constexpr StringLiteral kPassthrough = "passthrough";

/// Whether LLVM is to make `function` small.
static bool isForSize(func::FuncOp function) {
  auto attributes = function->getAttrOfType<ArrayAttr>(kPassthrough);
  return attributes &&
         llvm::is_contained(attributes,
                            StringAttr::get(function.getContext(), "optsize"));
}

static void setPassthrough(func::FuncOp function, bool isShared,
                           bool isForSize) {
  SmallVector<StringRef> attributes;
  // A layer more is a call more, and no more code.
  if (isShared)
    attributes.push_back("noinline");
  if (isForSize)
    attributes.push_back("optsize");
  if (attributes.empty())
    function->removeAttr(kPassthrough);
  else
    function->setAttr(
        kPassthrough,
        Builder(function.getContext()).getStrArrayAttr(attributes));
}

void OutlineParallelRegionsPass::runOnOperation() {
  SmallVector<omp::ParallelOp> regions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>([&](omp::ParallelOp parallel) {
      regions.push_back(parallel);
      return WalkResult::skip();
    });
  ReadOnlyMemory memory;
  for (omp::ParallelOp parallel : regions)
    sinkReads(parallel, memory);
  SymbolTable symbols(getOperation());
  llvm::DenseSet<Operation *, SameBody> functions;
  for (omp::ParallelOp parallel : regions) {
    Location loc = parallel.getLoc();
    OpBuilder caller(parallel->getNextNode());
    bool isSmall = isForSize(parallel->getParentOfType<func::FuncOp>());
    OutlinedRegion outlined = outline(parallel);
    auto [entry, isNew] = functions.insert(outlined.function);
    auto callee = cast<func::FuncOp>(*entry);
    setPassthrough(callee, /*isShared=*/!isNew,
                   isSmall && (isNew || isForSize(callee)));
    if (isNew) {
      symbols.insert(outlined.function);
      ++numFunctions;
    } else {
      outlined.function.erase();
    }
    func::CallOp::create(caller, loc, callee, outlined.arguments);
    ++numRegions;
  }
}
