// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf=two-pass-softmax --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-expand-graph-arguments --convert-gnn-to-scf \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=ONLINE
// RUN: gnn-opt --gnn-expand-graph-arguments \
// RUN:   --convert-gnn-to-scf="two-pass-softmax long-row-edges=8" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=ONLINE

#f = affine_map<(f) -> (f)>

// A loop for the maximum of a row, and one with an exponential for each value.
// CHECK-LABEL: func @simple
// CHECK: %[[MAXIMUM:.*]] = scf.for %{{.*}} = %[[BEGIN:.*]] to %[[END:.*]] step {{.*}} -> (tensor<8xf32>)
// CHECK-NOT: math.exp
// CHECK: arith.maximumf
// CHECK: %[[SHIFT:.*]] = linalg.generic {{.*}} ins(%[[MAXIMUM]] : tensor<8xf32>)
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step
// CHECK: ins(%{{.*}}, %[[SHIFT]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: return
// One loop, with a correction.
// ONLINE-LABEL: func @simple
// ONLINE: math.exp
// ONLINE: math.exp
// ONLINE: return
func.func @simple(%g: !gnn.graph<csr>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.message_aggregate [softmax] %g src(%x : tensor<?x8xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    gnn.yield %b : f32
  }
  return %y : tensor<?x8xf32>
}

// -----

#f = affine_map<(f) -> (f)>

// What takes longer is not computed twice.
// CHECK-LABEL: func @costly
// CHECK: math.tanh
// CHECK: math.exp
// CHECK: math.exp
// CHECK-NOT: math.tanh
// CHECK: return
func.func @costly(%g: !gnn.graph<csr>, %x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = gnn.message_aggregate [softmax] %g src(%x : tensor<?x8xf32>)
      {indexing_maps = [#f, #f], iterator_types = ["parallel"]}
      : !gnn.graph<csr> -> tensor<?x8xf32> {
  ^bb0(%a: f32):
    %b = math.tanh %a : f32
    gnn.yield %b : f32
  }
  return %y : tensor<?x8xf32>
}
