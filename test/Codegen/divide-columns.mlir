// RUN: gnn-opt --gnn-divide-columns --split-input-file %s | FileCheck %s

// Each iteration over panels writes 64 columns, of which two vectors are here.
// CHECK-LABEL: func @panels(
// CHECK-SAME: %[[N:.*]]: index, %[[STEP:.*]]: index, %{{.*}}: memref<16x256xf32>, %[[Y:.*]]: memref<?x256xf32>)
// CHECK: scf.forall (%[[I:.*]], %[[C:.*]]) = (0, 0) to (%[[N]], 256) step (%[[STEP]], 64) {
// CHECK: %[[BLOCK:.*]] = memref.subview %[[Y]][%[[I]], 0]
// CHECK-NEXT: %[[D:.*]] = arith.addi %[[C]], %c48
// CHECK-NEXT: scf.for %[[R:.*]] =
// CHECK: vector.transfer_write %{{.*}}, %[[BLOCK]][%[[R]], %[[C]]]
// CHECK: vector.transfer_write %{{.*}}, %[[BLOCK]][%[[R]], %[[D]]]
func.func @panels(%n: index, %step: index, %w: memref<16x256xf32>,
                  %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (%step) {
    %block = memref.subview %y[%i, 0] [%step, 256] [1, 1]
      : memref<?x256xf32> to memref<?x256xf32, strided<[256, 1], offset: ?>>
    scf.for %c = %c0 to %c256 step %c64 {
      %d = arith.addi %c, %c48 : index
      scf.for %r = %c0 to %step step %c1 {
        %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
          %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
            : memref<16x256xf32>, vector<16xf32>
          %t = arith.addf %a, %b : vector<16xf32>
          scf.yield %t : vector<16xf32>
        }
        vector.transfer_write %s, %block[%r, %c] {in_bounds = [true]}
          : vector<16xf32>, memref<?x256xf32, strided<[256, 1], offset: ?>>
        vector.transfer_write %s, %block[%r, %d] {in_bounds = [true]}
          : vector<16xf32>, memref<?x256xf32, strided<[256, 1], offset: ?>>
      }
    }
  }
  return
}

// -----

// What is left of 136 columns is an iteration of its own, and a view of some
// columns is known to be these.
// CHECK-LABEL: func @rest(
// CHECK: scf.forall (%{{.*}}, %[[C:.*]]) = (0, 0) to (%{{.*}}, 192) step (64, 64) {
// CHECK: %[[IS_PANEL:.*]] = arith.cmpi ult, %[[C]], %c128
// CHECK: scf.if %[[IS_PANEL]] {
// CHECK: memref.subview %{{.*}}[0, %[[C]]] [64, 64] [1, 1]
// CHECK: vector.transfer_write
// CHECK: } else {
// CHECK: vector.transfer_write {{.*}} vector<8xf32>
func.func @rest(%n: index, %w: memref<16x136xf32>, %y: memref<?x136xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (64) {
    %block = memref.subview %y[%i, 0] [64, 136] [1, 1]
      : memref<?x136xf32> to memref<64x136xf32, strided<[136, 1], offset: ?>>
    scf.for %c = %c0 to %c128 step %c64 {
      %columns = memref.subview %block[0, %c] [64, 64] [1, 1]
        : memref<64x136xf32, strided<[136, 1], offset: ?>>
        to memref<64x64xf32, strided<[136, 1], offset: ?>>
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x136xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %columns[%c1, %c16] {in_bounds = [true]}
        : vector<16xf32>, memref<64x64xf32, strided<[136, 1], offset: ?>>
    }
    %v = vector.transfer_read %block[%c1, %c128], %zero {in_bounds = [true]}
      : memref<64x136xf32, strided<[136, 1], offset: ?>>, vector<8xf32>
    vector.transfer_write %v, %block[%c0, %c128] {in_bounds = [true]}
      : vector<8xf32>, memref<64x136xf32, strided<[136, 1], offset: ?>>
  }
  return
}

// -----

// Each panel reads what the first one wrote.
// CHECK-LABEL: func @reads_other_columns(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @reads_other_columns(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      %v = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true]}
        : memref<?x128xf32>, vector<16xf32>
      %u = arith.addf %s, %v : vector<16xf32>
      vector.transfer_write %u, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
    }
  }
  return
}

// -----

// Columns of the next panel as well.
// CHECK-LABEL: func @writes_too_far(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @writes_too_far(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c56 = arith.constant 56 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      %d = arith.addi %c, %c56 : index
      vector.transfer_write %s, %y[%i, %d] : vector<16xf32>, memref<?x128xf32>
    }
  }
  return
}

// -----

// What comes behind needs all panels.
// CHECK-LABEL: func @needs_whole_rows(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @needs_whole_rows(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
    }
    %e = memref.load %y[%i, %c64] : memref<?x128xf32>
    memref.store %e, %z[%i] : memref<?xf32>
  }
  return
}

// -----

// What comes before is written once for a block of rows.
// CHECK-LABEL: func @writes_before(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @writes_before(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    memref.store %zero, %z[%i] : memref<?xf32>
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
    }
  }
  return
}

// -----

func.func private @other()

// A call may do anything.
// CHECK-LABEL: func @calls(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @calls(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
      func.call @other() : () -> ()
    }
  }
  return
}

// -----

// Another view of the buffer may be what is read.
// CHECK-LABEL: func @unknown_buffer(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @unknown_buffer(%n: index, %w: memref<16x128xf32>,
    %y: memref<?x128xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %alloc = memref.alloc(%n) : memref<?x128xf32>
  %z = arith.select %flag, %y, %alloc : memref<?x128xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x128xf32>, vector<16xf32>
        %t = arith.addf %a, %b : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      %v = vector.transfer_read %z[%i, %c0], %zero {in_bounds = [true]}
        : memref<?x128xf32>, vector<16xf32>
      %u = arith.addf %s, %v : vector<16xf32>
      vector.transfer_write %u, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
    }
  }
  return
}

// -----

// No products: rows are shared as they are.
// CHECK-LABEL: func @copies(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @copies(%n: index, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    scf.for %c = %c0 to %c128 step %c64 {
      vector.transfer_write %zeros, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x128xf32>
    }
  }
  return
}
