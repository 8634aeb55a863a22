// Factors of so many bytes meet larger blocks of rows, which are rounded at once.

// DEFINE: %{small} = row-block=16 large-row-block=48 row-tile=2 column-vectors=1 min-blocks=1
// RUN: gnn-opt --gnn-lower-rounded-products="%{small} large-factor=256" --canonicalize %s \
// RUN:   | FileCheck %s
// RUN: gnn-opt --gnn-lower-rounded-products="%{small} large-factor=257" --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func @product
// CHECK: bufferization.alloc_tensor() : tensor<48x8xbf16>
// SMALL-LABEL: func @product
// SMALL: bufferization.alloc_tensor() : tensor<16x8xbf16>
func.func @product(%x: tensor<?x8xbf16>, %w: tensor<8x16xbf16>,
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
