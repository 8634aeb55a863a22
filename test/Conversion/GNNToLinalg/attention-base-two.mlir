// RUN: gnn-opt --convert-gnn-to-linalg=attention-base-two %s | FileCheck %s
// RUN: gnn-opt --convert-gnn-to-linalg %s | FileCheck %s --check-prefix=OFF
// RUN: gnn-opt --convert-gnn-to-linalg="attention-base-two attention-lanes=0" %s \
// RUN:   | FileCheck %s --check-prefix=OFF

#f = affine_map<(f) -> (f)>
#none = affine_map<(f) -> ()>

// log2(e) is a factor of the destinations' rows, and all weights are powers of 2.
// CHECK-DAG: #[[TRANSPOSED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @dot_product
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[TRANSPOSED]], {{.*}} ins(%{{.*}} : tensor<64x8xf32>) outs(%{{.*}} : tensor<8x64xf32>)
// CHECK: arith.mulf %{{.*}}, %[[LOG2E]]
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %{{.*}} : tensor<8x64xf32>, tensor<?x8xf32>)
// CHECK: math.exp2 %{{.*}} {gnn.bounded}
// CHECK: math.exp2 %{{.*}} {gnn.never_positive}
// CHECK: math.exp2 %{{.*}} {gnn.never_positive}
// CHECK-NOT: math.exp{{ }}
// OFF-LABEL: func @dot_product
// OFF-NOT: math.exp2
func.func @dot_product(%bounded: i1, %g: !gnn.graph<complete>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    bounded(%bounded)
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<complete> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// What follows a dot product would need a factor as well.
// CHECK-LABEL: func @activated
// CHECK-NOT: math.exp2
// CHECK: math.exp %
func.func @activated(%g: !gnn.graph<complete>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      %r = gnn.reduced %s : f32
      %t = math.tanh %r : f32
      gnn.yield %t : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<complete> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Neither are sources of a segment enough ...
// CHECK-LABEL: func @segments
// CHECK-NOT: math.exp2
// CHECK: math.exp %
func.func @segments(%g: !gnn.graph<block_diagonal>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none}
    : !gnn.graph<block_diagonal> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// ... nor has an average of dot products exponentials.
// CHECK-LABEL: func @average
// CHECK-NOT: 1.44269502
// CHECK: return
func.func @average(%g: !gnn.graph<complete>, %x: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = gnn.attention %g
    score dst(%x : tensor<?x8xf32>) src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      gnn.yield %s : f32
    }
    value src(%x : tensor<?x8xf32>) {
    ^bb0(%a: f32):
      gnn.yield %a : f32
    }
    {score_maps = [#f, #f, #none], score_iterators = ["reduction"],
     value_maps = [#f, #f], value_iterators = ["parallel"], weight_map = #none,
     normalization = #gnn.normalization<sum>}
    : !gnn.graph<complete> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
