// RUN: gnn-opt --gnn-factor-exponentials="min-degree=0" %s > %t.factored.mlir
// RUN: %differential %t.factored.mlir square degrees --oracle %s

// GAT's scores, whose exponentials are factors of nodes: plain ones, some that
// are far apart, some that are infinite or NaN, at sources and at destinations,
// and the lowest ones.

#h = affine_map<(h) -> (h)>
#hf = affine_map<(h, f) -> (h, f)>
#hofhf = affine_map<(h, f) -> (h)>

func.func @gat(%g: !gnn.graph<csr>,
               %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                   gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>,
        tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>,
        tensor<?x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %b = tensor.extract_slice %x[0, 2] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %far = arith.constant 1.0e+02 : f32
  %inf = arith.constant 0x7F800000 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %bfar = call @with(%b, %far) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %ainf = call @with(%a, %inf) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %alow = call @with(%a, %lowest) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %anan = call @with(%a, %nan) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %blow = call @with(%b, %lowest) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %bnan = call @with(%b, %nan) : (tensor<?x2xf32>, f32) -> tensor<?x2xf32>
  %0 = call @attend(%g, %a, %b, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %1 = call @attend(%g, %a, %bfar, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %2 = call @attend(%g, %ainf, %b, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %3 = call @attend(%g, %alow, %b, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %4 = call @attend(%g, %anan, %b, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %5 = call @attend(%g, %a, %blow, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  %6 = call @attend(%g, %a, %bnan, %v)
    : (!gnn.graph<csr>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>,
      tensor<?x2x3xf32>, tensor<?x2x3xf32>, tensor<?x2x3xf32>,
      tensor<?x2x3xf32>
}

// Numbers above a half are others.
func.func private @with(%x: tensor<?x2xf32>, %other: f32) -> tensor<?x2xf32> {
  %y = gnn.update node(%x : tensor<?x2xf32>) uniform(%other : f32)
      {indexing_maps = [#h, affine_map<(h) -> ()>, #h],
       iterator_types = ["parallel"]} : tensor<?x2xf32> {
  ^bb0(%a: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %isLarge = arith.cmpf ogt, %a, %half : f32
    %s = arith.select %isLarge, %o, %a : f32
    gnn.yield %s : f32
  }
  return %y : tensor<?x2xf32>
}

func.func private @attend(%g: !gnn.graph<csr>, %a: tensor<?x2xf32>,
                          %b: tensor<?x2xf32>, %v: tensor<?x2x3xf32>)
    -> tensor<?x2x3xf32> {
  %y = gnn.attention %g
    score dst(%a : tensor<?x2xf32>) src(%b : tensor<?x2xf32>) {
    ^bb0(%i: f32, %j: f32):
      %zero = arith.constant 0.0 : f32
      %slope = arith.constant 0.2 : f32
      %sum = arith.addf %i, %j : f32
      %positive = arith.cmpf ogt, %sum, %zero : f32
      %small = arith.mulf %slope, %sum : f32
      %s = arith.select %positive, %sum, %small : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x3xf32>) {
    ^bb0(%j: f32):
      gnn.yield %j : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #hofhf}
    : !gnn.graph<csr> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}
