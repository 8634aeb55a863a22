// RUN: gnn-opt %s --allow-unregistered-dialect --gnn-lower-to-llvm \
// RUN:   --reconcile-unrealized-casts | FileCheck %s

// Everything in one pass, down to what a parallel region is made of.
// CHECK-LABEL: llvm.func @doubled(
// CHECK-NOT: unrealized_conversion_cast
// CHECK: omp.parallel
// CHECK: omp.loop_nest (%[[I:.*]]) : i64
// CHECK: %[[FROM:.*]] = llvm.getelementptr {{.*}}[%[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: %[[X:.*]] = llvm.load %[[FROM]] : !llvm.ptr -> f32
// CHECK: %[[Y:.*]] = llvm.fadd %[[X]], %[[X]] : f32
// CHECK: llvm.store %[[Y]]
// CHECK: llvm.return
func.func @doubled(%m: memref<8xf32>, %n: index) {
  %zero = index.constant 0
  %one = index.constant 1
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%zero) to (%n) step (%one) {
        %x = memref.load %m[%i] : memref<8xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %m[%i] : memref<8xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// CHECK-LABEL: llvm.func @chosen(
// CHECK: llvm.cond_br
// CHECK: llvm.mlir.poison : f32
func.func @chosen(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^one, ^other
^one:
  return %x : f32
^other:
  %none = ub.poison : f32
  return %none : f32
}

// CHECK-LABEL: llvm.func @divided(
// CHECK: llvm.sdiv
func.func @divided(%x: i64, %y: i64) -> i64 {
  %z = arith.ceildivsi %x, %y : i64
  return %z : i64
}

// An op that nothing knows is left for gnn-compile to name.
// CHECK-LABEL: llvm.func @unknown(
// CHECK: "other.op"()
func.func @unknown() {
  "other.op"() : () -> ()
  return
}
