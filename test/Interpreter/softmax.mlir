// RUN: gnn-interpret %s | FileCheck %s
// RUN: gnn-interpret %s --entry=large | FileCheck %s --check-prefix=LARGE

// Rows of the graph, with the scores of their edges, two features each:
//   0: nothing
//   1: (0, 5)
//   2: (0, -inf), (log 3, -inf)
//   3: (nan, -inf), (1, 0)
//   4: (inf, inf), (1, inf)
//   5: (-inf, -inf)
func.func @main() -> !gnn.edges<2xf32> {
  %rows = arith.constant dense<[0, 0, 1, 3, 5, 7, 8]> : tensor<7xi32>
  %columns = arith.constant dense<[0, 0, 1, 0, 1, 0, 0, 0]> : tensor<8xi32>
  %scores = arith.constant
    dense<[[0.0, 5.0],
           [0.0, 0xFF800000], [1.0986122886681098, 0xFF800000],
           [0x7FC00000, 0xFF800000], [1.0, 0.0],
           [0x7F800000, 0x7F800000], [1.0, 0x7F800000],
           [0xFF800000, 0xFF800000]]> : tensor<8x2xf32>
  %r = tensor.cast %rows : tensor<7xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<8xi32> to tensor<?xi32>
  %s = tensor.cast %scores : tensor<8x2xf32> to tensor<?x2xf32>
  %n = arith.constant 2 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, bipartite>
  %w = gnn.edges_from_tensor %g, %s
    : !gnn.graph<csr, bipartite>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  // Features are normalised separately. Weights 1 and 3 make a quarter and three
  // quarters; a row masked throughout gets nothing; NaN and inf spoil a row.
  // CHECK: result 0: !gnn.edges<2xf32> =
  // CHECK-SAME: {{\[\[}}1, 1],
  // CHECK-SAME: [0.25, 0], [0.75, 0],
  // CHECK-SAME: [nan, 0], [nan, 1],
  // CHECK-SAME: [nan, nan], [nan, nan],
  // CHECK-SAME: [0, 0]]
  %alpha = gnn.edge_softmax %g, %w
    : !gnn.graph<csr, bipartite>, !gnn.edges<2xf32>
  return %alpha : !gnn.edges<2xf32>
}

// The maximum is taken off first, so large scores do not overflow: e^0 and e^-1.
func.func @large() -> !gnn.edges<f64> {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %g = gnn.make_graph %one, %two
    : (index, index) -> !gnn.graph<complete, bipartite>
  %scores = arith.constant dense<[[10000.0, 9999.0]]> : tensor<1x2xf64>
  %s = tensor.cast %scores : tensor<1x2xf64> to tensor<?x?xf64>
  %w = gnn.edges_from_tensor %g, %s
    : !gnn.graph<complete, bipartite>, tensor<?x?xf64> -> !gnn.edges<f64>
  // LARGE: result 0: !gnn.edges<f64> = [0.731059, 0.268941]
  %alpha = gnn.edge_softmax %g, %w
    : !gnn.graph<complete, bipartite>, !gnn.edges<f64>
  return %alpha : !gnn.edges<f64>
}
