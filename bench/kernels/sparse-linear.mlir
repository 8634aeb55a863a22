// A product of weights and a matrix that lists its elements: rows of the weights,
// each times an element, added up.

#row = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @sparse_linear(%x: !gnn.graph<csr, bipartite> {gnn.name = "x"},
                         %w: tensor<$(K)x$(N)xf32> {gnn.name = "w"},
                         %data: tensor<?xf32> {gnn.name = "x.data"})
    -> tensor<?x$(N)xf32> {
  %k = arith.constant $(K) : index
  %zero = arith.constant 0.0 : f32
  %v = gnn.edges_from_tensor %x, %data
    : !gnn.graph<csr, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %m = gnn.num_nodes dst %x : !gnn.graph<csr, bipartite>
  %all = gnn.make_graph %m, %k
    : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %x to %all
    : !gnn.edges<f32>, !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %dense = tensor.cast %t : tensor<?x?xf32> to tensor<?x$(K)xf32>
  %empty = tensor.empty(%m) : tensor<?x$(N)xf32>
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x$(N)xf32>) -> tensor<?x$(N)xf32>
  %y = linalg.matmul
    ins(%dense, %w : tensor<?x$(K)xf32>, tensor<$(K)x$(N)xf32>)
    outs(%init : tensor<?x$(N)xf32>) -> tensor<?x$(N)xf32>
  return %y : tensor<?x$(N)xf32>
}
