// RUN: gnn-opt %s \
// RUN:   --gnn-serialize-small-loops="minimum-work=1000 awake-work=150 move-work=16" \
// RUN:   | FileCheck %s

// What is only copied waits for memory: 2 * 16 + 1 + 1 ops, of which 30 reach 1000.
// CHECK-LABEL: func.func @copy(
// CHECK: arith.constant 30 : index
// CHECK: omp.parallel if(
func.func @copy(%n: index, %x: memref<?x32xf32>, %y: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
        vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// So is what is rounded on the way: 2 * 16 + 2 + 1 + 1.
// CHECK-LABEL: func.func @round(
// CHECK: arith.constant 28 : index
// CHECK: omp.parallel if(
func.func @round(%n: index, %x: memref<?x32xf32>, %y: memref<?x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
        %r = arith.truncf %v : vector<32xf32> to vector<32xbf16>
        vector.transfer_write %r, %y[%i, %c0] {in_bounds = [true]} : vector<32xbf16>, memref<?x32xbf16>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// What computes counts as before: 2 + 2 + 1 + 1.
// CHECK-LABEL: func.func @add(
// CHECK: arith.constant 167 : index
// CHECK: omp.parallel if(
func.func @add(%n: index, %x: memref<?x32xf32>, %y: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
        %s = arith.addf %v, %v : vector<32xf32>
        vector.transfer_write %s, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The next loop's size may take a division by a number that is known at run time
// only: all of it is computed either way, so before the first loop as well.
// CHECK-LABEL: func.func @next_divides(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[D:[a-z0-9]+]]: index
// CHECK: %[[FIRST:.*]] = arith.cmpi sge
// CHECK: %[[STEP:.*]] = arith.ceildivui %[[N]], %[[D]] : index
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %{{.*}}, %[[STEP]] : index
// CHECK: %[[NEXT:.*]] = arith.cmpi sge
// CHECK: %[[AWAKE:.*]] = arith.cmpi sge
// CHECK: %[[JOINS:.*]] = arith.andi %[[AWAKE]], %[[NEXT]] : i1
// CHECK: %[[IF:.*]] = arith.ori %[[FIRST]], %[[JOINS]] : i1
// CHECK: omp.parallel if(%[[IF]])
func.func @next_divides(%n: index, %d: index, %x: memref<?x32xf32>, %y: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
        vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  %step = arith.ceildivui %n, %d : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%step) {
        %v = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
        %s = arith.addf %v, %v : vector<32xf32>
        vector.transfer_write %s, %x[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
