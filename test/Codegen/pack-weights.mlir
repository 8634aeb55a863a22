// RUN: gnn-opt --gnn-pack-weights="columns=4 minimum-columns=6" \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-weights="columns=4 minimum-columns=6" \
// RUN:   --gnn-lower-matmul="column-vectors=1 vector-width=4" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=LOWERED
// RUN: gnn-opt --gnn-pack-weights="columns=4 minimum-columns=6" \
// RUN:   --gnn-lower-matmul --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: gnn-opt --gnn-pack-weights="columns=4 rounded" --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=ROUNDED
// RUN: gnn-opt --gnn-pack-weights="columns=4 rounded depth-multiple=32" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=FILLED
// RUN: gnn-opt --gnn-pack-weights="columns=4 minimum-columns=6 sparse-features=false" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=DENSE

// Six columns are a tile of four and one of two and zeros.
// CHECK-LABEL: func @padded
// CHECK: %[[P:.*]] = arith.constant dense_resource<weight_packed> : tensor<2x2x4xf32>
// CHECK: %[[U:.*]] = linalg.unpack %[[P]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4] into %{{.*}} : tensor<2x2x4xf32> -> tensor<2x6xf32>
// CHECK: linalg.matmul ins(%{{.*}}, %[[U]]
// 1 2 3 4 | 7 8 9 10 || 5 6 0 0 | 11 12 0 0
// CHECK: weight_packed: "0x400000000000803F0000004000004040000080400000E0400000004100001041000020410000A0400000C0400000000000000000000030410000404100000000{{0+}}"

// LOWERED-LABEL: func @padded
// LOWERED: %[[P:.*]] = arith.constant dense_resource<weight_packed>
// LOWERED-NOT: linalg.unpack
// LOWERED: vector.transfer_read %[[P]][%{{.*}}, %{{.*}}, %{{.*}}], {{.*}}, vector<4xf32>
// LOWERED: vector.transfer_read %[[P]][%{{.*}}, %{{.*}}, %{{.*}}], {{.*}}, vector<2xf32>

// Tiles of another width are unpacked.
// OTHER-LABEL: func @padded
// OTHER: linalg.transpose
// OTHER-NOT: linalg.unpack
// OTHER: vector.transfer_read {{.*}} : tensor<2x6xf32>, vector<6xf32>
func.func @padded(%x: tensor<?x2xf32>, %init: tensor<?x6xf32>)
    -> tensor<?x6xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                             [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]>
    : tensor<2x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x6xf32>)
    outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// What is returned as well, what is the same everywhere, and what is narrow
// stay.
// CHECK-LABEL: func @left_alone
// CHECK-NOT: linalg.unpack
func.func @left_alone(%x: tensor<?x1xf32>, %init: tensor<?x6xf32>,
                      %narrow: tensor<?x2xf32>)
    -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x2xf32>, tensor<1x6xf32>) {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]> : tensor<1x6xf32>
  %ones = arith.constant dense<1.0> : tensor<1x6xf32>
  %v = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x1xf32>, tensor<1x6xf32>)
    outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = linalg.matmul ins(%x, %ones : tensor<?x1xf32>, tensor<1x6xf32>)
    outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  %n = linalg.matmul ins(%x, %v : tensor<?x1xf32>, tensor<1x2xf32>)
    outs(%narrow : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y, %z, %n, %w
    : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x2xf32>, tensor<1x6xf32>
}

// -----

// Rounded, whatever their width: pairs of rows, of which the last one has zeros,
// in tiles of four columns; read as float32.
// CHECK-LABEL: func @rounded
// ROUNDED-LABEL: func @rounded
// ROUNDED: %[[P:.*]] = arith.constant dense_resource<weight_pairs> : tensor<1x2x4x2xbf16>
// ROUNDED: %[[U:.*]] = linalg.unpack %[[P]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %{{.*}} : tensor<1x2x4x2xbf16> -> tensor<3x2xbf16>
// ROUNDED: %[[W:.*]] = linalg.generic {{.*}} ins(%[[U]]
// ROUNDED: arith.extf
// ROUNDED: linalg.matmul ins(%{{.*}}, %[[W]]
// 1 3 | 2 4, 1.00390625 0 | 1.01171875 0: of two as near, the even one, 1 and
// 1.015625.
// ROUNDED: weight_pairs: "0x40000000803F404000408040{{0+}}803F0000823F0000{{0+}}"
func.func @rounded(%x: tensor<?x3xf32>, %init: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0],
                             [1.00390625, 1.01171875]]> : tensor<3x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// A matrix that lists its elements is not multiplied element by element, unless
// it is to be multiplied like any other.
// CHECK-LABEL: func @sparse
// CHECK-NOT: linalg.unpack
// DENSE-LABEL: func @sparse
// DENSE: %[[U:.*]] = linalg.unpack
// DENSE: linalg.matmul ins(%{{.*}}, %[[U]]
// ROUNDED-LABEL: func @sparse
// ROUNDED-NOT: linalg.unpack
func.func @sparse(%x: !gnn.graph<csr, bipartite>, %data: tensor<?xf32>,
                  %init: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %k = arith.constant 3 : index
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                             [7.0, 8.0, 9.0, 1.0, 2.0, 3.0],
                             [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]]>
    : tensor<3x6xf32>
  %v = gnn.edges_from_tensor %x, %data
    : !gnn.graph<csr, bipartite>, tensor<?xf32> -> !gnn.edges<f32>
  %m = gnn.num_nodes dst %x : !gnn.graph<csr, bipartite>
  %all = gnn.make_graph %m, %k
    : (index, index) -> !gnn.graph<complete, bipartite>
  %s = gnn.spread_edges %v from %x to %all : !gnn.edges<f32>,
    !gnn.graph<csr, bipartite> to !gnn.graph<complete, bipartite>
  %t = gnn.edges_to_tensor %all, %s
    : !gnn.graph<complete, bipartite>, !gnn.edges<f32> -> tensor<?x?xf32>
  %dense = tensor.cast %t : tensor<?x?xf32> to tensor<?x3xf32>
  %y = linalg.matmul ins(%dense, %w : tensor<?x3xf32>, tensor<3x6xf32>)
    outs(%init : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// For matrices of 16 pairs, zeros fill the rows; what is read has none of them.
// CHECK-LABEL: func @filled
// ROUNDED-LABEL: func @filled
// FILLED-LABEL: func @filled
// FILLED: arith.constant dense_resource<weight_pairs{{.*}}> : tensor<1x16x4x2xbf16>
// FILLED: %[[U:.*]] = linalg.unpack {{.*}} -> tensor<32x2xbf16>
// FILLED: %[[S:.*]] = tensor.extract_slice %[[U]][0, 0] [3, 2] [1, 1]
// FILLED: linalg.generic {{.*}} ins(%[[S]]
func.func @filled(%x: tensor<?x3xf32>, %init: tensor<?x2xf32>)
    -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
    : tensor<3x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>)
    outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
