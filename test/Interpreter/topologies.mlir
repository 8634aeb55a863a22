// RUN: gnn-interpret %s | FileCheck %s

// The edges of every topology and their order: each edge from j to i gets the
// value 10 i + j.

// CHECK: result 0: !gnn.graph<complete, bipartite> = 2 destinations, 3 sources, edges [0<-0, 0<-1, 0<-2, 1<-0, 1<-1, 1<-2]
// CHECK: result 1: !gnn.edges<i64> = [0, 1, 2, 10, 11, 12]
// CHECK: result 2: !gnn.graph<causal> = 3 destinations, 3 sources, edges [0<-0, 1<-0, 1<-1, 2<-0, 2<-1, 2<-2]
// CHECK: result 3: !gnn.edges<i64> = [0, 10, 11, 20, 21, 22]
// CHECK: result 4: !gnn.graph<window<1>> = 3 destinations, 3 sources, edges [0<-0, 0<-1, 1<-0, 1<-1, 1<-2, 2<-1, 2<-2]
// CHECK: result 5: !gnn.edges<i64> = [0, 1, 10, 11, 12, 21, 22]
// Three segments, of which the second has no nodes.
// CHECK: result 6: !gnn.graph<block_diagonal> = 3 destinations, 3 sources, edges [0<-0, 0<-1, 1<-0, 1<-1, 2<-2]
// CHECK: result 7: !gnn.edges<i64> = [0, 1, 10, 11, 22]
// Segments of destinations and sources of different lengths.
// CHECK: result 8: !gnn.graph<block_diagonal, bipartite> = 2 destinations, 3 sources, edges [0<-0, 0<-1, 0<-2]
// Row 1 is empty, row 2 has a duplicate.
// CHECK: result 9: !gnn.graph<csr> = 3 destinations, 3 sources, edges [0<-2, 0<-0, 2<-1, 2<-1]
// CHECK: result 10: !gnn.edges<i64> = [2, 0, 21, 21]
// CHECK: result 11: !gnn.graph<coo, bipartite, i64> = 3 destinations, 2 sources, edges [2<-1, 0<-0, 2<-0]
// CHECK: result 12: !gnn.graph<complete> = 0 destinations, 0 sources, edges []
func.func @main() -> (!gnn.graph<complete, bipartite>, !gnn.edges<i64>,
                      !gnn.graph<causal>, !gnn.edges<i64>,
                      !gnn.graph<window<1>>, !gnn.edges<i64>,
                      !gnn.graph<block_diagonal>, !gnn.edges<i64>,
                      !gnn.graph<block_diagonal, bipartite>,
                      !gnn.graph<csr>, !gnn.edges<i64>,
                      !gnn.graph<coo, bipartite, i64>, !gnn.graph<complete>) {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index

  %complete = gnn.make_graph %two, %three
    : (index, index) -> !gnn.graph<complete, bipartite>
  %m0 = gnn.message %complete
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<complete, bipartite> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %j = gnn.index src
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %x = arith.index_cast %l : index to i64
    gnn.yield %x : i64
  }

  %causal = gnn.make_graph %three, %three
    : (index, index) -> !gnn.graph<causal>
  %m1 = gnn.message %causal
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<causal> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %j = gnn.index src
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %x = arith.index_cast %l : index to i64
    gnn.yield %x : i64
  }

  %window = gnn.make_graph %three, %three
    : (index, index) -> !gnn.graph<window<1>>
  %m2 = gnn.message %window
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<window<1>> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %j = gnn.index src
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %x = arith.index_cast %l : index to i64
    gnn.yield %x : i64
  }

  %segments = arith.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %p = tensor.cast %segments : tensor<4xi32> to tensor<?xi32>
  %blocks = gnn.make_graph %p, %p
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal>
  %m3 = gnn.message %blocks
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<block_diagonal> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %j = gnn.index src
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %x = arith.index_cast %l : index to i64
    gnn.yield %x : i64
  }
  %dp = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %sp = arith.constant dense<[0, 3, 3]> : tensor<3xi32>
  %d = tensor.cast %dp : tensor<3xi32> to tensor<?xi32>
  %s = tensor.cast %sp : tensor<3xi32> to tensor<?xi32>
  %pairs = gnn.make_graph %d, %s
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>

  %rows = arith.constant dense<[0, 2, 2, 4]> : tensor<4xi32>
  %columns = arith.constant dense<[2, 0, 1, 1]> : tensor<4xi32>
  %r = tensor.cast %rows : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<4xi32> to tensor<?xi32>
  %csr = gnn.make_graph %r, %c, %three
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %m4 = gnn.message %csr
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %j = gnn.index src
    %k = arith.muli %i, %ten : index
    %l = arith.addi %k, %j : index
    %x = arith.index_cast %l : index to i64
    gnn.yield %x : i64
  }

  %destinations = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %sources = arith.constant dense<[1, 0, 0]> : tensor<3xi64>
  %e = tensor.cast %destinations : tensor<3xi64> to tensor<?xi64>
  %f = tensor.cast %sources : tensor<3xi64> to tensor<?xi64>
  %coo = gnn.make_graph %e, %f, %three, %two
    : (tensor<?xi64>, tensor<?xi64>, index, index)
    -> !gnn.graph<coo, bipartite, i64>

  %empty = gnn.make_graph %zero, %zero : (index, index) -> !gnn.graph<complete>
  return %complete, %m0, %causal, %m1, %window, %m2, %blocks, %m3, %pairs,
         %csr, %m4, %coo, %empty
    : !gnn.graph<complete, bipartite>, !gnn.edges<i64>, !gnn.graph<causal>,
      !gnn.edges<i64>, !gnn.graph<window<1>>, !gnn.edges<i64>,
      !gnn.graph<block_diagonal>, !gnn.edges<i64>,
      !gnn.graph<block_diagonal, bipartite>, !gnn.graph<csr>, !gnn.edges<i64>,
      !gnn.graph<coo, bipartite, i64>, !gnn.graph<complete>
}
