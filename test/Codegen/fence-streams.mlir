// RUN: gnn-opt --gnn-fence-streams %s | FileCheck %s

// A thread waits before it leaves, if one of both results is large.
// CHECK-LABEL: func @parallel
// CHECK-SAME: %[[LARGE:[a-z0-9]+]]: i1, %[[OTHER:[a-z0-9]+]]: i1
// CHECK: omp.parallel {
// CHECK: nontemporal
// CHECK: nontemporal
// CHECK: %[[ANY:.*]] = arith.ori %[[LARGE]], %[[OTHER]]
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: llvm.fence seq_cst
// CHECK-NEXT: }
// CHECK-NEXT: omp.terminator
// CHECK-NOT: llvm.fence
func.func @parallel(%large: i1, %other: i1, %n: index, %x: memref<?x16xf32>,
                    %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.if %large {
          vector.store %v, %x[%i, %c0] {nontemporal = true}
            : memref<?x16xf32>, vector<16xf32>
        }
        scf.if %other {
          vector.store %v, %x[%i, %c0] {nontemporal = true}
            : memref<?x16xf32>, vector<16xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Without threads, before the function returns. What decides is not known there.
// CHECK-LABEL: func @serial
// CHECK: nontemporal
// CHECK-NOT: scf.if
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: return
func.func @serial(%n: index, %flags: memref<?xi1>, %x: memref<?x16xf32>,
                  %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %large = memref.load %flags[%i] : memref<?xi1>
    scf.if %large {
      vector.store %v, %x[%i, %c0] {nontemporal = true}
        : memref<?x16xf32>, vector<16xf32>
    }
  }
  return
}

// CHECK-LABEL: func @ordinary
// CHECK-NOT: llvm.fence
func.func @ordinary(%x: memref<?x16xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  vector.store %v, %x[%c0, %c0] : memref<?x16xf32>, vector<16xf32>
  return
}
