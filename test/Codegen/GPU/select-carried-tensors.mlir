// RUN: gnn-opt --gnn-select-carried-tensors --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @invariant
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index, %[[INIT:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK: %[[CHOICE:.*]] = arith.select %[[RUNS]], %[[X]], %[[INIT]] : tensor<4xf32>
// CHECK-NOT: scf.for
// CHECK: return %[[CHOICE]]
func.func @invariant(%begin: index, %end: index, %init: tensor<4xf32>,
                     %x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %y = scf.for %e = %begin to %end step %c1 iter_args(%acc = %init)
      -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Other results are carried on.
// CHECK-LABEL: func @another
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[CHOICE:.*]] = arith.select %{{.*}}, %[[X]]
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: arith.addf
// CHECK: return %[[CHOICE]], %[[LOOP]]#1
func.func @another(%x: tensor<4xf32>, %begin: index, %end: index,
                   %init: tensor<4xf32>, %zero: f32) -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %y, %sum = scf.for %e = %begin to %end step %c1
      iter_args(%acc = %init, %s = %zero) -> (tensor<4xf32>, f32) {
    %next = arith.addf %s, %s : f32
    scf.yield %x, %next : tensor<4xf32>, f32
  }
  return %y, %sum : tensor<4xf32>, f32
}

// -----

// An iteration reads what the one before has left.
// CHECK-LABEL: func @read
// CHECK-NOT: arith.select
// CHECK: scf.for
func.func @read(%x: tensor<f32>, %begin: index, %end: index, %init: tensor<f32>,
                %zero: f32) -> (tensor<f32>, f32) {
  %c1 = arith.constant 1 : index
  %y, %sum = scf.for %e = %begin to %end step %c1
      iter_args(%acc = %init, %s = %zero) -> (tensor<f32>, f32) {
    %v = tensor.extract %acc[] : tensor<f32>
    %next = arith.addf %s, %v : f32
    scf.yield %x, %next : tensor<f32>, f32
  }
  return %y, %sum : tensor<f32>, f32
}

// -----

// A scalar is in a register.
// CHECK-LABEL: func @scalar
// CHECK-NOT: arith.select
// CHECK: scf.for
func.func @scalar(%x: f32, %begin: index, %end: index, %init: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %y = scf.for %e = %begin to %end step %c1 iter_args(%acc = %init) -> (f32) {
    scf.yield %x : f32
  }
  return %y : f32
}
