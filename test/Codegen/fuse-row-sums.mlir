// RUN: gnn-opt --gnn-fuse-row-sums %s | FileCheck %s

#pair = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(j, i) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(j, i) -> (j)>

// The weights of a softmax, which values are multiplied by later, and their sums.
// CHECK-DAG: #[[PAIR:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @weights
// CHECK-SAME: (%[[M:[^:]*]]: tensor<64xf32>, %[[S:[^:]*]]: tensor<?x64xf32>, %[[INIT:[^:]*]]: tensor<64xf32>)
// CHECK: %[[BOTH:.*]]:2 = linalg.generic {indexing_maps = [#[[ROW]], #[[PAIR]], #[[ROW]]], iterator_types = ["reduction", "parallel"]} ins(%[[M]] : tensor<64xf32>) outs(%[[S]], %[[INIT]] :
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[SCORE:.*]]: f32, %[[SUM:.*]]: f32)
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[SCORE]], %[[IN]]
// CHECK-NEXT: %[[W:.*]] = math.exp %[[D]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[W]]
// CHECK-NEXT: linalg.yield %[[W]], %[[NEXT]]
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @weights(%m: tensor<64xf32>, %s: tensor<?x64xf32>,
                   %init: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<64xf32>) {
  %w = linalg.generic {indexing_maps = [#row, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<64xf32>) outs(%s : tensor<?x64xf32>) {
  ^bb0(%in: f32, %score: f32):
    %d = arith.subf %score, %in : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x64xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #row],
                         iterator_types = ["reduction", "parallel"]}
      ins(%w : tensor<?x64xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<64xf32>
  return %w, %sum : tensor<?x64xf32>, tensor<64xf32>
}

// The reduction's loops are in another order.
// CHECK-LABEL: func @swapped
// CHECK: linalg.generic {indexing_maps = [#[[SWAPPED]], #[[SWAPPED]], #[[COLUMN]]], iterator_types = ["parallel", "reduction"]}
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @swapped(%x: tensor<8x4xf32>, %empty: tensor<8x4xf32>,
                   %init: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %w = linalg.generic {indexing_maps = [#pair, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %sum = linalg.generic {indexing_maps = [#swapped, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %w, %sum : tensor<8x4xf32>, tensor<4xf32>
}

// What reads the elements before they are added up would come too early.
// CHECK-LABEL: func @read_before
// CHECK-COUNT-2: linalg.generic
func.func @read_before(%x: tensor<8x4xf32>, %empty: tensor<8x4xf32>,
                       %init: tensor<4xf32>, %f: tensor<f32>) -> (f32, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %w = linalg.generic {indexing_maps = [#pair, #pair],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.mulf %in, %in : f32
    linalg.yield %e : f32
  } -> tensor<8x4xf32>
  %first = tensor.extract %w[%c0, %c0] : tensor<8x4xf32>
  %sum = linalg.generic {indexing_maps = [#pair, #row],
                         iterator_types = ["reduction", "parallel"]}
      ins(%w : tensor<8x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %out, %in : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %first, %sum : f32, tensor<4xf32>
}

// Indices are those of the loops, which have another order in the reduction.
// CHECK-LABEL: func @indices
// CHECK-COUNT-2: linalg.generic
func.func @indices(%empty: tensor<8x4xindex>, %init: tensor<4xindex>)
    -> (tensor<8x4xindex>, tensor<4xindex>) {
  %w = linalg.generic {indexing_maps = [#pair],
                       iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<8x4xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<8x4xindex>
  %sum = linalg.generic {indexing_maps = [#swapped, #column],
                         iterator_types = ["parallel", "reduction"]}
      ins(%w : tensor<8x4xindex>) outs(%init : tensor<4xindex>) {
  ^bb0(%in: index, %out: index):
    %a = arith.addi %out, %in : index
    linalg.yield %a : index
  } -> tensor<4xindex>
  return %w, %sum : tensor<8x4xindex>, tensor<4xindex>
}
