// RUN: sed 's/EDGES/tensor<?/g' %s > %t.listed.in
// RUN: %differential %t.listed.in random duplicates isolated no-edges one-node-loop empty --topologies csr
// RUN: sed 's/EDGES/tensor<?/g' %s > %t.blocks.in
// RUN: %differential %t.blocks.in square --topologies block_diagonal
// RUN: sed 's/EDGES/tensor<?x?/g' %s > %t.dense.in
// RUN: %differential %t.dense.in square --topologies complete

// Messages and softmax weights themselves, where every entry of their tensor is
// an edge. ("any": in the graph's own order of edges.)

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @values(%g: !gnn.graph<TOPOLOGY>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (EDGESx6xf32> {gnn.axis = "any"}, EDGESx6xf32> {gnn.axis = "any"},
        EDGESxf32> {gnn.axis = "any"}, EDGESx6xf32> {gnn.axis = "any"}) {
  %m = gnn.message %g dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    gnn.yield %0 : f32
  }
  %w = gnn.edge_softmax %g, %m : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %sum = gnn.message %g edge(%m, %w : !gnn.edges<6xf32>, !gnn.edges<6xf32>)
      {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %s : f32
    gnn.yield %1 : f32
  }
  %t0 = gnn.edges_to_tensor %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> EDGESx6xf32>
  %t1 = gnn.edges_to_tensor %g, %w
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> EDGESx6xf32>
  %t2 = gnn.edges_to_tensor %g, %sum
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> EDGESxf32>
  // A tensor that has been changed is read back.
  %twice = arith.addf %t0, %t1 : EDGESx6xf32>
  %back = gnn.edges_from_tensor %g, %twice
    : !gnn.graph<TOPOLOGY>, EDGESx6xf32> -> !gnn.edges<6xf32>
  %v = gnn.edge_softmax %g, %back : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %t3 = gnn.edges_to_tensor %g, %v
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> EDGESx6xf32>
  return %t0, %t1, %t2, %t3
    : EDGESx6xf32>, EDGESx6xf32>, EDGESxf32>, EDGESx6xf32>
}
