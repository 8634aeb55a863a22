// RUN: gnn-opt --gnn-factor-exponentials="min-degree=0" %s > %t.factored.mlir
// RUN: %differential %t.factored.mlir two-sided --oracle %s

// Sources and destinations of different numbers; scores are sums of three
// numbers, and have no heads.

#none = affine_map<() -> ()>

func.func @gat(%g: !gnn.graph<csr, bipartite>,
               %x_src: tensor<?x6xf32> {gnn.name = "x_src"},
               %x_dst: tensor<?x4xf32> {gnn.name = "x_dst"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x_src, %c0 : tensor<?x6xf32>
  %n = tensor.dim %x_dst, %c0 : tensor<?x4xf32>
  %a = tensor.extract_slice %x_dst[0, 0] [%n, 1] [1, 1]
    : tensor<?x4xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x_src[0, 0] [%m, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %c = tensor.extract_slice %x_src[0, 1] [%m, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %y = gnn.attention %g
    score dst(%a : tensor<?xf32>) src(%b, %c : tensor<?xf32>, tensor<?xf32>) {
    ^bb0(%i: f32, %j: f32, %k: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.25 : f32
      %t = arith.addf %i, %k : f32
      %sum = arith.addf %j, %t : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%b : tensor<?xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#none, #none, #none, #none], score_iterators = [],
     value_maps = [#none, #none], value_iterators = [], weight_map = #none}
    : !gnn.graph<csr, bipartite> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
