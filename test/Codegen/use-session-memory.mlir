// RUN: gnn-opt %s --gnn-use-session-memory | FileCheck %s

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)

// Where memory comes from is asked once, at the start.
// CHECK-LABEL: llvm.func @buffer(
// CHECK-SAME: %[[BYTES:.*]]: i64, %[[MEMORY:.*]]: !llvm.ptr)
llvm.func @buffer(%bytes: i64) -> !llvm.ptr {
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[MEMORY]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  // CHECK: %[[ALLOCATE:.*]] = llvm.load %[[FIRST]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[MEMORY]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  // CHECK: %[[RELEASE:.*]] = llvm.load %[[SECOND]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[A:.*]] = llvm.call %[[ALLOCATE]](%[[MEMORY]], %[[BYTES]])
  // CHECK-SAME: other = none, argMem = readwrite, inaccessibleMem = readwrite
  // CHECK-SAME: !llvm.ptr, (!llvm.ptr, i64) -> (!llvm.ptr {llvm.noalias})
  // CHECK: %[[B:.*]] = llvm.call %[[ALLOCATE]](%[[MEMORY]], %[[BYTES]])
  // CHECK: llvm.call %[[RELEASE]](%[[MEMORY]], %[[A]])
  // CHECK-SAME: !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
  // CHECK: llvm.return %[[B]]
  %a = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  %b = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.call @free(%a) : (!llvm.ptr) -> ()
  llvm.return %b : !llvm.ptr
}

// Threads have memory of their own.
// CHECK-LABEL: llvm.func @parallel(
llvm.func @parallel(%bytes: i64) {
  // CHECK-NOT: llvm.load
  // CHECK: omp.parallel
  // CHECK: %[[A:.*]] = llvm.call @malloc(
  // CHECK: llvm.call @free(%[[A]])
  omp.parallel {
    %a = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
    llvm.call @free(%a) : (!llvm.ptr) -> ()
    omp.terminator
  }
  llvm.return
}

// What calls the model's functions hands on what it got; the rest is left.
// CHECK-LABEL: llvm.func @_mlir_ciface_buffer(
// CHECK-SAME: %[[MEMORY:[^:]*]]: !llvm.ptr)
llvm.func @_mlir_ciface_buffer(%result: !llvm.ptr, %x: f32)
    attributes {llvm.emit_c_interface} {
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(64
  // CHECK: llvm.call @buffer(%[[BYTES]], %[[MEMORY]])
  // CHECK: llvm.call @erff(%{{[^,]*}}) : (f32) -> f32
  %bytes = llvm.mlir.constant(64 : i64) : i64
  %a = llvm.call @buffer(%bytes) : (i64) -> !llvm.ptr
  llvm.store %a, %result : !llvm.ptr, !llvm.ptr
  %y = llvm.call @erff(%x) : (f32) -> f32
  llvm.store %y, %result : f32, !llvm.ptr
  llvm.return
}

// CHECK: llvm.func @erff(f32) -> f32
llvm.func @erff(f32) -> f32
