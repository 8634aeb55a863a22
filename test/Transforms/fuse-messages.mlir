// RUN: gnn-opt --gnn-fuse-messages --split-input-file %s | FileCheck %s

#id = affine_map<(f) -> (f)>

// Operands come grouped by role, with their maps, and the producer's region
// stands before the consumer's.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<csr>, %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>)
// CHECK-NOT: gnn.message
// CHECK: %[[M:.*]] = gnn.message %[[G]] dst(%[[Y]] : tensor<?x4xf32>) src(%[[X]] : tensor<?x4xf32>)
// CHECK: ^bb0(%[[B:.*]]: f32, %[[A:.*]]: f32):
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[S:.*]] = arith.addf %[[B]], %[[E]]
// CHECK: gnn.yield %[[S]]
// CHECK-NOT: gnn.message
// CHECK: return %[[M]]
func.func @elementwise(%g: !gnn.graph<csr>, %x: tensor<?x4xf32>,
                       %y: tensor<?x4xf32>) -> !gnn.edges<4xf32> {
  %a = gnn.message %g src(%x : tensor<?x4xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    gnn.yield %e : f32
  }
  %b = gnn.message %g dst(%y : tensor<?x4xf32>) edge(%a : !gnn.edges<4xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<4xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<4xf32>
}

// -----

// A value per edge that is read for every feature gets a map without features.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0) -> ()>
// CHECK-LABEL: func @broadcast
// CHECK: gnn.message
// CHECK-SAME: src(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?xf32>)
// CHECK-SAME: indexing_maps = [#[[ID]], #[[NONE]], #[[ID]]]
// CHECK-NOT: gnn.message
func.func @broadcast(%g: !gnn.graph<csr>, %x: tensor<?xf32>,
                     %y: tensor<?x8xf32>) -> !gnn.edges<8xf32> {
  %a = gnn.message %g src(%x : tensor<?xf32>)
      {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
       iterator_types = []} : !gnn.graph<csr> -> !gnn.edges<f32> {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    gnn.yield %n : f32
  }
  %b = gnn.message %g src(%y : tensor<?x8xf32>) edge(%a : !gnn.edges<f32>)
      {indexing_maps = [affine_map<(f) -> (f)>, affine_map<(f) -> ()>,
                        affine_map<(f) -> (f)>],
       iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<8xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %v, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<8xf32>
}

// -----

// The producer's result has its dimensions exchanged; so have its operands'
// maps after fusion. The consumer keeps its reduction.
// CHECK-DAG: #[[HF:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[H:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @transposed
// CHECK: gnn.message
// CHECK-SAME: src(%{{.*}} : tensor<?x2x3xf32>)
// CHECK-SAME: indexing_maps = [#[[HF]], #[[H]]], iterator_types = ["parallel", "reduction"]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: %[[N:.*]] = arith.negf %[[A]]
// CHECK: arith.addf %[[SUM]], %[[N]]
func.func @transposed(%g: !gnn.graph<csr>, %x: tensor<?x2x3xf32>)
    -> !gnn.edges<2xf32> {
  %a = gnn.message %g src(%x : tensor<?x2x3xf32>)
      {indexing_maps = [affine_map<(h, f) -> (h, f)>,
                        affine_map<(h, f) -> (f, h)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<3x2xf32> {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    gnn.yield %n : f32
  }
  %b = gnn.message %g edge(%a : !gnn.edges<3x2xf32>)
      {indexing_maps = [affine_map<(h, f) -> (f, h)>,
                        affine_map<(h, f) -> (h)>],
       iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%w: f32, %sum: f32):
    %s = arith.addf %sum, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<2xf32>
}

// -----

#id = affine_map<(f) -> (f)>

// A lookup follows its loop: feature 0 of the producer is feature 1 of the
// consumer. It is read again for every feature the consumer adds.
// CHECK-LABEL: func @lookup
// CHECK-SAME: %[[TABLE:[^ ]*]]: tensor<3xf32>
// CHECK: gnn.message
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: %[[F:.*]] = gnn.feature_index 1
// CHECK: %[[T:.*]] = tensor.extract %[[TABLE]][%[[F]]]
// CHECK-NOT: gnn.message
func.func @lookup(%g: !gnn.graph<csr>, %table: tensor<3xf32>,
                  %x: tensor<?x2x3xf32>, %y: tensor<?x3xf32>)
    -> !gnn.edges<2x3xf32> {
  %a = gnn.message %g src(%y : tensor<?x3xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<3xf32> {
  ^bb0(%v: f32):
    %f = gnn.feature_index 0
    %t = tensor.extract %table[%f] : tensor<3xf32>
    %s = arith.addf %v, %t : f32
    gnn.yield %s : f32
  }
  %b = gnn.message %g src(%x : tensor<?x2x3xf32>) edge(%a : !gnn.edges<3xf32>)
      {indexing_maps = [affine_map<(h, f) -> (h, f)>,
                        affine_map<(h, f) -> (f)>,
                        affine_map<(h, f) -> (h, f)>],
       iterator_types = ["parallel", "parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2x3xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.addf %v, %w : f32
    gnn.yield %s : f32
  }
  return %b : !gnn.edges<2x3xf32>
}

// -----

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#id = affine_map<(h) -> (h)>

// What reads each reduced value once follows the reduction, and so does what
// reads that. Loops of the reader are those of the reduction that are parallel.
// CHECK-DAG: #[[HF:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[H:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @after_reduction
// CHECK: %[[M:.*]] = gnn.message
// CHECK-SAME: dst(%{{.*}}, %{{.*}} : tensor<?x2x3xf32>, tensor<?x2xf32>)
// CHECK-SAME: indexing_maps = [#[[HF]], #[[H]], #[[H]]], iterator_types = ["parallel", "reduction"]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[A]]
// CHECK-NEXT: %[[R:.*]] = gnn.reduced %[[S]]
// CHECK-NEXT: %[[I:.*]] = gnn.feature_index 0
// CHECK-NEXT: %[[T:.*]] = tensor.extract %{{.*}}[%[[I]]]
// CHECK-NEXT: %[[P:.*]] = arith.addf %[[R]], %[[T]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[B]]
// CHECK-NEXT: gnn.yield %[[Q]]
// CHECK-NOT: gnn.message
func.func @after_reduction(%g: !gnn.graph<csr>, %x: tensor<?x2x3xf32>,
                           %y: tensor<?x2xf32>, %table: tensor<2xf32>)
    -> !gnn.edges<2xf32> {
  %a = gnn.message %g dst(%x : tensor<?x2x3xf32>)
      {indexing_maps = [#hf, #h], iterator_types = ["parallel", "reduction"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%v: f32, %sum: f32):
    %s = arith.addf %sum, %v : f32
    gnn.yield %s : f32
  }
  %b = gnn.message %g edge(%a : !gnn.edges<2xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%v: f32):
    %f = gnn.feature_index 0
    %t = tensor.extract %table[%f] : tensor<2xf32>
    %s = arith.addf %v, %t : f32
    gnn.yield %s : f32
  }
  %c = gnn.message %g dst(%y : tensor<?x2xf32>) edge(%b : !gnn.edges<2xf32>)
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> !gnn.edges<2xf32> {
  ^bb0(%v: f32, %w: f32):
    %s = arith.mulf %w, %v : f32
    gnn.yield %s : f32
  }
  return %c : !gnn.edges<2xf32>
}

// -----

#id = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>
#one = affine_map<() -> ()>

// Scores of a graph, and what becomes of them.
// CHECK-LABEL: func @scores
// CHECK-SAME: (%[[G:.*]]: !gnn.graph<complete>, %[[X:.*]]: tensor<?x3xf32>)
// CHECK-NOT: gnn.message
// CHECK: gnn.top_k_graph %[[G]] dst(%[[X]] : tensor<?x3xf32>) src(%[[X]] : tensor<?x3xf32>)
// CHECK-SAME: iterator_types = ["reduction"], k = 4 : i64
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: %[[S:.*]] = arith.addf %[[SUM]]
// CHECK: %[[R:.*]] = gnn.reduced %[[S]]
// CHECK: %[[N:.*]] = arith.negf %[[R]]
// CHECK: gnn.yield %[[N]]
func.func @scores(%g: !gnn.graph<complete>, %x: tensor<?x3xf32>)
    -> !gnn.graph<csr> {
  %a = gnn.message %g dst(%x : tensor<?x3xf32>) src(%x : tensor<?x3xf32>)
      {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"]}
      : !gnn.graph<complete> -> !gnn.edges<f32> {
  ^bb0(%v: f32, %w: f32, %sum: f32):
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %sum, %p : f32
    gnn.yield %s : f32
  }
  %h = gnn.top_k_graph %g edge(%a : !gnn.edges<f32>)
      {indexing_maps = [#one, #one], iterator_types = [], k = 4}
      : !gnn.graph<complete> -> !gnn.graph<csr> {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    gnn.yield %n : f32
  }
  return %h : !gnn.graph<csr>
}
