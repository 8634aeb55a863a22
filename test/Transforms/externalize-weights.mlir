// RUN: gnn-opt --gnn-externalize-weights=minimum-elements=4 %s | FileCheck %s
// RUN: gnn-opt --gnn-externalize-weights=minimum-elements=2 %s \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-externalize-weights %s | FileCheck %s --check-prefix=DEFAULT

// Weights come last, in the order of the code, with their values.
// CHECK-LABEL: func @weights
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x2xf32>,
// CHECK-SAME: %[[A:[^:]*]]: tensor<2x2xf32> {gnn.name = "weight0", gnn.weight = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>},
// CHECK-SAME: %[[B:[^:]*]]: tensor<4xi32> {gnn.name = "weight1", gnn.weight = dense<[1, 2, 3, 4]> : tensor<4xi32>})
// Splats and small constants are cheaper in the code.
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<64xf32>
// CHECK-DAG: arith.constant dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK: return %[[A]], %[[B]]

// SMALL-LABEL: func @weights
// SMALL-SAME: gnn.name = "weight2"
// SMALL-NOT: arith.constant dense<[
// SMALL: return

// DEFAULT-LABEL: func @weights
// DEFAULT-SAME: (%{{[^:]*}}: tensor<?x2xf32>)
func.func @weights(%x: tensor<?x2xf32>)
    -> (tensor<2x2xf32>, tensor<4xi32>, tensor<64xf32>, tensor<2xf32>) {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c = arith.constant dense<1.0> : tensor<64xf32>
  %d = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  return %a, %b, %c, %d
    : tensor<2x2xf32>, tensor<4xi32>, tensor<64xf32>, tensor<2xf32>
}

// Callers of a private function would have to pass them on.
// CHECK-LABEL: func private @helper()
func.func private @helper() -> tensor<4xf32> {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %a : tensor<4xf32>
}
