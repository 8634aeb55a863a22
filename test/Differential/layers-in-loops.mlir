// RUN: %differential %s square --topologies csr complete

// The same layer again and again: each makes new rows of those before.

#f = affine_map<(f) -> (f)>

func.func @hops(%g: !gnn.graph<TOPOLOGY>,
                %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                    gnn.graph = 0 : i64}) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%rows = %x)
      -> (tensor<?x6xf32>) {
    %m = gnn.message %g src(%rows : tensor<?x6xf32>)
        {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
        : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    %next = gnn.aggregate [mean] %g, %m
      : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
    scf.yield %next : tensor<?x6xf32>
  }
  return %y : tensor<?x6xf32>
}
