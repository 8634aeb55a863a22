// RUN: gnn-opt %s | gnn-opt | FileCheck %s
// RUN: gnn-opt %s --mlir-print-op-generic | gnn-opt | FileCheck %s

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// Operands of every role, and a scalar one.
// CHECK-LABEL: func @roles
func.func @roles(%g: !gnn.graph<csr>, %d: tensor<?x4xf32>, %s: tensor<?x4xf32>,
                 %e: !gnn.edges<f32>, %u: tensor<4xf32>, %c: f32)
    -> !gnn.edges<4xf32> {
  // CHECK: %[[M:.*]] = gnn.message %{{.*}} dst(%{{.*}} : tensor<?x4xf32>) src(%{{.*}} : tensor<?x4xf32>) edge(%{{.*}} : !gnn.edges<f32>) uniform(%{{.*}}, %{{.*}} : tensor<4xf32>, f32)
  // CHECK-SAME: iterator_types = ["parallel"]
  // CHECK-SAME: : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK: gnn.yield %{{.*}} : f32
  %m = gnn.message %g dst(%d : tensor<?x4xf32>) src(%s : tensor<?x4xf32>)
      edge(%e : !gnn.edges<f32>) uniform(%u, %c : tensor<4xf32>, f32)
      {indexing_maps = [#id, #id, #none, #id, #none, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32, %x: f32, %y: f32, %z: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.mulf %2, %z : f32
    gnn.yield %3 : f32
  }
  return %m : !gnn.edges<4xf32>
}

// A reduction, and node numbers.
// CHECK-LABEL: func @reduction
func.func @reduction(%g: !gnn.graph<causal>, %q: tensor<?x2x8xf32>)
    -> !gnn.edges<2xf32> {
  // CHECK: gnn.message %{{.*}} dst(%{{.*}} : tensor<?x2x8xf32>) src(%{{.*}} : tensor<?x2x8xf32>)
  // CHECK-SAME: iterator_types = ["parallel", "reduction"]
  // CHECK: gnn.index dst
  // CHECK: gnn.index src
  %m = gnn.message %g dst(%q : tensor<?x2x8xf32>) src(%q : tensor<?x2x8xf32>)
      {indexing_maps = [affine_map<(h, d) -> (h, d)>,
                        affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<causal> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %isLoop = arith.cmpi eq, %i, %j : index
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    %r = arith.select %isLoop, %s, %sum : f32
    gnn.yield %r : f32
  }
  return %m : !gnn.edges<2xf32>
}

// No operand but the graph: a value per edge from the node numbers alone.
// CHECK-LABEL: func @no_operands
func.func @no_operands(%g: !gnn.graph<complete>) -> !gnn.edges<i64> {
  // CHECK: gnn.message %{{[a-z0-9]+}} {indexing_maps = [{{.*}}], iterator_types = []} : !gnn.graph<complete> -> !gnn.edges<i64>
  %m = gnn.message %g {indexing_maps = [affine_map<() -> ()>],
                       iterator_types = []}
      : !gnn.graph<complete> -> !gnn.edges<i64> {
    %i = gnn.index dst
    %x = arith.index_cast %i : index to i64
    gnn.yield %x : i64
  }
  return %m : !gnn.edges<i64>
}

// CHECK-LABEL: func @reductions_of_rows
func.func @reductions_of_rows(%g: !gnn.graph<csr>, %s: !gnn.edges<8xf32>,
                              %n: !gnn.edges<i32>) {
  // CHECK: gnn.edge_softmax %{{.*}}, %{{.*}} : !gnn.graph<csr>, !gnn.edges<8xf32>
  %alpha = gnn.edge_softmax %g, %s : !gnn.graph<csr>, !gnn.edges<8xf32>
  // CHECK: gnn.edge_top_k %{{.*}}, %{{.*}} {k = 4 : i64} : !gnn.graph<csr>, !gnn.edges<8xf32>
  %kept = gnn.edge_top_k %g, %s {k = 4} : !gnn.graph<csr>, !gnn.edges<8xf32>
  // CHECK: gnn.aggregate [sum] %{{.*}}, %{{.*}} : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  %a = gnn.aggregate [sum] %g, %alpha
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  // CHECK: gnn.aggregate [mean, max, min, mul, var, std, softmax] %{{.*}}, %{{.*}} : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %b:7 = gnn.aggregate [mean, max, min, mul, var, std, softmax] %g, %alpha
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>, tensor<?x8xf32>,
      tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>,
      tensor<?x8xf32>
  // CHECK: gnn.aggregate [sum, max, min, mul] %{{.*}}, %{{.*}} : !gnn.graph<csr>, !gnn.edges<i32> -> tensor<?xi32>
  %c:4 = gnn.aggregate [sum, max, min, mul] %g, %n
    : !gnn.graph<csr>, !gnn.edges<i32>
    -> tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// CHECK-LABEL: func @update
func.func @update(%x: tensor<?x4xf32>, %w: tensor<3x4xf32>)
    -> tensor<?x3xf32> {
  // CHECK: gnn.update node(%{{.*}} : tensor<?x4xf32>) uniform(%{{.*}} : tensor<3x4xf32>)
  // CHECK-SAME: iterator_types = ["parallel", "reduction"]
  // CHECK-SAME: : tensor<?x3xf32> {
  %y = gnn.update node(%x : tensor<?x4xf32>) uniform(%w : tensor<3x4xf32>)
      {indexing_maps = [affine_map<(o, i) -> (i)>, affine_map<(o, i) -> (o, i)>,
                        affine_map<(o, i) -> (o)>],
       iterator_types = ["parallel", "reduction"]} : tensor<?x3xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x3xf32>
}

// A region reads elements of a tensor from above, at places of its own.
// CHECK-LABEL: func @lookup
// CHECK-SAME: %[[TABLE:[^ ]*]]: tensor<3x4xf32>
func.func @lookup(%g: !gnn.graph<csr>, %table: tensor<3x4xf32>,
                  %x: tensor<?x4xf32>, %kind: !gnn.edges<i32>)
    -> !gnn.edges<4xf32> {
  %m = gnn.message %g src(%x : tensor<?x4xf32>) edge(%kind : !gnn.edges<i32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %k: i32):
    %row = arith.index_cast %k : i32 to index
    // CHECK: %[[F:.*]] = gnn.feature_index 0
    // CHECK: tensor.extract %[[TABLE]][%{{.*}}, %[[F]]]
    %f = gnn.feature_index 0
    %b = tensor.extract %table[%row, %f] : tensor<3x4xf32>
    %s = arith.addf %a, %b : f32
    gnn.yield %s : f32
  }
  return %m : !gnn.edges<4xf32>
}

// What follows a reduction.
// CHECK-LABEL: func @reduced
func.func @reduced(%x: tensor<?x2x3xf32>, %y: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %m = gnn.update node(%x, %y : tensor<?x2x3xf32>, tensor<?x2xf32>)
      {indexing_maps = [affine_map<(h, f) -> (h, f)>,
                        affine_map<(h, f) -> (h)>,
                        affine_map<(h, f) -> (h)>],
       iterator_types = ["parallel", "reduction"]} : tensor<?x2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    // CHECK: %[[S:.*]] = arith.addf
    // CHECK-NEXT: %[[R:.*]] = gnn.reduced %[[S]] : f32
    // CHECK-NEXT: arith.mulf %[[R]]
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    %p = arith.mulf %r, %b : f32
    gnn.yield %p : f32
  }
  return %m : tensor<?x2xf32>
}

// CHECK-LABEL: func @rows_of_a_table
// CHECK-SAME: %[[TABLE:.*]]: tensor<5x2x3xf32>, %[[NUMBERS:.*]]: tensor<?x4xi32>
// CHECK: gnn.lookup %[[TABLE]][%[[NUMBERS]]] : tensor<5x2x3xf32>, tensor<?x4xi32> -> tensor<?x4x2x3xf32>
func.func @rows_of_a_table(%table: tensor<5x2x3xf32>, %numbers: tensor<?x4xi32>)
    -> tensor<?x4x2x3xf32> {
  %r = gnn.lookup %table[%numbers]
    : tensor<5x2x3xf32>, tensor<?x4xi32> -> tensor<?x4x2x3xf32>
  return %r : tensor<?x4x2x3xf32>
}

// CHECK-LABEL: func @graph_of_scores
func.func @graph_of_scores(%g: !gnn.graph<complete, bipartite>,
                           %x: tensor<?x4xf32>, %s: !gnn.edges<f32>)
    -> !gnn.graph<csr, bipartite> {
  // CHECK: gnn.top_k_graph %{{.*}} src(%{{.*}} : tensor<?x4xf32>) edge(%{{.*}} : !gnn.edges<f32>)
  // CHECK-SAME: iterator_types = ["reduction"]
  // CHECK-SAME: k = 16 : i64
  // CHECK-SAME: : !gnn.graph<complete, bipartite> -> !gnn.graph<csr, bipartite> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
  %h = gnn.top_k_graph %g src(%x : tensor<?x4xf32>) edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"],
       k = 16}
      : !gnn.graph<complete, bipartite> -> !gnn.graph<csr, bipartite> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %p : f32
    gnn.yield %t : f32
  }
  return %h : !gnn.graph<csr, bipartite>
}

// CHECK-LABEL: func @ordered_nodes
func.func @ordered_nodes(%g: !gnn.graph<complete>, %s: !gnn.edges<f32>,
                         %order: tensor<?xi32>) -> !gnn.graph<csr> {
  // CHECK: gnn.top_k_graph %{{.*}} edge(%{{.*}} : !gnn.edges<f32>) order(%{{.*}} : tensor<?xi32>)
  %h = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      order(%order : tensor<?xi32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = [], k = 16}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %h : !gnn.graph<csr>
}
