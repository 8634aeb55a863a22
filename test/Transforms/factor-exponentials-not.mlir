// RUN: gnn-opt --gnn-factor-exponentials %s | FileCheck %s

// CHECK-NOT: scf.if
// CHECK-NOT: math.exp

#h = affine_map<(h) -> (h)>
#hk = affine_map<(h, k) -> (h, k)>
#kh = affine_map<(h, k) -> (k, h)>

// 1 / 0.3 is no integer.
// CHECK-LABEL: func @power
func.func @power(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.3 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Powers of 100 are far from exact.
// CHECK-LABEL: func @large_power
func.func @large_power(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.01 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Products are no sums.
// CHECK-LABEL: func @products
func.func @products(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.mulf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Sums as they are.
// CHECK-LABEL: func @no_slope
func.func @no_slope(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %s = arith.addf %i, %j : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A number of an edge is not known before its exponential is needed.
// CHECK-LABEL: func @edges
func.func @edges(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>, %e: !gnn.edges<2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>)
          edge(%e : !gnn.edges<2xf32>) {
    ^bb0(%i: f32, %j: f32, %k: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %t = arith.addf %i, %j : f32
      %sum = arith.addf %t, %k : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Nothing of a destination.
// CHECK-LABEL: func @sources_only
func.func @sources_only(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score src(%v : tensor<?x2xf32>) {
    ^bb0(%sum: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// All pairs are tiled.
// CHECK-LABEL: func @complete
func.func @complete(%g: !gnn.graph<complete>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h}
    : !gnn.graph<complete> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Scores that are weights have no exponentials.
// CHECK-LABEL: func @average
func.func @average(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %y = gnn.attention %g
    score dst(%v : tensor<?x2xf32>) src(%v : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"],
     weight_map = #h,
     normalization = #gnn.normalization<sum>}
    : !gnn.graph<csr> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A head reads another one's number.
// CHECK-LABEL: func @permuted
func.func @permuted(%g: !gnn.graph<csr>, %v: tensor<?x2xf32>, %t: tensor<?x2x2xf32>)
    -> tensor<?x2x2xf32> {
  %y = gnn.attention %g
    score dst(%t : tensor<?x2x2xf32>) src(%t : tensor<?x2x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%t : tensor<?x2x2xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#hk, #kh, #hk], score_iterators = ["parallel", "parallel"],
     value_maps = [#hk, #hk], value_iterators = ["parallel", "parallel"],
     weight_map = #hk}
    : !gnn.graph<csr> -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}
