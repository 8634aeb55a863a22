// RUN: %differential %s square --topologies csr complete causal "window<40>" block_diagonal

// So many heads that tiles of destinations share those of sources.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

func.func @attention(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                          gnn.axis = "destination",
                                          gnn.graph = 0 : i64})
    -> tensor<?x64x6xf32> {
  %c0 = arith.constant 0 : index
  %scale = arith.constant 0.03 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %empty = tensor.empty(%n) : tensor<?x64x6xf32>
  // Of each head another multiple.
  %heads = linalg.generic {
      indexing_maps = [affine_map<(i, h, f) -> (i, f)>,
                       affine_map<(i, h, f) -> (i, h, f)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x6xf32>) outs(%empty : tensor<?x64x6xf32>) {
  ^bb0(%a: f32, %none: f32):
    %h = linalg.index 1 : index
    %i = arith.index_cast %h : index to i32
    %number = arith.sitofp %i : i32 to f32
    %factor = arith.mulf %number, %scale : f32
    %p = arith.mulf %a, %factor : f32
    linalg.yield %p : f32
  } -> tensor<?x64x6xf32>
  %y = gnn.attention %g
    score dst(%heads : tensor<?x64x6xf32>) src(%heads : tensor<?x64x6xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%heads : tensor<?x64x6xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<TOPOLOGY> -> tensor<?x64x6xf32>
  return %y : tensor<?x64x6xf32>
}
