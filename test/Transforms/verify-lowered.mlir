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

func.func @message(%g: !gnn.graph<csr>, %x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'gnn.message_aggregate' op was not lowered; run convert-gnn-to-scf}}
  %y = gnn.message_aggregate [sum] %g src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> tensor<?xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return %y : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 1 holds edge values, which may not cross a function boundary; take a tensor, and read it by gnn.edges_from_tensor}}
func.func @takes_edges(%g: !gnn.graph<csr>, %w: !gnn.edges<f32>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op returns edge values, which may not cross a function boundary; return what gnn.edges_to_tensor makes of them}}
func.func @returns_edges(%g: !gnn.graph<csr>, %t: tensor<?xf32>)
    -> !gnn.edges<f32> {
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  return %w : !gnn.edges<f32>
}

// -----

func.func @carries_edges(%g: !gnn.graph<csr>, %t: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'gnn.edges_from_tensor' op was not lowered; edge values may not cross a function or loop boundary; pass them as a tensor}}
  %w = gnn.edges_from_tensor %g, %t
    : !gnn.graph<csr>, tensor<?xf32> -> !gnn.edges<f32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%e = %w) -> !gnn.edges<f32> {
    scf.yield %e : !gnn.edges<f32>
  }
  return
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
