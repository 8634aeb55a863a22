// RUN: sed 's/EDGES/tensor<?x?/g' %s > %t.dense.in
// RUN: %differential %t.dense.in two-sided --topologies complete

// Values of a bipartite graph carried to its reverse, which is as high as the
// graph is wide.

func.func @reverse(%g: !gnn.graph<TOPOLOGY, bipartite>,
                   %s: tensor<?x6xf32> {gnn.name = "x_src",
                                       gnn.axis = "source",
                                       gnn.graph = 0 : i64},
                   %d: tensor<?x4xf32> {gnn.name = "x_dst",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?x6xf32> {gnn.axis = "any"},
        EDGESx4xf32> {gnn.axis = "any"}) {
  %m = gnn.message %g dst(%d : tensor<?x4xf32>) src(%s : tensor<?x6xf32>)
      {indexing_maps = [affine_map<(f, h) -> (f)>, affine_map<(f, h) -> (h)>,
                        affine_map<(f, h) -> (f)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY, bipartite> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %sum : f32
    gnn.yield %1 : f32
  }
  %r, %rm = gnn.reverse %g edges(%m : !gnn.edges<4xf32>)
    : !gnn.graph<TOPOLOGY, bipartite>
    -> !gnn.graph<TOPOLOGY, bipartite>, !gnn.edges<4xf32>
  %y = gnn.message_aggregate [sum] %r dst(%s : tensor<?x6xf32>)
      src(%d : tensor<?x4xf32>) edge(%rm : !gnn.edges<4xf32>)
      {indexing_maps = [affine_map<(f, h) -> (f)>, affine_map<(f, h) -> (h)>,
                        affine_map<(f, h) -> (h)>, affine_map<(f, h) -> (f)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY, bipartite> -> tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32, %e: f32, %sum: f32):
    %0 = arith.mulf %b, %e : f32
    %1 = arith.addf %0, %a : f32
    %2 = arith.addf %1, %sum : f32
    gnn.yield %2 : f32
  }
  %t = gnn.edges_to_tensor %r, %rm
    : !gnn.graph<TOPOLOGY, bipartite>, !gnn.edges<4xf32> -> EDGESx4xf32>
  return %y, %t : tensor<?x6xf32>, EDGESx4xf32>
}
