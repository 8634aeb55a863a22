// RUN: gnn-opt %s --gnn-divide-loops --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?xf32>)
func.func @steps(%n: index, %x: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  // CHECK: omp.parallel {
  // CHECK: %[[RANGE:.*]] = arith.subi %[[N]], %{{.*}} : index
  // CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[RANGE]], %[[C4:.*]] : index
  // CHECK: %[[TRIPS:.*]] = arith.maxsi %[[COUNT]], %{{.*}} : index
  // CHECK: %[[CALL:.*]] = func.call @omp_get_num_threads() : () -> i32
  // CHECK: %[[THREADS:.*]] = arith.index_cast %[[CALL]] : i32 to index
  // CHECK: %[[SIZE:.*]] = arith.ceildivui %[[TRIPS]], %[[THREADS]]
  // CHECK: %[[NUMBER:.*]] = func.call @omp_get_thread_num() : () -> i32
  // CHECK: %[[THREAD:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
  // CHECK: %[[BEGIN:.*]] = arith.muli %[[THREAD]], %[[SIZE]]
  // CHECK: %[[FIRST:.*]] = arith.minui %[[BEGIN]], %[[TRIPS]]
  // CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[SIZE]]
  // CHECK: %[[LAST:.*]] = arith.minui %[[END]], %[[TRIPS]]
  // CHECK: scf.for %[[K:.*]] = %[[FIRST]] to %[[LAST]] step
  // CHECK: %[[DISTANCE:.*]] = arith.muli %[[K]], %[[C4]]
  // CHECK: %[[I:.*]] = arith.addi %[[DISTANCE]], %{{.*}}
  // CHECK: memref.store %{{.*}}, %[[X]][%[[I]]]
  // CHECK-NOT: omp.wsloop
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c1) to (%n) step (%c4) {
        memref.store %one, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// Iterations of both loops are counted together.
// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?x3xf32>)
func.func @nest(%n: index, %x: memref<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  // CHECK: %[[OUTER:.*]] = arith.maxsi %[[N]]
  // CHECK: arith.muli %[[OUTER]], %[[C3:.*]] : index
  // CHECK: scf.for %[[K:.*]] = %{{.*}} to
  // CHECK: %[[J:.*]] = arith.remui %[[K]], %[[C3]]
  // CHECK: %[[I:.*]] = arith.divui %[[K]], %[[C3]]
  // CHECK: memref.store %{{.*}}, %[[X]][%[[I]], %[[J]]]
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i, %j) : index = (%c0, %c0) to (%n, %c3) step (%c1, %c1) {
        memref.store %one, %x[%i, %j] : memref<?x3xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// -----

// What is behind the loop may read what other threads have written.
// CHECK-LABEL: func.func @behind(
func.func @behind(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK: omp.wsloop
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %one, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    memref.store %one, %x[%c0] : memref<?xf32>
    omp.terminator
  }
  return
}

// -----

// CHECK-LABEL: func.func @schedule(
func.func @schedule(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK: omp.wsloop schedule(dynamic)
  omp.parallel {
    omp.wsloop schedule(dynamic) {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %one, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
