// What costs more than it brings is not asked for.
// RUN: gnn-opt --gnn-prefetch-tiles --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-tiles="minimum-row-bytes=64 most-panels=33" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=ALL

// A panel of 256 KiB, of whose rows each is one line.
// CHECK-LABEL: func @narrow_rows
// CHECK-NOT: memref.prefetch
// ALL-LABEL: func @narrow_rows
// ALL-COUNT-1: memref.prefetch %{{.*}}, read, locality<3>, data
// ALL-NOT: memref.prefetch
func.func @narrow_rows(%w: memref<4096x16xf32>, %zero: vector<16xf32>)
    -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c4096 step %c1 iter_args(%acc = %zero)
      -> (vector<16xf32>) {
    %b = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<4096x16xf32>, vector<16xf32>
    %n = arith.addf %acc, %b : vector<16xf32>
    scf.yield %n : vector<16xf32>
  }
  return %s : vector<16xf32>
}

// -----

// Rows of the first factor meet 33 panels, and come from far for the first one.
// CHECK-LABEL: func @many_panels
// CHECK-NOT: memref.prefetch
// ALL-LABEL: func @many_panels
// ALL: scf.for
// ALL: scf.for
// ALL: scf.for
// ALL: memref.prefetch %{{.*}}, read, locality<2>, data : memref<?xf32>
// ALL: vector.transfer_read
func.func @many_panels(%a: memref<?x64xf32>, %w: memref<33x64x16xf32>,
                       %n: index, %y: memref<?x528xf32>,
                       %zero: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c33 = arith.constant 33 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %p = %c0 to %c33 step %c1 {
    %column = arith.muli %p, %c16 : index
    scf.for %r = %c0 to %n step %c1 {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero)
          -> (vector<16xf32>) {
        %b = vector.transfer_read %w[%p, %k, %c0], %pad {in_bounds = [true]}
          : memref<33x64x16xf32>, vector<16xf32>
        %x = memref.load %a[%r, %k] : memref<?x64xf32>
        %v = vector.broadcast %x : f32 to vector<16xf32>
        %f = vector.fma %v, %b, %acc : vector<16xf32>
        scf.yield %f : vector<16xf32>
      }
      vector.transfer_write %s, %y[%r, %column] {in_bounds = [true]}
        : vector<16xf32>, memref<?x528xf32>
    }
  }
  return
}
