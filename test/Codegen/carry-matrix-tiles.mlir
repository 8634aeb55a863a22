// RUN: gnn-opt --gnn-carry-matrix-tiles %s | FileCheck %s

// Every branch to a block with a tile casts it, and the block casts it back.
// CHECK-LABEL: func @loop
// CHECK: %[[ZERO:.*]] = amx.tile_zero
// CHECK: %[[Z:.*]] = builtin.unrealized_conversion_cast %[[ZERO]] : !amx.tile<16x16xf32> to !llvm.x86_amx
// CHECK: cf.br ^[[LOOP:.*]](%[[Z]] : !llvm.x86_amx)
// CHECK: ^[[LOOP]](%[[ARGUMENT:.*]]: !llvm.x86_amx):
// CHECK: %[[TILE:.*]] = builtin.unrealized_conversion_cast %[[ARGUMENT]] : !llvm.x86_amx to !amx.tile<16x16xf32>
// CHECK: %[[SUM:.*]] = amx.tile_mulf %{{.*}}, %{{.*}}, %[[TILE]]
// CHECK: %[[S:.*]] = builtin.unrealized_conversion_cast %[[SUM]]
// CHECK: cf.cond_br %{{.*}}, ^[[LOOP]](%[[S]] : !llvm.x86_amx), ^
// CHECK: amx.tile_store %{{.*}}, %[[SUM]]
func.func @loop(%a: memref<16x32xbf16>, %c: memref<16x16xf32>, %again: i1) {
  %c0 = arith.constant 0 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  cf.br ^loop(%zero : !amx.tile<16x16xf32>)
^loop(%s: !amx.tile<16x16xf32>):
  %x = amx.tile_load %a[%c0, %c0]
    : memref<16x32xbf16> into !amx.tile<16x32xbf16>
  %t = amx.tile_mulf %x, %x, %s
    : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  cf.cond_br %again, ^loop(%t : !amx.tile<16x16xf32>), ^done
^done:
  amx.tile_store %c[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}

// The tiles of a loop are of the types of its results.
// CHECK-LABEL: func @structured
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (!amx.tile<16x16xf32>)
// CHECK-NEXT: scf.yield %[[S]] : !amx.tile<16x16xf32>
func.func @structured(%c: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = amx.tile_zero : !amx.tile<16x16xf32>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero)
      -> (!amx.tile<16x16xf32>) {
    scf.yield %s : !amx.tile<16x16xf32>
  }
  amx.tile_store %c[%c0, %c0], %t : memref<16x16xf32>, !amx.tile<16x16xf32>
  return
}
