// RUN: gnn-opt %s --gnn-balance-rows=row-cost=3 | FileCheck %s

// The inner loop goes from one entry of the row pointer to the next.
// CHECK-LABEL: func.func @sparse(
// CHECK-SAME: %[[N:.*]]: index, %[[ROWS:.*]]: memref<?xi32>, %[[X:.*]]: memref<?xf32>)
func.func @sparse(%n: index, %rows: memref<?xi32>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: omp.parallel {
  // CHECK: func.call @omp_get_num_threads() : () -> i32
  // CHECK: %[[NUMBER:.*]] = func.call @omp_get_thread_num() : () -> i32
  // CHECK: %[[THREAD:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
  // One thread has all rows.
  // CHECK: %[[SHARE:.*]]:2 = scf.if
  // CHECK-NEXT: scf.yield %{{.*}}, %[[N]] : index, index
  // CHECK: %[[NEXT:.*]] = arith.addi %[[THREAD]]
  // CHECK: arith.muli %{{.*}}, %[[THREAD]]
  // CHECK: %[[FIRST:.*]]:2 = scf.while
  // CHECK: memref.load %[[ROWS]]
  // CHECK: arith.constant 3 : index
  // CHECK: arith.muli %{{.*}}, %[[NEXT]]
  // CHECK: %[[LAST:.*]]:2 = scf.while
  // CHECK: scf.yield %[[FIRST]]#0, %[[LAST]]#0
  // CHECK: scf.for %[[I:.*]] = %[[SHARE]]#0 to %[[SHARE]]#1
  // CHECK: memref.load %[[ROWS]][%[[I]]]
  // CHECK-NOT: omp.wsloop
  // CHECK: omp.terminator
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %b = memref.load %rows[%i] : memref<?xi32>
        %begin = arith.index_cast %b : i32 to index
        %next = arith.addi %i, %c1 : index
        %e = memref.load %rows[%next] : memref<?xi32>
        %end = arith.index_cast %e : i32 to index
        scf.for %j = %begin to %end step %c1 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%i] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Eight rows in each step: a share ends where a step does.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %[[N:.*]]: index, %[[ROWS:.*]]: memref<?xi32>, %[[X:.*]]: memref<?xf32>)
func.func @steps(%n: index, %rows: memref<?xi32>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[SHARE:.*]]:2 = scf.if
  // CHECK: scf.while
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[STEPS:.*]] = arith.ceildivui %{{.*}}, %[[C8]]
  // CHECK: %[[DISTANCE:.*]] = arith.muli %[[STEPS]], %[[C8]]
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[DISTANCE]]
  // CHECK: %[[FIRST:.*]] = arith.minui %[[ROW]], %[[N]]
  // CHECK: scf.while
  // CHECK: %[[LAST:.*]] = arith.minui %{{.*}}, %[[N]]
  // CHECK: scf.yield %[[FIRST]], %[[LAST]]
  // CHECK: scf.for %{{.*}} = %[[SHARE]]#0 to %[[SHARE]]#1 step %{{.*}} {
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c8) {
        %next_step = arith.addi %i, %c8 : index
        %last = arith.minsi %next_step, %n : index
        scf.for %row = %i to %last step %c1 {
          %b = memref.load %rows[%row] : memref<?xi32>
          %begin = arith.index_cast %b : i32 to index
          %next = arith.addi %row, %c1 : index
          %e = memref.load %rows[%next] : memref<?xi32>
          %end = arith.index_cast %e : i32 to index
          scf.for %j = %begin to %end step %c1 {
            %v = memref.load %x[%j] : memref<?xf32>
            memref.store %v, %x[%row] : memref<?xf32>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Eight rows in each step, two of them at a time.
// CHECK-LABEL: func.func @steps_in_steps(
// CHECK-SAME: %{{.*}}: index, %[[ROWS:.*]]: memref<?xi32>, %{{.*}}: memref<?xf32>)
// CHECK: %[[SHARE:.*]]:2 = scf.if
// CHECK: memref.load %[[ROWS]]
// CHECK: scf.for %{{.*}} = %[[SHARE]]#0 to %[[SHARE]]#1 step %{{.*}} {
func.func @steps_in_steps(%n: index, %rows: memref<?xi32>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c8) {
        %next_step = arith.addi %i, %c8 : index
        %last = arith.minsi %next_step, %n : index
        scf.for %pair = %i to %last step %c2 {
          %next_pair = arith.addi %pair, %c2 : index
          %last_row = arith.minsi %next_pair, %last : index
          scf.for %row = %pair to %last_row step %c1 {
            %b = memref.load %rows[%row] : memref<?xi32>
            %begin = arith.index_cast %b : i32 to index
            %next = arith.addi %row, %c1 : index
            %e = memref.load %rows[%next] : memref<?xi32>
            %end = arith.index_cast %e : i32 to index
            scf.for %j = %begin to %end step %c1 {
              %v = memref.load %x[%j] : memref<?xf32>
              memref.store %v, %x[%row] : memref<?xf32>
            }
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// All iterations have the same to do.
// CHECK-LABEL: func.func @dense(
func.func @dense(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: omp.wsloop
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %n step %c1 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%i] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Entries that are not neighbours say nothing about the rows between.
// CHECK-LABEL: func.func @other_bounds(
func.func @other_bounds(%n: index, %begins: memref<?xindex>,
                        %ends: memref<?xindex>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: omp.wsloop
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %begin = memref.load %begins[%i] : memref<?xindex>
        %end = memref.load %ends[%i] : memref<?xindex>
        scf.for %j = %begin to %end step %c1 {
          %v = memref.load %x[%j] : memref<?xf32>
          memref.store %v, %x[%i] : memref<?xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// What threads add up together is the loop's.
omp.declare_reduction @sum : f32 init {
^bb0(%a: f32):
  %zero = arith.constant 0.0 : f32
  omp.yield(%zero : f32)
} combiner {
^bb0(%a: f32, %b: f32):
  %c = arith.addf %a, %b : f32
  omp.yield(%c : f32)
}
// CHECK-LABEL: func.func @reduction(
func.func @reduction(%n: index, %pointers: memref<?xindex>, %x: memref<?xf32>,
                     %total: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: omp.wsloop reduction
  omp.parallel {
    omp.wsloop reduction(@sum %total -> %part : !llvm.ptr) {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %begin = memref.load %pointers[%i] : memref<?xindex>
        %next = arith.addi %i, %c1 : index
        %end = memref.load %pointers[%next] : memref<?xindex>
        scf.for %j = %begin to %end step %c1 {
          %v = memref.load %x[%j] : memref<?xf32>
          llvm.store %v, %part : f32, !llvm.ptr
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
