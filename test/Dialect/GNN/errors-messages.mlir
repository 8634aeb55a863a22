// RUN: gnn-opt %s -split-input-file -verify-diagnostics

func.func @message_on_coo(%g: !gnn.graph<coo>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<coo> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @maps_missing(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op needs 2 entries in 'indexing_maps', one per operand and one for the result, got 1}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @iterator_name(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op entry 0 of 'iterator_types' must be "parallel" or "reduction", got "window"}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["window"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @map_dims(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op map 1 of 'indexing_maps' must have 1 dimensions, one per entry of 'iterator_types', and no symbols, got affine_map<(d0, d1) -> (d0)>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f, h) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @map_symbols(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op map 0 of 'indexing_maps' must have 1 dimensions, one per entry of 'iterator_types', and no symbols, got affine_map<(d0)[s0] -> (d0)>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f)[s] -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @map_no_permutation(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op map 0 of 'indexing_maps' must be a projected permutation, got affine_map<(d0) -> (d0 + 1)>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f + 1)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @no_rows(%g: !gnn.graph<csr>, %x: tensor<f32>) {
  // expected-error @+1 {{'gnn.message' op src operand 0 needs a leading dimension for its rows, got 'tensor<f32>'}}
  %m = gnn.message %g src(%x : tensor<f32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

// The leading dimension counts rows and has no part in the map.
func.func @map_results(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op map 0 of 'indexing_maps' must have 1 results, one per feature dimension of 'tensor<?x4xf32>', got affine_map<(d0, d1) -> (d0, d1)>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f, h) -> (f, h)>, affine_map<(f, h) -> (f, h)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @dynamic_features(%g: !gnn.graph<csr>, %x: tensor<?x?xf32>) {
  // expected-error @+1 {{'gnn.message' op dst operand 0 must have static feature dimensions, got 'tensor<?x?xf32>'}}
  %m = gnn.message %g dst(%x : tensor<?x?xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @dynamic_uniform(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>, %u: tensor<?xf32>) {
  // expected-error @+1 {{'gnn.message' op uniform operand 1 must have static feature dimensions, got 'tensor<?xf32>'}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>) uniform(%u : tensor<?xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @extents(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>, %w: !gnn.edges<3xf32>) {
  // expected-error @+1 {{'gnn.message' op operands disagree on the extent of feature loop 0: 4 and 3}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>) edge(%w : !gnn.edges<3xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %b: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @no_extent(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op no operand gives the extent of feature loop 1; some map must contain it}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f, h) -> (f)>, affine_map<(f, h) -> (f, h)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4x2xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @parallel_not_in_result(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the result's map must contain exactly the parallel loops, got affine_map<(d0) -> ()>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @reduction_in_result(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the result's map must contain exactly the parallel loops, got affine_map<(d0) -> (d0)>}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %s: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @region_arguments(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the region needs 1 arguments, one per operand, got 2}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32, %s: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @region_accumulator(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the region needs 2 arguments, one per operand and the accumulator, got 1}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @region_argument_type(%g: !gnn.graph<csr>, %w: !gnn.edges<4xf32>) {
  // expected-error @+1 {{'gnn.message' op region argument 0 must be 'f32', the element type of its operand, got 'f64'}}
  %m = gnn.message %g edge(%w : !gnn.edges<4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf64> {
  ^bb0(%a: f64):
    gnn.yield %a : f64
  }
  return
}

// -----

func.func @yield_type(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the region must yield a float or a signless integer, got 'index'}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xi64> {
  ^bb0(%a: f32):
    %i = gnn.index dst
    gnn.yield %i : index
  }
  return
}

// -----

func.func @accumulator_type(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the accumulator must be 'f32', the type of the yielded value, got 'f64'}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %s: f64):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_result(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op computes '!gnn.edges<4xf32>', but its result is '!gnn.edges<4xf64>'}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf64> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @terminator(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message' op the region must end with gnn.yield}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    llvm.unreachable
  }
  return
}

// -----

func.func @softmax_integers(%g: !gnn.graph<csr>, %s: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.edge_softmax' op needs floating-point scores, got '!gnn.edges<8xi32>'}}
  %a = gnn.edge_softmax %g, %s : !gnn.graph<csr>, !gnn.edges<8xi32>
  return
}

// -----

func.func @softmax_coo(%g: !gnn.graph<coo>, %s: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.edge_softmax' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %a = gnn.edge_softmax %g, %s : !gnn.graph<coo>, !gnn.edges<8xf32>
  return
}

// -----

func.func @top_k_integers(%g: !gnn.graph<csr>, %s: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.edge_top_k' op needs floating-point scores, got '!gnn.edges<8xi32>'}}
  %a = gnn.edge_top_k %g, %s {k = 2} : !gnn.graph<csr>, !gnn.edges<8xi32>
  return
}

// -----

func.func @top_none(%g: !gnn.graph<csr>, %s: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.edge_top_k' op 'k' must be from 1 to 65536, got 0}}
  %a = gnn.edge_top_k %g, %s {k = 0} : !gnn.graph<csr>, !gnn.edges<8xf32>
  return
}

// -----

func.func @top_many(%g: !gnn.graph<csr>, %s: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.edge_top_k' op 'k' must be from 1 to 65536, got 65537}}
  %a = gnn.edge_top_k %g, %s {k = 65537} : !gnn.graph<csr>, !gnn.edges<8xf32>
  return
}

// -----

func.func @top_k_coo(%g: !gnn.graph<coo>, %s: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.edge_top_k' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %a = gnn.edge_top_k %g, %s {k = 2} : !gnn.graph<coo>, !gnn.edges<8xf32>
  return
}

// -----

#one = affine_map<() -> ()>
func.func @no_edges_kept(%g: !gnn.graph<csr>, %s: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op 'k' must be from 1 to 65536, got 0}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 0}
      : !gnn.graph<csr> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(h) -> (h)>
func.func @several_scores(%g: !gnn.graph<csr>, %s: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op needs one floating-point score for each edge, got '!gnn.edges<8xf32>'}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<8xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"], k = 2}
      : !gnn.graph<csr> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @scores_of_edge_list(%g: !gnn.graph<coo>, %s: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<coo> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @all_pairs_kept(%g: !gnn.graph<complete>, %s: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op yields a csr graph, got '!gnn.graph<complete>'}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<complete> -> !gnn.graph<complete> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @other_nodes(%g: !gnn.graph<complete, bipartite>,
                       %s: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op must keep the index type and bipartiteness of '!gnn.graph<complete, bipartite>', got '!gnn.graph<csr>'}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<complete, bipartite> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @sources_in_order(%g: !gnn.graph<csr>, %s: !gnn.edges<f32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op orders edges by their scores, but its type '!gnn.graph<csr, sorted>' promises to order them by sources}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<csr> -> !gnn.graph<csr, sorted> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @order_of_two_kinds(%g: !gnn.graph<complete, bipartite>,
                              %s: !gnn.edges<f32>, %order: tensor<?xi32>) {
  // expected-error @+1 {{'gnn.top_k_graph' op 'order' is of nodes that are sources and destinations, but the graph is bipartite}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      order(%order : tensor<?xi32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<complete, bipartite> -> !gnn.graph<csr, bipartite> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

#one = affine_map<() -> ()>
func.func @order_of_wide_numbers(%g: !gnn.graph<complete>, %s: !gnn.edges<f32>,
                                 %order: tensor<?xi64>) {
  // expected-error @+1 {{'gnn.top_k_graph' op 'order' must have the index type of the graph, 'i32', got 'tensor<?xi64>'}}
  %a = gnn.top_k_graph %g edge(%s : !gnn.edges<f32>)
      order(%order : tensor<?xi64>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 2}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    gnn.yield %v : f32
  }
  return
}

// -----

func.func @aggregate_coo(%g: !gnn.graph<coo>, %m: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.aggregate' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %a = gnn.aggregate [sum] %g, %m
    : !gnn.graph<coo>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @aggregator_name(%g: !gnn.graph<csr>, %m: !gnn.edges<8xf32>) {
  // expected-error @+1 {{unknown aggregator 'median'; expected sum, mean, max, min, mul, var, std or softmax}}
  %a = gnn.aggregate [median] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @aggregate_nothing(%g: !gnn.graph<csr>, %m: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.aggregate' op needs at least one aggregator}}
  %a = gnn.aggregate [] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @aggregate_results(%g: !gnn.graph<csr>, %m: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.aggregate' op needs one result per aggregator, 2, got 1}}
  %a = gnn.aggregate [sum, max] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @aggregate_result(%g: !gnn.graph<csr>, %m: !gnn.edges<8xf32>) {
  // expected-error @+1 {{'gnn.aggregate' op result must be 'tensor<?x8xf32>', got 'tensor<?x4xf32>'}}
  %a = gnn.aggregate [sum] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @aggregate_mean(%g: !gnn.graph<csr>, %m: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.aggregate' op mean needs floating-point values, got 'i32'}}
  %a = gnn.aggregate [mean] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xi32> -> tensor<?x8xi32>
  return
}

// -----

func.func @aggregate_var(%g: !gnn.graph<csr>, %m: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.aggregate' op var needs floating-point values, got 'i32'}}
  %a = gnn.aggregate [var] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xi32> -> tensor<?x8xi32>
  return
}

// -----

func.func @aggregate_std(%g: !gnn.graph<csr>, %m: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.aggregate' op std needs floating-point values, got 'i32'}}
  %a = gnn.aggregate [std] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xi32> -> tensor<?x8xi32>
  return
}

// -----

func.func @aggregate_softmax(%g: !gnn.graph<csr>, %m: !gnn.edges<8xi32>) {
  // expected-error @+1 {{'gnn.aggregate' op softmax needs floating-point values, got 'i32'}}
  %a = gnn.aggregate [softmax] %g, %m
    : !gnn.graph<csr>, !gnn.edges<8xi32> -> tensor<?x8xi32>
  return
}

// -----

func.func @update_nothing(%u: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.update' op needs at least one node operand, which says how many nodes there are}}
  %y = "gnn.update"(%u) <{
      indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
      iterator_types = ["parallel"],
      operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @update_result(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.update' op result must be 'tensor<?x4xf32>', got 'tensor<?x3xf32>'}}
  %y = gnn.update node(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x3xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @update_maps(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.update' op needs 2 entries in 'indexing_maps', one per operand and one for the result, got 3}}
  %y = gnn.update node(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

// An update has nodes, but no edges.
func.func @update_index(%x: tensor<?x4xf32>) {
  %y = gnn.update node(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{'gnn.index' op expects parent op to be one of}}
    %i = gnn.index dst
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @yield_outside(%x: f32) {
  // expected-error @+1 {{'gnn.yield' op expects parent op to be one of}}
  gnn.yield %x : f32
  return
}

// -----

func.func @region_uses_tensor(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                              %table: tensor<4xf32>) {
  // expected-error @+1 {{'gnn.message' op the region may use scalars from above, and tensors in tensor.extract, but tensor.dim uses 'tensor<?x4xf32>'}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0 : index
    %n = tensor.dim %x, %zero : tensor<?x4xf32>
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @region_uses_graph(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.update' op the region may use scalars from above, and tensors in tensor.extract, but gnn.num_edges uses '!gnn.graph<csr>'}}
  %m = gnn.update node(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]} : tensor<?x4xf32> {
  ^bb0(%a: f32):
    %n = gnn.num_edges %g : !gnn.graph<csr>
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @region_holds_region(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                               %flag: i1) {
  // expected-error @+1 {{'gnn.message' op the region may hold no op with a region of its own, got scf.if}}
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    %r = scf.if %flag -> f32 {
      scf.yield %a : f32
    } else {
      %n = arith.negf %a : f32
      scf.yield %n : f32
    }
    gnn.yield %r : f32
  }
  return
}

// -----

func.func @feature_loop(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{'gnn.feature_index' op reads feature loop 1, but there are 1 loops, counted from 0}}
    %f = gnn.feature_index 1
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @reduced_without_reduction(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%a: f32):
    // expected-error @+1 {{'gnn.reduced' op needs a reduction, but all feature loops are parallel}}
    %r = gnn.reduced %a : f32
    gnn.yield %r : f32
  }
  return
}

// -----

func.func @reduced_twice(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    // expected-error @+1 {{'gnn.reduced' op is the second of its region, which has one reduction}}
    %q = gnn.reduced %s : f32
    %y = arith.addf %r, %q : f32
    gnn.yield %y : f32
  }
  return
}

// -----

func.func @reduced_type(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f64> {
  ^bb0(%a: f32, %sum: f64):
    %b = arith.extf %a : f32 to f64
    %s = arith.addf %b, %sum : f64
    %t = arith.truncf %s : f64 to f32
    // expected-error @+1 {{'gnn.reduced' op must reduce 'f64', the type of the yielded value, got 'f32'}}
    %r = gnn.reduced %t : f32
    %y = arith.extf %r : f32 to f64
    gnn.yield %y : f64
  }
  return
}

// -----

func.func @reduced_then_operand(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    // expected-error @+1 {{'arith.addf' op follows a reduction, so it may not read what differs along it}}
    %y = arith.addf %r, %a : f32
    gnn.yield %y : f32
  }
  return
}

// -----

func.func @reduced_then_accumulator(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    // expected-error @+1 {{'gnn.yield' op follows a reduction, so it may not read what differs along it}}
    gnn.yield %sum : f32
  }
  return
}

// -----

func.func @reduced_then_index(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                              %table: tensor<4xf32>) {
  %m = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>],
       iterator_types = ["reduction"]} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %a, %sum : f32
    %r = gnn.reduced %s : f32
    // expected-error @+1 {{'gnn.feature_index' op follows a reduction, so it may not read what differs along it}}
    %f = gnn.feature_index 0
    %t = tensor.extract %table[%f] : tensor<4xf32>
    %y = arith.addf %r, %t : f32
    gnn.yield %y : f32
  }
  return
}

// -----

func.func @yield_unsigned(%g: !gnn.graph<csr>, %x: tensor<?xui32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op the region must yield a float or a signless integer, got 'ui32'}}
  %y = gnn.message_aggregate [max] %g src(%x : tensor<?xui32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> tensor<?xui32> {
  ^bb0(%a: ui32):
    gnn.yield %a : ui32
  }
  return
}

// -----

// Only a constant divisor is known not to be zero.
func.func @trap(%g: !gnn.graph<causal>, %x: tensor<?xi32>) {
  // expected-error @+1 {{'gnn.message' op the region is evaluated where there is no edge as well, so it may hold no op that traps or has side effects, got arith.divsi}}
  %m = gnn.message %g src(%x : tensor<?xi32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<causal> -> !gnn.edges<i32> {
  ^bb0(%a: i32):
    %hundred = arith.constant 100 : i32
    %b = arith.remsi %a, %hundred : i32
    %c = arith.divsi %b, %a : i32
    gnn.yield %c : i32
  }
  return
}

// -----

func.func @trap_remainder(%g: !gnn.graph<csr>, %x: tensor<?xi32>) {
  // expected-error @+1 {{'gnn.message' op the region is evaluated where there is no edge as well, so it may hold no op that traps or has side effects, got arith.remui}}
  %m = gnn.message %g src(%x : tensor<?xi32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<i32> {
  ^bb0(%a: i32):
    %hundred = arith.constant 100 : i32
    %c = arith.remui %hundred, %a : i32
    gnn.yield %c : i32
  }
  return
}

// -----

func.func private @noise() -> f32
func.func @side_effect(%g: !gnn.graph<csr>) {
  // expected-error @+1 {{'gnn.message' op the region is evaluated where there is no edge as well, so it may hold no op that traps or has side effects, got func.call}}
  %m = gnn.message %g
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      : !gnn.graph<csr> -> !gnn.edges<f32> {
    %a = func.call @noise() : () -> f32
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @lookup_shape(%table: tensor<5x3xf32>, %numbers: tensor<?xi64>) {
  // expected-error @+1 {{'gnn.lookup' op yields a row of the table for each number, 'tensor<?x3xf32>', got 'tensor<?x5xf32>'}}
  %r = gnn.lookup %table[%numbers]
    : tensor<5x3xf32>, tensor<?xi64> -> tensor<?x5xf32>
  return
}

// -----

func.func @lookup_scalar(%table: tensor<f32>, %numbers: tensor<?xi64>) {
  // expected-error @+1 {{'gnn.lookup' op needs a table with rows, got 'tensor<f32>'}}
  %r = gnn.lookup %table[%numbers]
    : tensor<f32>, tensor<?xi64> -> tensor<?xf32>
  return
}

// -----

func.func @lookup_floats(%table: tensor<5xf32>, %numbers: tensor<?xf32>) {
  // expected-error @+1 {{'gnn.lookup' op operand #1 must be tensor of signless integer or index values, but got 'tensor<?xf32>'}}
  %r = gnn.lookup %table[%numbers]
    : tensor<5xf32>, tensor<?xf32> -> tensor<?xf32>
  return
}
