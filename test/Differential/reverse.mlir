// RUN: %differential %s square --emulate

// Every edge turned around, with values; and back, which sorts the edges of a
// row by their source.

#id = affine_map<(f) -> (f)>

func.func @reverse(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"},
                   %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"},
                   %edge_attr: tensor<?x3xf32> {gnn.name = "edge_attr"})
    -> (tensor<?xf32> {gnn.axis = "any"}, tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?xf32> {gnn.axis = "any"}, tensor<?xi32>, tensor<?x6xf32>) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %a = gnn.edges_from_tensor %g, %edge_attr
    : !gnn.graph<csr>, tensor<?x3xf32> -> !gnn.edges<3xf32>
  %r, %rw, %ra = gnn.reverse %g
    edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>
  %b, %bw = gnn.reverse %r edges(%rw : !gnn.edges<f32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>
  %t0 = gnn.edges_to_tensor %r, %rw
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %t1 = gnn.edges_to_tensor %r, %ra
    : !gnn.graph<csr>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  %t2 = gnn.edges_to_tensor %b, %bw
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %d = gnn.degree dst %r : !gnn.graph<csr> -> tensor<?xi32>
  %y = gnn.message_aggregate [mean] %r src(%x : tensor<?x6xf32>)
      edge(%rw : !gnn.edges<f32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> tensor<?x6xf32> {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.mulf %s, %e : f32
    gnn.yield %0 : f32
  }
  return %t0, %t1, %t2, %d, %y
    : tensor<?xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<?xi32>,
      tensor<?x6xf32>
}
