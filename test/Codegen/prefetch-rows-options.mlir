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

// So are rows of which four times as many bytes are made.
// CHECK-LABEL: func @slow
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[LEAST:.*]] = arith.constant 2000 : index
// CHECK: arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: memref.prefetch %[[X]]
func.func @slow(%columns: memref<?xindex>, %x: memref<?x64xf32>,
                %end: index, %zero: vector<64xf32>, %w: vector<64xf32>) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %j = memref.load %columns[%p] : memref<?xindex>
    %r = vector.transfer_read %x[%j, %c0], %pad {in_bounds = [true]}
      : memref<?x64xf32>, vector<64xf32>
    %a = arith.addf %r, %w : vector<64xf32>
    %m = arith.maximumf %a, %zero : vector<64xf32>
    %p0 = arith.mulf %m, %w : vector<64xf32>
    %n = arith.addf %acc, %p0 : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  return %s : vector<64xf32>
}

// And rows of destinations in another order, of which no processor knows the next.
// CHECK-LABEL: func @ordered
// CHECK-SAME: %[[K:[a-z0-9]+]]: memref<?x16xf32>
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[LEAST:.*]] = arith.constant 2000 : index
// CHECK: arith.cmpi sge, %[[BYTES]], %[[LEAST]]
// CHECK: memref.prefetch %[[K]]
func.func private @use(vector<16xf32>)
func.func @ordered(%k: memref<?x16xf32>, %sorted: i1, %order: memref<?xi32>,
                   %pointers: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.if %sorted -> (index) {
      %entry = memref.load %order[%i] : memref<?xi32>
      %number = arith.index_cast %entry : i32 to index
      scf.yield %number : index
    } else {
      scf.yield %i : index
    }
    %r = vector.transfer_read %k[%row, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    %end = memref.load %pointers[%i] : memref<?xindex>
    scf.for %p = %c0 to %end step %c1 {
      func.call @use(%r) : (vector<16xf32>) -> ()
    }
  }
  return
}
