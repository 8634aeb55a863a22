// RUN: gnn-opt --convert-gnn-to-linalg --split-input-file --verify-diagnostics %s
// RUN: gnn-opt --convert-gnn-to-scf --split-input-file --verify-diagnostics %s

// Slices of rows without elements would be no valid IR.
func.func @rows(%g: !gnn.graph<csr>, %x: tensor<?x0xf32>) -> tensor<?x0xf32> {
  // expected-error @+1 {{'gnn.message_aggregate' op has rows without elements, 'tensor<?x0xf32>', which have no code; leave this value out}}
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?x0xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : !gnn.graph<csr> -> tensor<?x0xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?x0xf32>
}

// -----

func.func @edges(%g: !gnn.graph<complete>, %t: tensor<?x?x2x0xf32>)
    -> tensor<?x2x0xf32> {
  // expected-error @+1 {{'gnn.edges_from_tensor' op has rows without elements, 'tensor<?x?x2x0xf32>'}}
  %e = gnn.edges_from_tensor %g, %t
    : !gnn.graph<complete>, tensor<?x?x2x0xf32> -> !gnn.edges<2x0xf32>
  %y = gnn.aggregate [max] %g, %e
    : !gnn.graph<complete>, !gnn.edges<2x0xf32> -> tensor<?x2x0xf32>
  return %y : tensor<?x2x0xf32>
}
