// RUN: %differential %s square --topologies csr complete causal "window<1>" block_diagonal

// NaN and infinities in some messages, which only the neighbourhoods that
// receive them may notice. Which message is what depends on both ends of an
// edge, so that there are neighbourhoods with each mixture.

#scalar = affine_map<() -> ()>

func.func @special(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                       gnn.axis = "destination",
                                       gnn.graph = 0 : i64})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
        tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %v = tensor.extract_slice %x[0, 1] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %m = gnn.message %g dst(%v : tensor<?xf32>) src(%v : tensor<?xf32>)
      {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %neg = arith.constant 0xFF800000 : f32
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %four = arith.constant 4 : index
    %five = arith.constant 5 : index
    %eleven = arith.constant 11 : index
    %i = gnn.index dst
    %j = gnn.index src
    %ij = arith.muli %i, %three : index
    %k0 = arith.addi %ij, %j : index
    %k = arith.remui %k0, %eleven : index
    %is1 = arith.cmpi eq, %k, %one : index
    %is2 = arith.cmpi eq, %k, %two : index
    %is3 = arith.cmpi eq, %k, %three : index
    // Destinations 4, 9, ... receive nothing but -inf.
    %i5 = arith.remui %i, %five : index
    %masked = arith.cmpi eq, %i5, %four : index
    %s = arith.addf %a, %b : f32
    %0 = arith.select %is1, %nan, %s : f32
    %1 = arith.select %is2, %inf, %0 : f32
    %2 = arith.select %is3, %neg, %1 : f32
    %3 = arith.select %masked, %neg, %2 : f32
    gnn.yield %3 : f32
  }
  %w = gnn.edge_softmax %g, %m : !gnn.graph<TOPOLOGY>, !gnn.edges<f32>
  %all:8 = gnn.aggregate [sum, mean, max, min, mul, var, std, softmax] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32>
    -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
       tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  %weighted = gnn.message %g src(%v : tensor<?xf32>) edge(%w : !gnn.edges<f32>)
      {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    gnn.yield %0 : f32
  }
  %y = gnn.aggregate [sum] %g, %weighted
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  return %all#0, %all#1, %all#2, %all#3, %all#4, %all#5, %all#6, %all#7, %y
    : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
      tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>,
      tensor<?xf32>
}
