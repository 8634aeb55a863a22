// RUN: %differential %s square --topologies complete causal "window<2>"

// Graphs that have their loops: replace sets their values, reuse leaves them.

#id = affine_map<(f) -> (f)>

func.func @loops(%g: !gnn.graph<TOPOLOGY>,
                 %x: tensor<?x6xf32> {gnn.name = "x",
                                      gnn.axis = "destination",
                                      gnn.graph = 0 : i64})
    -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
  %m = gnn.message %g dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %0 = arith.mulf %a, %two : f32
    %1 = arith.subf %0, %b : f32
    gnn.yield %1 : f32
  }
  %g0, %m0 = gnn.add_self_loops replace %g edges(%m : !gnn.edges<6xf32>)
    fill(%x : tensor<?x6xf32>)
    : !gnn.graph<TOPOLOGY> -> !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %g1, %m1 = gnn.add_self_loops reuse %g edges(%m : !gnn.edges<6xf32>)
    fill(%x : tensor<?x6xf32>)
    : !gnn.graph<TOPOLOGY> -> !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %g2, %m2 = gnn.add_self_loops replace %g edges(%m : !gnn.edges<6xf32>)
    fill(%x : tensor<?x6xf32>)
    : !gnn.graph<TOPOLOGY> -> !gnn.graph<TOPOLOGY, self_loops>,
      !gnn.edges<6xf32>
  %y0 = gnn.aggregate [sum] %g0, %m0
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %y1 = gnn.aggregate [sum] %g1, %m1
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %y2 = gnn.aggregate [max] %g2, %m2
    : !gnn.graph<TOPOLOGY, self_loops>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y0, %y1, %y2 : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
}
