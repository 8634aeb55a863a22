// RUN: gnn-opt --gnn-coo-to-csr --split-input-file --verify-diagnostics %s \
// RUN:   | FileCheck %s

// The argument is the sorted graph; edge values need not move, and promises are
// kept.
// CHECK-LABEL: func @sorted
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, symmetric>, %[[T:.*]]: tensor<?xf32>)
// CHECK: %[[W:.*]] = gnn.edges_from_tensor %[[G]], %[[T]]
// CHECK-NOT: gnn.to_csr
// CHECK: gnn.aggregate [sum] %[[G]], %[[W]]
func.func @sorted(%g: !gnn.graph<coo, symmetric>, %t: tensor<?xf32>)
    -> tensor<?xf32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<coo, symmetric>, tensor<?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.to_csr %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo, symmetric> -> !gnn.graph<csr, symmetric>, !gnn.edges<f32>
  %y = gnn.aggregate [sum] %h, %u
    : !gnn.graph<csr, symmetric>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Counts do not depend on the order.
// CHECK-LABEL: func @counts
// CHECK-SAME: !gnn.graph<csr, bipartite>
// CHECK: gnn.degree src
// CHECK-SAME: !gnn.graph<csr, bipartite>
// CHECK: gnn.num_edges
func.func @counts(%g: !gnn.graph<coo, bipartite>) -> (tensor<?xf32>, index) {
  %d = gnn.degree src %g : !gnn.graph<coo, bipartite> -> tensor<?xf32>
  %e = gnn.num_edges %g : !gnn.graph<coo, bipartite>
  return %d, %e : tensor<?xf32>, index
}

// -----

// A private function may be called with any list, and a list made inside is not
// sorted by the runtime.
// CHECK-LABEL: func private @private
// CHECK-SAME: !gnn.graph<coo>
// CHECK: gnn.to_csr
func.func private @private(%g: !gnn.graph<coo>) -> !gnn.graph<csr> {
  %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<csr>
  return %h : !gnn.graph<csr>
}
// CHECK-LABEL: func @made_inside
// CHECK: gnn.make_graph
// CHECK: gnn.to_csr
func.func @made_inside(%d: tensor<?xi32>, %s: tensor<?xi32>, %n: index)
    -> !gnn.graph<csr> {
  %g = gnn.make_graph %d, %s, %n, %n
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo>
  %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<csr>
  return %h : !gnn.graph<csr>
}

// -----

func.func @parts(%g: !gnn.graph<coo>) -> tensor<?xi32> {
  // expected-error @+1 {{'gnn.graph_parts' op reads the edge list of an argument, which the runtime passes sorted; take a csr graph instead}}
  %d, %s, %n, %m = gnn.graph_parts %g
    : !gnn.graph<coo> -> tensor<?xi32>, tensor<?xi32>, index, index
  return %d : tensor<?xi32>
}

// -----

func.func @returned(%g: !gnn.graph<coo>) -> !gnn.graph<coo> {
  // expected-error @+1 {{'func.return' op reads the edge list of an argument}}
  return %g : !gnn.graph<coo>
}

// -----

// What is promised of the sorted graph is promised of the argument.
// CHECK-LABEL: func @promises
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, self_loops, sorted>)
// CHECK-NEXT: return %[[G]] : !gnn.graph<csr, self_loops, sorted>
func.func @promises(%g: !gnn.graph<coo, self_loops>)
    -> !gnn.graph<csr, self_loops, sorted> {
  %h = gnn.to_csr %g
    : !gnn.graph<coo, self_loops> -> !gnn.graph<csr, self_loops, sorted>
  return %h : !gnn.graph<csr, self_loops, sorted>
}

// -----

func.func @fewer_promises(%g: !gnn.graph<coo, sorted>) -> !gnn.graph<csr> {
  %h = gnn.to_csr %g : !gnn.graph<coo, sorted> -> !gnn.graph<csr>
  // expected-error @+1 {{'func.return' op takes '!gnn.graph<csr>', but what the runtime passes is '!gnn.graph<csr, sorted>'; promise the same of both}}
  return %h : !gnn.graph<csr>
}

// -----

// expected-error @+1 {{'func.func' op is called in its module, where nothing sorts the edge list that it takes; make it private}}
func.func @called(%g: !gnn.graph<coo>) -> index {
  %n = gnn.num_edges %g : !gnn.graph<coo>
  return %n : index
}
func.func @caller(%d: tensor<?xi32>, %s: tensor<?xi32>, %n: index) -> index {
  %g = gnn.make_graph %d, %s, %n, %n
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo>
  %e = call @called(%g) : (!gnn.graph<coo>) -> index
  return %e : index
}

// -----

// What the function makes of an argument, and values that are all the same, need
// no order of their own; weights have no row per edge.
// CHECK-LABEL: func @computed
// CHECK-COUNT-2: gnn.edges_from_tensor %{{.*}} : !gnn.graph<csr>
#row = affine_map<(e, f, d) -> (e, d)>
#weight = affine_map<(e, f, d) -> (d, f)>
#result = affine_map<(e, f, d) -> (e, f)>
func.func @computed(%g: !gnn.graph<coo>, %t: tensor<4x2xf32>)
    -> (!gnn.edges<2xf32>, !gnn.edges<f32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %p = linalg.generic {indexing_maps = [#row, #weight, #result],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : tensor<4x2xf32>, tensor<2x2xf32>)
      outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %c = tensor.cast %p : tensor<4x2xf32> to tensor<?x2xf32>
  %e = gnn.edges_from_tensor %g, %c
    : !gnn.graph<coo>, tensor<?x2xf32> -> !gnn.edges<2xf32>
  %fours = arith.constant dense<1.0> : tensor<4xf32>
  %ones = tensor.cast %fours : tensor<4xf32> to tensor<?xf32>
  %f = gnn.edges_from_tensor %g, %ones
    : !gnn.graph<coo>, tensor<?xf32> -> !gnn.edges<f32>
  return %e, %f : !gnn.edges<2xf32>, !gnn.edges<f32>
}

// -----

func.func @constant(%g: !gnn.graph<coo>, %t: tensor<3xf32>) -> !gnn.edges<f32> {
  // expected-note @+1 {{made here}}
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %p = arith.mulf %t, %c : tensor<3xf32>
  %d = tensor.cast %p : tensor<3xf32> to tensor<?xf32>
  // expected-error @+1 {{'gnn.edges_from_tensor' op reads values that the function makes in the order of an edge list, which the runtime passes sorted; take them as an argument, or take a csr graph}}
  %w = gnn.edges_from_tensor %g, %d
    : !gnn.graph<coo>, tensor<?xf32> -> !gnn.edges<f32>
  return %w : !gnn.edges<f32>
}

// -----

func.func @numbered(%g: !gnn.graph<coo>, %t: tensor<?xi32>) -> !gnn.edges<i32> {
  // expected-note @+1 {{made here}}
  %n = linalg.generic {indexing_maps = [affine_map<(e) -> (e)>],
                       iterator_types = ["parallel"]}
      outs(%t : tensor<?xi32>) {
  ^bb0(%a: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<?xi32>
  // expected-error @+1 {{op reads values that the function makes}}
  %w = gnn.edges_from_tensor %g, %n
    : !gnn.graph<coo>, tensor<?xi32> -> !gnn.edges<i32>
  return %w : !gnn.edges<i32>
}

// -----

func.func @rotated(%g: !gnn.graph<coo>, %t: tensor<?xf32>, %rest: index) -> !gnn.edges<f32> {
  // expected-note @+1 {{made here}}
  %a = tensor.extract_slice %t[1] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
  // expected-error @+1 {{op reads values that the function makes}}
  %w = gnn.edges_from_tensor %g, %a
    : !gnn.graph<coo>, tensor<?xf32> -> !gnn.edges<f32>
  return %w : !gnn.edges<f32>
}

// -----

func.func @filled_in_a_loop(%g: !gnn.graph<coo>, %t: tensor<?xf32>, %n: index, %v: f32)
    -> !gnn.edges<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{made here}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
    %b = tensor.insert %v into %a[%i] : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  // expected-error @+1 {{op reads values that the function makes}}
  %w = gnn.edges_from_tensor %g, %r
    : !gnn.graph<coo>, tensor<?xf32> -> !gnn.edges<f32>
  return %w : !gnn.edges<f32>
}
