// RUN: gnn-interpret %s | FileCheck %s
// RUN: gnn-interpret %s --entry=integers | FileCheck %s --check-prefix=INTEGERS
// RUN: gnn-interpret %s --entry=nothing | FileCheck %s --check-prefix=NOTHING

// Rows of the graph, with the values of their edges:
//   0: nothing
//   1: 2
//   2: 1, 2, 3, 6       (with edge 1 -> 2 twice)
//   3: 4, nan
//   4: inf, 1
//   5: -inf, -inf
//   6: 0.001, -0.001    (a variance of 1e-6)
//   7: 0.01, -0.01      (a variance of 1e-4)
//   8: -3, 1
func.func @main() -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                      tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
                      tensor<?xf32>, tensor<?xf32>) {
  %rows = arith.constant dense<[0, 0, 1, 5, 7, 9, 11, 13, 15, 17]>
    : tensor<10xi32>
  %columns = arith.constant
    dense<[1, 0, 1, 1, 2, 3, 0, 0, 1, 5, 5, 7, 8, 0, 1, 2, 3]> : tensor<17xi32>
  %values = arith.constant
    dense<[2.0, 1.0, 2.0, 3.0, 6.0, 4.0, 0x7FC00000, 0x7F800000, 1.0,
           0xFF800000, 0xFF800000, 0.001, -0.001, 0.01, -0.01, -3.0, 1.0]>
    : tensor<17xf32>
  %r = tensor.cast %rows : tensor<10xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<17xi32> to tensor<?xi32>
  %v = tensor.cast %values : tensor<17xf32> to tensor<?xf32>
  %n = arith.constant 9 : index
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>

  // sum: 1 + 2 + 3 + 6 = 12.
  // CHECK: result 0: tensor<9xf32> = [0, 2, 12, nan, inf, -inf, 0, 0, -2]
  // mean: 12 / 4 = 3.
  // CHECK: result 1: tensor<9xf32> = [0, 2, 3, nan, inf, -inf, 0, 0, -1]
  // max and min: a NaN wins wherever it stands.
  // CHECK: result 2: tensor<9xf32> = [0, 2, 6, nan, inf, -inf, 0.001, 0.01, 1]
  // CHECK: result 3: tensor<9xf32> = [0, 2, 1, nan, 1, -inf, -0.001, -0.01, -3]
  // mul: 1 * 2 * 3 * 6 = 36; the empty product is 1.
  // CHECK: result 4: tensor<9xf32> = [1, 2, 36, nan, inf, inf, -1e-06, -0.0001, -3]
  // var: row 2 has (1 + 4 + 9 + 36) / 4 - 9 = 3.5, row 8 has 10 / 2 - 1 = 4; an
  // infinity minus an infinity is no number.
  // CHECK: result 5: tensor<9xf32> = [0, 0, 3.5, nan, nan, nan, 1e-06, 0.0001, 4]
  // std: sqrt(3.5) = 1.87083; at most 1e-5 counts as no variance.
  // CHECK: result 6: tensor<9xf32> = [0, 0, 1.87083, nan, nan, nan, 0, 0.01, 2]
  // softmax: row 8 has (-3 e^-4 + 1) / (e^-4 + 1) = 0.928055; row 2 with weights
  // e^-5, e^-4, e^-3 and 1 has 6.19273 / 1.07484 = 5.76153.
  // Rows 6 and 7: x tanh(x).
  // CHECK: result 7: tensor<9xf32> = [0, 2, 5.76153, nan, nan, 0, 1e-06, 9.99967e-05, 0.928055]
  %sum, %mean, %max, %min, %mul, %var, %std, %softmax =
    gnn.aggregate [sum, mean, max, min, mul, var, std, softmax] %g, %w
    : !gnn.graph<csr>, !gnn.edges<f32>
    -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
       tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %sum, %mean, %max, %min, %mul, %var, %std, %softmax
    : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
      tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Integers wrap: 100 + 100 is -56 in eight bits and 100 * 100 = 39 * 256 + 16.
func.func @integers() -> (tensor<?x2xi8>, tensor<?x2xi8>, tensor<?x2xi8>,
                          tensor<?x2xi8>) {
  %d = arith.constant 1 : index
  %s = arith.constant 2 : index
  %g = gnn.make_graph %d, %s
    : (index, index) -> !gnn.graph<complete, bipartite>
  %values = arith.constant dense<[[[100, -2], [100, 3]]]> : tensor<1x2x2xi8>
  %v = tensor.cast %values : tensor<1x2x2xi8> to tensor<?x?x2xi8>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<complete, bipartite>, tensor<?x?x2xi8> -> !gnn.edges<2xi8>
  // INTEGERS: result 0: tensor<1x2xi8> = {{\[\[}}-56, 1]]
  // INTEGERS: result 1: tensor<1x2xi8> = {{\[\[}}100, 3]]
  // INTEGERS: result 2: tensor<1x2xi8> = {{\[\[}}100, -2]]
  // INTEGERS: result 3: tensor<1x2xi8> = {{\[\[}}16, -6]]
  %sum, %max, %min, %mul = gnn.aggregate [sum, max, min, mul] %g, %w
    : !gnn.graph<complete, bipartite>, !gnn.edges<2xi8>
    -> tensor<?x2xi8>, tensor<?x2xi8>, tensor<?x2xi8>, tensor<?x2xi8>
  return %sum, %max, %min, %mul
    : tensor<?x2xi8>, tensor<?x2xi8>, tensor<?x2xi8>, tensor<?x2xi8>
}

// Destinations without any source, and no destinations at all.
func.func @nothing() -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %g = gnn.make_graph %two, %zero
    : (index, index) -> !gnn.graph<complete, bipartite>
  %h = gnn.make_graph %zero, %two
    : (index, index) -> !gnn.graph<complete, bipartite>
  %v = tensor.empty(%two, %zero) : tensor<?x?xi32>
  %u = tensor.empty(%zero, %two) : tensor<?x?xi32>
  %w = gnn.edges_from_tensor %g, %v
    : !gnn.graph<complete, bipartite>, tensor<?x?xi32> -> !gnn.edges<i32>
  %x = gnn.edges_from_tensor %h, %u
    : !gnn.graph<complete, bipartite>, tensor<?x?xi32> -> !gnn.edges<i32>
  // NOTHING: result 0: tensor<2xi32> = [0, 0]
  // NOTHING: result 1: tensor<2xi32> = [1, 1]
  // NOTHING: result 2: tensor<0xi32> = []
  %max, %mul = gnn.aggregate [max, mul] %g, %w
    : !gnn.graph<complete, bipartite>, !gnn.edges<i32>
    -> tensor<?xi32>, tensor<?xi32>
  %min = gnn.aggregate [min] %h, %x
    : !gnn.graph<complete, bipartite>, !gnn.edges<i32> -> tensor<?xi32>
  return %max, %mul, %min : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
