// RUN: gnn-opt --gnn-map-loops-to-gpu --canonicalize --cse %s | FileCheck %s
// RUN: gnn-opt --gnn-map-loops-to-gpu=thread-block=64 --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: gnn-opt --gnn-map-loops-to-gpu=max-tile-threads=32 --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=ONE-WARP
// RUN: gnn-opt --gnn-map-loops-to-gpu=min-tile=65 --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=NOT-SHARED

// An iteration is a thread; the last block has threads with nothing to do.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: (%[[X:.*]]: memref<?x4xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[TOTAL:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[TOTAL]], %[[THREADS]]
// CHECK: gpu.launch blocks(%[[B:[^,]*]], {{.*}}) in (%{{.*}} = %[[BLOCKS]],
// CHECK-SAME: threads(%[[T:[^,]*]], {{.*}}) in (%{{.*}} = %[[THREADS]],
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %[[THREADS]]
// CHECK: %[[I:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %[[TOTAL]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]]
// CHECK: %[[ROW:.*]] = arith.divui %[[I]]
// CHECK: memref.store %{{.*}}, %[[X]][%[[ROW]], %[[COLUMN]]]
// CHECK-NOT: gpu.barrier
// SMALL-LABEL: func @elementwise
// SMALL: %[[THREADS:.*]] = arith.constant 64 : index
// SMALL: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %[[THREADS]],
func.func @elementwise(%x: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c4) step (%c1, %c1) {
    memref.store %zero, %x[%i, %j] : memref<?x4xf32>
  }
  return
}

// An iteration is a block. Its buffer is shared; each thread has an element of
// it; and the loop over edges is walked by all together.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[BEGIN:.*]]: memref<?xindex>, %[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x64xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: gpu.launch blocks(%[[ROW:[^,]*]], {{.*}}) in (%{{.*}} = %[[N]],
// CHECK-SAME: threads(%[[T:[^,]*]], {{.*}}) in (%{{.*}} = %[[C64]],
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<64xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[SUM:.*]] = memref.memory_space_cast %[[SHARED]]
// CHECK: memref.store %{{.*}}, %[[SUM]][%[[T]]]
// CHECK-NEXT: gpu.barrier
// CHECK: scf.for %[[E:.*]] =
// CHECK: memref.load %[[SUM]][%[[T]]]
// CHECK-NEXT: memref.load %[[X]][%[[E]], %[[T]]]
// CHECK: memref.store %{{.*}}, %[[SUM]][%[[T]]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]], %[[T]]]
// ONE-WARP-LABEL: func @rows
// ONE-WARP: %[[THREADS:.*]] = arith.constant 32 : index
// ONE-WARP: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %[[THREADS]],
// An inner loop that is too short is each thread's own.
// NOT-SHARED-LABEL: func @rows
// NOT-SHARED: %[[THREADS:.*]] = arith.constant 128 : index
// NOT-SHARED: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %[[THREADS]],
// NOT-SHARED-NOT: workgroup(
// NOT-SHARED-LABEL: func @read_then_written
func.func @rows(%begin: memref<?xindex>, %x: memref<?x64xf32>,
                %y: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (%n) {
    %sum = memref.alloca() : memref<64xf32>
    scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
      memref.store %zero, %sum[%f] : memref<64xf32>
    }
    %next = arith.addi %row, %c1 : index
    %from = memref.load %begin[%row] : memref<?xindex>
    %to = memref.load %begin[%next] : memref<?xindex>
    scf.for %e = %from to %to step %c1 {
      scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
        %a = memref.load %sum[%f] : memref<64xf32>
        %b = memref.load %x[%e, %f] : memref<?x64xf32>
        %c = arith.addf %a, %b : f32
        memref.store %c, %sum[%f] : memref<64xf32>
      }
    }
    scf.parallel (%f) = (%c0) to (%c64) step (%c1) {
      %a = memref.load %sum[%f] : memref<64xf32>
      memref.store %a, %y[%row, %f] : memref<?x64xf32>
    }
  }
  return
}

// What all threads read, and one of them is to overwrite, needs a barrier in
// between; one thread stores.
// CHECK-LABEL: func @read_then_written
// CHECK: gpu.launch {{.*}} threads(%[[T:[^,]*]],
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[BUFFER:.*]] = memref.memory_space_cast %[[SHARED]]
// CHECK: memref.store %{{.*}}, %[[BUFFER]][%[[T]]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[FIRST:.*]] = memref.load %[[BUFFER]][%{{.*}}]
// CHECK-NEXT: %[[DOUBLED:.*]] = arith.addf %[[FIRST]], %[[FIRST]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[T]],
// CHECK-NEXT: scf.if %[[IS_FIRST]] {
// CHECK-NEXT: memref.store %[[DOUBLED]], %[[BUFFER]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
func.func @read_then_written(%x: memref<?x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (%n) {
    %buffer = memref.alloca() : memref<32xf32>
    scf.parallel (%f) = (%c0) to (%c32) step (%c1) {
      memref.store %zero, %buffer[%f] : memref<32xf32>
    }
    %first = memref.load %buffer[%c0] : memref<32xf32>
    %doubled = arith.addf %first, %first : f32
    memref.store %doubled, %buffer[%c0] : memref<32xf32>
    scf.parallel (%f) = (%c0) to (%c32) step (%c1) {
      %a = memref.load %buffer[%f] : memref<32xf32>
      memref.store %a, %x[%row, %f] : memref<?x32xf32>
    }
  }
  return
}

// Short loops inside are no work for a block.
// CHECK-LABEL: func @short_rows
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @short_rows(%x: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (%n) {
    scf.parallel (%f) = (%c0) to (%c4) step (%c1) {
      memref.store %zero, %x[%row, %f] : memref<?x4xf32>
    }
  }
  return
}
