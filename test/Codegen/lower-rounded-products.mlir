// RUN: gnn-opt --gnn-lower-rounded-products="dot-products row-tile=2 vector-width=16 column-vectors=1" \
// RUN:   --canonicalize --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-rounded-products="row-tile=2 vector-width=8 column-vectors=1" \
// RUN:   --canonicalize --split-input-file %s | FileCheck %s --check-prefix=FMA

// Rows of the first factor are rounded for a block; of the second factor, two
// rows are interleaved; the loop over pairs carries the sums.
// CHECK-LABEL: func @matmul
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xbf16>, %[[W:.*]]: tensor<8x16xbf16>
// CHECK: %[[EVEN:.*]] = vector.transfer_read %[[W]]
// CHECK: %[[ODD:.*]] = vector.transfer_read %[[W]]
// CHECK-DAG: %[[E:.*]] = arith.bitcast %[[EVEN]] : vector<16xbf16> to vector<16xi16>
// CHECK-DAG: %[[O:.*]] = arith.bitcast %[[ODD]] : vector<16xbf16> to vector<16xi16>
// CHECK: vector.interleave %[[E]], %[[O]] : vector<16xi16> -> vector<32xi16>
// CHECK: scf.forall ({{.*}}) step (64)
// CHECK: bufferization.alloc_tensor() : tensor<64x8xbf16>
// CHECK: vector.transfer_read %[[X]]{{.*}} vector<8xbf16>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>) {
// CHECK: %[[B:.*]] = vector.transfer_read {{.*}} : tensor<1x4x32xbf16>, vector<32xbf16>
// CHECK: %[[P:.*]] = vector.transfer_read {{.*}} : tensor<64x8xbf16>, vector<2xbf16>
// CHECK: %[[BITS:.*]] = vector.bitcast %[[P]] : vector<2xbf16> to vector<1xi32>
// CHECK: %[[PAIR:.*]] = vector.extract %[[BITS]][0]
// CHECK: %[[ALL:.*]] = vector.broadcast %[[PAIR]] : i32 to vector<16xi32>
// CHECK: %[[A:.*]] = vector.bitcast %[[ALL]] : vector<16xi32> to vector<32xbf16>
// CHECK: x86vector.avx512.dot %{{.*}}, %[[A]], %[[B]] : vector<32xbf16> -> vector<16xf32>

// Without the instruction: the odd elements, whose bits are the upper ones,
// first.
// FMA-LABEL: func @matmul
// FMA-DAG: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<8xi32>
// FMA-DAG: %[[SHIFT:.*]] = arith.constant dense<16> : vector<8xi32>
// FMA: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9_]+]] = {{.*}}) -> (vector<8xf32>, vector<8xf32>) {
// FMA: %[[A:.*]] = vector.broadcast %{{.*}} : i32 to vector<8xi32>
// FMA: %[[B:.*]] = vector.bitcast %{{.*}} : vector<16xbf16> to vector<8xi32>
// FMA: %[[A1:.*]] = arith.andi %[[A]], %[[UPPER]]
// FMA: %[[A1F:.*]] = arith.bitcast %[[A1]]
// FMA: %[[B1:.*]] = arith.andi %[[B]], %[[UPPER]]
// FMA: %[[B1F:.*]] = arith.bitcast %[[B1]]
// FMA: %[[S1:.*]] = vector.fma %[[A1F]], %[[B1F]], %[[SUM]]
// FMA: %[[A0:.*]] = arith.shli %[[A]], %[[SHIFT]]
// FMA: %[[A0F:.*]] = arith.bitcast %[[A0]]
// FMA: %[[B0:.*]] = arith.shli %[[B]], %[[SHIFT]]
// FMA: %[[B0F:.*]] = arith.bitcast %[[B0]]
// FMA: vector.fma %[[A0F]], %[[B0F]], %[[S1]]
// FMA-NOT: x86vector
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @matmul(%x: tensor<?x8xbf16>, %w: tensor<8x16xbf16>,
                  %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x8xbf16>, tensor<8x16xbf16>)
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

// Three elements are two pairs, of which the last one has a zero; what is
// rounded is read as it was before; a vector of three columns has room for
// more.
// CHECK-LABEL: func @odd
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[PAIRS:.*]]: tensor<1x2x16x2xbf16>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<1xbf16>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[PAIRS]] {{\[\[}}0], [1], [2, 3]] : tensor<1x2x16x2xbf16> into tensor<1x2x32xbf16>
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[X]]{{.*}} : tensor<?x3xf32>, vector<3xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[ROW]] : vector<3xf32> to vector<3xbf16>
// CHECK: vector.transfer_write %[[ROUNDED]], {{.*}} : vector<3xbf16>, tensor<64x4xbf16>
// CHECK: vector.transfer_write %[[ZERO]], {{.*}} : vector<1xbf16>, tensor<64x4xbf16>
// CHECK: vector.transfer_read %[[FLAT]]{{.*}} vector<32xbf16>
// CHECK: vector.extract_strided_slice {{.*}} : vector<16xf32> to vector<3xf32>
// CHECK-NOT: linalg
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
#identity = affine_map<(i, j) -> (i, j)>
func.func @odd(%x: tensor<?x3xf32>, %pairs: tensor<1x2x16x2xbf16>,
               %c: tensor<?x3xf32>, %rounded: tensor<?x3xbf16>,
               %unpacked: tensor<3x3xbf16>) -> tensor<?x3xf32> {
  %x16 = linalg.generic
    {indexing_maps = [#identity, #identity],
     iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x3xf32>) outs(%rounded : tensor<?x3xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x3xbf16>
  %w = linalg.unpack %pairs outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
    inner_tiles = [16, 2] into %unpacked
    : tensor<1x2x16x2xbf16> -> tensor<3x3xbf16>
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x16, %w : tensor<?x3xbf16>, tensor<3x3xbf16>)
    outs(%c : tensor<?x3xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// A sum of unknown length, of a transposed factor: 64 rows of both at a time,
// whose sums go on.
// CHECK-LABEL: func @transposed
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xbf16>, %[[W:.*]]: tensor<?x16xbf16>, %[[C:.*]]: tensor<4x16xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64 iter_args(%{{.*}} = %[[C]])
// CHECK: bufferization.alloc_tensor() : tensor<1x32x32xbf16>
// CHECK: vector.transfer_read %[[W]]
// CHECK: vector.interleave {{.*}} : vector<16xi16> -> vector<32xi16>
// CHECK: bufferization.alloc_tensor() : tensor<1x32x8xbf16>
// CHECK: vector.transfer_read %[[X]]
// CHECK: vector.interleave {{.*}} : vector<4xi16> -> vector<8xi16>
// CHECK: vector.transfer_read {{.*}} : tensor<4x16xf32>, vector<16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>) {
// CHECK: vector.transfer_read {{.*}} : tensor<1x32x8xbf16>, vector<2xbf16>
#x = affine_map<(i, j, k) -> (k, i)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @transposed(%x: tensor<?x4xbf16>, %w: tensor<?x16xbf16>,
                      %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x4xbf16>, tensor<?x16xbf16>)
    outs(%c : tensor<4x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// Products of float32 are gnn-lower-matmul's.
// CHECK-LABEL: func @float32
// CHECK: linalg.matmul
func.func @float32(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>,
                   %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
    outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
