// Rows of 320 columns are 5 times 256 bytes apart. Lines of a column of tiles that
// is 64 bytes wide share a quarter of the sets of a cache, so that it is packed;
// those of one that is 256 bytes wide have all of them.
// RUN: gnn-opt --gnn-stage-vectorize="vector-width=16 vector-registers=32" %s \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: gnn-opt --gnn-stage-vectorize="vector-width=8 vector-registers=16" %s \
// RUN:   | FileCheck %s --check-prefix=NARROW

// WIDE-LABEL: func.func @product
// WIDE-NOT: tensor<{{[0-9]+}}x1500x{{[0-9]+}}xf32>
// WIDE: vector.transfer_read %{{.*}} : tensor<1500x320xf32>
// NARROW-LABEL: func.func @product
// NARROW: vector.transfer_read %{{.*}} : tensor<20x1500x16xf32>
func.func @product(%x: tensor<?x1500xf32>, %w: tensor<1500x320xf32>)
    -> tensor<?x320xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x1500xf32>
  %empty = tensor.empty(%n) : tensor<?x320xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x320xf32>)
    -> tensor<?x320xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x1500xf32>, tensor<1500x320xf32>)
                     outs(%init : tensor<?x320xf32>) -> tensor<?x320xf32>
  return %y : tensor<?x320xf32>
}
