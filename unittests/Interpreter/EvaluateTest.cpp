//===- EvaluateTest.cpp - Functions with arguments --------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

namespace {
class EvaluateTest : public ::testing::Test {
protected:
  EvaluateTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {
    context.loadDialect<GNNDialect, arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect, tensor::TensorDialect>();
  }

  /// Evaluates the only function of `source`; fails the test if there is none.
  FailureOr<std::vector<interpreter::Value>>
  run(StringRef source, ArrayRef<interpreter::Value> arguments) {
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module) {
      ADD_FAILURE() << message;
      return failure();
    }
    function = *module->getOps<func::FuncOp>().begin();
    return evaluate(function, arguments);
  }

  std::string print(unsigned i, const interpreter::Value &value) {
    std::string text;
    llvm::raw_string_ostream os(text);
    interpreter::print(os, function.getResultTypes()[i], value);
    return text;
  }

  static Tensor makeTensor(ArrayRef<int64_t> shape,
                           std::vector<double> floats) {
    Tensor tensor = Tensor::getZero(shape, /*isFloat=*/true);
    tensor.floats = std::move(floats);
    return tensor;
  }

  Graph makeGraph() {
    return *makeCSRGraph(
        [this] { return emitError(UnknownLoc::get(&context)); }, {0, 2, 2},
        {0, 1}, 2);
  }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

static constexpr StringLiteral kSum = R"mlir(
  func.func @sum(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>, %x: tensor<?xf32>,
                 %c: f32, %n: index)
      -> (tensor<?xf32>, !gnn.graph<csr>, !gnn.edges<f32>, f32, index) {
    %m = gnn.message %g src(%x : tensor<?xf32>) edge(%w : !gnn.edges<f32>)
        uniform(%c : f32)
        {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>,
                          affine_map<() -> ()>, affine_map<() -> ()>],
         iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %0, %s : f32
      gnn.yield %1 : f32
    }
    %y = gnn.aggregate [sum] %g, %m
      : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
    return %y, %g, %m, %c, %n
      : tensor<?xf32>, !gnn.graph<csr>, !gnn.edges<f32>, f32, index
  })mlir";

TEST_F(EvaluateTest, ArgumentsOfEveryKind) {
  auto results = run(kSum, {makeGraph(), Edges{makeTensor({2}, {10, 100})},
                            makeTensor({2}, {1, 2}), 0.5, int64_t(7)});
  ASSERT_TRUE(succeeded(results)) << message;
  ASSERT_EQ(results->size(), 5u);
  // 10 * 1 + 0.5 and 100 * 2 + 0.5 arrive at node 0.
  EXPECT_EQ(print(0, (*results)[0]), "tensor<2xf32> = [211, 0]");
  EXPECT_EQ(print(1, (*results)[1]), "!gnn.graph<csr> = 2 destinations, 2 "
                                     "sources, edges [0<-0, 0<-1]");
  EXPECT_EQ(print(2, (*results)[2]), "!gnn.edges<f32> = [10.5, 200.5]");
  EXPECT_EQ(print(3, (*results)[3]), "f32 = 0.5");
  EXPECT_EQ(print(4, (*results)[4]), "index = 7");
}

TEST_F(EvaluateTest, ArgumentsAreChecked) {
  Edges edges{makeTensor({2}, {10, 100})};
  Tensor x = makeTensor({2}, {1, 2});
  EXPECT_TRUE(failed(run(kSum, {makeGraph(), edges, x, 0.5})));
  EXPECT_EQ(message, "function 'sum' takes 5 arguments, got 4");
  EXPECT_TRUE(failed(run(kSum, {x, edges, x, 0.5, int64_t(7)})));
  EXPECT_EQ(message, "argument 0 of function 'sum' must be '!gnn.graph<csr>': "
                     "it is no graph");
  EXPECT_TRUE(failed(run(kSum, {makeGraph(), x, x, 0.5, int64_t(7)})));
  EXPECT_EQ(message, "argument 1 of function 'sum' must be '!gnn.edges<f32>': "
                     "it holds no such edge values");
  EXPECT_TRUE(failed(run(kSum, {makeGraph(), edges, makeTensor({1, 2}, {1, 2}),
                                0.5, int64_t(7)})));
  EXPECT_EQ(message, "argument 2 of function 'sum' must be 'tensor<?xf32>': "
                     "its shape is [1, 2]");
  EXPECT_TRUE(failed(run(kSum, {makeGraph(), edges, Tensor::getZero({2}, false),
                                0.5, int64_t(7)})));
  EXPECT_EQ(message, "argument 2 of function 'sum' must be 'tensor<?xf32>': "
                     "it is no such tensor");
  EXPECT_TRUE(
      failed(run(kSum, {makeGraph(), edges, x, int64_t(1), int64_t(7)})));
  EXPECT_EQ(message, "argument 3 of function 'sum' must be 'f32': it is "
                     "no such scalar");
}

TEST_F(EvaluateTest, WrongNumberOfRowsIsAnError) {
  EXPECT_TRUE(failed(run(kSum, {makeGraph(), Edges{makeTensor({3}, {1, 2, 3})},
                                makeTensor({2}, {1, 2}), 0.5, int64_t(7)})));
  EXPECT_EQ(message, "'gnn.message' op takes an operand of 3 rows where 2 are "
                     "needed");
}

TEST_F(EvaluateTest, GraphsMustKeepPromises) {
  constexpr StringLiteral source = R"mlir(
    func.func @f(%g: !gnn.graph<csr, sorted, self_loops>) {
      return
    })mlir";
  EXPECT_TRUE(failed(run(source, {makeGraph()})));
  EXPECT_EQ(message,
            "argument 0 of function 'f' must be '!gnn.graph<csr, self_loops, "
            "sorted>': '!gnn.graph<csr, self_loops, sorted>' promises one "
            "self loop per node, but node 1 has 0");
}

TEST_F(EvaluateTest, BranchesAreRefused) {
  constexpr StringLiteral source = R"mlir(
    func.func @f(%x: f32) -> f32 {
      cf.br ^bb1
    ^bb1:
      return %x : f32
    })mlir";
  EXPECT_TRUE(failed(run(source, {1.0})));
  EXPECT_EQ(message, "function 'f' has several blocks; the interpreter wants "
                     "structured control flow");
}
