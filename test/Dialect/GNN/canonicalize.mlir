// RUN: gnn-opt %s --canonicalize --split-input-file | FileCheck %s

// The parts of a graph just made are what it was made of.
// CHECK-LABEL: func @parts_of_made
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?xi32>, %[[COLUMNS:.*]]: tensor<?xi32>, %[[N:.*]]: index)
// CHECK-NEXT: return %[[ROWS]], %[[COLUMNS]], %[[N]]
func.func @parts_of_made(%rows: tensor<?xi32>, %columns: tensor<?xi32>,
                         %n: index)
    -> (tensor<?xi32>, tensor<?xi32>, index) {
  %g = gnn.make_graph %rows, %columns, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %parts:3 = gnn.graph_parts %g
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  return %parts#0, %parts#1, %parts#2 : tensor<?xi32>, tensor<?xi32>, index
}

// -----

// CHECK-LABEL: func @parts_of_argument
// CHECK: gnn.graph_parts
func.func @parts_of_argument(%g: !gnn.graph<csr>) -> index {
  %parts:3 = gnn.graph_parts %g
    : !gnn.graph<csr> -> tensor<?xi32>, tensor<?xi32>, index
  return %parts#2 : index
}

// -----

// CHECK-LABEL: func @num_nodes_of_dense
// CHECK-SAME: (%[[D:.*]]: index, %[[S:.*]]: index)
// CHECK-NEXT: return %[[D]], %[[S]]
func.func @num_nodes_of_dense(%d: index, %s: index) -> (index, index) {
  %g = gnn.make_graph %d, %s
    : (index, index) -> !gnn.graph<complete, bipartite>
  %0 = gnn.num_nodes dst %g : !gnn.graph<complete, bipartite>
  %1 = gnn.num_nodes src %g : !gnn.graph<complete, bipartite>
  return %0, %1 : index, index
}

// -----

// CHECK-LABEL: func @num_nodes_of_coo
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %[[D:.*]]: index, %[[S:.*]]: index)
// CHECK-NEXT: return %[[D]], %[[S]]
func.func @num_nodes_of_coo(%t: tensor<?xi32>, %d: index, %s: index)
    -> (index, index) {
  %g = gnn.make_graph %t, %t, %d, %s
    : (tensor<?xi32>, tensor<?xi32>, index, index)
    -> !gnn.graph<coo, bipartite>
  %0 = gnn.num_nodes dst %g : !gnn.graph<coo, bipartite>
  %1 = gnn.num_nodes src %g : !gnn.graph<coo, bipartite>
  return %0, %1 : index, index
}

// -----

// The number of sources is a part of a csr graph, that of destinations is not.
// CHECK-LABEL: func @num_nodes_of_csr
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %[[N:.*]]: index)
// CHECK: %[[G:.*]] = gnn.make_graph
// CHECK: %[[D:.*]] = gnn.num_nodes dst %[[G]]
// CHECK: return %[[D]], %[[N]]
func.func @num_nodes_of_csr(%t: tensor<?xi32>, %n: index) -> (index, index) {
  %g = gnn.make_graph %t, %t, %n
    : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %0 = gnn.num_nodes dst %g : !gnn.graph<csr>
  %1 = gnn.num_nodes src %g : !gnn.graph<csr>
  return %0, %1 : index, index
}

// -----

// Self loops neither add nor remove nodes, so the other graphs are not needed.
// CHECK-LABEL: func @num_nodes_through_self_loops
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>)
// CHECK-NEXT: %[[N:.*]] = gnn.num_nodes dst %[[G]]
// CHECK-NEXT: return %[[N]]
func.func @num_nodes_through_self_loops(%g: !gnn.graph<csr>) -> index {
  %h = gnn.remove_self_loops %g : !gnn.graph<csr> -> !gnn.graph<csr>
  %i = gnn.add_self_loops keep %h
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>
  %n = gnn.num_nodes dst %i : !gnn.graph<csr, self_loops>
  return %n : index
}

// -----

// Values of edges follow where they are read.
// CHECK-LABEL: func @unread_edges
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<coo>, %[[W:.*]]: !gnn.edges<f32>, %[[A:.*]]: !gnn.edges<3xf32>, %[[ONE:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<?x3xf32>)
// CHECK-NEXT: %[[H:.*]], %[[AH:.*]] = gnn.to_csr %[[G]] edges(%[[A]] : !gnn.edges<3xf32>) :
// CHECK-NEXT: %[[I:.*]], %[[AI:.*]] = gnn.add_self_loops reuse %[[H]] edges(%[[AH]] : !gnn.edges<3xf32>) fill(%[[T]] : tensor<?x3xf32>) :
// CHECK-NEXT: %[[J:.*]] = gnn.reverse %[[I]] :
// CHECK-NEXT: %[[K:.*]] = gnn.remove_self_loops %[[J]] :
// CHECK-NEXT: return %[[K]], %[[AI]]
func.func @unread_edges(%g: !gnn.graph<coo>, %w: !gnn.edges<f32>,
                        %a: !gnn.edges<3xf32>, %one: tensor<?xf32>,
                        %t: tensor<?x3xf32>)
    -> (!gnn.graph<csr>, !gnn.edges<3xf32>) {
  %h, %wh, %ah = gnn.to_csr %g edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    : !gnn.graph<coo> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>
  %i, %wi, %ai = gnn.add_self_loops reuse %h
    edges(%wh, %ah : !gnn.edges<f32>, !gnn.edges<3xf32>)
    fill(%one, %t : tensor<?xf32>, tensor<?x3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>
  %j, %wj, %aj = gnn.reverse %i
    edges(%wi, %ai : !gnn.edges<f32>, !gnn.edges<3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>
  %k, %wk = gnn.remove_self_loops %j edges(%wj : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  return %k, %ai : !gnn.graph<csr>, !gnn.edges<3xf32>
}

// -----

// A complete graph has its self loops.
// CHECK-LABEL: func @self_loops_of_dense
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<complete>, %[[W:.*]]: !gnn.edges<f32>,
// CHECK-NEXT: return %[[G]], %[[G]], %[[W]]
func.func @self_loops_of_dense(%g: !gnn.graph<complete>, %w: !gnn.edges<f32>,
                               %one: tensor<?xf32>)
    -> (!gnn.graph<complete>, !gnn.graph<complete>, !gnn.edges<f32>) {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<complete> -> !gnn.graph<complete>
  %i, %v = gnn.add_self_loops reuse %g edges(%w : !gnn.edges<f32>)
    fill(%one : tensor<?xf32>)
    : !gnn.graph<complete> -> !gnn.graph<complete>, !gnn.edges<f32>
  return %h, %i, %v
    : !gnn.graph<complete>, !gnn.graph<complete>, !gnn.edges<f32>
}

// -----

// CHECK-LABEL: func @self_loops_of_blocks
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<block_diagonal>)
// CHECK-NEXT: return %[[G]]
func.func @self_loops_of_blocks(%g: !gnn.graph<block_diagonal>)
    -> !gnn.graph<block_diagonal> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<block_diagonal> -> !gnn.graph<block_diagonal>
  return %h : !gnn.graph<block_diagonal>
}

// -----

// Replaced values on a dense topology are a choice per edge.
// CHECK-LABEL: func @replaced_values_of_dense
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<causal>, %[[W:.*]]: !gnn.edges<2xf32>, %[[ONE:.*]]: tensor<?x2xf32>)
// CHECK-NOT: gnn.add_self_loops
// CHECK: %[[M:.*]] = gnn.message %[[G]] dst(%[[ONE]] : tensor<?x2xf32>) edge(%[[W]] : !gnn.edges<2xf32>)
// CHECK-NEXT: ^bb0(%[[FILL:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT: %[[I:.*]] = gnn.index dst
// CHECK-NEXT: %[[J:.*]] = gnn.index src
// CHECK-NEXT: %[[LOOP:.*]] = arith.cmpi eq, %[[I]], %[[J]]
// CHECK-NEXT: %[[X:.*]] = arith.select %[[LOOP]], %[[FILL]], %[[OLD]]
// CHECK-NEXT: gnn.yield %[[X]]
// CHECK: return %[[G]], %[[M]]
func.func @replaced_values_of_dense(%g: !gnn.graph<causal>,
                                    %w: !gnn.edges<2xf32>,
                                    %one: tensor<?x2xf32>)
    -> (!gnn.graph<causal>, !gnn.edges<2xf32>) {
  %h, %v = gnn.add_self_loops replace %g edges(%w : !gnn.edges<2xf32>)
    fill(%one : tensor<?x2xf32>)
    : !gnn.graph<causal> -> !gnn.graph<causal>, !gnn.edges<2xf32>
  return %h, %v : !gnn.graph<causal>, !gnn.edges<2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Loops that a listed graph has are not added again where nothing sees in which
// order edges are listed.
// CHECK-LABEL: func @repeated_self_loops
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr, self_loops>,
// CHECK-NOT: gnn.add_self_loops
// CHECK: gnn.message %[[G]]
// CHECK: gnn.aggregate [sum] %[[G]]
func.func @repeated_self_loops(%g: !gnn.graph<csr, self_loops>,
                               %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %m = gnn.message %h src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, self_loops> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.aggregate [sum] %h, %m
    : !gnn.graph<csr, self_loops>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// Values of one graph are read on another one with the same edges in the same
// order.
// CHECK-LABEL: func @order_on_another_graph
// CHECK-COUNT-2: gnn.add_self_loops replace
func.func @order_on_another_graph(%g: !gnn.graph<csr, self_loops>,
                                  %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %k = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %m = gnn.message %h src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr, self_loops> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %y = gnn.aggregate [sum] %k, %m
    : !gnn.graph<csr, self_loops>, !gnn.edges<4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Here the tensor's rows follow the order of the new graph, in which loops come
// last.
// CHECK-LABEL: func @order_in_tensor
// CHECK: %[[H:.*]] = gnn.add_self_loops replace
// CHECK: gnn.edges_from_tensor %[[H]]
func.func @order_in_tensor(%g: !gnn.graph<csr, self_loops>,
                           %t: tensor<?xf32>) -> tensor<?xf32> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %w = gnn.edges_from_tensor %h, %t
    : !gnn.graph<csr, self_loops>, tensor<?xf32> -> !gnn.edges<f32>
  %y = gnn.aggregate [sum] %h, %w
    : !gnn.graph<csr, self_loops>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Edge values from elsewhere are in the order of the new graph as well.
// CHECK-LABEL: func @order_in_values
// CHECK: gnn.add_self_loops replace
func.func @order_in_values(%g: !gnn.graph<csr, self_loops>,
                           %w: !gnn.edges<f32>) -> tensor<?xf32> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %y = gnn.aggregate [sum] %h, %w
    : !gnn.graph<csr, self_loops>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Edge values that leave the function are, too.
// CHECK-LABEL: func @order_in_result
// CHECK: gnn.add_self_loops replace
func.func @order_in_result(%g: !gnn.graph<csr, self_loops>) -> !gnn.edges<f32> {
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<csr, self_loops> -> !gnn.graph<csr, self_loops>
  %m = gnn.message %h {indexing_maps = [affine_map<() -> ()>],
                       iterator_types = []}
      : !gnn.graph<csr, self_loops> -> !gnn.edges<f32> {
    %one = arith.constant 1.0 : f32
    gnn.yield %one : f32
  }
  return %m : !gnn.edges<f32>
}

// -----

// A second loop beside the first is not a repetition.
// CHECK-LABEL: func @kept_self_loops
// CHECK: gnn.add_self_loops keep
func.func @kept_self_loops(%g: !gnn.graph<csr>) -> index {
  %h = gnn.add_self_loops keep %g : !gnn.graph<csr> -> !gnn.graph<csr>
  %n = gnn.num_edges %h : !gnn.graph<csr>
  return %n : index
}

// -----

// Dense topologies but causal are their own reverse, and so are symmetric
// graphs with sorted rows.
// CHECK-LABEL: func @own_reverse
// CHECK-SAME: (%[[A:.*]]: !gnn.graph<complete>, %[[B:.*]]: !gnn.graph<window<2>>, %[[C:.*]]: !gnn.graph<block_diagonal>, %[[D:.*]]: !gnn.graph<csr, symmetric, sorted>)
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @own_reverse(%a: !gnn.graph<complete>, %b: !gnn.graph<window<2>>,
                       %c: !gnn.graph<block_diagonal>,
                       %d: !gnn.graph<csr, symmetric, sorted>)
    -> (!gnn.graph<complete>, !gnn.graph<window<2>>,
        !gnn.graph<block_diagonal>, !gnn.graph<csr, symmetric, sorted>) {
  %0 = gnn.reverse %a : !gnn.graph<complete> -> !gnn.graph<complete>
  %1 = gnn.reverse %b : !gnn.graph<window<2>> -> !gnn.graph<window<2>>
  %2 = gnn.reverse %c
    : !gnn.graph<block_diagonal> -> !gnn.graph<block_diagonal>
  %3 = gnn.reverse %d
    : !gnn.graph<csr, symmetric, sorted> -> !gnn.graph<csr, symmetric, sorted>
  return %0, %1, %2, %3
    : !gnn.graph<complete>, !gnn.graph<window<2>>,
      !gnn.graph<block_diagonal>, !gnn.graph<csr, symmetric, sorted>
}

// -----

// Without an order in the rows, with edge values, or with other nodes on the
// other side, the reverse is another graph, and so is that of a list: its order
// stays.
// CHECK-LABEL: func @other_reverse
// CHECK-COUNT-5: gnn.reverse
func.func @other_reverse(%a: !gnn.graph<csr, symmetric>,
                         %b: !gnn.graph<csr, symmetric, sorted>,
                         %c: !gnn.graph<complete, bipartite>,
                         %d: !gnn.graph<complete>, %w: !gnn.edges<f32>,
                         %e: !gnn.graph<coo, symmetric, sorted>)
    -> (!gnn.graph<csr, symmetric>, !gnn.edges<f32>,
        !gnn.graph<complete, bipartite>, !gnn.edges<f32>,
        !gnn.graph<coo, symmetric, sorted>) {
  %0 = gnn.reverse %a
    : !gnn.graph<csr, symmetric> -> !gnn.graph<csr, symmetric>
  %1:2 = gnn.reverse %b edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr, symmetric, sorted>
    -> !gnn.graph<csr, symmetric, sorted>, !gnn.edges<f32>
  %2 = gnn.reverse %c
    : !gnn.graph<complete, bipartite> -> !gnn.graph<complete, bipartite>
  %3:2 = gnn.reverse %d edges(%w : !gnn.edges<f32>)
    : !gnn.graph<complete> -> !gnn.graph<complete>, !gnn.edges<f32>
  %4 = gnn.reverse %e
    : !gnn.graph<coo, symmetric, sorted> -> !gnn.graph<coo, symmetric, sorted>
  return %0, %1#1, %2, %3#1, %4
    : !gnn.graph<csr, symmetric>, !gnn.edges<f32>,
      !gnn.graph<complete, bipartite>, !gnn.edges<f32>,
      !gnn.graph<coo, symmetric, sorted>
}

// -----

// CHECK-LABEL: func @layouts_and_back
// CHECK-SAME: (%{{.*}}: !gnn.graph<csr>, %[[T:.*]]: tensor<?xf32>, %[[W:.*]]: !gnn.edges<f32>)
// CHECK-NEXT: return %[[T]], %[[W]]
func.func @layouts_and_back(%g: !gnn.graph<csr>, %t: tensor<?xf32>,
                            %w: !gnn.edges<f32>)
    -> (tensor<?xf32>, !gnn.edges<f32>) {
  %0 = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %1 = gnn.edges_to_tensor %g, %0
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %2 = gnn.edges_to_tensor %g, %w
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %3 = gnn.edges_from_tensor %g, %2
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  return %1, %3 : tensor<?xf32>, !gnn.edges<f32>
}

// -----

// The layout of another graph is another layout.
// CHECK-LABEL: func @layouts_of_two_graphs
// CHECK: gnn.edges_from_tensor
// CHECK: gnn.edges_to_tensor
func.func @layouts_of_two_graphs(%g: !gnn.graph<csr>, %h: !gnn.graph<csr>,
                                 %t: tensor<?xf32>) -> tensor<?xf32> {
  %0 = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %1 = gnn.edges_to_tensor %h, %0
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Ops whose results nobody reads are dropped.
// CHECK-LABEL: func @unused
// CHECK-NEXT: return
func.func @unused(%g: !gnn.graph<csr>, %h: !gnn.graph<coo>,
                  %w: !gnn.edges<f32>) {
  %a = gnn.edge_softmax %g, %w : !gnn.graph<csr>, !gnn.edges<f32>
  %b = gnn.aggregate [sum] %g, %a
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %c = gnn.to_csr %h : !gnn.graph<coo> -> !gnn.graph<csr>
  %d = gnn.degree src %c : !gnn.graph<csr> -> tensor<?xf32>
  return
}

// -----

#fk = affine_map<(f, k) -> (f, k)>
#f = affine_map<(f, k) -> (f)>
#k = affine_map<(f, k) -> (k)>

// What is not read is no operand, unless a loop has its extent from it alone: %c has
// none, %b and %d both have that of f.
// CHECK-LABEL: func @unread
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %{{.*}}: tensor<?x2xf32>, %[[B:.*]]: tensor<?x2xf32>, %{{.*}}: !gnn.edges<f32>, %[[D:.*]]: tensor<2xf32>, %[[E:.*]]: tensor<3xf32>)
// CHECK: gnn.message_aggregate [sum] %[[G]] src(%[[B]] : tensor<?x2xf32>) uniform(%[[E]] : tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[BA:.*]]: f32, %{{.*}}: f32, %[[S:.*]]: f32):
// CHECK-NEXT: arith.addf %[[S]], %[[BA]]
func.func @unread(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>, %b: tensor<?x2xf32>,
                  %c: !gnn.edges<f32>, %d: tensor<2xf32>, %e: tensor<3xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.message_aggregate [sum] %g dst(%a : tensor<?x2xf32>)
      src(%b : tensor<?x2xf32>) edge(%c : !gnn.edges<f32>)
      uniform(%d, %e : tensor<2xf32>, tensor<3xf32>)
      {indexing_maps = [#f, #f, affine_map<(f, k) -> ()>, #f, #k, #f],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> tensor<?x2xf32> {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %sum: f32):
    %s = arith.addf %sum, %1 : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// Two features, whatever they are.
// CHECK-LABEL: func @extent_only
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %{{.*}}: tensor<?x2xf32>)
// CHECK-NOT: gnn.aggregate
// CHECK: %[[TWO:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: gnn.message_aggregate [sum] %[[G]] uniform(%[[TWO]] : tensor<2xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
func.func @extent_only(%g: !gnn.graph<csr>, %x: tensor<?x2xf32>)
    -> tensor<?x2xi64> {
  %m = gnn.message %g src(%x : tensor<?x2xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%0: f32):
    %s = arith.mulf %0, %0 : f32
    gnn.yield %s : f32
  }
  %a = gnn.aggregate [max] %g, %m
      : !gnn.graph<csr>, !gnn.edges<2xf32> -> tensor<?x2xf32>
  %y = gnn.message_aggregate [sum] %g src(%a : tensor<?x2xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x2xi64> {
  ^bb0(%0: f32):
    %j = gnn.index src
    %n = arith.index_cast %j : index to i64
    gnn.yield %n : i64
  }
  return %y : tensor<?x2xi64>
}

// -----

#f = affine_map<(f) -> (f)>

// Rows of an update are those of its nodes.
// CHECK-LABEL: func @unread_nodes
// CHECK-SAME: (%[[A:.*]]: tensor<?x2xf32>, %{{.*}}: tensor<?x2xf32>, %[[C:.*]]: tensor<2xf32>)
// CHECK: gnn.update node(%[[A]] : tensor<?x2xf32>) uniform(%[[C]] : tensor<2xf32>)
func.func @unread_nodes(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>, %c: tensor<2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.update node(%a, %b : tensor<?x2xf32>, tensor<?x2xf32>)
      uniform(%c : tensor<2xf32>)
      {indexing_maps = [#f, #f, #f, #f], iterator_types = ["parallel"]}
      : tensor<?x2xf32> {
  ^bb0(%0: f32, %1: f32, %2: f32):
    gnn.yield %2 : f32
  }
  return %y : tensor<?x2xf32>
}

// -----

#f = affine_map<() -> ()>

// CHECK-LABEL: func @unread_scores
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %{{.*}}: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK: gnn.top_k_graph %[[G]] src(%[[B]] : tensor<?xf32>)
func.func @unread_scores(%g: !gnn.graph<csr>, %a: tensor<?xf32>,
                         %b: tensor<?xf32>) -> !gnn.graph<csr> {
  %h = gnn.top_k_graph %g dst(%a : tensor<?xf32>) src(%b : tensor<?xf32>)
      {indexing_maps = [#f, #f, #f], iterator_types = [], k = 2}
      : !gnn.graph<csr> -> !gnn.graph<csr> {
  ^bb0(%0: f32, %1: f32):
    gnn.yield %1 : f32
  }
  return %h : !gnn.graph<csr>
}

// -----

#rows = affine_map<(f, i) -> (i)>
#columns = affine_map<(f, i) -> (f)>

// A sum over no features is 0 for each of the others.
// CHECK: #[[MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @empty_sum
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %{{.*}}: tensor<?x0xf32>, %[[Y:.*]]: tensor<?x3xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: gnn.message %[[G]] src(%[[Y]] : tensor<?x3xf32>)
// CHECK-SAME: indexing_maps = [#[[MAP]], #[[MAP]]], iterator_types = ["parallel"]
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
// CHECK-NEXT: gnn.yield %[[ZERO]] : f32
func.func @empty_sum(%g: !gnn.graph<csr>, %x: tensor<?x0xf32>,
                     %y: tensor<?x3xf32>) -> !gnn.edges<3xf32> {
  %m = gnn.message %g dst(%x : tensor<?x0xf32>) src(%y : tensor<?x3xf32>)
      {indexing_maps = [#rows, #columns, #columns],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  return %m : !gnn.edges<3xf32>
}
