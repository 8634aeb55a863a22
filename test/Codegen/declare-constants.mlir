// RUN: gnn-opt %s --gnn-declare-constants | FileCheck %s
// RUN: gnn-opt %s --gnn-declare-constants=alignment=128 \
// RUN:   | FileCheck %s --check-prefix=ALIGNED
// ALIGNED-COUNT-2: memref.global {{.*}} {alignment = 128 : i64}
// RUN: gnn-opt %s --gnn-declare-constants \
// RUN:   --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// One for each value, the last in the module being the first declared; what is
// no tensor has no memory.
// CHECK: memref.global "private" constant @__constant_2xf32_0 : memref<2xf32> = dense<2.000000e+00> {alignment = 64 : i64}
// CHECK-NEXT: memref.global "private" constant @__constant_2xf32 : memref<2xf32> = dense<1.000000e+00> {alignment = 64 : i64}
// CHECK-NOT: memref.global

// Bufferization declares no others.
// BUFFERS-COUNT-2: memref.global
// BUFFERS-NOT: memref.global
// BUFFERS-LABEL: func.func @first(
// BUFFERS: memref.get_global @__constant_2xf32 :
// BUFFERS-LABEL: func.func @second(
// BUFFERS: memref.get_global @__constant_2xf32_0 :
func.func @first() -> (tensor<2xf32>, vector<2xf32>) {
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %vector = arith.constant dense<3.0> : vector<2xf32>
  return %ones, %vector : tensor<2xf32>, vector<2xf32>
}

func.func @second(%i: index) -> (f32, f32) {
  %twos = arith.constant dense<2.0> : tensor<2xf32>
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %a = tensor.extract %twos[%i] : tensor<2xf32>
  %b = tensor.extract %ones[%i] : tensor<2xf32>
  return %a, %b : f32, f32
}
