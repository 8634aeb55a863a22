// RUN: sed s/SIZE/5/g %s > %t.5.in
// RUN: %differential %t.5.in one-node --topologies causal "window<1>"
// RUN: sed s/SIZE/100/g %s > %t.100.in
// RUN: %differential %t.100.in one-node --topologies causal "window<1>"

// Entries of a dense layout that are no edges hold NaN here; no op may notice.

#scalar = affine_map<() -> ()>

func.func @ignored(%x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "any"})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %n = arith.constant SIZE : index
  %g = gnn.make_graph %n, %n : (index, index) -> !gnn.graph<TOPOLOGY>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  %t = linalg.generic
      {indexing_maps = [affine_map<(i, j) -> (i, j)>],
       iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %nan = arith.constant 0x7FC00000 : f32
    // Far above the diagonal: no edge of a causal graph or of a window.
    %last = arith.addi %i, %two : index
    %none = arith.cmpi uge, %j, %last : index
    %k = arith.muli %i, %three : index
    %l = arith.addi %k, %j : index
    %m = arith.index_cast %l : index to i32
    %f = arith.sitofp %m : i32 to f32
    %s = math.sin %f : f32
    %0 = arith.select %none, %nan, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %e = gnn.edges_from_tensor %g, %t
    : !gnn.graph<TOPOLOGY>, tensor<?x?xf32> -> !gnn.edges<f32>
  %y0, %y1 = gnn.aggregate [sum, max] %g, %e
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>, tensor<?xf32>
  %w = gnn.edge_softmax %g, %e : !gnn.graph<TOPOLOGY>, !gnn.edges<f32>
  %y2 = gnn.aggregate [max] %g, %w
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  // Scores and values of attention.
  %y3 = gnn.attention %g
    score edge(%e : !gnn.edges<f32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value edge(%e : !gnn.edges<f32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#scalar, #scalar], score_iterators = [],
     value_maps = [#scalar, #scalar], value_iterators = [],
     weight_map = #scalar} : !gnn.graph<TOPOLOGY> -> tensor<?xf32>
  return %y0, %y1, %y2, %y3
    : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
