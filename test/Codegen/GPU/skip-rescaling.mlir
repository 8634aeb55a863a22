// RUN: gnn-opt --pass-pipeline="builtin.module(func.func(gnn-skip-rescaling{min-products=2}))" %s | FileCheck %s
// RUN: gnn-opt --pass-pipeline="builtin.module(func.func(gnn-skip-rescaling))" %s | FileCheck %s --check-prefix=FEW

// Sums that belong to a maximum so far: where it has not moved for any lane, their
// factor is one.
// CHECK-LABEL: func @online
// CHECK: scf.for {{.*}} iter_args(%[[MAX:[a-z0-9]*]] = %{{.*}}, %[[A:[a-z0-9]*]] = %{{.*}}, %[[B:[a-z0-9]*]] = %{{.*}})
// CHECK: %[[MOVE:.*]] = arith.subf %[[MAX]],
// CHECK: %[[FACTOR:.*]] = math.exp %[[MOVE]]
// CHECK: %[[MINE:.*]] = arith.cmpf une, %[[MOVE]], %{{.*}} : f32
// CHECK: %[[ANY:.*]] = gpu.subgroup_reduce or %[[MINE]] uniform : (i1) -> i1
// CHECK: %[[SUMS:.*]]:2 = scf.if %[[ANY]] -> (f32, f32) {
// CHECK:   %[[SA:.*]] = arith.mulf %[[A]], %[[FACTOR]]
// CHECK:   %[[SB:.*]] = arith.mulf %[[B]], %[[FACTOR]]
// CHECK:   scf.yield %[[SA]], %[[SB]]
// CHECK: } else {
// CHECK:   scf.yield %[[A]], %[[B]]
// CHECK: }
// CHECK: arith.addf %[[SUMS]]#0,
// CHECK: arith.addf %[[SUMS]]#1,
// So few are not worth a vote.
// FEW-LABEL: func @online
// FEW-NOT: gpu.subgroup_reduce
func.func @online(%x: memref<?xf32>, %out: memref<2xf32>, %n: index, %lowest: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %distance = arith.constant 16 : i32
  %warp = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %r:3 = scf.for %i = %c0 to %n step %c1
        iter_args(%max = %lowest, %a = %zero, %b = %zero) -> (f32, f32, f32) {
      %mine = memref.load %x[%i] : memref<?xf32>
      %other, %valid = gpu.shuffle xor %mine, %distance, %warp : f32
      %both = arith.maximumf %mine, %other : f32
      %new = arith.maximumf %max, %both : f32
      %move = arith.subf %max, %new : f32
      %factor = math.exp %move : f32
      %sa = arith.mulf %a, %factor : f32
      %na = arith.addf %sa, %mine : f32
      %sb = arith.mulf %b, %factor : f32
      %nb = arith.addf %sb, %other : f32
      scf.yield %new, %na, %nb : f32, f32, f32
    }
    memref.store %r#1, %out[%c0] : memref<2xf32>
    memref.store %r#2, %out[%c1] : memref<2xf32>
    gpu.terminator
  }
  return
}

// Lanes that share a warp with others' rows may be elsewhere.
// CHECK-LABEL: func @half_warps
// CHECK-NOT: gpu.subgroup_reduce
func.func @half_warps(%x: memref<?xf32>, %out: memref<2xf32>, %n: index, %lowest: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %distance = arith.constant 8 : i32
  %half = arith.constant 16 : i32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %r:3 = scf.for %i = %c0 to %n step %c1
        iter_args(%max = %lowest, %a = %zero, %b = %zero) -> (f32, f32, f32) {
      %mine = memref.load %x[%i] : memref<?xf32>
      %other, %valid = gpu.shuffle xor %mine, %distance, %half : f32
      %new = arith.maximumf %max, %other : f32
      %move = arith.subf %max, %new : f32
      %factor = math.exp %move : f32
      %sa = arith.mulf %a, %factor : f32
      %sb = arith.mulf %b, %factor : f32
      scf.yield %new, %sa, %sb : f32, f32, f32
    }
    memref.store %r#1, %out[%c0] : memref<2xf32>
    memref.store %r#2, %out[%c1] : memref<2xf32>
    gpu.terminator
  }
  return
}
