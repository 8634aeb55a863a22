// RUN: gnn-opt --gnn-prefetch-tiles=result-steps=2 --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-prefetch-tiles=results=false --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=OFF

// The last two steps for each of four rows ask for the row.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<64x32xf32>, %[[Y:[a-z0-9]+]]: memref<?x32xf32>
// CHECK-SAME: %[[R:[a-z0-9]+]]: index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK-DAG: %[[ROW0:.*]] = arith.minui %[[R]], %{{.*}} : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CUT:.*]] = arith.constant 56 : index
// CHECK: %[[MOST:.*]]:4 = scf.for %{{.*}} = %{{.*}} to %[[CUT]] step
// CHECK-SAME: %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]]
// CHECK-NOT: memref.prefetch
// CHECK: %[[SUMS:.*]]:4 = scf.for %[[I:[a-z0-9]+]] = %{{.*}} to %[[C4]]
// CHECK-SAME: %[[S0:[a-z0-9]+]] = %[[MOST]]#0, {{.*}} %[[S3:[a-z0-9]+]] = %[[MOST]]#3)
// CHECK: %[[ROW:.*]] = arith.addi %[[ROW0]], %[[I]]
// CHECK: memref.prefetch %[[Y]][%[[ROW]], %[[C0:.*]]], write, locality<3>, data
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[HALF:.*]] = arith.addi %[[C0]], %[[C16]]
// CHECK: memref.prefetch %[[Y]][%{{.*}}, %[[HALF]]], write, locality<3>, data
// CHECK: %[[DONE:.*]] = arith.muli %[[I]], %[[C2]]
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %[[DONE]]
// CHECK: %[[TO:.*]] = arith.addi %[[FROM]], %[[C2]]
// CHECK: %[[NEXT:.*]]:4 = scf.for %[[K:[a-z0-9]+]] = %[[FROM]] to %[[TO]]
// CHECK-SAME: = %[[S0]], {{.*}} = %[[S3]])
// CHECK: vector.transfer_read %[[W]][%[[K]],
// CHECK: scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %[[NEXT]]#2, %[[NEXT]]#3
// CHECK: vector.transfer_write %[[SUMS]]#0, %[[Y]][%[[ROW0]],
// CHECK: vector.transfer_write %[[SUMS]]#3,

// OFF-LABEL: func @rows
// OFF-NOT: memref.prefetch
func.func @rows(%w: memref<64x32xf32>, %y: memref<?x32xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %s:4 = scf.for %k = %c0 to %c64 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x32xf32>, vector<32xf32>
    %n0 = arith.addf %s0, %v : vector<32xf32>
    %n1 = arith.addf %s1, %v : vector<32xf32>
    %n2 = arith.addf %s2, %v : vector<32xf32>
    %n3 = arith.addf %s3, %v : vector<32xf32>
    scf.yield %n0, %n1, %n2, %n3
      : vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>
  }
  // Known only after the loop, as it is written.
  %row0 = arith.minui %r, %c8 : index
  %row1 = arith.addi %row0, %c1 : index
  %row2 = arith.addi %row0, %c2 : index
  %row3 = arith.addi %row0, %c3 : index
  vector.transfer_write %s#0, %y[%row0, %c0] {in_bounds = [true]}
    : vector<32xf32>, memref<?x32xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<32xf32>, memref<?x32xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<32xf32>, memref<?x32xf32>
  vector.transfer_write %s#3, %y[%row3, %c0] {in_bounds = [true]}
    : vector<32xf32>, memref<?x32xf32>
  return
}

// -----

// Three rows are what whole tiles leave.
// CHECK-LABEL: func @few_rows
// CHECK-NOT: memref.prefetch
func.func @few_rows(%w: memref<64x16xf32>, %y: memref<?x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %s:3 = scf.for %k = %c0 to %c64 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x16xf32>, vector<16xf32>
    %n0 = arith.addf %s0, %v : vector<16xf32>
    %n1 = arith.addf %s1, %v : vector<16xf32>
    %n2 = arith.addf %s2, %v : vector<16xf32>
    scf.yield %n0, %n1, %n2 : vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  return
}

// -----

// A buffer that stays near.
// CHECK-LABEL: func @near
// CHECK-NOT: memref.prefetch
func.func @near(%w: memref<64x16xf32>, %y: memref<64x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %s:4 = scf.for %k = %c0 to %c64 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x16xf32>, vector<16xf32>
    %n0 = arith.addf %s0, %v : vector<16xf32>
    %n1 = arith.addf %s1, %v : vector<16xf32>
    %n2 = arith.addf %s2, %v : vector<16xf32>
    %n3 = arith.addf %s3, %v : vector<16xf32>
    scf.yield %n0, %n1, %n2, %n3
      : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  %row3 = arith.addi %r, %c3 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<64x16xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<64x16xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<64x16xf32>
  vector.transfer_write %s#3, %y[%row3, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<64x16xf32>
  return
}

// -----

// What is added to was read.
// CHECK-LABEL: func @sums
// CHECK-NOT: memref.prefetch
func.func @sums(%w: memref<64x16xf32>, %y: memref<?x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = vector.transfer_read %y[%r, %c0], %pad {in_bounds = [true]}
    : memref<?x16xf32>, vector<16xf32>
  %s:4 = scf.for %k = %c0 to %c64 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x16xf32>, vector<16xf32>
    %n0 = arith.addf %s0, %v : vector<16xf32>
    %n1 = arith.addf %s1, %v : vector<16xf32>
    %n2 = arith.addf %s2, %v : vector<16xf32>
    %n3 = arith.addf %s3, %v : vector<16xf32>
    scf.yield %n0, %n1, %n2, %n3
      : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  %row3 = arith.addi %r, %c3 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#3, %y[%row3, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  return
}

// -----

// Too few steps for four rows.
// CHECK-LABEL: func @few_steps
// CHECK-NOT: memref.prefetch
func.func @few_steps(%w: memref<7x16xf32>, %y: memref<?x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %s:4 = scf.for %k = %c0 to %c7 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<7x16xf32>, vector<16xf32>
    %n0 = arith.addf %s0, %v : vector<16xf32>
    %n1 = arith.addf %s1, %v : vector<16xf32>
    %n2 = arith.addf %s2, %v : vector<16xf32>
    %n3 = arith.addf %s3, %v : vector<16xf32>
    scf.yield %n0, %n1, %n2, %n3
      : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  %row3 = arith.addi %r, %c3 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#3, %y[%row3, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  return
}

// -----

// Two vectors in a line, which is asked for once.
// CHECK-LABEL: func @half_lines
// CHECK-COUNT-1: memref.prefetch
// CHECK-NOT: memref.prefetch
func.func @half_lines(%w: memref<64x16xf32>, %y: memref<?x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %s:8 = scf.for %k = %c0 to %c64 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero,
                %s4 = %zero, %s5 = %zero, %s6 = %zero, %s7 = %zero)
      -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
          vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
    %u = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<64x16xf32>, vector<8xf32>
    %v = vector.transfer_read %w[%k, %c8], %pad {in_bounds = [true]}
      : memref<64x16xf32>, vector<8xf32>
    %n0 = arith.addf %s0, %u : vector<8xf32>
    %n1 = arith.addf %s1, %v : vector<8xf32>
    %n2 = arith.addf %s2, %u : vector<8xf32>
    %n3 = arith.addf %s3, %v : vector<8xf32>
    %n4 = arith.addf %s4, %u : vector<8xf32>
    %n5 = arith.addf %s5, %v : vector<8xf32>
    %n6 = arith.addf %s6, %u : vector<8xf32>
    %n7 = arith.addf %s7, %v : vector<8xf32>
    scf.yield %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7
      : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>,
        vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  %row3 = arith.addi %r, %c3 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#1, %y[%r, %c8] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#2, %y[%row1, %c0] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#3, %y[%row1, %c8] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#4, %y[%row2, %c0] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#5, %y[%row2, %c8] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#6, %y[%row3, %c0] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  vector.transfer_write %s#7, %y[%row3, %c8] {in_bounds = [true]}
    : vector<8xf32>, memref<?x16xf32>
  return
}

// -----

// More than 256 steps leave stores enough time.
// CHECK-LABEL: func @many_steps
// CHECK-NOT: memref.prefetch
func.func @many_steps(%w: memref<257x16xf32>, %y: memref<?x16xf32>, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c257 = arith.constant 257 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %s:4 = scf.for %k = %c0 to %c257 step %c1
      iter_args(%s0 = %zero, %s1 = %zero, %s2 = %zero, %s3 = %zero)
      -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %v = vector.transfer_read %w[%k, %c0], %pad {in_bounds = [true]}
      : memref<257x16xf32>, vector<16xf32>
    %n0 = arith.addf %s0, %v : vector<16xf32>
    %n1 = arith.addf %s1, %v : vector<16xf32>
    %n2 = arith.addf %s2, %v : vector<16xf32>
    %n3 = arith.addf %s3, %v : vector<16xf32>
    scf.yield %n0, %n1, %n2, %n3
      : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %row1 = arith.addi %r, %c1 : index
  %row2 = arith.addi %r, %c2 : index
  %row3 = arith.addi %r, %c3 : index
  vector.transfer_write %s#0, %y[%r, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#1, %y[%row1, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#2, %y[%row2, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  vector.transfer_write %s#3, %y[%row3, %c0] {in_bounds = [true]}
    : vector<16xf32>, memref<?x16xf32>
  return
}
