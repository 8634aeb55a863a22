// RUN: gnn-opt --gnn-lower-rounded-products %s | FileCheck %s
// RUN: gnn-opt --gnn-lower-rounded-products=mix-tiles=false %s \
// RUN:   | FileCheck %s --check-prefix=ONE

// Rows of a block that fill no tile of eight are fewer with tiles of six as well,
// where there are several panels of columns.
// CHECK-LABEL: func @panels(
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: scf.for %{{.*}} = %{{.*}} to %c64{{.*}} step %c32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[WHOLE:.*]] step %c8
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[END:.*]] step %c6
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c2
// CHECK: scf.for %{{.*}} to %[[ROWS]] step %c1

// ONE-LABEL: func @panels(
// ONE: step %c8
// ONE-NOT: step %c6
// ONE: step %c2
#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>
func.func @panels(%x: tensor<?x24xbf16>, %w: tensor<24x64xbf16>,
                  %empty: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.generic
    {indexing_maps = [#x, #w, #y],
     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<?x24xbf16>, tensor<24x64xbf16>)
    outs(%init : tensor<?x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %l = arith.extf %a : bf16 to f32
    %r = arith.extf %b : bf16 to f32
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
