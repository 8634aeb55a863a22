// Rows of 192 columns, 768 bytes, 400 of which have 51,200 bytes in a column of
// tiles: why they are packed, and why not.

// RUN: gnn-opt --gnn-pack-matmul=wide-columns=192 %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-matmul=aliased-bytes=768 %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-matmul=near-bytes=51200 %s | FileCheck %s
// RUN: gnn-opt --gnn-pack-matmul="wide-columns=193 aliased-bytes=769 near-bytes=51199" %s \
// RUN:   | FileCheck %s --check-prefix=LEFT

// CHECK-LABEL: func @product
// CHECK: linalg.unpack
// LEFT-LABEL: func @product
// LEFT-NOT: linalg.unpack
// LEFT: return
func.func @product(%x: tensor<?x400xf32>, %w: tensor<400x192xf32>,
                   %init: tensor<?x192xf32>) -> tensor<?x192xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x400xf32>, tensor<400x192xf32>)
    outs(%init : tensor<?x192xf32>) -> tensor<?x192xf32>
  return %y : tensor<?x192xf32>
}
