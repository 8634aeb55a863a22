// RUN: gnn-opt --gnn-hoist-stack-buffers %s | FileCheck %s

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
