// RUN: %differential %s isolated hub one-node empty
// RUN: %if x86_64 %{ %differential %s isolated one-node \
// RUN:   --options=--target-cpu=x86-64-v3 %}

// Wide rows of nodes are read one after the other, for three segments, of which one is
// empty: 300 and 700 features are added up whole, 1,030 are tiles of 256 and a rest, a
// maximum of 500 is whole with registers enough, and so is a maximum with a mean of
// 200. Each node has its row less the mean of its segment then, 300 features that are
// tiles of 64 and a rest.

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

func.func @in_order(%g: !gnn.graph<csr>,
                    %x: tensor<?x6xf32> {gnn.name = "x", gnn.axis = "destination",
                                         gnn.graph = 0 : i64})
    -> (tensor<?x300xf32> {gnn.axis = "any"}, tensor<?x700xf32> {gnn.axis = "any"},
        tensor<?x1030xf32> {gnn.axis = "any"}, tensor<?x500xf32> {gnn.axis = "any"},
        tensor<?x200xf32> {gnn.axis = "any"}, tensor<?x200xf32> {gnn.axis = "any"},
        tensor<?x300xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = gnn.num_nodes dst %g : !gnn.graph<csr>
  %half = arith.divui %n, %c2 : index
  %p0 = arith.index_cast %c0 : index to i32
  %p1 = arith.index_cast %half : index to i32
  %p2 = arith.index_cast %n : index to i32
  %sources3 = tensor.from_elements %p0, %p1, %p1, %p2 : tensor<4xi32>
  %sources = tensor.cast %sources3 : tensor<4xi32> to tensor<?xi32>
  %singles4 = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %singles = tensor.cast %singles4 : tensor<4xi32> to tensor<?xi32>
  %b = gnn.make_graph %singles, %sources
    : (tensor<?xi32>, tensor<?xi32>) -> !gnn.graph<block_diagonal, bipartite>
  %a = tensor.extract_slice %x[0, 1] [%n, 1] [1, 1]
    : tensor<?x6xf32> to tensor<?xf32>
  %empty = tensor.empty() : tensor<1030xf32>
  %w = linalg.generic {indexing_maps = [#f], iterator_types = ["parallel"]}
      outs(%empty : tensor<1030xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %0 = arith.sitofp %k : i32 to f32
    %c = arith.constant 0.01 : f32
    %1 = arith.mulf %0, %c : f32
    %2 = math.sin %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1030xf32>
  %rows = gnn.update node(%a : tensor<?xf32>) uniform(%w : tensor<1030xf32>)
      {indexing_maps = [#none, #f, #f], iterator_types = ["parallel"]}
      : tensor<?x1030xf32> {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.addf %p, %q : f32
    gnn.yield %0 : f32
  }
  %x200 = tensor.extract_slice %rows[0, 3] [%n, 200] [1, 1]
    : tensor<?x1030xf32> to tensor<?x200xf32>
  %x300 = tensor.extract_slice %rows[0, 50] [%n, 300] [1, 1]
    : tensor<?x1030xf32> to tensor<?x300xf32>
  %x500 = tensor.extract_slice %rows[0, 90] [%n, 500] [1, 1]
    : tensor<?x1030xf32> to tensor<?x500xf32>
  %x700 = tensor.extract_slice %rows[0, 200] [%n, 700] [1, 1]
    : tensor<?x1030xf32> to tensor<?x700xf32>

  %y300 = gnn.message_aggregate [mean] %b src(%x300 : tensor<?x300xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x300xf32> {
  ^bb0(%p: f32):
    gnn.yield %p : f32
  }
  %y700 = gnn.message_aggregate [sum] %b
      src(%x700, %a : tensor<?x700xf32>, tensor<?xf32>)
      {indexing_maps = [#f, #none, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x700xf32> {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.mulf %p, %q : f32
    gnn.yield %0 : f32
  }
  %y1030 = gnn.message_aggregate [sum] %b src(%rows : tensor<?x1030xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x1030xf32> {
  ^bb0(%p: f32):
    gnn.yield %p : f32
  }
  %y500 = gnn.message_aggregate [max] %b src(%x500 : tensor<?x500xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x500xf32> {
  ^bb0(%p: f32):
    gnn.yield %p : f32
  }
  %mean, %max = gnn.message_aggregate [mean, max] %b src(%x200 : tensor<?x200xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite>
      -> tensor<?x200xf32>, tensor<?x200xf32> {
  ^bb0(%p: f32):
    gnn.yield %p : f32
  }
  %back = gnn.reverse %b : !gnn.graph<block_diagonal, bipartite>
    -> !gnn.graph<block_diagonal, bipartite>
  %means = gnn.message_aggregate [sum] %back src(%y300 : tensor<?x300xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<block_diagonal, bipartite> -> tensor<?x300xf32> {
  ^bb0(%p: f32):
    gnn.yield %p : f32
  }
  %less = gnn.update node(%x300, %means : tensor<?x300xf32>, tensor<?x300xf32>)
      {indexing_maps = [#f, #f, #f], iterator_types = ["parallel"]}
      : tensor<?x300xf32> {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.subf %p, %q : f32
    gnn.yield %0 : f32
  }
  return %y300, %y700, %y1030, %y500, %mean, %max, %less
    : tensor<?x300xf32>, tensor<?x700xf32>, tensor<?x1030xf32>, tensor<?x500xf32>,
      tensor<?x200xf32>, tensor<?x200xf32>, tensor<?x300xf32>
}
