// RUN: %differential %s random hub isolated no-edges empty --emulate

// Booleans of edges: scores of attention that they choose, and the largest and the
// smallest, of which true is larger. Sums in bfloat16, of halves.

#h = affine_map<(h) -> (h)>
#none = affine_map<() -> ()>

func.func @edges(%g: !gnn.graph<csr>, %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                        gnn.graph = 0 : i64})
    -> (tensor<?x6xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %m = gnn.update node(%x : tensor<?x6xf32>)
      {indexing_maps = [#h, #h], iterator_types = ["parallel"]} : tensor<?x6xi1> {
  ^bb0(%a: f32):
    %c = arith.cmpf ogt, %a, %zero : f32
    gnn.yield %c : i1
  }
  %attended = gnn.attention %g
    score src(%x, %m : tensor<?x6xf32>, tensor<?x6xi1>) {
    ^bb0(%a: f32, %q: i1):
      %r = arith.select %q, %a, %zero : f32
      gnn.yield %r : f32
    }
    value src(%x : tensor<?x6xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#h, #h, #h], score_iterators = ["parallel"],
     value_maps = [#h, #h], value_iterators = ["parallel"], weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x6xf32>

  %upwards = gnn.message %g {indexing_maps = [#none], iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<i1> {
    %a = gnn.index dst
    %b = gnn.index src
    %c = arith.cmpi ult, %a, %b : index
    gnn.yield %c : i1
  }
  %any, %all = gnn.aggregate [max, min] %g, %upwards
    : !gnn.graph<csr>, !gnn.edges<i1> -> tensor<?xi1>, tensor<?xi1>

  %half = arith.constant 0.5 : bf16
  %halves = gnn.message %g {indexing_maps = [#none], iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<bf16> {
    gnn.yield %half : bf16
  }
  %sum = gnn.aggregate [sum] %g, %halves : !gnn.graph<csr>, !gnn.edges<bf16> -> tensor<?xbf16>
  %sums = gnn.update node(%sum : tensor<?xbf16>)
      {indexing_maps = [#none, #none], iterator_types = []} : tensor<?xf32> {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    gnn.yield %b : f32
  }
  return %attended, %any, %all, %sums : tensor<?x6xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>
}
