// RUN: gnn-opt --gnn-name-kernels %s | FileCheck %s

// CHECK-LABEL: func @gnn.forward
// CHECK: gpu.launch
// CHECK-SAME: module(@kernels) function(@gnn_forward_0)
// CHECK: gpu.launch
// CHECK-SAME: module(@kernels) function(@gnn_forward_1)
func.func @gnn.forward() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    gpu.terminator
  }
  return
}
