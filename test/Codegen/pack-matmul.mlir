// RUN: gnn-opt --gnn-pack-matmul --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-matmul="columns=16 minimum-columns=32" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-pack-matmul --gnn-lower-matmul --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=LOWERED

// Blocks of 16 rows are copied in parallel, tile by tile.
// CHECK-LABEL: func @wide
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x1024xf32>,
// CHECK: %[[E:.*]] = tensor.expand_shape %[[W]] {{.*}} into tensor<64x32x32xf32>
// CHECK: %[[P:.*]] = scf.forall (%[[K:.*]]) = (0) to (64) step (16)
// CHECK: tensor.extract_slice %[[E]][%[[K]], 0, 0] [16, 32, 32]
// CHECK: linalg.generic
// CHECK: tensor.parallel_insert_slice {{.*}}[0, %[[K]], 0] [32, 16, 32] {{.*}} into tensor<32x64x32xf32>
// CHECK: %[[U:.*]] = linalg.unpack %[[P]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32]
// CHECK: linalg.matmul ins(%[[X]], %[[U]]

// The product reads the tiles, and nothing is unpacked.
// LOWERED-LABEL: func @wide
// LOWERED: %[[P:.*]] = scf.forall
// LOWERED: vector.transfer_read %[[P]][%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : tensor<32x64x32xf32>, vector<16xf32>
// LOWERED-NOT: linalg.unpack
func.func @wide(%x: tensor<?x64xf32>, %w: tensor<64x1024xf32>,
                %init: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x1024xf32>)
    outs(%init : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// Rows of 40 columns fill no whole tiles, rows of 32 are narrow unless one says
// otherwise.
// CHECK-LABEL: func @narrow
// CHECK-NOT: linalg.unpack
// SMALL-LABEL: func @narrow
// SMALL: linalg.unpack {{.*}} inner_tiles = [16] into {{.*}} -> tensor<8x32xf32>
// SMALL-NOT: linalg.unpack
func.func @narrow(%x: tensor<?x8xf32>, %w: tensor<8x32xf32>,
                  %v: tensor<32x40xf32>, %init: tensor<?x32xf32>,
                  %last: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x32xf32>)
    outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
  %z = linalg.matmul ins(%y, %v : tensor<?x32xf32>, tensor<32x40xf32>)
    outs(%last : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %z : tensor<?x40xf32>
}

// -----

// One copy for two products.
// CHECK-LABEL: func @shared
// SMALL-LABEL: func @shared
// CHECK-COUNT-1: linalg.unpack
// CHECK-NOT: linalg.unpack
func.func @shared(%x: tensor<?x8xf32>, %w: tensor<8x1024xf32>,
                  %init: tensor<?x1024xf32>)
    -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x1024xf32>)
    outs(%init : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %z = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x1024xf32>)
    outs(%y : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %y, %z : tensor<?x1024xf32>, tensor<?x1024xf32>
}
