// RUN: gnn-opt %s --gnn-serialize-small-loops=minimum-work=1000 | FileCheck %s

// Two ops and the yield in the body: 334 iterations reach 1000.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[N:.*]]: index
func.func @rows(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[RANGE:.*]] = arith.subi %[[N]], %{{.*}} : index
  // CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[RANGE]], %{{.*}} : index
  // CHECK: %[[TRIPS:.*]] = arith.muli %{{.*}}, %[[COUNT]] : index
  // CHECK: %[[ENOUGH:.*]] = arith.constant 334 : index
  // CHECK: %[[IF:.*]] = arith.cmpi sge, %[[TRIPS]], %[[ENOUGH]] : index
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A loop in the body counts as often as it runs, a vector of 32 as two.
// CHECK-LABEL: func.func @nested(
func.func @nested(%n: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %zero = arith.constant 0.0 : f32
  // 50 * (2 + 1 + 1) + 1 = 201
  // CHECK: arith.constant 5 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %c50 step %c1 {
          %v = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// All blocks but the last have 64 rows, of which 32 are taken at a time.
// CHECK-LABEL: func.func @row_blocks(
func.func @row_blocks(%n: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // 4 + 2 * (1 + 2 + 1 + 1) + 1 = 15
  // CHECK: arith.constant 67 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c64) {
        %left = arith.subi %n, %i : index
        %size = arith.minsi %left, %c64 : index
        %tiles = arith.divui %size, %c32 : index
        %whole = arith.muli %tiles, %c32 : index
        scf.for %j = %c0 to %whole step %c32 {
          %row = arith.addi %i, %j : index
          %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%row, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Bounds that are computed inside cannot be asked before.
// CHECK-LABEL: func.func @inner_bound(
func.func @inner_bound(%x: memref<?xf32>) {
  // CHECK: omp.parallel {
  omp.parallel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A loop of unknown length over tiles makes as many fewer trips as a tile is
// large: one here.
// CHECK-LABEL: func.func @tiles(
func.func @tiles(%n: index, %m: index, %x: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  // 1 * (2 + 1 + 1) + 1 = 5
  // CHECK: arith.constant 200 : index
  // CHECK: omp.parallel if(
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        scf.for %j = %c0 to %m step %c64 {
          %v = vector.transfer_read %x[%j, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
          vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// Four rows in each step, taken by one of two loops, and their edges: 4 * 4 + 1
// ops of a step, (1 + 1 + 1) / 2 of an edge.
// CHECK-LABEL: func.func @edges(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %[[POINTERS:[a-z0-9]+]]: memref<?xindex>
func.func @edges(%n: index, %middle: index, %pointers: memref<?xindex>,
                 %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[STEPS:.*]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK: %[[END:.*]] = memref.load %[[POINTERS]][%[[N]]]
  // CHECK: %[[BEGIN:.*]] = memref.load %[[POINTERS]][%{{.*}}]
  // CHECK: %[[EDGES:.*]] = arith.subi %[[END]], %[[BEGIN]]
  // CHECK: %[[OFSTEP:.*]] = arith.constant 17 : index
  // CHECK: %[[A:.*]] = arith.muli %[[STEPS]], %[[OFSTEP]]
  // CHECK: %[[OFEDGE:.*]] = arith.constant 2 : index
  // CHECK: %[[B:.*]] = arith.muli %[[EDGES]], %[[OFEDGE]]
  // CHECK: %[[WORK:.*]] = arith.addi %[[A]], %[[B]]
  // CHECK: %[[LEAST:.*]] = arith.constant 1000 : index
  // CHECK: %[[IF:.*]] = arith.cmpi sge, %[[WORK]], %[[LEAST]]
  // CHECK: omp.parallel if(%[[IF]])
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c4) {
        scf.for %row = %i to %middle step %c1 {
          %next = arith.addi %row, %c1 : index
          %begin = memref.load %pointers[%row] : memref<?xindex>
          %end = memref.load %pointers[%next] : memref<?xindex>
          scf.for %p = %begin to %end step %c2 {
            %v = memref.load %x[%p] : memref<?xf32>
            memref.store %v, %x[%p] : memref<?xf32>
          }
        }
        scf.for %row = %middle to %n step %c1 {
          %next = arith.addi %row, %c1 : index
          %begin = memref.load %pointers[%row] : memref<?xindex>
          %end = memref.load %pointers[%next] : memref<?xindex>
          scf.for %p = %begin to %end step %c2 {
            memref.store %begin, %pointers[%p] : memref<?xindex>
          }
        }
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
