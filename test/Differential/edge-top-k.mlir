// RUN: %differential %s square --emulate --topologies csr complete causal "window<3>" block_diagonal

// Three scores per edge: one that tells edges apart, one with many ties, of
// which the first edges are kept, one with NaN and -inf. What is kept is seen by
// weights of a softmax, and by the largest and smallest score that is left.

#id = affine_map<(h) -> (h)>

func.func @top_k(%g: !gnn.graph<TOPOLOGY>,
                 %x: tensor<?x6xf32> {gnn.name = "x",
                                     gnn.axis = "destination",
                                     gnn.graph = 0 : i64})
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %q = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %k = tensor.extract_slice %x[0, 3] [%n, 3] [1, 1]
    : tensor<?x6xf32> to tensor<?x3xf32>
  %heads = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %score = gnn.message %g dst(%q : tensor<?x3xf32>) src(%k : tensor<?x3xf32>)
      uniform(%heads : tensor<3xf32>)
      {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<3xf32> {
  ^bb0(%a: f32, %b: f32, %head: f32):
    %neg = arith.constant 0xFF800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %more = arith.constant 1.5 : f32
    %i = arith.constant 0 : index
    %five = arith.constant 5 : index
    %j = gnn.index src
    %j5 = arith.remui %j, %five : index
    %isFifth = arith.cmpi eq, %j5, %i : index
    %s = arith.addf %a, %b : f32
    %isPositive = arith.cmpf ogt, %s, %zero : f32
    %tied = arith.select %isPositive, %one, %zero : f32
    %spoilt = arith.select %isFifth, %nan, %neg : f32
    %special = arith.select %isPositive, %s, %spoilt : f32
    %isSecond = arith.cmpf ogt, %head, %half : f32
    %isThird = arith.cmpf ogt, %head, %more : f32
    %0 = arith.select %isSecond, %tied, %s : f32
    %1 = arith.select %isThird, %special, %0 : f32
    gnn.yield %1 : f32
  }
  %kept = gnn.edge_top_k %g, %score {k = 3}
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32>
  // A score of its own per edge, read by nothing else.
  %alone = gnn.message %g dst(%q : tensor<?x3xf32>) src(%k : tensor<?x3xf32>)
      {indexing_maps = [#id, #id, affine_map<(h) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %sum : f32
    gnn.yield %1 : f32
  }
  %largest = gnn.edge_top_k %g, %alone {k = 1}
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32>
  %best = gnn.edge_softmax %g, %largest
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32>
  %w = gnn.edge_softmax %g, %kept : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32>
  %y = gnn.message_aggregate [sum] %g src(%k : tensor<?x3xf32>)
      edge(%w : !gnn.edges<3xf32>) {indexing_maps = [#id, #id, #id],
       iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> tensor<?x3xf32> {
  ^bb0(%s: f32, %e: f32):
    %0 = arith.mulf %s, %e : f32
    gnn.yield %0 : f32
  }
  %max, %min = gnn.aggregate [max, min] %g, %kept
    : !gnn.graph<TOPOLOGY>, !gnn.edges<3xf32>
    -> tensor<?x3xf32>, tensor<?x3xf32>
  %z = gnn.message_aggregate [sum] %g src(%k : tensor<?x3xf32>)
      edge(%best : !gnn.edges<f32>)
      {indexing_maps = [#id, affine_map<(h) -> ()>, affine_map<(h) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> tensor<?xf32> {
  ^bb0(%s: f32, %e: f32, %sum: f32):
    %0 = arith.mulf %s, %e : f32
    %1 = arith.addf %0, %sum : f32
    gnn.yield %1 : f32
  }
  return %y, %max, %min, %z
    : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>
}
