// RUN: gnn-opt %s -split-input-file -verify-diagnostics

func.func @make_csr(%t: tensor<?xi32>) {
  // expected-error @+1 {{'gnn.make_graph' op a csr graph is made of ('tensor<?xi32>', 'tensor<?xi32>', 'index'), got ('tensor<?xi32>', 'tensor<?xi32>')}}
  %g = gnn.make_graph %t, %t
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<csr>
  return
}

// -----

// The index type of the graph is that of its tensors.
func.func @make_i64(%t: tensor<?xi32>, %n: index) {
  // expected-error @+1 {{'gnn.make_graph' op a coo graph is made of ('tensor<?xi64>', 'tensor<?xi64>', 'index', 'index'), got}}
  %g = gnn.make_graph %t, %t, %n, %n
    : (tensor<?xi32>, tensor<?xi32>, index, index) -> !gnn.graph<coo, i64>
  return
}

// -----

func.func @parts(%g: !gnn.graph<window<1>>) {
  // expected-error @+1 {{'gnn.graph_parts' op a window graph is made of ('index', 'index'), got ('index')}}
  %n = gnn.graph_parts %g : !gnn.graph<window<1>> -> index
  return
}

// -----

func.func @degree(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.degree' op the number of nodes is dynamic; result must be 'tensor<?xf32>'}}
  %d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<4xf32>
  return
}

// -----

func.func @degree_rank(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.degree' op result #0 must be 1D tensor of floating-point or signless integer values, but got 'tensor<?x1xf32>'}}
  %d = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?x1xf32>
  return
}

// -----

func.func @add_bipartite(%g: !gnn.graph<block_diagonal, bipartite>) {
  // expected-error @+1 {{'gnn.add_self_loops' op cannot add edges between the blocks of a bipartite block_diagonal graph; use a csr graph}}
  %h = gnn.add_self_loops replace %g
    : !gnn.graph<block_diagonal, bipartite> -> !gnn.graph<block_diagonal, bipartite>
  return
}

// -----

func.func @add_coo(%g: !gnn.graph<coo>) {
  // expected-error @+1 {{'gnn.add_self_loops' op sort the graph with gnn.to_csr first}}
  %h = gnn.add_self_loops replace %g : !gnn.graph<coo> -> !gnn.graph<coo>
  return
}

// -----

func.func @add_block_diagonal(%g: !gnn.graph<block_diagonal>,
                              %w: !gnn.edges<f32>, %one: tensor<?xf32>) {
  // expected-error @+1 {{'gnn.add_self_loops' op cannot change edge values of a block_diagonal graph}}
  %h:2 = gnn.add_self_loops replace %g edges(%w : !gnn.edges<f32>)
    fill(%one : tensor<?xf32>)
    : !gnn.graph<block_diagonal> -> !gnn.graph<block_diagonal>, !gnn.edges<f32>
  return
}

// -----

func.func @add_keep(%g: !gnn.graph<causal>) {
  // expected-error @+1 {{'gnn.add_self_loops' op a causal graph has every self loop already; use replace or reuse}}
  %h = gnn.add_self_loops keep %g : !gnn.graph<causal> -> !gnn.graph<causal>
  return
}

// -----

func.func @add_fill_missing(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.add_self_loops' op needs one fill per edge operand, 1, got 0}}
  %h:2 = gnn.add_self_loops keep %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  return
}

// -----

func.func @add_fill_type(%g: !gnn.graph<csr>, %w: !gnn.edges<2xf32>,
                         %one: tensor<?xf32>) {
  // expected-error @+1 {{'gnn.add_self_loops' op the fill of '!gnn.edges<2xf32>' must be 'tensor<?x2xf32>', got 'tensor<?xf32>'}}
  %h:2 = gnn.add_self_loops keep %g edges(%w : !gnn.edges<2xf32>)
    fill(%one : tensor<?xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<2xf32>
  return
}

// -----

func.func @add_lost_edges(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>,
                          %one: tensor<?xf32>) {
  // expected-error @+1 {{'gnn.add_self_loops' op must return the edge values it takes, with the same types}}
  %h = gnn.add_self_loops keep %g edges(%w : !gnn.edges<f32>)
    fill(%one : tensor<?xf32>) : !gnn.graph<csr> -> !gnn.graph<csr>
  return
}

// -----

func.func @add_other_topology(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.add_self_loops' op must keep the topology, index type and bipartiteness of '!gnn.graph<csr>', got '!gnn.graph<complete>'}}
  %h = gnn.add_self_loops keep %g : !gnn.graph<csr> -> !gnn.graph<complete>
  return
}

// -----

func.func @remove_coo(%g: !gnn.graph<coo>) {
  // expected-error @+1 {{'gnn.remove_self_loops' op sort the graph with gnn.to_csr first}}
  %h = gnn.remove_self_loops %g : !gnn.graph<coo> -> !gnn.graph<coo>
  return
}

// -----

func.func @remove_complete(%g: !gnn.graph<complete>) {
  // expected-error @+1 {{'gnn.remove_self_loops' op cannot drop edges that the type of a complete graph says exist; use a csr graph}}
  %h = gnn.remove_self_loops %g : !gnn.graph<complete> -> !gnn.graph<complete>
  return
}

// -----

func.func @remove_promised(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.remove_self_loops' op the result has no self loops, but its type '!gnn.graph<csr, self_loops>' promises them}}
  %h = gnn.remove_self_loops %g
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>
  return
}

// -----

func.func @remove_edge_types(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.remove_self_loops' op must return the edge values it takes, with the same types}}
  %h:2 = gnn.remove_self_loops %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f64>
  return
}

// -----

func.func @remove_index_type(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.remove_self_loops' op must keep the topology, index type and bipartiteness of '!gnn.graph<csr>', got '!gnn.graph<csr, i64>'}}
  %h = gnn.remove_self_loops %g : !gnn.graph<csr> -> !gnn.graph<csr, i64>
  return
}

// -----

func.func @reverse_causal(%g: !gnn.graph<causal>) {
  // expected-error @+1 {{'gnn.reverse' op the reverse of a causal graph is no topology of the dialect; use a csr graph}}
  %h = gnn.reverse %g : !gnn.graph<causal> -> !gnn.graph<causal>
  return
}

// -----

func.func @reverse_lost_edges(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.reverse' op must return the edge values it takes, with the same types}}
  %h = gnn.reverse %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>
  return
}

// -----

func.func @reverse_window(%g: !gnn.graph<window<2>>) {
  // expected-error @+1 {{'gnn.reverse' op must keep the topology, index type and bipartiteness of '!gnn.graph<window<2>>', got '!gnn.graph<window<3>>'}}
  %h = gnn.reverse %g : !gnn.graph<window<2>> -> !gnn.graph<window<3>>
  return
}

// -----

func.func @to_csr_operand(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.to_csr' op takes a coo graph, got '!gnn.graph<csr>'}}
  %h = gnn.to_csr %g : !gnn.graph<csr> -> !gnn.graph<csr>
  return
}

// -----

func.func @to_csr_result(%g: !gnn.graph<coo>) {
  // expected-error @+1 {{'gnn.to_csr' op yields a csr graph, got '!gnn.graph<coo>'}}
  %h = gnn.to_csr %g : !gnn.graph<coo> -> !gnn.graph<coo>
  return
}

// -----

func.func @to_csr_bipartite(%g: !gnn.graph<coo, bipartite>) {
  // expected-error @+1 {{'gnn.to_csr' op must keep the index type and bipartiteness of '!gnn.graph<coo, bipartite>', got '!gnn.graph<csr>'}}
  %h = gnn.to_csr %g : !gnn.graph<coo, bipartite> -> !gnn.graph<csr>
  return
}

// -----

func.func @to_csr_lost_edges(%g: !gnn.graph<coo>, %w: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.to_csr' op must return the edge values it takes, with the same types}}
  %h = gnn.to_csr %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo> -> !gnn.graph<csr>
  return
}

// -----

// A dense topology holds edge values in a tensor with two leading dimensions.
func.func @from_tensor(%g: !gnn.graph<complete>, %t: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.edges_from_tensor' op values of '!gnn.edges<4xf32>' on '!gnn.graph<complete>' are held by 'tensor<?x?x4xf32>', got 'tensor<?x4xf32>'}}
  %e = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x4xf32> -> !gnn.edges<4xf32>
  return
}

// -----

func.func @to_tensor(%g: !gnn.graph<csr>, %e: !gnn.edges<4xf32>) {
  // expected-error @+1 {{'gnn.edges_to_tensor' op values of '!gnn.edges<4xf32>' on '!gnn.graph<csr>' are held by 'tensor<?x4xf32>', got 'tensor<?x?x4xf32>'}}
  %t = gnn.edges_to_tensor %g, %e
    : !gnn.graph<csr>, !gnn.edges<4xf32> -> tensor<?x?x4xf32>
  return
}

// -----

func.func @spread_unsorted(%w: !gnn.edges<f32>, %g: !gnn.graph<coo>,
                           %h: !gnn.graph<complete>) {
  // expected-error @+1 {{'gnn.spread_edges' op spreads values of edges whose order is that of their destinations, got '!gnn.graph<coo>'; sort it with gnn.to_csr first}}
  %a = gnn.spread_edges %w from %g to %h
    : !gnn.edges<f32>, !gnn.graph<coo> to !gnn.graph<complete>
  return
}

// -----

func.func @spread_to_list(%w: !gnn.edges<f32>, %g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.spread_edges' op spreads values over a graph whose edges follow from its type, got '!gnn.graph<csr>'}}
  %a = gnn.spread_edges %w from %g to %g
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<csr>
  return
}

// -----

func.func @spread_other_nodes(%w: !gnn.edges<f32>, %g: !gnn.graph<csr>,
                              %h: !gnn.graph<complete, bipartite>) {
  // expected-error @+1 {{'gnn.spread_edges' op needs two graphs of the same nodes, but one of '!gnn.graph<csr>' and '!gnn.graph<complete, bipartite>' is bipartite}}
  %a = gnn.spread_edges %w from %g to %h
    : !gnn.edges<f32>, !gnn.graph<csr> to !gnn.graph<complete, bipartite>
  return
}

// -----

func.func @position_bipartite(%g: !gnn.graph<csr, bipartite>) {
  // expected-error @+1 {{'gnn.position' op numbers the nodes of one kind, but the graph is bipartite}}
  %p = gnn.position %g : !gnn.graph<csr, bipartite> -> tensor<?xi32>
  return
}

// -----

func.func @position_static(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.position' op the number of nodes is dynamic; result must be 'tensor<?xi32>'}}
  %p = gnn.position %g : !gnn.graph<csr> -> tensor<4xi32>
  return
}
