// RUN: gnn-opt --gnn-map-loops-to-gpu=workgroup-bytes=300 --canonicalize %s \
// RUN:   | FileCheck %s

// The second buffer finds no room beside the first one; each block has a part
// of an array of the device instead.
// CHECK-LABEL: func @tiles
// CHECK-SAME: %[[N:[^ ]*]]: index)
// CHECK: %[[BYTES:.*]] = arith.constant 256 : index
// CHECK: %[[TOTAL:.*]] = arith.muli %[[N]], %[[BYTES]]
// CHECK: %[[SCRATCH:.*]] = memref.alloc(%[[TOTAL]]) : memref<?xi8>
// CHECK: gpu.launch blocks(%[[ROW:[^,]*]],
// CHECK-SAME: workgroup(%{{[^ ]*}} : memref<64xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[BEGIN:.*]] = arith.muli %[[ROW]], %[[BYTES]]
// CHECK: memref.view %[[SCRATCH]][%[[BEGIN]]][] : memref<?xi8> to memref<64xf32>
// CHECK: gpu.terminator
// CHECK: memref.dealloc %[[SCRATCH]]
func.func @tiles(%x: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.forall (%row) in (%n) {
    %a = memref.alloca() : memref<64xf32>
    %b = memref.alloca() : memref<64xf32>
    scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
      %value = memref.load %x[%row, %f] : memref<?x64xf32>
      memref.store %value, %a[%f] : memref<64xf32>
      memref.store %value, %b[%f] : memref<64xf32>
    }
  }
  return
}
