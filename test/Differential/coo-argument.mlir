// RUN: split-file %s %t.d
// RUN: %differential %t.d/coo.mlir square --oracle %t.d/csr.mlir

// The runtime sorts the edges of a coo argument when it loads the graph; the
// model is that of a csr argument then.

//--- coo.mlir
#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @sorted(%g: !gnn.graph<coo>, %x: tensor<?x6xf32> {gnn.name = "x"},
                  %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"})
    -> (tensor<?x6xf32>, tensor<?xi32>, tensor<?xi32>) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<coo>, tensor<?xf32> -> !gnn.edges<f32>
  %h, %u = gnn.to_csr %g edges(%w : !gnn.edges<f32>)
    : !gnn.graph<coo> -> !gnn.graph<csr>, !gnn.edges<f32>
  %y = gnn.message_aggregate [sum] %h src(%x : tensor<?x6xf32>)
      edge(%u : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %in = gnn.degree dst %g : !gnn.graph<coo> -> tensor<?xi32>
  %out = gnn.degree src %g : !gnn.graph<coo> -> tensor<?xi32>
  return %y, %in, %out : tensor<?x6xf32>, tensor<?xi32>, tensor<?xi32>
}

//--- csr.mlir
#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @sorted(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"},
                  %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"})
    -> (tensor<?x6xf32>, tensor<?xi32>, tensor<?xi32>) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x6xf32>)
      edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %in = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xi32>
  %out = gnn.degree src %g : !gnn.graph<csr> -> tensor<?xi32>
  return %y, %in, %out : tensor<?x6xf32>, tensor<?xi32>, tensor<?xi32>
}
