// RUN: %differential %s isolated hub one-node empty

// Attention of one destination for each of three segments, of which one is empty, by
// scores of sources, in one head and in as many as there are features, and by dot
// products in two heads. Then of two destinations each, for which there are tiles.

#id = affine_map<(f) -> (f)>
#one = affine_map<(f) -> ()>
#none = affine_map<() -> ()>
#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @readouts(%g: !gnn.graph<csr>,
                    %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x6xf32> {gnn.axis = "any"}, tensor<?x6xf32> {gnn.axis = "any"},
        tensor<?x2x3xf32> {gnn.axis = "any"}, tensor<?x6xf32> {gnn.axis = "any"},
        tensor<?x6xf32> {gnn.axis = "any"}, tensor<?x2x3xf32> {gnn.axis = "any"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %half = arith.divui %n, %c2 : index
  %p0 = arith.index_cast %c0 : index to i32
  %p1 = arith.index_cast %half : index to i32
  %p2 = arith.index_cast %n : index to i32
  %sources3 = tensor.from_elements %p0, %p1, %p1, %p2 : tensor<4xi32>
  %sources = tensor.cast %sources3 : tensor<4xi32> to tensor<?xi32>
  %singles4 = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %singles = tensor.cast %singles4 : tensor<4xi32> to tensor<?xi32>
  %pairs4 = arith.constant dense<[0, 2, 4, 6]> : tensor<4xi32>
  %pairs = tensor.cast %pairs4 : tensor<4xi32> to tensor<?xi32>
  %a = gnn.make_graph %singles, %sources
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>
  %b = gnn.make_graph %pairs, %sources
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>
  %s = tensor.extract_slice %x[0, 1] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %k = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %queries6 = arith.constant dense<[[[0.3, -0.5, 0.9], [0.1, 0.7, -0.2]],
                                    [[-0.8, 0.4, 0.6], [0.5, -0.9, 0.2]],
                                    [[0.7, 0.0, -0.4], [-0.3, 0.8, 0.5]],
                                    [[0.2, -0.6, 0.1], [0.9, 0.3, -0.7]],
                                    [[-0.1, 0.5, 0.8], [0.4, -0.2, 0.6]],
                                    [[0.6, 0.9, -0.3], [-0.5, 0.1, 0.4]]]>
    : tensor<6x2x3xf32>
  %queries = tensor.cast %queries6 : tensor<6x2x3xf32> to tensor<?x2x3xf32>
  %c3 = arith.constant 3 : index
  %q = tensor.extract_slice %queries[0, 0, 0] [%c3, 2, 3] [1, 1, 1]
    : tensor<?x2x3xf32> to tensor<?x2x3xf32>
  %y0 = gnn.attention %a
    score src(%s : tensor<?xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #one}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x6xf32>
  %y1 = gnn.attention %a
    score src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#id, #id], score_iterators = ["parallel"],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #id}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x6xf32>
  %y2 = gnn.attention %a
    score dst(%q : tensor<?x2x3xf32>) src(%k : tensor<?x2x3xf32>) {
    ^bb0(%u: f32, %v: f32, %sum: f32):
      %0 = arith.mulf %u, %v : f32
      %1 = arith.addf %sum, %0 : f32
      gnn.yield %1 : f32
    }
    value src(%k : tensor<?x2x3xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x2x3xf32>
  %y3 = gnn.attention %b
    score src(%s : tensor<?xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #one}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x6xf32>
  %y4 = gnn.attention %b
    score src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#id, #id], score_iterators = ["parallel"],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #id}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x6xf32>
  %y5 = gnn.attention %b
    score dst(%queries : tensor<?x2x3xf32>) src(%k : tensor<?x2x3xf32>) {
    ^bb0(%u: f32, %v: f32, %sum: f32):
      %0 = arith.mulf %u, %v : f32
      %1 = arith.addf %sum, %0 : f32
      gnn.yield %1 : f32
    }
    value src(%k : tensor<?x2x3xf32>) {
    ^bb0(%v: f32):
      gnn.yield %v : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x2x3xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5
    : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x2x3xf32>, tensor<?x6xf32>,
      tensor<?x6xf32>, tensor<?x2x3xf32>
}
