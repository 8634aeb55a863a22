// RUN: %differential %s square --emulate --topologies csr complete causal "window<2>" block_diagonal

// Messages with operands of every role, transposed maps, reductions and scalar
// and tensor uniform operands; summed, since entries of a dense layout that are
// no edges may not be looked at.

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#f = affine_map<(h, f) -> (f)>
#fh = affine_map<(h, f) -> (f, h)>
#none = affine_map<(h, f) -> ()>

func.func @message(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                        gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x2xf32>, tensor<?x3x2xf32>, tensor<?x2xf32>, tensor<?xf32>,
        tensor<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 3]
    : tensor<?x6xf32> into tensor<?x2x3xf32>
  %bias = arith.constant dense<[0.5, -1.5]> : tensor<2xf32>
  %weights = arith.constant dense<[[1.0, 2.0], [0.25, -1.0], [3.0, -0.5]]>
    : tensor<3x2xf32>
  %two = arith.constant 2.0 : f32

  // A dot product per head.
  %score = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #hf, #h],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %y0 = gnn.aggregate [sum] %g, %score
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32> -> tensor<?x2xf32>

  // All roles at once, and a result with its dimensions exchanged.
  %mixed = gnn.message %g dst(%heads : tensor<?x2x3xf32>)
      src(%heads : tensor<?x2x3xf32>) edge(%score : !gnn.edges<2xf32>)
      uniform(%weights, %bias, %two : tensor<3x2xf32>, tensor<2xf32>, f32)
      {indexing_maps = [#hf, #hf, #h, #fh, #h, #none, #fh],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3x2xf32> {
  ^bb0(%a: f32, %b: f32, %e: f32, %w: f32, %c: f32, %t: f32):
    %0 = arith.mulf %a, %w : f32
    %1 = arith.mulf %b, %e : f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.addf %2, %c : f32
    %4 = arith.mulf %3, %t : f32
    gnn.yield %4 : f32
  }
  %y1 = gnn.aggregate [sum] %g, %mixed
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3x2xf32> -> tensor<?x3x2xf32>

  // The accumulator is not only added to, so the order of points matters.
  %ordered = gnn.message %g src(%heads : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #h], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<2xf32> {
  ^bb0(%a: f32, %sum: f32):
    %half = arith.constant 0.5 : f32
    %0 = arith.mulf %sum, %half : f32
    %1 = arith.subf %a, %0 : f32
    gnn.yield %1 : f32
  }
  %y2 = gnn.aggregate [sum] %g, %ordered
    : !gnn.graph<TOPOLOGY>, !gnn.edges<2xf32> -> tensor<?x2xf32>

  // A maximum over features: it starts at 0.
  %largest = gnn.message %g dst(%x : tensor<?x6xf32>)
      uniform(%two : f32)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>,
                        affine_map<(f) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %t: f32, %sum: f32):
    %0 = arith.mulf %a, %t : f32
    %1 = arith.maximumf %0, %sum : f32
    gnn.yield %1 : f32
  }
  %y3 = gnn.aggregate [sum] %g, %largest
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>

  // No operand at all, and another element type.
  %numbers = gnn.message %g
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f64> {
    %i = gnn.index dst
    %j = gnn.index src
    %0 = arith.muli %i, %j : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f64
    gnn.yield %2 : f64
  }
  %y4 = gnn.aggregate [mean] %g, %numbers
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f64> -> tensor<?xf64>
  return %y0, %y1, %y2, %y3, %y4
    : tensor<?x2xf32>, tensor<?x3x2xf32>, tensor<?x2xf32>, tensor<?xf32>,
      tensor<?xf64>
}
