// RUN: gnn-opt --gnn-promote-loop-tensors --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-promote-loop-tensors=vector-width=0 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=ROWS

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
