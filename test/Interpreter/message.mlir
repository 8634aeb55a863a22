// RUN: gnn-interpret %s --entry=roles | FileCheck %s --check-prefix=ROLES
// RUN: gnn-interpret %s --entry=maps | FileCheck %s --check-prefix=MAPS
// RUN: gnn-interpret %s --entry=no_features | FileCheck %s --check-prefix=NOTHING
// RUN: gnn-interpret %s --entry=update | FileCheck %s --check-prefix=UPDATE
// RUN: gnn-interpret %s --entry=lookup | FileCheck %s --check-prefix=LOOKUP

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// Edges 0 <- 1, 0 <- 1 (a duplicate), 2 <- 0.
func.func private @graph() -> !gnn.graph<csr> {
  %rows = arith.constant dense<[0, 2, 2, 3]> : tensor<4xi32>
  %columns = arith.constant dense<[1, 1, 0]> : tensor<3xi32>
  %n = arith.constant 3 : index
  %r = tensor.cast %rows : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<3xi32> to tensor<?xi32>
  %g = gnn.make_graph %r, %c, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  return %g : !gnn.graph<csr>
}

// dst + 10 src + 100 edge + 1000 uniform + scalar, with two features. Edge 0 has
// 1 + 10 * 5 + 100 * 7 + 1000 * 1 + 0.5 and 2 + 10 * 6 + 100 * 7 + 1000 * 2 + 0.5.
// ROLES: result 0: !gnn.edges<2xf32> = {{\[\[}}1751.5, 2762.5], [1851.5, 2862.5], [1913.5, 2924.5]]
func.func @roles() -> !gnn.edges<2xf32> {
  %g = call @graph() : () -> !gnn.graph<csr>
  %d = arith.constant dense<[[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]>
    : tensor<3x2xf32>
  %s = arith.constant dense<[[1.0, 2.0], [5.0, 6.0], [0.0, 0.0]]>
    : tensor<3x2xf32>
  %e = arith.constant dense<[7.0, 8.0, 9.0]> : tensor<3xf32>
  %u = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant 0.5 : f32
  %dd = tensor.cast %d : tensor<3x2xf32> to tensor<?x2xf32>
  %ss = tensor.cast %s : tensor<3x2xf32> to tensor<?x2xf32>
  %ee = tensor.cast %e : tensor<3xf32> to tensor<?xf32>
  %w = gnn.edges_from_tensor %g, %ee
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %ten = arith.constant 10.0 : f32
  %m = gnn.message %g dst(%dd : tensor<?x2xf32>) src(%ss : tensor<?x2xf32>)
      edge(%w : !gnn.edges<f32>) uniform(%u, %c : tensor<2xf32>, f32)
      {indexing_maps = [#id, #id, #none, #id, #none, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %x: f32, %y: f32, %z: f32):
    // A value from outside of the region is read, too.
    %0 = arith.mulf %y, %ten : f32
    %1 = arith.addf %0, %x : f32
    %2 = arith.mulf %1, %ten : f32
    %3 = arith.addf %2, %b : f32
    %4 = arith.mulf %3, %ten : f32
    %5 = arith.addf %4, %a : f32
    %6 = arith.addf %5, %z : f32
    gnn.yield %6 : f32
  }
  return %m : !gnn.edges<2xf32>
}

// Two reductions around a parallel loop, and a transposed operand: of edge e the
// sum over i and k of src[i, k] * w[k, j, i], for j = 0, 1.
// With src = 1 everywhere at node 1 and w = 1 .. 8 in order (k, j, i), j = 0 sums
// 1 + 2 + 5 + 6 = 14 and j = 1 sums 3 + 4 + 7 + 8 = 22; node 0 has 2 throughout.
// MAPS: result 0: !gnn.edges<2xf64> = {{\[\[}}14, 22], [14, 22], [28, 44]]
// MAPS: result 1: !gnn.edges<1x2xi32> = {{\[\[\[}}3, 4]], {{\[\[}}3, 4]], {{\[\[}}1, 2]]]
func.func @maps() -> (!gnn.edges<2xf64>, !gnn.edges<1x2xi32>) {
  %g = call @graph() : () -> !gnn.graph<csr>
  %x = arith.constant
    dense<[[[2.0, 2.0], [2.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]],
           [[9.0, 9.0], [9.0, 9.0]]]> : tensor<3x2x2xf64>
  %s = tensor.cast %x : tensor<3x2x2xf64> to tensor<?x2x2xf64>
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]>
    : tensor<2x2x2xf64>
  %m = gnn.message %g src(%s : tensor<?x2x2xf64>)
      uniform(%w : tensor<2x2x2xf64>)
      {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                        affine_map<(i, j, k) -> (k, j, i)>,
                        affine_map<(i, j, k) -> (j)>],
       iterator_types = ["reduction", "parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf64> {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    gnn.yield %1 : f64
  }
  // The result's map permutes.
  %y = arith.constant dense<[[[1], [2]], [[3], [4]], [[5], [6]]]>
    : tensor<3x2x1xi32>
  %t = tensor.cast %y : tensor<3x2x1xi32> to tensor<?x2x1xi32>
  %n = gnn.message %g src(%t : tensor<?x2x1xi32>)
      {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                        affine_map<(i, j) -> (j, i)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<1x2xi32> {
  ^bb0(%a: i32):
    gnn.yield %a : i32
  }
  return %m, %n : !gnn.edges<2xf64>, !gnn.edges<1x2xi32>
}

// Without features there is nothing to compute; a reduction over nothing is 0.
// NOTHING: result 0: !gnn.edges<0xf32> = {{\[\[\], \[\], \[\]\]}}
// NOTHING: result 1: !gnn.edges<f32> = [0, 0, 0]
func.func @no_features() -> (!gnn.edges<0xf32>, !gnn.edges<f32>) {
  %g = call @graph() : () -> !gnn.graph<csr>
  %three = arith.constant 3 : index
  %x = tensor.empty(%three) : tensor<?x0xf32>
  %m = gnn.message %g src(%x : tensor<?x0xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<0xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %n = gnn.message %g src(%x : tensor<?x0xf32>)
      {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %a, %sum : f32
    gnn.yield %0 : f32
  }
  return %m, %n : !gnn.edges<0xf32>, !gnn.edges<f32>
}

// A linear layer without a bias: [1 2] and [3 4] times the transposed weight
// [[1 0] [0 1] [1 1]]; then x + 10 for each node, and no nodes.
// UPDATE: result 0: tensor<2x3xf32> = {{\[\[}}1, 2, 3], [3, 4, 7]]
// UPDATE: result 1: tensor<2x3xf32> = {{\[\[}}11, 12, 13], [13, 14, 17]]
// UPDATE: result 2: tensor<0x3xf32> = []
func.func @update() -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]>
    : tensor<3x2xf32>
  %d = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %y = gnn.update node(%d : tensor<?x2xf32>) uniform(%w : tensor<3x2xf32>)
      {indexing_maps = [affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (o, i)>,
                        affine_map<(o, i) -> (o)>],
       iterator_types = ["parallel", "reduction"]} : tensor<?x3xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    gnn.yield %1 : f32
  }
  %ten = arith.constant 10.0 : f32
  %z = gnn.update node(%y : tensor<?x3xf32>) uniform(%ten : f32)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : tensor<?x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    gnn.yield %0 : f32
  }
  %zero = arith.constant 0 : index
  %none = tensor.empty(%zero) : tensor<?x3xf32>
  %e = gnn.update node(%none : tensor<?x3xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : tensor<?x3xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y, %z, %e : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// LOOKUP: result 0: tensor<3x2xf32> = {{\[\[}}5, 6], [1, 2], [5, 6]]
// LOOKUP: result 1: tensor<0xi32> = []
func.func @lookup() -> (tensor<3x2xf32>, tensor<0xi32>) {
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
    : tensor<3x2xf32>
  %numbers = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %r = gnn.lookup %table[%numbers]
    : tensor<3x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
  %integers = arith.constant dense<[7, 8]> : tensor<2xi32>
  %none = tensor.empty() : tensor<0xindex>
  %e = gnn.lookup %integers[%none]
    : tensor<2xi32>, tensor<0xindex> -> tensor<0xi32>
  return %r, %e : tensor<3x2xf32>, tensor<0xi32>
}
