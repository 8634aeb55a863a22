// RUN: gnn-opt --gnn-prefetch-rows="minimum-bytes=1000 wide-minimum-bytes=2000" \
// RUN:   %s | FileCheck %s

// Rows of 512 bytes are asked for from other sizes on than narrower ones.
// CHECK-LABEL: func @narrow
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[LEAST:.*]] = arith.constant 1000 : index
// CHECK: arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: memref.prefetch %[[X]]
func.func @narrow(%columns: memref<?xindex>, %x: memref<?x64xf32>,
                  %end: index, %zero: vector<64xf32>) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x64xf32>, vector<64xf32>
    %n = arith.addf %acc, %r : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  return %s : vector<64xf32>
}

// CHECK-LABEL: func @wide
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x128xf32>
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[LEAST:.*]] = arith.constant 2000 : index
// CHECK: arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: memref.prefetch %[[X]]
func.func @wide(%columns: memref<?xindex>, %x: memref<?x128xf32>,
                %end: index, %zero: vector<128xf32>) -> vector<128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
      -> (vector<128xf32>) {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x128xf32>, vector<128xf32>
    %n = arith.addf %acc, %r : vector<128xf32>
    scf.yield %n : vector<128xf32>
  }
  return %s : vector<128xf32>
}
