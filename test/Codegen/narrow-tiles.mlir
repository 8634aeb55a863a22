// RUN: gnn-opt --gnn-pack-matmul="columns=64 narrow-columns=48 minimum-columns=96" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=PACKED
// RUN: gnn-opt --gnn-pack-matmul="columns=64 narrow-columns=48 minimum-columns=96" \
// RUN:   --gnn-lower-matmul="column-vectors=4 narrow-vectors=3" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=LOWERED
// RUN: gnn-opt --gnn-pack-weights="columns=4 narrow-columns=3 minimum-columns=6" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=WEIGHTS
// RUN: gnn-opt --gnn-pack-weights="columns=4 minimum-columns=6" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=WIDE

// 96 columns are two tiles of 48, of three vectors, which leave accumulators for
// eight rows.
// PACKED-LABEL: func @two_narrow_tiles
// PACKED: linalg.unpack {{.*}} inner_tiles = [48] into {{.*}} : tensor<2x64x48xf32> -> tensor<64x96xf32>
// LOWERED-LABEL: func @two_narrow_tiles
// LOWERED: scf.for %{{.*}} = %{{.*}} to %c96{{.*}} step %c48
// LOWERED: scf.for %{{.*}} step %c8
// LOWERED: scf.for
// LOWERED-COUNT-3: vector.transfer_read %{{.*}} : tensor<2x64x48xf32>, vector<16xf32>
// LOWERED-NOT: vector.transfer_read
// LOWERED-COUNT-24: vector.fma
// LOWERED-NOT: vector.fma
// LOWERED: scf.yield
// LOWERED-NOT: linalg.unpack
// WEIGHTS-LABEL: func @two_narrow_tiles
// WIDE-LABEL: func @two_narrow_tiles
func.func @two_narrow_tiles(%x: tensor<?x64xf32>, %w: tensor<64x96xf32>,
                            %empty: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>)
    outs(%init : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// -----

// Of 128 columns narrow tiles leave some: tiles are wide.
// PACKED-LABEL: func @wide_tiles
// PACKED: linalg.unpack {{.*}} inner_tiles = [64] into {{.*}} : tensor<2x64x64xf32> -> tensor<64x128xf32>
// LOWERED-LABEL: func @wide_tiles
// LOWERED: scf.for %{{.*}} = %{{.*}} to %c128{{.*}} step %c64
// LOWERED: scf.for %{{.*}} step %c6
// LOWERED: vector.transfer_read %{{.*}} : tensor<2x64x64xf32>, vector<16xf32>
// LOWERED-NOT: linalg.unpack
// WEIGHTS-LABEL: func @wide_tiles
// WIDE-LABEL: func @wide_tiles
func.func @wide_tiles(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>,
                      %empty: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32)
    outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>)
    outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// Six columns are two tiles of three, with nothing between them, where the wide
// ones would end in zeros.
// PACKED-LABEL: func @weights
// LOWERED-LABEL: func @weights
// WEIGHTS-LABEL: func @weights
// WEIGHTS: linalg.unpack {{.*}} inner_tiles = [3] into {{.*}} : tensor<2x2x3xf32> -> tensor<2x6xf32>
// 1 2 3 | 7 8 9 || 4 5 6 | 10 11 12
// WEIGHTS: weight_packed: "0x400000000000803F00000040000040400000E0400000004100001041000080400000A0400000C040000020410000304100004041"
// WIDE-LABEL: func @weights
// WIDE: linalg.unpack {{.*}} inner_tiles = [4] into {{.*}} : tensor<2x2x4xf32> -> tensor<2x6xf32>
func.func @weights(%x: tensor<?x2xf32>, %init: tensor<?x6xf32>)
    -> tensor<?x6xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                             [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]>
    : tensor<2x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x6xf32>)
    outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}
