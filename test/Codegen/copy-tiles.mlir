// RUN: gnn-opt --gnn-copy-tiles --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-copy-tiles=max-elements=1023 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=FEW

#size = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Rows of one head, 128 elements apart: in each step, 64 of them at most, which four
// products take in turns.
// CHECK-LABEL: func @heads
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [%[[SIZE:.*]], 16]
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor() : tensor<64x16xf32>
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[MEMORY]][0, 0] [%{{.*}}, 16]
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[TILE]] : tensor<?x16xf32>) outs(%[[PLACE]] : tensor<?x16xf32>)
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%[[COPY]], %{{.*}} : tensor<?x16xf32>, tensor<16x64xf32>)
// FEW-LABEL: func @heads
// FEW-NOT: linalg.copy
// FEW: return
func.func @heads(%k: tensor<?x8x16xf32>, %h: index, %n: index,
                 %qs: tensor<4x16x64xf32>, %init: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %head = tensor.extract_slice %k[0, %h, 0] [%n, 1, 16] [1, 1, 1]
    : tensor<?x8x16xf32> to tensor<?x16xf32>
  %y = scf.for %j = %c0 to %n step %c64 iter_args(%y = %init)
      -> (tensor<64x64xf32>) {
    %size = affine.min #size(%j)[%n]
    %tile = tensor.extract_slice %head[%j, 0] [%size, 16] [1, 1]
      : tensor<?x16xf32> to tensor<?x16xf32>
    %z = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %y)
        -> (tensor<64x64xf32>) {
      %q = tensor.extract_slice %qs[%i, 0, 0] [1, 16, 64] [1, 1, 1]
        : tensor<4x16x64xf32> to tensor<16x64xf32>
      %place = tensor.extract_slice %z[0, 0] [%size, 64] [1, 1]
        : tensor<64x64xf32> to tensor<?x64xf32>
      %s = linalg.generic {indexing_maps = [#a, #b, #c],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%tile, %q : tensor<?x16xf32>, tensor<16x64xf32>)
          outs(%place : tensor<?x64xf32>) {
      ^bb0(%x: f32, %w: f32, %sum: f32):
        %p = arith.mulf %x, %w : f32
        %r = arith.addf %sum, %p : f32
        linalg.yield %r : f32
      } -> tensor<?x64xf32>
      %next = tensor.insert_slice %s into %z[0, 0] [%size, 64] [1, 1]
        : tensor<?x64xf32> into tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %z : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

#size = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// Rows that one product takes are read where they are.
// CHECK-LABEL: func @one_product
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @one_product(%k: tensor<?x8x16xf32>, %h: index, %n: index,
                       %q: tensor<16x64xf32>, %init: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %head = tensor.extract_slice %k[0, %h, 0] [%n, 1, 16] [1, 1, 1]
    : tensor<?x8x16xf32> to tensor<?x16xf32>
  %y = scf.for %j = %c0 to %n step %c64 iter_args(%y = %init)
      -> (tensor<64x64xf32>) {
    %size = affine.min #size(%j)[%n]
    %tile = tensor.extract_slice %head[%j, 0] [%size, 16] [1, 1]
      : tensor<?x16xf32> to tensor<?x16xf32>
    %place = tensor.extract_slice %y[0, 0] [%size, 64] [1, 1]
      : tensor<64x64xf32> to tensor<?x64xf32>
    %s = linalg.generic {indexing_maps = [#a, #b, #c],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%tile, %q : tensor<?x16xf32>, tensor<16x64xf32>)
        outs(%place : tensor<?x64xf32>) {
    ^bb0(%x: f32, %w: f32, %sum: f32):
      %p = arith.mulf %x, %w : f32
      %r = arith.addf %sum, %p : f32
      linalg.yield %r : f32
    } -> tensor<?x64xf32>
    %next = tensor.insert_slice %s into %y[0, 0] [%size, 64] [1, 1]
      : tensor<?x64xf32> into tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

#size = affine_map<(d0)[s0] -> (-d0 + s0, 64)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// So are rows that are next to each other.
// CHECK-LABEL: func @rows
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @rows(%k: tensor<?x16xf32>, %n: index, %qs: tensor<4x16x64xf32>,
                %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %y = scf.for %j = %c0 to %n step %c64 iter_args(%y = %init)
      -> (tensor<64x64xf32>) {
    %size = affine.min #size(%j)[%n]
    %tile = tensor.extract_slice %k[%j, 0] [%size, 16] [1, 1]
      : tensor<?x16xf32> to tensor<?x16xf32>
    %z = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %y)
        -> (tensor<64x64xf32>) {
      %q = tensor.extract_slice %qs[%i, 0, 0] [1, 16, 64] [1, 1, 1]
        : tensor<4x16x64xf32> to tensor<16x64xf32>
      %place = tensor.extract_slice %z[0, 0] [%size, 64] [1, 1]
        : tensor<64x64xf32> to tensor<?x64xf32>
      %s = linalg.generic {indexing_maps = [#a, #b, #c],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%tile, %q : tensor<?x16xf32>, tensor<16x64xf32>)
          outs(%place : tensor<?x64xf32>) {
      ^bb0(%x: f32, %w: f32, %sum: f32):
        %p = arith.mulf %x, %w : f32
        %r = arith.addf %sum, %p : f32
        linalg.yield %r : f32
      } -> tensor<?x64xf32>
      %next = tensor.insert_slice %s into %z[0, 0] [%size, 64] [1, 1]
        : tensor<?x64xf32> into tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %z : tensor<64x64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// So are rows that no loop reads again.
// CHECK-LABEL: func @once
// CHECK-NOT: linalg.copy
// CHECK: return
func.func @once(%k: tensor<?x8x16xf32>, %h: index, %q: tensor<16x64xf32>,
                %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %tile = tensor.extract_slice %k[0, %h, 0] [64, 1, 16] [1, 1, 1]
    : tensor<?x8x16xf32> to tensor<64x16xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%tile, %q : tensor<64x16xf32>, tensor<16x64xf32>)
      outs(%init : tensor<64x64xf32>) {
  ^bb0(%x: f32, %w: f32, %sum: f32):
    %p = arith.mulf %x, %w : f32
    %r = arith.addf %sum, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
