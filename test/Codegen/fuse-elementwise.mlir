// RUN: gnn-opt --gnn-fuse-elementwise %s | FileCheck %s
// RUN: gnn-opt --gnn-fuse-elementwise=repeat-costly %s \
// RUN:   | FileCheck %s --check-prefix=ALL

#hf = affine_map<(h, f) -> (h, f)>
#h = affine_map<(h, f) -> (h)>
#id = affine_map<(h) -> (h)>

// One division for each head, not for each feature.
// CHECK-LABEL: func @division
// CHECK: %[[INVERSE:.*]] = linalg.generic
// CHECK:   arith.divf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[INVERSE]]
// CHECK-NOT: arith.divf
// CHECK: return
// ALL-LABEL: func @division
// ALL: linalg.generic
// ALL:   arith.divf
// ALL:   arith.mulf
// ALL-NOT: linalg.generic
// ALL: return
func.func @division(%sum: tensor<4xf32>, %x: tensor<4x32xf32>)
    -> tensor<4x32xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%s: f32, %o: f32):
    %d = arith.divf %one, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#hf, #h, #hf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %i : tensor<4x32xf32>, tensor<4xf32>)
      outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// Nothing is computed twice here.
// CHECK-LABEL: func @once
// CHECK: linalg.generic
// CHECK:   math.exp
// CHECK:   arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @once(%x: tensor<4x32xf32>, %z: tensor<4x32xf32>)
    -> tensor<4x32xf32> {
  %f = tensor.empty() : tensor<4x32xf32>
  %i = linalg.generic {indexing_maps = [#hf, #hf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x32xf32>) outs(%f : tensor<4x32xf32>) {
  ^bb0(%s: f32, %o: f32):
    %d = math.exp %s : f32
    linalg.yield %d : f32
  } -> tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#hf, #hf, #hf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%z, %i : tensor<4x32xf32>, tensor<4x32xf32>)
      outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A sum is as fast as reading one.
// CHECK-LABEL: func @cheap
// CHECK: linalg.generic
// CHECK:   arith.addf
// CHECK:   arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @cheap(%sum: tensor<4xf32>, %x: tensor<4x32xf32>)
    -> tensor<4x32xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%s: f32, %o: f32):
    %d = arith.addf %one, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#hf, #h, #hf],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %i : tensor<4x32xf32>, tensor<4xf32>)
      outs(%f : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A sum is halved where it was stored, so not for each element that it meets: the
// second one would meet a quarter.
// CHECK-LABEL: func @in_place
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} outs(%[[SUM:.*]] : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT:   arith.mulf %[[A]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[MEAN]] : tensor<4x32xf32>, tensor<4xf32>)
// ALL-LABEL: func @in_place
// ALL-COUNT-2: linalg.generic
func.func @in_place(%sum: tensor<4xf32>, %x: tensor<4x32xf32>) -> tensor<4xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %mean = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%sum : tensor<4xf32>) {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %half : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#hf, #h, #h],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<4x32xf32>, tensor<4xf32>)
      outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.addf %o, %d : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
