// RUN: %differential %s square --topologies csr complete causal block_diagonal

// A table whose row follows from a large number that each destination holds: where
// a tile has fewer destinations than lanes, there are zeros instead of it.

#h = affine_map<(h) -> (h)>
#n = affine_map<(h) -> ()>
#hd = affine_map<(h, d) -> (h, d)>
#hh = affine_map<(h, d) -> (h)>

func.func @lookup(%g: !gnn.graph<TOPOLOGY>,
                  %x: tensor<?x6xf32> {gnn.name = "x",
                                      gnn.axis = "destination",
                                      gnn.graph = 0 : i64})
    -> tensor<?x3x2xf32> {
  %c0 = arith.constant 0 : index
  %many = arith.constant 1000000000 : index
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %numbers = tensor.generate %n {
  ^bb0(%i: index):
    %sum = arith.addi %i, %many : index
    %number = arith.index_cast %sum : index to i32
    tensor.yield %number : i32
  } : tensor<?xi32>
  %v = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 2]
    : tensor<?x6xf32> into tensor<?x3x2xf32>
  %rows = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %y = gnn.attention %g
    score dst(%numbers : tensor<?xi32>) src(%rows : tensor<?x3xf32>) {
    ^bb0(%a: i32, %b: f32):
      %c3 = arith.constant 3 : index
      %number = arith.index_cast %a : i32 to index
      %node = arith.subi %number, %many : index
      %row = arith.minsi %node, %c3 : index
      %factor = tensor.extract %table[%row] : tensor<4xf32>
      %s = arith.mulf %factor, %b : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x3x2xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#n, #h, #h], score_iterators = ["parallel"],
     value_maps = [#hd, #hd], value_iterators = ["parallel", "parallel"],
     weight_map = #hh}
    : !gnn.graph<TOPOLOGY> -> tensor<?x3x2xf32>
  return %y : tensor<?x3x2xf32>
}
