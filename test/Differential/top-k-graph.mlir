// RUN: %differential %s square --emulate --topologies csr complete causal "window<3>" block_diagonal

// How many edges each node keeps, and what comes along them, in their order. Of
// scores that tell edges apart and have none of an edge to itself, with many ties,
// and with NaN and -inf.

#id = affine_map<(d) -> (d)>
#none = affine_map<(d) -> ()>
#one = affine_map<() -> ()>

func.func private @received(%g: !gnn.graph<csr>, %x: tensor<?x6xf32>)
    -> (tensor<?xf32>, tensor<?x6xf32>) {
  %degree = gnn.degree dst %g : !gnn.graph<csr> -> tensor<?xf32>
  %m = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %rows = gnn.edges_to_tensor %g, %m
    : !gnn.graph<csr>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %degree, %rows : tensor<?xf32>, tensor<?x6xf32>
}

func.func @nearest(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                        gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?xf32>, tensor<?x6xf32>, tensor<?xf32>, tensor<?x6xf32>,
        tensor<?xf32>, tensor<?x6xf32>, tensor<?xf32>) {
  %near = gnn.top_k_graph %g dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"], k = 3}
      : !gnn.graph<TOPOLOGY> -> !gnn.graph<csr> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %b, %a : f32
    %p = arith.mulf %d, %d : f32
    %s = arith.subf %sum, %p : f32
    %score = gnn.reduced %s : f32
    %i = gnn.index dst
    %j = gnn.index src
    %same = arith.cmpi eq, %i, %j : index
    %lowest = arith.constant 0xFF800000 : f32
    %t = arith.select %same, %lowest, %score : f32
    gnn.yield %t : f32
  }
  // Scores that are stored, of few values.
  %tied = gnn.message %g dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %zero = arith.constant 0.0 : f32
    %unit = arith.constant 1.0 : f32
    %p = arith.mulf %a, %b : f32
    %isPositive = arith.cmpf ogt, %p, %zero : f32
    %one = arith.select %isPositive, %unit, %zero : f32
    %s = arith.addf %sum, %one : f32
    gnn.yield %s : f32
  }
  %most = gnn.aggregate [max] %g, %tied
    : !gnn.graph<TOPOLOGY>, !gnn.edges<f32> -> tensor<?xf32>
  %first = gnn.top_k_graph %g edge(%tied : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<TOPOLOGY> -> !gnn.graph<csr> {
  ^bb0(%s: f32):
    gnn.yield %s : f32
  }
  %special = gnn.top_k_graph %g edge(%tied : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 40}
      : !gnn.graph<TOPOLOGY> -> !gnn.graph<csr> {
  ^bb0(%s: f32):
    %nan = arith.constant 0x7FC00000 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %half = arith.constant 0.5 : f32
    %i = arith.constant 0 : index
    %five = arith.constant 5 : index
    %j = gnn.index src
    %j5 = arith.remui %j, %five : index
    %isFifth = arith.cmpi eq, %j5, %i : index
    %isMore = arith.cmpf ogt, %s, %half : f32
    %number = arith.select %isMore, %s, %lowest : f32
    %t = arith.select %isFifth, %nan, %number : f32
    gnn.yield %t : f32
  }
  %0:2 = func.call @received(%near, %x) : (!gnn.graph<csr>, tensor<?x6xf32>)
    -> (tensor<?xf32>, tensor<?x6xf32>)
  %1:2 = func.call @received(%first, %x) : (!gnn.graph<csr>, tensor<?x6xf32>)
    -> (tensor<?xf32>, tensor<?x6xf32>)
  %2:2 = func.call @received(%special, %x) : (!gnn.graph<csr>, tensor<?x6xf32>)
    -> (tensor<?xf32>, tensor<?x6xf32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %most
    : tensor<?xf32>, tensor<?x6xf32>, tensor<?xf32>, tensor<?x6xf32>,
      tensor<?xf32>, tensor<?x6xf32>, tensor<?xf32>
}
