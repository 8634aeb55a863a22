// RUN: %differential %s isolated no-edges hub --topologies csr complete "window<1>" --emulate

// Messages that decide a minimum or a maximum by themselves: loops over edges leave what
// was there before them, or where there is no edge, what an aggregation of nothing is.

#none = affine_map<(f) -> ()>
#f = affine_map<(f) -> (f)>

func.func @forward(%g: !gnn.graph<TOPOLOGY>,
                   %x: tensor<?x6xf32> {gnn.name = "x",
                                      gnn.axis = "destination",
                                      gnn.graph = 0 : i64})
    -> (tensor<?xi1> {gnn.axis = "any"}, tensor<?xi1> {gnn.axis = "any"},
        tensor<?x6xi32> {gnn.axis = "any"}) {
  %no = gnn.message %g dst(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #none], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<i1> {
  ^bb0(%a: f32, %before: i1):
    %false = arith.constant false
    gnn.yield %false : i1
  }
  %yes = gnn.message %g dst(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #none], iterator_types = ["reduction"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<i1> {
  ^bb0(%a: f32, %before: i1):
    %true = arith.constant true
    gnn.yield %true : i1
  }
  %largest = gnn.message %g dst(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xi32> {
  ^bb0(%a: f32):
    %most = arith.constant 2147483647 : i32
    gnn.yield %most : i32
  }
  %all = gnn.aggregate [min] %g, %no
      : !gnn.graph<TOPOLOGY>, !gnn.edges<i1> -> tensor<?xi1>
  %any = gnn.aggregate [max] %g, %yes
      : !gnn.graph<TOPOLOGY>, !gnn.edges<i1> -> tensor<?xi1>
  %rows = gnn.aggregate [max] %g, %largest
      : !gnn.graph<TOPOLOGY>, !gnn.edges<6xi32> -> tensor<?x6xi32>
  return %all, %any, %rows : tensor<?xi1>, tensor<?xi1>, tensor<?x6xi32>
}
