// RUN: gnn-opt --gnn-sink-constants %s | FileCheck %s

memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// CHECK-LABEL: func @lookup
// CHECK: gpu.launch
// CHECK-NEXT: %[[TABLE:.*]] = memref.get_global @table
// CHECK-NEXT: %[[ROWS:.*]] = memref.expand_shape %[[TABLE]]
// CHECK: memref.load %[[ROWS]]
func.func @lookup(%y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %table = memref.get_global @table : memref<4xf32>
  %rows = memref.expand_shape %table [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %rows[%c1, %c0] : memref<2x2xf32>
    memref.store %x, %y[%c0] : memref<?xf32>
    gpu.terminator
  }
  return
}
