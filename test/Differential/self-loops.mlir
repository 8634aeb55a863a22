// RUN: %differential %s square

// Adding self loops in every mode, with edge values of two shapes, and dropping
// them.

#scalar = affine_map<() -> ()>
#id = affine_map<(f) -> (f)>

func.func @loops(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x"},
                 %edge_weight: tensor<?xf32> {gnn.name = "edge_weight"},
                 %edge_attr: tensor<?x3xf32> {gnn.name = "edge_attr"})
    -> (tensor<?xf32> {gnn.axis = "any"}, tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?xf32> {gnn.axis = "any"}, tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?xf32> {gnn.axis = "any"}, tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?xf32> {gnn.axis = "any"}, tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x6xf32>) {
  %w = gnn.edges_from_tensor %g, %edge_weight
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %a = gnn.edges_from_tensor %g, %edge_attr
    : !gnn.graph<csr>, tensor<?x3xf32> -> !gnn.edges<3xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %fillW = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %fillA = tensor.extract_slice %x[0, 3] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>

  %g0, %w0, %a0 = gnn.add_self_loops keep %g
    edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    fill(%fillW, %fillA : tensor<?xf32>, tensor<?x3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>
  %g1, %w1, %a1 = gnn.add_self_loops replace %g
    edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    fill(%fillW, %fillA : tensor<?xf32>, tensor<?x3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>,
      !gnn.edges<3xf32>
  %g2, %w2, %a2 = gnn.add_self_loops reuse %g
    edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    fill(%fillW, %fillA : tensor<?xf32>, tensor<?x3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr, self_loops>, !gnn.edges<f32>,
      !gnn.edges<3xf32>
  %g3, %w3, %a3 = gnn.remove_self_loops %g
    edges(%w, %a : !gnn.edges<f32>, !gnn.edges<3xf32>)
    : !gnn.graph<csr> -> !gnn.graph<csr>, !gnn.edges<f32>, !gnn.edges<3xf32>

  %t0 = gnn.edges_to_tensor %g0, %w0
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %u0 = gnn.edges_to_tensor %g0, %a0
    : !gnn.graph<csr>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  %t1 = gnn.edges_to_tensor %g1, %w1
    : !gnn.graph<csr, self_loops>, !gnn.edges<f32> -> tensor<?xf32>
  %u1 = gnn.edges_to_tensor %g1, %a1
    : !gnn.graph<csr, self_loops>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  %t2 = gnn.edges_to_tensor %g2, %w2
    : !gnn.graph<csr, self_loops>, !gnn.edges<f32> -> tensor<?xf32>
  %u2 = gnn.edges_to_tensor %g2, %a2
    : !gnn.graph<csr, self_loops>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  %t3 = gnn.edges_to_tensor %g3, %w3
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  %u3 = gnn.edges_to_tensor %g3, %a3
    : !gnn.graph<csr>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  %d0 = gnn.degree src %g0 : !gnn.graph<csr> -> tensor<?xi32>
  %d2 = gnn.degree src %g2 : !gnn.graph<csr, self_loops> -> tensor<?xi32>
  %d3 = gnn.degree dst %g3 : !gnn.graph<csr> -> tensor<?xi32>
  // What GCN does: weights and sources of the same new edges.
  %y = gnn.message_aggregate [sum] %g2 src(%x : tensor<?x6xf32>)
      edge(%w2 : !gnn.edges<f32>)
      {indexing_maps = [#id, affine_map<(f) -> ()>, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr, self_loops> -> tensor<?x6xf32> {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.mulf %s, %e : f32
    gnn.yield %0 : f32
  }
  return %t0, %u0, %t1, %u1, %t2, %u2, %t3, %u3, %d0, %d2, %d3, %y
    : tensor<?xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<?x3xf32>,
      tensor<?xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<?x3xf32>,
      tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x6xf32>
}
