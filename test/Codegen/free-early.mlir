// RUN: gnn-opt --gnn-free-early %s | FileCheck %s

func.func private @use(memref<8xf32>)

// CHECK-LABEL: func @last_use
// CHECK: call @use(%[[A:.*]]) :
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: call @use(%[[B]])
func.func @last_use() {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  %b = memref.alloc() : memref<8xf32>
  call @use(%b) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A view of the buffer, or a use in a region, is a use.
// CHECK-LABEL: func @views
// CHECK: scf.for
// CHECK: memref.store
// CHECK: }
// CHECK-NEXT: memref.dealloc
// CHECK: call @use
func.func @views(%n: index, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<16xf32>
  %v = memref.subview %a[8] [8] [1]
    : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %v[%i] : memref<8xf32, strided<[1], offset: 8>>
  }
  call @use(%b) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<16xf32>
  return
}

// A buffer that may be another one stays until both are done with.
// CHECK-LABEL: func @alias
// CHECK: arith.select
// CHECK: call @use
// CHECK-NEXT: call @use
// CHECK-NEXT: memref.dealloc
func.func @alias(%c: i1, %b: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %s = arith.select %c, %a, %b : memref<8xf32>
  call @use(%b) : (memref<8xf32>) -> ()
  call @use(%s) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

// Whether an argument of a block may be freed here depends on what came before.
// CHECK-LABEL: func @argument
// CHECK: call @use
// CHECK-NEXT: memref.dealloc
func.func @argument(%a: memref<8xf32>, %b: memref<8xf32>) {
  call @use(%b) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}
