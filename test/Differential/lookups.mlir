// RUN: %differential %s square --topologies csr complete causal "window<2>" block_diagonal

// Regions that look elements up in tensors from above, at places that depend
// on the edge: what relative positions and embeddings are made of.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#hh = affine_map<(h) -> (h)>
#none = affine_map<(h) -> ()>
#none2 = affine_map<(h, f) -> ()>

func.func @lookups(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                        gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x2x3xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>,
        tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x70xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cm2 = arith.constant -2 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %keys = arith.constant dense<[[0.5, -1.0, 2.0], [1.5, 0.25, -0.75],
                                [-2.0, 1.0, 0.0], [0.125, 3.0, -1.25],
                                [1.0, -0.5, 0.75]]> : tensor<5x3xf32>
  %bias = arith.constant dense<[[0.5, -1.0], [1.5, 0.25], [-2.0, 1.0],
                                [0.125, 3.0], [1.0, -0.5]]> : tensor<5x2xf32>

  // A dot product with a key that depends on the clipped distance, plus a bias
  // of the distance and the head; and such a key added to the value.
  %score = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %f = gnn.feature_index 1
    %d = arith.subi %j, %i : index
    %low = arith.maxsi %d, %cm2 : index
    %clipped = arith.minsi %low, %c2 : index
    %row = arith.addi %clipped, %c2 : index
    %k = tensor.extract %keys[%row, %f] : tensor<5x3xf32>
    %t = arith.addf %b, %k : f32
    %p = arith.mulf %a, %t : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %biased = gnn.message %g edge(%score : !gnn.edges<2xf32>)
      {indexing_maps = [#hh, #hh], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %head = gnn.feature_index 0
    %d = arith.subi %j, %i : index
    %low = arith.maxsi %d, %cm2 : index
    %clipped = arith.minsi %low, %c2 : index
    %row = arith.addi %clipped, %c2 : index
    %t = tensor.extract %bias[%row, %head] : tensor<5x2xf32>
    %s = arith.addf %a, %t : f32
    gnn.yield %s : f32
  }
  %weights = gnn.edge_softmax %g, %biased
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32>
  %values = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      edge(%weights : !gnn.edges<2xf32>)
      {indexing_maps = [#hf, #h, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x3xf32> {
  ^bb0(%v: f32, %w: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %f = gnn.feature_index 1
    %d = arith.subi %j, %i : index
    %low = arith.maxsi %d, %cm2 : index
    %clipped = arith.minsi %low, %c2 : index
    %row = arith.addi %clipped, %c2 : index
    %k = tensor.extract %keys[%row, %f] : tensor<5x3xf32>
    %t = arith.addf %v, %k : f32
    %p = arith.mulf %t, %w : f32
    gnn.yield %p : f32
  }
  %y0 = gnn.aggregate [sum] %g, %values
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>

  // Integers per edge as indices, made of positions here.
  %kind = gnn.message %g
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<i32> {
    %i = gnn.index dst
    %j = gnn.index src
    %c5 = arith.constant 5 : index
    %p = arith.muli %i, %j : index
    %r = arith.remui %p, %c5 : index
    %t = arith.index_cast %r : index to i32
    gnn.yield %t : i32
  }
  %edgeBias = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      edge(%kind : !gnn.edges<i32>)
      {indexing_maps = [#hf, #none2, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %e: i32, %sum: f32):
    %row = arith.index_cast %e : i32 to index
    %head = gnn.feature_index 0
    %t = tensor.extract %bias[%row, %head] : tensor<5x2xf32>
    %p = arith.mulf %a, %t : f32
    %s = arith.addf %p, %sum : f32
    gnn.yield %s : f32
  }
  %y1 = gnn.aggregate [max] %g, %edgeBias
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32> -> tensor<?x2xf32>

  // A message read with its features exchanged, whose lookups keep their
  // loops; a table with a row per node; an element all features share.
  %exchanged = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, affine_map<(h, f) -> (f, h)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3x2xf32> {
  ^bb0(%a: f32):
    %j = gnn.index src
    %head = gnn.feature_index 0
    %f = gnn.feature_index 1
    %b = tensor.extract %bias[%f, %head] : tensor<5x2xf32>
    %c = tensor.extract %heads[%j, %head, %f] : tensor<?x2x3xf32>
    %e = tensor.extract %heads[%j, %c1, %c2] : tensor<?x2x3xf32>
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %1, %e : f32
    gnn.yield %2 : f32
  }
  %read = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      edge(%exchanged : !gnn.edges<3x2xf32>)
      {indexing_maps = [#hf, affine_map<(h, f) -> (f, h)>, #hf],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y2 = gnn.aggregate [sum] %g, %read
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2x3xf32> -> tensor<?x2x3xf32>

  // Rows of a table that nodes name.
  %degree = gnn.degree dst %g : !gnn.graph<TOPOLOGY> -> tensor<?xi32>
  %extent = arith.constant dense<0.0> : tensor<3xf32>
  %y3 = gnn.update node(%degree : tensor<?xi32>)
      uniform(%extent : tensor<3xf32>)
      {indexing_maps = [affine_map<(f) -> ()>, affine_map<(f) -> (f)>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x3xf32> {
  ^bb0(%number: i32, %e: f32):
    %d = arith.index_cast %number : i32 to index
    %row = arith.minsi %d, %c4 : index
    %f = gnn.feature_index 0
    %k = tensor.extract %keys[%row, %f] : tensor<5x3xf32>
    gnn.yield %k : f32
  }

  // An index that differs from feature to feature.
  %y4 = gnn.update node(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #h], iterator_types = ["parallel", "reduction"]}
      : tensor<?x2xf32> {
  ^bb0(%a: f32, %sum: f32):
    %head = gnn.feature_index 0
    %f = gnn.feature_index 1
    %zero = arith.constant 0.0 : f32
    %isPositive = arith.cmpf ogt, %a, %zero : f32
    %row = arith.select %isPositive, %c1, %f : index
    %k = tensor.extract %bias[%row, %head] : tensor<5x2xf32>
    %p = arith.mulf %a, %k : f32
    %s = arith.addf %p, %sum : f32
    gnn.yield %s : f32
  }

  // More features than are vectorised at once.
  %wide = tensor.empty() : tensor<70xf32>
  %ramp = linalg.generic {indexing_maps = [affine_map<(f) -> (f)>],
                          iterator_types = ["parallel"]}
      outs(%wide : tensor<70xf32>) {
  ^bb0(%o: f32):
    %f = linalg.index 0 : index
    %t = arith.index_cast %f : index to i32
    %v = arith.sitofp %t : i32 to f32
    linalg.yield %v : f32
  } -> tensor<70xf32>
  %rows = tensor.expand_shape %ramp [[0, 1]] output_shape [1, 70]
    : tensor<70xf32> into tensor<1x70xf32>
  %many = gnn.message %g uniform(%ramp : tensor<70xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<70xf32> {
  ^bb0(%a: f32):
    %f = gnn.feature_index 0
    %0 = tensor.extract %rows[%c0, %f] : tensor<1x70xf32>
    %1 = arith.addf %0, %a : f32
    gnn.yield %1 : f32
  }
  %y5 = gnn.aggregate [mean] %g, %many
    : !gnn.graph<TOPOLOGY>, !gnn.edges<70xf32> -> tensor<?x70xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5
    : tensor<?x2x3xf32>, tensor<?x2xf32>, tensor<?x2x3xf32>, tensor<?x3xf32>,
      tensor<?x2xf32>, tensor<?x70xf32>
}
