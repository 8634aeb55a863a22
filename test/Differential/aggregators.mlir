// RUN: %differential %s square --topologies csr complete causal "window<2>" block_diagonal

// Every aggregator alone, then all from one pass over the edges.

#id = affine_map<(f) -> (f)>

func.func @aggregators(%g: !gnn.graph<TOPOLOGY>,
                       %x: tensor<?x6xf32> {gnn.name = "x"})
    -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
        tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
        tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
        tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
  %m_sum = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %sum = gnn.aggregate [sum] %g, %m_sum
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_mean = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %mean = gnn.aggregate [mean] %g, %m_mean
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_max = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %max = gnn.aggregate [max] %g, %m_max
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_min = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %min = gnn.aggregate [min] %g, %m_min
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_mul = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %mul = gnn.aggregate [mul] %g, %m_mul
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_var = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %var = gnn.aggregate [var] %g, %m_var
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_std = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %std = gnn.aggregate [std] %g, %m_std
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m_softmax = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %softmax = gnn.aggregate [softmax] %g, %m_softmax
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32> -> tensor<?x6xf32>
  %m = gnn.message %g src(%x : tensor<?x6xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<TOPOLOGY> -> !gnn.edges<6xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  %all:8 = gnn.aggregate [softmax, std, mul, min, var, max, mean, sum] %g, %m
    : !gnn.graph<TOPOLOGY>, !gnn.edges<6xf32>
    -> tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
       tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
  return %sum, %mean, %max, %min, %mul, %var, %std, %softmax,
         %all#0, %all#1, %all#2, %all#3, %all#4, %all#5, %all#6, %all#7
    : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
      tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
      tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>,
      tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>
}
