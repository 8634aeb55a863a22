// RUN: gnn-opt --gnn-prefetch-tiles --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-tiles=first-factors=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=NONE

// 32 rows of 64 elements are rounded and then multiplied by tiles of AMX, in 16 x 2
// steps. Of the 128 lines of the next 32 rows each step asks for four.
// CHECK-LABEL: func @next_block
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: scf.forall (%[[I:[a-z0-9]+]]) =
// CHECK: scf.for %[[C:[a-z0-9]+]] = %{{.*}} to %c512{{.*}} step %c32
// CHECK: scf.for %[[R:[a-z0-9]+]] =
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[A]] {{.*}} : memref<?x64xf32> into memref<?xf32>
// CHECK: %[[ROWS:.*]] = arith.constant 32 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[ROWS]]
// CHECK: %[[WIDTH:.*]] = arith.constant 64 : index
// CHECK: %[[BEGIN:.*]] = arith.muli %[[NEXT]], %[[WIDTH]]
// CHECK: %[[PANEL:.*]] = arith.divui %[[C]]
// CHECK: %[[TILES:.*]] = arith.muli %[[PANEL]], %{{.*}}
// CHECK: %[[TILE:.*]] = arith.divui %[[R]]
// CHECK: %[[ALL:.*]] = arith.addi %[[TILES]], %[[TILE]]
// CHECK: %[[OFLOOP:.*]] = arith.constant 128 : index
// CHECK: %[[BEFORE:.*]] = arith.muli %[[ALL]], %[[OFLOOP]]
// CHECK: scf.for %[[P:[a-z0-9]+]] =
// CHECK: %[[STEP:.*]] = arith.divui %[[P]]
// CHECK: %[[OFSTEP:.*]] = arith.constant 64 : index
// CHECK: %[[OF:.*]] = arith.muli %[[STEP]], %[[OFSTEP]]
// CHECK: %[[DONE:.*]] = arith.addi %[[BEFORE]], %[[OF]]
// CHECK: %[[LAST:.*]] = arith.constant 1984 : index
// CHECK: %[[LEAST:.*]] = arith.minui %[[DONE]], %[[LAST]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[BEGIN]], %[[LEAST]]
// CHECK-COUNT-4: memref.prefetch %[[FLAT]][%{{.*}}], read, locality<2>, data : memref<?xf32>
// CHECK-NOT: memref.prefetch
// CHECK: amx.tile_load
// CHECK: amx.tile_store
// NONE-LABEL: func @next_block
// NONE-NOT: memref.prefetch
func.func @next_block(%a: memref<?x64xf32>, %b: memref<16x32x64xbf16>,
                      %n: index, %y: memref<32x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (%n) step (32) {
    %rows = memref.alloca() : memref<32x64xbf16>
    scf.for %r = %c0 to %c32 step %c1 {
      %row = arith.addi %i, %r : index
      scf.for %k = %c0 to %c64 step %c32 {
        %exact = vector.transfer_read %a[%row, %k], %pad {in_bounds = [true]}
          : memref<?x64xf32>, vector<32xf32>
        %rounded = arith.truncf %exact : vector<32xf32> to vector<32xbf16>
        vector.transfer_write %rounded, %rows[%r, %k] {in_bounds = [true]}
          : vector<32xbf16>, memref<32x64xbf16>
      }
    }
    scf.for %c = %c0 to %c512 step %c32 {
      %panel = arith.divui %c, %c32 : index
      scf.for %r = %c0 to %c32 step %c32 {
        %zero = amx.tile_zero : !amx.tile<16x16xf32>
        %s = scf.for %p = %c0 to %c32 step %c16 iter_args(%acc = %zero)
            -> (!amx.tile<16x16xf32>) {
          %k = arith.muli %p, %c16 : index
          %x = amx.tile_load %rows[%r, %k]
            : memref<32x64xbf16> into !amx.tile<16x32xbf16>
          %w = amx.tile_load %b[%panel, %p, %c0]
            : memref<16x32x64xbf16> into !amx.tile<16x32xbf16>
          %m = amx.tile_mulf %x, %w, %acc
            : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
          scf.yield %m : !amx.tile<16x16xf32>
        }
        amx.tile_store %y[%r, %c], %s
          : memref<32x512xf32>, !amx.tile<16x16xf32>
      }
    }
  }
  return
}

// -----

// What is rounded stays in a cache, or is not what tiles are loaded from.
// CHECK-LABEL: func @none_to_ask_for
// CHECK-NOT: memref.prefetch
// NONE-LABEL: func @none_to_ask_for
func.func @none_to_ask_for(%a: memref<64x64xf32>, %d: memref<?x64xf32>,
                           %b: memref<16x32x64xbf16>, %n: index,
                           %y: memref<32x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) = (0) to (%n) step (32) {
    %rows = memref.alloca() : memref<32x64xbf16>
    %others = memref.alloca() : memref<32x64xbf16>
    scf.for %r = %c0 to %c32 step %c1 {
      %row = arith.addi %i, %r : index
      scf.for %k = %c0 to %c64 step %c32 {
        %near = vector.transfer_read %a[%row, %k], %pad {in_bounds = [true]}
          : memref<64x64xf32>, vector<32xf32>
        %rounded = arith.truncf %near : vector<32xf32> to vector<32xbf16>
        vector.transfer_write %rounded, %rows[%r, %k] {in_bounds = [true]}
          : vector<32xbf16>, memref<32x64xbf16>
        %far = vector.transfer_read %d[%row, %k], %pad {in_bounds = [true]}
          : memref<?x64xf32>, vector<32xf32>
        %other = arith.truncf %far : vector<32xf32> to vector<32xbf16>
        vector.transfer_write %other, %others[%r, %k] {in_bounds = [true]}
          : vector<32xbf16>, memref<32x64xbf16>
      }
    }
    scf.for %c = %c0 to %c512 step %c32 {
      %panel = arith.divui %c, %c32 : index
      scf.for %r = %c0 to %c32 step %c32 {
        %zero = amx.tile_zero : !amx.tile<16x16xf32>
        %s = scf.for %p = %c0 to %c32 step %c16 iter_args(%acc = %zero)
            -> (!amx.tile<16x16xf32>) {
          %k = arith.muli %p, %c16 : index
          %x = amx.tile_load %rows[%r, %k]
            : memref<32x64xbf16> into !amx.tile<16x32xbf16>
          %w = amx.tile_load %b[%panel, %p, %c0]
            : memref<16x32x64xbf16> into !amx.tile<16x32xbf16>
          %m = amx.tile_mulf %x, %w, %acc
            : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
          scf.yield %m : !amx.tile<16x16xf32>
        }
        amx.tile_store %y[%r, %c], %s
          : memref<32x512xf32>, !amx.tile<16x16xf32>
      }
    }
  }
  return
}
