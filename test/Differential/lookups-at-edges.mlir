// RUN: %differential %s square --topologies "window<2>"

// Indices are in range at edges alone; at any other pair of a window's tiles
// they would lead far out of the table.

#id = affine_map<(f) -> (f)>

func.func @lookups(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                        gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %far = arith.constant 1000000000 : index
  %table = arith.constant dense<[[0.5, -1.0, 2.0, 1.0, 0.25, 3.0],
                                 [1.5, 0.25, -0.75, 2.0, -1.0, 0.0],
                                 [-2.0, 1.0, 0.0, -3.0, 0.5, 1.25],
                                 [0.125, 3.0, -1.25, 0.5, 2.0, -1.0],
                                 [1.0, -0.5, 0.75, 1.0, -2.0, 0.5]]>
    : tensor<5x6xf32>
  %score = gnn.message %g dst(%x : tensor<?x6xf32>) src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %f = gnn.feature_index 0
    %d = arith.subi %j, %i : index
    %distance = math.absi %d : index
    %over = arith.subi %distance, %c2 : index
    %outside = arith.maxsi %over, %c0 : index
    %jump = arith.muli %outside, %far : index
    %place = arith.addi %d, %c2 : index
    %row = arith.addi %place, %jump : index
    %t = tensor.extract %table[%row, %f] : tensor<5x6xf32>
    %p = arith.mulf %a, %t : f32
    %s = arith.addf %p, %b : f32
    gnn.yield %s : f32
  }
  %weights = gnn.edge_softmax %g, %score
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
  %values = gnn.message %g src(%x : tensor<?x6xf32>)
      edge(%weights : !gnn.edges<6xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%v: f32, %w: f32):
    %p = arith.mulf %v, %w : f32
    gnn.yield %p : f32
  }
  %y0 = gnn.aggregate [sum] %g, %values
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>

  // Not weighed, but aggregated.
  %rows = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    %i = gnn.index dst
    %j = gnn.index src
    %f = gnn.feature_index 0
    %d = arith.subi %j, %i : index
    %distance = math.absi %d : index
    %over = arith.subi %distance, %c2 : index
    %outside = arith.maxsi %over, %c0 : index
    %jump = arith.muli %outside, %far : index
    %place = arith.addi %d, %c2 : index
    %row = arith.addi %place, %jump : index
    %t = tensor.extract %table[%row, %f] : tensor<5x6xf32>
    %p = arith.mulf %a, %t : f32
    gnn.yield %p : f32
  }
  %y1 = gnn.aggregate [max] %g, %rows
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  return %y0, %y1 : tensor<?x6xf32>, tensor<?x6xf32>
}
