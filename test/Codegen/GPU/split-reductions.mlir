// RUN: gnn-opt --gnn-split-reductions=min-terms=4 %s | FileCheck %s
// RUN: gnn-opt --gnn-split-reductions %s | FileCheck %s --check-prefix=SHORT
// RUN: gnn-opt --gnn-split-reductions="min-terms=4 max-results=3" %s \
// RUN:   | FileCheck %s --check-prefix=SHORT

#both = affine_map<(h, d) -> (h, d)>
#head = affine_map<(h, d) -> (h)>

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-LABEL: func @scores
// CHECK-SAME: (%[[Q:.*]]: tensor<?x4x4xf32>, %[[INIT:.*]]: tensor<4xf32>
// CHECK: scf.forall
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[Q]]
// CHECK: %[[TERMS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[ROW]], %[[ROW]] :
// CHECK: arith.mulf
// CHECK: -> tensor<4x4xf32>
// CHECK-DAG: %[[LOW:.*]] = tensor.extract_slice %[[TERMS]][0, 0] [4, 2] [1, 1]
// CHECK-DAG: %[[HIGH:.*]] = tensor.extract_slice %[[TERMS]][0, 2] [4, 2] [1, 1]
// CHECK: %[[TWOS:.*]] = linalg.generic {{.*}} ins(%[[LOW]], %[[HIGH]] :
// CHECK: arith.addf
// CHECK: -> tensor<4x2xf32>
// CHECK: %[[ONES:.*]] = linalg.generic
// CHECK: -> tensor<4x1xf32>
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], {{.*}} ins(%[[ONES]] : {{.*}}) outs(%[[INIT]] :
// SHORT-LABEL: func @scores
// SHORT: iterator_types = ["parallel", "reduction"]
func.func @scores(%q: tensor<?x4x4xf32>, %init: tensor<4xf32>, %y: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %y) -> tensor<?x4xf32> {
    %row = tensor.extract_slice %q[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<?x4x4xf32> to tensor<4x4xf32>
    %score = linalg.generic {indexing_maps = [#both, #both, #head], iterator_types = ["parallel", "reduction"]}
        ins(%row, %row : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      %2 = arith.addf %c, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %score into %out[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    }
  }
  return %0 : tensor<?x4xf32>
}
