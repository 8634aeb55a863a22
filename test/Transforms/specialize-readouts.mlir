// RUN: gnn-opt --gnn-specialize-readouts --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>
#one = affine_map<(f) -> ()>
#none = affine_map<() -> ()>

// CHECK-LABEL: func @readout
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<block_diagonal, bipartite>, %[[S:.*]]: tensor<?xf32>, %[[X:.*]]: tensor<?x8xf32>)
// CHECK: %[[PARTS:.*]]:2 = gnn.graph_parts %[[G]]
// CHECK: %[[LENGTH:.*]] = tensor.dim %[[PARTS]]#0
// CHECK: %[[SEGMENTS:.*]] = arith.subi %[[LENGTH]], %c1
// CHECK: %[[DESTINATIONS:.*]] = gnn.num_nodes dst %[[G]]
// CHECK: %[[SINGLE:.*]] = arith.cmpi ule, %[[DESTINATIONS]], %[[SEGMENTS]]
// CHECK: %[[Y:.*]] = scf.if %[[SINGLE]] -> (tensor<?x8xf32>) {
// CHECK: %[[ROWS:.*]] = gnn.attention %[[G]]
// CHECK: {gnn.by_rows, score_iterators
// CHECK: scf.yield %[[ROWS]]
// CHECK: } else {
// CHECK: %[[TILES:.*]] = gnn.attention %[[G]]
// CHECK: } {score_iterators
// CHECK: scf.yield %[[TILES]]
// CHECK: return %[[Y]]
func.func @readout(%g: !gnn.graph<block_diagonal, bipartite>,
                   %s: tensor<?xf32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #one}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#one = affine_map<(f) -> ()>
#none = affine_map<() -> ()>

// Nodes that attend to each other have as many destinations as sources.
// CHECK-LABEL: func @square
// CHECK-NOT: scf.if
// CHECK: return
func.func @square(%g: !gnn.graph<block_diagonal>, %s: tensor<?xf32>,
                  %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #one}
    : !gnn.graph<block_diagonal> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#one = affine_map<(f) -> ()>
#none = affine_map<() -> ()>

// Values of pairs are computed by rows in any case.
// CHECK-LABEL: func @computed_values
// CHECK-NOT: scf.if
// CHECK: return
func.func @computed_values(%g: !gnn.graph<block_diagonal, bipartite>,
                           %s: tensor<?xf32>, %x: tensor<?x8xf32>,
                           %z: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score src(%s : tensor<?xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value dst(%z : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      gnn.yield %0 : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id, #id], value_iterators = ["parallel"],
     weight_map = #one}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#one = affine_map<(f) -> ()>
#none = affine_map<() -> ()>

// So are scores that pairs have values for.
// CHECK-LABEL: func @edges
// CHECK-NOT: scf.if
// CHECK: return
func.func @edges(%g: !gnn.graph<block_diagonal, bipartite>,
                 %e: !gnn.edges<f32>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score edge(%e : !gnn.edges<f32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#none, #none], score_iterators = [],
     value_maps = [#id, #id], value_iterators = ["parallel"], weight_map = #one}
    : !gnn.graph<block_diagonal, bipartite> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
