// RUN: gnn-opt --gnn-lower-matmul --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-matmul=mix-tiles=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=ONE

// Rows of a block in pairs: where a pair or two are left of tiles of six, tiles of
// four are last, two for one pair and one for two. Blocks of fewer than six rows
// have one of four, or none.
// CHECK-LABEL: func @panels(
// CHECK: scf.forall
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: scf.for %{{.*}} = %{{.*}} to %c128{{.*}} step %c64
// CHECK: %[[PAIRS:.*]] = arith.ceildivui %[[ROWS]], %c2
// CHECK: %[[TWICE:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK: %[[NUM_SMALL:.*]] = arith.remui %[[TWICE]], %c3
// CHECK: %[[OF_SMALL:.*]] = arith.muli %[[NUM_SMALL]], %c4
// CHECK: %[[ALL:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK: %[[OF_LARGE:.*]] = arith.subi %[[ALL]], %[[OF_SMALL]]
// CHECK: %[[LARGE:.*]] = arith.select %{{.*}}, %[[OF_LARGE]], %c0
// CHECK: %[[WHOLE:.*]] = arith.minui %[[LARGE]], %[[ROWS]]
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %[[WHOLE]] step %c6
// CHECK: arith.minui %[[R]], %{{.*}} : index
// CHECK: %[[FEW:.*]] = arith.select %{{.*}}, %c4{{.*}}, %c0
// CHECK: %[[END:.*]] = arith.select %{{.*}}, %[[ROWS]], %[[FEW]]
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END]] step %c4
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c2
// CHECK: scf.for %{{.*}} to %[[ROWS]] step %c1

// ONE-LABEL: func @panels(
// ONE: step %c6
// ONE-NOT: step %c4
func.func @panels(%x: tensor<?x24xf32>, %w: tensor<24x128xf32>,
                 %empty: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x128xf32>)
    outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// -----

// Columns of one panel have one size of tiles.
// CHECK-LABEL: func @one_panel(
// CHECK: step %c6
// CHECK-NOT: step %c4
func.func @one_panel(%x: tensor<?x24xf32>, %w: tensor<24x64xf32>,
                 %empty: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// Nothing is added twice to what is there.
// CHECK-LABEL: func @adds(
// CHECK: step %c6
// CHECK-NOT: step %c4
func.func @adds(%x: tensor<?x24xf32>, %w: tensor<24x128xf32>,
                %init: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x128xf32>)
    outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}
