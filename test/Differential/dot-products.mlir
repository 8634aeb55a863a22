// RUN: %differential %s square --topologies complete causal "window<1>" --emulate
// RUN: sed 's/TOPOLOGY/causal/g' %s > %t.causal.mlir
// RUN: gnn-opt --gnn-bound-dot-products %t.causal.mlir > %t.bounded.mlir
// RUN: %differential %t.bounded.mlir square --oracle %t.causal.mlir --emulate

// Softmaxes of dot products: small ones, whose weights need no maxima, and those of
// rows that are so long, or infinite or NaN in one element, that they do.

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @softmaxes(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
        tensor<?x6xf32>) {
  %one = arith.constant 1.0 : f32
  %long = arith.constant 5.0 : f32
  %overflows = arith.constant 1.0e+30 : f32
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %0 = call @attend(%g, %x, %one, %one)
    : (!gnn.graph<TOPOLOGY>, tensor<?x6xf32>, f32, f32) -> tensor<?x6xf32>
  %1 = call @attend(%g, %x, %long, %long)
    : (!gnn.graph<TOPOLOGY>, tensor<?x6xf32>, f32, f32) -> tensor<?x6xf32>
  // The squares are infinite, the products are not.
  %2 = call @attend(%g, %x, %overflows, %one)
    : (!gnn.graph<TOPOLOGY>, tensor<?x6xf32>, f32, f32) -> tensor<?x6xf32>
  %3 = call @attend(%g, %x, %one, %inf)
    : (!gnn.graph<TOPOLOGY>, tensor<?x6xf32>, f32, f32) -> tensor<?x6xf32>
  %4 = call @attend(%g, %x, %one, %nan)
    : (!gnn.graph<TOPOLOGY>, tensor<?x6xf32>, f32, f32) -> tensor<?x6xf32>
  return %0, %1, %2, %3, %4
    : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
      tensor<?x6xf32>
}

// Numbers above a half are multiplied by the factor.
func.func private @with(%x: tensor<?x6xf32>, %factor: f32) -> tensor<?x6xf32> {
  %y = gnn.update node(%x : tensor<?x6xf32>) uniform(%factor : f32)
      {indexing_maps = [#f, #none, #f], iterator_types = ["parallel"]}
      : tensor<?x6xf32> {
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %isLarge = arith.cmpf ogt, %a, %half : f32
    %p = arith.mulf %a, %o : f32
    %s = arith.select %isLarge, %p, %a : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x6xf32>
}

func.func private @attend(%g: !gnn.graph<TOPOLOGY>, %x: tensor<?x6xf32>,
                          %ofQueries: f32, %ofKeys: f32) -> tensor<?x6xf32> {
  %q = call @with(%x, %ofQueries) : (tensor<?x6xf32>, f32) -> tensor<?x6xf32>
  %k = call @with(%x, %ofKeys) : (tensor<?x6xf32>, f32) -> tensor<?x6xf32>
  %y = gnn.attention %g
    score dst(%q : tensor<?x6xf32>) src(%k : tensor<?x6xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<TOPOLOGY> -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}
