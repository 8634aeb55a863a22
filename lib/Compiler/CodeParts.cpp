//===- CodeParts.cpp - Modules that are compiled side by side -------------===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeParts.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

static constexpr unsigned kMaxParts = 8;
/// Bytes of a constant that parts have for themselves.
static constexpr uint64_t kSmallConstantBytes = 64;

namespace {
/// Says which part of a module each function goes to.
class Division {
public:
  Division(Module &module, unsigned parts, unsigned partInstructions);

  unsigned size() const { return numParts; }
  /// What is no function stays in the last part.
  unsigned getLast() const { return numParts - 1; }
  unsigned getPart(const Function &function) const {
    return parts.lookup(&function);
  }
  bool isCopied(const GlobalVariable &variable) const;
  /// Sets the bits of the parts that `value` is used in.
  void collectUsers(const Value &value, BitVector &users) const;

private:
  const DataLayout &layout;
  unsigned numParts = 1;
  DenseMap<const Function *, unsigned> parts;
};

/// Functions of one part, or of what is to become a part of one.
struct FunctionGroup {
  SmallVector<const Function *> functions;
  unsigned instructions = 0;

  void add(const FunctionGroup &other) {
    functions.append(other.functions);
    instructions += other.instructions;
  }
};
} // namespace

static bool isSmaller(const FunctionGroup &one, const FunctionGroup &other) {
  return one.instructions < other.instructions;
}

static void sortByDecreasingSize(MutableArrayRef<FunctionGroup> groups) {
  llvm::stable_sort(groups,
                    [](const FunctionGroup &one, const FunctionGroup &other) {
                      return isSmaller(other, one);
                    });
}

/// Functions by who calls whom: LLVM puts them into each other, and drops
/// arguments that are not needed. What is only passed on by its address, as
/// parallel regions are, or called where it must not be put, is by itself.
static SmallVector<FunctionGroup> groupFunctions(const Module &module) {
  EquivalenceClasses<const Function *> callers;
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    callers.insert(&function);
    for (const Use &use : function.uses())
      if (auto *call = dyn_cast<CallBase>(use.getUser());
          call && call->isCallee(&use) &&
          !call->getAttributes().hasFnAttr(Attribute::NoInline))
        callers.unionSets(&function, call->getFunction());
  }
  MapVector<const Function *, FunctionGroup> groups;
  for (const Function &function : module)
    if (!function.isDeclaration())
      groups[callers.getLeaderValue(&function)].add(
          {{&function}, function.getInstructionCount()});
  SmallVector<FunctionGroup> result;
  for (auto &[leader, group] : groups)
    result.push_back(std::move(group));
  return result;
}

Division::Division(Module &module, unsigned wanted, unsigned partInstructions)
    : layout(module.getDataLayout()) {
  SmallVector<FunctionGroup> groups = groupFunctions(module);
  if (wanted == 0) {
    unsigned instructions = 0;
    for (const FunctionGroup &group : groups)
      instructions += group.instructions;
    wanted = std::min(instructions / partInstructions, kMaxParts);
  }
  numParts =
      std::clamp<unsigned>(wanted, 1, std::max<size_t>(groups.size(), 1));
  // The largest go first, each to where there is least.
  sortByDecreasingSize(groups);
  SmallVector<FunctionGroup> bins(numParts);
  for (const FunctionGroup &group : groups)
    llvm::min_element(bins, isSmaller)->add(group);
  sortByDecreasingSize(bins);
  for (auto [part, bin] : llvm::enumerate(bins))
    for (const Function *function : bin.functions)
      parts[function] = part;
}

/// Addresses of functions and constants of a model's own are not compared.
bool Division::isCopied(const GlobalVariable &variable) const {
  return variable.isConstant() && variable.hasInitializer() &&
         variable.hasLocalLinkage() &&
         layout.getTypeAllocSize(variable.getValueType()) <=
             kSmallConstantBytes;
}

void Division::collectUsers(const Value &value, BitVector &users) const {
  for (const User *user : value.users()) {
    if (auto *instruction = dyn_cast<Instruction>(user)) {
      users.set(getPart(*instruction->getFunction()));
      continue;
    }
    auto *variable = dyn_cast<GlobalVariable>(user);
    if (variable)
      users.set(getLast());
    if (!variable || isCopied(*variable))
      collectUsers(*user, users);
  }
}

/// Lets other parts find `value`, and nobody else.
static void publish(GlobalValue &value, StringRef prefix) {
  value.setName(prefix + "." + (value.hasName() ? value.getName() : "unnamed"));
  value.setLinkage(GlobalValue::ExternalLinkage);
  value.setVisibility(GlobalValue::HiddenVisibility);
  value.setDSOLocal(true);
}

static void publishShared(Module &module, const Division &division,
                          StringRef prefix) {
  auto publishIfShared = [&](GlobalValue &value, unsigned home) {
    BitVector users(division.size());
    division.collectUsers(value, users);
    users.reset(home);
    if (value.hasLocalLinkage() && users.any())
      publish(value, prefix);
  };
  for (Function &function : module)
    if (!function.isDeclaration())
      publishIfShared(function, division.getPart(function));
  for (GlobalVariable &variable : module.globals())
    if (!division.isCopied(variable))
      publishIfShared(variable, division.getLast());
}

/// Leaves the variables that the functions of a part read.
static void eraseUnused(Module &part) {
  SmallVector<GlobalVariable *> variables(
      llvm::make_pointer_range(part.globals()));
  for (GlobalVariable *variable : llvm::reverse(variables)) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty())
      variable->eraseFromParent();
  }
}

std::vector<std::unique_ptr<Module>>
gnn::splitOffParts(Module &module, StringRef prefix, unsigned parts,
                   unsigned partInstructions) {
  assert(module.alias_empty() && module.ifunc_empty() && "made by no pass");
  Division division(module, parts, partInstructions);
  std::vector<std::unique_ptr<Module>> result;
  if (division.size() == 1)
    return result;
  publishShared(module, division, prefix);
  for (unsigned part = 0; part < division.getLast(); ++part) {
    ValueToValueMapTy values;
    result.push_back(CloneModule(module, values, [&](const GlobalValue *value) {
      if (auto *function = dyn_cast<Function>(value))
        return division.getPart(*function) == part;
      return division.isCopied(*cast<GlobalVariable>(value));
    }));
    eraseUnused(*result.back());
  }
  for (Function &function : module)
    if (!function.isDeclaration() &&
        division.getPart(function) != division.getLast())
      function.deleteBody();
  return result;
}
