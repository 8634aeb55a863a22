//===- RowAxisTest.cpp - What the rows of tensors stand for -----*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gnn/Compiler/RowAxis.h"
#include "TestModule.h"

using namespace mlir;
using namespace gnn;

namespace {
class RowAxisTest : public test::ModuleTest {
protected:
  static void expectAxis(const RowAxisAnalysis &analysis, Value value,
                         gnn_axis axis, int32_t graph) {
    std::optional<RowAxis> found = analysis.lookup(value);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->axis, axis);
    EXPECT_EQ(found->graph, graph);
  }
};
} // namespace

TEST_F(RowAxisTest, OperandsOfMessages) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr, bipartite>, %d: tensor<?x4xf32>,
                 %s: tensor<?x4xf32>, %w: tensor<?xf32>, %u: tensor<4xf32>,
                 %free: tensor<?xf32>) -> tensor<?x4xf32> {
      %e = gnn.edges_from_tensor %g, %w
          : !gnn.graph<csr, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
      %m = gnn.message %g dst(%d : tensor<?x4xf32>) src(%s : tensor<?x4xf32>)
          edge(%e : !gnn.edges<f32>) uniform(%u : tensor<4xf32>)
          {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                            affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>,
                            affine_map<(d0) -> (d0)>],
           iterator_types = ["parallel"]}
          : !gnn.graph<csr, bipartite> -> !gnn.edges<4xf32> {
      ^bb0(%a: f32, %b: f32, %c: f32, %x: f32):
        %0 = arith.mulf %a, %b : f32
        gnn.yield %0 : f32
      }
      %y = gnn.aggregate [sum] %g, %m
          : !gnn.graph<csr, bipartite>, !gnn.edges<4xf32> -> tensor<?x4xf32>
      return %y : tensor<?x4xf32>
    })mlir");
  RowAxisAnalysis analysis(function);
  expectAxis(analysis, function.getArgument(1), GNN_AXIS_DESTINATION, 0);
  expectAxis(analysis, function.getArgument(2), GNN_AXIS_SOURCE, 0);
  expectAxis(analysis, function.getArgument(3), GNN_AXIS_EDGE, 0);
  EXPECT_FALSE(analysis.lookup(function.getArgument(4)));
  EXPECT_FALSE(analysis.lookup(function.getArgument(5)));
  Operation *result = function.getBody().back().getTerminator();
  expectAxis(analysis, result->getOperand(0), GNN_AXIS_DESTINATION, 0);
}

TEST_F(RowAxisTest, PairsWithinSegments) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr>,
                 %b: !gnn.graph<block_diagonal, bipartite>,
                 %x: tensor<?xf32>) -> tensor<?xf32> {
      %d, %s = gnn.graph_parts %b : !gnn.graph<block_diagonal, bipartite>
          -> tensor<?xi32>, tensor<?xi32>
      %p = gnn.make_graph %s, %s : (tensor<?xi32>, tensor<?xi32>)
          -> !gnn.graph<block_diagonal>
      %m = gnn.message %p src(%x : tensor<?xf32>)
          {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
           iterator_types = []} : !gnn.graph<block_diagonal>
          -> !gnn.edges<f32> {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      %y = gnn.aggregate [sum] %p, %m
          : !gnn.graph<block_diagonal>, !gnn.edges<f32> -> tensor<?xf32>
      return %y : tensor<?xf32>
    })mlir");
  RowAxisAnalysis analysis(function);
  expectAxis(analysis, function.getArgument(2), GNN_AXIS_SOURCE, 1);
  Operation *result = function.getBody().back().getTerminator();
  expectAxis(analysis, result->getOperand(0), GNN_AXIS_SOURCE, 1);
}

TEST_F(RowAxisTest, CountsGraphArgumentsOnly) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%x: tensor<?xf32>, %g: !gnn.graph<csr>, %t: tensor<?xi32>,
                 %h: !gnn.graph<complete>) -> (tensor<?xi32>, tensor<?xi32>) {
      %0 = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xi32>
      %1 = gnn.degree src %h : !gnn.graph<complete> -> tensor<?xi32>
      return %0, %1 : tensor<?xi32>, tensor<?xi32>
    })mlir");
  RowAxisAnalysis analysis(function);
  Operation *results = function.getBody().back().getTerminator();
  expectAxis(analysis, results->getOperand(0), GNN_AXIS_DESTINATION, 0);
  expectAxis(analysis, results->getOperand(1), GNN_AXIS_SOURCE, 1);
}

TEST_F(RowAxisTest, ReverseSwapsSides) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr, bipartite>)
        -> (tensor<?xi32>, tensor<?xi32>) {
      %r = gnn.reverse %g : !gnn.graph<csr, bipartite>
          -> !gnn.graph<csr, bipartite>
      %0 = gnn.degree dst %r : !gnn.graph<csr, bipartite> -> tensor<?xi32>
      %1 = gnn.degree src %r : !gnn.graph<csr, bipartite> -> tensor<?xi32>
      return %0, %1 : tensor<?xi32>, tensor<?xi32>
    })mlir");
  RowAxisAnalysis analysis(function);
  Operation *results = function.getBody().back().getTerminator();
  expectAxis(analysis, results->getOperand(0), GNN_AXIS_SOURCE, 0);
  expectAxis(analysis, results->getOperand(1), GNN_AXIS_DESTINATION, 0);
}

TEST_F(RowAxisTest, SelfLoopsChangeEdgesButNotNodes) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr>, %x: tensor<?xf32>)
        -> (tensor<?xi32>, tensor<?xf32>) {
      %l = gnn.remove_self_loops %g : !gnn.graph<csr> -> !gnn.graph<csr>
      %0 = gnn.degree dst %l : !gnn.graph<csr> -> tensor<?xi32>
      %m = gnn.message %l src(%x : tensor<?xf32>)
          {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
           iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      %1 = gnn.edges_to_tensor %l, %m
          : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
      return %0, %1 : tensor<?xi32>, tensor<?xf32>
    })mlir");
  RowAxisAnalysis analysis(function);
  expectAxis(analysis, function.getArgument(1), GNN_AXIS_SOURCE, 0);
  Operation *results = function.getBody().back().getTerminator();
  expectAxis(analysis, results->getOperand(0), GNN_AXIS_DESTINATION, 0);
  // As many edges as the caller's graph has no loops: not the caller's number.
  EXPECT_FALSE(analysis.lookup(results->getOperand(1)));
}

TEST_F(RowAxisTest, OpsThatWorkRowByRow) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr>, %x: tensor<?x6xf32>, %w: tensor<6x8xf32>,
                 %i: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
      %p = linalg.matmul ins(%x, %w : tensor<?x6xf32>, tensor<6x8xf32>)
          outs(%i : tensor<?x8xf32>) -> tensor<?x8xf32>
      %q = arith.addf %p, %p {tag = "elementwise"} : tensor<?x8xf32>
      %e = tensor.expand_shape %q [[0], [1, 2]] output_shape [%n, 2, 4]
          {tag = "expanded"} : tensor<?x8xf32> into tensor<?x2x4xf32>
      %c = tensor.collapse_shape %e [[0, 1], [2]] {tag = "collapsed"}
          : tensor<?x2x4xf32> into tensor<?x4xf32>
      %zero = arith.constant 0 : index
      %rows = tensor.dim %q, %zero : tensor<?x8xf32>
      %part = tensor.extract_slice %q[0, 2] [%rows, 4] [1, 1] {tag = "narrow"}
          : tensor<?x8xf32> to tensor<?x4xf32>
      %some = tensor.extract_slice %q[0, 0] [%n, 8] [1, 1] {tag = "some rows"}
          : tensor<?x8xf32> to tensor<?x8xf32>
      %k = tensor.concat dim(1) %q, %q {tag = "wide"}
          : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
      %l = tensor.concat dim(0) %q, %q {tag = "long"}
          : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
      %m = gnn.message %g src(%q : tensor<?x8xf32>)
          {indexing_maps = [affine_map<(d0) -> (d0)>,
                            affine_map<(d0) -> (d0)>],
           iterator_types = ["parallel"]}
          : !gnn.graph<csr> -> !gnn.edges<8xf32> {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      %y = gnn.aggregate [sum] %g, %m
          : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    })mlir");
  RowAxisAnalysis analysis(function);
  // Backwards through the product, whose other operand has rows of its own.
  expectAxis(analysis, function.getArgument(1), GNN_AXIS_SOURCE, 0);
  EXPECT_FALSE(analysis.lookup(function.getArgument(2)));
  expectAxis(analysis, getTagged("elementwise"), GNN_AXIS_SOURCE, 0);
  expectAxis(analysis, getTagged("expanded"), GNN_AXIS_SOURCE, 0);
  expectAxis(analysis, getTagged("wide"), GNN_AXIS_SOURCE, 0);
  expectAxis(analysis, getTagged("narrow"), GNN_AXIS_SOURCE, 0);
  EXPECT_FALSE(analysis.lookup(getTagged("some rows")));
  EXPECT_FALSE(analysis.lookup(getTagged("collapsed")));
  EXPECT_FALSE(analysis.lookup(getTagged("long")));
}

TEST_F(RowAxisTest, PooledNodesAreSourcesOfTheBatch) {
  func::FuncOp function = parse(R"mlir(
    func.func @f(%g: !gnn.graph<csr>, %b: !gnn.graph<block_diagonal, bipartite>,
                 %other: !gnn.graph<csr, bipartite>, %x: tensor<?xf32>)
        -> (tensor<?xf32>, tensor<?xf32>) {
      %d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>
      %y = arith.mulf %d, %x : tensor<?xf32>
      %m = gnn.message %b src(%y : tensor<?xf32>)
          {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
           iterator_types = []}
          : !gnn.graph<block_diagonal, bipartite> -> !gnn.edges<f32> {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      %p = gnn.aggregate [sum] %b, %m
          : !gnn.graph<block_diagonal, bipartite>, !gnn.edges<f32>
          -> tensor<?xf32>
      %free = gnn.degree src %other : !gnn.graph<csr, bipartite> -> tensor<?xf32>
      return %p, %free : tensor<?xf32>, tensor<?xf32>
    })mlir");
  RowAxisAnalysis analysis(function);
  std::optional<RowAxis> sources = analysis.lookupSources(1);
  ASSERT_TRUE(sources.has_value());
  EXPECT_EQ(sources->axis, GNN_AXIS_DESTINATION);
  EXPECT_EQ(sources->graph, 0);
  EXPECT_FALSE(analysis.lookupSources(0));
  EXPECT_FALSE(analysis.lookupSources(2));
  expectAxis(analysis, function.getArgument(3), GNN_AXIS_DESTINATION, 0);
}
