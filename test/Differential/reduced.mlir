// RUN: %differential %s square --topologies csr complete causal "window<2>" block_diagonal

// What follows a reduction in its region: in messages that are kept, aggregated
// and weighed, and in updates.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#id = affine_map<(h) -> (h)>
#hfg = affine_map<(h, f, g) -> (h, f, g)>
#hg = affine_map<(h, f, g) -> (g, h)>
#g = affine_map<(h, f, g) -> (g)>

func.func @reduced(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                        gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x3x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %l = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %table = arith.constant dense<[1.5, -0.25]> : tensor<2xf32>
  %scale = arith.constant 0.5 : f32

  // Scores with a distance taken off and some masked, in a fused attention.
  %score = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads, %l : tensor<?x2x3xf32>, tensor<?x2xf32>)
      uniform(%scale : f32)
      {indexing_maps = [#hf, #hf, #h, affine_map<(h, f) -> ()>, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    %r = gnn.reduced %s : f32
    %i = gnn.index dst
    %j = gnn.index src
    %distance = arith.subi %i, %j : index
    %long = arith.index_cast %distance : index to i64
    %f = arith.sitofp %long : i64 to f32
    %h = gnn.feature_index 0
    %t = tensor.extract %table[%h] : tensor<2xf32>
    %bias = arith.mulf %t, %f : f32
    %u = arith.addf %r, %bias : f32
    %v = arith.mulf %u, %d : f32
    %one = arith.constant 1.0 : f32
    %neg = arith.constant 0xFF800000 : f32
    %isMasked = arith.cmpf ogt, %c, %one : f32
    %w = arith.select %isMasked, %neg, %v : f32
    gnn.yield %w : f32
  }
  %weights = gnn.edge_softmax %g, %score
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %values = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      edge(%weights : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x3xf32> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    gnn.yield %p : f32
  }
  %y0 = gnn.aggregate [sum] %g, %values
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>

  // A chain that becomes one message, reduced over the middle of three loops,
  // and aggregated.
  %product = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %scaled = gnn.message %g src(%l : tensor<?x2xf32>)
      edge(%product : !gnn.edges<2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %p: f32):
    %e = math.absf %p : f32
    %t = arith.mulf %a, %e : f32
    gnn.yield %t : f32
  }
  %shifted = gnn.message %g edge(%scaled : !gnn.edges<2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%p: f32):
    %h = gnn.feature_index 0
    %t = tensor.extract %table[%h] : tensor<2xf32>
    %s = arith.addf %p, %t : f32
    gnn.yield %s : f32
  }
  %y1 = gnn.aggregate [max] %g, %shifted
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32> -> tensor<?x2xf32>

  // In an update.
  %y2 = gnn.update node(%heads, %l : tensor<?x2x3xf32>, tensor<?x2xf32>)
      {indexing_maps = [#hf, #h, #h],
       iterator_types = ["parallel", "reduction"]} : tensor<?x2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %sum : f32
    %r = gnn.reduced %s : f32
    %root = math.sqrt %r : f32
    %t = arith.subf %b, %root : f32
    gnn.yield %t : f32
  }

  // The result has its dimensions exchanged, and a reduction between them.
  %wide = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [%n, 2, 1, 3]
    : tensor<?x6xf32> into tensor<?x2x1x3xf32>
  %exchanged = gnn.message %g src(%wide : tensor<?x2x1x3xf32>)
      {indexing_maps = [#hfg, #hg],
       iterator_types = ["parallel", "reduction", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3x2xf32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    %h = gnn.feature_index 0
    %f = gnn.feature_index 2
    %i = gnn.index dst
    %t = tensor.extract %heads[%i, %h, %f] : tensor<?x2x3xf32>
    %u = arith.mulf %r, %t : f32
    gnn.yield %u : f32
  }
  %y3 = gnn.aggregate [sum] %g, %exchanged
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3x2xf32> -> tensor<?x3x2xf32>
  return %y0, %y1, %y2, %y3
    : tensor<?x2x3xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x3x2xf32>
}
