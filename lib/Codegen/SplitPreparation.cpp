//===- SplitPreparation.cpp - What graphs decide on its own -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedValues.h"
#include "gnn/Codegen/Passes.h"
#include "gnn/Dialect/GNN/Preparation.h"
#include "gnn/Support/FindOp.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
#define GEN_PASS_DEF_SPLITPREPARATIONPASS
#include "gnn/Codegen/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// What is worth it
//===----------------------------------------------------------------------===//

/// Divisions and functions, beside which a read costs nothing.
static bool isCostly(Operation *op) {
  return isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, tensor::ExtractOp>(op) ||
         isa_and_nonnull<math::MathDialect>(op->getDialect());
}

static bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp>(op);
}

/// Copies, which become part of nothing.
static bool isCopy(Operation *op) {
  return isa<tensor::InsertSliceOp, tensor::ConcatOp, tensor::PadOp,
             tensor::GenerateOp, tensor::GatherOp, tensor::ReshapeOp>(op);
}

/// Whether an op makes a tensor that each of its elements is computed for on
/// its own, from those of other tensors.
static bool isElementwise(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() == 0;
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 &&
         isa<TensorType>(op->getResult(0).getType());
}

/// Whether `op` does what no elementwise op does.
static bool hasWork(Operation *op) {
  return findOp(op, [](Operation *nested) {
    if (isa<LoopLikeOpInterface>(nested) || isCopy(nested))
      return true;
    auto structured = dyn_cast<linalg::LinalgOp>(nested);
    return structured && structured.getNumReductionLoops() > 0;
  });
}

static bool isCostlyElementwise(Operation *op) { return findOp(op, isCostly); }

/// Whether a result takes more memory than the tensors it is made of, as those
/// of broadcasts and wider types do: who reads it has less to read without.
static bool isLarger(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return false;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return llvm::none_of(
      structured ? structured.getDpsInputs() : op->getOperands(),
      [&](Value input) {
        auto source = dyn_cast<RankedTensorType>(input.getType());
        return source && source.getRank() >= type.getRank() &&
               (source.getElementType().isIndex() ||
                source.getElementTypeBitWidth() >=
                    type.getElementTypeBitWidth());
      });
}

/// Whether somebody reads `value` from memory: all but elementwise ops, which
/// what computes it becomes part of.
static bool isReadFromMemory(Value value) {
  Block *block = value.getParentBlock();
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      return true;
    if (isa<tensor::DimOp>(user))
      return false;
    if (isView(user))
      return isReadFromMemory(user->getResult(0));
    if (auto structured = dyn_cast<linalg::LinalgOp>(user))
      return !isa<linalg::GenericOp>(user) ||
             structured.getNumReductionLoops() > 0 ||
             (structured.isDpsInit(&use) &&
              structured.payloadUsesValueFromOperand(&use));
    return !isElementwise(user);
  });
}

/// Can functions take and return it?
static bool isPassable(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType().isIntOrIndexOrFloat();
  return type.isIntOrIndexOrFloat();
}

static bool isWorthKeeping(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isPassable(value.getType()) || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  if (isa<tensor::ExtractOp>(op) || hasWork(op))
    return true;
  return isElementwise(op) && (isCostlyElementwise(op) ||
                               (!isLarger(op) && isReadFromMemory(value)));
}

//===----------------------------------------------------------------------===//
// What depends on what
//===----------------------------------------------------------------------===//

namespace {
/// What a value depends on. Each includes those before it.
enum class Source { Weights, Graphs, Inputs };

/// A function that is to be: some ops of another one, and values that others
/// compute for it.
struct NewPart {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> values;
};

class Division {
public:
  explicit Division(func::FuncOp function);

  /// The ops that `roots` need of those with `source`, up to values that were
  /// computed from less.
  NewPart collect(ArrayRef<Operation *> roots, Source source);

  /// Those of `values` with `source`, in the order of the ops that make them.
  SmallVector<Value> select(ArrayRef<Value> values, Source source) const;

  SmallVector<Operation *> getInputOps();

private:
  Source getSource(Value value) const { return sources.lookup(value); }

  Block &body;
  DenseMap<Value, Source> sources;
  DenseMap<Operation *, Source> ops;
};
} // namespace

Division::Division(func::FuncOp function) : body(function.front()) {
  for (BlockArgument argument : body.getArguments()) {
    auto fixed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                       kFixedAttr);
    sources[argument] = !fixed                 ? Source::Inputs
                        : fixed == kWeightPart ? Source::Weights
                                               : Source::Graphs;
  }
  for (Operation &op : body) {
    Source source = op.hasTrait<OpTrait::IsTerminator>() || hasSideEffects(&op)
                        ? Source::Inputs
                        : Source::Weights;
    for (Value value : getReads(&op))
      source = std::max(source, getSource(value));
    ops[&op] = source;
    for (Value result : op.getResults())
      sources[result] = source;
  }
}

SmallVector<Operation *> Division::getInputOps() {
  SmallVector<Operation *> result;
  for (Operation &op : body)
    if (ops.lookup(&op) == Source::Inputs)
      result.push_back(&op);
  return result;
}

NewPart Division::collect(ArrayRef<Operation *> roots, Source source) {
  NewPart part;
  SmallVector<Operation *> worklist(roots);
  SmallVector<tensor::DimOp> sizes;
  auto isPassedOn = [&](Value value) {
    return value.getDefiningOp() && getSource(value) < source &&
           isWorthKeeping(value);
  };
  auto visit = [&](Operation *op) {
    for (Value value : getReads(op)) {
      if (isPassedOn(value))
        part.values.insert(value);
      else if (Operation *definition = value.getDefiningOp())
        worklist.push_back(definition);
    }
  };
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!part.ops.insert(op))
      continue;
    auto size = dyn_cast<tensor::DimOp>(op);
    if (size && isPassedOn(size.getSource()))
      sizes.push_back(size);
    else
      visit(op);
  }
  // A size is no reason to keep what it is the size of.
  for (tensor::DimOp size : sizes) {
    if (part.values.contains(size.getSource()))
      continue;
    part.ops.remove(size);
    part.values.insert(size);
  }
  for (tensor::DimOp size : sizes)
    if (part.ops.contains(size))
      visit(size);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (part.ops.insert(op))
      visit(op);
  }
  return part;
}

SmallVector<Value> Division::select(ArrayRef<Value> values,
                                    Source source) const {
  SmallVector<Value> selected;
  for (Value value : values)
    if (getSource(value) == source)
      selected.push_back(value);
  llvm::sort(selected, [](Value a, Value b) {
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    return first == second ? cast<OpResult>(a).getResultNumber() <
                                 cast<OpResult>(b).getResultNumber()
                           : first->isBeforeInBlock(second);
  });
  return selected;
}

//===----------------------------------------------------------------------===//
// New functions
//===----------------------------------------------------------------------===//

namespace {
struct SplitPreparationPass
    : public gnn::impl::SplitPreparationPassBase<SplitPreparationPass> {
  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (hasPreparation(function))
        split(function);
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, StringAttr::get(&getContext(), kFixedAttr));
    }
  }

private:
  void split(func::FuncOp function);
};

/// A function and the values of another one that are its arguments.
struct NewFunction {
  func::FuncOp function;
  SmallVector<Value> arguments;
};
} // namespace

/// A function of the ops of `part` before `function` that returns `results`.
static NewFunction outline(func::FuncOp function, const NewPart &part,
                           ArrayRef<Value> arguments, ArrayRef<Value> results,
                           StringRef suffix) {
  OpBuilder b(function);
  Location loc = function.getLoc();
  auto type = b.getFunctionType(ValueRange(arguments).getTypes(),
                                ValueRange(results).getTypes());
  auto outlined =
      func::FuncOp::create(b, loc, (function.getName() + suffix).str(), type);
  StringRef wrapper = LLVM::LLVMDialect::getEmitCWrapperAttrName();
  if (Attribute attribute = function->getAttr(wrapper))
    outlined->setAttr(wrapper, attribute);
  Block *body = outlined.addEntryBlock();
  IRMapping mapping;
  mapping.map(arguments, body->getArguments());
  b.setInsertionPointToStart(body);
  for (Operation &op : function.front())
    if (part.ops.contains(&op))
      b.clone(op, mapping);
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(b, loc, returned);
  return {outlined, SmallVector<Value>(arguments)};
}

/// Leaves the ops of `part` in `function`, and makes `values` arguments.
static void reduce(func::FuncOp function, const NewPart &part,
                   ArrayRef<Value> values) {
  for (Value value : values) {
    unsigned number = function.getNumArguments();
    if (failed(function.insertArgument(number, value.getType(), {},
                                       value.getLoc())))
      llvm_unreachable("functions of MLIR's take any type");
    value.replaceAllUsesWith(function.getArgument(number));
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (!part.ops.contains(&op))
      op.erase();
}

/// The arguments of `function` that ops of `part` read, and its values.
static SmallVector<Value> getArguments(func::FuncOp function,
                                       const NewPart &part,
                                       ArrayRef<Value> values) {
  llvm::SetVector<Value> read;
  for (Operation *op : part.ops)
    read.insert_range(getReads(op));
  SmallVector<Value> arguments;
  for (BlockArgument argument : function.getArguments())
    if (read.contains(argument))
      arguments.push_back(argument);
  llvm::append_range(arguments, values);
  return arguments;
}

static SmallVector<Operation *> getDefinitions(ArrayRef<Value> values) {
  SmallVector<Operation *> ops;
  for (Value value : values)
    ops.push_back(value.getDefiningOp());
  return ops;
}

/// Describes a function that computes `values`; `known` are the numbers of what
/// it may take.
static Attribute describe(NewFunction &part, ArrayRef<Value> values,
                          const DenseMap<Value, int64_t> &known) {
  Builder b(part.function.getContext());
  SmallVector<int64_t> inputs, ranks, bytes;
  for (Value argument : part.arguments)
    inputs.push_back(known.lookup(argument));
  for (Value value : values) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    Type element = getElementTypeOrSelf(value.getType());
    ranks.push_back(tensor ? tensor.getRank() : -1);
    bytes.push_back(element.isIndex()
                        ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr("function", b.getStringAttr(part.function.getName())),
       b.getNamedAttr("inputs", b.getDenseI64ArrayAttr(inputs)),
       b.getNamedAttr("ranks", b.getDenseI64ArrayAttr(ranks)),
       b.getNamedAttr("bytes", b.getDenseI64ArrayAttr(bytes))});
}

void SplitPreparationPass::split(func::FuncOp function) {
  Division division(function);
  NewPart rest = division.collect(division.getInputOps(), Source::Inputs);
  if (rest.values.empty())
    return;
  SmallVector<Value> graphValues =
      division.select(rest.values.getArrayRef(), Source::Graphs);
  NewPart graphs =
      division.collect(getDefinitions(graphValues), Source::Graphs);
  llvm::SetVector<Value> ofWeights = graphs.values;
  ofWeights.insert_range(
      division.select(rest.values.getArrayRef(), Source::Weights));
  SmallVector<Value> weightValues =
      division.select(ofWeights.getArrayRef(), Source::Weights);
  NewPart weights =
      division.collect(getDefinitions(weightValues), Source::Weights);
  numValues += graphValues.size() + weightValues.size();

  // The new functions, with what each computes.
  SmallVector<std::pair<NewFunction, SmallVector<Value>>> parts;
  if (!weightValues.empty())
    parts.emplace_back(outline(function, weights,
                               getArguments(function, weights, {}),
                               weightValues, ".prepare_weights"),
                       weightValues);
  if (!graphValues.empty()) {
    NewFunction prepare =
        outline(function, graphs,
                getArguments(function, graphs, graphs.values.getArrayRef()),
                graphValues, ".prepare_graphs");
    // It runs once for a graph; unrolled loops would take longer to compile.
    // As a part of its C wrapper it would be optimised like that.
    prepare.function->setAttr(
        "passthrough",
        Builder(&getContext()).getStrArrayAttr({"noinline", "optsize"}));
    parts.emplace_back(prepare, graphValues);
  }
  SmallVector<Value> all(function.getArguments());
  DenseMap<Value, int64_t> known;
  SmallVector<Attribute> descriptions;
  for (auto &[part, values] : parts) {
    for (auto [index, value] : llvm::enumerate(all))
      known[value] = index;
    descriptions.push_back(describe(part, values, known));
    llvm::append_range(all, values);
  }
  auto values = ArrayRef<Value>(all).drop_front(function.getNumArguments());
  reduce(function, rest, values);
  function->setAttr(kPreparationsAttr,
                    ArrayAttr::get(&getContext(), descriptions));
}
