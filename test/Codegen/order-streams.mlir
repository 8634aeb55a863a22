// RUN: gnn-opt --gnn-order-streams --split-input-file %s | FileCheck %s
// RUN: gnn-opt --gnn-order-streams=vector-width=4 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=SSE

// A line is two registers of eight elements, or four of four.
// CHECK-LABEL: llvm.func @line
// CHECK-SAME: (%[[V:.*]]: vector<16xf32>, %[[P:.*]]: !llvm.ptr)
// CHECK: %[[LOW:.*]] = llvm.shufflevector %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: llvm.store volatile %[[LOW]], %[[P]] {alignment = 64 : i64, nontemporal} : vector<8xf32>
// CHECK: %[[HIGH:.*]] = llvm.shufflevector %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[P]][8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK: llvm.store volatile %[[HIGH]], %[[Q]] {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK-NOT: llvm.store
// SSE-LABEL: llvm.func @line
// SSE: alignment = 64
// SSE: alignment = 16
// SSE: alignment = 32
// SSE: alignment = 16
// SSE-NOT: llvm.store
llvm.func @line(%v: vector<16xf32>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
  llvm.return
}

// -----

// Elements of 64 bits, of which a register has half as many.
// SSE-LABEL: llvm.func @wide_elements
// CHECK-LABEL: llvm.func @wide_elements
// CHECK: llvm.store volatile {{.*}} : vector<4xf64>
// CHECK: llvm.getelementptr {{.*}}[4] : (!llvm.ptr) -> !llvm.ptr, f64
// CHECK: llvm.store volatile {{.*}} : vector<4xf64>
// CHECK-NOT: llvm.store
llvm.func @wide_elements(%v: vector<8xf64>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 64 : i64, nontemporal} : vector<8xf64>, !llvm.ptr
  llvm.return
}

// -----

// A register is kept in its place among others.
// CHECK-LABEL: llvm.func @register
// CHECK-NEXT: llvm.store volatile %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK-NEXT: llvm.return
llvm.func @register(%v: vector<8xf32>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 32 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
  llvm.return
}

// -----

// What goes to the caches is left alone.
// CHECK-LABEL: llvm.func @cached
// CHECK-NEXT: llvm.store %{{.*}}, %{{.*}} {alignment = 64 : i64} : vector<16xf32>
// CHECK-NEXT: llvm.return
llvm.func @cached(%v: vector<16xf32>, %p: !llvm.ptr) {
  llvm.store %v, %p {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
  llvm.return
}
