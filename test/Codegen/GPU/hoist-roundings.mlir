// RUN: gnn-opt --gnn-hoist-roundings %s | FileCheck %s

#ik = affine_map<(i, k) -> (i, k)>
#i = affine_map<(i, k) -> (i)>

// What all tiles read is rounded once.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>,
// CHECK: %[[ROUNDED:.*]] = linalg.generic
// CHECK-SAME: ins(%[[X]] : tensor<?x32xf32>) outs(%{{.*}} : tensor<?x32xbf16>)
// CHECK: arith.truncf
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[ROUNDED]][{{.*}}] : tensor<?x32xbf16> to tensor<16x32xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : tensor<16x32xbf16>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: bf16, %{{.*}}: f32)
// CHECK-NOT: arith.truncf
// CHECK: arith.extf %[[IN]]
func.func @rows(%x: tensor<?x32xf32>, %y: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.forall (%t) in (4) shared_outs(%out = %y) -> (tensor<4x16xf32>) {
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%s = %zero) -> (tensor<16xf32>) {
      %rows = tensor.extract_slice %x[%j, 0] [16, 32] [1, 1] : tensor<?x32xf32> to tensor<16x32xf32>
      %next = linalg.generic {indexing_maps = [#ik, #i], iterator_types = ["parallel", "reduction"]}
          ins(%rows : tensor<16x32xf32>) outs(%s : tensor<16xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.truncf %in : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.addf %acc, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%t, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<4x16xf32>
    }
  }
  return %r : tensor<4x16xf32>
}

// Its float32 elements are read, too.
// CHECK-LABEL: func @exact
// CHECK-NOT: tensor<?x32xbf16>
// CHECK: return
func.func @exact(%x: tensor<?x32xf32>, %y: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.forall (%t) in (4) shared_outs(%out = %y) -> (tensor<4x16xf32>) {
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%s = %zero) -> (tensor<16xf32>) {
      %rows = tensor.extract_slice %x[%j, 0] [16, 32] [1, 1] : tensor<?x32xf32> to tensor<16x32xf32>
      %next = linalg.generic {indexing_maps = [#ik, #i], iterator_types = ["parallel", "reduction"]}
          ins(%rows : tensor<16x32xf32>) outs(%s : tensor<16xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.truncf %in : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        %2 = arith.mulf %in, %1 : f32
        %3 = arith.addf %acc, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%t, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<4x16xf32>
    }
  }
  return %r : tensor<4x16xf32>
}

// Rounding to tf32 leaves float32.
// CHECK-LABEL: func @tf32
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>,
// CHECK: %[[ROUNDED:.*]] = linalg.generic
// CHECK-SAME: ins(%[[X]] : tensor<?x32xf32>) outs(%{{.*}} : tensor<?x32xf32>)
// CHECK: arith.andi
// CHECK: scf.forall
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[ROUNDED]]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] :
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[ACC:.*]]: f32)
// CHECK: arith.addf %[[ACC]], %[[IN]]
func.func @tf32(%x: tensor<?x32xf32>, %y: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.forall (%t) in (4) shared_outs(%out = %y) -> (tensor<4x16xf32>) {
    %sum = scf.for %j = %c0 to %n step %c16 iter_args(%s = %zero) -> (tensor<16xf32>) {
      %rows = tensor.extract_slice %x[%j, 0] [16, 32] [1, 1] : tensor<?x32xf32> to tensor<16x32xf32>
      %next = linalg.generic {indexing_maps = [#ik, #i], iterator_types = ["parallel", "reduction"]}
          ins(%rows : tensor<16x32xf32>) outs(%s : tensor<16xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %half = arith.constant 4096 : i32
        %mask = arith.constant -8192 : i32
        %bits = arith.bitcast %in : f32 to i32
        %more = arith.addi %bits, %half : i32
        %kept = arith.andi %more, %mask : i32
        %0 = arith.bitcast %kept : i32 to f32
        %isNaN = arith.cmpf uno, %in, %in : f32
        %1 = arith.select %isNaN, %in, %0 : f32
        %2 = arith.addf %acc, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %out[%t, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<4x16xf32>
    }
  }
  return %r : tensor<4x16xf32>
}
