// Factors of so many bytes meet larger blocks of rows.

// DEFINE: %{small} = row-block=16 large-row-block=48 column-vectors=1 vector-width=8
// RUN: gnn-opt --gnn-lower-matmul="%{small} large-factor=6144" --canonicalize %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-lower-matmul="%{small} large-factor=6145" --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

// Two blocks at a time.
// CHECK-LABEL: func @product
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: arith.ceildivui %[[N]], %c96
// SMALL-LABEL: func @product
// SMALL: %[[N:.*]] = tensor.dim
// SMALL: arith.ceildivui %[[N]], %c32
func.func @product(%x: tensor<?x24xf32>, %w: tensor<24x64xf32>,
                   %init: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x64xf32>)
    outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
