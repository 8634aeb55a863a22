// RUN: gnn-opt --gnn-tile-row-reductions --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-tile-row-reductions=max-elements=63 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NARROW

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// A mean, and what is left of a row without it: one loop, in which neither is read
// from memory.
// CHECK-LABEL: func @centre
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<64xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x64xf32>
// CHECK: %[[Y:.*]] = scf.forall (%[[I:.*]]) in (%[[N]]) shared_outs(%[[OUT:.*]] = %[[EMPTY]])
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 64] [1, 1]
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<1xf32>
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[ROW]] : tensor<1x64xf32>) outs(%[[ZERO]] : tensor<1xf32>)
// CHECK: %[[DONE:.*]] = linalg.generic {{.*}} ins(%[[ROW]], %[[MEAN]], %[[W]] :
// CHECK: tensor.parallel_insert_slice %[[DONE]] into %[[OUT]][%[[I]], 0] [1, 64] [1, 1]
// CHECK-NOT: linalg
// CHECK: return %[[Y]]
// NARROW-LABEL: func @centre
// NARROW-NOT: scf.forall
func.func @centre(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %part = arith.constant 0.015625 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %mean = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %part : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %rows = tensor.empty(%n) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %w : tensor<?x64xf32>, tensor<?xf32>, tensor<64xf32>) outs(%rows : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %0 = arith.subf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What something else reads as well, here exponentials, stays an op of its own; the
// loops before and after it read and write it.
// CHECK-LABEL: func @shared
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>)
// CHECK: %[[EXP:.*]] = scf.forall
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: %[[Y:.*]] = scf.forall
// CHECK: tensor.extract_slice %[[EXP]]
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: return %[[Y]], %[[EXP]]
func.func @shared(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %rows = tensor.empty(%n) : tensor<?x64xf32>
  %lowest = linalg.fill ins(%least : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf32>) outs(%lowest : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x64xf32>, tensor<?xf32>) outs(%rows : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x64xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x64xf32>, tensor<?xf32>) outs(%rows : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x64xf32>
  return %y, %exp : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Products by weights, sums over all rows, and rows without a sum are for others.
// CHECK-LABEL: func @others
// CHECK-NOT: scf.forall
// CHECK: return
func.func @others(%x: tensor<?x64xf32>, %w: tensor<64x4xf32>, %p: tensor<?x4xf32>, %s: tensor<64xf32>)
    -> (tensor<?x4xf32>, tensor<64xf32>, tensor<?x64xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x4xf32>) outs(%p : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<?x64xf32>) outs(%s : tensor<64xf32>) dimensions = [0]
  %2 = linalg.exp ins(%x : tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<64xf32>, tensor<?x64xf32>
}
