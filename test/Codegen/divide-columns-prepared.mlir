// RUN: gnn-opt --gnn-divide-columns --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-divide-columns=min-iterations=2 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=TWO

// Rows are rounded, or prepared otherwise, before they meet panels: again for each
// part of the panels. There are as many parts as make four of all blocks of rows, of
// two panels at least.
// CHECK-LABEL: func @prepares_rows(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[X:[^:]*]]: memref<?x16xf32>
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[N]], %c8
// CHECK: %[[SOME:.*]] = arith.maxui %[[BLOCKS]], %c1
// CHECK: %[[MANY:.*]] = arith.ceildivui %c4{{.*}}, %[[SOME]]
// CHECK: %[[PARTS:.*]] = arith.minui %[[MANY]], %c2
// CHECK: %[[PANELS:.*]] = arith.ceildivui %c4{{.*}}, %[[PARTS]]
// CHECK: %[[STEP:.*]] = arith.muli %[[PANELS]], %c64
// CHECK: scf.forall (%[[I:.*]], %[[C:.*]]) = (0, 0) to (%[[N]], 256) step (8, %[[STEP]]) {
// CHECK: %[[ROWS:.*]] = memref.alloc()
// CHECK: vector.transfer_read %[[X]][%[[I]],
// CHECK: vector.transfer_write %{{.*}}, %[[ROWS]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[C]], %[[STEP]]
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %c256
// CHECK: scf.for %{{.*}} = %[[C]] to %[[END]] step %c64
// CHECK: memref.dealloc %[[ROWS]]
// TWO-LABEL: func @prepares_rows(
// TWO: arith.ceildivui %c2{{.*}},
func.func @prepares_rows(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// What is left of 264 columns belongs to the last part.
// CHECK-LABEL: func @rest(
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (%{{.*}}, 256) step (8, %{{.*}}) {
// CHECK: %[[END:.*]] = arith.minui %{{.*}}, %[[WIDTH:c256.*]] : index
// CHECK: scf.for %{{.*}} to %[[END]] step %c64
// CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[END]], %[[WIDTH]] : index
// CHECK: scf.if %[[IS_LAST]] {
// CHECK: vector.transfer_write {{.*}} vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc
func.func @rest(%n: index, %x: memref<?x16xf32>, %w: memref<16x264xf32>,
    %y: memref<?x264xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x264xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x264xf32>
    }
    %u = arith.constant dense<1.0> : vector<8xf32>
    vector.transfer_write %u, %y[%i, %c256] {in_bounds = [true]}
      : vector<8xf32>, memref<?x264xf32>
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// Rows would be prepared anew for single panels.
// CHECK-LABEL: func @few_panels(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @few_panels(%n: index, %x: memref<?x16xf32>, %w: memref<16x192xf32>,
    %y: memref<?x192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c192 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x192xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x192xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// Rows of results, which other parts write in the meantime.
// CHECK-LABEL: func @reads_results(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @reads_results(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x256xf32>, vector<16xf32>
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// A buffer of somebody else's is not freed once for each part.
// CHECK-LABEL: func @frees(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @frees(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>, %z: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    memref.dealloc %z : memref<16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// Sums of many rows, such as those of neighbours, are computed once.
// CHECK-LABEL: func @adds_up(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @adds_up(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = scf.for %j = %c0 to %n step %c1 iter_args(%t = %zeros) -> (vector<16xf32>) {
      %u = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]}
        : memref<?x16xf32>, vector<16xf32>
      %r = arith.addf %t, %u : vector<16xf32>
      scf.yield %r : vector<16xf32>
    }
    vector.transfer_write %v, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// Neither are sums in memory repeated.
// CHECK-LABEL: func @adds_up_in_memory(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @adds_up_in_memory(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    scf.for %j = %c0 to %n step %c1 {
      %t = vector.transfer_read %rows[%c0, %c0], %zero {in_bounds = [true]}
        : memref<8x16xf32>, vector<16xf32>
      %r = arith.addf %t, %v : vector<16xf32>
      vector.transfer_write %r, %rows[%c0, %c0] {in_bounds = [true]}
        : vector<16xf32>, memref<8x16xf32>
    }
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}

// -----

// Nor are costly functions.
// CHECK-LABEL: func @exponentials(
// CHECK: scf.forall (%{{[^,]*}}) = (0) to (%{{.*}}) step (8)
func.func @exponentials(%n: index, %x: memref<?x16xf32>, %w: memref<16x256xf32>,
    %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) = (0) to (%n) step (8) {
    %rows = memref.alloc() : memref<8x16xf32>
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : memref<?x16xf32>, vector<16xf32>
    %r = math.exp %v : vector<16xf32>
    vector.transfer_write %r, %rows[%c0, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<8x16xf32>
    scf.for %c = %c0 to %c256 step %c64 {
      %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%a = %zeros) -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%k, %c], %zero {in_bounds = [true]}
          : memref<16x256xf32>, vector<16xf32>
        %e = memref.load %rows[%c0, %k] : memref<8x16xf32>
        %f = vector.broadcast %e : f32 to vector<16xf32>
        %t = vector.fma %f, %b, %a : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      vector.transfer_write %s, %y[%i, %c] {in_bounds = [true]}
        : vector<16xf32>, memref<?x256xf32>
    }
    memref.dealloc %rows : memref<8x16xf32>
  }
  return
}
