// RUN: gnn-opt --gnn-tile-narrow-rows %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-narrow-rows="vector-width=8" %s \
// RUN:   | FileCheck %s --check-prefix=AVX2

#n = affine_map<(n) -> (n)>
#none = affine_map<(n) -> ()>
#nh = affine_map<(n, h) -> (n, h)>

// CHECK-LABEL: func @heads
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (4) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x4xf32>)
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK: %[[INTO:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[SIZE]], %c4
// CHECK: %[[Y:.*]] = scf.if %[[WHOLE]] -> (tensor<?x4xf32>)
// CHECK: %[[FOUR:.*]] = tensor.cast %[[ROWS]] : tensor<?x4xf32> to tensor<4x4xf32>
// CHECK: %[[INTOFOUR:.*]] = tensor.cast %[[INTO]] : tensor<?x4xf32> to tensor<4x4xf32>
// CHECK: %[[RESULT:.*]] = linalg.generic {{.*}} ins(%[[FOUR]] : tensor<4x4xf32>) outs(%[[INTOFOUR]] : tensor<4x4xf32>)
// CHECK: } -> tensor<4x4xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[RESULT]] : tensor<4x4xf32> to tensor<?x4xf32>
// CHECK: scf.yield %[[CAST]]
// CHECK: } else {
// CHECK: %[[REST:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] : tensor<?x4xf32>)
// CHECK: scf.yield %[[REST]]
// CHECK: tensor.parallel_insert_slice %[[Y]] into %[[OUT]][%[[I]], 0]

// AVX2-LABEL: func @heads
// AVX2: scf.forall {{.*}} step (2)
func.func @heads(%x: tensor<?x4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = linalg.generic {indexing_maps = [#nh, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Sixteen rows of three fill three registers. A number is the same for all.
// CHECK-LABEL: func @odd
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<f32>
// CHECK: scf.forall {{.*}} step (16)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[C]] : tensor<16x3xf32>, tensor<f32>)
// AVX2-LABEL: func @odd
// AVX2: scf.forall {{.*}} step (8)
func.func @odd(%x: tensor<?x3xf32>, %c: tensor<f32>, %e: tensor<?x3xf32>)
    -> tensor<?x3xf32> {
  %y = linalg.generic {indexing_maps = [#nh, affine_map<(n, h) -> ()>, #nh],
                       iterator_types = ["parallel", "parallel"]}
    ins(%x, %c : tensor<?x3xf32>, tensor<f32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// One number for each node.
// CHECK-LABEL: func @numbers
// CHECK: scf.forall {{.*}} step (16)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<16xf32>)
func.func @numbers(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#n], iterator_types = ["parallel"]}
    outs(%x : tensor<?xf32>) {
  ^bb0(%o: f32):
    %s = math.rsqrt %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
