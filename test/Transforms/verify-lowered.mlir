// RUN: gnn-opt --gnn-verify-lowered --split-input-file --verify-diagnostics %s

func.func @update(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn.update' op was not lowered; run convert-gnn-to-linalg}}
  %y = gnn.update node(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : tensor<?xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?xf32>
}

// -----

func.func @aggregate(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>)
    -> tensor<?xf32> {
  // expected-error @+1 {{'gnn.aggregate' op was not lowered; run convert-gnn-to-scf}}
  %y = gnn.aggregate [sum] %g, %w
    : !gnn.graph<csr>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @edges(%g: !gnn.graph<csr>, %t: tensor<?xf32>) -> !gnn.edges<f32> {
  // expected-error @+1 {{'gnn.edges_from_tensor' op was not lowered; edge values may not cross a function or loop boundary; pass them as a tensor}}
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  return %w : !gnn.edges<f32>
}

// -----

func.func @graph(%n: index) -> !gnn.graph<complete> {
  // expected-error @+1 {{'gnn.make_graph' op was not lowered; graphs may not be carried by loops or conditionals, nor may edge values of a graph of one topology be read with one of another; rewrite them outside}}
  %g = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  return %g : !gnn.graph<complete>
}

// -----

// Nothing is left.
func.func @lowered(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
