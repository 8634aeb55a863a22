// RUN: gnn-opt --gnn-pack-matmul %s | FileCheck %s

// Tiles of an array that an inner loop goes through are packed before the loop around
// it; others where they are.

#identity = affine_map<(k, j) -> (k, j)>
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @inner(
// CHECK-SAME: %{{.*}}: tensor<?x40xbf16>, %[[W:.*]]: tensor<8x40x16xf32>, %{{.*}}: tensor<?x16xf32>, %{{.*}}: index, %[[M:.*]]: index)
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<8x1x20x64xbf16>
// CHECK: %[[ALL:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[M]] step %[[STEP:.*]] iter_args(%[[INTO:.*]] = %[[MEMORY]])
// CHECK: %[[PLACE:.*]] = arith.divui %[[I]], %[[STEP]]
// CHECK: %[[FROM:.*]] = tensor.extract_slice %[[W]][%[[PLACE]], 0, 0] [1, 40, 16]
// CHECK: tensor.extract_slice %[[INTO]][%[[PLACE]], 0, 0, 0] [1, 1, 20, 64]
// CHECK: vector.transfer_read %[[FROM]]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %{{.*}} into %[[INTO]][%[[PLACE]], 0, 0, 0]
// CHECK: scf.yield %[[NEXT]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[HERE:.*]] = arith.divui
// CHECK-NOT: arith.truncf
// CHECK: %[[TILE:.*]] = tensor.extract_slice %[[ALL]][%[[HERE]], 0, 0, 0] [1, 1, 20, 64] [1, 1, 1, 1] : tensor<8x1x20x64xbf16> to tensor<1x20x64xbf16>
// CHECK: %[[PAIRS:.*]] = tensor.expand_shape %[[TILE]] {{.*}} output_shape [1, 20, 32, 2]
// CHECK: %[[B:.*]] = linalg.unpack %[[PAIRS]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[B]] : tensor<?x40xbf16>, tensor<40x16xbf16>)
func.func @inner(%x: tensor<?x40xbf16>, %w: tensor<8x40x16xf32>, %c: tensor<?x16xf32>,
                 %n: index, %m: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c) -> (tensor<?x16xf32>) {
    %some = scf.for %j = %c0 to %m step %c64 iter_args(%inner = %outer) -> (tensor<?x16xf32>) {
      %place = arith.divui %j, %c64 : index
      %tile = tensor.extract_slice %w[%place, 0, 0] [1, 40, 16] [1, 1, 1] : tensor<8x40x16xf32> to tensor<40x16xf32>
      %empty = tensor.empty() : tensor<40x16xbf16>
      %rounded = linalg.generic
        {indexing_maps = [#identity, #identity],
         iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<40x16xf32>) outs(%empty : tensor<40x16xbf16>) {
      ^bb0(%a: f32, %b: bf16):
        %t = arith.truncf %a : f32 to bf16
        linalg.yield %t : bf16
      } -> tensor<40x16xbf16>
      %y = linalg.generic
        {indexing_maps = [#x, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %rounded : tensor<?x40xbf16>, tensor<40x16xbf16>)
        outs(%inner : tensor<?x16xf32>) {
      ^bb0(%a: bf16, %b: bf16, %s: f32):
        %l = arith.extf %a : bf16 to f32
        %r = arith.extf %b : bf16 to f32
        %p = arith.mulf %l, %r : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?x16xf32>
      scf.yield %y : tensor<?x16xf32>
    }
    scf.yield %some : tensor<?x16xf32>
  }
  return %all : tensor<?x16xf32>
}

// Each iteration of the outer loop has another one.
// CHECK-LABEL: func.func @outer(
// CHECK-NOT: alloc_tensor() : tensor<8x
// CHECK: scf.for
// CHECK: scf.for
// CHECK: bufferization.alloc_tensor() : tensor<1x20x64xbf16>
func.func @outer(%x: tensor<?x40xbf16>, %w: tensor<8x40x16xf32>, %c: tensor<?x16xf32>,
                 %n: index, %m: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c) -> (tensor<?x16xf32>) {
    %some = scf.for %j = %c0 to %m step %c64 iter_args(%inner = %outer) -> (tensor<?x16xf32>) {
      %place = arith.divui %i, %c64 : index
      %tile = tensor.extract_slice %w[%place, 0, 0] [1, 40, 16] [1, 1, 1] : tensor<8x40x16xf32> to tensor<40x16xf32>
      %empty = tensor.empty() : tensor<40x16xbf16>
      %rounded = linalg.generic
        {indexing_maps = [#identity, #identity],
         iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<40x16xf32>) outs(%empty : tensor<40x16xbf16>) {
      ^bb0(%a: f32, %b: bf16):
        %t = arith.truncf %a : f32 to bf16
        linalg.yield %t : bf16
      } -> tensor<40x16xbf16>
      %y = linalg.generic
        {indexing_maps = [#x, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %rounded : tensor<?x40xbf16>, tensor<40x16xbf16>)
        outs(%inner : tensor<?x16xf32>) {
      ^bb0(%a: bf16, %b: bf16, %s: f32):
        %l = arith.extf %a : bf16 to f32
        %r = arith.extf %b : bf16 to f32
        %p = arith.mulf %l, %r : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?x16xf32>
      scf.yield %y : tensor<?x16xf32>
    }
    scf.yield %some : tensor<?x16xf32>
  }
  return %all : tensor<?x16xf32>
}

// How many there are, the outer loop decides.
// CHECK-LABEL: func.func @bounds(
// CHECK-NOT: alloc_tensor() : tensor<8x
// CHECK: scf.for
// CHECK: scf.for
// CHECK: bufferization.alloc_tensor() : tensor<1x20x64xbf16>
func.func @bounds(%x: tensor<?x40xbf16>, %w: tensor<8x40x16xf32>, %c: tensor<?x16xf32>,
                 %n: index, %m: index) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c) -> (tensor<?x16xf32>) {
    %some = scf.for %j = %c0 to %i step %c64 iter_args(%inner = %outer) -> (tensor<?x16xf32>) {
      %place = arith.divui %j, %c64 : index
      %tile = tensor.extract_slice %w[%place, 0, 0] [1, 40, 16] [1, 1, 1] : tensor<8x40x16xf32> to tensor<40x16xf32>
      %empty = tensor.empty() : tensor<40x16xbf16>
      %rounded = linalg.generic
        {indexing_maps = [#identity, #identity],
         iterator_types = ["parallel", "parallel"]}
        ins(%tile : tensor<40x16xf32>) outs(%empty : tensor<40x16xbf16>) {
      ^bb0(%a: f32, %b: bf16):
        %t = arith.truncf %a : f32 to bf16
        linalg.yield %t : bf16
      } -> tensor<40x16xbf16>
      %y = linalg.generic
        {indexing_maps = [#x, #w, #y],
         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %rounded : tensor<?x40xbf16>, tensor<40x16xbf16>)
        outs(%inner : tensor<?x16xf32>) {
      ^bb0(%a: bf16, %b: bf16, %s: f32):
        %l = arith.extf %a : bf16 to f32
        %r = arith.extf %b : bf16 to f32
        %p = arith.mulf %l, %r : f32
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      } -> tensor<?x16xf32>
      scf.yield %y : tensor<?x16xf32>
    }
    scf.yield %some : tensor<?x16xf32>
  }
  return %all : tensor<?x16xf32>
}
