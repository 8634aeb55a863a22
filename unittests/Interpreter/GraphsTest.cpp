//===- GraphsTest.cpp - Graphs and layouts of edge values -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Interpreter/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::interpreter;

namespace {
/// Collects what is reported instead of printing it.
class GraphsTest : public ::testing::Test {
protected:
  GraphsTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {
    context.loadDialect<GNNDialect>();
  }

  InFlightDiagnostic emitError() {
    return mlir::emitError(UnknownLoc::get(&context));
  }
  auto getEmitter() {
    return [this] { return emitError(); };
  }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST_F(GraphsTest, CSRRowsBecomeEdges) {
  FailureOr<Graph> graph =
      makeCSRGraph(getEmitter(), {0, 2, 2, 3}, {1, 0, 2}, 3);
  ASSERT_TRUE(succeeded(graph));
  EXPECT_EQ(graph->numDestinations, 3);
  EXPECT_EQ(graph->destinations, (std::vector<int64_t>{0, 0, 2}));
  EXPECT_EQ(graph->sources, (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(graph->getRowPointers(), (std::vector<int64_t>{0, 2, 2, 3}));
}

TEST_F(GraphsTest, CSRWithoutNodesHasOnePointer) {
  FailureOr<Graph> graph = makeCSRGraph(getEmitter(), {0}, {}, 0);
  ASSERT_TRUE(succeeded(graph));
  EXPECT_EQ(graph->numDestinations, 0);
  EXPECT_EQ(graph->getNumEdges(), 0);
  EXPECT_TRUE(failed(makeCSRGraph(getEmitter(), {}, {}, 0)));
  EXPECT_EQ(message, "row pointers are empty; even without rows there is one");
}

TEST_F(GraphsTest, IndicesMustBeNodes) {
  EXPECT_TRUE(failed(makeCSRGraph(getEmitter(), {0, 1}, {4}, 4)));
  EXPECT_EQ(message, "source 4 of edge 0 is out of range; there are 4");
  EXPECT_TRUE(failed(makeCOOGraph(getEmitter(), {0, -1}, {0, 0}, 2, 2)));
  EXPECT_EQ(message, "destination -1 of edge 1 is out of range; there are 2");
}

TEST_F(GraphsTest, VerifyComparesTopologyAndWindow) {
  FailureOr<Graph> graph =
      makeDenseGraph(getEmitter(), Topology::Window, 1, 3, 3);
  ASSERT_TRUE(succeeded(graph));
  EXPECT_EQ(graph->getNumEdges(), 7);
  EXPECT_TRUE(succeeded(verifyGraph(
      getEmitter(), *graph, GNNGraphType::get(&context, Topology::Window, 1))));
  EXPECT_TRUE(failed(verifyGraph(
      getEmitter(), *graph, GNNGraphType::get(&context, Topology::Window, 2))));
  EXPECT_EQ(message, "the graph is no '!gnn.graph<window<2>>'");
}

TEST_F(GraphsTest, LayoutsOfDenseGraphs) {
  FailureOr<Graph> graph =
      makeDenseGraph(getEmitter(), Topology::Causal, 0, 2, 2);
  ASSERT_TRUE(succeeded(graph));
  Tensor tensor = Tensor::getZero({2, 2}, /*isFloat=*/true);
  tensor.floats = {1, 2, 3, 4};
  FailureOr<Edges> edges = edgesFromTensor(getEmitter(), *graph, tensor);
  ASSERT_TRUE(succeeded(edges));
  EXPECT_EQ(edges->values.floats, (std::vector<double>{1, 3, 4}));
  FailureOr<Tensor> back = edgesToTensor(getEmitter(), *graph, *edges);
  ASSERT_TRUE(succeeded(back));
  EXPECT_EQ(back->floats[0], 1);
  EXPECT_TRUE(std::isnan(back->floats[1]));
  EXPECT_EQ(back->floats[2], 3);
  EXPECT_EQ(back->floats[3], 4);
}

TEST_F(GraphsTest, TypesThatNoTextCanSpell) {
  auto emitError = getEmitter();
  EXPECT_TRUE(failed(GNNGraphType::verify(emitError, Topology::CSR,
                                          /*window=*/3, false, false, false,
                                          false, 32)));
  EXPECT_EQ(message, "only a window graph has a window");
  EXPECT_TRUE(failed(GNNGraphType::verify(emitError, Topology::CSR,
                                          /*window=*/0, false, false, false,
                                          false, 16)));
  EXPECT_EQ(message, "indices must be i32 or i64, got i16");
  EXPECT_TRUE(failed(EdgesType::verify(emitError, {ShapedType::kDynamic},
                                       Float32Type::get(&context))));
  EXPECT_EQ(message, "the shape of an edge value must be static");
}
