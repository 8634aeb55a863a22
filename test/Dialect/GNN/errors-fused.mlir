// RUN: gnn-opt %s -split-input-file -verify-diagnostics

func.func @message_aggregate_coo(%g: !gnn.graph<coo>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %m = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<coo> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_aggregate_maps(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op needs 2 entries in 'indexing_maps', one per operand and one for the result, got 1}}
  %m = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_aggregate_nothing(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op needs at least one aggregator}}
  %m = gnn.message_aggregate [] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_aggregate_results(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op needs one result per aggregator, 2, got 1}}
  %m = gnn.message_aggregate [sum, max] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf32> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_aggregate_result(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op result must be 'tensor<?x4xf32>', got 'tensor<?x4xf64>'}}
  %m = gnn.message_aggregate [sum] %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xf64> {
  ^bb0(%a: f32):
    gnn.yield %a : f32
  }
  return
}

// -----

func.func @message_aggregate_integers(%g: !gnn.graph<csr>, %x: tensor<?x4xi32>) {
  // expected-error @+1 {{'gnn.message_aggregate' op mean needs floating-point values, got 'i32'}}
  %m = gnn.message_aggregate [mean] %g src(%x : tensor<?x4xi32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x4xi32> {
  ^bb0(%a: i32):
    gnn.yield %a : i32
  }
  return
}

// -----

func.func @attention_coo(%g: !gnn.graph<coo>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op needs the edges of a destination together; sort the coo graph with gnn.to_csr first}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<coo> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_score_maps(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op needs 2 entries in 'score_maps', one per operand and one for the result, got 1}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_score_region(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op the region needs 2 arguments, one per operand and the accumulator, got 1}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_value_maps(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op map 0 of 'value_maps' must be a projected permutation, got affine_map<(d0, d1) -> (d0, d0)>}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, h)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_value_iterators(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op entry 1 of 'value_iterators' must be "parallel" or "reduction", got "both"}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "both"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_types(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf64>) {
  // expected-error @+1 {{'gnn.attention' op score and value must yield the same float type, got 'f32' and 'f64'}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf64>) {
      ^bb0(%a: f64):
        gnn.yield %a : f64
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf64>
  return
}

// -----

func.func @attention_integers(%g: !gnn.graph<csr>, %k: tensor<?x2x4xi32>,
    %v: tensor<?x2x4xi32>) {
  // expected-error @+1 {{'gnn.attention' op score and value must yield the same float type, got 'i32' and 'i32'}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xi32>) {
      ^bb0(%a: i32, %sum: i32):
        gnn.yield %a : i32
      }
      value src(%v : tensor<?x2x4xi32>) {
      ^bb0(%a: i32):
        gnn.yield %a : i32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xi32>
  return
}

// -----

func.func @attention_weight_map(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op 'weight_map' must be a projected permutation from 2 dimensions of the value to the 1 of the score, got affine_map<(d0) -> (d0)>}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_weight_results(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op 'weight_map' must be a projected permutation from 2 dimensions of the value to the 1 of the score, got affine_map<(d0, d1) -> (d0, d1)>}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h, f)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_weight_extent(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op 'weight_map' takes a score dimension of extent 2 to a value dimension of extent 4}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (f)>}
      : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return
}

// -----

func.func @attention_no_heads(%g: !gnn.graph<csr>, %k: tensor<?x0x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op needs at least one score for each edge}}
  %y = gnn.attention %g
      score src(%k : tensor<?x0x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%k : tensor<?x0x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x0x4xf32>
  return
}

// -----

func.func @attention_result(%g: !gnn.graph<csr>, %k: tensor<?x2x4xf32>,
    %v: tensor<?x2x4xf32>) {
  // expected-error @+1 {{'gnn.attention' op result must be 'tensor<?x2x4xf32>', got 'tensor<?x8xf32>'}}
  %y = gnn.attention %g
      score src(%k : tensor<?x2x4xf32>) {
      ^bb0(%a: f32, %sum: f32):
        gnn.yield %a : f32
      }
      value src(%v : tensor<?x2x4xf32>) {
      ^bb0(%a: f32):
        gnn.yield %a : f32
      }
      {score_maps = [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>],
       score_iterators = ["parallel", "reduction"],
       value_maps = [affine_map<(h, f) -> (h, f)>, affine_map<(h, f) -> (h, f)>],
       value_iterators = ["parallel", "parallel"],
       weight_map = affine_map<(h, f) -> (h)>}
      : !gnn.graph<csr> -> tensor<?x8xf32>
  return
}
