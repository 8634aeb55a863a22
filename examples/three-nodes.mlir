// The same for one number per node on a graph of three nodes: node 0 hears from 1
// and 2, node 1 from 0, node 2 from nobody.
func.func @main() -> tensor<?xf32> {
  %pointers = arith.constant dense<[0, 2, 3, 3]> : tensor<4xi32>
  %columns = arith.constant dense<[1, 2, 0]> : tensor<3xi32>
  %n = arith.constant 3 : index
  %x = arith.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf32>
  %r = tensor.cast %pointers : tensor<4xi32> to tensor<?xi32>
  %c = tensor.cast %columns : tensor<3xi32> to tensor<?xi32>
  %xs = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %g = gnn.make_graph %r, %c, %n : (tensor<?xi32>, tensor<?xi32>, index) -> !gnn.graph<csr>
  %m = gnn.message %g src(%xs : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%value: f32):
    gnn.yield %value : f32
  }
  %y = gnn.aggregate [mean] %g, %m : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
