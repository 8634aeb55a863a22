//===- gnn-interpret.cpp - Run gnn IR in the interpreter --------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Interpreter/Interpreter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::OptionCategory category("gnn-interpret options");
  llvm::cl::opt<std::string> inputFile(
      llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"),
      llvm::cl::cat(category));
  llvm::cl::opt<std::string> entry(
      "entry", llvm::cl::desc("Function to evaluate; it takes no arguments"),
      llvm::cl::init("main"), llvm::cl::cat(category));
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Evaluates a function with the float64 reference interpreter and prints "
      "its results\n");

  DialectRegistry registry;
  registry.insert<gnn::GNNDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  MLIRContext context(registry);

  std::string message;
  auto file = openInputFile(inputFile, &message);
  if (!file) {
    llvm::WithColor::error(llvm::errs(), "gnn-interpret") << message << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  if (!function) {
    llvm::WithColor::error(llvm::errs(), "gnn-interpret")
        << "no function '" << entry << "' in '" << inputFile
        << "'; name one with --entry\n";
    return 1;
  }

  auto results = gnn::interpreter::evaluate(function, {});
  if (failed(results))
    return 1;
  for (auto [i, value] : llvm::enumerate(*results)) {
    llvm::outs() << "result " << i << ": ";
    gnn::interpreter::print(llvm::outs(), function.getResultTypes()[i], value);
    llvm::outs() << "\n";
  }
  return 0;
}
