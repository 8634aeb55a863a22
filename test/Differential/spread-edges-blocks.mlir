// RUN: %differential %s duplicates loops isolated hub no-edges one-node one-node-loop empty

// As spread-edges.mlir, over all pairs of the first half of the nodes and all
// of the second. Edges between the halves do not count.

#id = affine_map<(f) -> (f)>

func.func @spread(%g: !gnn.graph<csr>,
                  %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                       gnn.graph = 0 : i64},
                  %edge_attr: tensor<?x3xf32> {gnn.name = "edge_attr"})
    -> (tensor<?x3xf32> {gnn.axis = "any"},
        tensor<?x3xf32> {gnn.axis = "any"}) {
  %a = gnn.edges_from_tensor %g, %edge_attr
    : !gnn.graph<csr>, tensor<?x3xf32> -> !gnn.edges<3xf32>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %half = arith.divui %n, %two : index
  %p0 = arith.index_cast %zero : index to i32
  %p1 = arith.index_cast %half : index to i32
  %p2 = arith.index_cast %n : index to i32
  %static = tensor.from_elements %p0, %p1, %p2 : tensor<3xi32>
  %pointers = tensor.cast %static : tensor<3xi32> to tensor<?xi32>
  %h = gnn.make_graph %pointers, %pointers
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal>
  %s = gnn.spread_edges %a from %g to %h
    : !gnn.edges<3xf32>, !gnn.graph<csr> to !gnn.graph<block_diagonal>
  %y = gnn.message_aggregate [sum] %h src(%x : tensor<?x6xf32>)
      edge(%s : !gnn.edges<3xf32>)
      {indexing_maps = [affine_map<(f, k) -> (k)>, affine_map<(f, k) -> (f)>,
                        affine_map<(f, k) -> (f)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<block_diagonal> -> tensor<?x3xf32> {
  ^bb0(%v: f32, %e: f32, %sum: f32):
    %0 = arith.mulf %v, %e : f32
    %1 = arith.addf %sum, %0 : f32
    gnn.yield %1 : f32
  }
  %t = gnn.edges_to_tensor %h, %s
    : !gnn.graph<block_diagonal>, !gnn.edges<3xf32> -> tensor<?x3xf32>
  return %y, %t : tensor<?x3xf32>, tensor<?x3xf32>
}
