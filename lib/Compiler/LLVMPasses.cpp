//===- LLVMPasses.cpp - What LLVM does before machine code ------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMPasses.h"
#include "gnn/Compiler/Compiler.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"

using namespace llvm;
using namespace gnn;

/// LLVM's -O3 looks at code as people write it: many small functions, loops
/// that may never run, branches that repeat conditions. What MLIR hands over is
/// inlined, folded and free of common subexpressions; what is left to do is to
/// take apart descriptors of buffers, to move what does not change out of
/// loops, and to unroll these. These are passes of -O3 that change such code,
/// fewer times than it repeats them; bench/leave-out-passes.py says what each
/// changes.
static constexpr StringLiteral kPasses =
    "ipsccp,globalopt,"
    "cgscc(devirt<4>("
    "inline,"
    "function<eager-inv;no-rerun>("
    "sroa<modify-cfg>,"
    "early-cse<memssa>,"
    "simplifycfg<switch-range-to-icmp>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "reassociate,"
    "loop-mssa(loop-rotate<header-duplication>,licm<allowspeculation>,"
    "simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg<switch-range-to-icmp>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
    "gvn,"
    "jump-threading,"
    "memcpyopt,dse,"
    "loop-mssa(licm<allowspeculation>),"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-common-insts;"
    "sink-common-insts>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>),"
    "function-attrs)),"
    "deadargelim,globaldce,"
    "function<eager-inv>("
    "loop-vectorize,"
    "infer-alignment,"
    "slp-vectorizer,vector-combine,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-unroll<O3>,"
    "sroa<preserve-cfg>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),"
    "div-rem-pairs,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;"
    "hoist-loads-stores-with-cond-faulting;speculate-unpredictables>),"
    "globaldce,constmerge";

StringRef CodeEffort::getPasses() const {
  if (!passes.empty())
    return passes;
  switch (level) {
  case CodeGenOptLevel::None:
    return "default<O0>";
  case CodeGenOptLevel::Less:
    return "default<O1>";
  case CodeGenOptLevel::Default:
    return "default<O2>";
  case CodeGenOptLevel::Aggressive:
    return kPasses;
  }
  llvm_unreachable("unknown level");
}

namespace {
/// What LLVM's passes ask of a module, and what makes them.
struct ModulePipeline {
  explicit ModulePipeline(TargetMachine *machine = nullptr)
      : builder(machine, getTuning()) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  static PipelineTuningOptions getTuning() {
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = true;
    tuning.SLPVectorization = true;
    return tuning;
  }

  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
};
} // namespace

Error CodeEffort::verify() const {
  ModulePipeline pipeline;
  ModulePassManager manager;
  return pipeline.builder.parsePassPipeline(manager, getPasses());
}

void gnn::mergeFunctions(Module &module) {
  for (Function &function : module)
    if (function.hasLocalLinkage())
      function.setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  ModulePipeline pipeline;
  MergeFunctionsPass().run(module, pipeline.modules);
}

void gnn::runLLVMPasses(Module &module, TargetMachine &machine,
                        StringRef passes) {
  ModulePipeline pipeline(&machine);
  ModulePassManager manager;
  cantFail(pipeline.builder.parsePassPipeline(manager, passes));
  manager.run(module, pipeline.modules);
}

void gnn::optimize(Module &module, TargetMachine &machine, StringRef passes) {
  mergeFunctions(module);
  runLLVMPasses(module, machine, passes);
}
