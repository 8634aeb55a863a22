// RUN: gnn-opt --gnn-prefetch-tiles --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-tiles="bytes-ahead=512 minimum-bytes=16384 far-bytes=65536" \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=NEAR
// RUN: gnn-opt --gnn-prefetch-tiles=results=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=RESULTS
// RUN: gnn-opt --gnn-prefetch-tiles=first-factors=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=PANELS

// One prefetch for each line of the row that lies 2 KiB ahead. Each tile of rows
// asks for its part of the next panel: of 64 elements as many for each of the
// 1024 steps as there are tiles of rows to share them.
// CHECK-LABEL: func @panels
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<4x1024x64xf32>, %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 6 : index
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[W]] {{.*}} into memref<262144xf32>
// CHECK: scf.for %[[C:[a-z0-9]+]] =
// CHECK: %[[P:.*]] = arith.divui %[[C]]
// CHECK: %[[AFTER:.*]] = arith.addi %[[P]]
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[LAST:.*]] = arith.cmpi uge, %[[AFTER]], %[[C4]]
// CHECK: %[[NEXT:.*]] = arith.select %[[LAST]], %{{.*}}, %[[AFTER]]
// CHECK: %[[SIZE:.*]] = arith.constant 65536 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[NEXT]], %[[SIZE]]
// CHECK: scf.for %[[R:[a-z0-9]+]] =
// CHECK: %[[TILE:.*]] = arith.divui %[[R]], %[[STEP]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[ROWS]], %[[STEP]]
// CHECK: %[[WIDTH:.*]] = arith.constant 64 : index
// CHECK: %[[FEW:.*]] = arith.ceildivui %[[WIDTH]], %[[TILES]]
// CHECK: %[[DEPTH:.*]] = arith.constant 1024 : index
// CHECK: %[[PART:.*]] = arith.muli %[[FEW]], %[[DEPTH]]
// CHECK: %[[END:.*]] = arith.subi %{{.*}}, %[[PART]]
// CHECK: %[[DONE:.*]] = arith.muli %[[TILE]], %[[PART]]
// CHECK: %[[PLACE:.*]] = arith.minui %[[DONE]], %[[END]]
// CHECK: %[[BEGIN:.*]] = arith.addi %[[FIRST]], %[[PLACE]]
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-NEXT: %[[E:.*]] = arith.muli %[[K]], %[[FEW]]
// CHECK-NEXT: %[[F:.*]] = arith.addi %[[BEGIN]], %[[E]]
// CHECK-NEXT: memref.prefetch %[[FLAT]][%[[F]]], read, locality<2>, data
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[A:.*]] = arith.addi %[[K]], %[[C8]]
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.prefetch %[[W]][%[[P]], %[[A]], %[[C0]]], read, locality<3>, data
// CHECK-NEXT: arith.constant 16 : index
// CHECK-NEXT: memref.prefetch
// CHECK-NEXT: arith.constant 32 : index
// CHECK-NEXT: memref.prefetch
// CHECK-NEXT: %[[C48:.*]] = arith.constant 48 : index
// CHECK-NEXT: memref.prefetch %[[W]][%[[P]], %[[A]], %[[C48]]], read, locality<3>, data
// CHECK-NEXT: vector.transfer_read

// NEAR-LABEL: func @panels
// NEAR: %[[C2:.*]] = arith.constant 2 : index
// NEAR: arith.addi %{{.*}}, %[[C2]]
func.func @panels(%w: memref<4x1024x64xf32>, %rows: index,
                  %y: memref<?x256xf32>, %zero: vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %pad = arith.constant 0.0 : f32
  scf.for %c = %c0 to %c256 step %c64 {
    %p = arith.divui %c, %c64 : index
    scf.for %r = %c0 to %rows step %c6 {
      %s:2 = scf.for %k = %c0 to %c1024 step %c1
          iter_args(%s0 = %zero, %s1 = %zero)
          -> (vector<32xf32>, vector<32xf32>) {
        %v0 = vector.transfer_read %w[%p, %k, %c0], %pad {in_bounds = [true]}
          : memref<4x1024x64xf32>, vector<32xf32>
        %v1 = vector.transfer_read %w[%p, %k, %c32], %pad {in_bounds = [true]}
          : memref<4x1024x64xf32>, vector<32xf32>
        %n0 = arith.addf %s0, %v0 : vector<32xf32>
        %n1 = arith.addf %s1, %v1 : vector<32xf32>
        scf.yield %n0, %n1 : vector<32xf32>, vector<32xf32>
      }
      vector.transfer_write %s#0, %y[%r, %c] {in_bounds = [true]}
        : vector<32xf32>, memref<?x256xf32>
      vector.transfer_write %s#1, %y[%r, %c] {in_bounds = [true]}
        : vector<32xf32>, memref<?x256xf32>
    }
  }
  return
}

// -----

// 64 columns of a matrix whose other columns are read elsewhere: no panel
// follows. 96 KiB of four lines each; 16 KiB stay in the first cache.
// CHECK-LABEL: func @columns
// CHECK-NOT: locality<2>
// CHECK-COUNT-4: memref.prefetch %{{.*}} : memref<384x384xf32>
// CHECK-NOT: memref.prefetch
// NEAR-LABEL: func @columns
// NEAR-COUNT-4: memref.prefetch %{{.*}} : memref<384x384xf32>
// NEAR-COUNT-4: memref.prefetch %{{.*}} : memref<64x64xf32>
// NEAR-NOT: memref.prefetch
func.func @columns(%w: memref<384x384xf32>, %v: memref<64x64xf32>,
                   %zero: vector<64xf32>) -> (vector<64xf32>, vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c384 = arith.constant 384 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c384 step %c1 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %b = vector.transfer_read %w[%k, %c64], %pad {in_bounds = [true]}
      : memref<384x384xf32>, vector<64xf32>
    %n = arith.addf %acc, %b : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  %t = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %b = vector.transfer_read %v[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x64xf32>, vector<64xf32>
    %n = arith.addf %acc, %b : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  return %s, %t : vector<64xf32>, vector<64xf32>
}

// -----

// The columns of a matrix that are read may begin anywhere.
// NEAR-LABEL: func @unknown_columns
// CHECK-LABEL: func @unknown_columns
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<384x384xf32>, %[[C:[a-z0-9]+]]: index
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[ROW:.*]] = arith.addi %[[K]]
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[FIRST:.*]] = arith.addi %[[C]], %[[C0]]
// CHECK: memref.prefetch %[[W]][%[[ROW]], %[[FIRST]]], read, locality<3>, data
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: %[[C48:.*]] = arith.constant 48 : index
// CHECK: %[[LAST:.*]] = arith.addi %[[C]], %[[C48]]
// CHECK: memref.prefetch %[[W]][%[[ROW]], %[[LAST]]], read, locality<3>, data
// CHECK-NOT: memref.prefetch
func.func @unknown_columns(%w: memref<384x384xf32>, %c: index,
                           %zero: vector<32xf32>)
    -> (vector<32xf32>, vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c384 = arith.constant 384 : index
  %pad = arith.constant 0.0 : f32
  %d = arith.addi %c, %c32 : index
  %s:2 = scf.for %k = %c0 to %c384 step %c1
      iter_args(%s0 = %zero, %s1 = %zero) -> (vector<32xf32>, vector<32xf32>) {
    %v0 = vector.transfer_read %w[%k, %c], %pad {in_bounds = [true]}
      : memref<384x384xf32>, vector<32xf32>
    %v1 = vector.transfer_read %w[%k, %d], %pad {in_bounds = [true]}
      : memref<384x384xf32>, vector<32xf32>
    %n0 = arith.addf %s0, %v0 : vector<32xf32>
    %n1 = arith.addf %s1, %v1 : vector<32xf32>
    scf.yield %n0, %n1 : vector<32xf32>, vector<32xf32>
  }
  return %s#0, %s#1 : vector<32xf32>, vector<32xf32>
}

// -----

// Two rows of a first factor are multiplied at a time; of the next two, 128
// elements, each of 64 steps asks for two. A first factor that stays in a cache is
// not asked for (`@small`), nor is one of which some rows are read elsewhere, so
// that the next ones do not follow (`@every_third_row`).
// CHECK-LABEL: func @first_factor
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: scf.for %[[R:[a-z0-9]+]] =
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[A]]
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[R]], %[[C2]]
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[BEGIN:.*]] = arith.muli %[[NEXT]], %[[C64]]
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[DONE:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEGIN]], %{{.*}}
// CHECK: %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[DONE]]
// CHECK: memref.prefetch %[[FLAT]][%[[PLACE]]], read, locality<2>, data : memref<?xf32>
// CHECK-NOT: memref.prefetch
// NEAR-LABEL: func @first_factor
// PANELS-LABEL: func @first_factor
// PANELS-NOT: memref.prefetch
func.func @first_factor(%a: memref<?x64xf32>, %w: memref<64x16xf32>, %n: index,
                        %y: memref<?x16xf32>, %zero: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %r = %c0 to %n step %c2 {
    %q = arith.addi %r, %c1 : index
    %s:2 = scf.for %k = %c0 to %c64 step %c1
        iter_args(%s0 = %zero, %s1 = %zero) -> (vector<16xf32>, vector<16xf32>) {
      %b = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
        : memref<64x16xf32>, vector<16xf32>
      %x0 = memref.load %a[%r, %k] : memref<?x64xf32>
      %v0 = vector.broadcast %x0 : f32 to vector<16xf32>
      %n0 = vector.fma %v0, %b, %s0 : vector<16xf32>
      %x1 = memref.load %a[%q, %k] : memref<?x64xf32>
      %v1 = vector.broadcast %x1 : f32 to vector<16xf32>
      %n1 = vector.fma %v1, %b, %s1 : vector<16xf32>
      scf.yield %n0, %n1 : vector<16xf32>, vector<16xf32>
    }
    vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
    vector.transfer_write %s#1, %y[%q, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
  }
  return
}

// PANELS-LABEL: func @small
// CHECK-LABEL: func @small
// CHECK-NOT: memref.prefetch
func.func @small(%a: memref<128x64xf32>, %w: memref<64x16xf32>,
                 %y: memref<128x16xf32>, %zero: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f32
  scf.for %r = %c0 to %c128 step %c1 {
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%s0 = %zero)
        -> (vector<16xf32>) {
      %b = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
        : memref<64x16xf32>, vector<16xf32>
      %x0 = memref.load %a[%r, %k] : memref<128x64xf32>
      %v0 = vector.broadcast %x0 : f32 to vector<16xf32>
      %n0 = vector.fma %v0, %b, %s0 : vector<16xf32>
      scf.yield %n0 : vector<16xf32>
    }
    vector.transfer_write %s, %y[%r, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<128x16xf32>
  }
  return
}

// CHECK-LABEL: func @every_third_row
// CHECK-NOT: memref.prefetch
func.func @every_third_row(%a: memref<?x64xf32>, %w: memref<64x16xf32>,
                           %n: index, %y: memref<?x16xf32>,
                           %zero: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %r = %c0 to %n step %c3 {
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%s0 = %zero)
        -> (vector<16xf32>) {
      %b = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
        : memref<64x16xf32>, vector<16xf32>
      %x0 = memref.load %a[%r, %k] : memref<?x64xf32>
      %v0 = vector.broadcast %x0 : f32 to vector<16xf32>
      %n0 = vector.fma %v0, %b, %s0 : vector<16xf32>
      scf.yield %n0 : vector<16xf32>
    }
    vector.transfer_write %s, %y[%r, %c0] {in_bounds = [true]}
      : vector<16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// Rows at places that an array names are not one after the other, nor are those
// of every other step.
// CHECK-LABEL: func @other_rows
// CHECK-NOT: memref.prefetch
// NEAR-LABEL: func @other_rows
// NEAR-NOT: memref.prefetch
func.func @other_rows(%w: memref<1024x64xf32>, %places: memref<1024xindex>,
                      %zero: vector<64xf32>) -> (vector<64xf32>, vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %pad = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c1024 step %c1 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %row = memref.load %places[%k] : memref<1024xindex>
    %b = vector.transfer_read %w[%row, %c0], %pad {in_bounds = [true]}
      : memref<1024x64xf32>, vector<64xf32>
    %n = arith.addf %acc, %b : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  %t = scf.for %k = %c0 to %c1024 step %c2 iter_args(%acc = %zero)
      -> (vector<64xf32>) {
    %b = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<1024x64xf32>, vector<64xf32>
    %n = arith.addf %acc, %b : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  return %s, %t : vector<64xf32>, vector<64xf32>
}

// -----

// Tiles of AMX: 32 rows of a panel of 64 meet all tiles of rows before the others
// do. Of the 32 rows after these, 4 lines of 64 bytes in each of 2 steps, 256
// elements further on for the next tile of rows, are asked for.
// NEAR-LABEL: func @matrix_tiles
// CHECK-LABEL: func @matrix_tiles
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<128x64x64xbf16>, %{{.*}}, %[[PANEL:[a-z0-9]+]]: index
// CHECK: scf.for %[[R:[a-z0-9]+]] =
// CHECK: amx.tile_zero
// CHECK: %[[TILE:.*]] = arith.divui %[[R]]
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[PART:.*]] = arith.remui %[[TILE]], %[[C8]]
// CHECK: %[[OFTILE:.*]] = arith.constant 256 : index
// CHECK: %[[DONE:.*]] = arith.muli %[[PART]], %[[OFTILE]]
// CHECK: %[[SIZE:.*]] = arith.constant 4096 : index
// CHECK: %[[BEFORE:.*]] = arith.muli %[[PANEL]], %[[SIZE]]
// CHECK: %[[RANGE:.*]] = arith.constant 2048 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEFORE]], %[[RANGE]]
// CHECK: %[[SUM:.*]] = arith.addi %[[NEXT]], %[[DONE]]
// CHECK: %[[ALL:.*]] = arith.constant 524288 : index
// CHECK: arith.remui %[[SUM]], %[[ALL]]
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[B]]
// CHECK: scf.for
// CHECK-COUNT-4: memref.prefetch %[[FLAT]]{{.*}} locality<2>
// CHECK-NOT: memref.prefetch
// CHECK: amx.tile_load
func.func @matrix_tiles(%b: memref<128x64x64xbf16>, %a: memref<8x2x16x32xbf16>,
                        %panel: index, %c: memref<128x32xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  scf.for %row = %c0 to %c128 step %c16 {
    %tile = arith.divui %row, %c16 : index
    %zero = amx.tile_zero : !amx.tile<16x16xf32>
    %s:2 = scf.for %p = %c0 to %c32 step %c16
        iter_args(%s0 = %zero, %s1 = %zero)
        -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
      %depth = arith.divui %p, %c16 : index
      %x = amx.tile_load %a[%tile, %depth, %c0, %c0]
        : memref<8x2x16x32xbf16> into !amx.tile<16x32xbf16>
      %y0 = amx.tile_load %b[%panel, %p, %c0]
        : memref<128x64x64xbf16> into !amx.tile<16x32xbf16>
      %y1 = amx.tile_load %b[%panel, %p, %c32]
        : memref<128x64x64xbf16> into !amx.tile<16x32xbf16>
      %n0 = amx.tile_mulf %x, %y0, %s0
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      %n1 = amx.tile_mulf %x, %y1, %s1
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      scf.yield %n0, %n1 : !amx.tile<16x16xf32>, !amx.tile<16x16xf32>
    }
    amx.tile_store %c[%row, %c0], %s#0
      : memref<128x32xf32>, !amx.tile<16x16xf32>
    amx.tile_store %c[%row, %c16], %s#1
      : memref<128x32xf32>, !amx.tile<16x16xf32>
  }
  return
}

// What the sums are stored to: of two steps each asks for eight rows of both
// tiles, and for nothing where results may stay in a cache or hold sums already.
// CHECK-LABEL: func @matrix_results
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x32xf32>
// CHECK: scf.for %[[R:[a-z0-9]+]] =
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[P:[a-z0-9]+]] =
// CHECK: %[[DONE:.*]] = arith.subi %[[P]], %{{.*}} : index
// CHECK: %[[STEP:.*]] = arith.divui %[[DONE]], %{{.*}} : index
// CHECK: %[[ROWS:.*]] = arith.constant 8 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %[[ROWS]] : index
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: %[[LEAST:.*]] = arith.minui %[[ROW]], %{{.*}} : index
// CHECK: %[[PLACE:.*]] = arith.addi %[[R]], %[[LEAST]] : index
// CHECK: memref.prefetch %[[C]][%[[PLACE]], %{{.*}}], write, locality<3>, data
// CHECK-COUNT-15: memref.prefetch %[[C]]{{.*}} write
// CHECK-NOT: memref.prefetch
// CHECK: amx.tile_store %[[C]]{{.*}}, %[[SUMS]]#0
// CHECK-NOT: memref.prefetch
// CHECK: return
// RESULTS-LABEL: func @matrix_results
// RESULTS-NOT: memref.prefetch
func.func @matrix_results(%c: memref<?x32xf32>, %small: memref<32x32xf32>,
                          %a: memref<8x2x16x32xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.for %row = %c0 to %n step %c16 {
    %zero = amx.tile_zero : !amx.tile<16x16xf32>
    %s:2 = scf.for %p = %c0 to %c2 step %c1
        iter_args(%s0 = %zero, %s1 = %zero)
        -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
      %x = amx.tile_load %a[%c0, %p, %c0, %c0]
        : memref<8x2x16x32xbf16> into !amx.tile<16x32xbf16>
      %n0 = amx.tile_mulf %x, %x, %s0
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      %n1 = amx.tile_mulf %x, %x, %s1
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      scf.yield %n0, %n1 : !amx.tile<16x16xf32>, !amx.tile<16x16xf32>
    }
    amx.tile_store %c[%row, %c0], %s#0
      : memref<?x32xf32>, !amx.tile<16x16xf32>
    amx.tile_store %c[%row, %c16], %s#1
      : memref<?x32xf32>, !amx.tile<16x16xf32>
    %t = scf.for %p = %c0 to %c2 step %c1 iter_args(%t0 = %zero)
        -> (!amx.tile<16x16xf32>) {
      %x = amx.tile_load %a[%c1, %p, %c0, %c0]
        : memref<8x2x16x32xbf16> into !amx.tile<16x32xbf16>
      %n0 = amx.tile_mulf %x, %x, %t0
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      scf.yield %n0 : !amx.tile<16x16xf32>
    }
    amx.tile_store %small[%c0, %c0], %t
      : memref<32x32xf32>, !amx.tile<16x16xf32>
    %before = amx.tile_load %c[%row, %c0]
      : memref<?x32xf32> into !amx.tile<16x16xf32>
    %u = scf.for %p = %c0 to %c2 step %c1 iter_args(%u0 = %before)
        -> (!amx.tile<16x16xf32>) {
      %x = amx.tile_load %a[%c2, %p, %c0, %c0]
        : memref<8x2x16x32xbf16> into !amx.tile<16x32xbf16>
      %n0 = amx.tile_mulf %x, %x, %u0
        : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
      scf.yield %n0 : !amx.tile<16x16xf32>
    }
    amx.tile_store %c[%row, %c0], %u
      : memref<?x32xf32>, !amx.tile<16x16xf32>
  }
  return
}
