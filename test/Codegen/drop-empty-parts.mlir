// RUN: gnn-opt %s --pass-pipeline='builtin.module(func.func(gnn-drop-empty-parts))' | FileCheck %s

// Slices would be made of all parts, and that of the last one begin behind the end.
// CHECK-LABEL: func @empty_parts
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[N:.*]]: tensor<?x0xf32>, %[[Y:.*]]: tensor<?x3xf32>)
// CHECK-NEXT: %[[C:.*]] = tensor.concat dim(1) %[[X]], %[[Y]] :
// CHECK-NEXT: return %[[C]], %[[X]]
func.func @empty_parts(%x: tensor<?x4xf32>, %n: tensor<?x0xf32>,
                       %y: tensor<?x3xf32>) -> (tensor<?x7xf32>, tensor<?x4xf32>) {
  %0 = tensor.concat dim(1) %x, %n, %y, %n
    : (tensor<?x4xf32>, tensor<?x0xf32>, tensor<?x3xf32>, tensor<?x0xf32>)
    -> tensor<?x7xf32>
  %1 = tensor.concat dim(1) %x, %n
    : (tensor<?x4xf32>, tensor<?x0xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x7xf32>, tensor<?x4xf32>
}
