// RUN: gnn-opt --gnn-hoist-stack-buffers %s | FileCheck %s
// RUN: gnn-opt --gnn-hoist-stack-buffers=max-bytes=255 %s \
// RUN:   | FileCheck %s --check-prefix=SMALL

func.func private @use(memref<64xf32>)
func.func private @use_dynamic(memref<?xf32>)

// One buffer per thread.
// CHECK-LABEL: func @parallel
// CHECK: omp.parallel {
// CHECK-NEXT: %[[A:.*]] = memref.alloca() : memref<64xf32>
// CHECK: omp.loop_nest
// CHECK-NOT: memref.alloca_scope
// CHECK: call @use(%[[A]])
func.func @parallel(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.alloca_scope {
          %a = memref.alloca() : memref<64xf32>
          func.call @use(%a) : (memref<64xf32>) -> ()
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Without threads, one per call.
// CHECK-LABEL: func @serial
// CHECK-NEXT: %[[A:.*]] = memref.alloca() : memref<64xf32>
// CHECK: scf.for
// CHECK-NEXT: call @use(%[[A]])
func.func @serial(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<64xf32>
    func.call @use(%a) : (memref<64xf32>) -> ()
  }
  return
}

// A buffer whose size the loop decides stays, and so does its scope.
// CHECK-LABEL: func @dynamic
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.alloca_scope
// CHECK-NEXT: memref.alloca(%[[I]])
func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.alloca_scope {
      %a = memref.alloca(%i) : memref<?xf32>
      func.call @use_dynamic(%a) : (memref<?xf32>) -> ()
    }
  }
  return
}

// A buffer on the heap, too, is allocated and freed once per thread, unless it is
// too large.
// CHECK-LABEL: func @heap
// CHECK: omp.parallel {
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT: omp.wsloop
// CHECK-NEXT: omp.loop_nest
// CHECK-NEXT: scf.for
// CHECK-NEXT: call @use(%[[A]])
// CHECK-NOT: memref.dealloc
// CHECK: omp.yield
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: omp.terminator
// SMALL-LABEL: func @heap
// SMALL: scf.for
// SMALL-NEXT: %[[A:.*]] = memref.alloc() : memref<64xf32>
// SMALL-NEXT: call @use(%[[A]])
// SMALL-NEXT: memref.dealloc %[[A]]
func.func @heap(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.alloca_scope {
          scf.for %j = %c0 to %n step %c1 {
            %a = memref.alloc() : memref<64xf32>
            func.call @use(%a) : (memref<64xf32>) -> ()
            memref.dealloc %a : memref<64xf32>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// What only some iterations allocate, or free, stays, as does what no loop repeats.
// CHECK-LABEL: func @sometimes
// CHECK: omp.parallel {
// CHECK-NEXT: %[[ONCE:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT: memref.dealloc %[[ONCE]]
// CHECK-NEXT: omp.wsloop
// CHECK: scf.if
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT: call @use(%[[A]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK: %[[B:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: %[[C:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: call @use_dynamic(%[[C]])
// CHECK-NEXT: memref.dealloc %[[C]]
func.func @sometimes(%n: index, %condition: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    %once = memref.alloc() : memref<64xf32>
    memref.dealloc %once : memref<64xf32>
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.if %condition {
          %a = memref.alloc() : memref<64xf32>
          func.call @use(%a) : (memref<64xf32>) -> ()
          memref.dealloc %a : memref<64xf32>
        }
        %b = memref.alloc() : memref<64xf32>
        scf.if %condition {
          memref.dealloc %b : memref<64xf32>
        }
        %c = memref.alloc(%n) : memref<?xf32>
        func.call @use_dynamic(%c) : (memref<?xf32>) -> ()
        memref.dealloc %c : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
