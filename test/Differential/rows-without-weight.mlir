// RUN: %differential %s square --topologies csr complete block_diagonal

// A row whose scores are all -inf is 0, even where values are infinite.

#h = affine_map<(h) -> (h)>
#hd = affine_map<(h, d) -> (h, d)>
#hh = affine_map<(h, d) -> (h)>

func.func @no_weight(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> tensor<?x3x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %values = tensor.generate %n {
  ^bb0(%i: index, %h: index, %d: index):
    %one = arith.constant 1.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %is = arith.cmpi eq, %i, %c0 : index
    %s = arith.select %is, %inf, %one : f32
    tensor.yield %s : f32
  } : tensor<?x3x2xf32>
  %rows = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %y = gnn.attention %g
    score src(%rows : tensor<?x3xf32>) {
    ^bb0(%b: f32):
      %two = arith.constant 2 : index
      %lowest = arith.constant 0xFF800000 : f32
      %i = gnn.index dst
      %r = arith.remui %i, %two : index
      %isOdd = arith.cmpi ne, %r, %c0 : index
      %s = arith.select %isOdd, %lowest, %b : f32
      gnn.yield %s : f32
    }
    value src(%values : tensor<?x3x2xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#h, #h], score_iterators = ["parallel"],
     value_maps = [#hd, #hd], value_iterators = ["parallel", "parallel"],
     weight_map = #hh}
    : !gnn.graph<TOPOLOGY> -> tensor<?x3x2xf32>
  return %y : tensor<?x3x2xf32>
}
