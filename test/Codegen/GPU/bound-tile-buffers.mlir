// RUN: gnn-opt --gnn-bound-tile-buffers %s | FileCheck %s

// CHECK-LABEL: func @last_tile
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: %[[WHOLE:.*]] = memref.alloca() : memref<1024xf32>
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[WHOLE]] to offset: [0], sizes: [%[[ROWS]], 16], strides: [16, 1]
// CHECK: %[[BUFFER:.*]] = memref.cast %[[PART]] : {{.*}} to memref<?x16xf32>
// CHECK: memref.store %{{.*}}, %[[BUFFER]]
// CHECK-NOT: memref.dealloc
func.func @last_tile(%n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%tile) = (0) to (%n) step (64) {
    %rows = affine.min affine_map<(d0)[s0] -> (64, s0 - d0)>(%tile)[%n]
    %buffer = memref.alloc(%rows) : memref<?x16xf32>
    memref.store %zero, %buffer[%c0, %c0] : memref<?x16xf32>
    memref.dealloc %buffer : memref<?x16xf32>
  }
  return
}

// Host code allocates what it wants.
// CHECK-LABEL: func @outside
// CHECK: memref.alloc() : memref<16xf32>
func.func @outside() -> memref<16xf32> {
  %buffer = memref.alloc() : memref<16xf32>
  return %buffer : memref<16xf32>
}

// The next iteration still reads what this one has written.
// CHECK-LABEL: func @carried
// CHECK: scf.for
// CHECK: memref.alloc() : memref<8xf32>
func.func @carried(%n: index, %first: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%tile) in (%n) {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<8xf32>) {
      %new = memref.alloc() : memref<8xf32>
      %value = memref.load %old[%c0] : memref<8xf32>
      memref.store %value, %new[%c0] : memref<8xf32>
      scf.yield %new : memref<8xf32>
    }
  }
  return
}
