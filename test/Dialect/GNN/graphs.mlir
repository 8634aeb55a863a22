// RUN: gnn-opt %s | gnn-opt | FileCheck %s
// RUN: gnn-opt %s --mlir-print-op-generic | gnn-opt | FileCheck %s

// CHECK-LABEL: func @parts_of_csr
func.func @parts_of_csr(%rows: tensor<?xi32>, %columns: tensor<?xi32>,
                        %n: index)
    -> (tensor<?xi32>, tensor<?xi32>, index) {
  // CHECK: %[[G:.*]] = gnn.make_graph %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %g = gnn.make_graph %rows, %columns, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  // CHECK: gnn.graph_parts %[[G]] : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  %parts:3 = gnn.graph_parts %g
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  return %parts#0, %parts#1, %parts#2 : tensor<?xi32>, tensor<?xi32>, index
}

// CHECK-LABEL: func @parts_of_others
func.func @parts_of_others(%t: tensor<?xi64>, %n: index) {
  // CHECK: gnn.make_graph {{.*}} : (tensor<?xi64>, tensor<?xi64>, index, index) -> !gnn.graph<coo, bipartite, i64>
  %coo = gnn.make_graph %t, %t, %n, %n
    : (tensor<?xi64>, tensor<?xi64>, index, index)
    -> !gnn.graph<coo, bipartite, i64>
  // CHECK: gnn.make_graph {{.*}} : (index, index) -> !gnn.graph<complete>
  %complete = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  // CHECK: gnn.make_graph {{.*}} : (index, index) -> !gnn.graph<causal>
  %causal = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<causal>
  // CHECK: gnn.make_graph {{.*}} : (index, index) -> !gnn.graph<window<2>>
  %window = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<window<2>>
  // CHECK: gnn.make_graph {{.*}} : (tensor<?xi64>, tensor<?xi64>) -> !gnn.graph<block_diagonal, i64>
  %blocks = gnn.make_graph %t, %t
    : (tensor<?xi64>, tensor<?xi64>) -> !gnn.graph<block_diagonal, i64>
  return
}

// CHECK-LABEL: func @counts
func.func @counts(%g: !gnn.graph<csr, bipartite>) {
  // CHECK: gnn.num_nodes dst %{{.*}} : !gnn.graph<csr, bipartite>
  %d = gnn.num_nodes dst %g : !gnn.graph<csr, bipartite>
  // CHECK: gnn.num_nodes src %{{.*}} : !gnn.graph<csr, bipartite>
  %s = gnn.num_nodes src %g : !gnn.graph<csr, bipartite>
  // CHECK: gnn.num_edges %{{.*}} : !gnn.graph<csr, bipartite>
  %e = gnn.num_edges %g : !gnn.graph<csr, bipartite>
  // CHECK: gnn.degree dst %{{.*}} : !gnn.graph<csr, bipartite> -> tensor<?xf32>
  %in = gnn.degree dst %g : !gnn.graph<csr, bipartite> -> tensor<?xf32>
  // CHECK: gnn.degree src %{{.*}} : !gnn.graph<csr, bipartite> -> tensor<?xi32>
  %out = gnn.degree src %g : !gnn.graph<csr, bipartite> -> tensor<?xi32>
  return
}

// CHECK-LABEL: func @self_loops
func.func @self_loops(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>,
                      %v: !gnn.edges<2xi32>, %one: tensor<?xf32>,
                      %zero: tensor<?x2xi32>) {
  // CHECK: gnn.add_self_loops keep %{{.*}} : !gnn.graph<csr> -> !gnn.graph<csr>{{$}}
  %a = gnn.add_self_loops keep %g : !gnn.graph<csr> -> !gnn.graph<csr>
  // CHECK: gnn.add_self_loops replace %{{.*}} : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>{{$}}
  %b = gnn.add_self_loops replace %g
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>
  // CHECK: gnn.add_self_loops reuse %{{.*}} edges(%{{.*}}, %{{.*}} : !gnn.edges<f32>, !gnn.edges<2xi32>)
  // CHECK-SAME: fill(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?x2xi32>)
  // CHECK-SAME: : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>, !gnn.edges<2xi32>
  %c:3 = gnn.add_self_loops reuse %g
    edges(%w, %v : !gnn.edges<f32>, !gnn.edges<2xi32>)
    fill(%one, %zero : tensor<?xf32>, tensor<?x2xi32>)
    : !gnn.graph<csr>
    -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>, !gnn.edges<2xi32>
  // CHECK: gnn.remove_self_loops %{{.*}} : !gnn.graph<csr> -> !gnn.graph<csr>{{$}}
  %d = gnn.remove_self_loops %g : !gnn.graph<csr> -> !gnn.graph<csr>
  // CHECK: gnn.remove_self_loops %{{.*}} edges(%{{.*}} : !gnn.edges<f32>) : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  %e:2 = gnn.remove_self_loops %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  return
}

// CHECK-LABEL: func @reorder
func.func @reorder(%g: !gnn.graph<csr>, %coo: !gnn.graph<coo, i64>,
                   %w: !gnn.edges<f32>) {
  // CHECK: gnn.reverse %{{.*}} : !gnn.graph<csr> -> !gnn.graph<csr>{{$}}
  %a = gnn.reverse %g : !gnn.graph<csr> -> !gnn.graph<csr>
  // CHECK: gnn.reverse %{{.*}} edges(%{{.*}} : !gnn.edges<f32>) : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  %b:2 = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  // CHECK: gnn.to_csr %{{.*}} : !gnn.graph<coo, i64> -> !gnn.graph<csr, i64>{{$}}
  %c = gnn.to_csr %coo : !gnn.graph<coo, i64> -> !gnn.graph<csr, i64>
  // CHECK: gnn.to_csr %{{.*}} edges(%{{.*}} : !gnn.edges<f32>) : !gnn.graph<coo, i64> -> !gnn.graph<csr, i64>, !gnn.edges<f32>
  %d:2 = gnn.to_csr %coo edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo, i64> -> !gnn.graph<csr, i64>, !gnn.edges<f32>
  return
}

// CHECK-LABEL: func @layouts
func.func @layouts(%csr: !gnn.graph<csr>, %listed: tensor<?x4xf32>,
                   %causal: !gnn.graph<causal>, %dense: tensor<?x?xf32>)
    -> (tensor<?x4xf32>, tensor<?x?xf32>) {
  // CHECK: gnn.edges_from_tensor %{{.*}}, %{{.*}} : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  %a = gnn.edges_from_tensor %csr, %listed
    : !gnn.graph<csr>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  // CHECK: gnn.edges_to_tensor %{{.*}}, %{{.*}} : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  %b = gnn.edges_to_tensor %csr, %a
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  // CHECK: gnn.edges_from_tensor %{{.*}}, %{{.*}} : !gnn.graph<causal>, tensor<?x?xf32> -> !gnn.edges<f32>
  %c = gnn.edges_from_tensor %causal, %dense
    : !gnn.graph<causal>, tensor<?x?xf32> -> !gnn.edges<f32>
  // CHECK: gnn.edges_to_tensor %{{.*}}, %{{.*}} : !gnn.graph<causal>, !gnn.edges<f32> -> tensor<?x?xf32>
  %d = gnn.edges_to_tensor %causal, %c
    : !gnn.graph<causal>, !gnn.edges<f32> -> tensor<?x?xf32>
  return %b, %d : tensor<?x4xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func @spread
func.func @spread(%g: !gnn.graph<csr>, %w: !gnn.edges<4xf32>,
                  %h: !gnn.graph<complete>) -> !gnn.edges<4xf32> {
  // CHECK: gnn.spread_edges %{{.*}} from %{{.*}} to %{{.*}} : !gnn.edges<4xf32>, !gnn.graph<csr> to !gnn.graph<complete>
  %a = gnn.spread_edges %w from %g to %h
    : !gnn.edges<4xf32>, !gnn.graph<csr> to !gnn.graph<complete>
  return %a : !gnn.edges<4xf32>
}

// CHECK-LABEL: func @position
func.func @position(%g: !gnn.graph<block_diagonal>) -> tensor<?xi32> {
  // CHECK: gnn.position %{{.*}} : !gnn.graph<block_diagonal> -> tensor<?xi32>
  %p = gnn.position %g : !gnn.graph<block_diagonal> -> tensor<?xi32>
  return %p : tensor<?xi32>
}
