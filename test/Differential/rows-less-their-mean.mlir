// RUN: %differential %s random hub one-node empty --emulate

// Means of rows that are computed in one region with the sums, and what is left of
// rows without their mean: each mean is met by all features of its row.

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @norm(%g: !gnn.graph<csr>,
                %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                     gnn.graph = 0 : i64})
    -> (tensor<?xf32>, tensor<?x6xf32>) {
  %mean = gnn.update node(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #none], iterator_types = ["reduction"]} : tensor<?xf32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    %total = gnn.reduced %s : f32
    %sixth = arith.constant 0.166666667 : f32
    %m = arith.mulf %total, %sixth : f32
    gnn.yield %m : f32
  }
  %centred = gnn.update node(%x, %mean : tensor<?x6xf32>, tensor<?xf32>)
      {indexing_maps = [#f, #none, #f], iterator_types = ["parallel"]}
      : tensor<?x6xf32> {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    gnn.yield %d : f32
  }
  %variance = gnn.update node(%centred : tensor<?x6xf32>)
      {indexing_maps = [#f, #none], iterator_types = ["reduction"]} : tensor<?xf32> {
  ^bb0(%a: f32, %sum: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }

  // By a division, which is not repeated on CPUs.
  %part = gnn.update node(%x : tensor<?x6xf32>)
      {indexing_maps = [#f, #none], iterator_types = ["reduction"]} : tensor<?xf32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a : f32
    %total = gnn.reduced %s : f32
    %six = arith.constant 6.0 : f32
    %m = arith.divf %total, %six : f32
    gnn.yield %m : f32
  }
  %rest = gnn.update node(%x, %part : tensor<?x6xf32>, tensor<?xf32>)
      {indexing_maps = [#f, #none, #f], iterator_types = ["parallel"]}
      : tensor<?x6xf32> {
  ^bb0(%a: f32, %m: f32):
    %d = arith.subf %a, %m : f32
    gnn.yield %d : f32
  }
  return %variance, %rest : tensor<?xf32>, tensor<?x6xf32>
}
