// RUN: %differential %s square --topologies csr complete causal "window<2>" "window<40>" block_diagonal

// Attention written out as score, softmax, weighted message and sum, with and
// without what makes it one op; and the op itself.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#hh = affine_map<(h) -> (h)>
#none = affine_map<(h) -> ()>
#fh = affine_map<(h, f) -> (f, h)>

func.func @attention(%g: !gnn.graph<TOPOLOGY>,
                     %x: tensor<?x6xf32> {gnn.name = "x",
                                          gnn.axis = "destination",
                                          gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x3x2xf32>, tensor<?x2x3xf32>,
        tensor<?x2xf32>, tensor<?x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %l = tensor.extract_slice %x[0, 0] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>
  %r = tensor.extract_slice %x[0, 3] [%n, 2] [1, 1]
    : tensor<?x6xf32> to tensor<?x2xf32>

  // Dot products, values from sources.
  %s0 = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %a0 = gnn.edge_softmax %g, %s0 : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %v0 = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      edge(%a0 : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x3xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y0 = gnn.aggregate [sum] %g, %v0
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>

  // Additive scores with a leaky rectifier, a value that needs both ends, and a
  // result with its dimensions exchanged.
  %s1 = gnn.message %g dst(%l : tensor<?x2xf32>) src(%r : tensor<?x2xf32>)
      {indexing_maps = [#hh, #hh, #hh], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %slope = arith.constant 0.2 : f32
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %slope : f32
    %0 = arith.maximumf %s, %t : f32
    gnn.yield %0 : f32
  }
  %a1 = gnn.edge_softmax %g, %s1 : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %v1 = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>) edge(%a1 : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #hf, #h, #fh],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3x2xf32> {
  ^bb0(%a: f32, %b: f32, %w: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %w, %d : f32
    %q = arith.mulf %p, %a : f32
    gnn.yield %q : f32
  }
  %y1 = gnn.aggregate [sum] %g, %v1
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3x2xf32> -> tensor<?x3x2xf32>

  // Every second source masked for odd destinations, every destination that is
  // a multiple of 5 masked altogether.
  %s2 = gnn.message %g dst(%l : tensor<?x2xf32>) src(%r : tensor<?x2xf32>)
      {indexing_maps = [#hh, #hh, #hh], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32):
    %neg = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %five = arith.constant 5 : index
    %i = gnn.index dst
    %j = gnn.index src
    %i2 = arith.remui %i, %two : index
    %j2 = arith.remui %j, %two : index
    %i5 = arith.remui %i, %five : index
    %even = arith.cmpi eq, %j2, %zero : index
    %isOdd = arith.cmpi ne, %i2, %zero : index
    %some = arith.andi %even, %isOdd : i1
    %all = arith.cmpi eq, %i5, %zero : index
    %masked = arith.ori %some, %all : i1
    %s = arith.mulf %a, %b : f32
    %0 = arith.select %masked, %neg, %s : f32
    gnn.yield %0 : f32
  }
  %a2 = gnn.edge_softmax %g, %s2 : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %v2 = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      edge(%a2 : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x3xf32> {
  ^bb0(%a: f32, %w: f32):
    %p = arith.mulf %a, %w : f32
    gnn.yield %p : f32
  }
  %y2 = gnn.aggregate [sum] %g, %v2
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>

  // Scores with a second user, and no value but the weight.
  %a3 = gnn.edge_softmax %g, %s0 : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %v3 = gnn.message %g edge(%a3 : !gnn.edges<2xf32>)
      {indexing_maps = [#hh, #hh], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%w: f32):
    %two = arith.constant 2.0 : f32
    %p = arith.mulf %w, %two : f32
    gnn.yield %p : f32
  }
  %y3 = gnn.aggregate [sum] %g, %v3
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32> -> tensor<?x2xf32>

  // The op, with stored scores among the operands of the score.
  %y4 = gnn.attention %g
    score dst(%l : tensor<?x2xf32>) edge(%s1 : !gnn.edges<2xf32>) {
    ^bb0(%a: f32, %e: f32):
      %0 = arith.addf %a, %e : f32
      %1 = arith.mulf %0, %e : f32
      gnn.yield %1 : f32
    }
    value src(%heads : tensor<?x2x3xf32>) edge(%s0 : !gnn.edges<2xf32>) {
    ^bb0(%a: f32, %e: f32):
      %0 = arith.mulf %a, %e : f32
      gnn.yield %0 : f32
    }
    {score_maps = [#hh, #hh, #hh], score_iterators = ["parallel"],
     value_maps = [#hf, #h, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h} : !gnn.graph<TOPOLOGY> -> tensor<?x2x3xf32>
  return %y0, %y1, %y2, %y3, %y4
    : tensor<?x2x3xf32>, tensor<?x3x2xf32>, tensor<?x2x3xf32>,
      tensor<?x2xf32>, tensor<?x2x3xf32>
}
