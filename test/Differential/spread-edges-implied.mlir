// RUN: %differential %s isolated hub one-node empty --topologies complete causal "window<2>"

// Values of a graph whose edges follow from its type on pairs of nodes: what
// is not in the target does not count, and what the graph lacks is 0.

#id = affine_map<(f) -> (f)>

func.func @spread(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"})
    -> (tensor<?x6xf32> {gnn.axis = "any"},
        tensor<?x6xf32> {gnn.axis = "any"}) {
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %from = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<TOPOLOGY>
  %near = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<window<1>>
  %all = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  %e = gnn.message %from dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.subf %0, %b : f32
    gnn.yield %1 : f32
  }
  %s = gnn.spread_edges %e from %from to %near
    : !gnn.edges<6xf32>, !gnn.graph<TOPOLOGY> to !gnn.graph<window<1>>
  %y = gnn.aggregate [sum] %near, %s
    : !gnn.graph<window<1>>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %t = gnn.spread_edges %e from %from to %all
    : !gnn.edges<6xf32>, !gnn.graph<TOPOLOGY> to !gnn.graph<complete>
  %z = gnn.aggregate [max] %all, %t
    : !gnn.graph<complete>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y, %z : tensor<?x6xf32>, tensor<?x6xf32>
}
