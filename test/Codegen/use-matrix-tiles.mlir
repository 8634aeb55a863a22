// RUN: gnn-opt --gnn-use-matrix-tiles --canonicalize %s | FileCheck %s

#a = affine_map<(m, n, k, v) -> (m, k, v)>
#b = affine_map<(m, n, k, v) -> (k, n, v)>
#c = affine_map<(m, n, k, v) -> (m, n)>

// The loop carries tiles; what is read for two products is read once.
// CHECK-LABEL: func @loop
// CHECK-SAME: (%[[A:.*]]: memref<32x64xbf16>, %[[B:.*]]: memref<3x32x64xbf16>, %[[C:.*]]: memref<32x32xf32>)
// CHECK-DAG: %[[ZERO:.*]] = amx.tile_zero : !amx.tile<16x16xf32>
// CHECK-DAG: %[[INIT:.*]] = amx.tile_load %[[C]][%c16, %c0] : memref<32x32xf32> into !amx.tile<16x16xf32>
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[P:.*]] = {{.*}} iter_args(%[[S:.*]] = %[[ZERO]], %[[T:.*]] = %[[INIT]]) -> (!amx.tile<16x16xf32>, !amx.tile<16x16xf32>) {
// CHECK: %[[D:.*]] = arith.muli %[[P]], %c2
// CHECK: %[[X:.*]] = amx.tile_load %[[A]][%c0, %[[D]]] : memref<32x64xbf16> into !amx.tile<16x32xbf16>
// CHECK: %[[Y:.*]] = amx.tile_load %[[B]][%c1, %[[P]], %c32] : memref<3x32x64xbf16> into !amx.tile<16x32xbf16>
// CHECK: %[[U:.*]] = amx.tile_mulf %[[X]], %[[Y]], %[[S]]
// CHECK: %[[Z:.*]] = amx.tile_load %[[A]][%c16, %[[D]]]
// CHECK-NOT: amx.tile_load
// CHECK: %[[V:.*]] = amx.tile_mulf %[[Z]], %[[Y]], %[[T]]
// CHECK: scf.yield %[[U]], %[[V]]
// CHECK: amx.tile_store %[[C]][%c0, %c0], %[[SUMS]]#0
// CHECK: amx.tile_store %[[C]][%c16, %c0], %[[SUMS]]#1
// CHECK-NOT: vector.
func.func @loop(%a: memref<32x64xbf16>, %b: memref<3x32x64xbf16>,
                %c: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %bzero = arith.constant 0.0 : bf16
  %zeros = arith.constant dense<0.0> : vector<16x16xf32>
  %init = vector.transfer_read %c[%c16, %c0], %zero {in_bounds = [true, true]}
    : memref<32x32xf32>, vector<16x16xf32>
  %sums:2 = scf.for %p = %c0 to %c32 step %c16
      iter_args(%s = %zeros, %t = %init)
      -> (vector<16x16xf32>, vector<16x16xf32>) {
    %d = arith.muli %p, %c2 : index
    %x = vector.transfer_read %a[%c0, %d], %bzero {in_bounds = [true, true]}
      : memref<32x64xbf16>, vector<16x32xbf16>
    %x2 = vector.shape_cast %x : vector<16x32xbf16> to vector<16x16x2xbf16>
    %z = vector.transfer_read %a[%c16, %d], %bzero {in_bounds = [true, true]}
      : memref<32x64xbf16>, vector<16x32xbf16>
    %z2 = vector.shape_cast %z : vector<16x32xbf16> to vector<16x16x2xbf16>
    %y = vector.transfer_read %b[%c1, %p, %c32], %bzero
      {in_bounds = [true, true]} : memref<3x32x64xbf16>, vector<16x32xbf16>
    %y2 = vector.shape_cast %y : vector<16x32xbf16> to vector<16x16x2xbf16>
    %u = vector.contract
      {indexing_maps = [#a, #b, #c],
       iterator_types = ["parallel", "parallel", "reduction", "reduction"],
       kind = #vector.kind<add>} %x2, %y2, %s
      : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
    %v = vector.contract
      {indexing_maps = [#a, #b, #c],
       iterator_types = ["parallel", "parallel", "reduction", "reduction"],
       kind = #vector.kind<add>} %z2, %y2, %t
      : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
    scf.yield %u, %v : vector<16x16xf32>, vector<16x16xf32>
  }
  vector.transfer_write %sums#0, %c[%c0, %c0] {in_bounds = [true, true]}
    : vector<16x16xf32>, memref<32x32xf32>
  vector.transfer_write %sums#1, %c[%c16, %c0] {in_bounds = [true, true]}
    : vector<16x16xf32>, memref<32x32xf32>
  return
}

// One product; what is read before a loop is kept in memory for it, since a tile
// does not leave a function, which a parallel loop becomes.
// CHECK-LABEL: func @single
// CHECK-SAME: (%[[A:.*]]: memref<16x32xbf16>, %[[B:.*]]: memref<16x32xbf16>, %[[C:.*]]: memref<64x16xf32>)
// CHECK-DAG: %[[COPY:.*]] = memref.alloca() {{.*}} : memref<16x32xbf16>
// CHECK-DAG: %[[READ:.*]] = vector.transfer_read %[[B]]
// CHECK: vector.transfer_write %[[READ]], %[[COPY]]
// CHECK: scf.for %[[I:.*]] =
// CHECK-DAG: %[[X:.*]] = amx.tile_load %[[A]]
// CHECK-DAG: %[[S:.*]] = amx.tile_zero
// CHECK-DAG: %[[Y:.*]] = amx.tile_load %[[COPY]]
// CHECK: %[[P:.*]] = amx.tile_mulf %[[X]], %[[Y]], %[[S]]
// CHECK: amx.tile_store %[[C]][%[[I]], %c0], %[[P]]
func.func @single(%a: memref<16x32xbf16>, %b: memref<16x32xbf16>,
                  %c: memref<64x16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %bzero = arith.constant 0.0 : bf16
  %zeros = arith.constant dense<0.0> : vector<16x16xf32>
  %y = vector.transfer_read %b[%c0, %c0], %bzero {in_bounds = [true, true]}
    : memref<16x32xbf16>, vector<16x32xbf16>
  scf.for %i = %c0 to %c64 step %c16 {
    %x = vector.transfer_read %a[%c0, %c0], %bzero {in_bounds = [true, true]}
      : memref<16x32xbf16>, vector<16x32xbf16>
    %x2 = vector.shape_cast %x : vector<16x32xbf16> to vector<16x16x2xbf16>
    %y2 = vector.shape_cast %y : vector<16x32xbf16> to vector<16x16x2xbf16>
    %p = vector.contract
      {indexing_maps = [#a, #b, #c],
       iterator_types = ["parallel", "parallel", "reduction", "reduction"],
       kind = #vector.kind<add>} %x2, %y2, %zeros
      : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
    vector.transfer_write %p, %c[%i, %c0] {in_bounds = [true, true]}
      : vector<16x16xf32>, memref<64x16xf32>
  }
  return
}

// Sums that something else reads stay vectors.
// CHECK-LABEL: func @other_use
// CHECK-NOT: amx
func.func @other_use(%a: memref<16x32xbf16>, %b: memref<16x32xbf16>)
    -> vector<16x16xf32> {
  %c0 = arith.constant 0 : index
  %bzero = arith.constant 0.0 : bf16
  %zeros = arith.constant dense<0.0> : vector<16x16xf32>
  %x = vector.transfer_read %a[%c0, %c0], %bzero {in_bounds = [true, true]}
    : memref<16x32xbf16>, vector<16x32xbf16>
  %x2 = vector.shape_cast %x : vector<16x32xbf16> to vector<16x16x2xbf16>
  %y = vector.transfer_read %b[%c0, %c0], %bzero {in_bounds = [true, true]}
    : memref<16x32xbf16>, vector<16x32xbf16>
  %y2 = vector.shape_cast %y : vector<16x32xbf16> to vector<16x16x2xbf16>
  %p = vector.contract
    {indexing_maps = [#a, #b, #c],
     iterator_types = ["parallel", "parallel", "reduction", "reduction"],
     kind = #vector.kind<add>} %x2, %y2, %zeros
    : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
  return %p : vector<16x16xf32>
}

// Each tile of rows reads other rows of %a, which pass by the first cache, and the
// same columns of %b, which stay there.
// CHECK-LABEL: func @passing
// CHECK-SAME: (%[[A:.*]]: memref<8x4x16x32xbf16>, %[[B:.*]]: memref<32x64x32xbf16>
// CHECK-DAG: %[[LINE:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 16 : i16
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 64 : i16
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c2 : index
// CHECK: %[[SUM:.*]] = arith.addi %[[ADDRESS]], %[[OFFSET]]
// CHECK: %[[CAST:.*]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[CAST]]
// CHECK: %[[LOAD:.*]] = llvm.call_intrinsic "llvm.x86.tileloaddt164.internal"(%[[ROWS]], %[[BYTES]], %[[POINTER]], %[[LINE]]) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %[[LOAD]] : !llvm.x86_amx to !amx.tile<16x32xbf16>
// CHECK: %[[Y:.*]] = amx.tile_load %[[B]]
// CHECK: amx.tile_mulf %[[X]], %[[Y]]
func.func @passing(%a: memref<8x4x16x32xbf16>, %b: memref<32x64x32xbf16>,
                   %panel: index, %c: memref<128x16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bzero = arith.constant 0.0 : bf16
  %zeros = arith.constant dense<0.0> : vector<16x16xf32>
  scf.for %row = %c0 to %c128 step %c16 {
    %tile = arith.divui %row, %c16 : index
    %sum = scf.for %p = %c0 to %c64 step %c16 iter_args(%s = %zeros)
        -> (vector<16x16xf32>) {
      %depth = arith.divui %p, %c16 : index
      %x = vector.transfer_read %a[%tile, %depth, %c0, %c0], %bzero
        {in_bounds = [true, true]}
        : memref<8x4x16x32xbf16>, vector<16x32xbf16>
      %x2 = vector.shape_cast %x : vector<16x32xbf16> to vector<16x16x2xbf16>
      %y = vector.transfer_read %b[%panel, %p, %c0], %bzero
        {in_bounds = [true, true]}
        : memref<32x64x32xbf16>, vector<16x32xbf16>
      %y2 = vector.shape_cast %y : vector<16x32xbf16> to vector<16x16x2xbf16>
      %n = vector.contract
        {indexing_maps = [#a, #b, #c],
         iterator_types = ["parallel", "parallel", "reduction", "reduction"],
         kind = #vector.kind<add>} %x2, %y2, %s
        : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
      scf.yield %n : vector<16x16xf32>
    }
    vector.transfer_write %sum, %c[%row, %c0] {in_bounds = [true, true]}
      : vector<16x16xf32>, memref<128x16xf32>
  }
  return
}
