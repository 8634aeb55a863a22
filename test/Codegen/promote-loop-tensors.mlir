// RUN: gnn-opt --gnn-promote-loop-tensors --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-promote-loop-tensors=vector-width=0 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=ROWS
// RUN: gnn-opt --gnn-promote-loop-tensors=unit-dimensions=false \
// RUN:   --split-input-file %s | FileCheck %s --check-prefix=WHOLE

// The accumulator becomes a vector that the loop carries; nothing is read or
// written inside.
// CHECK-LABEL: func @accumulator
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[INIT:.*]]: tensor<64xf32>, %{{.*}}: index)
// CHECK: %[[V:.*]] = vector.transfer_read %[[INIT]]
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[V]]) -> (vector<64xf32>)
// CHECK-NEXT: %[[ROW:.*]] = vector.transfer_read %[[X]][%[[I]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[ROW]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK: vector.transfer_write %[[R]]
func.func @accumulator(%x: tensor<?x64xf32>, %init: tensor<64xf32>, %n: index)
    -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> (tensor<64xf32>) {
    %a = vector.transfer_read %acc[%c0], %zero {in_bounds = [true]}
      : tensor<64xf32>, vector<64xf32>
    %row = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]}
      : tensor<?x64xf32>, vector<64xf32>
    %s = arith.addf %a, %row : vector<64xf32>
    %next = vector.transfer_write %s, %acc[%c0] {in_bounds = [true]}
      : vector<64xf32>, tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// A vector for each row, since LLVM spills arrays of vectors.
// CHECK-LABEL: func @rows
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
func.func @rows(%x: vector<2x16xf32>, %init: tensor<2x16xf32>, %n: index)
    -> tensor<2x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> (tensor<2x16xf32>) {
    %a = vector.transfer_read %acc[%c0, %c0], %zero {in_bounds = [true, true]}
      : tensor<2x16xf32>, vector<2x16xf32>
    %s = arith.addf %a, %x : vector<2x16xf32>
    %next = vector.transfer_write %s, %acc[%c0, %c0] {in_bounds = [true, true]}
      : vector<2x16xf32>, tensor<2x16xf32>
    scf.yield %next : tensor<2x16xf32>
  }
  return %y : tensor<2x16xf32>
}

// -----

// A tensor of which only a part is written stays one.
// CHECK-LABEL: func @part
// CHECK: scf.for {{.*}} -> (tensor<64xf32>)
func.func @part(%v: vector<16xf32>, %init: tensor<64xf32>, %n: index)
    -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %y = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %init)
      -> (tensor<64xf32>) {
    %next = vector.transfer_write %v, %acc[%i] {in_bounds = [true]}
      : vector<16xf32>, tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Rows of half a register: two of them are one vector.
// CHECK-LABEL: func @narrow
// CHECK: %[[INIT:.*]] = vector.shape_cast %{{.*}} : vector<4x8xf32> to vector<32xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (vector<32xf32>)
// CHECK: vector.shape_cast %[[ACC]] : vector<32xf32> to vector<4x8xf32>
// ROWS-LABEL: func @narrow
// ROWS: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @narrow(%x: vector<4x8xf32>, %init: tensor<4x8xf32>, %n: index)
    -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> (tensor<4x8xf32>) {
    %a = vector.transfer_read %acc[%c0, %c0], %zero {in_bounds = [true, true]}
      : tensor<4x8xf32>, vector<4x8xf32>
    %s = arith.addf %a, %x : vector<4x8xf32>
    %next = vector.transfer_write %s, %acc[%c0, %c0] {in_bounds = [true, true]}
      : vector<4x8xf32>, tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}

// -----

// One head: vectors have no dimension for it, here one that was written as if
// they had. A sum of one element is carried as one, too.
// WHOLE-LABEL: func @one_head
// WHOLE: scf.for {{.*}} -> (tensor<1xf32>, tensor<1x8xf32>)
// CHECK-LABEL: func @one_head
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[ACC:.*]] = %[[ZEROS]]) -> (vector<f32>, vector<8xf32>)
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: tensor<1
// CHECK: scf.yield
func.func @one_head(%x: tensor<?x1x8xf32>, %weights: tensor<?xf32>, %n: index)
    -> (vector<1xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<1xf32>
  %zeros = arith.constant dense<0.0> : vector<1x8xf32>
  %no_sum = tensor.empty() : tensor<1xf32>
  %no_values = tensor.empty() : tensor<1x8xf32>
  %sum = vector.transfer_write %zero, %no_sum[%c0] {in_bounds = [true]}
    : vector<1xf32>, tensor<1xf32>
  %values = vector.transfer_write %zeros, %no_values[%c0, %c0]
    {in_bounds = [true, true]} : vector<1x8xf32>, tensor<1x8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1
      iter_args(%s = %sum, %v = %values) -> (tensor<1xf32>, tensor<1x8xf32>) {
    %weight = tensor.extract %weights[%i] : tensor<?xf32>
    %a = vector.transfer_read %s[%c0], %pad : tensor<1xf32>, vector<f32>
    %b = vector.extract %a[] : f32 from vector<f32>
    %c = arith.addf %b, %weight : f32
    %d = vector.broadcast %c : f32 to vector<f32>
    %next = vector.transfer_write %d, %s[%c0] : vector<f32>, tensor<1xf32>
    %row = vector.transfer_read %x[%i, %c0, %c0], %pad {in_bounds = [true]}
      : tensor<?x1x8xf32>, vector<8xf32>
    %e = vector.transfer_read %v[%c0, %c0], %pad {in_bounds = [true]}
      : tensor<1x8xf32>, vector<8xf32>
    %f = arith.addf %e, %row : vector<8xf32>
    %added = vector.transfer_write %f, %v[%c0, %c0] {in_bounds = [true]}
      : vector<8xf32>, tensor<1x8xf32>
    scf.yield %next, %added : tensor<1xf32>, tensor<1x8xf32>
  }
  %p = vector.transfer_read %r#0[%c0], %pad {in_bounds = [true]}
    : tensor<1xf32>, vector<1xf32>
  %q = vector.transfer_read %r#1[%c0, %c0], %pad {in_bounds = [true]}
    : tensor<1x8xf32>, vector<8xf32>
  return %p, %q : vector<1xf32>, vector<8xf32>
}

// -----

// What the loop leaves is written where it goes.
// CHECK-LABEL: func @in_place
// CHECK-SAME: %[[ROW:[a-z0-9]+]]: tensor<80xf32>
// CHECK: %[[R:.*]] = scf.for
// CHECK: %[[PLACED:.*]] = vector.transfer_write %[[R]], %[[ROW]][%c64]
// CHECK-NOT: tensor.insert_slice
// CHECK: return %[[PLACED]]
func.func @in_place(%x: tensor<?x16xf32>, %row: tensor<80xf32>, %n: index)
    -> tensor<80xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %init = vector.transfer_write %zeros, %empty[%c0] {in_bounds = [true]}
    : vector<16xf32>, tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> (tensor<16xf32>) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]}
      : tensor<?x16xf32>, vector<16xf32>
    %a = vector.transfer_read %acc[%c0], %pad {in_bounds = [true]}
      : tensor<16xf32>, vector<16xf32>
    %s = arith.addf %a, %v : vector<16xf32>
    %w = vector.transfer_write %s, %acc[%c0] {in_bounds = [true]}
      : vector<16xf32>, tensor<16xf32>
    scf.yield %w : tensor<16xf32>
  }
  %y = tensor.insert_slice %r into %row[64] [16] [1]
    : tensor<16xf32> into tensor<80xf32>
  return %y : tensor<80xf32>
}
