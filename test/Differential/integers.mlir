// RUN: %differential %s square --topologies csr complete "window<1>" block_diagonal

// Aggregators of integers: they wrap, and extremes are signed.

#scalar = affine_map<() -> ()>

func.func @integers(%g: !gnn.graph<TOPOLOGY>,
                    %x: tensor<?x6xf32> {gnn.name = "x",
                                         gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi64>) {
  %m = gnn.message %g
      {indexing_maps = [#scalar], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<i32> {
    %i = gnn.index dst
    %j = gnn.index src
    %a = arith.index_cast %i : index to i32
    %b = arith.index_cast %j : index to i32
    %big = arith.constant 1000000007 : i32
    %0 = arith.muli %b, %big : i32
    %1 = arith.xori %0, %a : i32
    gnn.yield %1 : i32
  }
  %sum, %max, %min, %mul = gnn.aggregate [sum, max, min, mul] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<i32>
    -> tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %wide = gnn.message_aggregate [max] %g edge(%m : !gnn.edges<i32>)
      {indexing_maps = [#scalar, #scalar], iterator_types = []}
      : !gnn.graph<TOPOLOGY> -> tensor<?xi64> {
  ^bb0(%a: i32):
    %0 = arith.extsi %a : i32 to i64
    gnn.yield %0 : i64
  }
  return %sum, %max, %min, %mul, %wide
    : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi64>
}
