// RUN: gnn-opt --gnn-pack-matmul --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-matmul="columns=16 minimum-columns=32" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-pack-matmul=columns=64 --gnn-lower-matmul --split-input-file %s \
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
// LOWERED: vector.transfer_read %[[P]][%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : tensor<16x64x64xf32>, vector<16xf32>
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

// -----

// What is rounded is packed in pairs of rows, however narrow, where what it is
// rounded from comes from: 40 rows make 20 pairs, eight of them an iteration.
#identity = affine_map<(i, j) -> (i, j)>
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func @rounded
// CHECK-SAME: (%{{.*}}, %[[W:.*]]: tensor<40x16xf32>
// SMALL-LABEL: func @rounded
// CHECK: bufferization.alloc_tensor() : tensor<1x20x64xbf16>
// CHECK: scf.forall (%{{.*}}) = (0) to (20) step (8)
// CHECK: %[[EVEN:.*]] = vector.transfer_read %[[W]]{{.*}} vector<16xf32>
// CHECK: arith.truncf %[[EVEN]]
// CHECK: %[[ODD:.*]] = vector.transfer_read %[[W]]{{.*}} vector<16xf32>
// CHECK: arith.truncf %[[ODD]]
// CHECK: vector.interleave
// CHECK: %[[P:.*]] = tensor.expand_shape {{.*}} output_shape [1, 20, 32, 2]
// CHECK: %[[U:.*]] = linalg.unpack %[[P]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 2] into {{.*}} -> tensor<40x16xbf16>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[U]] : tensor<?x40xbf16>, tensor<40x16xbf16>)
func.func @rounded(%x: tensor<?x40xbf16>, %w: tensor<40x16xf32>,
                   %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %empty = tensor.empty() : tensor<40x16xbf16>
  %rounded = linalg.generic
    {indexing_maps = [#identity, #identity],
     iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<40x16xf32>) outs(%empty : tensor<40x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<40x16xbf16>
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %rounded : tensor<?x40xbf16>, tensor<40x16xbf16>)
    outs(%c : tensor<?x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// Narrower factors are packed where a column of tiles shares few sets of a cache,
// rows of 1 KiB, or would stay in the first cache, 256 rows of 32 columns. Not
// where neither is so: 400 rows of 768 bytes, or where there are few columns.
// CHECK-LABEL: func @aliased
// CHECK-COUNT-2: linalg.unpack
// CHECK-NOT: linalg.unpack
// CHECK: return
func.func @aliased(%x: tensor<?x400xf32>, %w: tensor<400x256xf32>,
                   %y: tensor<?x256xf32>, %v: tensor<256x160xf32>,
                   %z: tensor<?x160xf32>, %u: tensor<400x192xf32>,
                   %t: tensor<?x192xf32>, %n: tensor<400x64xf32>,
                   %s: tensor<?x64xf32>)
    -> (tensor<?x160xf32>, tensor<?x192xf32>, tensor<?x64xf32>) {
  %a = linalg.matmul ins(%x, %w : tensor<?x400xf32>, tensor<400x256xf32>)
    outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  %b = linalg.matmul ins(%a, %v : tensor<?x256xf32>, tensor<256x160xf32>)
    outs(%z : tensor<?x160xf32>) -> tensor<?x160xf32>
  %c = linalg.matmul ins(%x, %u : tensor<?x400xf32>, tensor<400x192xf32>)
    outs(%t : tensor<?x192xf32>) -> tensor<?x192xf32>
  %d = linalg.matmul ins(%x, %n : tensor<?x400xf32>, tensor<400x64xf32>)
    outs(%s : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %b, %c, %d : tensor<?x160xf32>, tensor<?x192xf32>, tensor<?x64xf32>
}
