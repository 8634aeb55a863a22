// RUN: %differential %s square

// Both forms of attention over a listed graph: where edges are there twice and
// where values are infinite the dense form is not taken, and a node hears of them
// only from its neighbours.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @attention(%g: !gnn.graph<csr>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %y = call @attend(%g, %heads, %heads)
    : (!gnn.graph<csr>, tensor<?x2x3xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  // Some are infinite.
  %odd = gnn.update node(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf], iterator_types = ["parallel", "parallel"]}
      : tensor<?x2x3xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %isLarge = arith.cmpf ogt, %a, %one : f32
    %inf = arith.divf %a, %zero : f32
    %0 = arith.select %isLarge, %inf, %a : f32
    gnn.yield %0 : f32
  }
  %z = call @attend(%g, %heads, %odd)
    : (!gnn.graph<csr>, tensor<?x2x3xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  // Scores of what is no edge do not matter.
  %w = call @attend(%g, %odd, %heads)
    : (!gnn.graph<csr>, tensor<?x2x3xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  return %y, %z, %w : tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>
}

func.func private @attend(%g: !gnn.graph<csr>, %k: tensor<?x2x3xf32>,
                          %v: tensor<?x2x3xf32>) -> tensor<?x2x3xf32> {
  %score = gnn.message %g dst(%k : tensor<?x2x3xf32>)
      src(%k : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %alpha = gnn.edge_softmax %g, %score : !gnn.graph<csr>, !gnn.edges<2xf32>
  %m = gnn.message %g src(%v : tensor<?x2x3xf32>)
      edge(%alpha : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x3xf32> {
  ^bb0(%a: f32, %weight: f32):
    %p = arith.mulf %a, %weight : f32
    gnn.yield %p : f32
  }
  %y = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}
