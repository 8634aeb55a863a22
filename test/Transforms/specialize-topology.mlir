// RUN: gnn-opt --gnn-specialize-topology=dense-above=0.25 \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-specialize-topology=topology=sparse --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SPARSE
// RUN: gnn-opt --gnn-specialize-topology=topology=dense --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FORCED

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>

// CHECK: #[[HF:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[PAIR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @both_forms
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[Q:.*]]: tensor<?x2x4xf32>, %[[K:.*]]: tensor<?x2x4xf32>, %[[V:.*]]: tensor<?x2x4xf32>)
// Density.
// CHECK: %[[EDGES:.*]] = gnn.num_edges %[[G]]
// CHECK: %[[E:.*]] = arith.sitofp
// CHECK: arith.ceildivui %{{.*}}, %c64
// CHECK: %[[PAIRS:.*]] = arith.mulf
// CHECK: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[LEAST:.*]] = arith.mulf %[[PAIRS]], %[[QUARTER]]
// CHECK: arith.cmpf oge, %[[E]], %[[LEAST]]
// CHECK: %[[MANY:.*]] = arith.andi
// Edges of each pair, of which none may be there twice.
// CHECK: %[[DENSE:.*]]:2 = scf.if %[[MANY]] -> (i1, tensor<?x?xf32>) {
// CHECK: %[[SPREAD:.*]] = gnn.spread_edges %{{.*}} from %[[G]] to
// CHECK: %[[COUNTS:.*]] = gnn.edges_to_tensor %{{.*}}, %[[SPREAD]]
// CHECK: gnn.message_aggregate [sum]
// CHECK: %[[SIMPLE:.*]] = arith.cmpf oeq
// CHECK: scf.yield %[[SIMPLE]], %[[COUNTS]]
// CHECK: } else {
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: scf.yield %[[NO]]
// Values that a weight of zero takes away.
// CHECK: %[[USABLE:.*]] = scf.if %[[DENSE]]#0 -> (i1) {
// CHECK: gnn.update node(%[[V]]
// CHECK: arith.cmpf oeq
// CHECK: %[[Y:.*]] = scf.if %[[USABLE]] -> (tensor<?x2x4xf32>) {
// CHECK: %[[ALL:.*]] = gnn.make_graph {{.*}} -> !gnn.graph<complete>
// CHECK: %[[MASK:.*]] = gnn.edges_from_tensor %[[ALL]], %[[DENSE]]#1
// CHECK: gnn.attention %[[ALL]] score dst(%[[Q]] : tensor<?x2x4xf32>) src(%[[K]] : tensor<?x2x4xf32>) edge(%[[MASK]] : !gnn.edges<f32>) {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[COUNT:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]]
// CHECK: %[[EDGE:.*]] = arith.cmpf ogt, %[[COUNT]]
// CHECK: %[[SCORE:.*]] = arith.select %[[EDGE]], %[[NEXT]], %{{.*}}
// CHECK: gnn.yield %[[SCORE]]
// CHECK: value src(%[[V]] : tensor<?x2x4xf32>)
// CHECK: score_maps = [#[[HF]], #[[HF]], #[[PAIR]], #{{.*}}]
// CHECK: } else {
// CHECK: gnn.attention %[[G]] score dst(%[[Q]] : tensor<?x2x4xf32>) src(%[[K]] : tensor<?x2x4xf32>) {
// CHECK: return %[[Y]]

// SPARSE-LABEL: func @both_forms
// SPARSE-NOT: scf.if
// SPARSE: return

// Any graph with an edge, if it can be.
// FORCED-LABEL: func @both_forms
// FORCED: arith.constant 0.000000e+00 : f64
// FORCED: scf.if
// FORCED: gnn.spread_edges
func.func @both_forms(%g: !gnn.graph<csr>, %q: tensor<?x2x4xf32>,
    %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
  %y = gnn.attention %g
    score dst(%q : tensor<?x2x4xf32>) src(%k : tensor<?x2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%v : tensor<?x2x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#hf, #hf, #h], score_iterators = ["parallel", "reduction"],
     value_maps = [#hf, #hf], value_iterators = ["parallel", "parallel"],
     weight_map = #h}
    : !gnn.graph<csr> -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}

// -----

#f = affine_map<(f) -> (f)>
#s = affine_map<(f) -> ()>

// The edges of a graph are counted once, whatever reads them.
// CHECK-LABEL: func @two_readers
// CHECK: gnn.spread_edges
// CHECK-NOT: gnn.spread_edges
// CHECK: return
func.func @two_readers(%g: !gnn.graph<csr>, %a: tensor<?xf32>,
                       %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %x = gnn.attention %g
    score src(%a : tensor<?xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    value src(%v : tensor<?x4xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [], value_maps = [#f, #f],
     value_iterators = ["parallel"], weight_map = #s}
    : !gnn.graph<csr> -> tensor<?x4xf32>
  %y = gnn.attention %g
    score dst(%a : tensor<?xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [], value_maps = [#f, #f],
     value_iterators = ["parallel"], weight_map = #s}
    : !gnn.graph<csr> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#f = affine_map<(f) -> (f)>
#s = affine_map<(f) -> ()>

// A complete graph is dense already; values per edge are there for listed ones.
// CHECK-LABEL: func @one_form
// CHECK-NOT: scf.if
// CHECK: return
func.func @one_form(%g: !gnn.graph<csr>, %h: !gnn.graph<complete>,
                    %w: !gnn.edges<f32>, %v: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %x = gnn.attention %g
    score edge(%w : !gnn.edges<f32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    value src(%v : tensor<?x4xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
     score_iterators = [], value_maps = [#f, #f],
     value_iterators = ["parallel"], weight_map = #s}
    : !gnn.graph<csr> -> tensor<?x4xf32>
  %y = gnn.attention %h
    score {
      %one = arith.constant 1.0 : f32
      gnn.yield %one : f32
    }
    value src(%v : tensor<?x4xf32>) {
    ^bb0(%b: f32):
      gnn.yield %b : f32
    }
    {score_maps = [affine_map<() -> ()>], score_iterators = [],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #s}
    : !gnn.graph<complete> -> tensor<?x4xf32>
  return %x, %y : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// At pairs that are no edges a lookup's index may be anything.
// CHECK-LABEL: func @lookup
// CHECK: gnn.attention {{.*}} : !gnn.edges<f32>) {
// CHECK: ^bb0(%{{.*}}: f32, %[[KIND:.*]]: i32, %[[COUNT:.*]]: f32):
// CHECK: %[[ROW:.*]] = arith.index_cast %[[KIND]]
// CHECK: %[[F:.*]] = gnn.feature_index 0
// CHECK: %[[EXISTS:.*]] = arith.cmpf ogt, %[[COUNT]]
// CHECK: %[[SAFE:.*]] = arith.select %[[EXISTS]], %[[ROW]], %{{.*}} : index
// CHECK: tensor.extract %{{.*}}[%[[SAFE]], %[[F]]]
// CHECK: } else {
// CHECK: gnn.attention
// CHECK-NOT: arith.select
func.func @lookup(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                  %kind: tensor<?xi32>, %table: tensor<3x4xf32>)
    -> tensor<?x4xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x4xf32>) src(%kind : tensor<?xi32>) {
    ^bb0(%a: f32, %k: i32):
      %row = arith.index_cast %k : i32 to index
      %f = gnn.feature_index 0
      %t = tensor.extract %table[%row, %f] : tensor<3x4xf32>
      %s = arith.mulf %a, %t : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x4xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#id, #none, #id], score_iterators = ["parallel"],
     value_maps = [#id, #id], value_iterators = ["parallel"],
     weight_map = #id} : !gnn.graph<csr> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
