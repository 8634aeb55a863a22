// RUN: gnn-opt --gnn-tile-products --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-products=max-tile=16 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

// Rows of 128 and columns of 128, of which the last ones are fewer.
// CHECK-LABEL: func @wide
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64x200xf32>
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, 200) step (128, 128) shared_outs(%[[OUT:.*]] = %{{.*}})
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.extract_slice %[[W]][0, %[[J]]]
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[TILE:.*]] = linalg.matmul ins(%[[ROWS]], %[[COLUMNS]] : {{.*}}) outs(%[[ZERO]]
// CHECK: tensor.parallel_insert_slice %[[TILE]] into %[[OUT]][%[[I]], %[[J]]]
// CHECK-NOT: linalg.matmul

// SMALL-LABEL: func @wide
// SMALL: scf.forall {{.*}} step (16, 16)
func.func @wide(%x: tensor<?x64xf32>, %w: tensor<64x200xf32>, %n: index) -> tensor<?x200xf32> {
  %cst = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x200xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x200xf32>) -> tensor<?x200xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x200xf32>)
    outs(%zero : tensor<?x200xf32>) -> tensor<?x200xf32>
  return %y : tensor<?x200xf32>
}

// -----

// Few columns belong to one tile; it has fewer rows then. What computes a
// factor stays where it is.
#row = affine_map<(i, j, k) -> (i, k)>
#column = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#identity = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @narrow
// CHECK: %[[X:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x32xbf16>)
// CHECK: scf.forall (%[[I:.*]], %{{.*}}) = (0, 0) to (%{{.*}}, 20) step (64, 32)
// CHECK: tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-NOT: truncf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
func.func @narrow(%x: tensor<?x32xf32>, %w: tensor<32x20xbf16>, %n: index) -> tensor<?x20xf32> {
  %cst = arith.constant 0.0 : f32
  %bits = tensor.empty(%n) : tensor<?x32xbf16>
  %rounded = linalg.generic
    {indexing_maps = [#identity, #identity], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<?x32xf32>) outs(%bits : tensor<?x32xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x32xbf16>
  %empty = tensor.empty(%n) : tensor<?x20xf32>
  %zero = linalg.fill ins(%cst : f32) outs(%empty : tensor<?x20xf32>) -> tensor<?x20xf32>
  %y = linalg.generic
    {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%rounded, %w : tensor<?x32xbf16>, tensor<32x20xbf16>) outs(%zero : tensor<?x20xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}

// -----

// Not worth it: few columns, few terms; and a sum that goes on.
// CHECK-LABEL: func @others
// CHECK-NOT: scf.forall
func.func @others(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %u: tensor<?x8xf32>,
                  %v: tensor<8x64xf32>, %z: tensor<64x64xf32>, %init: tensor<?x64xf32>, %n: index)
    -> (tensor<?x8xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %cst = arith.constant 0.0 : f32
  %e0 = tensor.empty(%n) : tensor<?x8xf32>
  %z0 = linalg.fill ins(%cst : f32) outs(%e0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x8xf32>)
    outs(%z0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %e1 = tensor.empty(%n) : tensor<?x64xf32>
  %z1 = linalg.fill ins(%cst : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.matmul ins(%u, %v : tensor<?x8xf32>, tensor<8x64xf32>)
    outs(%z1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = linalg.matmul ins(%x, %z : tensor<?x64xf32>, tensor<64x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1, %2 : tensor<?x8xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
