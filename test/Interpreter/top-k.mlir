// RUN: gnn-interpret %s | FileCheck %s

// Rows of the graph, with the scores of their edges, two features each:
//   0: nothing
//   1: (5, nan)
//   2: (1, 2), (3, 2), (2, 2)
//   3: (1, nan), (inf, 7), (nan, 8), (1, nan), (-inf, 9)
func.func @main() -> !gnn.edges<2xf32> {
  %rows = arith.constant dense<[0, 0, 1, 4, 9]> : tensor<5xi32>
  %columns = arith.constant dense<0> : tensor<9xi32>
  %scores = arith.constant
    dense<[[5.0, 0x7FC00000],
           [1.0, 2.0], [3.0, 2.0], [2.0, 2.0],
           [1.0, 0x7FC00000], [0x7F800000, 7.0], [0x7FC00000, 8.0],
           [1.0, 0x7FC00000], [0xFF800000, 9.0]]> : tensor<9x2xf32>
  %r = tensor.cast %rows : tensor<5xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<9xi32> to tensor<?xi32>
  %s = tensor.cast %scores : tensor<9x2xf32> to tensor<?x2xf32>
  %n = arith.constant 1 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr, bipartite>
  %w = gnn.edges_from_tensor %g, %s
    : !gnn.graph<csr, bipartite>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  // Features are ranked separately, the first of equal scores before the
  // others, NaN before all numbers.
  // CHECK: result 0: !gnn.edges<2xf32> =
  // CHECK-SAME: {{\[\[}}5, nan],
  // CHECK-SAME: [-inf, 2], [3, 2], [2, -inf],
  // CHECK-SAME: [-inf, nan], [inf, -inf], [nan, -inf], [-inf, nan], [-inf, -inf]]
  %kept = gnn.edge_top_k %g, %w {k = 2}
    : !gnn.graph<csr, bipartite>, !gnn.edges<2xf32>
  return %kept : !gnn.edges<2xf32>
}
