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

// Kernels are launched and numbers read by the same argument; what the emulator
// calls does not get it.
// CHECK-LABEL: llvm.func @launches(
// CHECK-SAME: %[[MEMORY:[^:]*]]: !llvm.ptr)
// CHECK-DAG: %[[LAUNCH_PLACE:.*]] = llvm.getelementptr %[[MEMORY]][2]
// CHECK-DAG: %[[LAUNCH:.*]] = llvm.load %[[LAUNCH_PLACE]]
// CHECK-DAG: %[[READ_PLACE:.*]] = llvm.getelementptr %[[MEMORY]][3]
// CHECK-DAG: %[[READ:.*]] = llvm.load %[[READ_PLACE]]
// CHECK: llvm.call %[[LAUNCH]](%[[MEMORY]],
// CHECK: llvm.call %[[READ]](%[[MEMORY]],
llvm.func @gnn_launch(i32, !llvm.ptr, i64, !llvm.ptr)
llvm.func @gnn_read(!llvm.ptr, !llvm.ptr, i64)
llvm.func @launches(%number: i32, %p: !llvm.ptr, %bytes: i64) {
  llvm.call @gnn_launch(%number, %p, %bytes, %p) : (i32, !llvm.ptr, i64, !llvm.ptr) -> ()
  llvm.call @gnn_read(%p, %p, %bytes) : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr) attributes
llvm.func @kernel(%thread: !llvm.ptr, %parameters: !llvm.ptr) attributes {gnn.emulated_kernel} {
  llvm.return
}
