// RUN: gnn-opt %s --gnn-protect-arguments | FileCheck %s
// RUN: gnn-opt %s --gnn-protect-arguments \
// RUN:   --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @model(
// CHECK-SAME: %{{.*}}: tensor<4xf32> {bufferization.writable = false}, %{{.*}}: index)
// BUFFERS-LABEL: func.func @model(
func.func @model(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // The element goes into a copy.
  // BUFFERS: %[[COPY:.*]] = memref.alloc
  // BUFFERS: memref.store %{{.*}}, %[[COPY]]
  %y = tensor.insert %zero into %x[%i] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is private is called by ours only.
// CHECK-LABEL: func.func private @part(
// CHECK-NOT: bufferization.writable
func.func private @part(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
