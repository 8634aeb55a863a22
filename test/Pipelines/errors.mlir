// RUN: gnn-opt --gnn-to-llvm --split-input-file --verify-diagnostics %s

// What no stage can lower is named in the first stage that sees it.

func.func @carried(%n: index, %m: index, %t: tensor<?x?xf32>, %c: i1)
    -> tensor<?xf32> {
  // expected-error @+1 {{'gnn.make_graph' op was not lowered; graphs may not be carried by loops or conditionals, nor may edge values of a graph of one topology be read with one of another; rewrite them outside}}
  %g = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<complete>
  %h = gnn.make_graph %m, %m : (index, index) -> !gnn.graph<complete>
  %k = scf.if %c -> !gnn.graph<complete> {
    scf.yield %g : !gnn.graph<complete>
  } else {
    scf.yield %h : !gnn.graph<complete>
  }
  %w = gnn.edges_from_tensor %k, %t
    : !gnn.graph<complete>, tensor<?x?xf32> -> !gnn.edges<f32>
  %y = gnn.aggregate [sum] %k, %w
    : !gnn.graph<complete>, !gnn.edges<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @list(%g: !gnn.graph<coo>) -> tensor<?xi32> {
  // expected-error @+1 {{'gnn.graph_parts' op reads the edge list of an argument, which the runtime passes sorted; take a csr graph instead}}
  %d, %s, %n, %m = gnn.graph_parts %g
    : !gnn.graph<coo> -> tensor<?xi32>, tensor<?xi32>, index, index
  return %d : tensor<?xi32>
}
